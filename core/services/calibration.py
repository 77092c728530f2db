"""Which calibration belongs to the model in use, and what follows from it for COVERS."""

from __future__ import annotations

from core.highlight import abstain
from core.highlight.abstain import Calibration, extent_of
from core.highlight.terms import Terms
from core.services.search_state import SearchState
from core.settings import Settings

SHARE = 0.5
"""Of a feature, what a passage must carry to cover it where no calibration and no setting says how much."""


def calibration_of(state: SearchState, settings: Settings) -> Calibration | None:
    """The calibration made for this encoder, these centers and this scoring; None where there is none."""
    if state.encoder is None:
        return None
    machinery = state.encoder.machinery
    return abstain.fitting(
        abstain.Basis.of(machinery.encoder.fingerprint, machinery.vocabulary.fingerprint, settings.centers)
    )


def least_share(terms: Terms, calibration: Calibration | None, settings: Settings) -> float:
    """Of a feature with these terms, the share a passage must carry to cover it.

    The setting ``search.covers_share``; where it is 0, the share from which on the calibration calls a
    feature of this extent covered (above 1 where no share is enough), and without one `SHARE`.
    """
    wish = settings.search.covers_share
    if wish > 0:
        return wish
    if calibration is None:
        return SHARE
    return calibration.least_coverage(calibration.covered, extent_of(terms))


def told(calibration: Calibration | None, settings: Settings) -> str:
    """How COVERS was decided, for the record of a set."""
    wish = settings.search.covers_share
    if wish > 0:
        return str(wish)
    if calibration is None:
        return f"{SHARE} (uncalibrated)"
    return f"probability {calibration.covered:.4f} by the calibration {calibration.digest}"
