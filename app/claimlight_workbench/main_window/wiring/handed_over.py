"""What a second start of the program hands over: the window comes to the front and opens it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from claimlight.services.sharing.addresses import is_address

if TYPE_CHECKING:
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.main_window.wiring.intake import Intake
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.query.presenter import QueryPresenter

_AGAIN_MS = 200
_ALLOWED = "XDG_ACTIVATION_TOKEN"


class HandedOver(QObject):
    """Opens what is handed over as if the user had chosen it in the window."""

    def __init__(
        self,
        window: QWidget,
        *,
        library: LibraryPresenter,
        query: QueryPresenter,
        intake: Intake,
        state: WindowState,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._library = library
        self._query = query
        self._intake = intake
        self._state = state
        self._waiting: tuple[str, str] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_AGAIN_MS)
        self._timer.timeout.connect(self._open)

    def take(self, library: str, like: str, token: str) -> None:
        """Come to the front, and open ``library``, a folder or an address, if one is named.

        ``like``: a document of it whose claims are examined. ``token``: by it a desktop lets the window come.
        """
        if token:
            # Where Qt looks for it.
            os.environ[_ALLOWED] = token
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()
        # It counts once, and is not for the programs that the window starts.
        os.environ.pop(_ALLOWED, None)
        # Where a desktop forbids it, the entry of the window in its bar says that something is wanted.
        QApplication.alert(window)
        if library:
            self._waiting = library, like
            self._open()

    def stop(self) -> None:
        """The window is closed."""
        self._waiting = None
        self._timer.stop()

    def _open(self) -> None:
        if self._waiting is None:
            return
        if QApplication.activeModalWidget() is not None:
            # It asks about what is open; what comes next must not take that away.
            self._timer.start()
            return
        self._timer.stop()
        (place, like), self._waiting = self._waiting, None
        info = self._library.info
        if info is None or not _is_same(info.folder, place):
            self._state.examine = like
            self._intake.open_named(place)
        elif like:
            self._query.take_from(like)


def _is_same(one: str, other: str) -> bool:
    """Whether two texts name one library; of addresses, upper and lower case differ on every system."""
    return one == other or (not is_address(other) and Path(one) == Path(other))
