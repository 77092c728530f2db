"""The judges of this machine, the one that the settings name, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from claimlight.encoders import licences
from claimlight.encoders.package_files import MANIFEST_FILE
from claimlight.errors import AppError
from claimlight.judging import manifest as manifests
from claimlight.judging import opening, package
from claimlight.judging.calibration import UNCALIBRATED, Bounds, CalibratedJudge
from claimlight.judging.late import LateJudge
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
    first: int = 0
    """Passages of every document that it reads for a feature at first."""
    candidates: int = 0
    """Most passages that it reads in the best documents."""
    second: JudgeFacts | None = None
    """The judge that reads on in the best documents; None: this one itself."""
    fault: str = ""
    """Why a second judge that the settings name can't be used; else empty."""
    figures_bounds: Bounds | None = None
    """Where verdicts begin in `reliability`, whose cells are of `candidates` passages read; None: as here."""


@dataclass(frozen=True, slots=True)
class JudgeInfo:
    """A judge package as described by its manifest; unchecked."""

    name: str
    """Value for the setting ``judge.package``."""
    folder: str
    shipped: bool
    """Whether it comes with the program; else the user installed it."""
    in_use: bool
    model: str = ""
    kind: str = ""
    max_length: int = 0
    precision: str = ""
    licence: str = ""
    commercial: bool = True
    source: str = ""
    bytes: int = 0
    calibrated: bool = False
    """Whether its scores can be read as probabilities."""
    accepted: bool = True
    """False if the licence must be accepted before the package can be used."""
    languages: tuple[str, ...] = ()
    """Languages it reads, ISO 639-1; empty: any."""
    fault: str = ""
    """Why the manifest can't be read; the other fields from ``model`` on are then invalid."""
    reads_on: bool = False
    """Whether it is the second judge in use."""
    second: bool = False
    """Whether it comes with the program as its second judge."""


def list_judges(settings: Settings) -> tuple[JudgeInfo, ...]:
    """Every judge, the shipped one first; damaged ones with their fault."""
    used: Path | None = None
    second: Path | None = None
    # A second judge is that of a judge in use. A list shows what is there; what the settings name in vain is
    # said where it is missed: in the notes of a search, and by `describe_judge`.
    with suppress(AppError):
        if settings.judge.package != package.NO_JUDGE:
            used = package.locate(settings.judge.package)
            second = package.locate_second(settings.judge.package, settings.judge.second)
    found = package.list_folders()
    found += [folder for folder in (used, second) if folder is not None and folder not in found]
    return tuple(replace(_info(folder, in_use=folder == used), reads_on=folder == second) for folder in found)


def _info(folder: Path, *, in_use: bool) -> JudgeInfo:
    info = JudgeInfo(
        folder.name,
        str(folder),
        shipped=folder == package.find_shipped_folder(),
        in_use=in_use,
        second=folder == package.find_shipped_second(),
    )
    try:
        manifest = manifests.read(folder / MANIFEST_FILE)
    except AppError as error:
        return replace(info, fault=str(error))
    return replace(
        info,
        model=f"{manifest.id} {manifest.version}",
        kind=manifest.kind.value,
        max_length=manifest.max_length,
        precision=manifest.precision,
        licence=manifest.licence,
        commercial=manifest.commercial,
        source=manifest.source,
        bytes=sum(item.size for item in manifest.files),
        calibrated=manifest.calibration is not None,
        accepted=licences.is_accepted(manifest),
        languages=manifest.languages,
    )


def open_judge(settings: Settings) -> CalibratedJudge | None:
    """The judge of the charts; None: match strengths alone. Errors as of `claimlight.judging.opening`."""
    return opening.open_judge(settings.judge)


def describe_judge(found: CalibratedJudge) -> JudgeFacts:
    """What is known of a judge and its second one; figures only of packages."""
    second, fault = found.second, found.fault
    if second is not None and isinstance(second.judge, LateJudge) and second.judge.fault:
        fault = second.judge.fault
        second = None
    facts = replace(_describe_one(found), fault=fault)
    if second is None:
        return facts
    # It rules on what is read at first only; its figures are of all that it can read.
    bounds = (found.calibration.first or found.calibration).bounds
    return replace(
        facts,
        disclosed=bounds.disclosed,
        candidate=bounds.candidate,
        second=_describe_one(second),
        figures_bounds=found.calibration.bounds,
    )


def _describe_one(found: CalibratedJudge) -> JudgeFacts:
    judge, read = found.judge, found.calibration
    if isinstance(judge, PackagedJudge):
        return _describe(judge.package.manifest)
    if isinstance(judge, LateJudge):
        return _describe(judge.manifest)
    return JudgeFacts(
        judge.name,
        read.bounds.disclosed,
        read.bounds.candidate,
        read.fitted_on,
        tuple(sorted(judge.languages)),
        first=read.at_first,
        candidates=read.candidates,
    )


def read_facts(name: str) -> JudgeFacts:
    """What a package keeps about its judge, by the setting ``judge.package``; its model is not opened.

    Raises `ResourceError` if there is no such package, `InputError` if it is not a judge.
    """
    return _describe(manifests.read(package.locate(name) / MANIFEST_FILE))


def read_facts_in_use(settings: Settings) -> JudgeFacts:
    """The same of the judge that the settings name, and of its second one."""
    judge = LateJudge(package.locate(settings.judge.package), settings.judge)
    return describe_judge(opening.add_second(CalibratedJudge(judge, judge.calibration), settings.judge))


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
        read.at_first,
        read.candidates,
    )
