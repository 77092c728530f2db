"""Findings in words, for the dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types.health import Finding, Level, Subject
from claimlight_workbench.language import begin, tell, tr, trn

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVELS = {Level.FAULT: tr("Fault"), Level.WARNING: tr("Warning"), Level.WELL: tr("Well")}
_TITLES: dict[str, str] = {
    Subject.PROCESSOR: tr("Processor"),
    Subject.MEMORY: tr("Memory"),
    Subject.LIBRARY: tr("Folder of the library"),
    Subject.CASES: tr("Folder of the cases"),
    Subject.LIBRARY_SPACE: tr("Free space for the library"),
    Subject.CASES_SPACE: tr("Free space for the cases"),
    Subject.LIBRARY_DISK: tr("Disk of the library"),
    Subject.ANSWER: tr("Answer of the model"),
    Subject.WINDOW_PARTS: tr("System libraries of the window"),
    Subject.CLOCK: tr("Clock"),
    Subject.FONTS: tr("Fonts for the library"),
    Subject.SCREEN: tr("Screen"),
    "full text": tr("Full-text search"),
    "dense graph": tr("Semantic search"),
    "ONNX providers": tr("Devices of the encoder"),
    "model package": tr("Model package"),
    "sample library": tr("Sample library"),
    "plug-ins": tr("Plug-ins"),
    "settings folder": tr("Folder of the settings"),
    "data folder": tr("Folder of your data"),
    "network": tr("Network"),
}


def title_of(finding: Finding) -> str:
    """What was checked; packages keep their name."""
    return _TITLES.get(finding.subject, finding.subject)


def heading_of(finding: Finding) -> str:
    """``Warning: Memory``."""
    return tr("{level}: {subject}", level=LEVELS[finding.level], subject=title_of(finding))


def state_of(finding: Finding) -> str:
    """What was found, as a sentence."""
    said = begin(tell(finding.state))
    return said if said.endswith((".", "!", "?")) else f"{said}."


def worst_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those that are not well, faults before warnings."""
    order = (Level.FAULT, Level.WARNING)
    return tuple(item for level in order for item in findings if item.level is level)


def well_of(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those that are well, packages last."""
    well = (item for item in findings if item.level is Level.WELL)
    return tuple(sorted(well, key=lambda item: item.subject not in _TITLES))


def summary_of(findings: Sequence[Finding]) -> str:
    """The result of all checks in a line."""
    bad = worst_first(findings)
    if not bad:
        return trn(
            "This computer suits Claimlight: {n:,} check, all is well.",
            "This computer suits Claimlight: {n:,} checks, all is well.",
            len(findings),
        )
    faults = sum(item.level is Level.FAULT for item in bad)
    warnings = len(bad) - faults
    rest = trn("{n:,} check is well", "{n:,} checks are well", len(findings) - len(bad))
    faulty = trn("{n:,} fault", "{n:,} faults", faults)
    warned = trn("{n:,} warning", "{n:,} warnings", warnings)
    if faults and warnings:
        return tr("{faults}, {warnings}; {rest}.", faults=faulty, warnings=warned, rest=rest)
    return tr("{found}; {rest}.", found=faulty if faults else warned, rest=rest)
