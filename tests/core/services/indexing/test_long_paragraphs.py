"""Paragraphs that are chapters: found by any sentence of theirs, cited once, marked where the words stand."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import numpy as np
import pytest

from claimlight.index import manifest as manifests
from claimlight.index.generation import Generation
from claimlight.index.scoring import NO_NORM
from claimlight.services.indexing import encoding, indexing
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.encoding import BATCH_CHARACTERS, in_pieces
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.library.library import Library
from claimlight.services.search import queries
from claimlight.services.search.inspection import inspect_center
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings, change
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.text.long_texts import LONG, PIECE
from claimlight.text.words import content_words
from claimlight.types import Note, Ranker, SearchRequest
from tests.fakes import FakeEncoder, add, library, patent, stack

SETTINGS = change(change(Settings(), "centers.stop_share", 0.0), "index.documents_per_segment", 2)
FILLER = "The kettle of glass has a handle, a spout and a lamp beside the cart. "
DECISIVE = "A viscous damper stands between the frame and the brake of a bicycle."
CLAIM = "A bicycle comprising a frame; a viscous damper; and a brake."
LONG_TEXT = FILLER * (80_000 // len(FILLER)) + DECISIVE
WORDS = content_words(f"{FILLER} {DECISIVE} wheel spring")
PATENTS = [
    patent("1000001", "Kettle", paragraphs=["A kettle.", LONG_TEXT, "A lamp of glass."]),
    patent(
        "1000002", "Wheel", paragraphs=["A wheel with a spring, which is viscous, and a brake on the cart."]
    ),
    patent("1000003", "Lamp", paragraphs=["A lamp whose frame is of glass stands on a cart of a bicycle."]),
    patent("1000004", "Cart", paragraphs=["A cart with a spring and a damper beside the handle."]),
]


@dataclasses.dataclass
class Counting(FakeEncoder):
    """Remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[list[str]] = []

    def encode(self, texts, context):
        self.given.append([item.text for item in texts])
        yield from super().encode(texts, context)


def index(made: Library, model, events=None) -> None:
    context = TaskContext(events.append) if events is not None else TaskContext()
    build_index(
        index_folder(made.folder),
        LibraryCorpus(made.store),
        stack=model,
        settings=SETTINGS,
        context=context,
    )


def generation(made: Library) -> Generation:
    found = Generation.open(index_folder(made.folder))
    assert found is not None
    return found


def searched(made: Library, model, *legs: Ranker):
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    query = queries.query_from_text(CLAIM)
    request = SearchRequest(query, legs=legs) if legs else SearchRequest(query)
    return engine, engine.run(request, TaskContext())


@pytest.fixture
def made(tmp_path):
    with library(tmp_path / "L", PATENTS) as opened:
        yield opened


@pytest.fixture
def model():
    return stack(WORDS)


def old_index(made: Library, model, monkeypatch) -> None:
    """An index as an earlier program wrote it: passages in one piece each, and a manifest that says less."""
    with monkeypatch.context() as patched:
        patched.setattr(indexing, "in_pieces", encoding.whole)
        index(made, model)
    folder = index_folder(made.folder)
    pointer = manifests.read_pointer(folder)
    path = folder / pointer.generation / manifests.manifest_name(pointer.commit)
    raw = json.loads(path.read_bytes()) | {"format": 2}
    del raw["uncut"]
    for segment in raw["segments"]:
        del segment["replaced"]
    body = json.dumps(raw).encode()
    path.write_bytes(body)
    told = {"generation": pointer.generation, "commit": pointer.commit}
    (folder / manifests.CURRENT).write_text(json.dumps(told | {"sha256": hashlib.sha256(body).hexdigest()}))


def test_the_last_sentence_of_a_chapter_is_found_cited_and_marked(made, model, monkeypatch):
    old_index(made, model, monkeypatch)
    _, before = searched(made, model, Ranker.CENTERS)
    assert str(before.hits[0].patent.publication) != "EP1000001A1", "the test must be able to fail"
    index(made, model)
    engine, found = searched(made, model, Ranker.CENTERS)
    assert str(found.hits[0].patent.publication) == "EP1000001A1"
    (best, *others) = found.hits[0].passages
    assert best.label == "[0002]"
    assert best.text == LONG_TEXT
    assert "[0002]" not in [item.label for item in others], "one paragraph is one hit"
    met = {LONG_TEXT[item.passage.start : item.passage.end] for item in best.evidence}
    assert {"viscous", "damper", "frame", "brake", "bicycle"} <= met
    assert min(item.passage.start for item in best.evidence) >= len(LONG_TEXT) - len(DECISIVE)
    assert sum(e.contribution for e in best.evidence) + best.other_words == pytest.approx(best.score)
    assert [cell.label for cell in found.hits[0].coverage] == ["[0002]"] * 4
    shown = engine.document_evidence(queries.query_from_text(CLAIM), found.hits[0].patent.id, TaskContext())
    assert len({item.passage for item in shown.passages}) == len(shown.passages)
    for feature in shown.features:
        ids = [item.passage for item in feature.passages]
        assert len(set(ids)) == len(ids)
        spans = [item.passage for hit in feature.passages[:1] for item in hit.evidence]
        assert spans
        assert all(LONG_TEXT[s.start : s.end].casefold() in DECISIVE.casefold() for s in spans)


