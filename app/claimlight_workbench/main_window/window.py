"""The main window: makes the parts, has them joined, and ends them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow

from claimlight_workbench.jobs.collector import Collector
from claimlight_workbench.main_window import menus
from claimlight_workbench.main_window import session as session_file
from claimlight_workbench.main_window.acts import Acts
from claimlight_workbench.main_window.appearance import Appearance
from claimlight_workbench.main_window.commands import install, place_menu
from claimlight_workbench.main_window.docks import Panels
from claimlight_workbench.main_window.keeper import SessionKeeper
from claimlight_workbench.main_window.notices import Notices
from claimlight_workbench.main_window.screens import Presenters, Views, arrange
from claimlight_workbench.main_window.state import WindowState
from claimlight_workbench.main_window.wiring import Parts, Wiring
from claimlight_workbench.main_window.wiring.library import RecentLibraries
from claimlight_workbench.models.links import LinkBoard
from claimlight_workbench.widgets import tab_order

if TYPE_CHECKING:
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.main_window.services import Services
    from claimlight_workbench.ui_state import Session


class MainWindow(QMainWindow):
    """The workbench."""

    def __init__(self, services: Services, runner: JobRunner, *, session: Session, path: Path) -> None:
        super().__init__()
        self.setWindowTitle("Claimlight")
        self.setAcceptDrops(True)
        self._closed = False
        self._services = services
        self._runner = runner
        self.state = WindowState.of(session)
        self.board = LinkBoard(self)
        self.beside_board = LinkBoard(self)
        """That of the document beside the open one."""
        self.do = Presenters(services, runner, self.board, self, beside=self.beside_board)
        self.see = Views(self.board, beside=self.beside_board)
        arrange(self, self.see)
        self.panels = Panels(self, self.see)
        self.notices = Notices(self)
        self.recent = RecentLibraries(session.libraries, self)
        self.collector = Collector(self)
        self.keeper = SessionKeeper(self.collect, runner, path=path, parent=self)
        self.wiring = Wiring(
            Parts(
                window=self,
                source=services,
                runner=runner,
                board=self.board,
                beside_board=self.beside_board,
                do=self.do,
                see=self.see,
                panels=self.panels,
                recent=self.recent,
                state=self.state,
                notices=self.notices,
                changed=self.keeper.changed,
            )
        )
        self._make_commands()
        self._make_restorer()
        self.keeper.failed.connect(self.notices.fail)
        session_file.watch(
            self.do, self.see, self.board, panels=self.panels, keeper=self.keeper, collector=self.collector
        )

    def collect(self) -> Session:
        """The session as it is now."""
        return session_file.collect(
            self,
            self.do,
            self.see,
            board=self.board,
            panels=self.panels,
            recent=self.recent,
            state=self.state,
        )

    def _make_commands(self) -> None:
        do, see, panels, wiring = self.do, self.see, self.panels, self.wiring
        self.acts = Acts(self, do=do, see=see, board=self.board, panels=panels, sides=wiring.beside)
        self.appearance = Appearance(
            self,
            claim=see.claim,
            readers=(see.reader, see.beside.reader),
            results=see.results,
            state=self.state,
            changed=self.keeper.changed,
        )
        commands = menus.all_commands(
            do,
            see,
            self.board,
            panels=panels,
            acts=self.acts,
            appearance=self.appearance,
            wiring=wiring,
            leave=self.close,
        )
        self.acts.keys_failed.connect(lambda error: self.notices.fail(error))
        self.acts.install(install(self, commands))
        self.wiring.shared.follow(self.acts.actions.values())
        place_menu(self.recent, before=self.acts.actions["Import files…"])

    def _make_restorer(self) -> None:
        self.restorer = session_file.Restorer(
            self,
            do=self.do,
            see=self.see,
            board=self.board,
            panels=self.panels,
            appearance=self.appearance,
            reader=self._services,
            runner=self._runner,
            open_sample=self.wiring.sample.open,
            state=self.state,
            notices=self.notices,
        )

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001 - as Qt declares it
        return tab_order.step(self, forward=forward)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            event.acceptProposedAction()
            self.wiring.intake.take_in(files)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.restorer.placed:
            self.restorer.placed = True
            # After this event: docks can be resized only once the window has its layout.
            QTimer.singleShot(0, self, self.panels.share_room)
        self.panels.prepare_tabs()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self._closed:
            return
        self._closed = True
        do, see = self.do, self.see
        see.case.flush()
        readers = (see.reader, see.beside.reader)
        for each in (
            see.results, see.expression, do.results, do.expression, do.matrix, *readers, see.claim.text,
        ):  # fmt: skip
            each.stop()
        for drawing in (do.drawing, do.drawing_beside):
            drawing.stop()
        self.collector.stop()
        self.wiring.health.stop()
        self.wiring.handed_over.stop()
        self.wiring.checkups.stop()
        self.notices.status.clearMessage()
        self.keeper.end()
        for job in (
            do.library,
            do.cases,
            do.classes,
            do.classifiers,
            do.evaluation,
            do.adapting,
            do.training,
            do.models,
        ):
            job.stop()
        # No thread may still read the files that are closed next.
        self._runner.shutdown()
        self._services.close()
        self.keeper.save_last()
