"""The second stage: the passages of the documents that were found, their scores and their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.highlight.abstain import extent_of
from core.highlight.evidence import Meetings, coverage, evidence, meet, scores
from core.highlight.matrix import BestPassages, best_passages
from core.highlight.terms import Terms
from core.index.forward import ForwardEntries
from core.index.generation import Generation
from core.retrieval import Catalogue
from core.services.query_encoding import EncodedQuery
from core.settings import CenterSettings
from core.store import repository
from core.store.store import Store
from core.store.values import StoredPassage
from core.types import FeatureCoverage, FeatureEvidence, PassageHit, PassageId, PatentId, Query

PASSAGES_PER_FEATURE = 5


@dataclass(frozen=True, slots=True, eq=False)
class _Feature:
    """One feature over all passages: score of the feature alone, and coverage."""

    terms: Terms
    met: Meetings
    scores: NDArray[np.float64]
    coverage: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """What every passage carries of one feature; arrays are [P]."""

    scores: NDArray[np.float64]
    coverage: NDArray[np.float64]
    mass: NDArray[np.float64]
    """The scores before they are divided by the length."""
    spans: NDArray[np.int64]
    """Different spans of the feature that met."""
    extent: float
    """How much the feature asks for; see `core.highlight.abstain`."""


class Passages:
    """All passages of some documents against one encoded query; texts are read only of what is shown."""

    def __init__(
        self,
        patents: Sequence[PatentId],
        *,
        store: Store,
        catalogue: Catalogue,
        query: Query,
        encoded: EncodedQuery,
        generation: Generation,
        anchors: tuple[str, ...],
        settings: CenterSettings,
    ) -> None:
        self._store = store
        self._query = query
        self._encoded = encoded
        self._anchors = anchors
        self._texts: dict[PassageId, StoredPassage] = {}
        rows = catalogue.rows(np.array(patents, dtype=np.int64))
        self._first = np.concatenate([[0], np.cumsum(np.where(rows >= 0, catalogue.passages[rows], 0))])
        self._place = {patent: place for place, patent in enumerate(patents)}
        ranges = [
            np.arange(catalogue.first_passage[row], catalogue.first_passage[row] + catalogue.passages[row])
            for row in rows[rows >= 0]
        ]
        self._ids = np.concatenate([np.empty(0, dtype=np.int64), *ranges])
        self._forward: ForwardEntries = generation.forward(self._ids, encoded.spans.terms().center)
        self._scoring = generation.scoring(settings, encoded.retrieval.limits)
        self._meetings = meet(encoded.terms, self._forward, self._scoring)
        self._scores = scores(self._meetings, len(self._ids))
        self._features = [self._feature(encoded.feature_terms(feature)) for feature in query.features]

    def _feature(self, terms: Terms) -> _Feature:
        met = meet(terms, self._forward, self._scoring)
        covered = coverage(terms, self._forward, self._scoring)
        return _Feature(terms, met, scores(met, len(self._ids)), covered)

    def _rows(self, patent: PatentId) -> NDArray[np.int64]:
        place = self._place[patent]
        return np.arange(self._first[place], self._first[place + 1])

    def best(
        self, patents: Sequence[PatentId], limit: int | None = None
    ) -> dict[PatentId, tuple[PassageHit, ...]]:
        """The passages of each document with a score, best first (ties: reading order), with evidence."""
        chosen: dict[PatentId, NDArray[np.int64]] = {}
        for patent in patents:
            rows = self._rows(patent)
            rows = rows[self._scores[rows] > 0]
            chosen[patent] = rows[np.argsort(-self._scores[rows], kind="stable")][:limit]
        self._read(np.concatenate([np.empty(0, dtype=np.int64), *chosen.values()]))
        return {
            patent: self._hits(rows, self._scores, self._encoded.terms, self._meetings)
            for patent, rows in chosen.items()
        }

    def _read(self, rows: NDArray[np.int64]) -> None:
        wanted = [PassageId(int(item)) for item in self._ids[rows] if item not in self._texts]
        self._texts.update(repository.passages(self._store, wanted))

    def coverage(self, patent: PatentId) -> tuple[FeatureCoverage, ...]:
        """For each feature the passage that carries most of it; None where none carries any."""
        place = self._place[patent]
        found: list[FeatureCoverage] = []
        for feature, cells in zip(self._query.features, self._cells, strict=True):
            row = int(cells.row[place])
            passage = PassageId(int(self._ids[row])) if row >= 0 else None
            found.append(FeatureCoverage(feature.label, float(cells.coverage[place]), passage))
        return tuple(found)

    def cells(self) -> tuple[BestPassages, ...]:
        """For each feature the passage of every document that carries most of it, as `coverage` has it."""
        return self._cells

    @cached_property
    def _cells(self) -> tuple[BestPassages, ...]:
        return tuple(best_passages(item.scores, item.coverage, self._first) for item in self._features)

    @property
    def ids(self) -> NDArray[np.int64]:
        """[P] all passages, document by document in the order given."""
        return self._ids

    def tables(self) -> tuple[FeatureTable, ...]:
        """Each feature over all passages."""
        norms = self._scoring.norm.of(self._forward.span_counts)
        return tuple(
            FeatureTable(
                item.scores,
                item.coverage,
                item.scores * norms,
                _distinct(item.met.passage, item.terms.start[item.met.term], len(self._ids)),
                extent_of(item.terms),
            )
            for item in self._features
        )

    def cited(self, rows: Sequence[int]) -> dict[int, StoredPassage]:
        """The stored passages at some positions; one whose document was replaced since is left out."""
        self._read(np.array(rows, dtype=np.int64))
        found = {row: self._texts.get(PassageId(int(self._ids[row]))) for row in rows}
        return {row: stored for row, stored in found.items() if stored is not None}

    def met_words(self, feature: int, row: int) -> list[tuple[str, str]]:
        """Words of the claim and of a passage that was `cited`, for each meeting of a feature in it."""
        item = self._features[feature]
        text = self._texts[PassageId(int(self._ids[row]))].text
        begin, end = np.searchsorted(item.met.passage, (row, row + 1))
        said: dict[tuple[int, int, int, int], tuple[str, str]] = {}
        for term, entry in zip(item.met.term[begin:end], item.met.entry[begin:end], strict=True):
            asked = int(item.terms.start[term]), int(item.terms.end[term])
            met = int(self._forward.start[entry]), int(self._forward.end[entry])
            said[*asked, *met] = self._query.text[slice(*asked)], text[slice(*met)]
        return list(said.values())

    def features(self, patent: PatentId, limit: int = PASSAGES_PER_FEATURE) -> tuple[FeatureEvidence, ...]:
        """Each feature searched on its own inside a document."""
        found: list[FeatureEvidence] = []
        for feature, item in zip(self._query.features, self._features, strict=True):
            order = self._by_coverage(item, patent)[:limit]
            self._read(order)
            hits = self._hits(order, item.scores, item.terms, item.met)
            best = float(item.coverage[order[0]]) if len(order) else 0.0
            found.append(FeatureEvidence(feature, best, hits))
        return tuple(found)

    def _by_coverage(self, feature: _Feature, patent: PatentId) -> NDArray[np.int64]:
        """Passages that carry some of a feature: most of it first, then the denser, then reading order."""
        rows = self._rows(patent)
        rows = rows[feature.scores[rows] > 0]
        return rows[np.lexsort((rows, -feature.scores[rows], -np.round(feature.coverage[rows], 6)))]

    def _hits(
        self, rows: NDArray[np.int64], found: NDArray[np.float64], terms: Terms, meetings: Meetings
    ) -> tuple[PassageHit, ...]:
        hits: list[PassageHit] = []
        for row in rows.tolist():
            stored = self._texts.get(PassageId(int(self._ids[row])))
            if stored is None:
                continue  # its document was replaced by another program since
            shown = evidence(
                meetings,
                passage=row,
                query=self._query,
                terms=terms,
                forward=self._forward,
                text=stored.text,
                anchors=self._anchors,
            )
            score = float(found[row])
            hits.append(PassageHit(stored.id, stored.section, stored.label, stored.text, score, shown))
        return tuple(hits)


def _distinct(passage: NDArray[np.int64], value: NDArray[np.int32], passages: int) -> NDArray[np.int64]:
    """[passages] how many different values each passage has."""
    pairs = np.unique(np.stack([passage, value.astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=passages)


def plain_hit(stored: StoredPassage) -> PassageHit:
    """A passage that was found by its words alone: it has no center score and no evidence."""
    return PassageHit(stored.id, stored.section, stored.label, stored.text, 0.0)


def uncovered(query: Query) -> tuple[FeatureCoverage, ...]:
    """The coverage of a document that no feature was looked for in."""
    return tuple(FeatureCoverage(feature.label, 0.0, None) for feature in query.features)
