"""The second stage: the passages of the documents that were found, their scores and their evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.highlight.evidence import Meetings, Scoring, coverage, evidence, meet, scores
from core.highlight.terms import Terms
from core.index.generation import ForwardEntries, Generation
from core.services.query_encoding import EncodedQuery
from core.settings import CenterSettings
from core.store.values import StoredPassage
from core.types import FeatureCoverage, FeatureEvidence, PassageHit, PatentId, Query

PASSAGES_PER_FEATURE = 5


def scoring(generation: Generation, settings: CenterSettings) -> Scoring:
    """idf^alpha with the stop centers at 0, and gamma."""
    idf = generation.idf(settings).astype(np.float64)
    factors = np.where(idf > 0, idf**settings.idf_exponent, 0.0)
    return Scoring(factors, settings.length_exponent)


@dataclass(frozen=True, slots=True, eq=False)
class _Feature:
    """One feature over all passages: score of the feature alone, and coverage."""

    label: str
    scores: NDArray[np.float64]
    coverage: NDArray[np.float64]


class Passages:
    """All passages of some documents against one encoded query."""

    def __init__(
        self,
        documents: Mapping[PatentId, Sequence[StoredPassage]],
        *,
        query: Query,
        encoded: EncodedQuery,
        generation: Generation,
        anchors: tuple[str, ...],
        settings: CenterSettings,
    ) -> None:
        self._query = query
        self._encoded = encoded
        self._anchors = anchors
        self._stored = [passage for passages in documents.values() for passage in passages]
        ids = np.array([passage.id for passage in self._stored], dtype=np.int64)
        self._forward: ForwardEntries = generation.forward(ids)
        self._scoring = scoring(generation, settings)
        self._meetings = meet(encoded.terms, self._forward, self._scoring)
        self._scores = scores(self._meetings, len(ids))
        self._features = [
            self._feature(feature.label, encoded.feature_terms(feature)) for feature in query.features
        ]
        self._rows: dict[PatentId, NDArray[np.int64]] = {}
        first = 0
        for patent, passages in documents.items():
            self._rows[patent] = np.arange(first, first + len(passages))
            first += len(passages)

    def _feature(self, label: str, terms: Terms) -> _Feature:
        count = len(self._stored)
        met = meet(terms, self._forward, self._scoring)
        return _Feature(label, scores(met, count), coverage(terms, self._forward, self._scoring))

    def best(self, patent: PatentId, limit: int | None = None) -> tuple[PassageHit, ...]:
        """The passages of a document with a score, best first (ties: reading order), with evidence."""
        rows = self._rows[patent]
        rows = rows[self._scores[rows] > 0]
        rows = rows[np.argsort(-self._scores[rows], kind="stable")][:limit]
        return tuple(
            self._hit(int(row), float(self._scores[row]), self._encoded.terms, self._meetings) for row in rows
        )

    def coverage(self, patent: PatentId) -> tuple[FeatureCoverage, ...]:
        """For each feature the passage that carries most of it; None where none carries any."""
        found: list[FeatureCoverage] = []
        for feature in self._features:
            order = self._by_coverage(feature, patent)
            if len(order):
                best = int(order[0])
                passage = self._stored[best].id
                found.append(FeatureCoverage(feature.label, float(feature.coverage[best]), passage))
            else:
                found.append(FeatureCoverage(feature.label, 0.0, None))
        return tuple(found)

    def features(self, patent: PatentId, limit: int = PASSAGES_PER_FEATURE) -> tuple[FeatureEvidence, ...]:
        """Each feature searched on its own inside a document."""
        found: list[FeatureEvidence] = []
        for feature, item in zip(self._query.features, self._features, strict=True):
            order = self._by_coverage(item, patent)[:limit]
            terms = self._encoded.feature_terms(feature)
            met = meet(terms, self._forward, self._scoring)
            hits = tuple(self._hit(int(row), float(item.scores[row]), terms, met) for row in order)
            best = float(item.coverage[order[0]]) if len(order) else 0.0
            found.append(FeatureEvidence(feature, best, hits))
        return tuple(found)

    def _by_coverage(self, feature: _Feature, patent: PatentId) -> NDArray[np.int64]:
        """Passages that carry some of a feature: most of it first, then the denser, then reading order."""
        rows = self._rows[patent]
        rows = rows[feature.scores[rows] > 0]
        return rows[np.lexsort((rows, -feature.scores[rows], -np.round(feature.coverage[rows], 6)))]

    def _hit(self, row: int, score: float, terms: Terms, meetings: Meetings) -> PassageHit:
        stored = self._stored[row]
        shown = evidence(
            meetings,
            passage=row,
            query=self._query,
            terms=terms,
            forward=self._forward,
            text=stored.text,
            anchors=self._anchors,
        )
        return PassageHit(stored.id, stored.section, stored.label, stored.text, score, shown)


def plain_hit(stored: StoredPassage) -> PassageHit:
    """A passage that was found by its words alone: it has no center score and no evidence."""
    return PassageHit(stored.id, stored.section, stored.label, stored.text, 0.0)
