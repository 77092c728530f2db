"""The editor of the query line: Enter runs it, Up and Down recall earlier lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QPoint, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontDatabase,
    QKeyEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from claimlight_workbench import theme
from claimlight_workbench.highlighting import Utf16Map
from claimlight_workbench.language import tr
from claimlight_workbench.screens.expression.popup import CompletionPopup

if TYPE_CHECKING:
    from claimlight.types import Completion

MOST_LINES = 4
"""A longer query scrolls."""
_ENTER = {Qt.Key.Key_Return, Qt.Key.Key_Enter}
_BREAKS = " \t()"


class LineEditor(QPlainTextEdit):
    """One line of text, wrapped to the width of the window."""

    edited = Signal(str, int)
    """Text, and the 1-based column of the cursor in code points."""
    entered = Signal(str)
    completion_wanted = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Query line"))
        self.setAccessibleDescription(
            tr("Enter runs it; Up and Down recall earlier lines; Tab accepts a completion")
        )
        self.setPlaceholderText(
            tr('Query line, e.g.  damper$2 SAME bypass.clm. AND L1   or   ~"free text" (Ctrl+L)')
        )
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.popup = CompletionPopup(self)
        self.popup.taken.connect(self.take)
        self.history: list[str] = []
        self._at = 0
        """Place in the history; its length while a new line is being typed."""
        self._draft = ""
        self._error = 0
        self._seen = ""
        """The text as it was when the cursor last moved."""
        self._fit_later = QTimer(self)
        self._fit_later.setSingleShot(True)
        self._fit_later.setInterval(0)
        self._fit_later.timeout.connect(self.fit)
        self.textChanged.connect(self._changed)
        self.cursorPositionChanged.connect(self._moved)
        self.fit()

    def text(self) -> str:
        """The line; text pasted over several lines becomes one."""
        return self.toPlainText().replace("\n", " ")

    def column(self) -> int:
        """1-based column of the cursor in code points."""
        return Utf16Map(self.text()).position(self.textCursor().position()) + 1

    def show_text(self, text: str) -> None:
        """Replace the line, with the cursor at its end; the editor can undo it."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)
        self.popup.hide()

    def insert(self, text: str) -> None:
        """Insert words at the cursor, with a space on either side if there is none."""
        cursor = self.textCursor()
        line, place = self.toPlainText(), cursor.selectionStart()
        before = " " if place and line[place - 1] not in _BREAKS else ""
        after = " " if line[cursor.selectionEnd() :][:1] not in {"", *_BREAKS} else ""
        cursor.insertText(before + text + after)
        self.setTextCursor(cursor)
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_history(self, lines: Sequence[str]) -> None:
        """Earlier lines, oldest first."""
        self.history = list(lines)
        self._at = len(self.history)

    def show_error(self, column: int) -> None:
        """Underline the word at a 1-based column; 0 for none."""
        self._error = column
        self.setExtraSelections([self._underlined(column)] if column else [])

    def complete(self, completions: Sequence[Completion], text: str, column: int) -> None:
        """Show completions, unless the line has changed since they were asked for."""
        if self.hasFocus() and (text, column) == (self.text(), self.column()):
            self.popup.offer(completions, self._below_cursor())

    def take(self, completion: Completion) -> None:
        """Replace the word at the cursor by a completion."""
        places = Utf16Map(self.text())
        cursor = self.textCursor()
        end = cursor.position()
        cursor.setPosition(min(places.offset(completion.start), end))
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(completion.text)
        self.setTextCursor(cursor)
        self.popup.hide()

    def event(self, event: QEvent) -> bool:
        # A key that is accepted here is typed, even if a command of the window has it.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            mine = event.key() in _ENTER and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
            if mine or (event.key() == Qt.Key.Key_Escape and self.popup.isVisible()):
                event.accept()
                return True
        # Tab would move the focus before `keyPressEvent` hears of it.
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Tab
            and self.popup.isVisible()
        ):
            self.popup.take_current()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if key in _ENTER:
            # Enter always runs the line as it is written, whatever is offered.
            self.popup.hide()
            self.enter()
        elif key == Qt.Key.Key_Escape and self.popup.isVisible():
            self.popup.hide()
        elif key == Qt.Key.Key_Space and control:
            self.completion_wanted.emit(self.text(), self.column())
        elif key == Qt.Key.Key_Down and self.popup.isVisible():
            self.popup.step(1)
        elif key == Qt.Key.Key_Up and self.popup.isVisible() and self.popup.chosen:
            self.popup.step(-1)
        elif key == Qt.Key.Key_Up and self._at_edge(QTextCursor.MoveOperation.Up):
            self._recall(-1)
        elif key == Qt.Key.Key_Down and self._at_edge(QTextCursor.MoveOperation.Down):
            self._recall(1)
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if source.hasText():
            self.textCursor().insertText(" ".join(source.text().split()))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.popup.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_later.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt sends events of changes from the constructor, when there is no error yet.
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_error"):
            self.show_error(self._error)

    def stop(self) -> None:
        """Stop the timers; for the end of the program."""
        self._fit_later.stop()

    def enter(self) -> None:
        """Run the line as it is written."""
        text = self.text().strip()
        if text:
            if text in self.history:
                self.history.remove(text)
            self.history.append(text)
        self._at = len(self.history)
        self.entered.emit(text)

    def _recall(self, by: int) -> None:
        """Recall an earlier line, or the one that was being typed."""
        wanted = self._at + by
        if not 0 <= wanted <= len(self.history):
            return
        if self._at == len(self.history):
            self._draft = self.text()
        text = self.history[wanted] if wanted < len(self.history) else self._draft
        self.show_text(text)
        self._at = wanted

    def _at_edge(self, move: QTextCursor.MoveOperation) -> bool:
        """Whether the text has no further line in that direction."""
        return not QTextCursor(self.textCursor()).movePosition(move)

    def _changed(self) -> None:
        self._at = len(self.history)
        with QSignalBlocker(self):
            self.show_error(0)
        self.fit()
        self.popup.narrow(self.text(), self.column())
        self.edited.emit(self.text(), self.column())

    def _moved(self) -> None:
        """A cursor that moves without typing leaves the word that the completions were for."""
        text = self.text()
        if text == self._seen:
            self.popup.hide()
        self._seen = text

    def fit(self) -> None:
        """As high as its text, within bounds."""
        lines = min(MOST_LINES, max(1, int(self.document().size().height())))
        margins = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        high = lines * self.fontMetrics().lineSpacing() + margins + 2
        if high != self.minimumHeight():
            self.setFixedHeight(high)

    def _below_cursor(self) -> QPoint:
        """Below the cursor, and below the feedback on the line, which must stay visible."""
        window, line = self.window(), self.parentWidget() or self
        left = self.viewport().mapTo(window, self.cursorRect().bottomLeft()).x()
        return QPoint(left, line.mapTo(window, line.rect().bottomLeft()).y() + 2)

    def _underlined(self, column: int) -> QTextEdit.ExtraSelection:
        text = self.text()
        start = max(0, min(column - 1, len(text) - 1))
        end = start + 1
        while text[start : start + 1].isalnum() and text[end : end + 1].isalnum():
            end += 1
        places = Utf16Map(text)
        cursor = QTextCursor(self.document())
        cursor.setPosition(places.offset(start))
        cursor.setPosition(places.offset(min(end, len(text))), QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        form.setUnderlineColor(QColor(theme.active().warning))
        form.setBackground(QColor(theme.blend(theme.active().warning, theme.active().base, 0.18)))
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        selection.format = form
        return selection
