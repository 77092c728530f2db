"""Rankings of a shared library are those of the same library in a folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from threading import Barrier
from time import sleep

import numpy as np
import pytest

from claimlight.errors import BugError, EngineError, InputError, ShortfallError
from claimlight.index import engine_search
from claimlight.index.backend import (
    ALL,
    DocumentFacts,
    Leg,
    PartBatch,
    PassageRows,
    SectionRows,
    SparseRows,
    passage_parts,
    section_parts,
)
from claimlight.index.generation import Generation
from claimlight.index.row_cache import RowCache
from claimlight.index.scoring import NO_NORM
from claimlight.index.shared import SharedIndex
from claimlight.retrieval import DocumentFilter, EngineWords, RetrievalQuery, Sources, open_retriever
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.fusion import Fusion
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.library.library import remove_documents
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words
from claimlight.types import SEARCH_RANKERS, ClassSymbol, IndexDepth, Ranker, Scheme
from tests.fakes import library, patent, stack, word_vector
from tests.shared_copy import share

CTX = TaskContext()
WORDS = content_words(
    "damper wheel frame piston cylinder valve spring bicycle kettle spout handle lid sensor motor "
    "gear shaft lamp lens mirror cable battery antenna receiver pump hose nozzle filter"
)
SETTINGS = change(Settings(), "centers.stop_share", 0.0)
ASKED = ("damper", "wheel", "valve", "lens", "pump", "l'antenna")
SYMBOLS = ("B62K 25/04", "F16F 9/516", "H04L 9/32")


def _patents(count=90):
    rng = np.random.default_rng(5)

    def text(many):
        return " ".join(rng.choice(WORDS, size=many))

    made = [
        patent(
            f"{2_000_000 + n}",
            text(2),
            abstract=text(int(rng.integers(3, 12))),
            claims=[text(int(rng.integers(4, 9))) for _ in range(int(rng.integers(0, 3)))],
            paragraphs=[text(int(rng.integers(5, 20))) for _ in range(int(rng.integers(0, 4)))],
            published=date(2000 + n % 20, 1, 1) if n % 7 else None,
            priority=f"77{n // 3}" if n % 3 else "",
        )
        for n in range(count)
    ]
    return [
        replace(each, classes=(ClassSymbol(Scheme.CPC, SYMBOLS[n % 3]),), publication=each.publication)
        for n, each in enumerate(made)
    ] + [replace(made[4], publication=replace(made[4].publication, number="2000999"))]


class _Some:
    """Descriptions of two documents in three."""

    def limit(self, waiting):
        return {document: many for document, many in waiting.items() if document % 3}

    def sorted(self, waiting):
        return sorted(waiting)


def _index(made, model, depth=IndexDepth.FULL, order=None):
    build_index(
        index_folder(made.folder),
        LibraryCorpus(made.store),
        stack=model,
        settings=SETTINGS,
        context=CTX,
        depth=depth,
        order=order,
    )


class Both:
    """One library in its folder, and shared."""

    def __init__(self, made, model, *, most=1 << 20):
        self.local = Sources(made.store, SETTINGS, Generation.open(index_folder(made.folder)))
        self.library = share(made, SETTINGS, most=most)
        parts = self.library.shared
        self.engine, self.source = parts.backend, parts.source
        self.index = SharedIndex.open(self.engine, self.source)
        self.shared = Sources(
            made.store,
            SETTINGS,
            self.index,
            shared=True,
            words=EngineWords(self.index.engine, parts.words),
        )
        self.catalogue = catalogues.load(made.store)
        active = model.vocabulary.activate(np.array([word_vector(w) for w in ASKED[:5]], np.float32), 2)
        centers, first = np.unique(active.center, return_index=True)
        vector = np.mean([word_vector(w) for w in ASKED[:5]], axis=0)
        self.query = RetrievalQuery(
            " ".join(ASKED),
            (vector / np.linalg.norm(vector)).astype(np.float32),
            centers,
            active.cosine[first],
        )

    def filters(self):
        everything = DocumentFilter.of(self.catalogue)
        classes = self.catalogue.ids[np.arange(len(self.catalogue)) % 3 == 0]
        return {
            "all": everything,
            "before": DocumentFilter.of(self.catalogue, before=date(2012, 1, 1)),
            "families": DocumentFilter.of(self.catalogue, without=(5, 8, 11)),
            "class": everything.among(classes, classes=("cpc:B62K",)),
            "few": everything.among([3, 9, 27, 81]),
            "most": everything.among(self.catalogue.ids[4:]),
            "together": DocumentFilter.of(self.catalogue, before=date(2015, 1, 1), without=(5,)).among(
                classes
            ),
            "none": everything.among([]),
        }

    def rank(self, sources, leg, allowed, depth):
        return open_retriever(leg, sources).rank(self.query, allowed=allowed, depth=depth, context=CTX)


def assert_same(mine, theirs):
    """The same documents in the same order, but for scores that fp32 can't tell apart."""
    assert len(mine) == len(theirs)
    np.testing.assert_allclose(mine.scores, theirs.scores, rtol=1e-5, atol=1e-6)
    for place in np.flatnonzero(mine.ids != theirs.ids).tolist():
        there = np.flatnonzero(theirs.ids == mine.ids[place])
        tied = theirs.scores[there] if len(there) else theirs.scores[-1:]
        assert abs(float(tied[0]) - float(theirs.scores[place])) < 1e-5


