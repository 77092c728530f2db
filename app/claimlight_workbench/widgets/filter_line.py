"""A line that is typed in to find or filter: Enter, Down and Esc are its own."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class FilterLine(QLineEdit):
    """Esc is a command of the window; here it leaves the line alone."""

    entered = Signal(int)
    """Enter was pressed (1), or Shift+Enter (-1)."""
    left = Signal()
    """Esc was pressed."""
    moved = Signal()
    """Down was pressed: the keys go to what is filtered."""

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.entered.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Down and not event.modifiers():
            self.moved.emit()
        else:
            super().keyPressEvent(event)
