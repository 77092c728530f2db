"""Checking a model package by its name, whatever its role."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from claimlight.classify.package import ClassifierPackage
from claimlight.encoders import package
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.package_files import Role, read_role
from claimlight.judging.package import JudgePackage
from claimlight.services.models import classifier_packages, judge_packages, models
from claimlight.services.models.models import ModelCheck
from claimlight.settings import Settings
from claimlight.tasks import TaskContext


def check(name: str, settings: Settings, context: TaskContext) -> ModelCheck:
    """Check a package of any role; empty: the encoder in use.

    `InputError` if there is no such package; a fault of the package itself is a finding.
    """
    folder = package.locate(name or settings.encoder.package)
    return check_folder(folder, settings, context)


def check_folder(folder: Path, settings: Settings, context: TaskContext) -> ModelCheck:
    """Check the package in a folder, whatever its role."""
    checks = {
        Role.ENCODER: models.check_folder,
        Role.JUDGE: judge_packages.check_judge,
        Role.CLASSIFIER: classifier_packages.check_classifier,
    }
    return checks[read_role(folder)](folder, settings, context)


def load_package(folder: Path) -> None:
    """Verify every file of a package of any role by its hash; `AppError` names the first that differs."""
    loads: dict[Role, Callable[[Path], object]] = {
        Role.ENCODER: ModelPackage.load,
        Role.JUDGE: JudgePackage.load,
        Role.CLASSIFIER: ClassifierPackage.load,
    }
    loads[read_role(folder)](folder)
