"""What is left to index is counted exactly in a small library; the time is measured, not promised."""

from __future__ import annotations

from collections import namedtuple

import pytest

from claimlight.errors import ResourceError
from claimlight.index.generation import Generation
from claimlight.index.segments import SegmentPart
from claimlight.services.indexing import estimate as estimates
from claimlight.services.indexing.estimate import estimate
from claimlight.services.indexing.indexing import build, index_folder
from claimlight.services.indexing.order import LibraryOrder
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import IndexDepth
from tests.core.services.indexing.small_library import (
    CLAIM_PASSAGES,
    DESCRIPTIONS,
    DOCUMENTS,
    document,
    make_library,
    make_stack,
)
from tests.fakes import add, library


@pytest.fixture
def model(monkeypatch):
    made = make_stack()
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    return made


@pytest.fixture
def made(tmp_path, model):
    assert model
    with make_library(tmp_path / "L") as opened:
        yield opened


def found(made, **more):
    """Documents and passages of both passes."""
    item = estimate(made, TaskContext(), Settings(), **more)
    passes = item.claims, item.descriptions
    return tuple((each.documents, each.passages) for each in passes), item


def test_nothing_is_indexed_yet(made):
    counts, item = found(made)
    assert counts == ((6, CLAIM_PASSAGES), (5, sum(DESCRIPTIONS.values())))
    assert item.sampled == 0
    assert item.seconds > 0
    assert item.claims.bytes >= CLAIM_PASSAGES * estimates.PASSAGE_BYTES
    assert not index_folder(made.folder).exists(), "an estimate changes nothing"


def test_a_quick_index_needs_no_descriptions(made):
    assert found(made, depth=IndexDepth.CLAIMS)[0] == ((6, CLAIM_PASSAGES), (0, 0))


def test_limits_are_those_of_the_descriptions(made):
    assert found(made, only={1, 3, 6})[0] == ((6, CLAIM_PASSAGES), (2, 7))


def test_it_agrees_with_what_is_then_indexed(made):
    """Pass by pass, with limits, and with documents that come later."""
    context = TaskContext()
    before = found(made, depth=IndexDepth.CLAIMS)[1]
    report = build(made, context, Settings(), depth=IndexDepth.CLAIMS)
    assert (report.documents, report.passages) == (before.claims.documents, before.claims.passages)
    assert found(made)[0] == ((0, 0), (5, sum(DESCRIPTIONS.values())))
    assert found(made, only={1, 6})[0] == ((0, 0), (2, 7))
    assert build(made, context, Settings(), order=LibraryOrder(made, only={1, 6})).passages == 7
    add(made, [document(7, "H04L 9/00", DOCUMENTS[0].published, paragraphs=2)])
    counts, after = found(made)
    assert counts == ((1, 3), (4, sum(DESCRIPTIONS.values()) - 7 + 2))
    report = build(made, context, Settings())
    assert report.passages == after.claims.passages + after.descriptions.passages
    counts, nothing = found(made)
    assert counts == ((0, 0), (0, 0))
    assert (nothing.seconds, nothing.needed_bytes) == (0, 0)
    assert nothing.enough_space
    assert found(made, rebuild=True)[0] == ((7, CLAIM_PASSAGES + 3), (6, sum(DESCRIPTIONS.values()) + 2))


def test_many_documents_are_counted_by_some_of_them(made, monkeypatch):
    monkeypatch.setattr(estimates, "_COUNTED", 3)
    counts, item = found(made)
    assert item.sampled == 3
    assert counts[0][0] == 6
    assert abs(counts[0][1] - CLAIM_PASSAGES) <= 6
    assert counts[1][1] > 0


def test_bytes_are_those_of_the_index_if_there_is_one(made, monkeypatch):
    monkeypatch.setattr(estimates, "_SAMPLED", 1)
    build(made, TaskContext(), Settings(), order=LibraryOrder(made, only={1, 6}))
    live = Generation.open(index_folder(made.folder)).manifest
    (segment,) = (item for item in live.segments if item.part is SegmentPart.DESCRIPTION)
    graph = live.graph.file.bytes / live.graph.count
    expected = 11 * segment.bytes / segment.passages + 3 * graph
    assert found(made)[1].descriptions.bytes == round(expected)


def test_a_full_disk_is_noticed(made, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(estimates.shutil, "disk_usage", lambda _: usage(1, 1, 1000))
    item = found(made)[1]
    assert (item.free_bytes, item.enough_space) == (1000, False)


def test_another_model_needs_a_rebuild(made, model):
    build(made, TaskContext(), Settings())
    model.encoder.fingerprint = "another"
    with pytest.raises(ResourceError, match="--rebuild"):
        found(made)
    assert found(made, rebuild=True)[0][0] == (6, CLAIM_PASSAGES)


def test_a_library_without_documents_needs_nothing(tmp_path, model):
    assert model
    with library(tmp_path / "empty", []) as empty:
        assert found(empty)[0] == ((0, 0), (0, 0))
