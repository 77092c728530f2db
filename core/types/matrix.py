"""The coverage matrix: features of a claim against documents, and what documents cover together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.types.results import (
    Feature,
    FeatureCoverage,
    PatentId,
    PatentSummary,
    Query,
    SearchRequest,
)
from core.types.strength import CellVerdict, Thresholds


class Lamp(StrEnum):
    """A warning on a cell."""

    NONE = "none"
    NO_SHARED_WORD = "no shared word"
    """It is matched at or above the threshold, and not one word of the feature stands in what matches."""
    WORDS_ONLY = "words only"
    """Every word of the feature that says something stands in one passage, and yet no match reaches the
    threshold."""


@dataclass(frozen=True, slots=True)
class MatrixCell(FeatureCoverage):
    """One feature in one document, by the passage that matches it most strongly."""

    score: float = 0.0
    """Center score of the feature alone against the passage."""
    lamp: Lamp = Lamp.NONE

    @property
    def counted(self) -> float:
        """What the cell adds to rows and pairs: its match strength, and nothing where it is not judged."""
        return 0.0 if self.verdict is CellVerdict.UNREAD else self.strength


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One document and its cells, one for each feature in order."""

    patent: PatentSummary
    cells: tuple[MatrixCell, ...]
    full_text: bool
    """Whether claims or description are there to be covered by, not only title and abstract."""

    @property
    def strength(self) -> float:
        """Mean match strength over the features, 0 to 1."""
        return sum(cell.counted for cell in self.cells) / max(len(self.cells), 1)


@dataclass(frozen=True, slots=True)
class CoverageMatrix:
    """Features x documents, in the order the documents were given; the own family is left out."""

    query: Query
    features: tuple[Feature, ...]
    rows: tuple[MatrixRow, ...]
    """Documents with claims or description."""
    abstracts_only: tuple[MatrixRow, ...]
    """Documents of which only title and abstract are here: their silence says nothing."""
    notes: tuple[str, ...]
    """Sentences the user must read."""
    thresholds: Thresholds
    """Where the verdicts change."""


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """Two documents that together match more of a claim than either does alone."""

    first: PatentId
    """The one that matches more on its own."""
    second: PatentId
    strength: float
    """Mean over the features of the larger of the two match strengths, 0 to 1."""
    gain: float
    """What `second` adds to the mean match strength of `first`."""
    first_adds: tuple[str, ...]
    """Features with a strong match in the first only."""
    second_adds: tuple[str, ...]
    """Features with a strong match in the second only."""
    both: tuple[str, ...]
    """Features with a strong match in each of them."""
    missing: tuple[str, ...]
    """Features with a strong match in neither."""


@dataclass(frozen=True, slots=True)
class Residual:
    """What a document lacks of a claim, ready to be searched."""

    of: PatentId
    features: tuple[str, ...]
    """Labels of the features without a strong match, in order; empty where every feature has one."""
    request: SearchRequest | None
    """Asks with the spans of these features only; None where nothing is lacking."""
