"""The part of the fake engine that answers for reports: one with a warning, and files that are only named."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from claimlight.tasks import TaskContext
from claimlight.types import (
    Category,
    ChartRow,
    CitedPassage,
    ClaimChart,
    ClaimCitation,
    FieldsSearched,
    PublicationNumber,
    Report,
    ReportApplication,
    ReportClaim,
    ReportDocument,
    ReportKind,
    ReportWarning,
    SearchStrategy,
    WarningKind,
    WrittenReport,
)

MADE = datetime(2026, 3, 2, tzinfo=UTC)
WARNING = ReportWarning(WarningKind.NO_CATEGORY, "Claim 2 is independent and no document has a category.", 2)


class FakeReports:
    """Keeps what was asked for."""

    def __init__(self) -> None:
        self.reports: list[bool] = []
        """For each report gathered, whether with notes."""
        self.written: list[tuple[Path, ReportKind | None, bool]] = []
        """Path, kind (None: a search strategy), and whether a file is replaced."""
        self.report_fault: Exception | None = None

    def report(self, context: TaskContext, *, notes: bool) -> Report:
        context.check()
        self.reports.append(notes)
        passage = CitedPassage("[0001]", "A toothed ring.", 1, ("F1",))
        document = ReportDocument("D1", PublicationNumber("US", "1", "B2"), held=True, title="Ring")
        return Report(
            1,
            "Damper",
            MADE,
            ReportApplication(),
            (ReportClaim(1, "A damper.", citations=(ClaimCitation("D1", Category.X, (passage,)),)),),
            (document,),
            (ClaimChart(1, ("D1",), (ChartRow("F1", "a ring", ((passage,),)),)),),
            FieldsSearched(),
            SearchStrategy(1, "Damper", MADE, ()),
            (WARNING,),
        )

    def write_report(
        self, report: Report, path: Path, kind: ReportKind, context: TaskContext, *, replace: bool
    ) -> WrittenReport:
        context.check()
        assert report.warnings == (WARNING,)
        if self.report_fault is not None:
            raise self.report_fault
        self.written.append((path, kind, replace))
        return WrittenReport(str(path), ("1 character has no font.",))

    def write_strategy(self, path: Path, context: TaskContext, *, replace: bool) -> WrittenReport:
        context.check()
        self.written.append((path, None, replace))
        return WrittenReport(str(path))
