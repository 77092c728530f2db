"""Indexes of the earlier format: refused with what to do, converted in place, never lost."""

import hashlib
import json

import numpy as np
import pytest
from index_fakes import DIM, RECIPE, as_plain, corpus, segment

from claimlight.errors import ResourceError, TaskCancelled
from claimlight.index import files, manifest
from claimlight.index.generation import Generation
from claimlight.index.manifest import CURRENT, NEXT
from claimlight.index.segments import NAMES, SegmentRecord
from claimlight.index.writer import IndexWriter
from claimlight.settings import CenterSettings, IndexSettings
from claimlight.tasks import TaskContext

V = 12


def old_arrays(made):
    """The arrays that format 1 kept for the same segment."""
    plain = as_plain(made).plain
    later = ("center_df", "posting_starts", "posting_words", "passage_vectors", "document_rest")
    packed = ("entry_gap", "entry_word", "span_offsets", "span_bytes")
    held = {name: np.asarray(getattr(made, name)) for name in NAMES if name not in (*later, *packed)}
    names = ("offsets", "center", "start", "length")
    held |= {f"entry_{name}": getattr(plain, name) for name in names}
    code = plain.code
    rng = np.random.default_rng(1)
    # Any weight that rounds to the code.
    weight = np.clip(code.astype(int) * 257 + rng.integers(-128, 129, len(code)), 1, 65535).astype(np.uint16)
    order = np.argsort(held["entry_center"], kind="stable")
    row = np.repeat(np.arange(len(held["passage_ids"])), np.diff(held["entry_offsets"]))
    counts = np.bincount(held["entry_center"], minlength=V)
    held["entry_weight"] = weight
    held["posting_offsets"] = np.r_[0, np.cumsum(counts)].astype(np.int64)
    held["posting_passage"] = row[order].astype(np.uint16)
    held["posting_weight"] = weight[order]
    return held


def as_old(folder, pointer_name=CURRENT):
    """Rewrite the live commit of an index as an earlier program would have left it."""
    pointer = manifest.read_pointer(folder, pointer_name)
    inner = folder / pointer.generation
    found = manifest.read(folder, pointer)
    raw = json.loads((inner / manifest.manifest_name(pointer.commit)).read_text()) | {"format": 1}
    for item, spelled in zip(found.segments, raw["segments"], strict=True):
        path = inner / item.name
        held = old_arrays(_mapped(inner, item))
        for name in NAMES:
            (path / f"{name}.npy").unlink()
        records = [files.write_array(path / f"{name}.npy", array) for name, array in held.items()]
        spelled["files"] = [{"name": r.name, "bytes": r.bytes, "sha256": r.sha256} for r in records]
    body = json.dumps(raw).encode()
    (inner / manifest.manifest_name(pointer.commit)).write_bytes(body)
    digest = hashlib.sha256(body).hexdigest()
    (folder / pointer_name).write_text(
        json.dumps({"generation": pointer.generation, "commit": pointer.commit, "sha256": digest})
    )


def _mapped(folder, item: SegmentRecord):
    from claimlight.index.segments import SegmentArrays

    return SegmentArrays(**{name: np.load(folder / item.name / f"{name}.npy") for name in NAMES})


def made(folder, sizes=(6, 0, 5), *, rebuild=False):
    with IndexWriter(folder) as writer:
        writer.start(RECIPE, dim=DIM, centers=V, rebuild=rebuild)
        first = 0
        for size in sizes:
            documents = corpus(size, seed=size, first=first + 1)
            writer.commit(segment(documents, V, first + 1), last_document=first + size)
            first += size
        writer.remove([2, 7], 1)
        writer.build_graph(IndexSettings(), TaskContext())
        if not rebuild:
            writer.finish()
    return folder


def tree(folder):
    """Every file of the index itself."""
    return {p.relative_to(folder) for p in folder.rglob("*") if p.name not in ("lock", "verified.json")}


