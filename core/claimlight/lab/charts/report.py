"""The report of a measurement on charts: every system on the same cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from claimlight.judging.calibration import Calibration
from claimlight.lab.charts.measures import (
    CONTESTS,
    RESAMPLES,
    Estimate,
    Labels,
    Resampled,
    Statistic,
    area_statistic,
    precision_statistic,
    resample_charts,
    right_statistic,
    verdict_statistics,
)
from claimlight.lab.charts.reliability import count_verdicts
from claimlight.lab.charts.rivals import TODAY, Compared, MeasuredCell, System
from claimlight.lab.diagnostics.cells.measures import Bin, reliability
from claimlight.types import WordingFigures

SCHEMA = "claimlight.charts.1"
DEPTHS = (1, 3)


@dataclass(frozen=True, slots=True)
class Kind:
    """Number of cells of one wording."""

    wording: str
    cells: int


@dataclass(frozen=True, slots=True)
class ContestFigures:
    """Disclosed against undisclosed cells, all or of one kind."""

    contest: str
    area: Estimate
    average_precision: Estimate
    area_over_today: Estimate | None
    """Less that of match strengths, paired; None for these themselves."""


@dataclass(frozen=True, slots=True)
class RightFigures:
    """Share of the disclosed cells with a right paragraph among the first."""

    depth: int
    share: Estimate
    over_today: Estimate | None


@dataclass(frozen=True, slots=True)
class VerdictFigures:
    """What the verdicts of a calibrated judge are worth."""

    calibration: Calibration
    precision: Estimate
    """Share of the cells called *disclosed* that are."""
    recall: Estimate
    near_disclosed: Estimate
    """Share of the near misses called *disclosed*."""
    disclosed_at_nothing: Estimate
    """Share of the disclosed cells called *nothing near*."""
    undisclosed_at_nothing: Estimate
    calibration_error: Estimate
    """Mean gap of probability and share of disclosed cells, in tenths of probability."""
    bins: tuple[Bin, ...]
    wordings: tuple[WordingFigures, ...]
    """Verdicts by wording; empty if the set does not say how cells are worded."""


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """One system on all cells."""

    system: str
    contests: tuple[ContestFigures, ...]
    right: tuple[RightFigures, ...]
    verdicts: VerdictFigures | None

    def contest(self, name: str) -> ContestFigures:
        """The figures of one contest."""
        return next(item for item in self.contests if item.contest == name)


@dataclass(frozen=True, slots=True)
class ChartReport:
    """All systems on the same cells."""

    source: str
    part: str
    charts: int
    cells: int
    kinds: tuple[Kind, ...]
    encoder: str
    """Fingerprint of the encoder of cosines and match strengths."""
    resamples: int
    systems: tuple[SystemFigures, ...]


def make_report(compared: Compared, *, source: str, part: str, resamples: int = RESAMPLES) -> ChartReport:
    """Measure every system, with 95 % intervals by resampling charts."""
    cells, systems = compared.cells, compared.systems
    labels = Labels.of(cells)
    contests = [name for name in CONTESTS if 0 < labels.disclosed[labels.contest(name)].mean() < 1]
    statistics: dict[str, Statistic] = {}
    for system in systems:
        name = system.name
        for contest in contests:
            statistics[f"{name}|area|{contest}"] = area_statistic(system, labels, contest)
            statistics[f"{name}|precision|{contest}"] = precision_statistic(system, labels, contest)
        for depth in DEPTHS:
            statistics[f"{name}|right|{depth}"] = right_statistic(system, cells, depth)
        if system.probabilities is not None:
            found = verdict_statistics(system, labels)
            statistics |= {f"{name}|verdict|{measure}": item for measure, item in found.items()}
    drawn = resample_charts(statistics, labels.charts, resamples=resamples)
    kinds = Counter(cell.cell.wording.value for cell in cells)
    return ChartReport(
        source,
        part,
        int(labels.charts.max()) + 1,
        len(cells),
        tuple(Kind(wording, number) for wording, number in sorted(kinds.items())),
        compared.encoder,
        resamples,
        tuple(_figures(system, cells, contests, drawn) for system in systems),
    )


def _figures(
    system: System, cells: Sequence[MeasuredCell], contests: Sequence[str], drawn: Resampled
) -> SystemFigures:
    name, labels = system.name, Labels.of(cells)

    def over_today(measure: str) -> Estimate | None:
        return None if name == TODAY else drawn.difference(f"{name}|{measure}", f"{TODAY}|{measure}")

    return SystemFigures(
        name,
        tuple(
            ContestFigures(
                contest,
                drawn.estimate(f"{name}|area|{contest}"),
                drawn.estimate(f"{name}|precision|{contest}"),
                over_today(f"area|{contest}"),
            )
            for contest in contests
        ),
        tuple(
            RightFigures(depth, drawn.estimate(f"{name}|right|{depth}"), over_today(f"right|{depth}"))
            for depth in DEPTHS
        ),
        _verdicts(system, labels, drawn, cells),
    )


def _verdicts(
    system: System, labels: Labels, drawn: Resampled, cells: Sequence[MeasuredCell]
) -> VerdictFigures | None:
    if system.calibration is None or system.probabilities is None:
        return None
    found = {
        measure: drawn.estimate(f"{system.name}|verdict|{measure}")
        for measure in verdict_statistics(system, labels)
    }
    bins, _ = reliability(system.probabilities, labels.disclosed, np.ones(len(labels.disclosed)))
    wordings = count_verdicts(cells, system.probabilities, system.calibration)
    return VerdictFigures(calibration=system.calibration, bins=bins, wordings=wordings, **found)
