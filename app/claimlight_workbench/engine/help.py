"""What the menu *Help* shows of the program itself, from the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.language import tell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from claimlight.services.manual import ManualPage
    from claimlight.tasks import TaskContext
    from claimlight.types.about import About
    from claimlight.types.health import Finding, JobRun, ReportFile, WindowFacts


class HelpQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def manual(self, context: TaskContext) -> tuple[ManualPage, ...]:
        """Every page of the manual; raises `ResourceError` if this installation has none."""
        from claimlight.services.manual import read_manual

        context.check()
        return read_manual()

    def about(self, context: TaskContext) -> About:
        """Versions, models in use, the open library and every licence."""
        from claimlight.services.about import describe

        context.check()
        found = self._open
        return describe(
            self._settings,
            None if found is None else found.library,
            device="" if found is None else found.engine.device,
        )

    def check_computer(self, window: WindowFacts, context: TaskContext) -> tuple[Finding, ...]:
        """Check installation and computer for the open library."""
        from claimlight.services.health import checking

        library = None if self._open is None else self._open.library
        return tuple(
            checking.examine(
                self._settings,
                None if library is None else library.folder,
                info=None if library is None else library.info(),
                window=window,
                context=context,
            )
        )

    def gather_report(
        self, window: WindowFacts, jobs: Sequence[JobRun], context: TaskContext
    ) -> tuple[ReportFile, ...]:
        """The files of a diagnostic report; nothing is written."""
        from claimlight.services.health import report

        found = self._open
        return report.gather(
            self._settings,
            None if found is None else found.library,
            context,
            window=window,
            jobs=jobs,
            device="" if found is None else found.engine.device,
            say=tell,
        )

    def write_diagnosis(self, files: Sequence[ReportFile], path: Path, context: TaskContext) -> Path:
        """Write the files as they were shown."""
        from claimlight.services.health import report

        context.check()
        report.write(files, path)
        return path