def contents(folder):
    """Every array of the live segments but the passage vectors, tombstones, recipe and df.

    Format 1 had no passage vectors, and only the encoder could make them.
    """
    found = Generation.open(folder)
    names = [name for name in NAMES if name != "passage_vectors"]
    arrays = [
        {name: np.asarray(getattr(item.arrays, name)).tolist() for name in names} for item in found.segments
    ]
    return arrays, found.manifest.dead, found.manifest.recipe, found.df.tolist(), found.manifest.last_document


def test_a_converted_index_is_what_this_program_would_have_built(tmp_path):
    folder = made(tmp_path / "index")
    expected = contents(folder)
    as_old(folder)
    with pytest.raises(ResourceError, match=r"earlier version.*`claimlight index`.*without encoding"):
        Generation.open(folder)
    told = []
    for _ in range(2):
        with IndexWriter(folder) as writer:
            writer.start(RECIPE, dim=DIM, centers=V, context=TaskContext(told.append))
    assert contents(folder) == expected
    (note,) = told
    assert "converted" in note.text
    found = Generation.open(folder)
    assert found.notes == ()
    names = {path.name for path in found.folder.iterdir()}
    assert names == {
        *(item.name for item in found.manifest.segments),
        manifest.manifest_name(found.manifest.commit),
        manifest.COPY,
        found.manifest.graph.file.name,
        "verified.json",
    }
    assert found.scoring(CenterSettings()).norm.exponent == 0.5


@pytest.mark.parametrize("fails", range(0, 40, 3))
def test_a_conversion_may_be_cut_off_anywhere(tmp_path, monkeypatch, fails):
    """The n-th file that can't be written: the old index is there still, and the next start converts it."""
    folder = made(tmp_path / "index")
    expected = contents(folder)
    as_old(folder)
    before = (folder / CURRENT).read_bytes()
    calls = []

    def failing(real):
        def work(*arguments):
            calls.append(1)
            if len(calls) == fails + 1:
                raise OSError(28, "No space left on device")
            return real(*arguments)

        return work

    writer = IndexWriter(folder).__enter__()
    with monkeypatch.context() as patch:
        patch.setattr(files, "record_file", failing(files.record_file))
        patch.setattr(files, "sync", failing(files.sync))
        try:
            writer.start(RECIPE, dim=DIM, centers=V)
        except ResourceError as error:
            assert "not enough disk space" in str(error)  # noqa: PT017
            assert (folder / CURRENT).read_bytes() == before
        else:
            assert fails >= len(calls)
    writer.__exit__()
    with IndexWriter(folder) as again:
        again.start(RECIPE, dim=DIM, centers=V)
    assert contents(folder) == expected


def test_a_cancelled_conversion_leaves_the_old_index(tmp_path):
    folder = made(tmp_path / "index")
    as_old(folder)
    before = tree(folder)
    context = TaskContext()
    context.cancel()
    with IndexWriter(folder) as writer, pytest.raises(TaskCancelled):
        writer.start(RECIPE, dim=DIM, centers=V, context=context)
    assert tree(folder) == before


def test_a_damaged_old_index_is_not_converted(tmp_path):
    folder = made(tmp_path / "index")
    as_old(folder)
    (victim, *_) = folder.rglob("entry_weight.npy")
    body = bytearray(victim.read_bytes())
    body[-1] ^= 1
    victim.write_bytes(body)
    with IndexWriter(folder) as writer, pytest.raises(ResourceError, match=r"entry_weight.*--rebuild"):
        writer.start(RECIPE, dim=DIM, centers=V)
    assert victim.exists()


def test_an_interrupted_rebuild_of_the_old_format_goes_on(tmp_path):
    folder = made(tmp_path / "index")
    live = contents(folder)
    made(folder, (3, 4), rebuild=True)
    as_old(folder, NEXT)
    with IndexWriter(folder) as writer:
        writer.start(RECIPE, dim=DIM, centers=V, rebuild=True)
        assert writer.manifest.last_document == 7
        assert contents(folder) == live
        writer.finish()
    assert contents(folder)[-1] == 7
