"""Without its descriptions an index is the quick index that would be built fresh."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.errors import InputError, ResourceError
from claimlight.index import manifest
from claimlight.index.generation import Generation
from claimlight.index.lock import WriterLock
from claimlight.index.writer import CHECKPOINT
from claimlight.services.indexing.dropping import drop_descriptions, measure_descriptions
from claimlight.services.indexing.indexing import build, index_folder
from claimlight.services.indexing.order import LibraryOrder
from claimlight.services.library.library import remove_documents
from claimlight.services.search import queries
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.types import DroppedDescriptions, IndexDepth, PatentId, SearchRequest
from tests.core.services.indexing.small_library import DESCRIPTIONS, make_library, make_stack

SETTINGS = change(Settings(), "index.documents_per_segment", 2)
CTX = TaskContext()


@pytest.fixture(autouse=True)
def model(monkeypatch):
    made = make_stack()
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    return made


def answers(made, model):
    """What the index says: documents, df, every passage's score, every section's, and a search."""
    generation = Generation.open(index_folder(made.folder))
    scoring = generation.scoring(SETTINGS.centers)
    centers = np.arange(generation.manifest.centers, dtype=np.int32)
    query = scoring.query(centers, np.linspace(0.4, 0.9, len(centers)).astype(np.float32))
    passages = generation.all_passages(query, scoring.norm)
    vector = np.ones(model.encoder.dim, dtype=np.float32)
    sections = generation.search_dense(vector, 100, exact=True)
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    request = SearchRequest(queries.query_from_text("A bicycle with a viscous damper and a brake."))
    hits = engine.run(request, TaskContext()).hits
    return {
        "documents": generation.document_ids().tolist(),
        "claims only": generation.claims_only.tolist(),
        "passages": generation.passages,
        "df": generation.df.tolist(),
        "scores": sorted(zip(passages.passages.tolist(), passages.scores.tolist(), strict=True)),
        "sections": sorted((item.document, item.section, round(item.score, 6)) for item in sections),
        "graph": generation.manifest.graph.count,
        "hits": [(str(hit.patent.publication), hit.score) for hit in hits],
    }


@pytest.mark.parametrize("gone", [False, True], ids=["whole library", "with a removed document"])
def test_the_answers_are_those_of_a_quick_index(tmp_path, model, gone):
    with make_library(tmp_path / "quick") as quick, make_library(tmp_path / "full") as full:
        build(full, TaskContext(), SETTINGS)
        whole = answers(full, model)
        if gone:
            for each in (quick, full):
                remove_documents(each, ["EP1000002"])
        build(quick, TaskContext(), SETTINGS, depth=IndexDepth.CLAIMS)
        dropped = drop_descriptions(full, TaskContext(), SETTINGS)
        build(full, TaskContext(), SETTINGS, depth=IndexDepth.CLAIMS)
        assert dropped.documents == len(DESCRIPTIONS)
        assert dropped.bytes > 0
        assert answers(full, model) == answers(quick, model)
        assert answers(full, model) != whole
        assert full.info().claims_only == len(DESCRIPTIONS) - gone
        build(full, TaskContext(), SETTINGS)
        build(quick, TaskContext(), SETTINGS)
        assert answers(full, model) == answers(quick, model), "descriptions can be indexed again"
        if not gone:
            assert answers(full, model) == whole


def test_there_is_nothing_to_remove_twice(tmp_path):
    with make_library(tmp_path / "L") as made:
        with pytest.raises(InputError, match="no index"):
            drop_descriptions(made, TaskContext(), SETTINGS)
        build(made, TaskContext(), SETTINGS)
        assert drop_descriptions(made, TaskContext(), SETTINGS).documents == 5
        assert drop_descriptions(made, TaskContext(), SETTINGS).documents == 0


def test_passages_that_searches_read_are_counted_apart(tmp_path, model):
    with make_library(tmp_path / "L") as made:
        only = LibraryOrder(made, only={2, 4})
        build(made, TaskContext(), SETTINGS, order=only)
        engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
        query = queries.query_from_text("A damper of the frame.")
        engine.read_descriptions(query, [PatentId(1), PatentId(2), PatentId(5)], seconds=5.0, context=CTX)
        engine.read_descriptions(query, [PatentId(1)], seconds=5.0, context=CTX)
        known = measure_descriptions(made)
        assert (known.documents, known.partly) == (2, 2)
        build(made, TaskContext(), SETTINGS, order=LibraryOrder(made, only={1}))
        known = measure_descriptions(made)
        assert (known.documents, known.partly) == (3, 1), "document 1 is indexed in full now"
        dropped = drop_descriptions(made, TaskContext(), SETTINGS)
        assert (dropped.documents, dropped.partly) == (3, 1)
        assert dropped.bytes > 0
        assert measure_descriptions(made) == DroppedDescriptions(0, 0)


def test_passages_that_searches_read_are_removed_without_a_whole_description(tmp_path, model):
    with make_library(tmp_path / "L") as made:
        build(made, TaskContext(), SETTINGS, depth=IndexDepth.CLAIMS)
        before = answers(made, model)
        engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
        engine.read_descriptions(
            queries.query_from_text("A damper."), [PatentId(1)], seconds=5.0, context=CTX
        )
        assert answers(made, model) != before
        dropped = drop_descriptions(made, TaskContext(), SETTINGS)
        assert (dropped.documents, dropped.partly) == (0, 1)
        assert dropped.bytes > 0
        assert answers(made, model) == before


def test_the_checkpoint_of_half_done_descriptions_goes_too(tmp_path):
    with make_library(tmp_path / "L") as made:
        build(made, TaskContext(), SETTINGS, depth=IndexDepth.CLAIMS)
        assert drop_descriptions(made, TaskContext(), SETTINGS) == DroppedDescriptions(0, 0)
        (generation,) = index_folder(made.folder).glob("g*")
        (generation / CHECKPOINT).write_bytes(bytes(100_000))
        assert measure_descriptions(made) == DroppedDescriptions(0, 100_000)
        dropped = drop_descriptions(made, TaskContext(), SETTINGS)
        assert (dropped.documents, dropped.partly) == (0, 0)
        assert dropped.bytes > 90_000
        assert not (generation / CHECKPOINT).exists()


def test_the_model_in_use_does_not_matter(tmp_path, model):
    with make_library(tmp_path / "L") as made:
        build(made, TaskContext(), SETTINGS)
        model.encoder.fingerprint = "another"
        assert drop_descriptions(made, TaskContext(), SETTINGS).documents == 5


def test_an_index_that_is_being_written_is_left_alone(tmp_path):
    with make_library(tmp_path / "L") as made:
        build(made, TaskContext(), SETTINGS)
        with WriterLock(index_folder(made.folder)), pytest.raises(ResourceError, match="being indexed"):
            drop_descriptions(made, TaskContext(), SETTINGS)
        (index_folder(made.folder) / manifest.NEXT).write_bytes(
            (index_folder(made.folder) / manifest.CURRENT).read_bytes()
        )
        with pytest.raises(ResourceError, match="rebuild of the index is not complete"):
            drop_descriptions(made, TaskContext(), SETTINGS)
