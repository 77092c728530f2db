"""Documents ranked by the evidence of every feature, against the formula computed passage by passage."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from claimlight.index.generation import Generation
from claimlight.index.scoring import NO_NORM
from claimlight.retrieval import DocumentFilter, RetrievalQuery
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.base import AskedFeature
from claimlight.retrieval.centers import CenterRetriever
from claimlight.services.corpus import LibraryCorpus
from claimlight.services.indexing import build_index, index_folder
from claimlight.services.queries import query_from_text
from claimlight.services.search import SearchEngine
from claimlight.settings import Settings, changed
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words
from claimlight.types import Leg, SearchRequest
from tests.fakes import library, machinery, patent, word_vector

WORDS = content_words(
    "damper wheel frame piston cylinder valve spring bicycle kettle spout handle lid sensor motor"
)
BY_FEATURES = changed(changed(Settings(), "centers.stop_share", 0.0), "centers.documents", "features")
FEATURES = (("damper", "wheel"), ("kettle", "spout"), ("motor",))


def _patents():
    rng = np.random.default_rng(7)
    made = [
        patent("3000001", "a", paragraphs=["damper wheel damper wheel", "frame piston"]),
        patent("3000002", "b", paragraphs=["damper wheel", "kettle spout", "motor"]),
    ]
    for n in range(30):
        texts = [
            " ".join(rng.choice(WORDS, size=int(rng.integers(2, 12)))) for _ in range(int(rng.integers(1, 5)))
        ]
        made.append(patent(f"{3_000_010 + n}", "c", paragraphs=texts))
    return made


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with library(tmp_path_factory.mktemp("features") / "L", _patents()) as made:
        model = machinery(WORDS)
        folder = index_folder(made.folder)
        build_index(
            folder, LibraryCorpus(made.store), machinery=model, settings=BY_FEATURES, context=TaskContext()
        )
        yield made, model, Generation.open(folder), catalogues.load(made.store)


def _asked(model, words):
    active = model.vocabulary.activate(np.array([word_vector(word) for word in words], np.float32), 1)
    order = np.argsort(active.center)
    return AskedFeature(active.center[order], active.cosine[order])


def _query(model):
    whole = _asked(model, [word for words in FEATURES for word in words])
    return RetrievalQuery(
        "", None, whole.centers, whole.weights, None, tuple(_asked(model, w) for w in FEATURES)
    )


def brute(generation, query, settings):
    scoring = generation.scoring(settings.centers)
    scores = defaultdict(float)
    for feature in query.features:
        found = generation.all_passages(scoring.shares(feature.centers, feature.weights), NO_NORM)
        best = defaultdict(float)
        for document, share in zip(found.documents.tolist(), found.scores.tolist(), strict=True):
            best[document] = max(best[document], share)
        assert max(best.values()) <= 1.0 + 1e-12
        for document, share in best.items():
            scores[document] += share / len(query.features)
    return scores


def test_follows_the_formula(opened):
    _, model, generation, catalogue = opened
    query = _query(model)
    ranking = CenterRetriever(generation, settings=BY_FEATURES.centers).rank(
        query, allowed=DocumentFilter.of(catalogue), depth=1000, context=TaskContext()
    )
    expected = brute(generation, query, BY_FEATURES)
    assert dict(zip(ranking.ids.tolist(), ranking.scores.tolist(), strict=True)) == pytest.approx(expected)
    assert ranking.ids.tolist() == sorted(expected, key=lambda d: (-ranking.scores[ranking.ids == d][0], d))
    assert catalogue.documents_of(ranking.passages).tolist() == ranking.ids.tolist()


def test_a_document_that_says_all_features_in_different_paragraphs_leads(opened):
    made, _, _, _ = opened
    by_passage = changed(BY_FEATURES, "centers.documents", "passage")
    query = query_from_text("A damper wheel turns here. The kettle spout pours. The motor runs well.")
    assert len(query.features) == 3
    first = {}
    for settings in (by_passage, BY_FEATURES):
        engine = SearchEngine.open(made, settings, machinery=lambda _: machinery(WORDS))
        found = engine.run(SearchRequest(query, legs=(Leg.CENTERS,)), TaskContext())
        numbers = [hit.patent.publication.number for hit in found.hits]
        first[settings.centers.documents] = numbers.index("3000002")
        assert dict(found.provenance.parameters)["documents_by"] == settings.centers.documents
    assert first["features"] == 0
    assert first["passage"] > 0


def test_one_feature_is_ranked_by_the_best_passage(opened):
    _, model, generation, catalogue = opened
    whole = _query(model)
    one = RetrievalQuery("", None, whole.centers, whole.weights, None, whole.features[:1])
    ask = {"allowed": DocumentFilter.of(catalogue), "depth": 50, "context": TaskContext()}
    by_features = CenterRetriever(generation, settings=BY_FEATURES.centers).rank(one, **ask)
    settings = changed(BY_FEATURES, "centers.documents", "passage")
    by_passage = CenterRetriever(generation, settings=settings.centers).rank(one, **ask)
    assert by_features.ids.tolist() == by_passage.ids.tolist()
    assert by_features.scores.tolist() == by_passage.scores.tolist()
