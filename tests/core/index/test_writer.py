"""Publishing: what is live is whole, what is damaged is refused, what is left over goes."""

import json
import random
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from index_fakes import DIM, RECIPE, corpus, segment, vectors

from claimlight.errors import ResourceError, TaskCancelled
from claimlight.index import files, manifest, merge, verify
from claimlight.index.generation import Generation
from claimlight.index.lock import is_being_written
from claimlight.index.manifest import COPY, CURRENT, NEXT, IndexRecipe
from claimlight.index.writer import IndexWriter
from claimlight.settings import IndexSettings
from claimlight.tasks import TaskContext

V = 12


def start(folder, recipe=RECIPE, *, rebuild=False):
    writer = IndexWriter(folder).__enter__()
    try:
        writer.start(recipe, dim=DIM, centers=V, rebuild=rebuild)
    except BaseException:
        writer.__exit__()
        raise
    return writer


def made(folder, sizes=(10, 10), *, graph=True):
    """An index with one segment for each size."""
    writer, first = start(folder), 0
    for size in sizes:
        first += size
        writer.commit(
            segment(corpus(size, seed=first, first=first - size + 1), V, first - size + 1),
            last_document=first,
        )
    if graph:
        writer.build_graph(IndexSettings(), TaskContext())
    writer.finish()
    writer.__exit__()
    return folder


def test_nothing_there_is_no_error(tmp_path):
    assert Generation.open(tmp_path / "index") is None


def test_commits_go_on_after_the_last(tmp_path):
    folder = made(tmp_path / "index")
    writer = start(folder)
    assert writer.manifest.last_document == 20
    writer.commit(segment(corpus(5, first=21), V, 21), last_document=25, skipped=[24])
    writer.__exit__()
    generation = Generation.open(folder)
    assert generation.documents == 25
    assert generation.manifest.skipped == (24,)
    assert generation.last_document == 25


def test_every_byte_of_every_file_is_guarded(tmp_path):
    """Flip, cut or remove any file of the index: it is refused, by name, with what to do.

    But the second copy of the manifest, which only repairs read.
    """
    folder = made(tmp_path / "index", graph=False)
    random.seed(1)
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.name in ("lock", verify.STAMPS):
            continue
        body = path.read_bytes()
        spoiled = bytearray(body)
        spoiled[random.randrange(len(body))] ^= 1 << random.randrange(8)
        for wrong in (bytes(spoiled), body[:-2], b"", None):
            path.unlink()
            if wrong is not None:
                path.write_bytes(wrong)
            elif path.name == CURRENT:
                path.write_bytes(body)
                continue
            if path.name == COPY:
                assert Generation.open(folder).documents == 20
            else:
                with pytest.raises(ResourceError, match="--rebuild"):
                    Generation.open(folder)
            path.write_bytes(body)
    assert Generation.open(folder).documents == 20


def test_what_was_verified_is_not_read_again(tmp_path, monkeypatch):
    folder = made(tmp_path / "index")
    Generation.open(folder)
    read = []
    monkeypatch.setattr(files, "check_hash", lambda path, item: read.append(path.name))
    found = Generation.open(folder)
    assert [name for name in read if name.endswith(".npy")] == []
    verify.verify(found.folder, found.manifest.segments, remembered=False)
    assert len(read) > 20
    target = found.folder / found.manifest.segments[0].name / "entry_word.npy"
    target.write_bytes(target.read_bytes())
    read.clear()
    Generation.open(folder)
    assert "entry_word.npy" in read


def test_a_damaged_graph_is_never_loaded(tmp_path):
    """hnswlib crashes the process on some damaged files; the search is exact instead and says so."""
    folder = made(tmp_path / "index", (40,))
    generation = Generation.open(folder)
    expected = generation.search_dense(vectors(1)[0], 10, exact=True)
    path = generation.folder / generation.manifest.graph.file.name
    body = path.read_bytes()
    random.seed(2)
    for trial in range(20):
        spoiled = bytearray(body)
        spoiled[random.randrange(len(body))] ^= 0x40
        path.write_bytes(spoiled if trial % 2 else body[: random.randrange(len(body))])
        found = Generation.open(folder)
        assert "exact" in found.notes[0]
        assert found.search_dense(vectors(1)[0], 10) == expected
    writer = start(folder)
    writer.build_graph(IndexSettings(), TaskContext())
    writer.__exit__()
    assert Generation.open(folder).notes == ()


