"""A line of comma-separated tags, completed with the tags of the case."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit

from claimlight_workbench.language import tr


def tags_in(text: str) -> tuple[str, ...]:
    """``red,  blue lamp,`` as (``blue lamp``, ``red``)."""
    return tuple(sorted({" ".join(part.split()) for part in text.split(",")} - {""}))


class TagLine(QLineEdit):
    """Enter saves the tags; Tab or a click accepts a completion for the tag under the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self.known: tuple[str, ...] = ()
        self.setAccessibleName(tr("Tags of the open document"))
        self.setPlaceholderText(tr("Tags, separated by commas (key T)"))
        self.setToolTip(tr("Tags of the open document and its family. Separate them by commas; Enter saves"))
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setWidget(self)
        self._completer.activated.connect(lambda found: self._complete(str(found)))
        self.textEdited.connect(self._typed)

    def offer(self, known: tuple[str, ...]) -> None:
        """Set the tags offered as completions."""
        if known != self.known:
            self.known = known
            self._words.setStringList(list(known))

    @property
    def _list(self) -> QAbstractItemView:
        popup = self._completer.popup()
        assert popup is not None
        return popup

    def event(self, event: QEvent) -> bool:
        # Not in `keyPressEvent`: Tab would have moved the focus before.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._list.isVisible():
            index = self._list.currentIndex()
            enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
            if event.key() == Qt.Key.Key_Tab or (enter and index.isValid()):
                found = index if index.isValid() else self._completer.completionModel().index(0, 0)
                self._complete(str(found.data()))
                event.accept()
                return True
            if enter:
                self._list.hide()
        return super().event(event)

    def _typed(self, _text: str) -> None:
        begun = self.text()[: self.cursorPosition()].rpartition(",")[2].strip()
        self._completer.setCompletionPrefix(begun)
        if begun and self._completer.completionCount() and begun not in self.known:
            self._completer.complete()
        else:
            self._list.hide()

    def _complete(self, tag: str) -> None:
        before, comma, _ = self.text()[: self.cursorPosition()].rpartition(",")
        after = self.text()[self.cursorPosition() :].partition(",")[2]
        head = f"{before}{comma} {tag}".strip() if comma else tag
        self.setText(f"{head},{after}" if after else head)
        self.setModified(True)
        self.setCursorPosition(len(head))
        self._list.hide()
