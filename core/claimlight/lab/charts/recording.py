"""Records in a judge's package what it was worth on charts that took no part in its calibration."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from claimlight.errors import InputError
from claimlight.judging.calibration import CalibratedJudge
from claimlight.judging.fitting import Fit, held_figures, measure_verdicts
from claimlight.judging.package import write_calibration
from claimlight.lab.charts.measures import Labels
from claimlight.lab.charts.reading import Wording
from claimlight.lab.charts.reliability import measure_reliability
from claimlight.lab.charts.rivals import Compared, System, name_calibrated, name_first
from claimlight.types.reliability import FIRST


def record_figures(folder: Path, item: CalibratedJudge, compared: Compared, charts: str) -> None:
    """Replace the figures in the package of a calibrated judge; ``charts`` says which charts were measured.

    Calibration and fingerprint stay the same. `InputError` if the judge was calibrated on these charts.
    """
    read, name = item.calibration, item.judge.name
    if charts in read.fitted_on:
        raise InputError(f"{name} was calibrated on {charts}: measure it on others.")
    whole = _measure(compared, compared.system(name_calibrated(name)))
    figures = held_figures(whole.held)
    if read.first is not None:
        first = _measure(compared, compared.system(name_first(name, read.at_first)))
        figures |= held_figures(first.held, prefix=FIRST)
    write_calibration(
        folder,
        read,
        measured=figures,
        reliability=measure_reliability(compared.cells, whole),
        measured_on=f"{charts}, which took no part in the calibration",
    )


def _measure(compared: Compared, system: System) -> Fit:
    assert system.calibration is not None
    assert system.probabilities is not None
    labels = Labels.of(compared.cells)
    near = np.array(labels.is_wording(Wording.NEAR_MISS))
    held = measure_verdicts(
        system.probabilities, labels.disclosed, near, labels.charts, system.calibration.bounds
    )
    return Fit(system.calibration, held, system.probabilities)
