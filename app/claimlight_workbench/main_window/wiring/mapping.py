"""Joins the map of the library with the list, the case, the document on the screen and its sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.language import tr
from claimlight_workbench.main_window.panels import MAP
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.results.presenter import RunSet

if TYPE_CHECKING:
    from claimlight.services.maps.plane import Plane
    from claimlight.types import DocumentView, SetResult
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.main_window.wiring.searching import Searching
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.map.presenter import MapPresenter
    from claimlight_workbench.screens.map.view import MapPanel
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.results.view import ResultsView
    from claimlight_workbench.values import FoundSet


class Map(QObject):
    """What is in the list and in the case is shown on the map, what is clicked on it in the reader."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: MapPresenter,
        view: MapPanel,
        case: CasePresenter,
        results: ResultsView,
        reader: ReaderPresenter,
        library: LibraryPresenter,
        reading: Reading,
        searching: Searching,
        panels: Panels,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._view = view
        self._case = case
        self._results = results
        self._reading = reading
        self._searching = searching
        self._dock = panels.docks[MAP.name]
        self._dock.visibilityChanged.connect(self._watch)
        self._dock.visibilityChanged.connect(presenter.watch)
        # Without documents there is nothing to lay out, and nothing to index either.
        library.info_changed.connect(
            lambda info: presenter.set_library() if info.documents else presenter.clear_out(Left.LIBRARY)
        )
        presenter.started.connect(view.show_started)
        presenter.progressed.connect(view.show_progress)
        presenter.stopped.connect(view.show_stopped)
        presenter.refused.connect(view.show_refused)
        presenter.cleared.connect(view.show_nothing)
        presenter.mapped.connect(self._show)
        presenter.chosen.connect(self._take)
        presenter.exported.connect(lambda path: notices.say(tr("Written: {path}", path=path)))
        presenter.failed.connect(notices.fail)
        view.draw_wanted.connect(presenter.draw)
        view.renew_wanted.connect(presenter.renew)
        view.cancel_wanted.connect(presenter.cancel)
        view.kept.connect(presenter.choose)
        view.export_wanted.connect(presenter.export)
        view.opened.connect(reading.open_publication)
        results.model.modelReset.connect(self._show_hits)
        case.changed.connect(lambda _state: self._show_marks())
        reader.shown.connect(self._show_current)

    def _watch(self, seen: bool) -> None:  # noqa: FBT001 - what a dock tells
        if seen:
            self._show_hits()
            self._show_marks()

    def _show(self, plane: Plane) -> None:
        self._view.show_plane(plane)
        self._show_hits()
        self._show_marks()
        self._view.canvas.show_current(self._reading.publication)

    def _show_hits(self) -> None:
        if not self._dock.isVisible():
            return
        model = self._results.model
        if model.found is not None:
            names = list(model.found.names)
        else:
            hits = model.results.hits if model.results is not None else ()
            names = [str(hit.patent.publication) for hit in hits]
        self._view.show_hits(names)

    def _show_marks(self) -> None:
        state = self._case.state
        if not self._dock.isVisible():
            return
        shown = self._case.categories if state is not None else {}
        self._view.show_marks(shown)

    def _show_current(self, view: DocumentView) -> None:
        self._view.canvas.show_current(str(view.summary.publication))

    def _take(self, result: SetResult, found: FoundSet) -> None:
        self._searching.take_set(RunSet(result, found))
