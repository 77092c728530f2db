"""What the window does about the evaluation of its library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices

from claimlight.errors import ResourceError
from claimlight.types import Progress
from claimlight_workbench.main_window.commands import Command
from claimlight_workbench.main_window.coverage import Coverage
from claimlight_workbench.screens.evaluation.describe import progress_text

if TYPE_CHECKING:
    from claimlight.types import LibraryInfo


class Evaluation(Coverage):
    """One short method for each thing the screen tells."""

    def wire_evaluation(self) -> None:
        """Join the panel with the open library and the status line."""
        run, view = self.do.evaluation, self.see.evaluation
        view.start_requested.connect(run.start)
        view.cancel_requested.connect(run.cancel)
        view.page_requested.connect(self.open_page)
        run.cleared.connect(view.show_nothing)
        run.started.connect(view.show_started)
        run.progressed.connect(view.show_event)
        run.progressed.connect(self._evaluation_progress)
        run.ended.connect(view.show_ended)
        run.ended.connect(lambda _how: self._say_job(""))
        run.reported.connect(view.show_report)
        run.failed.connect(self._fail)
        self.do.library.opened.connect(self._evaluate_another)

    def evaluation_commands(self) -> list[Command]:
        """Every command of the panel."""
        return [Command("&Library", "Evaluation…", self.go_evaluation, separated=True)]

    def go_evaluation(self) -> None:
        """Show the panel."""
        self.raise_panel("evaluation")
        self.see.evaluation.start_button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_page(self, page: str) -> None:
        """Show the page of a report in the program for web pages."""
        if not Path(page).is_file():
            self._fail(ResourceError(f"{page} is not there any more; evaluate the library again."))
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(page)):
            self._fail(ResourceError(f"No program was found that opens {page}; open it in a web browser."))

    def _evaluate_another(self, info: LibraryInfo) -> None:
        self.do.evaluation.set_library(info)

    def _evaluation_progress(self, event: object) -> None:
        if isinstance(event, Progress) and event.stage == "queries":
            self._say_job(progress_text(event))

    def _say_job(self, text: str) -> None:
        """An import or indexing tells of itself; two jobs have no room there."""
        if self.do.library.working is None:
            self.status.show_jobs(text)
