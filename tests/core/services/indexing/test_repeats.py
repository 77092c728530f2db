"""Equal passages are encoded once: in a run, and in the documents of a family."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from indexing_fakes import Counted, NumberCorpus, build, says, stack

from claimlight.encoders import EncoderInput
from claimlight.index.generation import Generation
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.encoding import in_pieces
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.indexing.repeats import Repeats
from claimlight.services.indexing.rows import make_rows
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import IndexDepth, Note, Section
from tests.fakes import add, library, patent

SHARED = [f"The damper w{n} is w{n + 1} and w{n * 7}." for n in range(12)]
OWN = [f"The bracket w{n} is w{n + 3}." for n in range(3)]


class Twins(NumberCorpus):
    """Documents n and n + 1 say the same, n odd."""

    def document(self, number):
        made, other = super().document(number), super().document(number - 1 + number % 2)
        pairs = zip(made.passages, other.passages, strict=False)
        same = tuple(replace(mine, text=its.text, section=its.section) for mine, its in pairs)
        return replace(made, passages=same)


def test_equal_passages_of_a_run_are_encoded_once(tmp_path, monkeypatch):
    encoder = Counted()
    build(tmp_path / "once", Twins(20), tools=stack(encoder))
    monkeypatch.setattr(Repeats, "find", lambda *_: None)
    build(tmp_path / "all", Twins(20), per_segment=1)
    every = [item.text for n in range(1, 21) for item in Twins(20).document(n).passages]
    assert sorted(encoder.read) == sorted(set(every))
    assert len(encoder.read) < 0.7 * len(every)
    assert says(tmp_path / "once") == says(tmp_path / "all")


def test_few_pieces_are_remembered():
    known = Repeats(limit=3)
    pieces, rows, entries = made(5)
    known.keep(pieces, rows, entries)
    assert [known.find(piece) is not None for piece in pieces] == [False, False, True, True, True]


def test_a_section_is_part_of_what_is_remembered():
    known = Repeats()
    pieces, rows, entries = made(1)
    known.keep(pieces, rows, entries)
    other = replace(pieces[0], passage=replace(pieces[0].passage, section=Section.SUMMARY))
    assert known.find(pieces[0]) is not None
    assert known.find(other) is None


def made(count):
    """Some pieces, their rows and entries."""
    tools = stack()
    documents = (NumberCorpus(99).document(n) for n in range(1, 99))
    document = next(item for item in documents if len(item.passages) >= count)
    pieces = [piece for passage in document.passages[:count] for piece in in_pieces(passage)]
    inputs = [EncoderInput(piece.text, piece.passage.section) for piece in pieces]
    encoded = list(tools.encoder.encode(inputs, TaskContext()))
    return pieces, *make_rows(pieces, encoded, tools, top_k=5)


def family(number, paragraphs, claims=("A damper.",)):
    return patent(number, f"Damper {number}", claims=list(claims), paragraphs=paragraphs, priority="77")


def index(made, tools, **given):
    events = []
    report = build_index(
        index_folder(made.folder),
        LibraryCorpus(made.store),
        stack=tools,
        settings=Settings(),
        context=TaskContext(events.append),
        **given,
    )
    return report, [event.text for event in events if isinstance(event, Note)]


def test_a_description_of_the_family_is_copied(tmp_path):
    """A granted patent says what its application said: only what is new is encoded."""
    with library(tmp_path / "L", [family("1000001", SHARED)]) as one:
        index(one, stack(Counted()))
        add(one, [family("1000002", [*SHARED, *OWN])])
        encoder = Counted()
        report, _ = index(one, stack(encoder))
        assert report.full_text == 1
        described = [text for text in encoder.read if text in {*SHARED, *OWN}]
        assert described == OWN
        held = Generation.open(index_folder(one.folder))
    with library(tmp_path / "F", [family("1000001", SHARED), family("1000002", [*SHARED, *OWN])]) as two:
        index(two, stack(Counted()))
        fresh = Generation.open(index_folder(two.folder))
    assert np.array_equal(held.df, fresh.df)
    ids = np.arange(1, 40)
    for name in ("passages", "offsets", "centers", "codes", "start", "end", "span_counts"):
        assert np.array_equal(getattr(held.forward(ids), name), getattr(fresh.forward(ids), name)), name
    one, two = (item.passage_vectors(ids) for item in (held, fresh))
    assert np.array_equal(one[0], two[0])
    assert np.abs(one[1] - two[1]).max() < 0.02
    vectors = [np.asarray(item.section_vectors().vectors, dtype=np.float32) for item in (held, fresh)]
    # A copied vector is that of the index, in units of 1/127.
    assert (vectors[0] * vectors[1]).sum(axis=1).min() > 0.999


def test_claims_of_the_family_are_copied(tmp_path):
    """In the first pass, from a document of which the description is not indexed yet."""
    claims = [f"A damper w{n} with w{n + 1} and w{n * 7}." for n in range(6)]
    with library(tmp_path / "L", [family("1000001", SHARED, claims)]) as made:
        index(made, stack(Counted()), depth=IndexDepth.CLAIMS)
        later = [family("1000002", [], [*claims[:4], *OWN]), patent("2000001", "Another", claims=claims)]
        add(made, later)
        encoder = Counted()
        index(made, stack(encoder), depth=IndexDepth.CLAIMS)
        asked = [text for text in encoder.read if text in {*claims, *OWN}]
        # What was read for one family serves the document that says the same beside it.
        assert sorted(asked) == sorted(OWN)
        held = Generation.open(index_folder(made.folder))
        again = {document.id: document for document in LibraryCorpus(made.store).documents_after(0, 9)}
        first, second = (
            held.forward(np.array([each.id for each in again[n].passages if each.text in claims[:4]]))
            for n in (1, 2)
        )
        assert np.array_equal(first.centers, second.centers)
        assert np.array_equal(first.codes, second.codes)


def test_an_encoder_that_does_not_count_tokens_encodes_all(tmp_path):
    with library(tmp_path / "L", [family("1000001", SHARED)]) as made:
        index(made, stack())
        add(made, [family("1000002", SHARED)])
        assert index(made, stack())[0].full_text == 1
        assert len(Generation.open(index_folder(made.folder)).claims_only) == 0


@pytest.mark.parametrize("depth", [IndexDepth.CLAIMS, IndexDepth.FULL])
def test_what_is_found_by_words_only_is_told_and_not_waited_for(tmp_path, depth):
    signs = "10 housing\n12 lid\n14 spring\n16 lever\n18 bolt"
    with library(tmp_path / "L", [family("1000001", [*OWN, signs])]) as made:
        encoder = Counted()
        _, notes = index(made, stack(encoder), depth=depth)
        assert signs not in encoder.read
        generation = Generation.open(index_folder(made.folder))
        if depth is IndexDepth.CLAIMS:
            assert generation.rest()[1].tolist() == [len(OWN)]
        else:
            assert notes == ["1 passage is found by keywords only: 1 × list of reference signs."]
            assert not len(generation.claims_only)


def test_a_description_of_signs_alone_is_done(tmp_path):
    """Nothing of it is encoded, and it is not asked for at every run."""
    signs = "10 housing\n12 lid\n14 spring\n16 lever\n18 bolt"
    with library(tmp_path / "L", [family("1000001", [signs])]) as made:
        index(made, stack(Counted()))
        assert not len(Generation.open(index_folder(made.folder)).claims_only)