def test_a_graph_cut_short_by_a_full_disk_is_not_published(tmp_path, monkeypatch):
    import hnswlib

    class Short(hnswlib.Index):
        def save_index(self, path):
            super().save_index(path)
            with Path(path).open("r+b") as stream:
                stream.truncate(100)

    monkeypatch.setattr(hnswlib, "Index", Short)
    writer = start(made(tmp_path / "index", graph=False))
    with pytest.raises(ResourceError, match="not enough disk space"):
        writer.build_graph(IndexSettings(), TaskContext())
    writer.__exit__()
    assert Generation.open(tmp_path / "index").documents == 20
    assert not list((tmp_path / "index").rglob("*.tmp"))


@pytest.mark.parametrize("field", ["encoder", "normaliser", "centers", "unit"])
def test_another_recipe_is_refused_and_both_are_named(tmp_path, field):
    folder = made(tmp_path / "index")
    other = IndexRecipe(**{**{name: getattr(RECIPE, name) for name in RECIPE.__slots__}, field: "other-one"})
    with pytest.raises(ResourceError, match=rf"(?s){getattr(RECIPE, field)}.*other-one"):
        start(folder, other)
    with pytest.raises(ResourceError, match="other-one"):
        Generation.open(folder).recipe.check(other)


def test_another_top_k_is_refused(tmp_path):
    folder = made(tmp_path / "index")
    with pytest.raises(ResourceError, match="--rebuild"):
        start(folder, IndexRecipe("enc", "norm", "cen", "word", 9))


