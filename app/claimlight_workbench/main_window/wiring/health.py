"""Checks the computer at its first start of the window and when asked, and shows the diagnostic report."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from claimlight import journal
from claimlight.digests import sha256
from claimlight.journal import KINDS, program_version
from claimlight.types.health import JobRun, Outcome
from claimlight_workbench.jobs.registry import JobState
from claimlight_workbench.language import tr
from claimlight_workbench.screens.health.describe import worst_first
from claimlight_workbench.screens.health.facts import read_screens
from claimlight_workbench.screens.health.report_view import ReportDialog
from claimlight_workbench.screens.health.view import CheckDialog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from claimlight.types.health import Finding, ReportFile, WindowFacts
    from claimlight_workbench.jobs.registry import JobRegistry
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.screens.health.presenter import HealthPresenter

WAIT_MS = 3_000
"""The first check loads a model: it begins only when the window has been idle at such a moment."""
COMPUTERS_KEPT = 8
_ENDS = {
    JobState.DONE: Outcome.DONE,
    JobState.FAILED: Outcome.FAILED,
    JobState.CANCELLED: Outcome.CANCELLED,
}


class Health(QObject):
    """Two dialogs, and the quiet check at the first start."""

    def __init__(
        self,
        window: QWidget,
        *,
        presenter: HealthPresenter,
        registry: JobRegistry,
        busy: Callable[[], bool],
        state: WindowState,
        changed: Callable[[], object],
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._presenter = presenter
        self._registry = registry
        self._busy = busy
        self._state = state
        self._changed = changed
        self._notices = notices
        self._quiet = False
        """Nobody has asked for the check that runs."""
        self.dialog: CheckDialog | None = None
        self.report_dialog: ReportDialog | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._begin_first)
        presenter.checked.connect(self._show)
        presenter.check_failed.connect(self._check_failed)
        presenter.gathered.connect(self._show_report)
        presenter.gather_failed.connect(self._report_failed)
        presenter.write_failed.connect(self._report_failed)
        presenter.written.connect(self._written)

    def check_first(self) -> None:
        """Check quietly if this version has never checked this computer, as soon as the window is idle."""
        if self._entry() not in self._state.checked:
            self._timer.start()

    def stop(self) -> None:
        """The window is closed."""
        self._timer.stop()

    def check(self) -> None:
        """Check the computer and show everything that was found."""
        self._timer.stop()
        self._quiet = False
        self._open_dialog().show_running()
        self._presenter.check(self._facts())

    def report(self) -> None:
        """Make the diagnostic report and show it."""
        if self.report_dialog is None:
            self.report_dialog = dialog = ReportDialog(self._window)
            dialog.write_wanted.connect(lambda path: self._presenter.write(dialog.files, path))
            dialog.rejected.connect(self._presenter.stop)
        self.report_dialog.show_running()
        _bring(self.report_dialog)
        self._presenter.gather(self._facts(), self._jobs())

    def _begin_first(self) -> None:
        if self._busy():
            self._timer.start()
            return
        self._quiet = True
        self._presenter.check(self._facts())

    def _show(self, findings: tuple[Finding, ...]) -> None:
        bad, quiet, self._quiet = worst_first(findings), self._quiet, False
        first = not any(each.startswith(f"{_computer()}=") for each in self._state.checked)
        self._remember()
        if not quiet and self.dialog is not None:
            # Not brought to the front: it may have been closed meanwhile.
            self.dialog.show_findings(findings)
        elif bad:
            self._open_dialog().show_findings(findings)
        elif first:
            self._notices.say(tr("This computer was checked: all is well"))

    def _open_dialog(self) -> CheckDialog:
        if self.dialog is None:
            self.dialog = CheckDialog(self._window)
            self.dialog.again_wanted.connect(self.check)
            self.dialog.report_wanted.connect(self.report)
        _bring(self.dialog)
        return self.dialog

    def _check_failed(self, error: Exception, doing: str) -> None:
        quiet, self._quiet = self._quiet, False
        if quiet:
            # Nobody asked for it; the next start tries again.
            journal.keep_defect(error)
        elif self.dialog is not None:
            self.dialog.show_failed()
            self._notices.fail(error, doing)

    def _show_report(self, files: tuple[ReportFile, ...]) -> None:
        if self.report_dialog is not None:
            self.report_dialog.show_report(files)

    def _report_failed(self, error: Exception, doing: str) -> None:
        if self.report_dialog is not None:
            self.report_dialog.show_failed()
        self._notices.fail(error, doing)

    def _written(self, path: Path) -> None:
        if self.report_dialog is not None:
            self.report_dialog.show_written(path)

    def _remember(self) -> None:
        others = [each for each in self._state.checked if not each.startswith(f"{_computer()}=")]
        self._state.checked = (*others, self._entry())[-COMPUTERS_KEPT:]
        self._changed()

    def _entry(self) -> str:
        return f"{_computer()}={program_version()}"

    def _facts(self) -> WindowFacts:
        return read_screens(self._state.scale)

    def _jobs(self) -> tuple[JobRun, ...]:
        """Those that ran in the window; the journal has those that were commands."""
        return tuple(
            JobRun(
                job.ended.isoformat(timespec="seconds"),
                job.kind,
                round(job.seconds, 1),
                _ENDS[job.state],
                job.error,
            )
            for job in self._registry.jobs
            if job.ended is not None and job.state in _ENDS and job.kind not in KINDS
        )


def _computer() -> str:
    """Distinguishes computers that share a home folder, without naming them."""
    return sha256(platform.node())[:12]


def _bring(dialog: CheckDialog | ReportDialog) -> None:
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()
