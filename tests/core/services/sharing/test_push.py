"""Filling a shared library: what is read back equals, in database and engine, whatever was there before."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pushing_fakes import (
    FileEngine,
    fill,
    index,
    make,
    opened,
    patents,
    replace_text,
    rows_of,
    wanted,
)

from claimlight.engines.exact import ExactBackend
from claimlight.errors import EngineError, InputError, ResourceError, TaskCancelled
from claimlight.index import portable
from claimlight.index.generation import Generation
from claimlight.index.shared import SharedParts
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library.library import Library, remove_documents
from claimlight.services.search import queries
from claimlight.services.search.search import SearchEngine
from claimlight.services.sharing import push as pushing
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.index_source import DatabaseIndexSource
from claimlight.services.sharing.verifying import verify
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import Committed, IndexDepth, Note, Paragraph, PatentId, SearchRequest, Section
from tests.fakes import add

pytestmark = pytest.mark.loopback


@pytest.fixture
def address(postgres_server, tmp_path):
    return postgres_server.empty_library(tmp_path / "made")


@pytest.fixture
def target(address, tmp_path):
    with opened(address, tmp_path / "shared", FileEngine(tmp_path / "engine.db")) as found:
        yield found


def publications(target: SharedTarget) -> dict[str, int]:
    with target.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT publication, id FROM document")
        return {row[0]: row[1] for row in rows}


def assert_engine_holds_the_database(target: SharedTarget) -> None:
    held, expected = target.backend.contents(), wanted(target.store)
    assert held.keys() == expected.keys()
    assert held == expected


def test_the_index_of_the_sample_comes_back_as_it_was(sample_engine, address, tmp_path):
    sample, _ = sample_engine
    generation = Generation.open(index_folder(sample.folder))
    with opened(address, tmp_path / "shared", ExactBackend()) as target:
        report = fill(sample, target, batch=50)
        source = DatabaseIndexSource(target.store)
        columns, schema = source.columns(), source.schema()
        theirs = publications(target)
        stored = source.arrays(list(theirs.values()))
        health = target.backend.health()
        check = verify(sample, target, TaskContext())
        again = fill(sample, target)
    assert (report.new, report.text_only, report.batches) == (68, 0, 2)
    assert (again.skipped, again.new, again.batches, again.sections) == (68, 0, 0, 0)
    assert schema.recipe == generation.recipe
    assert schema.levels == generation.manifest.levels
    np.testing.assert_array_equal(columns.df, generation.df)
    assert columns.passages == generation.passages
    assert len(columns.documents) == generation.documents
    assert columns.claims_only.sum() == len(generation.claims_only)
    assert columns.most_spans == max(int(each.arrays.span_counts.max()) for each in generation.segments)
    ids = [PatentId(number) for number in generation.document_ids().tolist()]
    named = repository.read_publications(sample.store, ids)
    first = {d.id: d.passages[0].id for d in repository.read_documents_after(sample.store, 0, 1000)}
    compared = 0
    for segment in generation.segments:
        for row, number in enumerate(segment.document_ids.tolist()):
            if segment.live_documents[row]:
                mine = portable.encode(segment.arrays, row, first_passage=first[number], part=segment.part)
                assert mine in stored[theirs[str(named[PatentId(number)])]]
                compared += 1
    assert compared == sum(map(len, stored.values()))
    # Of each document its sections, and of each passage with words or centers at least one piece.
    assert health.sections == sum(len(each.arrays.section_kind) for each in generation.segments)
    assert health.passages >= columns.passages
    assert check.sound
    assert (check.same, check.missing, check.parts, check.other_rows) == (68, (), compared, 0)


def test_a_search_of_the_pushed_sample_finds_what_the_workstation_finds(sample_engine, address, tmp_path):
    sample, engine = sample_engine
    query = queries.query_from_text(
        "A bicycle with a hydraulic damper in the fork and a sensor at the wheel."
    )
    request = SearchRequest(query, top=30)
    mine = engine.run(request, TaskContext())
    with opened(address, tmp_path / "shared", ExactBackend()) as target:
        fill(sample, target, batch=40)
        parts = SharedParts(target.backend, DatabaseIndexSource(target.store))
        shared = Library(tmp_path / "shared", target.store, "postgresql://there/shared", parts)
        theirs = SearchEngine.open(shared, Settings()).run(request, TaskContext())
    assert len(mine.hits) == 30
    assert [str(hit.patent.publication) for hit in theirs.hits] == [
        str(hit.patent.publication) for hit in mine.hits
    ]
    for one, other in zip(mine.hits, theirs.hits, strict=True):
        assert {(rank.leg, rank.rank) for rank in one.ranks} == {
            (rank.leg, rank.rank) for rank in other.ranks
        }
        assert [each.label for each in one.passages] == [each.label for each in other.passages]
        np.testing.assert_allclose(
            [each.score for each in one.passages], [each.score for each in other.passages], rtol=1e-5
        )


def test_a_push_resumes_after_it_was_cancelled(tmp_path, target):
    made = make(tmp_path / "L", patents(range(1, 13)))
    context = TaskContext(lambda event: context.cancel() if isinstance(event, Committed) else None)
    with pytest.raises(TaskCancelled):
        fill(made, target, batch=4, context=context)
    assert len(publications(target)) == 4
    report = fill(made, target, batch=4)
    assert (report.new, report.skipped) == (8, 4)
    assert_engine_holds_the_database(target)


def test_descriptions_follow_and_only_they_are_pushed(tmp_path, target):
    documents = patents(range(1, 8))
    made = make(tmp_path / "L", documents, IndexDepth.CLAIMS)
    fill(made, target)
    before, ids = target.backend.contents(), publications(target)
    columns = DatabaseIndexSource(target.store).columns()
    described = sum(bool(each.description) for each in documents)
    assert columns.claims_only.sum() == described
    index(made)
    report = fill(made, target)
    assert (report.deepened, report.skipped, report.new) == (described, len(documents) - described, 0)
    after = target.backend.contents()
    assert publications(target) == ids
    assert report.sections == described
    # What was there of the claims is as it was.
    changed = {key for key in before if before[key] != after[key]}
    assert {key for key in changed if key[0]} == set()
    assert_engine_holds_the_database(target)
    columns = DatabaseIndexSource(target.store).columns(columns)
    generation = Generation.open(index_folder(made.folder))
    np.testing.assert_array_equal(columns.df, generation.df)
    assert columns.passages == generation.passages
    assert columns.described.sum() == described
    assert not columns.claims_only.any()
    assert verify(made, target, TaskContext()).sound


def test_documents_indexed_whole_replace_their_claims(tmp_path, target):
    documents = patents(range(1, 8))
    fill(make(tmp_path / "claims", documents, IndexDepth.CLAIMS), target)
    whole = make(tmp_path / "whole", documents)
    report = fill(whole, target)
    assert report.deepened == sum(bool(each.description) for each in documents)
    assert_engine_holds_the_database(target)
    generation = Generation.open(index_folder(whole.folder))
    columns = DatabaseIndexSource(target.store).columns()
    np.testing.assert_array_equal(columns.df, generation.df)
    assert columns.passages == generation.passages


def test_of_two_texts_the_fuller_one_is_kept(tmp_path, target):
    documents = patents(range(1, 6))
    short = make(tmp_path / "short", documents)
    fuller = list(documents)
    more = Paragraph("A brake with a spring and a lamp.", Section.DETAILED, number="0009", language="en")
    fuller[0] = replace(documents[0], description=(*documents[0].description, more))
    long = make(tmp_path / "long", fuller)
    fill(short, target)
    old = publications(target)
    report = fill(long, target)
    assert (report.replaced, report.skipped) == (1, 4)
    new = publications(target)
    assert {name for name in old if old[name] != new[name]} == {"EP1000001A1"}
    back = fill(short, target)
    assert (back.kept, back.replaced) == (1, 0)
    assert back.kept_documents[0].publication == "EP1000001A1"
    assert publications(target) == new
    assert_engine_holds_the_database(target)
    np.testing.assert_array_equal(
        DatabaseIndexSource(target.store).columns().df, Generation.open(index_folder(long.folder)).df
    )
    check = verify(short, target, TaskContext())
    assert (check.sound, check.other, check.same) == (True, 1, 4)
    # Another text of the same length is decided alike from both sides.
    other = list(fuller)
    other[1] = replace_text(documents[1], documents[1].description[0].text[::-1])
    third = make(tmp_path / "third", other)
    chosen = fill(third, target)
    assert chosen.replaced + chosen.kept == 1
    for made in (long, third, long):
        assert fill(made, target).replaced == 0


def test_a_fuller_text_that_is_indexed_less_deeply_does_not_replace(tmp_path, target):
    documents = patents(range(1, 4))
    fill(make(tmp_path / "short", documents), target)
    more = Paragraph("A brake with a spring and a lamp.", Section.DETAILED, number="0009", language="en")
    fuller = [replace(documents[0], description=(*documents[0].description, more)), *documents[1:]]
    report = fill(make(tmp_path / "long", fuller, depth=None), target)
    assert (report.kept, report.replaced, report.skipped) == (1, 0, 2)
    assert "more deeply" in report.kept_documents[0].reason


def test_documents_without_an_index_are_pushed_with_their_text(tmp_path, target):
    made = make(tmp_path / "L", patents(range(1, 6)), depth=None)
    notes: list[str] = []
    context = TaskContext(lambda event: notes.append(event.text) if isinstance(event, Note) else None)
    report = fill(made, target, context=context)
    assert (report.new, report.text_only, report.passages) == (5, 5, 0)
    assert any("no index" in note for note in notes)
    assert DatabaseIndexSource(target.store).schema() is None
    assert verify(made, target, TaskContext()).sound
    # With the first index, the engine gets the words of the others too.
    other = make(tmp_path / "other", patents(range(11, 14)))
    fill(other, target)
    assert_engine_holds_the_database(target)
    # Of a library with an index, those that are not indexed yet.
    add(made, patents(range(6, 8)))
    assert fill(made, target).text_only == 2
    assert_engine_holds_the_database(target)
    index(made)
    report = fill(made, target)
    assert (report.deepened, report.new, report.text_only) == (7, 0, 0)
    assert_engine_holds_the_database(target)
    assert len(DatabaseIndexSource(target.store).columns().documents) == 10


def test_an_index_of_another_model_is_refused_before_anything_is_written(tmp_path, target):
    fill(make(tmp_path / "L", patents(range(1, 4))), target)
    before = rows_of(target.store)
    from tests.fakes import stack

    other = make(tmp_path / "other", patents(range(5, 9)), depth=None)
    model = stack(["damper", "bicycle", "kettle", "wheel"])
    index(other, stack=model)
    with pytest.raises(InputError, match="center vocabulary") as refused:
        fill(other, target)
    schema = DatabaseIndexSource(target.store).schema()
    recipe = Generation.open(index_folder(other.folder)).recipe
    assert schema.recipe.centers in str(refused.value)
    assert recipe.centers in str(refused.value)
    assert rows_of(target.store) == before
    assert len(pushing.read_status(target).workers) == 1


def test_what_left_the_local_library_stays_until_it_is_removed(tmp_path, target):
    made = make(tmp_path / "L", patents(range(1, 8)))
    fill(made, target)
    remove_documents(made, ["EP1000003A1"])
    index(made)
    assert fill(made, target).skipped == 6
    assert "EP1000003A1" in publications(target)
    with pytest.raises(InputError, match="nothing was removed"):
        pushing.remove(target, ["EP1000001A1", "EP9"], TaskContext(), patience=())
    removed = pushing.remove(target, ["EP1000003A1"], TaskContext(), patience=())
    assert [str(each) for each in removed.removed] == ["EP1000003A1"]
    assert "EP1000003A1" not in publications(target)
    assert_engine_holds_the_database(target)
    np.testing.assert_array_equal(
        DatabaseIndexSource(target.store).columns().df, Generation.open(index_folder(made.folder)).df
    )
    check = verify(made, target, TaskContext())
    assert (check.sound, check.leftovers) == (True, 0)


@pytest.mark.parametrize("call", ["upsert", "within upsert", "delete"])
def test_an_engine_that_fails_stops_the_push_and_the_next_one_resumes(tmp_path, target, call):
    documents = patents(range(1, 11))
    fill(make(tmp_path / "old", documents[:3]), target)
    more = Paragraph("A brake with a spring and a lamp.", Section.DETAILED, number="0009", language="en")
    documents[0] = replace(documents[0], description=(*documents[0].description, more))
    made = make(tmp_path / "L", documents)

    def fail(name):
        if name == call:
            raise EngineError(f"The engine does not answer {made.folder}.")

    target.backend.before = fail
    with pytest.raises(EngineError, match="does not answer"):
        fill(made, target, batch=4)
    (worker, *_) = pushing.read_status(target).workers
    # Everybody who may search can read it: without the path.
    assert (worker.state, worker.source) == ("failed", "L")
    assert worker.error == "The engine does not answer L."
    target.backend.before = lambda name: None
    report = fill(made, target, batch=4)
    assert report.new + report.replaced + report.skipped == 10
    assert_engine_holds_the_database(target)
    assert pushing.read_status(target).leftovers == 0
    with target.store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM push_claim").scalar_one() == 0


def test_the_folder_is_named_without_its_path_however_it_was_given(tmp_path, target, monkeypatch):
    make(tmp_path / "L", patents(range(1, 3))).close()
    monkeypatch.chdir(tmp_path / "L")

    def fail(name):
        if name == "upsert":
            raise OSError(28, "No space left.", str(tmp_path / "L" / "index"))

    target.backend.before = fail
    with Library.open(Path()) as local, pytest.raises(OSError, match="No space left"):
        fill(local, target)
    (worker,) = pushing.read_status(target).workers
    assert worker.source == "L"
    assert str(tmp_path) not in worker.error
    assert "No space left." in worker.error


def test_an_engine_that_fails_for_a_moment_is_asked_again(tmp_path, target):
    made = make(tmp_path / "L", patents(range(1, 4)))
    failures = ["upsert", "within upsert"]

    def fail(name):
        if failures and name == failures[0]:
            failures.pop(0)
            raise EngineError("The engine does not answer.")

    target.backend.before = fail
    from pushing_fakes import SETTINGS

    report = pushing.push(made, target, TaskContext(), SETTINGS, patience=(0.0, 0.0))
    assert (report.new, failures) == (3, [])
    assert_engine_holds_the_database(target)


def test_two_runs_at_once_lose_nothing_and_write_nothing_twice(tmp_path, address, target):
    # Shares that overlap, and one publication with two texts.
    documents = patents(range(1, 25))
    more = Paragraph("A brake with a spring and a lamp.", Section.DETAILED, number="0009", language="en")
    fuller = replace(documents[7], description=(*documents[7].description, more))
    shares = [documents[:16], [fuller, *documents[8:]]]
    libraries = [make(tmp_path / f"L{number}", share) for number, share in enumerate(shares)]
    errors: list[BaseException] = []

    def run(made: Library) -> None:
        try:
            with opened(address, tmp_path / "shared", FileEngine(tmp_path / "engine.db")) as own:
                fill(made, own, batch=3)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            errors.append(error)

    threads = [threading.Thread(target=run, args=(made,)) for made in libraries * 2]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []
    whole = list(documents)
    whole[7] = fuller
    assert set(publications(target)) == {f"EP{each.publication.number}A1" for each in whole}
    assert_engine_holds_the_database(target)
    generation = Generation.open(index_folder(make(tmp_path / "whole", whole).folder))
    columns = DatabaseIndexSource(target.store).columns()
    np.testing.assert_array_equal(columns.df, generation.df)
    assert columns.passages == generation.passages
    states = pushing.read_status(target)
    assert {worker.state for worker in states.workers} == {"done"}
    assert sum(worker.under_way for worker in states.workers) == 0


def test_verifying_finds_damage_and_what_is_missing(tmp_path, target):
    made = make(tmp_path / "L", patents(range(1, 8)))
    fill(made, target)
    ids = publications(target)
    with target.store.write() as connection:
        run = connection.exec_driver_sql
        query = """UPDATE indexed_part SET arrays = overlay(arrays PLACING 'x'::bytea FROM 50)
            WHERE document_id = ?"""
        run(query, (ids["EP1000002A1"],))
    target.backend.delete([ids["EP1000004A1"]])
    add(made, patents(range(8, 9)))
    check = verify(made, target, TaskContext())
    assert not check.sound
    assert check.damaged == ("EP1000002A1",)
    assert check.wrong_documents == ("EP1000004A1",)
    assert check.missing == ("EP1000008A1",)
    assert check.found_sections < check.expected_sections
    assert check.found_passages < check.expected_passages


def test_an_engine_that_lost_its_parts_gets_them_from_the_database(tmp_path, target):
    made = make(tmp_path / "L", patents(range(1, 9)))
    fill(made, target)
    before = target.backend.contents()
    ids = publications(target)
    target.backend.delete([ids["EP1000002A1"], ids["EP1000005A1"]])
    report = pushing.restore_engine(target, TaskContext(), patience=())
    assert (report.documents, report.restored) == (8, 2)
    assert target.backend.contents() == before
    # Another engine in its place.
    other = SharedTarget(target.store, FileEngine(tmp_path / "another.db"))
    with pytest.raises(EngineError, match="no index"):
        fill(made, other)
    assert pushing.restore_engine(other, TaskContext(), patience=()).restored == 8
    assert other.backend.contents() == before
    assert verify(made, other, TaskContext()).sound
    assert fill(made, other).skipped == 8


def test_a_library_that_is_open_for_reading_is_refused(tmp_path, address, target):
    from claimlight.store import postgres

    made = make(tmp_path / "L", patents(range(1, 3)))
    with (
        postgres.connect(address, tmp_path / "reading") as store,
        pytest.raises(ResourceError, match="reading only"),
    ):
        fill(made, SharedTarget(store, target.backend))
