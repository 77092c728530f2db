"""Packed forward lists are the plain ones of earlier formats, to the last number."""

import hashlib
import json
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_fakes import DIM, RECIPE, as_plain, corpus, segment

from claimlight.index import entries as packing
from claimlight.index import files, manifest
from claimlight.index.entries import PlainEntries, count_centers, pack
from claimlight.index.forward import ForwardEntries, read_entries
from claimlight.index.generation import Generation
from claimlight.index.live import LiveSegment
from claimlight.index.segments import NAMES, SegmentArrays, open_arrays
from claimlight.index.writer import IndexWriter
from claimlight.tasks import TaskContext

V = 70_000
NONE = np.empty(0, dtype=np.int64)
EDGES = [1, 2, 15, 16, 17, 127, 128, 254, 255, 256, 257, 300, 16_383, 16_384, 65_535, 65_536, 2_000_000]


def plain_entries(rng, passages, most):
    """Entries at the edges of what a byte holds; spans overlap, repeat and have any length."""
    counts = rng.integers(0, most + 1, passages)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    centers = [np.sort(rng.choice(V, count, replace=False)) for count in counts]
    total = int(offsets[-1])
    spread = np.array(EDGES)[rng.integers(len(EDGES), size=total)]
    return PlainEntries(
        offsets,
        np.concatenate([NONE, *centers]),
        rng.integers(1, 256, total).astype(np.uint8),
        rng.integers(0, spread + 1).astype(np.uint32),
        np.array([0, *EDGES])[rng.integers(len(EDGES) + 1, size=total)].astype(np.uint32),
    )


def live(entries, first=100, documents=3):
    """A segment with some entries, whose passages have the ids ``first``..., the last of them first."""
    passages = len(entries.offsets) - 1
    every = {item.name: np.empty(0, dtype=np.int64) for item in fields(SegmentArrays) if item.name != "plain"}
    every |= {
        "document_ids": np.arange(documents),
        "document_offsets": np.linspace(0, passages, documents + 1).astype(np.int64),
        "passage_ids": np.arange(first, first + passages)[::-1].copy(),
        "span_counts": np.arange(passages),
        "center_df": np.zeros(V, dtype=np.int64),
    }
    if isinstance(entries, PlainEntries):
        return LiveSegment(SegmentArrays(**every, plain=entries), NONE)
    every |= {
        "entry_offsets": entries.offsets,
        "entry_gap": entries.gap,
        "entry_word": entries.word,
        "span_offsets": entries.span_offsets,
        "span_bytes": entries.span_bytes,
    }
    return LiveSegment(SegmentArrays(**every), NONE)


def assert_same(found: ForwardEntries, expected: ForwardEntries):
    for item in fields(ForwardEntries):
        mine, theirs = getattr(found, item.name), getattr(expected, item.name)
        assert np.array_equal(mine, theirs), item.name
        assert mine.dtype == theirs.dtype, item.name


