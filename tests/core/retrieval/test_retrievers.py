"""What every entry of RETRIEVERS promises, checked against brute force."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from datetime import date

import numpy as np
import pytest

from claimlight.errors import TaskCancelled
from claimlight.index.generation import Generation
from claimlight.retrieval import RETRIEVERS, DocumentFilter, RetrievalQuery, Sources, open_retriever
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.settings import Settings, change
from claimlight.store import repository
from claimlight.store.tokens import tokenize
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words
from claimlight.types import SEARCH_RANKERS, PatentId, Ranker
from tests.fakes import library, patent, stack, word_vector

WORDS = content_words(
    "damper wheel frame piston cylinder valve spring bicycle kettle spout handle lid sensor motor "
    "gear shaft lamp lens mirror cable battery antenna receiver pump hose nozzle filter"
)
SETTINGS = change(Settings(), "centers.stop_share", 0.0)
ASKED = ("damper", "wheel", "valve", "lens", "pump")
QUERY_TEXT = " ".join(ASKED)


def _patents():
    rng = np.random.default_rng(5)

    def text(many):
        return " ".join(rng.choice(WORDS, size=many))

    return [
        patent(
            f"{2_000_000 + n}",
            text(2),
            abstract=text(int(rng.integers(3, 12))),
            claims=[text(int(rng.integers(4, 9))) for _ in range(int(rng.integers(0, 3)))],
            paragraphs=[text(int(rng.integers(5, 20))) for _ in range(int(rng.integers(0, 4)))],
            published=date(2000 + n % 20, 1, 1) if n % 7 else None,
            priority=f"77{n // 3}" if n % 3 else "",
        )
        for n in range(60)
    ]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conformance") / "L"
    with library(folder, _patents()) as made:
        model = stack(WORDS)
        folder = index_folder(made.folder)
        build_index(folder, LibraryCorpus(made.store), stack=model, settings=SETTINGS, context=TaskContext())
        generation = Generation.open(folder)
        vector = np.mean([word_vector(w) for w in ASKED], axis=0)
        active = model.vocabulary.activate(np.array([word_vector(w) for w in ASKED], np.float32), 1)
        order = np.argsort(active.center)
        query = RetrievalQuery(
            QUERY_TEXT,
            (vector / np.linalg.norm(vector)).astype(np.float32),
            active.center[order],
            active.cosine[order],
        )
        sources = Sources(made.store, SETTINGS, generation)
        yield sources, query, catalogues.load(made.store)


def brute_bm25(sources, query):
    """FTS5's formula over its own tokens: k1 = 1.2, b = 0.75, no idf below 1e-6."""
    store = sources.store
    stored = [p for d in repository.read_documents_after(store, PatentId(0), 10_000) for p in d.passages]
    tokens = [Counter(t) for t in tokenize([p.text for p in stored])]
    lengths = [sum(t.values()) for t in tokens]
    mean = sum(lengths) / len(lengths)
    best = defaultdict(float)
    for passage, counts, length in zip(stored, tokens, lengths, strict=True):
        score = 0.0
        for (term,) in tokenize(ASKED):
            df = sum(term in t for t in tokens)
            idf = max(math.log((len(stored) - df + 0.5) / (df + 0.5)), 1e-6)
            tf = counts[term]
            score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean))
        if score > 0:
            best[int(passage.patent)] = max(best[int(passage.patent)], score)
    return best


def brute_dense(sources, query):
    best = {}
    for hit in sources.generation.search_dense(query.vector, 10_000, exact=True):
        best[int(hit.document)] = max(best.get(int(hit.document), -2.0), hit.score)
    return best


def brute_centers(sources, query):
    generation = sources.generation
    scoring = generation.scoring(SETTINGS.centers)
    found = generation.all_passages(scoring.query(query.centers, query.weights), scoring.norm)
    best = {}
    for document, score in zip(found.documents, found.scores, strict=True):
        best[int(document)] = max(best.get(int(document), 0.0), float(score))
    return best


BRUTE = {
    Ranker.BM25: brute_bm25,
    Ranker.DENSE: brute_dense,
    Ranker.CENTERS: brute_centers,
}
FILTERS = {
    "all": {},
    "before": {"before": date(2008, 6, 1)},
    "family": {"without": (8,)},
    "none": {"before": date(1990, 1, 1)},
}


def test_every_leg_has_one_retriever_and_a_brute_force():
    assert [entry.leg for entry in RETRIEVERS] == list(SEARCH_RANKERS)
    assert set(BRUTE) == set(SEARCH_RANKERS)


