"""Kernels that are compiled with the program give what those of numba give, to the last bit."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from claimlight.errors import BugError, ResourceError
from claimlight.index import compiled
from claimlight.index.compiled import Kernels
from claimlight.tasks import TaskContext

ROOT = Path(__file__).resolve().parents[3]
V, DIM = 300, 16
LIGHT = ("select_plain", "find_meetings", "take_best", "decode_lengths")
"""Few, as compiling takes its time: of each kind of argument and result some."""
WORDS = ["damper", "piston", "valve", *(f"part{number}" for number in range(60))]


def load_builder():
    spec = importlib.util.spec_from_file_location("kernels", ROOT / "installer" / "bundle" / "kernels.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Compared:
    """A kernel that calls numba's, and the compiled ones with copies of the same arguments."""

    def __init__(self, kernel, others):
        self.kernel, self.others, self.calls = kernel, others, 0

    def __call__(self, *arguments):
        copies = [copy.deepcopy(arguments) for _ in self.others]
        result = self.kernel(*arguments)
        for other, given in zip(self.others, copies, strict=True):
            assert as_bytes(other(*given)) == as_bytes(result)
            assert as_bytes(tuple(given)) == as_bytes(arguments)
        self.calls += 1
        return result


def as_bytes(value):
    if isinstance(value, tuple):
        return [as_bytes(each) for each in value]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return type(value).__name__ if value is None else np.float64(value).tobytes()


# Of setuptools, which links the kernels, on Pythons that still have it.
@pytest.mark.filterwarnings("ignore:The distutils package:DeprecationWarning")
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("names", [LIGHT, pytest.param((), marks=pytest.mark.variants)])
def test_they_are_those_of_numba_to_the_last_bit(names, tmp_path, monkeypatch):
    builder = load_builder()
    builder.build(tmp_path / "kernels", names)
    best = compiled.best_level(tmp_path / "kernels")
    made = [Kernels(tmp_path / "kernels", level) for level in dict.fromkeys((best, builder.levels()[-1]))]
    found = {}
    for module, kernels in builder.SIGNATURES.items():
        loaded = importlib.import_module(module)
        for name in kernels:
            if not names or name in names:
                found[name] = Compared(
                    getattr(loaded, name), [each.bind(f"{module}.{name}") for each in made]
                )
                monkeypatch.setattr(loaded, name, found[name])
    search_an_index(tmp_path)
    read_word_lists()
    if not names:
        find_nearest()
        lay_out()
        choose_centers()
        with pytest.raises(ValueError, match="negative dimensions"):
            rank_nothing(found["best_passages"].others[0], -1000)
        with pytest.raises(MemoryError, match="too large"):
            rank_nothing(found["best_passages"].others[0], 1 << 56)
    assert {name for name, each in found.items() if not each.calls} == set()
    if names:
        check_arguments(made)


def check_arguments(made):
    """Arrays of other types and in pieces are taken where numba takes them; others are refused by name."""
    for kernels in made:
        select = kernels.bind("claimlight.index.forward_kernels.select_plain")
        ends = np.array([0, 9, 2, 9, 4], np.int32)[::2]
        wanted = np.array([0, 1, 1], np.uint8)
        counts, found = select(ends[:2], ends[1:], np.array([2, 0, 1, 1], np.uint16), wanted)
        assert (counts.tolist(), found.tolist()) == ([1, 2], [0, 2, 3])
        with pytest.raises(BugError, match=r"select_plain is not compiled for i8 f8\[1\]"):
            select(1, np.zeros(1), np.zeros(1, np.uint16), wanted)
        lengths = np.zeros(6, np.int32)
        decode = kernels.bind("claimlight.retrieval.word_kernels.decode_lengths")
        assert decode(np.array([5, 0x81, 0, 7], np.uint8), lengths[::2]) == 3
        assert lengths.tolist() == [5, 0, 128, 0, 7, 0]
        with pytest.raises(BugError, match="is not compiled for"):
            kernels.bind("claimlight.index.order_kernels.find_document")(np.zeros(2, np.int64), 0)


def test_a_damaged_folder_is_named(tmp_path):
    with pytest.raises(ResourceError, match="installation is damaged"):
        Kernels(tmp_path)
    (tmp_path / compiled.TABLE).write_text("{}")
    with pytest.raises(ResourceError, match="no kernels"):
        Kernels(tmp_path)
    (tmp_path / compiled.library_name("x86-64-v2")).write_bytes(b"no library")
    with pytest.raises(ResourceError, match="installation is damaged"):
        Kernels(tmp_path, "x86-64-v2")


@pytest.mark.parametrize(
    ("has", "level"), [({"X86_V3": True}, "x86-64-v3"), ({"X86_V3": False}, "x86-64-v2"), ({}, "x86-64-v2")]
)
def test_the_level_is_one_that_the_processor_has(tmp_path, monkeypatch, has, level):
    for each in compiled.LEVELS:
        (tmp_path / compiled.library_name(each)).touch()
    monkeypatch.setattr(compiled, "instructions", lambda: has)
    assert compiled.best_level(tmp_path) == level


