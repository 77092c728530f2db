"""The shipped titles: one of our own for every section, class and subclass."""

from __future__ import annotations

import re

import pytest

from claimlight import paths
from claimlight.classes.editions import Editions
from claimlight.classes.importing import import_edition
from claimlight.classes.searching import search_titles
from claimlight.classes.shipped import FILE, read_titles
from claimlight.classes.tree import find_view, list_sections
from claimlight.tasks import TaskContext
from claimlight.types import ClassLevel, Scheme

WORD = re.compile(r"[\w'’/-]+")
FILES = {Scheme.CPC: "cpc_titles_2022_08", Scheme.IPC: "ipc_titles_en.tsv"}


def test_every_line_is_a_symbol_its_schemes_and_a_short_title():
    lines = (paths.resources() / FILE).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    symbols = [row[0] for row in rows]
    assert symbols == sorted(set(symbols))
    assert {row[1] for row in rows} == {"both", "cpc", "ipc"}
    assert [row for row in rows if not 2 <= len(WORD.findall(row[2])) <= 8] == []
    titles = [row[2].casefold() for row in rows]
    assert len(set(titles)) == len(titles), "no two classes have one title"


@pytest.mark.parametrize("scheme", list(FILES))
def test_no_level_is_missing(scheme):
    titles = read_titles(scheme)
    assert {each[:1] for each in titles} | {each[:3] for each in titles if len(each) > 1} <= set(titles)


def test_without_an_import_the_shipped_titles_answer(tmp_path):
    file = Editions(tmp_path).open(Scheme.CPC)
    assert [entry.symbol for entry in list_sections(file)] == list("ABCDEFGHY")
    view = find_view(file, "B62K")
    assert view is not None
    assert [entry.symbol for entry in view.path] == ["B", "B62"]
    hits = search_titles(file, "bicycle brakes", TaskContext(), level=ClassLevel.SUBCLASS).hits
    assert hits[0].entry.symbol == "B62L"


def _comparable(title):
    return " ".join(re.findall(r"\w+", re.sub(r"\([^()]*\)", " ", title).casefold()))


def _read_official(path):
    """Symbols down to the subclasses with their titles: the first and the last column of the lists."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    rows = (line.split("\t") for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return {row[0]: row[-1] for row in rows if len(row[0]) <= len("A01B") and row[0]}


@pytest.mark.data
@pytest.mark.parametrize("scheme", list(FILES))
def test_every_class_of_the_official_lists_has_a_title_of_our_own(shared_data, scheme):
    official = _read_official(shared_data / "classification" / FILES[scheme])
    ours = read_titles(scheme)
    assert set(ours) == set(official)
    assert [each for each in ours if _comparable(ours[each]) == _comparable(official[each])] == []


@pytest.mark.data
@pytest.mark.variants
def test_the_hierarchy_of_the_title_list_is_that_of_the_xml(shared_data, tmp_path):
    """Where both editions have a symbol and its parent in the older one, the parents are nearly all equal."""
    editions = Editions(tmp_path)
    for name in (FILES[Scheme.CPC], "cpc_scheme_2019_08_sample"):
        import_edition(editions, shared_data / "classification" / name, TaskContext())
    parents = []
    for version in ("2022.08", "2019.08"):
        with editions.open(Scheme.CPC, version).read() as connection:
            rows = connection.execute(
                "SELECT e.symbol, p.symbol FROM entry e JOIN entry p ON p.id = e.parent"
            )
            parents.append(dict(rows.fetchall()))
    new, old = parents
    shared = [symbol for symbol in old if symbol in new and old[symbol] in new]
    assert len(shared) > 9_000
    moved = [symbol for symbol in shared if old[symbol] != new[symbol]]
    assert len(moved) < len(shared) / 100
