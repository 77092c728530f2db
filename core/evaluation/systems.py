"""What can rank: each leg of the search alone, every plain fusion of them, and the product's own."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from core.retrieval.fusion import Fused, fuse
from core.types import Leg

if TYPE_CHECKING:
    from core.services.search import Ranked

PLAIN_K = 60.0
"""k of plain reciprocal-rank fusion (Cormack, Clarke and Büttcher, 2009)."""


class System(StrEnum):
    """What ranks. ``+`` is plain reciprocal-rank fusion: equal weights, k = 60, whatever the settings are."""

    BM25 = "bm25"
    DENSE = "dense"
    CENTERS = "centers"
    BM25_DENSE = "bm25+dense"
    BM25_CENTERS = "bm25+centers"
    DENSE_CENTERS = "dense+centers"
    BM25_DENSE_CENTERS = "bm25+dense+centers"
    HYBRID = "hybrid"
    """All legs, fused by the weights and the k of the settings: what a search does."""

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The legs of the search engine that it needs."""
        return tuple(Leg) if self is System.HYBRID else tuple(Leg(name) for name in self.value.split("+"))

    def ranking(self, found: Ranked) -> Fused:
        """Its ranking, of what the engine found with these legs or more of them.

        A leg that could not be asked (no index, no words in the query) has no ranking; the others stand.
        """
        if self is System.HYBRID:
            return found.fused
        legs = self.legs
        used = [ranking for ranking in found.rankings if ranking.leg in legs]
        if len(legs) > 1:
            return fuse(used, weights=dict.fromkeys(Leg, 1.0), k=PLAIN_K)
        # One leg's own scores say more than those of its ranks.
        return Fused(used[0].ids, used[0].scores) if used else fuse((), weights={}, k=PLAIN_K)