@pytest.mark.parametrize("entry", RETRIEVERS, ids=lambda e: e.leg.value)
@pytest.mark.parametrize("depth", [1, 4, 17, 1000])
@pytest.mark.parametrize("chosen", FILTERS, ids=str)
def test_conformance(opened, entry, depth, chosen):
    sources, query, catalogue = opened
    allowed = DocumentFilter.of(catalogue, **FILTERS[chosen])
    retriever = open_retriever(entry.leg, sources)
    ranking = retriever.rank(query, allowed=allowed, depth=depth, context=TaskContext())
    ids, found = ranking.ids.tolist(), ranking.scores.tolist()

    assert ranking.leg is entry.leg
    assert len(set(ids)) == len(ids) <= depth
    assert list(zip([-s for s in found], ids, strict=True)) == sorted(
        zip([-s for s in found], ids, strict=True)
    )

    permitted = set(catalogue.ids[allowed.allowed].tolist())
    expected = {i: s for i, s in BRUTE[entry.leg](sources, query).items() if i in permitted}
    assert set(ids) <= permitted
    assert len(ids) == min(depth, len(expected))
    assert found == pytest.approx([expected[i] for i in ids], rel=1e-5)
    best = sorted(expected.values(), reverse=True)[: len(ids)]
    assert found == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("entry", RETRIEVERS, ids=lambda e: e.leg.value)
def test_a_cancelled_search_stops(opened, entry):
    sources, query, catalogue = opened
    context = TaskContext()
    context.cancel()
    retriever = open_retriever(entry.leg, sources)
    with pytest.raises(TaskCancelled):
        retriever.rank(query, allowed=DocumentFilter.of(catalogue), depth=5, context=context)


@pytest.mark.parametrize("entry", RETRIEVERS, ids=lambda e: e.leg.value)
def test_nothing_asked_finds_nothing(opened, entry):
    sources, _, catalogue = opened
    retriever = open_retriever(entry.leg, sources)
    asked = RetrievalQuery("of the and")
    ranking = retriever.rank(asked, allowed=DocumentFilter.of(catalogue), depth=5, context=TaskContext())
    assert len(ranking) == 0


@pytest.mark.parametrize("entry", RETRIEVERS, ids=lambda e: e.leg.value)
def test_without_an_index(opened, entry):
    sources, *_ = opened
    alone = Sources(sources.store, SETTINGS)
    assert (open_retriever(entry.leg, alone) is None) == entry.indexed


def test_filters(opened):
    _, _, catalogue = opened
    own = DocumentFilter.of(catalogue, without=(8,))
    assert sorted(set(catalogue.ids.tolist()) - set(catalogue.ids[own.allowed].tolist())) == [8, 9]
    assert not own.keep(np.array([8, 9_999], np.int64)).any()
    before = DocumentFilter.of(catalogue, before=date(2008, 1, 1))
    dated = set(catalogue.ids[before.allowed].tolist())
    assert all((n - 1) % 7 and (n - 1) % 20 < 8 for n in dated)
    assert DocumentFilter.of(catalogue, before=date(2008, 1, 2)).count > before.count


def test_bm25_asks_for_telling_words(opened):
    sources, _, catalogue = opened
    store = sources.store
    everything = DocumentFilter.of(catalogue)
    text = "A device according to claim 1, comprising a damper (12), dampers, a wheel and a zyx"
    words = Bm25Retriever(store, terms=10).words(text, everything)
    assert sorted(words)[-1] == "wheel"
    assert len(words) == 2
    assert len(Bm25Retriever(store, terms=1).words(text, everything)) == 1


def test_a_hostile_text_is_only_text(opened):
    sources, _, catalogue = opened
    store = sources.store
    text = '") OR damper* NEAR(wheel "AND" -- ; DROP \' NOT {x} : ^'
    found = Bm25Retriever(store, terms=20).rank(
        RetrievalQuery(text), allowed=DocumentFilter.of(catalogue), depth=5, context=TaskContext()
    )
    assert len(found) == 5


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("流体減衰器を備える減衰装置。", [1, 2]),
        ("감쇠기", [3]),
        ("Ein Stoßdämpfer", [4, 5, 6]),
        ("Stossdaempfer", [4, 5, 6]),
        ("the value R₂", [7]),
    ],
)
def test_bm25_finds_parts_of_runs_and_other_spellings(tmp_path, asked, found):
    claims = (
        "減衰器を有する。",
        "減衰弁。",
        "유체감쇠기는",
        "Stoßdämpfer",
        "Stossdämpfer",
        "Stoßdaempfer",
        "an R_2 here",
    )
    patents = [
        patent(f"{n}", "lens", claims=[text], abstract="pump", paragraphs=[])
        for n, text in enumerate((*claims, *["motor"] * 9), 2_000_001)
    ]
    with library(tmp_path / "L", patents) as made:
        store = made.store
        ranking = Bm25Retriever(store, terms=20).rank(
            RetrievalQuery(asked),
            allowed=DocumentFilter.of(catalogues.load(store)),
            depth=20,
            context=TaskContext(),
        )
        assert sorted(ranking.ids.tolist()) == found
