"""The coverage matrix: features of a claim against documents, and what documents cover together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from claimlight.types.confirmations import ByHand
from claimlight.types.dates import UNDATED, DateFinding, ReferenceDates, Standing
from claimlight.types.depth import NONE_READ, IndexDepth, PassagesRead
from claimlight.types.results import (
    CellRuling,
    Feature,
    FeatureCoverage,
    PatentId,
    PatentSummary,
    Query,
    SearchRequest,
)
from claimlight.types.strength import CellVerdict, ChartVerdict, Thresholds, Unjudged

EVEN = 0.5
"""Probability from which a feature is more likely disclosed than not."""


class Lamp(StrEnum):
    """A warning on a cell."""

    NONE = "none"
    NO_SHARED_WORD = "no shared word"
    """Matched at or above the threshold, without a single word of the feature in what matches."""
    WORDS_ONLY = "words only"
    """Every meaningful word of the feature is in one passage, and yet no match reaches the threshold."""


@dataclass(frozen=True, slots=True)
class MatrixCell(FeatureCoverage):
    """One feature in one document, by the passage that matches it most strongly."""

    score: float = 0.0
    """Center score of the feature alone against the passage."""
    lamp: Lamp = Lamp.NONE
    ruling: CellRuling | None = None
    """What a judge says; None where no judge was asked or could read. Its passage is that of the cell,
    unless the examiner has confirmed another."""
    by_hand: ByHand = ByHand.NONE
    """What the examiner's decisions make of it; a confirmed cell names the confirmed passage, and keeps
    ruling, strength and verdict of the passage that was suggested."""
    rejected: int = 0
    """How many passages of the document the examiner has rejected for the feature."""
    text_changed: bool = False
    """The text of the confirmed passage has changed since it was confirmed, or is no longer there."""

    @property
    def counted(self) -> float:
        """What the cell adds to rows and pairs, 0 to 1.

        1 if confirmed, 0 if rejected. Else the probability of disclosure; without a ruling the match
        strength, and nothing where the model does not read the language.
        """
        if self.by_hand in {ByHand.CONFIRMED, ByHand.REJECTED}:
            return float(self.by_hand is ByHand.CONFIRMED)
        if self.ruling is not None:
            return self.ruling.probability
        unread = self.verdict is CellVerdict.UNREAD and self.cause is not Unjudged.DEPTH
        return 0.0 if unread else self.strength

    @property
    def probable(self) -> bool:
        """Whether `counted` is a probability, and no match strength."""
        return self.by_hand in {ByHand.CONFIRMED, ByHand.REJECTED} or self.ruling is not None

    @property
    def disclosed(self) -> bool:
        """Whether the cell counts as disclosed: by the examiner, else the judge, else a strong match."""
        if self.by_hand in {ByHand.CONFIRMED, ByHand.REJECTED}:
            return self.by_hand is ByHand.CONFIRMED
        if self.ruling is not None:
            return self.ruling.verdict is ChartVerdict.DISCLOSED
        return self.verdict is CellVerdict.STRONG

    @property
    def likely(self) -> bool:
        """Whether the feature is more likely disclosed than not: what pairs and the search for the rest use.

        As `disclosed`, but by a judge from a probability of one half: the verdict *disclosed* is strict, and
        most features which a document discloses are *candidates*.
        """
        if self.by_hand in {ByHand.CONFIRMED, ByHand.REJECTED} or self.ruling is None:
            return self.disclosed
        return self.ruling.probability >= EVEN


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One document and its cells, one for each feature in order."""

    patent: PatentSummary
    cells: tuple[MatrixCell, ...]
    full_text: bool
    """Whether claims or description are there to be covered by, not only title and abstract."""
    dates: DateFinding = UNDATED
    """Its date status against the application of the matrix."""
    depth: IndexDepth = IndexDepth.FULL
    """How much of it is in the semantic index."""
    read: PassagesRead = NONE_READ
    """What searches have read of its description, if that is not indexed."""
    read_on: bool = False
    """Whether more of it was read than its first passages, by the judge or a second one."""

    @property
    def ruled(self) -> bool:
        """Whether a judge has ruled on a cell of it."""
        return any(cell.ruling is not None for cell in self.cells)

    @property
    def strength(self) -> float:
        """Mean over the features of what the cells count, 0 to 1."""
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
    reference: ReferenceDates | None = None
    """The dates that the rows were compared with; None where the application has none."""
    claim: int = 0
    """The claim whose priority counts; 0 stands for all claims."""
    about_judge: tuple[str, ...] = ()
    """Those notes that say which judge ruled, or that one has failed."""
    reads_on: bool = False
    """Whether the judge reads on in some documents when it has ruled on all by their first passages."""

    @property
    def every_row(self) -> tuple[MatrixRow, ...]:
        """The rows of both lists."""
        return (*self.rows, *self.abstracts_only)

    @property
    def first_only(self) -> frozenset[PatentId]:
        """Documents with rulings on their first passages only, where a judge reads on in others."""
        return frozenset(row.patent.id for row in self.every_row if self.is_first_only(row))

    def is_first_only(self, row: MatrixRow) -> bool:
        """The same of one row, which may be a newer one than that of the matrix."""
        if not row.ruled or row.read_on:
            return False
        return self.reads_on or any(each.read_on for each in self.every_row)


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """Two documents that together disclose more features than any alone; see `MatrixCell.likely`."""

    first: PatentId
    """The one that matches more on its own."""
    second: PatentId
    strength: float
    """Mean over the features, 0 to 1, of the probability that at least one of the two discloses it; of match
    strengths the larger."""
    gain: float
    """What `second` adds to the mean of `first`."""
    only_first: tuple[str, ...]
    """Features likely disclosed in the first only."""
    only_second: tuple[str, ...]
    """Features likely disclosed in the second only."""
    both: tuple[str, ...]
    """Features likely disclosed in each of them."""
    neither: tuple[str, ...]
    """Features likely disclosed in neither."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document that is in no pair because it does not count for inventive step or obviousness."""

    patent: PatentId
    why: Standing


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of one matrix, and the documents that their dates keep out of them."""

    pairs: tuple[DocumentPair, ...]
    """Best first."""
    left_out: tuple[LeftOut, ...] = ()
    """In the order of the matrix; empty where documents of every status were asked for."""
    notes: tuple[str, ...] = ()
    """Sentences the user must read."""
    chosen_from: int = 0
    """The number of documents that may form pairs."""


@dataclass(frozen=True, slots=True)
class Residual:
    """What a document lacks of a claim, ready to be searched."""

    of: PatentId
    features: tuple[str, ...]
    """Labels of the features that are not disclosed, in order; empty where every one is."""
    request: SearchRequest | None
    """Asks with the spans of these features only; None where nothing is lacking."""
    dates: DateFinding = UNDATED
    """The date status of the document."""
