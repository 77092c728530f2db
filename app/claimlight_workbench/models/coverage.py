"""The coverage of a result list as the window holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claimlight.types import CoverageMatrix, MatrixRow, Pairs, PatentId, Residual, SearchResults

COMPARED = 50
"""Documents of a list that are compared, the first ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A matrix, its pairs, and how much of the list they speak of."""

    matrix: CoverageMatrix
    pairs: Pairs
    """Of the documents that count for inventive step, as far as their dates say."""
    every_pair: Pairs
    """Of the documents of every date status."""
    listed: int
    """Documents of the list."""
    rows: dict[PatentId, MatrixRow] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", {row.patent.id: row for row in self.matrix.every_row})


@dataclass(frozen=True, slots=True, eq=False)
class Lacking:
    """What a document lacks, and what was found for it; nothing was searched where it lacks nothing."""

    residual: Residual
    results: SearchResults | None