def test_every_kernel_that_is_called_has_signatures():
    """Kernels without are called by kernels only: their names are found in modules of kernels alone."""
    import re

    called = re.compile(r"kernels(?:\.| import )(\w+)")
    known = {name for kernels in load_builder().SIGNATURES.values() for name in kernels}
    places = [path for path in (ROOT / "core" / "claimlight").rglob("*.py") if "lab" not in path.parts]
    found = {
        name
        for path in places
        if not path.stem.endswith("_kernels") and path.stem not in ("jit", "compiled", "compiler")
        for name in called.findall(path.read_text(encoding="utf-8"))
        if name.islower()
    }
    assert found == known


def search_an_index(folder):
    from index_fakes import RECIPE, as_plain, corpus, segment

    from claimlight.highlight.evidence import meet
    from claimlight.highlight.terms import Terms
    from claimlight.index import ranking
    from claimlight.index.entries import pack
    from claimlight.index.forward import read_entries
    from claimlight.index.generation import Generation
    from claimlight.index.live import LiveSegment
    from claimlight.index.scoring import CODES, CenterQuery, LengthNorm
    from claimlight.index.writer import IndexWriter
    from claimlight.settings import CenterSettings

    documents = corpus(400, V, seed=4)
    with IndexWriter(folder / "index") as writer:
        writer.start(RECIPE, dim=DIM, centers=V)
        writer.commit(segment(documents[:250], V), last_document=250)
        writer.commit(segment(documents[250:], V, 251), last_document=400)
        writer.remove([3, 300], 1)
    generation = Generation.open(folder / "index")
    generation.threads = 1
    rng = np.random.default_rng(1)
    worth = rng.random((40, CODES))
    worth[:, 0] = 0.0
    query = CenterQuery(np.sort(rng.choice(V, 40, replace=False)).astype(np.int32), worth)
    norm = LengthNorm(0.5)
    for k in (1, 7, 5000):
        assert len(generation.best_passages(query, norm, k=k).passages)
        generation.best_documents(query, norm, depth=k)
    ranking.all_passages(generation.segments, query, norm, threads=1)
    passages = np.array([item.id for group in documents for item in group])
    lists = generation.forward(passages)
    nowhere = np.zeros(len(query), dtype=np.int32)
    terms = Terms(query.centers, np.ones(len(query)), nowhere, nowhere)
    meet(terms, lists, generation.scoring(CenterSettings()))
    plain = as_plain(segment(documents, V))
    read_entries([LiveSegment(plain, np.empty(0, dtype=np.int64))], passages, query.centers)
    pack(plain.plain)


def rank_nothing(best_passages, k):
    no, one = np.zeros(2, np.int64), np.ones(1)
    return best_passages(
        no[:1], one, np.zeros(1, np.int32), np.ones((1, 256)), no, np.zeros(2, np.uint16), no,
        np.zeros(1, np.uint8), np.zeros(1, np.int32), one, one.astype(np.float32), k,
    )  # fmt: skip


def read_word_lists():
    from claimlight.retrieval.passage_lengths import PassageLengths
    from claimlight.retrieval.passage_scores import score_by_lists
    from claimlight.retrieval.word_lists import WordLists
    from claimlight.store.tokens import TOKENIZER

    connection = sqlite3.connect(":memory:", isolation_level=None)
    tokenizer = f"tokenize='{TOKENIZER}'"
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, content='', {tokenizer})")
    random = np.random.default_rng(6)
    for number in range(1, 500):
        text = " ".join(random.choice(WORDS, size=int(random.integers(1, 40))))
        connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, text))
    lengths = PassageLengths.empty().update(connection, "words")
    lists = WordLists(connection, "words")
    found = score_by_lists(connection, WORDS[:3], lists=lists, lengths=lengths, context=TaskContext())
    assert len(found[0])


def find_nearest():
    from claimlight.index import nearest
    from claimlight.index.center_vocabulary import quantise, to_unit_rows
    from claimlight.index.nearest_gpu import GpuSieve

    rng = np.random.default_rng(2)
    codes = quantise(rng.standard_normal((200, DIM)).astype(np.float32))
    vectors = to_unit_rows(codes)
    rows = rng.standard_normal((70, DIM)).astype(np.float32)
    for sieve in (nearest.Sieve(codes, vectors), GpuSieve(codes, vectors, device="cpu")):
        for top, limit in ((5, 0.1), (200, 1e-9)):
            sieve.best(rows, np.full(200, limit), top, threads=1)


def lay_out():
    from claimlight.services.maps import projection

    vectors = np.random.default_rng(3).standard_normal((120, DIM)).astype(np.float32)
    projection.lay_out(vectors / np.linalg.norm(vectors, axis=1)[:, None], TaskContext())


def choose_centers():
    from claimlight.index.center_vocabulary import quantise
    from claimlight.training.centers import traversal

    spans = quantise(np.random.default_rng(5).standard_normal((400, DIM)).astype(np.float32))
    traversal.choose_farthest_first(spans, 60, threads=1)
    traversal.find_nearest(spans, spans[:70], 5, threads=1)
