"""The judge that the settings name, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from claimlight.encoders.package_files import MANIFEST_FILE
from claimlight.judging import manifest as manifests
from claimlight.judging import opening, package
from claimlight.judging.calibration import UNCALIBRATED, CalibratedJudge
from claimlight.judging.manifest import JudgeManifest
from claimlight.judging.session import PackagedJudge
from claimlight.settings import Settings
from claimlight.types import Reliability


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """The judge that gives the verdicts, and what was measured of it."""

    name: str
    disclosed: float
    """The probability from which a cell is *disclosed*; above 1 if none ever is."""
    candidate: float
    """The probability from which a cell is a *candidate*."""
    fitted_on: str = ""
    """What its probabilities were fitted on."""
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes of the languages it reads; empty: any."""
    measured: Mapping[str, float] = field(default_factory=dict)
    """Figures by name, as its package keeps them (`claimlight.judging.fitting.Held`)."""
    measured_on: str = ""
    """The data of the figures."""
    calibrated: bool = False
    """Whether its probabilities were fitted on charts; else they are taken as it gives them."""
    reliability: Reliability | None = None
    """None if its package keeps none."""


def open_judge(settings: Settings) -> CalibratedJudge | None:
    """The judge of the charts; None: match strengths alone. Errors as of `claimlight.judging.opening`."""
    return opening.open_judge(settings.judge)


def describe_judge(found: CalibratedJudge) -> JudgeFacts:
    """What is known of a judge; figures only if it is a package."""
    judge, read = found.judge, found.calibration
    if isinstance(judge, PackagedJudge):
        return _describe(judge.package.manifest)
    return JudgeFacts(
        judge.name,
        read.bounds.disclosed,
        read.bounds.candidate,
        read.fitted_on,
        tuple(sorted(judge.languages)),
    )


def read_facts(name: str) -> JudgeFacts:
    """What a package keeps about its judge, by the setting ``judge.package``; its model is not opened.

    Raises `ResourceError` if there is no such package, `InputError` if it is not a judge.
    """
    return _describe(manifests.read(package.locate(name) / MANIFEST_FILE))


def _describe(manifest: JudgeManifest) -> JudgeFacts:
    read = manifest.calibration or UNCALIBRATED
    return JudgeFacts(
        f"{manifest.id} {manifest.version}",
        read.bounds.disclosed,
        read.bounds.candidate,
        read.fitted_on,
        tuple(sorted(manifest.languages)),
        manifest.measured,
        manifest.measured_on,
        manifest.calibration is not None,
        manifest.reliability,
    )