@pytest.fixture(scope="module")
def model():
    return stack(WORDS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, model):
    with library(tmp_path_factory.mktemp("whole") / "L", _patents()) as made:
        _index(made, model)
        yield Both(made, model)


@pytest.fixture(scope="module")
def half(tmp_path_factory, model):
    """Most descriptions are indexed, and some documents were removed meanwhile."""
    with library(tmp_path_factory.mktemp("half") / "L", _patents()) as made:
        _index(made, model, IndexDepth.CLAIMS)
        _index(made, model, order=_Some())
        remove_documents(made, ["EP2000007A1", "EP2000020A1"])
        _index(made, model, IndexDepth.CLAIMS)
        yield Both(made, model)


@pytest.fixture(params=["whole", "half"])
def both(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("leg", SEARCH_RANKERS)
@pytest.mark.parametrize("most", [7, 1 << 20])
def test_every_filter_gives_the_same_documents(both, leg, most, monkeypatch):
    monkeypatch.setattr(both.engine, "limit", most)
    for name, allowed in both.filters().items():
        for depth in (5, 100) if most > 7 else (5,):
            mine = both.rank(both.shared, leg, allowed, depth)
            theirs = both.rank(both.local, leg, allowed, depth)
            if leg is Ranker.DENSE and both.index.mixed and depth == 5:
                # The line through documents of both depths is drawn through as many as were found.
                assert len(mine) == len(theirs)
                continue
            assert_same(mine, theirs)
            if leg is not Ranker.DENSE and name == "all":
                same = mine.ids == theirs.ids
                np.testing.assert_array_equal(mine.passages[same], theirs.passages[same])
    assert len(both.rank(both.shared, leg, both.filters()["all"], 100)) > 50


def test_the_fixture_has_documents_of_both_depths(half):
    assert half.index.mixed
    assert len(half.index.claims_only) > 20
    assert len(half.index.described) > 20
    np.testing.assert_array_equal(half.index.claims_only, half.local.generation.claims_only)
    np.testing.assert_array_equal(half.index.described, half.local.generation.described)
    np.testing.assert_array_equal(half.index.document_ids(), half.local.generation.document_ids())


def test_combined_the_order_is_the_same(both):
    fusion = Fusion.of(SETTINGS.search)
    allowed = both.filters()["all"]
    mine, theirs = (
        fusion([both.rank(sources, leg, allowed, 100) for leg in SEARCH_RANKERS])
        for sources in (both.shared, both.local)
    )
    assert len(mine.ids) > 80
    np.testing.assert_allclose(mine.scores, theirs.scores, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(mine.ids[:20], theirs.ids[:20])


def test_a_filter_is_given_to_the_engine_as_far_as_it_can_test_it(whole, monkeypatch):
    monkeypatch.setattr(engine_search, "FEW", 2)

    def asked(name):
        whole.engine.searches.clear()
        whole.rank(whole.shared, Ranker.CENTERS, whole.filters()[name], 5)
        return whole.engine.searches[0][1]

    assert asked("before").before == 20120101
    assert asked("class").classes == ("cpc:B62K",)
    assert {5, 8, 11} <= set(asked("families").without.tolist())
    assert asked("all").documents is None
    monkeypatch.setattr(engine_search, "FEW", 50_000)
    assert asked("few").documents.tolist() == [3, 9, 27, 81]


def test_documents_are_named_in_parts(whole, monkeypatch):
    allowed = whole.filters()["class"]
    expected = whole.rank(whole.local, Ranker.BM25, allowed, 100)
    monkeypatch.setattr(engine_search, "_NAMED", 4)
    whole.engine.searches.clear()
    assert_same(whole.rank(whole.shared, Ranker.BM25, allowed, 100), expected)
    assert max(len(each[1].documents) for each in whole.engine.searches) == 4


def _stray(document, index):
    """Parts of a push that did not end: better than all others."""
    one = SparseRows(
        np.array([0, index.schema.centers]),
        np.arange(index.schema.centers),
        np.ones(index.schema.centers, np.float32),
    )
    words = SparseRows(np.array([0, 200]), np.arange(200), np.full(200, 3, np.float32))
    at = np.array([document])
    vectors = np.full((1, index.schema.dim), 9, np.float32)
    return PartBatch(
        {document: DocumentFacts(20000101)},
        SectionRows(section_parts(at, at * 0), np.array([True]), vectors),
        PassageRows(passage_parts(at, at * 0, at * 0), np.array([True]), one, words),
    )


@pytest.mark.parametrize("leg", SEARCH_RANKERS)
def test_documents_that_the_database_does_not_know_are_ignored(whole, leg, monkeypatch):
    before = [whole.rank(whole.shared, leg, allowed, 5) for allowed in whole.filters().values()]
    for document in range(5000, 5020):
        whole.engine.upsert(_stray(document, whole.index))
    monkeypatch.setattr(whole.engine, "limit", 9)
    try:
        after = [whole.rank(whole.shared, leg, allowed, 5) for allowed in whole.filters().values()]
        for mine, theirs in zip(after, before, strict=True):
            assert_same(mine, theirs)
    finally:
        whole.engine.delete(list(range(5000, 5020)))


def test_equal_documents_are_ranked_by_their_ids(whole):
    found = whole.rank(whole.shared, Ranker.BM25, whole.filters()["all"].among([5, 91]), 10)
    assert found.ids.tolist() == [5, 91]
    assert found.scores[0] == found.scores[1]


def test_a_word_in_parts_is_searched_by_its_rarest(whole):
    asked = replace(whole.query, text="l'antenna")
    allowed = whole.filters()["all"]
    retriever = open_retriever(Ranker.BM25, whole.shared)
    plain = retriever.rank(replace(asked, text="antenna"), allowed=allowed, depth=50, context=CTX)
    assert not len(retriever.rank(asked, allowed=allowed, depth=50, context=CTX)), "no passage has an l"
    assert len(plain)
    nothing = replace(asked, text="unheard of")
    assert not len(retriever.rank(nothing, allowed=allowed, depth=50, context=CTX))


def test_forward_lists_and_vectors_are_those_of_the_folder(both):
    ids = np.concatenate(
        [
            np.arange(first, first + many)
            for first, many in zip(both.catalogue.first_passage, both.catalogue.passages, strict=True)
        ]
    )
    asked = np.concatenate([ids[::3], [10**9]])
    both.source.requests.clear()
    local, shared = both.local.generation, both.index
    for centers in (None, both.query.centers):
        mine, theirs = shared.forward(asked, centers), local.forward(asked, centers)
        for name in ("passages", "place", "offsets", "centers", "codes", "start", "end", "span_counts"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    assert len(both.source.requests) <= 1, "one request for all documents, and then none"
    for mine, theirs in zip(shared.passage_vectors(asked), local.passage_vectors(asked), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    some = np.array([2, 3, 5, 40, 7000])
    mine, theirs = shared.section_vectors(some), local.section_vectors(some)
    for name in ("documents", "kinds", "vectors"):
        left, right = getattr(mine, name), getattr(theirs, name)
        keys = [np.lexsort((each.kinds, each.documents)) for each in (mine, theirs)]
        np.testing.assert_array_equal(left[keys[0]], right[keys[1]])


def test_the_similarity_of_some_documents_is_exact(both):
    documents = both.catalogue.ids[::2]
    mine, theirs = (
        {
            (hit.document, hit.section): hit.score
            for hit in index.search_dense(both.query.vector, 999, exact=True, documents=documents)
        }
        for index in (both.index, both.local.generation)
    )
    assert mine.keys() == theirs.keys()
    assert all(abs(mine[key] - theirs[key]) < 1e-5 for key in mine)
    best = [hit.document for hit in both.index.search_dense(both.query.vector, 10)]
    assert best == [
        hit.document for hit in both.local.generation.search_dense(both.query.vector, 10, exact=True)
    ]


def test_every_passage_above_a_share_is_found(both):
    scoring = both.index.scoring(SETTINGS.centers)
    shares = scoring.shares(both.query.centers, both.query.weights)
    for least in (0.02, 0.2, 0.4):
        mine, theirs = (each.passages_above(shares, least) for each in (both.index, both.local.generation))
        left, right = (
            sorted(
                zip(
                    each.passages.tolist(),
                    each.documents.tolist(),
                    each.scores.round(9).tolist(),
                    strict=True,
                )
            )
            for each in (mine, theirs)
        )
        assert left == right
    assert len(left) > 5


def test_what_would_read_too_many_documents_is_refused(whole, monkeypatch):
    monkeypatch.setattr("claimlight.index.shared.MOST_READ", 3)
    shares = whole.index.scoring(SETTINGS.centers).shares(whole.query.centers, whole.query.weights)
    with pytest.raises(InputError, match="up to 3 documents"):
        whole.index.passages_above(shares, 0.01)
    unknown = SharedIndex(
        whole.index.schema,
        replace(whole.index.columns, most_spans=0),
        engine=whole.index.engine,
        rows=RowCache(whole.source),
    )
    with pytest.raises(InputError, match="longest passage"):
        unknown.passages_above(shares, 0.01)


def test_another_norm_is_a_defect(whole):
    scoring = whole.index.scoring(change(SETTINGS, "centers.length_exponent", 0.9).centers)
    assert scoring.norm == whole.index.scoring(SETTINGS.centers).norm
    with pytest.raises(BugError, match="norm"):
        whole.index.best_documents(scoring.query(whole.query.centers, whole.query.weights), NO_NORM, depth=3)
    assert "Your settings" in whole.index.describe_settings(
        change(SETTINGS, "centers.length_floor", 3).centers
    )
    assert not whole.index.describe_settings(SETTINGS.centers)


def test_an_engine_that_is_gone_is_not_waited_for_again_at_once(whole, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(engine_search, "monotonic", lambda: now[0])
    monkeypatch.setattr(whole.engine, "gone", True)
    allowed = whole.filters()["all"]
    with pytest.raises(EngineError, match="does not answer"):
        whole.rank(whole.shared, Ranker.DENSE, allowed, 5)
    monkeypatch.setattr(whole.engine, "gone", False)
    with pytest.raises(EngineError, match="does not answer"):
        whole.rank(whole.shared, Ranker.CENTERS, allowed, 5)
    now[0] += 3.0
    assert len(whole.rank(whole.shared, Ranker.CENTERS, allowed, 5)) == 5


def test_several_rankers_wait_once_for_an_engine_that_can_not_be_opened(whole, monkeypatch):
    opened, begun = [], Barrier(3)

    def ensure(schema):
        opened.append(schema)
        sleep(0.05)
        raise EngineError("The engine at memory does not answer.")

    monkeypatch.setattr(whole.engine, "ensure", ensure)
    search = engine_search.EngineSearch(whole.engine, whole.index.schema)

    def ask(_):
        begun.wait()
        with pytest.raises(EngineError, match="does not answer"):
            search.ask(Leg.DENSE, whole.query.vector, ALL, 1)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(ask, range(3)))
    assert len(opened) == 1


@pytest.mark.parametrize("leg", [Ranker.DENSE, Ranker.CENTERS])
def test_documents_that_leave_during_a_ranking_do_not_matter(half, leg, monkeypatch):
    """The second search, for the line between depths, no longer finds some that the first one found."""
    ask, gone = half.engine.search, set(half.index.described[:3].tolist())

    def search(leg, vector, allowed, k):
        if allowed.documents is not None:
            allowed = replace(allowed, documents=np.setdiff1d(allowed.documents, list(gone)))
        return ask(leg, vector, allowed, k)

    monkeypatch.setattr(half.engine, "search", search)
    found = half.rank(half.shared, leg, half.filters()["all"], 100)
    assert len(found) > 50
    assert np.isfinite(found.scores).all()


def test_a_shortfall_concerns_one_search_only(whole, monkeypatch):
    def short(*_):
        raise ShortfallError("3 of 5")

    with monkeypatch.context() as patch:
        patch.setattr(whole.engine, "search", short)
        with pytest.raises(ShortfallError):
            whole.rank(whole.shared, Ranker.DENSE, whole.filters()["all"], 5)
    assert len(whole.rank(whole.shared, Ranker.CENTERS, whole.filters()["all"], 5)) == 5


def test_a_newer_state_reads_again_what_is_indexed_more_deeply(half):
    index = SharedIndex.open(half.engine, half.source)
    passages = half.catalogue.first_passage[:4]
    index.forward(passages)
    assert SharedIndex.open(half.engine, half.source, index) is index
    half.source.requests.clear()
    columns = half.source.now
    claims_only = columns.claims_only.copy()
    row = int(np.flatnonzero(claims_only)[0])
    claims_only[row] = False
    half.source.now = replace(columns, version=columns.version + 1, claims_only=claims_only)
    try:
        later = SharedIndex.open(half.engine, half.source, index)
        assert later.name != index.name
        later.forward(half.catalogue.first_passage[half.catalogue.rows(columns.documents[: row + 2])])
        assert int(columns.documents[row]) in half.source.requests[0]
        assert int(columns.documents[0]) not in half.source.requests[0] or row == 0
    finally:
        half.source.now = columns


def test_rows_are_kept_up_to_a_number_of_bytes(whole):
    stored = whole.source.stored
    sizes = {document: sum(map(len, rows)) for document, rows in stored.items()}
    first, second, third = sorted(sizes)[:3]
    whole.source.requests.clear()
    cache = RowCache(whole.source, sizes[first] + sizes[second] + sizes[third] - 1)
    for wanted in ([first, second], [first], [third], [first], [second]):
        assert sorted(cache.get([(each, 0) for each in wanted])) == wanted
    assert whole.source.requests == [[first, second], [third], [second]]
    assert cache.get([(10**6, 0)]) == {}


def test_there_is_no_index_before_the_first_document(whole):
    class Empty:
        def schema(self):
            return None

    assert SharedIndex.open(whole.engine, Empty()) is None
    none = Sources(whole.shared.store, SETTINGS, None, shared=True)
    assert all(open_retriever(leg, none) is None for leg in SEARCH_RANKERS)
    assert whole.index.engine.ask(Leg.DENSE, whole.query.vector, ALL, 1).scores[0] < 2
