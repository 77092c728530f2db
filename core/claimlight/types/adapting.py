"""Results of adapting an encoder to a library, and a judge to decided cells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from claimlight.types.training import TrainReport


class Verdict(StrEnum):
    """What the figures of a comparison prove."""

    BETTER = "better"
    """The confidence interval of the difference is above zero."""
    WORSE = "worse"
    UNDECIDED = "undecided"
    """The interval includes zero."""
    UNMEASURED = "unmeasured"
    """Too few citations inside the library."""


@dataclass(frozen=True, slots=True)
class AdaptedFigure:
    """One measure, a mean over the same queries for both encoders; shares from 0 to 1."""

    measure: str
    """``R@10``, ``R@100``, ``AP``."""
    before: float
    after: float
    low: float
    """Lower end of the 95 % interval of the difference, paired over the queries."""
    high: float
    p: float
    """Two-sided p value of a randomisation test."""

    @property
    def difference(self) -> float:
        """After less before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class AdaptReport:
    """An encoder adapted to a library, not yet kept."""

    library: str
    folder: str
    """Folder of everything the run produced, until it is kept or discarded."""
    package: str
    """Folder of the adapted model package, inside ``folder``."""
    name: str
    """Name it gets when it is kept."""
    base: str
    """Name of the package it began with."""
    documents: int
    """Trained on."""
    held_out: int
    """Families kept out of the training because they are used as queries."""
    queries: int
    citations: int
    """Pairs of a query and a family it should find."""
    candidates: int
    """Number of families searched."""
    figures: tuple[AdaptedFigure, ...]
    """Empty if nothing could be measured."""
    centers: int
    training: TrainReport
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Verdict on `main`."""
        if not self.figures:
            return Verdict.UNMEASURED
        main = self.main
        if main.low > 0:
            return Verdict.BETTER
        return Verdict.WORSE if main.high < 0 else Verdict.UNDECIDED

    @property
    def main(self) -> AdaptedFigure:
        """The deciding figure: the last, average precision, which stays below 1 even in a small library."""
        return self.figures[-1]


@dataclass(frozen=True, slots=True)
class KeptModel:
    """An adapted package that is now installed and in use."""

    name: str
    folder: str
    stale_index: bool
    """The library has an index of another model, which must be rebuilt."""


@dataclass(frozen=True, slots=True)
class CellCount:
    """How many cells examiners decided."""

    confirmed: int
    rejected: int
    documents: int


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """What the rulings of a judge on cells left out are worth."""

    area: float
    """Probability that a confirmed cell has a higher score than a rejected one; ties count half."""
    log_loss: float
    """Mean of -log of the probability that the judge gives to the decision."""
    right: float
    """Share of the cells that are confirmed and *disclosed*, or rejected and not."""


@dataclass(frozen=True, slots=True)
class FigureInterval:
    """A 95 % interval, by drawing the documents left out with replacement."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FigureIntervals:
    """The intervals of `JudgeFigures`, or of their differences."""

    area: FigureInterval
    log_loss: FigureInterval
    right: FigureInterval


@dataclass(frozen=True, slots=True)
class JudgeIntervals:
    """How far the figures of both judges may be from those of other documents."""

    before: FigureIntervals
    after: FigureIntervals
    difference: FigureIntervals
    """Of after less before; both judges see the same draws."""


@dataclass(frozen=True, slots=True)
class JudgeAdaptReport:
    """A judge trained further on cells that examiners decided."""

    package: str
    """Folder of the package; empty if nothing was written."""
    base: str
    """Id and version of the judge it began with."""
    judge: str
    """Id and version of the adapted judge."""
    trained: CellCount
    left_out: CellCount
    steps: int
    before: JudgeFigures
    after: JudgeFigures
    fitted: bool
    """Whether the probabilities are fitted on the cells left out, those of each document by the others; if
    not, both judges are read by the calibration of the base."""
    notes: tuple[str, ...] = ()
    intervals: JudgeIntervals | None = None
    """None if the cells left out are of too few documents."""
    setting: str = "judge.package"
    """The setting that names the adapted judge in place of the one before."""

    @property
    def worse(self) -> bool:
        """Whether the adapted judge ranks worse, or is further from the decisions."""
        return self.after.area < self.before.area or self.after.log_loss > self.before.log_loss
