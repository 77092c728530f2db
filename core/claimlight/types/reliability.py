"""The reliability of a judge: what became of its probabilities, and its verdicts by kind of wording."""

from __future__ import annotations

import math
from dataclasses import dataclass

_NORMAL = 1.959963984540054
"""Quantile of the normal distribution for an interval of 95 %."""


FIRST = "first_"
"""Prefix of the figures of what a judge reads at first."""


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """The 95 % interval of a share; both ends 0 to 1."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The cells whose probability is in one range."""

    low: float
    high: float
    cells: int
    """At least 1."""
    probability: float
    """Their mean probability."""
    disclosed: int
    """Those among them that disclose the feature."""

    @property
    def share(self) -> float:
        """Share of the cells that disclose the feature."""
        return self.disclosed / self.cells

    @property
    def interval(self) -> ShareInterval:
        """That of the share, by Wilson; every cell counts as a draw of its own, so it is a little narrow."""
        return wilson_interval(self.disclosed, self.cells)


@dataclass(frozen=True, slots=True)
class WordingFigures:
    """The verdicts on the cells of one kind of wording."""

    wording: str
    """``same``, ``other`` and ``implicit`` disclose the feature; ``near_miss`` and ``absent`` do not."""
    disclosed: int
    """Cells called *disclosed*."""
    candidate: int
    nothing: int

    @property
    def cells(self) -> int:
        """All cells of this wording."""
        return self.disclosed + self.candidate + self.nothing


@dataclass(frozen=True, slots=True)
class Reliability:
    """Figures of a judge on cells whose charts were left out of its calibration."""

    bins: tuple[ReliabilityBin, ...]
    """By rising probability; ranges without cells are left out."""
    wordings: tuple[WordingFigures, ...]


def wilson_interval(found: int, cells: int) -> ShareInterval:
    """The score interval of Wilson (1927) for ``found`` of at least one cell."""
    share, square = found / cells, _NORMAL**2
    middle = (share + square / (2 * cells)) / (1 + square / cells)
    reach = _NORMAL * math.sqrt(share * (1 - share) / cells + square / (4 * cells**2)) / (1 + square / cells)
    # Of none or of all cells one end is the share itself, but for rounding.
    return ShareInterval(max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach)))
