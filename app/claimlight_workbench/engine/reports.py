"""Reports and search strategies of the open case from the real engine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import Report, ReportKind, WrittenReport


class ReportQuestions(EngineState):
    """The part of `Services` that is about the work product of the open case."""

    def report(self, context: TaskContext, *, notes: bool) -> Report:
        """The report of the open case, with the data of the open library."""
        from claimlight.services.reports.gathering import gather_report

        context.check()
        if self._case is None:
            raise InputError(tr("No case is open. Enter claims first."))
        library = self._open.library if self._open is not None else None
        return gather_report(self._cases(), self._case, library, notes=notes)

    def write_report(
        self, report: Report, path: Path, kind: ReportKind, context: TaskContext, *, replace: bool
    ) -> WrittenReport:
        """Write a report that was gathered."""
        from claimlight.services.reports import writing

        context.check()
        return writing.write_report(report, path, kind=kind, replace=replace)

    def write_strategy(self, path: Path, context: TaskContext, *, replace: bool) -> WrittenReport:
        """Write the sets of the open case."""
        from claimlight.services.reports import writing
        from claimlight.services.reports.strategy import strategy_of

        context.check()
        if self._case is None:
            raise InputError(tr("No case is open. Enter claims first."))
        book = self._cases()
        strategy = strategy_of(book.case(self._case), book.sets(self._case), made=datetime.now(UTC))
        return writing.write_strategy(strategy, path, replace=replace)
