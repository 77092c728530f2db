"""The coverage matrix: features of a claim against documents, and what documents cover together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.types.results import Feature, PassageId, PatentId, PatentSummary, Query, SearchRequest


class CellVerdict(StrEnum):
    """What is said of a feature in a document. A candidate until the examiner confirms it."""

    COVERED = "covered"
    """As likely as the calibration asks of a passage that is said to disclose the feature."""
    PARTIAL = "partial"
    """Too likely to keep silent about, too unlikely to rely on."""
    NOTHING = "nothing found"
    """The best passage is no more likely to disclose the feature than the calibration calls silence."""
    UNCALIBRATED = "uncalibrated"
    """No calibration fits this model, or it does not read the passage's language: the coverage is shown and
    nothing is said."""


class Lamp(StrEnum):
    """A warning on a cell."""

    NONE = "none"
    NO_SHARED_WORD = "no shared word"
    """Something is covered, and not one word of the feature stands in a span that met it."""
    WORDS_ONLY = "words only"
    """Every telling word of the feature stands in some passage, and yet nothing is covered."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One feature in one document, by the passage that carries most of it."""

    feature: str
    """Label of the feature."""
    coverage: float
    """Share of the feature's weighted centers that the passage carries, 0 to 1."""
    score: float
    """Center score of the feature alone against the passage."""
    probability: float
    """Calibrated probability that the passage discloses the feature; without a calibration the coverage. 0 of
    a passage that the model does not read: nothing is built on it."""
    verdict: CellVerdict
    passage: PassageId | None
    """None where no passage carries any of it."""
    label: str = ""
    """How the passage is cited: ``[0042]``."""
    lamp: Lamp = Lamp.NONE

    @property
    def shown(self) -> float:
        """The figure of the cell: what is judged by its probability, all else by its coverage."""
        return self.coverage if self.verdict is CellVerdict.UNCALIBRATED else self.probability


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One document and its cells, one for each feature in order."""

    patent: PatentSummary
    cells: tuple[MatrixCell, ...]
    full_text: bool
    """Whether claims or description are there to be covered by, not only title and abstract."""

    @property
    def covered(self) -> float:
        """Mean probability over the features, 0 to 1."""
        return sum(cell.probability for cell in self.cells) / max(len(self.cells), 1)


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
    calibration: str
    """Name and origin of the calibration behind the verdicts; empty where there is none for this model."""
    threshold: float = 0.5
    """From which probability (or coverage, where uncalibrated) a feature counts as covered."""


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """Two documents that together cover more of a claim than either does alone."""

    first: PatentId
    """The one that covers more on its own."""
    second: PatentId
    covered: float
    """Mean over the features of the larger of the two probabilities, 0 to 1."""
    gain: float
    """What `second` adds to the `covered` of `first`."""
    first_adds: tuple[str, ...]
    """Features covered by the first only."""
    second_adds: tuple[str, ...]
    """Features covered by the second only."""
    both: tuple[str, ...]
    """Features each of them covers."""
    missing: tuple[str, ...]
    """Features covered by neither."""


@dataclass(frozen=True, slots=True)
class Residual:
    """What a document lacks of a claim, ready to be searched."""

    of: PatentId
    features: tuple[str, ...]
    """Labels of the features it does not cover, in order; empty where it covers all."""
    request: SearchRequest | None
    """Asks with the spans of these features only; None where nothing is lacking."""
