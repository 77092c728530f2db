"""The reliability of a calibrated judge, from cells whose charts were left out of the fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from claimlight.judging.calibration import Calibration
from claimlight.judging.fitting import Fit
from claimlight.lab.charts.reading import Wording
from claimlight.lab.charts.rivals import MeasuredCell
from claimlight.lab.diagnostics.cells.measures import reliability
from claimlight.services.search.charting import decide
from claimlight.types import ChartVerdict, Reliability, ReliabilityBin, WordingFigures


def measure_reliability(cells: Sequence[MeasuredCell], fit: Fit) -> Reliability:
    """Tenths of probability, and verdicts by wording; ``cells`` in the order of the fit's."""
    labels = np.array([item.cell.disclosed for item in cells], dtype=np.bool_)
    tenths, _ = reliability(fit.probabilities, labels, np.ones(len(cells)))
    bins = [
        ReliabilityBin(item.low, item.high, round(item.weight), item.said, round(item.weight * item.found))
        for item in tenths
    ]
    return Reliability(tuple(bins), count_verdicts(cells, fit.probabilities, fit.calibration))


def count_verdicts(
    cells: Sequence[MeasuredCell], probabilities: NDArray[np.float64], calibration: Calibration
) -> tuple[WordingFigures, ...]:
    """Verdicts by wording; ``probabilities`` [cells]."""
    said = Counter(
        (item.cell.wording, decide(probability, calibration))
        for item, probability in zip(cells, probabilities.tolist(), strict=True)
    )
    figures = [
        WordingFigures(wording.value, *(said[wording, verdict] for verdict in ChartVerdict))
        for wording in Wording
        if wording is not Wording.UNKNOWN
    ]
    return tuple(item for item in figures if item.cells)
