"""Import: the same however it was stopped, whatever was in the files, and nothing reported is ever lost."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from importing_fakes import digest, grant, settings, source, take

from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.services.library import importing, library, rates, workers
from claimlight.services.library.library import Library, import_paths
from claimlight.tasks import TaskContext
from claimlight.types import Committed, Note, Progress, QuarantinedEvent
from tests.forks import Forks

COUNT = 60
FAKES = Path(__file__).with_name("importing_fakes.py")


@pytest.fixture
def week(tmp_path):
    return source(tmp_path / "week.xml", COUNT, broken={7, 31})


@pytest.fixture
def undisturbed(tmp_path, week):
    take(tmp_path / "undisturbed", week)
    return digest(tmp_path / "undisturbed")


def test_everything_is_taken_and_told(tmp_path, week):
    events = []
    report = take(tmp_path / "L", week, context=TaskContext(events.append))
    assert (report.taken, report.merged, report.unchanged, report.skipped) == (COUNT - 2, 0, 0, 0)
    assert [item.source.ordinal for item in report.quarantined] == [7, 31]
    committed = [item.documents for item in events if isinstance(item, Committed)]
    assert committed[-1] == COUNT - 2
    assert committed == sorted(set(committed))
    told = [item.item for item in events if isinstance(item, QuarantinedEvent)]
    assert tuple(told) == report.quarantined
    with Library.open(tmp_path / "L") as opened:
        assert opened.info().documents == COUNT - 2
        assert opened.info().quarantined == 2


def test_what_is_set_aside_names_file_place_and_reason(tmp_path, week):
    take(tmp_path / "L", week)
    with Library.open(tmp_path / "L") as opened:
        first, second = opened.quarantined()
    assert (first.source.path, first.source.ordinal, second.source.ordinal) == (str(week), 7, 31)
    start = sum(len(grant(n)) for n in range(7))
    assert first.source.offset == start
    lines = week.read_bytes()[:start].count(b"\n")
    assert lines < first.line <= lines + grant(7, broken=True).count(b"\n")
    assert "mismatch" in first.reason


def test_a_second_import_adds_and_changes_nothing(tmp_path, week):
    take(tmp_path / "L", week)
    before = digest(tmp_path / "L")
    again = take(tmp_path / "L", week)
    assert (again.taken, again.merged, again.unchanged) == (0, 0, COUNT - 2)
    assert len(again.quarantined) == 2
    assert digest(tmp_path / "L") == before


def test_the_same_documents_from_another_file_change_nothing(tmp_path, week):
    take(tmp_path / "L", week)
    copy = tmp_path / "copy.xml"
    copy.write_bytes(week.read_bytes())
    os.utime(copy, ns=(1, 1))
    assert take(tmp_path / "L", copy).unchanged == COUNT - 2
    with Library.open(tmp_path / "L") as opened:
        assert opened.info().documents == COUNT - 2


@pytest.mark.slow
def test_batches_and_processes_do_not_matter(tmp_path, week, undisturbed, monkeypatch):
    monkeypatch.setattr(workers, "CHUNK_DOCUMENTS", 9)
    monkeypatch.setattr(workers._Pool, "started", True)
    for batch, count in ((1, 1), (1000, 1), (7, 2)):
        folder = tmp_path / f"{batch}-{count}"
        take(folder, week, batch=batch, workers=count)
        assert digest(folder) == undisturbed


def test_a_batch_is_committed_by_its_characters_too(tmp_path, week, monkeypatch):
    monkeypatch.setattr(importing, "BATCH_CHARACTERS", 1)
    events = []
    take(tmp_path / "L", week, batch=1000, context=TaskContext(events.append))
    assert sum(isinstance(item, Committed) for item in events) == COUNT - 2


@pytest.mark.parametrize("after", [1, 4, 9])
def test_cancel_and_go_on(tmp_path, week, undisturbed, after):
    context = TaskContext(lambda item: committed(item))
    seen = []

    def committed(item):
        if isinstance(item, Committed):
            seen.append(item.documents)
            if len(seen) == after:
                context.cancel()

    with pytest.raises(TaskCancelled):
        take(tmp_path / "L", week, context=context)
    with Library.open(tmp_path / "L") as opened:
        kept = opened.info().documents
    assert seen[-1] <= kept < COUNT - 2
    report = take(tmp_path / "L", week)
    assert report.taken == COUNT - 2 - kept
    assert digest(tmp_path / "L") == undisturbed


def test_a_file_that_changed_since_is_read_from_its_start(tmp_path, week):
    context = TaskContext(lambda item: context.cancel() if isinstance(item, Committed) else None)
    with pytest.raises(TaskCancelled):
        take(tmp_path / "L", week, context=context)
    with Library.open(tmp_path / "L") as opened:
        kept = opened.info().documents
    source(week, COUNT + 3, broken={7, 31})
    report = take(tmp_path / "L", week)
    assert (report.taken, report.unchanged) == (COUNT + 1 - kept, kept)


def _child(folder, week, *, batch):
    command = [sys.executable, str(FAKES), str(folder), str(week), str(batch), "0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.fixture(scope="module")
def forks():
    with Forks(FAKES) as made:
        yield made


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(n, marks=pytest.mark.variants) for n in range(4, 15))]
)
def test_killed_inside_and_between_batches(tmp_path, week, undisturbed, forks, seed):
    """Killed at a random statement again and again; what was reported is there, and the end is the same."""
    rng = random.Random(seed)
    folder = tmp_path / "L"
    Library.create(folder).close()
    for _ in range(4):
        done = forks.run(folder, week, 4, rng.randint(1, 90))
        told = [int(line) for line in done.stdout.split()]
        assert done.returncode in {-9, 0}
        with Library.open(folder) as opened:
            documents = opened.info().documents
        assert documents >= told[0] + (told[-1] if len(told) > 1 else 0)
        digest(folder)  # passes every check of SQLite and FTS5
    assert forks.run(folder, week, 4, 0).returncode == 0
    assert digest(folder) == undisturbed


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_killed_from_outside(tmp_path, week, undisturbed):
    folder = tmp_path / "L"
    for commits in (1, 3, 6):
        with _child(folder, week, batch=3) as process:
            told = [int(process.stdout.readline()) for _ in range(commits + 1)]
            process.kill()
        with Library.open(folder) as opened:
            assert opened.info().documents >= told[0] + told[-1]
        digest(folder)
    take(folder, week)
    assert digest(folder) == undisturbed


def test_progress_tells_rate_and_time_left(tmp_path, week, monkeypatch):
    monkeypatch.setattr(rates, "_EVERY_SECONDS", 0.0)
    events = []
    take(tmp_path / "L", week, context=TaskContext(events.append))
    told = [item for item in events if isinstance(item, Progress)]
    size = week.stat().st_size
    assert {(item.stage, item.unit, item.total) for item in told} == {("import", "bytes", size)}
    assert [item.done for item in told] == sorted(item.done for item in told)
    assert told[-1].done == size
    assert told[-1].rate > 0
    assert told[-1].seconds_left == 0
    assert all(item.seconds_left is None or item.seconds_left >= 0 for item in told)
    assert told[-1].message.endswith(str(week))


def test_one_bad_file_among_others(tmp_path, week):
    (tmp_path / "in").mkdir()
    week.rename(tmp_path / "in" / "a.xml")
    (tmp_path / "in" / "b.xml").write_bytes(b"<us-patent-grant><x>")
    (tmp_path / "in" / "c.zip").write_bytes(b"PK\x03\x04 cut")
    (tmp_path / "in" / "d.txt").write_text("notes")
    (tmp_path / "in" / "e.xml").write_bytes(grant(COUNT))
    report = take(tmp_path / "L", tmp_path / "in")
    assert (report.taken, report.skipped, report.files) == (COUNT - 1, 1, 5)
    assert [Path(item.source.path).name for item in report.quarantined] == [*["a.xml"] * 2, "b.xml", "c.zip"]
    assert all(item.reason for item in report.quarantined)


def test_a_document_that_cannot_be_stored_costs_itself(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text(
        '{"publication_number": "US1A", "title": "good"}\n'
        '{"publication_number": "US2A", "title": "half a pair: \\ud800"}\n'
        '{"publication_number": "US3A", "claims": ["99999999999. A claim."]}\n'
    )
    report = take(tmp_path / "L", path)
    assert report.taken + len(report.quarantined) == 3
    assert report.taken >= 1


def test_a_locked_library_stops_the_import_with_a_message(tmp_path, week, monkeypatch):
    take(tmp_path / "L", source(tmp_path / "first.xml", 1))
    with Library.open(tmp_path / "L") as opened:
        monkeypatch.setattr(opened.store._database, "_timeout", 0.05)
        with closing(sqlite3.connect(tmp_path / "L" / "library.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            opened.store._database.engine.dispose()
            with pytest.raises(ResourceError, match=r"library\.db is locked by another program"):
                import_paths(opened, [week], TaskContext(), settings(5))
        assert import_paths(opened, [week], TaskContext(), settings(5)).taken == COUNT - 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX does")
def test_a_full_disk_keeps_what_was_committed(tmp_path, week, undisturbed):
    """No file of the child may grow past a limit: writing fails as on a full disk."""
    Library.create(tmp_path / "L").close()
    child = (
        "import resource, signal, sys; from pathlib import Path; from importing_fakes import take\n"
        "from claimlight.errors import ResourceError; from claimlight.tasks import TaskContext\n"
        "from claimlight.types import Committed\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "seen = [0]\n"
        "tell = lambda e: seen.append(e.documents) if isinstance(e, Committed) else None\n"
        "try: take(Path(sys.argv[1]), Path(sys.argv[2]), context=TaskContext(tell))\n"
        "except ResourceError as error: print(seen[-1], error)\n"
    )
    path = os.pathsep.join([str(FAKES.parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", child, str(tmp_path / "L"), str(week)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    committed, message = done.stdout.split(" ", 1)
    assert "library.db" in message
    assert "disk" in message.lower()
    with Library.open(tmp_path / "L") as opened:
        assert int(committed) <= opened.info().documents < COUNT - 2
    digest(tmp_path / "L")
    take(tmp_path / "L", week)
    assert digest(tmp_path / "L") == undisturbed


def test_too_little_space_is_said_before(tmp_path, week, monkeypatch):
    usage = library.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(library.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    events = []
    take(tmp_path / "L", week, context=TaskContext(events.append))
    (note,) = (item for item in events if isinstance(item, Note))
    assert "everything imported until then is kept" in note.text


def test_a_read_only_library_takes_nothing(tmp_path, week):
    Library.create(tmp_path / "L").close()
    with (
        Library.open(tmp_path / "L", read_only=True) as opened,
        pytest.raises(ResourceError, match="read-only; nothing can be imported"),
    ):
        import_paths(opened, [week], TaskContext(), settings(5))


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"gone\.xml: no such file"):
        take(tmp_path / "L", tmp_path / "gone.xml")


def test_paths_with_spaces_and_letters_of_the_world(tmp_path):
    folder = tmp_path / "Größe und 検索" / ("x" * 120)
    folder.mkdir(parents=True)
    path = source(folder / "wöchentlich #1%20.xml", 3)
    assert take(folder / "L ü", path).taken == 3
    with Library.open(folder / "L ü") as opened:
        assert opened.info().documents == 3
