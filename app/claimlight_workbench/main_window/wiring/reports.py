"""Exports the report and the search strategy of the open case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.language import tr
from claimlight_workbench.screens.report.describe import written_text
from claimlight_workbench.screens.report.view import ReportDialog, ask_strategy_file

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from claimlight.types import ReportKind
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.case.view import CaseView
    from claimlight_workbench.screens.report.presenter import ReportPresenter


class Reports(QObject):
    """Warnings are shown before a report is exported."""

    def __init__(
        self,
        window: QWidget,
        *,
        presenter: ReportPresenter,
        case: CasePresenter,
        view: CaseView,
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._presenter = presenter
        self._case = case
        self._view = view
        self._notices = notices
        presenter.written.connect(lambda written: notices.say(written_text(written)))
        presenter.failed.connect(notices.fail)

    def ask_report(self) -> ReportDialog | None:
        """Show what to check in the report of the open case, and let the user export it."""
        state = self._case.state
        if state is None:
            self._notices.say(tr("No case is open. Open one, or enter claims."))
            return None
        # What is being written belongs to the report.
        self._view.flush()
        presenter = self._presenter
        dialog = ReportDialog(state.case.name, self._window)
        dialog.report_wanted.connect(lambda notes: presenter.gather(notes=notes))
        dialog.export_wanted.connect(self._export)
        presenter.gathered.connect(dialog.show_report)
        presenter.written.connect(dialog.show_written)
        presenter.failed.connect(dialog.show_failed)
        dialog.open()
        dialog.ask()
        return dialog

    def ask_strategy(self) -> None:
        """Choose the file of the search strategy of the open case, and write it."""
        state = self._case.state
        if state is None:
            self._notices.say(tr("No case is open. Open one, or enter claims."))
        elif not state.sets:
            self._notices.say(tr("The case has no sets yet: search first."))
        elif (target := ask_strategy_file(state.case.name, self._window)) is not None:
            path, replace = target
            self._notices.say(tr("{path} is being written…", path=path))
            self._presenter.write_strategy(path, replace=replace)

    def _export(self, path: Path, kind: ReportKind, replace: bool) -> None:  # noqa: FBT001 - a slot
        self._presenter.write(path, kind, replace=replace)