def test_pieces_are_in_the_section_vector(made, model):
    index(made, model)
    _, found = searched(made, model, Ranker.DENSE)
    assert "EP1000001A1" in [str(hit.patent.publication) for hit in found.hits]


def test_an_older_index_is_used_and_takes_the_pieces_in_at_the_next_run(made, model, monkeypatch, tmp_path):
    old_index(made, model, monkeypatch)
    old = generation(made)
    assert old.manifest.uncut is None
    assert searched(made, model)[1].hits
    counting = Counting()
    again = dataclasses.replace(model, encoder=counting)
    events: list[object] = []
    index(made, again, events)
    assert counting.given, "one document has a long paragraph"
    stored = repository.read_documents_after(made.store, 0, 1)[0]
    expected = [piece.text for passage in stored.passages for piece in in_pieces(passage)]
    given = [text for texts in counting.given for text in texts]
    assert set(given) == set(expected)
    # Equal pieces are encoded once; not those of two batches that are encoded at a time.
    assert len(given) < len(expected) / 4
    assert [event for event in events if isinstance(event, Note) and "in pieces" in event.text]
    found = generation(made)
    assert (found.documents, found.manifest.uncut) == (4, ())
    assert found.manifest.format == manifests.FORMAT
    assert found.manifest.graph is not None
    with library(tmp_path / "fresh", PATENTS) as fresh:
        index(fresh, model)
        one, two = scores(found), scores(generation(fresh))
        assert one == two
        vector = np.ones(model.encoder.dim, dtype=np.float32)
        assert [h.document for h in found.search_dense(vector, 12, exact=True)] == [
            h.document for h in generation(fresh).search_dense(vector, 12, exact=True)
        ]
    before = found.name
    index(made, again)
    assert generation(made).name == before, "a further run has nothing to do"


def scores(found: Generation) -> list[tuple[int, float]]:
    query = found.scoring(SETTINGS.centers).shares(
        np.arange(found.manifest.centers, dtype=np.int32), np.ones(found.manifest.centers)
    )
    every = found.all_passages(query, NO_NORM)
    return sorted(zip(every.passages.tolist(), np.round(every.scores, 9).tolist(), strict=True))


def test_a_run_that_is_stopped_goes_on(made, model, monkeypatch):
    texts = ["".join(f"{FILLER[:-2]} {n} {k}. " for k in range(260)) for n in range(4)]
    add(made, [patent(str(2000000 + n), "Kettle", paragraphs=[texts[n]]) for n in range(4)])
    old_index(made, model, monkeypatch)

    class Stopped(FakeEncoder):
        def encode(self, texts, context):
            if self.encoded > 30:
                raise KeyboardInterrupt
            yield from super().encode(texts, context)

    with pytest.raises(KeyboardInterrupt):
        index(made, dataclasses.replace(model, encoder=Stopped()))
    half = generation(made)
    assert half.manifest.uncut
    assert half.documents == 8
    assert half.document_ids().tolist() == list(range(1, 9))
    index(made, model)
    assert (generation(made).manifest.uncut, generation(made).documents) == ((), 8)
    assert next(hit.patent.id for hit in searched(made, model, Ranker.CENTERS)[1].hits) == 1


def test_a_document_that_is_removed_is_gone_with_its_pieces(made, model, monkeypatch):
    old_index(made, model, monkeypatch)
    index(made, model)
    changed_text = patent(
        "1000001", "Kettle", paragraphs=["A kettle.", LONG_TEXT + " More.", "A lamp of glass."]
    )
    add(made, [changed_text])
    index(made, model)
    found = generation(made)
    assert found.documents == 4
    assert found.document_ids().tolist() == [2, 3, 4, 5]


def test_a_center_names_each_paragraph_once(made, model):
    index(made, model)
    engine = SearchEngine.open(made, SETTINGS, stack=lambda _: model)
    center = model.vocabulary.anchors.index("spout")
    found = inspect_center(engine, made, SETTINGS, center, TaskContext())
    assert found.read == len({span.passage for span in found.spans}) == 1
    (span,) = found.spans
    assert span.text[span.span.start : span.span.end] == "spout"
    assert found.df > 90, "every piece meets it"


def test_a_million_characters_come_in_small_batches(tmp_path, model):
    text = FILLER * (1_000_000 // len(FILLER)) + DECISIVE
    with library(tmp_path / "L", [patent("1000001", "Kettle", paragraphs=[text])]) as made:
        counting = Counting()
        index(made, dataclasses.replace(model, encoder=counting))
        assert max(sum(map(len, texts)) for texts in counting.given) <= BATCH_CHARACTERS
        assert max(len(item) for texts in counting.given for item in texts) < 10 * PIECE
        hit = searched(made, model)[1].hits[0].passages[0]
        assert hit.label == "[0001]"
        assert {text[e.passage.start : e.passage.end] for e in hit.evidence} >= {"damper", "brake"}


def test_a_paragraph_of_usual_length_is_encoded_as_it_is(made):
    for document in repository.read_documents_after(made.store, 0, 10):
        for passage in document.passages:
            if len(passage.text) <= LONG:
                (piece,) = in_pieces(passage)
                assert (piece.text, piece.start, piece.passage) == (passage.text, 0, passage)
                assert piece.text is passage.text
