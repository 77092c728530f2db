"""The features of the claim as a list that is edited by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.highlighting import Utf16Map
from app.widgets.chips import chip_font, chip_height, chip_icon, chip_width
from app.widgets.flow import FlowLayout

if TYPE_CHECKING:
    from core.types import Feature

_NEW_ROLE = int(Qt.ItemDataRole.UserRole)
_OF_THE_WINDOW = frozenset(("Undo", "Redo"))
"""The window has these keys, and asks where the focus is."""
_Index = QModelIndex | QPersistentModelIndex


class FeatureList(QWidget):
    """Split, merge, edit, add, delete: each by button and by key."""

    split = Signal(int)
    split_into = Signal(int, str, str)
    merged = Signal(int)
    edited = Signal(int, str)
    deleted = Signal(int)
    added = Signal(int, str)
    undone = Signal()
    redone = Signal()
    reset = Signal()
    selected = Signal(str)
    """Label of the feature that was chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QListWidget()
        self.list.setAccessibleName("Features of the claim")
        self.list.setWordWrap(True)
        self.list.setAlternatingRowColors(True)
        self.list.setSpacing(1)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self._delegate = _Editing(self)
        self._delegate.cut.connect(self._cut)
        self.list.setItemDelegate(self._delegate)
        self._delegate.closeEditor.connect(self._closed)
        self.list.itemChanged.connect(self._changed)
        self.list.currentRowChanged.connect(self._chosen)
        self._labels: tuple[str, ...] = ()
        buttons = FlowLayout(spacing=2)
        for action in self._actions():
            self.list.addAction(action)
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAutoRaise(True)
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.list)
        column.addLayout(buttons)

    def show_features(self, features: tuple[Feature, ...]) -> None:
        """Show the features, keeping the row."""
        row = self.list.currentRow()
        with QSignalBlocker(self.list):
            self.list.clear()
            self._labels = tuple(item.label for item in features)
            widest = max((chip_width(chip_font(self.font()), label) for label in self._labels), default=22)
            self.list.setIconSize(QSize(widest, chip_height()))
            ratio = self.devicePixelRatioF()
            for item in features:
                entry = QListWidgetItem(chip_icon(item.label, self.font(), ratio=ratio), item.text)
                entry.setFlags(entry.flags() | Qt.ItemFlag.ItemIsEditable)
                entry.setData(Qt.ItemDataRole.AccessibleTextRole, f"{item.label}: {item.text}")
                self.list.addItem(entry)
            self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))

    def focus_list(self) -> None:
        """Go to the list."""
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def edit_current(self) -> None:
        """Open the editor on the current row."""
        if (item := self.list.currentItem()) is not None:
            self.list.editItem(item)

    def _actions(self) -> list[QAction]:
        wanted = (
            ("Split", "Ctrl+D", "Cut in two; while editing: at the cursor", lambda row: self.split.emit(row)),
            ("Merge", "Ctrl+J", "Join with the next feature", lambda row: self.merged.emit(row)),
            ("Edit", "F2", "Change the words", lambda _row: self.edit_current()),
            ("Add", "Ins", "Put a new feature after this one", self._add),
            ("Delete", "Del", "Take the feature out", lambda row: self.deleted.emit(row)),
            ("Undo", "Ctrl+Z", "Take the last change of the features back", lambda _row: self.undone.emit()),
            ("Redo", "Ctrl+Shift+Z", "Make it again", lambda _row: self.redone.emit()),
            ("Reset", "Ctrl+Shift+R", "Split the claim afresh", lambda _row: self.reset.emit()),
        )
        actions = []
        for name, keys, tip, act in wanted:
            action = QAction(name, self)
            if name not in _OF_THE_WINDOW:
                action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.setToolTip(f"{tip} ({keys})")
            action.triggered.connect(lambda _=False, do=act: do(self.list.currentRow()))
            actions.append(action)
        return actions

    def _add(self, row: int) -> None:
        item = QListWidgetItem("")
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        item.setData(_NEW_ROLE, True)
        with QSignalBlocker(self.list):
            self.list.insertItem(row + 1, item)
            self.list.setCurrentItem(item)
        self.list.editItem(item)

    def _changed(self, item: QListWidgetItem) -> None:
        row = self.list.row(item)
        if not item.data(_NEW_ROLE):
            self.edited.emit(row, item.text())
        elif item.text().strip():
            self.added.emit(row - 1, item.text())

    def _closed(self) -> None:
        # A new row that was left without words goes again.
        for row in reversed(range(self.list.count())):
            item = self.list.item(row)
            if item.data(_NEW_ROLE) and not item.text().strip():
                self.list.takeItem(row)

    def _cut(self, left: str, right: str) -> None:
        self.split_into.emit(self.list.currentRow(), left, right)

    def _chosen(self, row: int) -> None:
        if 0 <= row < len(self._labels):
            self.selected.emit(self._labels[row])


class _Editing(QStyledItemDelegate):
    """The editor of a row; the split key cuts where the cursor stands."""

    cut = Signal(str, str)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setFrame(False)
        editor.setAccessibleName("Words of the feature")
        keys = QShortcut(QKeySequence("Ctrl+D"), editor)
        keys.setContext(Qt.ShortcutContext.WidgetShortcut)
        keys.activated.connect(lambda: self._cut(editor))
        return editor

    def _cut(self, editor: QLineEdit) -> None:
        text = editor.text()
        place = Utf16Map(text).position(editor.cursorPosition())
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.RevertModelCache)
        self.cut.emit(text[:place].strip(), text[place:].strip())
