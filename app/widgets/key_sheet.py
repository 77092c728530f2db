"""Every command and its key on one sheet, and the palette that finds a command by its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

_MOVES = {int(key) for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)}


def keys_of(action: QAction) -> str:
    """The keys of an action as printed on them."""
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(each.toString(form) for each in action.shortcuts())


def words_of(action: QAction) -> str:
    """The name of an action without mnemonics."""
    return action.text().replace("&", "").rstrip("…")


class KeySheet(QDialog):
    """A table of commands and keys."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        listed = [action for action in actions if action.shortcuts()]
        self.table = QTableWidget(len(listed), 2)
        self.table.setAccessibleName("Commands and their keys")
        self.table.setHorizontalHeaderLabels(["Key", "Command"])
        self.table.verticalHeader().hide()
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        for row, action in enumerate(listed):
            self.table.setItem(row, 0, QTableWidgetItem(keys_of(action)))
            self.table.setItem(row, 1, QTableWidgetItem(words_of(action)))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        column = QVBoxLayout(self)
        column.addWidget(self.table)
        self.resize(520, 640)


class CommandPalette(QDialog):
    """Type a part of a command's name, Enter runs it."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Commands")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = [action for action in actions if action.isEnabled() and action.text()]
        self.line = QLineEdit()
        self.line.setAccessibleName("Find a command")
        self.line.setPlaceholderText("Find a command")
        self.line.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName("Commands")
        column = QVBoxLayout(self)
        column.addWidget(self.line)
        column.addWidget(self.list)
        self.resize(480, 380)
        self.line.textChanged.connect(self._filter)
        self.line.returnPressed.connect(self._run)
        self.list.itemActivated.connect(self._run)
        self._filter("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The arrows move in the list while the words are being typed.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _MOVES:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _filter(self, text: str) -> None:
        self.list.clear()
        wanted = text.casefold().split()
        for number, action in enumerate(self._actions):
            name = words_of(action)
            if all(word in name.casefold() for word in wanted):
                keys = keys_of(action)
                item = QListWidgetItem(f"{name}   {keys}" if keys else name)
                item.setData(Qt.ItemDataRole.UserRole, number)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run(self) -> None:
        if not self.list.count():
            return
        action = self._actions[self.list.currentItem().data(Qt.ItemDataRole.UserRole)]
        self.accept()
        action.trigger()
