"""Joins the open library with its panel, the strips above the results, the status line and the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from claimlight.services.sharing.addresses import is_address
from claimlight_workbench.language import tr
from claimlight_workbench.screens.library.presenter import Work

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import LibraryInfo
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.screens import WelcomeStrip
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.main_window.wiring.searching import Searching
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.library.strip import EmptyLibrary, WorkStrip
    from claimlight_workbench.screens.library.view import LibraryView
    from claimlight_workbench.screens.query.panel import ClaimPanel
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.results.view import ResultsView
    from claimlight_workbench.values import SampleCase


_RECENT = 8
"""Libraries in the menu."""


class RecentLibraries(QMenu):
    """The newest first; a missing folder stays in the list, since its drive may be connected again."""

    chosen = Signal(object)
    """Emits the folder or address, as text."""

    def __init__(self, folders: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(tr("Recent libraries"), parent)
        self.folders = folders[:_RECENT]
        self.aboutToShow.connect(self._fill)
        self.setEnabled(bool(self.folders))

    def opened(self, folder: str) -> None:
        """Add a library that was opened."""
        others = (each for each in self.folders if each != folder)
        self.folders = (folder, *others)[:_RECENT]
        self.setEnabled(True)

    def _fill(self) -> None:
        self.clear()
        for number, folder in enumerate(self.folders, 1):
            # In a menu, a single & underlines the letter after it.
            shown = folder if is_address(folder) else f"{Path(folder).name}  –  {folder}"
            action = self.addAction(f"&{number}  {shown.replace('&', '&&')}")
            action.triggered.connect(lambda _=False, chosen=folder: self.chosen.emit(chosen))


class ActiveLibrary(QObject):
    """A library that is opened is searched; what it imports and indexes is reported."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: LibraryPresenter,
        view: LibraryView,
        query: QueryPresenter,
        reader: ReaderPresenter,
        searching: Searching,
        recent: RecentLibraries,
        show_title: Callable[[], None],
        state: WindowState,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._view = view
        self._query = query
        self._reader = reader
        self._searching = searching
        self._recent = recent
        self._show_title = show_title
        self._state = state
        self._status = notices.status
        self._wire()
        presenter.failed.connect(notices.fail)

    def _wire(self) -> None:
        library, view = self._presenter, self._view
        view.cancel_requested.connect(library.cancel)
        library.opened.connect(self._opened)
        library.info_changed.connect(self._show)
        library.counted.connect(self._show)
        library.plans_changed.connect(self._show_indexing)
        library.pausing.connect(view.show_pausing)
        library.described.connect(self._deepen)
        library.runs_read.connect(view.show_runs)
        library.work_started.connect(view.show_started)
        library.work_started.connect(lambda _work: self._show_indexing())
        library.work_progressed.connect(view.show_event)
        library.work_ended.connect(lambda _work, report: view.show_ended(report))
        library.indexed.connect(self._indexed)

    def _opened(self, info: LibraryInfo) -> None:
        self._show_title()
        self._recent.opened(info.folder)
        self._reader.forget()
        state, sample = self._state, self._state.sample
        unfilled = info.documents == 0 or info.waiting > 0
        if sample is not None and info.folder == str(sample.library) and (unfilled or sample.stale):
            # A sample indexed by another model is indexed again; the search follows when that is done.
            self._presenter.import_paths(sample.files, rebuild=sample.stale)
        elif state.examine:
            self._query.take_from(state.examine)
            state.examine = ""
        elif not self._searching.reopen():
            self._query.run(asked=False)
        self._presenter.resume_unfinished()

    def _show(self, info: LibraryInfo) -> None:
        library = self._presenter
        # The job of this window may have begun since the library was looked at.
        own = library.working is Work.INDEX and not library.elsewhere
        info = replace(info, indexing=info.indexing or own)
        paused = library.paused
        self._view.show_info(
            info, indexing=own, can_pause=library.can_pause, paused=paused, limits=library.limits
        )
        self._status.show_library(info, info.title, paused=paused)

    def _show_indexing(self) -> None:
        if self._presenter.info is not None:
            self._show(self._presenter.info)

    def _indexed(self) -> None:
        self._reader.forget()
        self._searching.search_again()

    def _deepen(self) -> None:
        """Descriptions were indexed: the list stays as it is, and the user is offered a newer one."""
        self._reader.deepen()
        self._searching.look_deeper()


