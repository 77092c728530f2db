"""The center score as tables: for each center of a query, what each stored code adds to the numerator.

    score(q, d) = sum over c of w_qc * w_dc * idf_c^alpha / max(|S_d|, floor)^gamma

(Sparse Coverage, section 3). Postings, forward lists and evidence use the same table, so under all settings
the contributions of a passage sum to its score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.digests import sha256
from claimlight.errors import BugError
from claimlight.index.segments import WEIGHT_UNIT, encode_cosines
from claimlight.settings import CenterSettings

CODES = WEIGHT_UNIT + 1


@dataclass(frozen=True, slots=True, eq=False)
class CenterQuery:
    """A query as the kernels take it."""

    centers: NDArray[np.int32]
    """[q], ascending, distinct."""
    worth: NDArray[np.float64]
    """[q, 256]: what each stored code adds to the numerator; at least 0, and 0 for code 0."""

    def __post_init__(self) -> None:
        if self.worth.shape != (len(self.centers), CODES):
            raise BugError(f"{len(self.centers)} query centers have a table of shape {self.worth.shape}")
        if (np.diff(self.centers) <= 0).any():
            raise BugError("a query center occurs twice, or the centers do not ascend")

    def __len__(self) -> int:
        return len(self.centers)

    def row_of_center(self, count: int) -> NDArray[np.int32]:
        """[V] row of each of ``count`` centers; -1 for centers that are not in the query."""
        table = np.full(count, -1, dtype=np.int32)
        table[self.centers] = np.arange(len(self.centers), dtype=np.int32)
        return table


@dataclass(frozen=True, slots=True)
class LengthNorm:
    """The divisor of a numerator: ``max(|S|, floor)^exponent``."""

    exponent: float
    floor: int = 1
    """Passages with fewer spans count as if they had this many; 1 gives the paper's formula."""

    def of(self, span_counts: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Norms of passages from their numbers of spans."""
        most = int(span_counts.max(initial=0))
        if most + 1 < len(span_counts):
            # There are many passages but few distinct span counts: compute each power once.
            return self.of(np.arange(most + 1))[span_counts]
        lengths = np.maximum(span_counts, max(self.floor, 1)).astype(np.float64)
        norms: NDArray[np.float64] = lengths**self.exponent
        return norms


NO_NORM = LengthNorm(0.0)
"""No normalisation: coverage shares are not divided."""


@dataclass(frozen=True, slots=True)
class StopList:
    """The centers that do not score: the most frequent ones, determined at query time."""

    centers: NDArray[np.int32]
    """Ascending."""
    digest: str
    """Identifies the list: equal digests, equal lists."""


def make_center_query(
    centers: NDArray[np.int32],
    weights: NDArray[np.floating],
    *,
    idf: NDArray[np.floating],
    settings: CenterSettings,
) -> CenterQuery:
    """Make the paper's query: each code adds ``w_q * (code / 255) * idf^alpha`` (Sparse Coverage, section 3).

    ``centers`` [q] in any order, with ``weights`` w_q. ``idf`` [V] is 0 for stop centers, which are omitted.
    """
    order, factors = _order_terms(centers, idf, settings)
    asked, mine = centers[order], weights[order].astype(np.float64)
    worth = (mine * factors)[:, None] * (np.arange(CODES) / WEIGHT_UNIT)
    # Carries of long gaps have code 0 and are looked up like postings: they must add nothing.
    worth[:, 0] = 0.0
    kept = worth[:, -1] > 0.0
    return CenterQuery(asked[kept].astype(np.int32), np.ascontiguousarray(worth[kept]))


def make_coverage_query(
    centers: NDArray[np.int32],
    weights: NDArray[np.floating],
    *,
    idf: NDArray[np.floating],
    settings: CenterSettings,
) -> CenterQuery:
    """Make a query whose score is the share of the query's terms that a passage contains, 0 to 1.

    A term's share is proportional to its weight in the score. A center adds ``share * min(1, w_d / w_q)``:
    all of its share if the passage is at least as near to it as the query is.
    """
    order, factors = _order_terms(centers, idf, settings)
    asked, mine = centers[order], weights[order].astype(np.float64)
    strength = mine * factors
    kept = strength > 0.0
    asked, mine, strength = asked[kept], mine[kept], strength[kept]
    shares = strength / strength.sum() if len(strength) else strength
    # Quantise both sides alike, so that a passage that repeats the text gets a share of exactly 1.
    plain = np.minimum(1.0, np.arange(CODES) / encode_cosines(mine)[:, None].astype(np.float64))
    worth = shares[:, None] * plain
    worth[:, 0] = 0.0
    return CenterQuery(asked.astype(np.int32), worth)


def _order_terms(
    centers: NDArray[np.int32], idf: NDArray[np.floating], settings: CenterSettings
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The order that sorts the centers, and idf^alpha in that order, 0 for stop centers."""
    order = np.argsort(centers, kind="stable")
    found = idf[centers[order]].astype(np.float64)
    return order, np.where(found > 0.0, found ** float(settings.idf_exponent), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """The scoring function of an index under given settings."""

    idf: NDArray[np.float32]
    """[V]; 0 for stop centers."""
    settings: CenterSettings

    @property
    def norm(self) -> LengthNorm:
        """The length norm of scores."""
        return LengthNorm(self.settings.length_exponent, self.settings.length_floor)

    @property
    def factors(self) -> NDArray[np.float64]:
        """[V] idf^alpha, 0 for stop centers."""
        idf = self.idf.astype(np.float64)
        return np.where(idf > 0.0, idf ** float(self.settings.idf_exponent), 0.0)

    def query(self, centers: NDArray[np.int32], weights: NDArray[np.floating]) -> CenterQuery:
        """See `make_center_query`."""
        return make_center_query(centers, weights, idf=self.idf, settings=self.settings)

    def shares(self, centers: NDArray[np.int32], weights: NDArray[np.floating]) -> CenterQuery:
        """See `make_coverage_query`."""
        return make_coverage_query(centers, weights, idf=self.idf, settings=self.settings)


class CenterWeights:
    """What the centers of an index are worth, by how many of its passages have them."""

    def __init__(self, df: NDArray[np.int64], passages: int) -> None:
        """``df`` [V]: passages with an entry of each center, of ``passages`` in all."""
        self.df = df
        self.passages = passages
        self._idf: dict[float, NDArray[np.float32]] = {}

    def idf(self, settings: CenterSettings) -> NDArray[np.float32]:
        """[V] ``ln((N + 1) / (df + 1)) + 1``; 0 for the stop centers."""
        share = settings.stop_share
        if share not in self._idf:
            table = np.log((self.passages + 1.0) / (self.df + 1.0)) + 1.0
            table[self.stops(settings).centers] = 0.0
            # Kept by share alone: the exponent alpha is applied per query (`Scoring`).
            self._idf[share] = table.astype(np.float32)
        return self._idf[share]

    def stops(self, settings: CenterSettings) -> StopList:
        """The stop centers: the share `CenterSettings.stop_share` with the highest df (ties: lower id)."""
        share = settings.stop_share
        count = max(1, round(len(self.df) * share)) if share > 0 else 0
        centers = np.sort(np.argsort(-self.df, kind="stable")[:count]).astype(np.int32)
        return StopList(centers, sha256(centers.astype("<i4").tobytes())[:12])

    def scoring(self, settings: CenterSettings) -> Scoring:
        """The scoring function under ``settings``."""
        return Scoring(self.idf(settings), settings)
