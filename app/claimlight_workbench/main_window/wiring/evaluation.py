"""Joins the evaluation of the library with its panel and the status line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from claimlight.errors import ResourceError
from claimlight.types import Progress
from claimlight_workbench.language import tr
from claimlight_workbench.screens.evaluation.describe import progress_text

if TYPE_CHECKING:
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.evaluation.presenter import EvaluationPresenter
    from claimlight_workbench.screens.evaluation.view import EvaluationView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter


class Evaluation(QObject):
    """Runs an evaluation and opens its report."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: EvaluationPresenter,
        view: EvaluationView,
        library: LibraryPresenter,
        say_job: Callable[[str], None],
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._say_job = say_job
        self._fail = notices.fail
        view.start_requested.connect(presenter.start)
        view.cancel_requested.connect(presenter.cancel)
        view.page_requested.connect(self.open_page)
        presenter.cleared.connect(view.show_nothing)
        presenter.started.connect(view.show_started)
        presenter.progressed.connect(view.show_event)
        presenter.progressed.connect(self._show_progress)
        presenter.ended.connect(view.show_ended)
        presenter.ended.connect(lambda _how: say_job(""))
        presenter.reported.connect(view.show_report)
        presenter.failed.connect(notices.fail)
        library.opened.connect(presenter.set_library)

    def open_page(self, page: str) -> None:
        """Open the page of a report in the web browser."""
        if not Path(page).is_file():
            self._fail(ResourceError(tr("{page} no longer exists. Evaluate the library again.", page=page)))
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(page)):
            self._fail(
                ResourceError(tr("No program was found to open {page}. Open it in a web browser.", page=page))
            )

    def _show_progress(self, event: object) -> None:
        if isinstance(event, Progress) and event.stage == "queries":
            self._say_job(progress_text(event))
