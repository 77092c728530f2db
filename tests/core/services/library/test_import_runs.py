"""Imports on record: counts by file, reasons, how each ended; true after a kill as well."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from importing_fakes import grant, settings, source, take

from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.services.library import import_runs, importing
from claimlight.services.library import library as library_module
from claimlight.services.library.import_runs import record_import
from claimlight.services.library.library import Library, import_paths
from claimlight.store import import_runs as store_runs
from claimlight.store.writer import write_batch
from claimlight.tasks import TaskContext
from claimlight.types import Committed, ImportedFile, ImportState
from tests.forks import Forks


def runs_of(folder):
    with Library.open(folder) as library:
        return import_runs.list_runs(library)


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    source(folder / "a.xml", 12, broken={3, 7})
    source(folder / "b.xml", 4)  # the first four of a.xml once more, of which one is broken there
    (folder / "c.txt").write_text("notes")
    (folder / "d.txt").write_text("more notes")
    (folder / "e.pdf").write_bytes(b"%PDF-1.7")
    return folder


@pytest.mark.parametrize(("batch", "workers"), [(5, 1), (1, 1), (100, 1), (5, 2)])
def test_every_file_with_what_it_gave(tmp_path, files, batch, workers):
    report = take(tmp_path / "L", files, batch=batch, workers=workers)
    (run,) = runs_of(tmp_path / "L")
    assert (run.number, run.state, run.paths) == (1, ImportState.DONE, (str(files),))
    assert run.files == (
        ImportedFile(str(files / "a.xml"), taken=10, merged=0, unchanged=0, skipped=0, quarantined=2),
        ImportedFile(str(files / "b.xml"), taken=1, merged=0, unchanged=3, skipped=0, quarantined=0),
        ImportedFile(str(files / "c.txt"), taken=0, merged=0, unchanged=0, skipped=1, quarantined=0),
        ImportedFile(str(files / "d.txt"), taken=0, merged=0, unchanged=0, skipped=1, quarantined=0),
        ImportedFile(str(files / "e.pdf"), taken=0, merged=0, unchanged=0, skipped=1, quarantined=0),
    )
    assert run.skipped == (("not a patent file: plain text", 2), ("not a patent file: PDF", 1))
    assert [(item.reason, item.line) for item in run.quarantined] == [
        (item.reason, item.line) for item in report.quarantined
    ]
    assert [item.source.ordinal for item in run.quarantined] == [3, 7]
    assert run.started <= run.finished
    assert run.seconds > 0


def test_runs_are_newest_first_and_an_older_one_keeps_its_list(tmp_path, files):
    take(tmp_path / "L", files)
    source(files / "a.xml", 12, broken={5})
    take(tmp_path / "L", files / "a.xml")
    second, first = runs_of(tmp_path / "L")
    assert (second.number, first.number) == (2, 1)
    assert [item.source.ordinal for item in first.quarantined] == [3, 7]
    assert [item.source.ordinal for item in second.quarantined] == [5]
    (again,) = second.files
    assert (again.taken, again.unchanged, again.quarantined) == (1, 10, 1)
    with Library.open(tmp_path / "L") as library:
        assert [item.source.ordinal for item in library.quarantined()] == [5]
        assert import_runs.read_run(library, 1) == first
        with pytest.raises(InputError, match="no import 9 in the history of this library: the last one is 2"):
            import_runs.read_run(library, 9)


def test_a_cancelled_run_says_what_it_had_done(tmp_path, files):
    context = TaskContext(lambda item: context.cancel() if isinstance(item, Committed) else None)
    with pytest.raises(TaskCancelled):
        take(tmp_path / "L", files, batch=2, context=context)
    (run,) = runs_of(tmp_path / "L")
    assert run.state is ImportState.CANCELLED
    assert run.finished is not None
    with Library.open(tmp_path / "L") as library:
        assert sum(file.taken for file in run.files) == library.info().documents > 0
    take(tmp_path / "L", files)
    second, _ = runs_of(tmp_path / "L")
    assert sum(file.taken for file in (*run.files, *second.files)) == 11
    assert sum(file.quarantined for file in (*run.files, *second.files)) == 2


@pytest.fixture(scope="module")
def forks():
    with Forks(Path(__file__).with_name("importing_fakes.py")) as made:
        yield made


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
@pytest.mark.parametrize("statement", [12, 40, 75, 110])
def test_a_killed_run_stays_without_an_end_and_says_what_is_in_the_library(tmp_path, forks, statement):
    week = source(tmp_path / "week.xml", 60, broken={1, 9})
    Library.create(tmp_path / "L").close()
    assert forks.run(tmp_path / "L", week, 4, statement).returncode == -9
    with Library.open(tmp_path / "L") as library:
        kept = library.info()
    found = runs_of(tmp_path / "L")
    for run in found:
        assert (run.state, run.finished) == (ImportState.RUNNING, None)
        assert sum(file.taken for file in run.files) == kept.documents
        assert sum(file.quarantined for file in run.files) == len(run.quarantined) == kept.quarantined
    assert found or not kept.documents
    take(tmp_path / "L", week)
    assert sum(file.taken for run in runs_of(tmp_path / "L") for file in run.files) == 58


def test_a_failed_run(tmp_path, files, monkeypatch):
    calls = []

    def failing(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise ResourceError("The disk is full.")
        return write_batch(*arguments)

    monkeypatch.setattr(importing, "write_batch", failing)
    with pytest.raises(ResourceError):
        take(tmp_path / "L", files, batch=8)
    (run,) = runs_of(tmp_path / "L")
    assert run.state is ImportState.FAILED
    assert sum(file.taken for file in run.files) == 2


def test_many_files_that_are_no_patents_are_on_record_in_between(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "BATCH_ASIDE", 3)
    folder = tmp_path / "in"
    folder.mkdir()
    for n in range(12):
        (folder / f"{n:02}.txt").write_text("notes")
    seen = []
    real = store_runs.add_tally

    def counting(connection, step, documents):
        seen.append(sum(item.skipped for item in step.files))
        real(connection, step, documents)

    monkeypatch.setattr(store_runs, "add_tally", counting)
    with Library.open_or_create(tmp_path / "L") as library:
        import_paths(library, [folder], TaskContext(), settings(1))
    assert sum(seen) == 12
    assert len(seen) >= 4


def test_a_clock_that_goes_back_changes_neither_order_nor_duration(tmp_path):
    with Library.open_or_create(tmp_path / "L") as library:
        times = iter([datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)])
        with record_import(library.store, [], now=lambda: next(times), clock=iter([10.0, 13.5]).__next__):
            pass
        late = datetime(2026, 3, 1, tzinfo=UTC)
        with record_import(library.store, [], now=lambda: late - timedelta(days=1)):
            pass
        second, first = import_runs.list_runs(library)
    assert (second.number, first.number) == (2, 1)
    assert second.started < first.started
    assert first.seconds == 3.5
    assert first.finished < first.started


def test_nothing_is_put_on_record_where_nothing_can_be_imported(tmp_path):
    Library.create(tmp_path / "L").close()
    with pytest.raises(InputError):
        take(tmp_path / "L", tmp_path / "gone.xml")
    with (
        Library.open(tmp_path / "L", read_only=True) as library,
        pytest.raises(ResourceError, match="read-only"),
    ):
        import_paths(library, [tmp_path], TaskContext(), settings(5))
    assert runs_of(tmp_path / "L") == ()


def test_an_import_of_nothing_is_on_record_too(tmp_path):
    (tmp_path / "empty").mkdir()
    take(tmp_path / "L", tmp_path / "empty")
    (run,) = runs_of(tmp_path / "L")
    assert (run.state, run.files) == (ImportState.DONE, ())


def test_a_run_whose_end_cannot_be_written_is_left_open(tmp_path, monkeypatch):
    """The import did its work; that its last line is missing must not undo it."""

    def failing(*_, **__):
        raise ResourceError("locked")

    monkeypatch.setattr(
        library_module.record_import.__wrapped__.__globals__["import_runs"], "finish_run", failing
    )
    path = tmp_path / "one.xml"
    path.write_bytes(grant(1))
    assert take(tmp_path / "L", path).taken == 1
    (run,) = runs_of(tmp_path / "L")
    assert run.state is ImportState.RUNNING
    assert run.files[0].taken == 1
