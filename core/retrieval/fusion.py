"""Fusion of the legs, and one row for each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.retrieval.base import Ranking
from core.retrieval.catalogue import Catalogue
from core.types import Leg, LegRank


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Documents by fused score, best first, ties by ascending id."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Folded:
    """One row of a result: the best ranked member of a family, and the others that were found."""

    patent: int
    score: float
    others: tuple[int, ...]


def fuse(rankings: Sequence[Ranking], *, weights: Mapping[Leg, float], k: float) -> Fused:
    """Weighted reciprocal-rank fusion: the sum over legs of weight / (k + rank), ranks from 1."""
    used = [r for r in rankings if weights[r.leg] > 0 and len(r)]
    if not used:
        return Fused(np.empty(0, np.int64), np.empty(0, np.float64))
    ids = np.unique(np.concatenate([r.ids for r in used]))
    scores = np.zeros(len(ids), dtype=np.float64)
    for ranking in sorted(used, key=lambda r: list(Leg).index(r.leg)):
        ranks = np.arange(1, len(ranking) + 1, dtype=np.float64)
        scores[np.searchsorted(ids, ranking.ids)] += weights[ranking.leg] / (k + ranks)
    order = np.lexsort((ids, -scores))
    return Fused(ids[order], scores[order])


def fold_families(fused: Fused, catalogue: Catalogue, *, top: int) -> list[Folded]:
    """The first ``top`` families; each is shown by its best ranked member."""
    family = catalogue.family[catalogue.rows(fused.ids)]
    _, first = np.unique(family, return_index=True)
    order = np.argsort(family, kind="stable")  # inside a family the ranking's order stays
    edges = np.searchsorted(family[order], family[np.sort(first)[:top]], side="left")
    ends = np.searchsorted(family[order], family[np.sort(first)[:top]], side="right")
    rows = [order[a:b] for a, b in zip(edges, ends, strict=True)]
    return [
        Folded(int(fused.ids[r[0]]), float(fused.scores[r[0]]), tuple(int(i) for i in fused.ids[r[1:]]))
        for r in rows
    ]


def leg_ranks(rankings: Sequence[Ranking], patents: Sequence[int]) -> dict[int, tuple[LegRank, ...]]:
    """For each document the legs that found it, with rank and raw score."""
    found: dict[int, list[LegRank]] = {patent: [] for patent in patents}
    for ranking in rankings:
        place = {int(patent): n for n, patent in enumerate(ranking.ids)}
        for patent, ranks in found.items():
            if patent in place:
                at = place[patent]
                ranks.append(LegRank(ranking.leg, at + 1, float(ranking.scores[at])))
    return {patent: tuple(ranks) for patent, ranks in found.items()}