@given(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from([3, 40, 700]))
@settings(max_examples=60, deadline=None)
def test_packed_entries_read_like_plain_ones(seed, passages, most):
    rng = np.random.default_rng(seed)
    plain = plain_entries(rng, passages, most)
    packed = pack(plain)
    asked = np.concatenate([rng.permutation(np.arange(100, 100 + passages)), [999]])
    some = rng.choice(V, V // 3, replace=False).astype(np.int32)
    mixed = np.concatenate([some[:5], plain.center[rng.random(len(plain.center)) < 0.2]]).astype(np.int32)
    for centers in (None, some, mixed, some[:0]):
        expected = read_entries([live(plain)], asked, centers)
        assert_same(read_entries([live(packed)], asked, centers), expected)


def test_several_segments_of_both_kinds_are_read_together():
    rng = np.random.default_rng(3)
    parts = [plain_entries(rng, 6, 30) for _ in range(2)]
    asked = np.array([103, 202, 7, 100, 205])
    expected = read_entries([live(parts[0]), live(parts[1], 200)], asked, None)
    assert_same(read_entries([live(parts[0]), live(pack(parts[1]), 200)], asked, None), expected)
    assert expected.span_counts.tolist() == [2, 3, 0, 5, 1]


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_centers_are_counted_without_reading_spans(seed, passages):
    rng = np.random.default_rng(seed)
    plain = plain_entries(rng, passages, 50)
    first, last = sorted(rng.integers(0, passages + 1, 2).tolist())
    expected = np.bincount(plain.center[plain.offsets[first] : plain.offsets[last]], minlength=V)
    for entries in (plain, pack(plain)):
        assert np.array_equal(count_centers(entries, first, last, V), expected)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_parts_of_a_segment_are_the_whole(monkeypatch, size):
    monkeypatch.setattr(packing, "_CHUNK", size)
    rng = np.random.default_rng(1)
    plain = plain_entries(rng, 20, 30)
    whole = pack(plain)
    kept = rng.random(20) < 0.5
    parts = [
        pack(plain.part(first, last)).keep(kept[first:last])
        for first, last in packing.iterate_parts(plain.offsets)
    ]
    expected = whole.keep(kept)
    for name in ("gap", "word", "span_bytes"):
        joined = np.concatenate([getattr(each, name) for each in parts])
        assert np.array_equal(joined, getattr(expected, name))
    assert list(packing.iterate_parts(np.zeros(1, dtype=np.int64))) == []


def test_an_entry_is_three_bytes_and_a_span_one():
    """In words as texts have them."""
    center = np.arange(0, 200 * 40, 40)
    start = np.repeat(np.arange(50) * 7, 4)
    offsets = np.array([0, 200])
    plain = PlainEntries(offsets, center, np.full(200, 9, np.uint8), start, np.full(200, 6))
    packed = pack(plain)
    assert packed.gap.nbytes + packed.word.nbytes == 3 * 200
    assert len(packed.span_bytes) == 50


def test_a_segment_of_an_earlier_format_has_the_entries_of_a_new_one():
    made = segment(corpus(30, seed=5))
    old = as_plain(made)
    assert old.plain is not None
    asked = np.asarray(made.passage_ids)
    assert_same(
        read_entries([LiveSegment(old, NONE)], asked, None),
        read_entries([LiveSegment(made, NONE)], asked, None),
    )


def as_format_4(folder):
    """Leave the live commit as the program of format 4 wrote it."""
    pointer = manifest.read_pointer(folder)
    inner = folder / pointer.generation
    path = inner / manifest.manifest_name(pointer.commit)
    found = manifest.read(folder, pointer)
    raw = json.loads(path.read_text()) | {"format": 4}
    for item, spelled in zip(found.segments, raw["segments"], strict=True):
        plain = as_plain(open_arrays(inner, item)).plain
        own = inner / item.name
        gone = ("entry_gap", "entry_word", "span_offsets", "span_bytes", "document_rest")
        for name in gone:
            (own / f"{name}.npy").unlink()
        arrays = {f"entry_{name}": getattr(plain, name) for name in plain.__slots__}
        made = [files.write_array(own / f"{name}.npy", array) for name, array in arrays.items()]
        kept = [record for record in item.files if record.name.removesuffix(".npy") not in (*gone, *arrays)]
        spelled["files"] = [
            {"name": each.name, "bytes": each.bytes, "sha256": each.sha256} for each in (*kept, *made)
        ]
    path.write_text(json.dumps(raw))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    said = {"generation": pointer.generation, "commit": pointer.commit, "sha256": digest}
    (folder / "CURRENT").write_text(json.dumps(said))


@pytest.mark.parametrize("chunk", [5, 1 << 22])
def test_an_index_of_format_4_is_searched_and_merged_with_newer_segments(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(packing, "_CHUNK", chunk)
    documents, dead = corpus(24, seed=8), [2, 5, 20]
    for name in ("new", "old"):
        folder = tmp_path / name
        with IndexWriter(folder) as writer:
            writer.start(RECIPE, dim=DIM, centers=12)
            writer.commit(segment(documents[:9], 12, 1), last_document=9)
            writer.commit(segment(documents[9:16], 12, 10), last_document=16)
        if name == "old":
            as_format_4(folder)
        with IndexWriter(folder) as writer:
            writer.start(RECIPE, dim=DIM, centers=12)
            writer.commit(segment(documents[16:], 12, 17), last_document=24)
            writer.remove(dead, 1)
    new, old = (Generation.open(tmp_path / name) for name in ("new", "old"))
    assert [item.arrays.plain is not None for item in old.segments] == [True, True, False]
    passages = np.array([item.id for group in documents for item in group])
    assert_same(old.forward(passages), new.forward(passages))
    assert np.array_equal(old.df, new.df)
    for name in ("new", "old"):
        with IndexWriter(tmp_path / name) as writer:
            writer.start(RECIPE, dim=DIM, centers=12)
            writer.merge(TaskContext())
    merged = [Generation.open(tmp_path / name).segments for name in ("new", "old")]
    assert len(merged[0]) == len(merged[1]) == 1
    for name in NAMES:
        one, other = (getattr(item.arrays, name) for (item,) in merged)
        assert one.dtype == other.dtype, name
        assert np.array_equal(one, other), name
