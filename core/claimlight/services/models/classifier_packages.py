"""Checking classifier packages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

from claimlight.classify.package import ClassifierPackage
from claimlight.encoders import ModelPackage
from claimlight.errors import AppError
from claimlight.services.models.models import ModelCheck
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import Progress, plural
from claimlight.types.health import Finding
from claimlight.vectors import unit_rows


def check_classifier(folder: Path, settings: Settings, context: TaskContext) -> ModelCheck:
    """Hash every file, open the classifier, and classify a vector; a fault of the package is a finding."""
    findings: list[Finding] = []
    try:
        findings.extend(_look(folder, settings, context))
    except AppError as error:
        findings.append(Finding("files", str(error), ok=False))
    return ModelCheck(name=folder.name, folder=str(folder), device="", note="", findings=tuple(findings))


def _look(folder: Path, settings: Settings, context: TaskContext) -> Iterator[Finding]:
    context.report(Progress("Checking", 0, 1, "models", rate=0.0, seconds_left=None))
    loaded = ClassifierPackage.load(folder)
    manifest = loaded.manifest
    size = sum(item.size for item in manifest.files) / 1e6
    yield Finding("files", f"{plural(len(manifest.files), 'file')}, {size:.1f} MB, all match the manifest")
    classifier = loaded.open()
    levels = ", ".join(level.value for level in classifier.space.levels)
    yield Finding(
        "model",
        f"{manifest.fingerprint}, {plural(len(classifier.space), 'class', 'classes')} of the "
        f"{manifest.scheme.upper()}: {levels}",
    )
    begin = perf_counter()
    asked = unit_rows(np.random.default_rng(0).standard_normal((1, manifest.dim))).astype(np.float32)
    found = classifier.probabilities(asked)
    sound = bool(np.isfinite(found).all() and found.min() >= 0 and found.max() <= 1)
    state = f"{1000 * (perf_counter() - begin):.0f} ms a text" if sound else "no probabilities"
    yield Finding("probabilities", state, ok=sound)
    yield _encoder_finding(manifest.encoder, manifest.encoder_name, settings)


def _encoder_finding(fingerprint: str, name: str, settings: Settings) -> Finding:
    try:
        used = ModelPackage.resolve(settings.encoder.package).manifest.fingerprint
    except AppError as error:
        return Finding("encoder", str(error), ok=False)
    if used == fingerprint:
        return Finding("encoder", f"{name}, which is in use")
    return Finding(
        "encoder", f"{name}, which is not the one in use: it suggests nothing until that is chosen"
    )