class SampleSource(Protocol):
    """Where the sample comes from."""

    def sample(self, context: TaskContext) -> SampleCase:
        """The shipped library and application; the first call prepares them."""
        ...


class Sample(QObject):
    """Opens the shipped library with the claim of the sample application."""

    def __init__(
        self,
        parent: QObject,
        *,
        source: SampleSource,
        runner: JobRunner,
        library: LibraryPresenter,
        query: QueryPresenter,
        case: CasePresenter,
        claim: ClaimPanel,
        welcome: WelcomeStrip,
        state: WindowState,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._runner = runner
        self._library = library
        self._query = query
        self._case = case
        self._claim = claim
        self._welcome = welcome
        self._state = state
        self._notices = notices
        self._wanted = False
        """It is being prepared, and nothing else was opened since."""
        library.opening.connect(self._forget)

    def open(self) -> None:
        """Make the sample ready and open it."""
        self._wanted = True
        job = self._runner.submit(self._source.sample, supersedes="claims", free=True)
        job.succeeded.connect(self._show)
        job.failed.connect(lambda error: self._notices.fail(error, tr("The sample could not be opened")))

    def _forget(self, *_: object) -> None:
        self._wanted = False

    def _show(self, sample: SampleCase) -> None:
        if not self._wanted:
            # A library was opened while the sample was made ready, and imports go into that.
            if self._query.claims is None:
                self._claim.enter_claims()
            return
        self._state.sample = sample
        self._welcome.setVisible(not self._state.session.welcomed)
        self._case.open(0, sample.claims)
        self._query.load(sample.claims, claim=sample.claim)
        self._library.open(sample.library)


class LibraryStrips(QObject):
    """The strip about an import or indexing above the results, and the page of an empty library."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: LibraryPresenter,
        view: LibraryView,
        work: WorkStrip,
        empty: EmptyLibrary,
        results: ResultsView,
        panels: Panels,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._empty = empty
        self._results = results
        presenter.work_started.connect(lambda _kind: self._show_indexing())
        presenter.work_ended.connect(lambda *_: self._show_indexing())
        presenter.work_started.connect(lambda kind: work.show_started(kind, presenter.elsewhere))
        presenter.work_progressed.connect(work.show_event)
        presenter.work_ended.connect(
            lambda _work, report: work.show_ended(report, presenter.elsewhere, paused=presenter.paused)
        )
        presenter.info_changed.connect(self._show_empty)
        work.cancel_requested.connect(presenter.cancel)
        presenter.pausing.connect(work.show_pausing)
        work.pause_requested.connect(presenter.pause)
        work.resume_requested.connect(presenter.resume)
        work.details_requested.connect(lambda: panels.raise_panel("library"))
        presenter.runs_read.connect(lambda _runs: work.offer_report())
        work.report_requested.connect(view.open_newest)

    def _show_indexing(self) -> None:
        own = self._presenter.working is Work.INDEX and not self._presenter.elsewhere
        self._results.set_indexing(indexing=own)

    def _show_empty(self, info: LibraryInfo) -> None:
        self._show_indexing()
        empty = info.documents == 0
        if not empty and not self._empty.isHidden():
            # What was found before, and why nothing was, is about the library without documents.
            self._results.show_nothing()
        if empty:
            self._empty.show_info(info, info.title)
        self._empty.setVisible(empty)
        self._results.setVisible(not empty)
