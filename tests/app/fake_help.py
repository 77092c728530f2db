"""The part of the fake engine that is about the program itself: the real manual, read once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from claimlight.services.health import report, words
from claimlight.services.manual import ManualPage, read_manual
from claimlight.tasks import TaskContext
from claimlight.types.about import (
    About,
    BuildStamp,
    LibraryState,
    LicenceGroup,
    LicenceInfo,
    ModelInUse,
    PartVersion,
)
from claimlight.types.health import Finding, JobRun, ReportFile, Subject, WindowFacts

pages = cache(read_manual)

ABOUT = About(
    version="1.2.3",
    encoder=ModelInUse("small 4", "Apache-2.0", "small-4-0123456789abcdef", 384),
    judge=ModelInUse("judge 1", "Apache-2.0"),
    classifier=None,
    library=LibraryState("Pumps", 3, 9, "g1/2", 2, 1, 0),
    device="cpu",
    parts=(PartVersion("Python", "3.11.7"), PartVersion("onnxruntime", "1.20.0")),
    build=BuildStamp("0123456789ab", "2026-03-01"),
    licences=(
        LicenceInfo(LicenceGroup.PROGRAM, "Claimlight", "1.2.3", "Apache-2.0", "Apache License"),
        LicenceInfo(LicenceGroup.SHIPPED, "Lucide icons", "", "ISC", "Permission to use"),
        LicenceInfo(LicenceGroup.LIBRARY, "numpy", "2.4.6", "BSD-3-Clause", ""),
    ),
)

WELL = Finding("numpy", "2.4.6")
SLOW = Finding(
    Subject.MEMORY, words.memory("1.0", "4.0", "2.5"), why=words.MEMORY_WHY, advice=words.MEMORY_ADVICE
)
REPORT = (ReportFile("README.txt", "", "what it is"), ReportFile("jobs.json", "", '{"jobs": []}'))


class FakeHelp:
    """Says what the program is."""

    findings: tuple[Finding, ...] = (WELL,)
    jobs: tuple[JobRun, ...] = ()
    """Of the last report."""

    def manual(self, context: TaskContext) -> tuple[ManualPage, ...]:
        return pages()

    def about(self, context: TaskContext) -> About:
        return ABOUT

    def check_computer(self, window: WindowFacts, context: TaskContext) -> tuple[Finding, ...]:
        assert window.screens
        return self.findings

    def gather_report(
        self, window: WindowFacts, jobs: Sequence[JobRun], context: TaskContext
    ) -> tuple[ReportFile, ...]:
        self.jobs = tuple(jobs)
        return REPORT

    def write_diagnosis(self, files: Sequence[ReportFile], path: Path, context: TaskContext) -> Path:
        report.write(files, path)
        return path
