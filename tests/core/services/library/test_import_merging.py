"""Files that tell of the same publications: merged, whatever kills, batches and orders of files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from importing_fakes import GRANT, grant, source, take

from claimlight.services.library import documents, relations
from claimlight.services.library.library import Library
from claimlight.types import Part
from tests.core.store.contents import library_content

COUNT = 30
FAKES = Path(__file__).with_name("importing_fakes.py")
ABSTRACT = "A front page that says more than the abstract of the office does, " * 4


def _front(number: int) -> bytes:
    """The front page of `grant`: no description, no class, a longer abstract, a claim that is cut short."""
    return GRANT.format(
        number=9_000_000 + number, serial=number, title="wheel", abstract=ABSTRACT, description="", claim="A"
    ).encode()


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    made.mkdir()
    source(made / "a.xml", COUNT)
    (made / "b.xml").write_bytes(b"".join(_front(n) for n in range(COUNT - 1, -1, -1)))
    (made / "c.xml").write_bytes(grant(3) + _front(3) + _front(COUNT))
    for name in ("a.xml", "b.xml", "c.xml"):
        os.utime(made / name, ns=(5, 5))
    return made


def _content(folder):
    with Library.open(folder) as opened:
        return library_content(opened.store)


@pytest.fixture
def expected(tmp_path, folder):
    take(tmp_path / "undisturbed", folder, batch=7)
    return _content(tmp_path / "undisturbed")


def test_each_part_is_from_the_file_that_has_most_of_it(tmp_path, folder):
    report = take(tmp_path / "L", folder)
    assert (report.taken, report.merged, report.unchanged) == (COUNT + 1, COUNT, 2)
    with Library.open(tmp_path / "L") as opened:
        view = documents.view(opened, "US9000005B2")
        found = {item.part: Path(item.path).name for item in relations.origins(opened, view.summary.id)}
    assert (found[Part.DESCRIPTION], found[Part.CLAIMS], found[Part.ABSTRACTS]) == ("a.xml", "a.xml", "b.xml")
    assert view.passages[0].text.endswith(ABSTRACT.strip())
    assert len(view.passages) == 7


def test_the_order_of_files_and_the_size_of_batches_do_not_matter(tmp_path, folder, expected):
    names = ["c.xml", "b.xml", "a.xml"]
    for batch in (1, 50):
        for name in names:
            take(tmp_path / str(batch), folder / name, batch=batch)
        assert _content(tmp_path / str(batch)) == expected
        again = take(tmp_path / str(batch), folder)
        assert (again.taken, again.merged, again.unchanged) == (0, 0, 2 * COUNT + 3)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.variants) for n in (1, 2))])
def test_killed_while_records_are_merged(tmp_path, folder, expected, seed):
    rng = random.Random(seed)
    target = tmp_path / "L"
    Library.create(target).close()
    for _ in range(4):
        assert _run(folder, target, statement=rng.randint(30, 400)) in {-9, 0}
        _content(target)  # passes every check of the full texts
    assert _run(folder, target) == 0
    assert _content(target) == expected


def _run(folder: Path, target: Path, statement: int = 0) -> int:
    command = [sys.executable, str(FAKES), str(target), str(folder), "4", str(statement)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=False)
    return done.returncode
