"""What the window reports: errors, passing messages, and its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight.errors import ServerError
from claimlight_workbench import errors
from claimlight_workbench.language import tell, tr
from claimlight_workbench.widgets.status import StatusLine

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.query.panel import ClaimPanel

MESSAGE_MS = 10_000


class Notices(QObject):
    """Errors go into a box, passing messages into the status line."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._refusal = ""
        self._lost = ""
        self.far = False
        """The open library is on servers."""
        self.status = StatusLine(window)
        window.setStatusBar(self.status)

    def fail(self, error: Exception, doing: str = "") -> None:
        """Show an error; ``doing`` says what it prevented.

        The status line reports a server that does not answer: a box for every question that was under way
        would be in the way, and the next search tries again.
        """
        if self.far and isinstance(error, ServerError):
            self._lost = tr("The next search tries again. {fault}", fault=tell(str(error)))
            self.status.showMessage(self._lost)
            self.status.show_loss()
            return
        errors.show(self._window, error, doing=doing)

    def forget_loss(self) -> None:
        """The servers answer again: clear what `fail` wrote of them."""
        if not self._lost:
            return
        if self.status.currentMessage() == self._lost:
            self.status.clearMessage()
        self.status.show_return()
        self._lost = ""

    def say(self, text: str) -> None:
        """Show a message for some seconds."""
        self.status.showMessage(text, MESSAGE_MS)

    def refuse(self, text: str) -> None:
        """Say why something is not done, until the case changes or for some seconds."""
        self._refusal = text
        self.say(text)

    def forget_refusal(self) -> None:
        """Clear what `refuse` said, if it still stands: what has been done since contradicts it."""
        if self._refusal and self.status.currentMessage() == self._refusal:
            self.status.clearMessage()
        self._refusal = ""

    def show_title(self, library: LibraryPresenter, claim: ClaimPanel, state: WindowState) -> None:
        """Write case and library into the title of the window; the case above its claim too."""
        folder = library.info.title if library.info is not None else ""
        self._window.setWindowTitle(" – ".join(filter(None, (state.case_name, folder, "Claimlight"))))
        claim.show_case(state.case_name)
