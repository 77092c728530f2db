"""Joins the panel *Progress* with the open case and the documents that are read in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDockWidget

    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.matrix.presenter import MatrixPresenter
    from claimlight_workbench.screens.progress.presenter import ProgressPresenter
    from claimlight_workbench.screens.progress.view import ProgressView
    from claimlight_workbench.values import CaseState


class ReadingProgress(QObject):
    """Every category, confirmation and document read is counted at once while the panel is visible."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ProgressPresenter,
        view: ProgressView,
        dock: QDockWidget,
        case: CasePresenter,
        matrix: MatrixPresenter,
        reading: Reading,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._view = view
        self._case = case
        dock.visibilityChanged.connect(presenter.watch)
        case.changed.connect(self._show_case)
        case.seen_changed.connect(lambda _seen: presenter.note_change())
        matrix.compared.connect(
            lambda answer: presenter.note_evidence(matrix.features, answer.matrix.every_row)
        )
        matrix.row_known.connect(lambda row: presenter.note_evidence(matrix.features, (row,)))
        presenter.progressed.connect(view.show_progress)
        presenter.exported.connect(lambda path: notices.say(tr("Written: {path}", path=path)))
        view.curve.export_wanted.connect(presenter.export)
        view.curve.opened.connect(reading.open_publication)
        presenter.failed.connect(notices.fail)
        case.failed.connect(lambda _error, _what: view.allow_drawing())
        case.refused.connect(lambda _words: view.allow_drawing())
        view.draw_wanted.connect(self._draw)
        view.sample_chosen.connect(presenter.choose)
        view.opened.connect(reading.open_publication)

    def _show_case(self, state: CaseState) -> None:
        self._view.show_sets(state.sets)
        self._presenter.show_case(state)

    def _draw(self, number: int, size: int, rest: bool) -> None:  # noqa: FBT001 - what the view tells
        # The new one is to be shown. It is a change of the case: undo and history have it too.
        self._presenter.choose(0)
        self._case.draw_sample(number, size, rest=rest)
