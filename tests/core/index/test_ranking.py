"""Rankings over postings against brute force in float64, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_fakes import DIM, RECIPE, corpus, inverted, segment
from scipy.sparse import csc_matrix

from claimlight.errors import BugError
from claimlight.highlight.evidence import meet, sum_scores
from claimlight.highlight.terms import Terms
from claimlight.index import postings, ranking, scoring_kernels, worker_threads
from claimlight.index.generation import Generation
from claimlight.index.scoring import CODES, CenterQuery, LengthNorm
from claimlight.index.segments import BLOCK
from claimlight.index.writer import IndexWriter
from claimlight.settings import CenterSettings
from claimlight.tasks import TaskContext

V = 12


def build(folder, documents, cuts, dead=(), *, merge=False):
    with IndexWriter(folder) as writer:
        writer.start(RECIPE, dim=DIM, centers=V)
        first = 0
        for size in [*cuts, len(documents)]:
            some = documents[first : first + size]
            if some:
                writer.commit(segment(some, V, first + 1), last_document=first + len(some))
            first += len(some)
        writer.remove(dead, 1)
        if merge:
            writer.merge(TaskContext())
    return Generation.open(folder)


def brute(documents, query, norm, *, dead=(), allowed=None):
    """[(passage, document, score)] of every passage with one: a sparse product in float64."""
    passages = [
        item
        for group in documents
        for item in group
        if item.document not in dead and (allowed is None or item.document in allowed)
    ]
    if not passages or not len(query):
        return []
    rows = np.concatenate([np.full(len(item.centers), n) for n, item in enumerate(passages)])
    columns = np.concatenate([item.centers for item in passages])
    codes = np.concatenate([item.codes for item in passages])
    row = query.row_of_center(V)[columns]
    worth = np.where(row >= 0, query.worth[row, codes], 0.0)
    matrix = csc_matrix((worth, (rows, columns)), shape=(len(passages), V))
    found = (matrix @ np.ones(V)) / norm.of(np.array([item.spans for item in passages]))
    return [(item.id, item.document, score) for item, score in zip(passages, found, strict=True) if score > 0]


def best_documents(scored):
    best = {}
    for passage, document, score in sorted(scored, key=lambda item: (-item[2], item[0])):
        best.setdefault(document, (document, score, passage))
    return sorted(best.values(), key=lambda item: (-item[1], item[0]))


@st.composite
def queries(draw):
    """Few different worths, so that many passages tie."""
    centers = sorted(draw(st.sets(st.integers(0, V - 1), max_size=V)))
    steps = draw(st.sampled_from([1, 64, 300]))
    factors = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 1.0, 3.7]), min_size=V, max_size=V)))
    worth = factors[: len(centers), None] * (np.ceil(np.arange(CODES) / steps) * steps)[None, :]
    return CenterQuery(np.array(centers, dtype=np.int32), worth)


NORMS = st.builds(LengthNorm, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1, 3, 16]))
CUTS = st.lists(st.integers(0, 12), max_size=3)
SOME = st.none() | st.sets(st.integers(1, 22))


@given(st.integers(0, 1000), CUTS, queries(), NORMS, st.sets(st.integers(1, 20)), SOME, st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_the_best_are_those_of_brute_force(tmp_path_factory, seed, cuts, query, norm, dead, allowed, k):
    """Whatever the segments, tombstones, filters and ties: same passages, same order, same bits."""
    documents = corpus(20, seed=seed)
    found = build(tmp_path_factory.mktemp("index"), documents, cuts, sorted(dead))
    filtered = None if allowed is None else np.array(sorted(allowed), dtype=np.int64)
    truth = brute(documents, query, norm, dead=dead, allowed=allowed)
    ranked = sorted(truth, key=lambda item: (-item[2], item[0]))[:k]
    best = found.best_passages(query, norm, k=k, allowed=filtered)
    assert list(zip(best.passages, best.documents, best.scores, strict=True)) == ranked
    tops = found.best_documents(query, norm, depth=k, allowed=filtered)
    assert list(zip(tops.documents, tops.scores, tops.passages, strict=True)) == best_documents(truth)[:k]
    if allowed is None:
        every = found.all_passages(query, norm)
        assert sorted(zip(every.passages, every.documents, every.scores, strict=True)) == sorted(truth)
        assert found.posting_count(query) == sum(
            int(np.isin(item.centers, query.centers).sum()) for group in documents for item in group
        )


@given(st.integers(0, 1000), CUTS, st.sets(st.integers(1, 20)))
@settings(max_examples=25, deadline=None)
def test_contributions_sum_to_the_score(tmp_path_factory, seed, cuts, dead):
    documents = corpus(20, seed=seed)
    found = build(tmp_path_factory.mktemp("index"), documents, cuts, sorted(dead))
    rng = np.random.default_rng(seed)
    scoring = found.scoring(CenterSettings(idf_exponent=3.0))
    centers = np.flatnonzero(rng.random(V) < 0.6).astype(np.int32)
    weights = rng.uniform(0.5, 1.0, len(centers))
    place = np.zeros(len(centers), dtype=np.int32)
    terms = Terms(centers, weights, place, place)
    ranked = found.best_passages(scoring.query(centers, weights), scoring.norm, k=200)
    for forward in (found.forward(ranked.passages), found.forward(ranked.passages, centers)):
        met = meet(terms, forward, scoring)
        assert np.allclose(sum_scores(met, len(ranked.passages)), ranked.scores, rtol=1e-12)
        assert (met.contribution > 0).all()


def tall(rng, documents, passages, centers=V):
    """Forward lists of many passages: gaps of all sizes, one document longer than a block."""
    share = np.array([0.6, 0.2, 0.05, 0.01, 0.003, 0.0005, 0.9, 0.3, 0.0, 0.1, 0.02, 1e-4])
    held = rng.random((passages, centers)) < share
    counts = held.sum(axis=1)
    center = np.nonzero(held)[1].astype(np.uint16)
    code = rng.integers(1, 256, len(center)).astype(np.uint8)
    edges = np.sort(rng.integers(0, passages, documents - 1))
    return np.r_[0, np.cumsum(counts)].astype(np.int64), center, code, np.r_[0, edges, passages]


def dense_list(starts, data, *, center, passages):
    """[P] the code of every passage for one center, 0 where it has none."""
    blocks = postings.count_blocks(passages)
    codes = np.zeros(blocks * BLOCK, dtype=np.uint8)
    for block in range(blocks):
        places, found = postings.read_list(starts, data, center=center, block=block, blocks=blocks)
        held = found > 0
        codes[block * BLOCK + places[held]] = found[held]
    return codes[:passages]


@pytest.mark.parametrize("passages", [1, 255, 256, 257, BLOCK, BLOCK + 1, 3 * BLOCK - 7])
def test_lists_hold_what_forward_lists_hold(passages):
    offsets, center, code, _ = tall(np.random.default_rng(passages), 2, passages)
    made = inverted(offsets, center, code, centers=V)
    row = np.repeat(np.arange(passages), np.diff(offsets))
    for number in range(V):
        expected = np.zeros(passages, dtype=np.uint8)
        expected[row[center == number]] = code[center == number]
        found = dense_list(made.starts, made.data, center=number, passages=passages)
        assert np.array_equal(found, expected)
        assert made.center_df[number] == np.count_nonzero(expected)
    assert made.data.nbytes <= 3 * len(center) + V * postings.count_blocks(passages)


@pytest.mark.parametrize("gap", [1, 254, 255, 256, 510, 511, 600, 30_000])
def test_long_gaps_are_carried_or_the_places_written(gap):
    """Lists of every density come back, at the edges of what a byte holds."""
    places = np.arange(0, BLOCK, gap)
    offsets = np.zeros(BLOCK + 1, dtype=np.int64)
    offsets[places + 1] = 1
    offsets = np.cumsum(offsets)
    code = np.full(len(places), 7, dtype=np.uint8)
    made = inverted(offsets, np.zeros(len(places), np.uint16), code, centers=1)
    found = dense_list(made.starts, made.data, center=0, passages=BLOCK)
    assert np.array_equal(np.flatnonzero(found), places)
    assert made.data.nbytes <= min(3 * len(places) + 1, 2 * (len(places) + (gap - 1) // 255 * len(places)))


class OneSegment:
    """What `ranking` reads of a segment, without a disk."""

    def __init__(self, rng, passages, documents, gone=()):
        self.offsets, self.center, self.code, edges = tall(rng, documents, passages)
        made = inverted(self.offsets, self.center, self.code, centers=V)
        self.arrays, self.center_df = made, made.center_df
        self.blocks = postings.count_blocks(passages)
        self.document_ids = np.arange(10, 10 + documents)
        self.passage_ids = np.arange(passages) + 1000
        self.live_documents = ~np.isin(self.document_ids, gone)
        self.edges = edges.astype(np.int64)
        self.postings = (made.starts, made.data, self.edges)
        self.spans = rng.integers(0, 40, passages).astype(np.int32)

    def alive(self, allowed):
        kept = (
            self.live_documents
            if allowed is None
            else self.live_documents & np.isin(self.document_ids, allowed)
        )
        return kept.view(np.uint8)

    def lengths(self, norm):
        norms = norm.of(np.arange(41))
        from claimlight.index.live import Lengths

        return Lengths(self.spans, norms, (1 / norms).astype(np.float32)[self.spans])

    def documents_at(self, positions):
        return self.document_ids[np.searchsorted(self.edges, positions, side="right") - 1]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("flat", [False, True])
def test_many_blocks_and_threads_give_the_same(monkeypatch, threads, flat):
    """Documents that reach over blocks and runs, thousands of ties, kept buffers that overflow."""
    monkeypatch.setattr(ranking, "_WORTH_A_THREAD", 1000)
    rng = np.random.default_rng(8)
    segments = [OneSegment(rng, 5 * BLOCK + 11, 9, gone=[12]), OneSegment(rng, 2 * BLOCK, 4000)]
    segments[1].document_ids = segments[1].document_ids + 1000
    segments[1].passage_ids = segments[1].passage_ids + 10**6
    segments[1].live_documents = np.ones(4000, dtype=bool)
    centers = np.array([1, 2, 4, 7, 10], dtype=np.int32)
    table = np.ones(CODES) if flat else np.arange(CODES) / 255
    worth = rng.choice([1.0, 2.0, 2.5], 5)[:, None] * table[None, :]
    worth[:, 0] = 0
    query, norm = CenterQuery(centers, worth), LengthNorm(0.0 if flat else 0.5, 8)
    ids, documents, scored = [], [], []
    for item in segments:
        sums = np.zeros(len(item.passage_ids))
        row = np.repeat(np.arange(len(sums)), np.diff(item.offsets))
        for n, center in enumerate(centers):
            here = item.center == center
            sums[row[here]] += worth[n, item.code[here]]
        sums /= norm.of(item.spans)
        sums[~np.isin(item.documents_at(np.arange(len(sums))), item.document_ids[item.live_documents])] = 0
        ids.append(item.passage_ids)
        documents.append(item.documents_at(np.arange(len(sums))))
        scored.append(sums)
    ids, documents, scored = (np.concatenate(part) for part in (ids, documents, scored))
    order = np.lexsort((ids, -scored))[:700]
    best = ranking.best_passages(segments, query, norm, k=700, allowed=None, threads=threads)
    assert np.array_equal(best.passages, ids[order])
    assert np.array_equal(best.scores, scored[order])
    every = ranking.all_passages(segments, query, norm, threads=threads)
    assert np.array_equal(every.scores, scored[scored > 0])
    tops = ranking.best_documents(segments, query, norm, depth=300, allowed=None, threads=threads)
    truth = best_documents(zip(ids.tolist(), documents.tolist(), scored.tolist(), strict=True))[:300]
    assert list(zip(tops.documents, tops.scores, tops.passages, strict=True)) == truth


def test_a_small_index_starts_no_threads(tmp_path, monkeypatch):
    found = build(tmp_path / "index", corpus(20, seed=1), [5, 5])
    query = CenterQuery(np.arange(V, dtype=np.int32), np.arange(CODES)[None, :] * np.ones((V, 1)))
    monkeypatch.setattr(worker_threads, "_calls", None)
    assert len(found.best_documents(query, LengthNorm(0.5), depth=5).documents) == 5


def test_stop_lists_have_names(tmp_path):
    found = build(tmp_path / "index", corpus(40, seed=1), [])
    one, two = (found.stops(CenterSettings(stop_share=share)) for share in (0.25, 0.4))
    assert one.centers.tolist() == sorted(np.argsort(-found.df, kind="stable")[:3].tolist())
    assert one.digest == found.stops(CenterSettings(stop_share=0.25)).digest
    assert one.digest != two.digest
    assert found.stops(CenterSettings(stop_share=0.0)).centers.size == 0


def test_a_table_that_does_not_fit_is_refused():
    with pytest.raises(BugError, match="twice"):
        CenterQuery(np.array([1, 1], dtype=np.int32), np.zeros((2, CODES)))
    with pytest.raises(BugError, match="shape"):
        CenterQuery(np.array([1], dtype=np.int32), np.zeros((1, 9)))


def test_a_search_without_an_answer(tmp_path):
    found = build(tmp_path / "index", corpus(5), [])
    none = CenterQuery(np.empty(0, dtype=np.int32), np.empty((0, CODES)))
    assert len(found.best_passages(none, LengthNorm(0.5), k=3).passages) == 0
    assert len(found.best_documents(none, LengthNorm(0.5), depth=3).documents) == 0
    one = CenterQuery(np.array([1], dtype=np.int32), np.arange(CODES)[None, :] * 1.0)
    nobody = np.empty(0, dtype=np.int64)
    assert len(found.best_passages(one, LengthNorm(0.5), k=3, allowed=nobody).passages) == 0


def test_kernels_are_compiled_without_a_cache(tmp_path):
    """No folder for machine code, or a full disk: the search works, only its first call takes longer."""
    import subprocess
    import sys

    script = (
        "import sys, numba.core.caching as caching\n"
        "from pathlib import Path\n"
        "if sys.argv[1] == 'nowhere':\n"
        "    caching.CacheImpl._locator_classes = []\n"
        "    caching.FunctionCache._impl_class._locator_classes = []\n"
        "else:\n"
        "    def full(self, *_):\n        raise OSError(28, 'No space left on device')\n"
        "    caching.IndexDataCacheFile.save = full\n"
        "    caching.IndexDataCacheFile.load = full\n"
        "import numpy as np\n"
        "from claimlight.index.forward_kernels import select_plain\n"
        "one = np.array([0]); two = np.array([2])\n"
        "counts, found = select_plain(one, two, np.array([0, 1], np.uint16), np.array([0, 1], np.uint8))\n"
        "print(counts.tolist(), found.tolist())\n"
    )
    for case in ("nowhere", "full"):
        done = subprocess.run(
            [sys.executable, "-c", script, case], capture_output=True, text=True, check=False
        )
        assert done.stdout == "[1] [1]\n", done.stderr
    assert scoring_kernels.BLOCK == BLOCK


@pytest.mark.parametrize("k", [0, -1])
def test_no_best_at_all_is_a_bug(tmp_path, k):
    found = build(tmp_path / "index", corpus(6, seed=1), [3])
    query = CenterQuery(np.arange(V, dtype=np.int32), np.arange(CODES)[None, :] * np.ones((V, 1)))
    with pytest.raises(BugError, match="were asked for"):
        found.best_passages(query, LengthNorm(0.5), k=k)
    with pytest.raises(BugError, match="were asked for"):
        found.best_documents(query, LengthNorm(0.5), depth=k)
