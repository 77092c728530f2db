"""Joins the evaluation of the library with its panel and the status line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from claimlight.errors import ResourceError
from claimlight_workbench.language import tr

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
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._fail = notices.fail
        view.start_requested.connect(presenter.start)
        view.cancel_requested.connect(presenter.cancel)
        view.page_requested.connect(self.open_page)
        presenter.cleared.connect(view.show_nothing)
        presenter.started.connect(view.show_started)
        presenter.progressed.connect(view.show_event)
        presenter.ended.connect(view.show_ended)
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
