"""The judge that the settings name, and the one that reads on."""

from __future__ import annotations

from dataclasses import replace

from claimlight.encoders import licences
from claimlight.errors import InputError, ResourceError
from claimlight.judging import package
from claimlight.judging.calibration import CalibratedJudge
from claimlight.judging.late import LateJudge
from claimlight.judging.session import open_judge_package
from claimlight.settings import JudgeSettings


def open_judge(settings: JudgeSettings) -> CalibratedJudge | None:
    """Open the judge by the setting ``judge.package``: empty (shipped), a name or folder, or ``none``.

    The model of its second judge (``judge.second``) is opened when that first rules; one that can't be used
    leaves the judge alone, with its ``fault``. None if the settings want no judge, or if none is named and
    none is shipped. Raises `InputError` or `ResourceError`, whose text is the reason, for a judge that can't
    be used.
    """
    shipped = package.find_shipped_folder()
    if settings.package == package.NO_JUDGE or (not settings.package and shipped is None):
        return None
    judge = open_judge_package(package.locate(settings.package), settings)
    licences.require_accepted(judge.package.manifest)
    return add_second(CalibratedJudge(judge, judge.calibration), settings)


def add_second(first: CalibratedJudge, settings: JudgeSettings) -> CalibratedJudge:
    """A judge with the second one of the settings, or with the ``fault`` that keeps that from use."""
    try:
        return replace(first, second=_find_second(settings))
    except (InputError, ResourceError) as error:
        return replace(first, fault=str(error))


def _find_second(settings: JudgeSettings) -> CalibratedJudge | None:
    folder = package.locate_second(settings.package, settings.second)
    if folder is None:
        return None
    judge = LateJudge(folder, settings)
    licences.require_accepted(judge.manifest)
    return CalibratedJudge(judge, judge.calibration)
