"""Rows of documents as bytes and back, and as parts of an engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from index_fakes import DIM, RECIPE, Passage, as_plain, corpus, entries, segment

from claimlight.errors import BugError, ResourceError
from claimlight.index.backend import IndexSchema, SparseRows, documents_of, passage_offsets
from claimlight.index.builder import SegmentBuilder
from claimlight.index.forward import read_entries, read_vectors
from claimlight.index.levels import SectionLevels
from claimlight.index.live import LiveSegment
from claimlight.index.portable import PlacedRows, decode, encode, join_words, part_rows, read
from claimlight.index.scoring import LengthNorm
from claimlight.index.segments import SegmentPart

CENTERS = 12
NONE = np.empty(0, dtype=np.int64)


def schema(**changed):
    given = {"length_exponent": 0.4, "length_floor": 3.0, "average_words": 80.0, **changed}
    return IndexSchema(name="test", recipe=RECIPE, dim=DIM, centers=CENTERS, **given)


@pytest.fixture(scope="module")
def made():
    """Documents 1 to 12, a passage of one in three pieces."""
    rng = np.random.default_rng(5)
    documents = corpus(12)
    pieces = [Passage(4, 402, CENTERS, rng) for _ in range(3)]
    documents[3] = [Passage(4, 400, CENTERS, rng), Passage(4, 401, CENTERS, rng), *pieces]
    return segment(documents)


def first_passage(document):
    return document * 100


def stored(arrays, row, part=SegmentPart.WHOLE):
    document = int(arrays.document_ids[row])
    return encode(arrays, row, first_passage=first_passage(document), part=part)


def placed(arrays, row, document):
    return PlacedRows(document, document * 1000, read(stored(arrays, row)))


def same_lists(mine, theirs):
    """The lists of two segments, of passages that are named differently."""
    ours, other = (
        read_entries([LiveSegment(each, NONE)], passages, None)
        for each, passages in ((mine[0], mine[1]), (theirs[0], theirs[1]))
    )
    for name in ("place", "offsets", "centers", "codes", "start", "end", "span_counts"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("plain", [False, True])
def test_rows_of_some_documents_come_back_under_other_ids(made, plain):
    arrays = as_plain(made) if plain else made
    rows = [3, 0, 7, 10]
    back = decode(
        [placed(arrays, row, 50 + number) for number, row in enumerate(rows)], centers=CENTERS, dim=DIM
    )

    asked, renamed = [], []
    for number, row in enumerate(rows):
        mine = made.passage_ids[made.document_offsets[row] : made.document_offsets[row + 1]]
        asked.append(np.unique(mine))
        renamed.append(np.unique(mine) - first_passage(row + 1) + (50 + number) * 1000)
    before, after = np.concatenate(asked), np.concatenate(renamed)
    assert len(before) > 5
    same_lists((back, after), (made, before))
    for ours, theirs in zip(
        read_vectors([LiveSegment(back, NONE)], after, DIM),
        read_vectors([LiveSegment(made, NONE)], before, DIM),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)
    for number, row in enumerate(rows):
        here, there = back.section_document == number, made.section_document == row
        np.testing.assert_array_equal(back.section_kind[here], made.section_kind[there])
        np.testing.assert_array_equal(back.section_vectors[here], made.section_vectors[there])


def test_a_segment_without_passage_vectors_has_none_afterwards(made):
    old = replace(made, passage_vectors=np.empty((0, DIM), dtype=np.int8))
    back = decode([placed(old, 3, 7), placed(made, 0, 8)], centers=CENTERS, dim=DIM)
    place, _ = read_vectors([LiveSegment(back, NONE)], np.array([7000, 7001, 7002]), DIM)
    assert not len(place)
    assert len(back.passage_vectors) == len(back.passage_ids)


def test_part_and_rest_are_kept():
    builder = SegmentBuilder(CENTERS, DIM)
    passage = corpus(1, seed=3)[0][0]
    builder.add([passage.row()], entries([passage]), {1: 7})
    found = read(stored(builder.arrays(), 0, SegmentPart.CLAIMS))
    assert (found.part, found.rest) == (SegmentPart.CLAIMS, 7)
    assert found.nbytes == len(stored(builder.arrays(), 0, SegmentPart.CLAIMS))


def test_no_documents_make_an_empty_segment():
    back = decode([], centers=CENTERS, dim=DIM)
    assert (len(back.document_ids), len(back.passage_ids), back.section_vectors.shape) == (0, 0, (0, DIM))


def test_every_damaged_byte_is_found(made):
    whole = stored(made, 3)
    for place in range(0, len(whole), 7):
        hurt = bytearray(whole)
        hurt[place] ^= 0x20
        with pytest.raises(ResourceError):
            read(bytes(hurt))
    for size in (0, 3, 10, len(whole) // 2, len(whole) - 1):
        with pytest.raises(ResourceError, match="damaged"):
            read(whole[:size])
    with pytest.raises(ResourceError, match="damaged"):
        read(whole + b"\0")


def test_rows_of_another_version_are_not_taken_for_damaged(made):
    with pytest.raises(ResourceError, match="newer program"):
        read(b"CLR2" + stored(made, 3)[4:])


def test_some_passages_of_a_description_are_not_stored(made):
    with pytest.raises(BugError, match="passages"):
        stored(made, 3, SegmentPart.PASSAGES)


@pytest.mark.parametrize("plain", [False, True])
def test_parts_of_an_engine_give_the_scores_of_the_index(made, plain):
    arrays = as_plain(made) if plain else made
    rows = np.arange(1, 11)
    levels = SectionLevels(0.5, tuple(tuple(0.01 * (k + n) for n in range(DIM)) for k in range(3)))
    sections, passages = part_rows(
        arrays,
        SegmentPart.CLAIMS,
        schema(levels=levels),
        rows=rows,
        documents=rows + 500,
        first_passages=first_passage(rows + 1),
    )
    assert sections.claims.all()
    assert passages.claims.all()
    mine = np.isin(made.section_document, rows)
    np.testing.assert_array_equal(documents_of(sections.parts), made.section_document[mine] + 500)
    taken = levels.array()[made.section_kind[mine]]
    np.testing.assert_allclose(sections.vectors, made.section_vectors[mine] - taken, atol=1e-6)

    norms = LengthNorm(0.4, 3)
    documents = np.repeat(np.arange(12), np.diff(made.document_offsets))
    lists = read_entries([LiveSegment(made, NONE)], np.unique(made.passage_ids), None)
    sizes = np.diff(lists.offsets)
    kept = (sizes > 0) & (documents >= 1) & (documents <= 10)
    assert len(passages.parts) == int(kept.sum())
    expected = lists.codes / 255 / np.repeat(norms.of(lists.span_counts), sizes)
    some = np.repeat(kept, sizes)
    np.testing.assert_array_equal(passages.centers.indices, lists.centers[some])
    np.testing.assert_allclose(passages.centers.values, expected[some], rtol=1e-6)
    np.testing.assert_array_equal(documents_of(passages.parts), documents[kept] + 500)
    np.testing.assert_array_equal(passage_offsets(passages.parts), lists.passages[kept] % 100)
    in_pieces = lists.passages[kept] == 402
    assert (passages.parts[in_pieces] & 255).tolist() == np.flatnonzero(sizes[lists.passages == 402]).tolist()
    assert (passages.parts[~in_pieces] & 255).max() == 0


def test_words_join_the_pieces_with_centers(made):
    rows = np.array([3])
    _, passages = part_rows(
        made,
        SegmentPart.WHOLE,
        schema(),
        rows=rows,
        documents=np.array([9]),
        first_passages=first_passage(rows + 1),
    )
    beside = (9 << 26) | (77 << 8)
    parts = np.sort(np.array([passages.parts[0], beside]))
    words = SparseRows(np.array([0, 2, 3]), np.array([5, 8, 2]), np.array([0.5, 0.25, 1], dtype=np.float32))
    joined = join_words(passages, parts, words, np.array([False, True]))

    assert joined.parts.tolist() == [*passages.parts.tolist(), beside]
    assert joined.claims.tolist() == [False] * len(passages.parts) + [True]
    assert joined.words.row(0)[0].tolist() == [5, 8]
    assert joined.words.row(len(joined.parts) - 1)[1].tolist() == [1.0]
    assert not len(joined.centers.row(len(joined.parts) - 1)[0])
    for number in range(len(passages.parts)):
        np.testing.assert_array_equal(joined.centers.row(number)[0], passages.centers.row(number)[0])
        np.testing.assert_array_equal(joined.centers.row(number)[1], passages.centers.row(number)[1])
