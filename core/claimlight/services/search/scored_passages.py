"""The second stage of a search: passages of the found documents, their scores and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from claimlight.highlight.evidence import (
    FeatureMeetings,
    Meetings,
    list_evidence,
    mark_informative,
    measure_strengths,
    meet_each,
)
from claimlight.highlight.matches import group_matches
from claimlight.highlight.matrix import BestPassages, choose_waiting
from claimlight.highlight.terms import AskedTerms
from claimlight.index.base import SearchableIndex
from claimlight.index.forward import ForwardEntries
from claimlight.index.live import among
from claimlight.retrieval import Catalogue
from claimlight.services.search.charting import passage_digest
from claimlight.services.search.query_encoding import EncodedQuery
from claimlight.services.search.verdicts import Judge, reaches
from claimlight.settings import CenterSettings
from claimlight.store import repository
from claimlight.store.store import Store
from claimlight.store.values import StoredPassage
from claimlight.text.informative import is_informative
from claimlight.types import (
    CellVerdict,
    Feature,
    FeatureCoverage,
    FeatureEvidence,
    FeatureStrength,
    PassageHit,
    PassageId,
    PatentId,
    Query,
    Unjudged,
)

PASSAGES_PER_FEATURE = 5


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """One feature over all passages; arrays are [P]."""

    scores: NDArray[np.float64]
    strength: NDArray[np.float64]
    mass: NDArray[np.float64]
    """Scores before the length norm."""
    spans: NDArray[np.int64]
    """Number of different spans of the feature that met a span of the passage."""
    asked: int
    """Number of different spans of the feature that reached a center."""


class ScoredPassages:
    """All passages of some documents against one encoded query; only the texts that are shown are read.

    A very long passage that is indexed in pieces gets the score of its best piece. ``rejected`` has the
    digests of the passages that are no cell of a feature (`rejected_passages`), by its label.
    """

    def __init__(
        self,
        patents: Sequence[PatentId],
        *,
        store: Store,
        catalogue: Catalogue,
        query: Query,
        encoded: EncodedQuery,
        generation: SearchableIndex,
        anchors: tuple[str, ...],
        settings: CenterSettings,
        judge: Judge,
        languages: Mapping[PatentId, str],
        rejected: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self._rejected = rejected or {}
        self.patents = tuple(patents)
        self._store = store
        self._query = query
        self._encoded = encoded
        self._anchors = anchors
        self._judge = judge
        self._own = [languages.get(patent, "") for patent in patents]
        self._texts: dict[PassageId, StoredPassage] = {}
        rows = catalogue.rows(np.array(patents, dtype=np.int64))
        first = np.concatenate([[0], np.cumsum(np.where(rows >= 0, catalogue.passages[rows], 0))])
        self._indexed = among(np.array(patents, dtype=np.int64), generation.document_ids())
        self._whole = ~among(np.array(patents, dtype=np.int64), generation.claims_only)
        self._place = {patent: place for place, patent in enumerate(patents)}
        ranges = [
            np.arange(catalogue.first_passage[row], catalogue.first_passage[row] + catalogue.passages[row])
            for row in rows[rows >= 0]
        ]
        asked = np.concatenate([np.empty(0, dtype=np.int64), *ranges])
        self._forward: ForwardEntries = generation.forward(asked, encoded.spans.terms().center)
        # One row per passage; a very long passage has one row per piece.
        self._ids = self._forward.passages
        self._first = np.searchsorted(self._forward.place, first)
        self._scoring = generation.scoring(settings)
        features = [encoded.terms_of_feature(feature).saying(query.text) for feature in query.features]
        whole, *self._features = meet_each((encoded.terms, *features), self._forward, self._scoring)
        self._meetings, self._scores = whole.met, whole.scores
        self._settled = np.zeros(len(self._ids), dtype=np.bool_)
        self._informative = np.zeros(len(self._forward.centers), dtype=np.bool_)
        self._bearings: dict[bytes, frozenset[int]] = {}

    def _rows(self, patent: PatentId) -> NDArray[np.int64]:
        place = self._place[patent]
        return np.arange(self._first[place], self._first[place + 1])

    # Match strength

    def _settle(self, rows: NDArray[np.int64]) -> None:
        """Remove the share of uninformative words from the match strengths of some passages."""
        fresh = np.unique(rows[~self._settled[rows]])
        if not len(fresh):
            return
        self._read(fresh)
        known = np.ones(len(fresh), dtype=np.bool_)
        for place, row in enumerate(fresh.tolist()):
            stored = self._texts.get(PassageId(int(self._ids[row])))
            if stored is None:  # its document was replaced by another program since
                known[place] = False
            else:
                mark_informative(self._forward, row, stored.text, self._informative)
        read = fresh[known]
        for feature in self._features:
            feature.strength[read] = measure_strengths(feature.carried, read, self._informative)
        self._settled[fresh] = True

    @cached_property
    def _cells(self) -> tuple[BestPassages, ...]:
        """For each feature, the passage of every document that matches it most strongly.

        Settling only lowers strengths, so a passage that is settled and still best is the best: few texts
        have to be read. Each round settles more of those that could be, as a round costs more than a text.
        """
        found: dict[int, BestPassages] = {}
        offered = [np.ones(len(self._ids), dtype=np.bool_) for _ in self._features]
        open_ones = set(range(len(self._features)))
        many = 1
        while open_ones:
            wanted: list[NDArray[np.int64]] = []
            for number in sorted(open_ones):
                item = self._features[number]
                found[number], waiting = choose_waiting(
                    item.scores,
                    item.strength,
                    self._first,
                    offered=offered[number],
                    settled=self._settled,
                    many=many,
                )
                if not len(waiting):
                    rows = found[number].row
                    out = self._find_rejected(number, rows[rows >= 0])
                    offered[number][out] = False
                    if not len(out):
                        open_ones.discard(number)
                wanted.append(waiting)
            self._settle(np.concatenate(wanted))
            many *= 2
        return tuple(found[number] for number in range(len(self._features)))

    def _find_rejected(self, feature: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some settled passages that the examiner has rejected for a feature."""
        out = self._rejected.get(self._query.features[feature].label)
        if not out:
            return rows[:0]
        stored = (self._texts.get(PassageId(int(item))) for item in self._ids[rows])
        return rows[[item is not None and passage_digest(item.text) in out for item in stored]]

    def cells(self) -> tuple[BestPassages, ...]:
        """For each feature, the passage of every document that matches it most strongly."""
        return self._cells

    def coverage(self, patent: PatentId) -> tuple[FeatureCoverage, ...]:
        """For each feature, the best passage of a document and its verdict."""
        place, own = self._place[patent], self._own[self._place[patent]]
        whole = bool(self._whole[place])
        if not self._indexed[place]:
            return not_compared(self._query)
        found: list[FeatureCoverage] = []
        for feature, cells in zip(self._query.features, self._cells, strict=True):
            row, strength = int(cells.row[place]), float(cells.strength[place])
            stored = self._texts.get(PassageId(int(self._ids[row]))) if row >= 0 else None
            if stored is None:  # nothing matches, or its document was replaced by another program since
                verdict, cause = self._judge.document(0.0, "", own, whole=whole)
                found.append(FeatureCoverage(feature.label, 0.0, verdict, None, cause=cause))
            else:
                verdict, cause = self._judge.document(strength, stored.language, own, whole=whole)
                found.append(
                    FeatureCoverage(feature.label, strength, verdict, stored.id, stored.label, cause)
                )
        return tuple(found)

    def features(self, patent: PatentId) -> tuple[FeatureEvidence, ...]:
        """Each feature searched on its own in a document: its best passages, and all above the threshold."""
        self._settle(self._rows(patent))
        covered = self.coverage(patent)
        found: list[FeatureEvidence] = []
        for number, feature in enumerate(self._query.features):
            item = self._features[number]
            order = self._once(self._strongest(item, patent))
            suggested = int(np.count_nonzero(reaches(item.strength[order], self._judge.thresholds.least)))
            order = order[: max(PASSAGES_PER_FEATURE, suggested)]
            hits = self._hits(order, item.scores, AskedTerms.of(item.terms, self._query), item.met)
            cell = covered[number]
            found.append(FeatureEvidence(feature, cell.strength, cell.verdict, hits, cell.cause))
        return tuple(found)

    def _strongest(self, feature: FeatureMeetings, patent: PatentId) -> NDArray[np.int64]:
        """Passages that match a feature, by strength, then score, then reading order."""
        rows = self._rows(patent)
        rows = rows[(feature.scores[rows] > 0) & (feature.strength[rows] > 0)]
        # Rounded: strengths that are equal as figures may differ in their last bits.
        return rows[np.lexsort((rows, -feature.scores[rows], -np.round(feature.strength[rows], 6)))]

    def _once(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first row of each passage, in the given order."""
        # np.unique sorts by id; its first places, sorted, give the order back.
        _, first = np.unique(self._ids[rows], return_index=True)
        return rows[np.sort(first)]

    def tables(self) -> tuple[FeatureTable, ...]:
        """Each feature over all passages."""
        self._settle(np.arange(len(self._ids)))
        norms = self._scoring.norm.of(self._forward.span_counts)
        return tuple(
            FeatureTable(
                item.scores,
                item.strength,
                item.scores * norms,
                _distinct(item.met.passage, item.terms.start[item.met.term], len(self._ids)),
                len(np.unique(item.terms.start)),
            )
            for item in self._features
        )

    # Passages as they are shown

    @property
    def ids(self) -> NDArray[np.int64]:
        """[P] ids of all passages, by document in the given order; once per piece for a passage in pieces."""
        return self._ids

    def best(
        self, patents: Sequence[PatentId], limit: int | None = None
    ) -> dict[PatentId, tuple[PassageHit, ...]]:
        """The passages of each document with a score, with evidence, best first (ties: reading order)."""
        chosen: dict[PatentId, NDArray[np.int64]] = {}
        for patent in patents:
            rows = self._rows(patent)
            rows = rows[self._scores[rows] > 0]
            chosen[patent] = self._once(rows[np.argsort(-self._scores[rows], kind="stable")])[:limit]
        self._settle(np.concatenate([np.empty(0, dtype=np.int64), *chosen.values()]))
        asked = AskedTerms.of(self._encoded.terms, self._query)
        return {
            patent: self._hits(rows, self._scores, asked, self._meetings) for patent, rows in chosen.items()
        }

    def _read(self, rows: NDArray[np.int64]) -> None:
        wanted = [PassageId(int(item)) for item in self._ids[rows] if item not in self._texts]
        self._texts.update(repository.read_passages(self._store, wanted))

    def met_words(self, feature: int, place: int) -> list[tuple[str, str]]:
        """Pairs of words of the claim and of a document's best passage that match in a feature."""
        row = int(self._cells[feature].row[place])
        stored = self._texts.get(PassageId(int(self._ids[row]))) if row >= 0 else None
        if stored is None:
            return []
        item = self._features[feature]
        begin, end = item.met.first[row : row + 2].tolist()
        said: dict[tuple[int, int, int, int], tuple[str, str]] = {}
        for term, entry in zip(item.met.term[begin:end], item.met.entry[begin:end], strict=True):
            asked = int(item.terms.start[term]), int(item.terms.end[term])
            met = int(self._forward.start[entry]), int(self._forward.end[entry])
            said[*asked, *met] = self._query.text[slice(*asked)], stored.text[slice(*met)]
        return [pair for pair in said.values() if all(map(is_informative, pair))]

    def _hits(
        self, rows: NDArray[np.int64], found: NDArray[np.float64], asked: AskedTerms, meetings: Meetings
    ) -> tuple[PassageHit, ...]:
        """Hits of settled passages, without those whose document another program has replaced."""
        hits: list[PassageHit] = []
        for row in rows.tolist():
            stored = self._texts.get(PassageId(int(self._ids[row])))
            if stored is None:
                continue
            shown, other = list_evidence(
                meetings,
                passage=row,
                asked=asked,
                forward=self._forward,
                text=stored.text,
                anchors=self._anchors,
            )
            hits.append(
                PassageHit(
                    stored.id,
                    stored.section,
                    stored.label,
                    stored.text,
                    float(found[row]),
                    shown,
                    group_matches(shown, self._query.text, stored.text, self._bearing(row)),
                    other,
                    self._strengths(row, stored),
                )
            )
        return tuple(hits)

    def _bearing(self, row: int) -> frozenset[int]:
        """The centers of the features that a passage matches at or above the threshold."""
        strengths = np.array([item.strength[row] for item in self._features])
        reached = reaches(strengths, self._judge.thresholds.least)
        key = reached.tobytes()
        if key not in self._bearings:
            asked = [self._features[number].terms.center for number in np.flatnonzero(reached)]
            none = np.empty(0, dtype=np.int32)
            self._bearings[key] = frozenset(np.concatenate([none, *asked]).tolist())
        return self._bearings[key]

    def _strengths(self, row: int, stored: StoredPassage) -> tuple[FeatureStrength, ...]:
        """The match strengths of a passage by feature, without those it does not match."""
        language = stored.language or self._own[int(np.searchsorted(self._first, row, side="right")) - 1]
        named = ((feature.label, float(item.strength[row])) for feature, item in self._by_feature())
        return tuple(
            FeatureStrength(label, strength, self._judge.passage(strength, language))
            for label, strength in named
            if strength > 0
        )

    def _by_feature(self) -> Iterator[tuple[Feature, FeatureMeetings]]:
        return zip(self._query.features, self._features, strict=True)


def _distinct(passage: NDArray[np.int64], value: NDArray[np.int32], passages: int) -> NDArray[np.int64]:
    """[passages] number of different values per passage."""
    pairs = np.unique(np.stack([passage, value.astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=passages)


def plain_hit(stored: StoredPassage) -> PassageHit:
    """A passage found by keywords alone, without a center score and evidence."""
    return PassageHit(stored.id, stored.section, stored.label, stored.text, 0.0)


def not_compared(query: Query) -> tuple[FeatureCoverage, ...]:
    """The coverage of a document that is not indexed: no feature was compared."""
    said = CellVerdict.UNCOMPARED, None, "", Unjudged.NOT_INDEXED
    return tuple(FeatureCoverage(item.label, 0.0, *said) for item in query.features)
