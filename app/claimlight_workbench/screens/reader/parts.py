"""Text and drawings of a document: which is shown, and where both are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QSplitter

from claimlight_workbench import design
from claimlight_workbench.models.drawings import Showing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QSize
    from PySide6.QtWidgets import QWidget

    from claimlight_workbench.models.drawings import DrawingBoard
    from claimlight_workbench.screens.reader.drawing_view import DrawingView
    from claimlight_workbench.widgets.linked_text import LinkedText

_SIDE_BY_SIDE = 80
"""Letters: in a reader as wide as that, drawings are beside the text, else above it."""
_ONE_ABOVE_THE_OTHER = 50
"""Lines: in a reader as high as that, drawings are above the text; in a lower one only one is shown."""
_SETTLING_MS = 200


class Parts(QSplitter):
    """Shows the text, the drawings or both as the board says; the text keeps its place when it moves."""

    def __init__(
        self,
        board: DrawingBoard,
        drawings: DrawingView,
        written: QWidget,
        text: LinkedText,
        *,
        of_text: Sequence[QWidget],
        above: QWidget,
        held: Callable[[], bool],
    ) -> None:
        """``written``: the text with what is at its side; ``of_text``: what else is of use only with it.

        ``above``: headings, which make room for drawings that are shown alone in a small reader. ``held``:
        whether the reader returns to a saved place by itself.
        """
        super().__init__()
        self._board = board
        self._drawings = drawings
        self._written = written
        self._text = text
        self._of_text = of_text
        self._above = above
        self.top = 0
        """Document position to return to when the text gets another width: the top, or where a jump led."""
        self._held = held
        self._settling = QTimer(self)
        """Runs while the parts find their sizes after others are shown."""
        self._settling.setSingleShot(True)
        self._settling.setInterval(_SETTLING_MS)
        self.setChildrenCollapsible(False)
        self.addWidget(drawings)
        self.addWidget(written)
        drawings.hide()
        board.showing_changed.connect(self._show)
        board.together_changed.connect(self._show_above)

    @property
    def first_focus(self) -> QWidget:
        """What takes the keys: the text, or the page where only drawings are shown."""
        return self._drawings.canvas if self._board.showing is Showing.DRAWINGS else self._text

    @property
    def settling(self) -> bool:
        """Whether the parts still find their sizes."""
        return self._settling.isActive()

    def stop(self) -> None:
        """The program ends."""
        self._settling.stop()

    def fit(self, reader: QSize) -> None:
        """The reader has another size."""
        wide = reader.width() >= design.letters(self, _SIDE_BY_SIDE)
        self.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self._board.set_together(together=wide or reader.height() >= design.lines(self, _ONE_ABOVE_THE_OTHER))

    def return_to_top(self) -> None:
        """Show the place again that was at the top."""
        if 0 < self.top < self._text.document().characterCount() and not self._held():
            self._text.show_position(self.top, top=True)

    def _show(self) -> None:
        showing = self._board.showing
        held = self._text.hasFocus() or self._drawings.canvas.hasFocus()
        if self._text.isVisible():
            self.top = self._text.visible_range()[0]
        self._drawings.setVisible(showing is not Showing.TEXT)
        for each in (self._written, *self._of_text):
            each.setVisible(showing is not Showing.DRAWINGS)
        self._show_above()
        if showing is not Showing.DRAWINGS:
            # The text is as wide as there is room now, and only then knows where its lines are.
            QTimer.singleShot(0, self, self.return_to_top)
            self._settling.start()
        if held:
            self.first_focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_above(self) -> None:
        self._above.setVisible(self._board.together or self._board.showing is not Showing.DRAWINGS)