@pytest.mark.skipif(sys.platform == "win32", reason="limits as POSIX has them")
def test_a_graph_that_the_kernel_cuts_short_is_not_published(tmp_path):
    """No file may grow past a limit, as on a full disk: hnswlib reports nothing, and the old graph serves."""
    import resource

    folder = made(tmp_path / "index")
    old = Generation.open(folder).manifest.graph
    size = (folder / Generation.open(folder).manifest.generation / old.file.name).stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    writer = start(folder)
    writer.commit(segment(corpus(4, first=21), V, 21), last_document=24)
    try:
        for limit in (0, 1, 100, size // 2, size - 1, size):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
            with pytest.raises(ResourceError, match="not enough disk space"):
                writer.build_graph(IndexSettings(), TaskContext())
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            found = Generation.open(folder)
            assert found.documents == 24
            assert found.manifest.graph == old
            near, exact = (found.search_dense(vectors(1)[0], 10, exact=exact) for exact in (False, True))
            assert [(hit.document, hit.section) for hit in near] == [
                (hit.document, hit.section) for hit in exact
            ]
            assert not list(folder.rglob("*.tmp"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    writer.build_graph(IndexSettings(), TaskContext())
    writer.__exit__()
    assert Generation.open(folder).manifest.graph.through == 24


def test_sections_that_the_graph_does_not_reach_are_found_exactly(tmp_path):
    """Among hundreds of equal vectors the links of the graph lead to some of them only."""
    arrays = segment(corpus(400), V)
    same = np.repeat(arrays.section_vectors[:1], len(arrays.section_vectors), axis=0)
    writer = start(tmp_path / "index")
    writer.commit(replace(arrays, section_vectors=same), last_document=400)
    writer.build_graph(IndexSettings(hnsw_m=4, section_level=0.0), TaskContext())
    writer.finish()
    writer.__exit__()
    found = Generation.open(tmp_path / "index")
    every = len(same)
    assert found.notes == ()
    with pytest.raises(RuntimeError, match="Cannot return"):
        found._dense._graph.search(vectors(1)[0], every, every)
    assert found.search_dense(vectors(1)[0], every) == found.search_dense(vectors(1)[0], every, exact=True)


def test_a_rebuild_leaves_the_old_index_live_until_it_is_done(tmp_path):
    folder = made(tmp_path / "index")
    old = Generation.open(folder).name
    other = IndexRecipe("enc2", "norm", "cen", "word", 3)
    writer = start(folder, other, rebuild=True)
    writer.commit(segment(corpus(3), V), last_document=3)
    assert Generation.open(folder).name == old
    writer.__exit__()
    again = start(folder, other, rebuild=True)
    assert again.manifest.last_document == 3
    again.finish()
    again.__exit__()
    found = Generation.open(folder)
    assert found.documents == 3
    assert found.recipe == other
    assert sorted(path.name for path in folder.iterdir()) == [CURRENT, found.manifest.generation, "lock"]


def test_a_damaged_index_can_be_rebuilt(tmp_path):
    folder = made(tmp_path / "index")
    (folder / CURRENT).write_text("{")
    with pytest.raises(ResourceError, match="--rebuild"):
        start(folder)
    writer = start(folder, rebuild=True)
    writer.commit(segment(corpus(4), V), last_document=4)
    writer.finish()
    writer.__exit__()
    assert Generation.open(folder).documents == 4
    assert not (folder / NEXT).exists()


def test_an_unreadable_pointer_makes_nothing_disappear(tmp_path):
    folder = made(tmp_path / "index")
    before = sorted(path for path in folder.rglob("*"))
    (folder / CURRENT).write_text("{")
    writer = start(folder, rebuild=True)
    assert set(before) <= set(folder.rglob("*"))
    writer.__exit__()


def test_leftovers_go_at_the_next_start(tmp_path):
    folder = made(tmp_path / "index")
    inner = folder / Generation.open(folder).manifest.generation
    (inner / "seg-000099.tmp").mkdir()
    (inner / "seg-000099.tmp" / "x.npy").write_bytes(b"x")
    (inner / "dense-9.hnsw.tmp").write_bytes(b"x")
    (inner / "seg-000098").mkdir()
    (folder / "g0000-dead").mkdir()
    (folder / "CURRENT.tmp").write_bytes(b"x")
    start(folder).__exit__()
    names = {path.name for path in folder.rglob("*")}
    assert not names & {"seg-000099.tmp", "dense-9.hnsw.tmp", "seg-000098", "g0000-dead", "CURRENT.tmp"}
    assert Generation.open(folder).documents == 20


def test_one_writer_at_a_time(tmp_path):
    folder = made(tmp_path / "index")
    script = (
        "import sys; from pathlib import Path; from claimlight.index.lock import WriterLock\n"
        "from claimlight.errors import ResourceError\n"
        "try:\n    WriterLock(Path(sys.argv[1])).__enter__()\n"
        "except ResourceError as error:\n    print(error)\n"
    )

    def other():
        done = subprocess.run(
            [sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=True
        )
        return done.stdout

    assert not is_being_written(folder)
    with IndexWriter(folder):
        assert is_being_written(folder)
        assert "being indexed" in other()
        with pytest.raises(ResourceError, match="being indexed"), IndexWriter(folder):
            pass
    assert other() == ""
    assert not is_being_written(folder)
    assert not is_being_written(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_full_disk_is_said_and_the_index_stays(tmp_path, monkeypatch):
    folder = made(tmp_path / "index")
    writer = start(folder)
    monkeypatch.setattr(files, "_free", lambda _: 1000)
    with pytest.raises(ResourceError, match="not enough disk space"):
        writer.commit(segment(corpus(4, first=21), V, 21), last_document=24)
    writer.__exit__()
    assert Generation.open(folder).documents == 20


@pytest.mark.parametrize("fails", range(0, 40, 3))
def test_any_write_may_fail(tmp_path, monkeypatch, fails):
    """The n-th array that can't be written: nothing of the commit is seen, the next try works."""
    folder = made(tmp_path / "index")
    real, calls = files.sync, []

    def failing(stream):
        calls.append(1)
        if len(calls) == fails + 1:
            raise OSError(28, "No space left on device")
        real(stream)

    writer = start(folder)
    with monkeypatch.context() as patch:
        patch.setattr(files, "sync", failing)
        with suppress(ResourceError):
            writer.commit(segment(corpus(4, first=21), V, 21), last_document=24)
    assert Generation.open(folder).documents == writer.manifest.last_document
    if writer.manifest.last_document == 20:
        writer.commit(segment(corpus(4, first=21), V, 21), last_document=24)
    writer.__exit__()
    assert Generation.open(folder).documents == 24


def test_a_cancelled_merge_leaves_the_segments(tmp_path):
    folder = made(tmp_path / "index", (5, 5, 5))
    writer = start(folder)
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        writer.merge(context)
    writer.__exit__()
    assert len(Generation.open(folder).segments) == 3


def test_removing_twice_counts_once(tmp_path):
    writer = start(made(tmp_path / "index"))
    assert writer.remove([3, 4, 999], 7) == 2
    assert writer.remove([4], 8) == 0
    assert writer.manifest.library_version == 8
    writer.__exit__()
    assert Generation.open(tmp_path / "index").documents == 18


def test_small_segments_are_drawn_into_their_elders():
    assert merge.count_mergeable([10, 10, 10]) == 3
    assert merge.count_mergeable([100, 10]) == 1
    assert merge.count_mergeable([100, 10, 10, 10]) == 4
    assert merge.count_mergeable([1000, 10, 10]) == 2
    assert merge.count_mergeable([]) == 0
    assert merge.count_mergeable([merge.POSTINGS_LIMIT, merge.POSTINGS_LIMIT]) == 1


def test_a_newer_format_is_refused(tmp_path):
    import hashlib

    folder = made(tmp_path / "index")
    pointer = manifest.read_pointer(folder)
    path = folder / pointer.generation / manifest.manifest_name(pointer.commit)
    body = json.dumps(json.loads(path.read_text()) | {"format": 99}).encode()
    path.write_bytes(body)
    raw = {
        "generation": pointer.generation,
        "commit": pointer.commit,
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    (folder / CURRENT).write_text(json.dumps(raw))
    with pytest.raises(ResourceError, match="format 99"):
        Generation.open(folder)


def test_object_arrays_are_refused(tmp_path):
    """A pickled array would run code when it is loaded; it is not even looked at."""
    folder = made(tmp_path / "index")
    found = Generation.open(folder)
    target = found.folder / found.manifest.segments[0].name / "span_counts.npy"
    np.save(target, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ResourceError):
        Generation.open(folder, check=False)


def test_replaced_segments_are_deleted_with_the_merge(tmp_path):
    """A reader that has them open reads on."""
    folder = made(tmp_path / "index", (5, 5, 5))
    reading = Generation.open(folder)
    passages = np.concatenate([item.passage_ids for item in reading.segments])
    expected = reading.forward(passages).centers.tolist()
    with IndexWriter(folder) as writer:
        writer.start(RECIPE, dim=DIM, centers=V)
        writer.merge(TaskContext())
        names = {path.name for path in writer.folder.iterdir() if path.is_dir()}
        assert names == {item.name for item in writer.manifest.segments}
        assert len(names) == 1
    assert reading.forward(passages).centers.tolist() == expected
    assert Generation.open(folder).forward(passages).centers.tolist() == expected


def test_a_reader_of_the_old_pointer_tries_again(tmp_path, monkeypatch):
    folder = made(tmp_path / "index", (5, 5, 5))
    real, read = manifest.read, []

    def late(index, pointer, **options):
        found = real(index, pointer, **options)
        if not read:
            read.append(found)
            with IndexWriter(folder) as writer:
                writer.start(RECIPE, dim=DIM, centers=V)
                writer.merge(TaskContext())
        return found

    monkeypatch.setattr(manifest, "read", late)
    found = Generation.open(folder)
    assert (len(read[0].segments), len(found.segments)) == (3, 1)


@pytest.mark.parametrize("limit", [40, 100])
def test_no_segment_grows_above_the_limit_by_merging(monkeypatch, limit):
    """So the extra space of a merge is bounded, whatever the size of the index."""
    monkeypatch.setattr(merge, "POSTINGS_LIMIT", limit)
    sizes = []
    for _ in range(100):
        sizes.append(7)
        while (run := merge.count_mergeable(sizes)) > 1:
            sizes[-run:] = [sum(sizes[-run:])]
        assert max(sizes) <= limit
    assert len(sizes) <= 2 * 700 / limit
