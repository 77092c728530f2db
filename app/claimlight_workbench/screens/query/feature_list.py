"""The features of the claim as a list that can be edited by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QKeySequence, QShortcut, QValidator
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.highlighting import Utf16Map
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_icon, chip_width
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.icons import IconButton
from claimlight_workbench.widgets.key_sheet import set_name
from claimlight_workbench.widgets.key_tips import follow_action

if TYPE_CHECKING:
    from collections.abc import Callable

    from claimlight.types import Feature

_OF_THE_WINDOW = frozenset((tr("Undo"), tr("Redo")))
"""Commands of the window with these keys check where the focus is."""
_WHOLE_NAMES = {
    tr("Split"): tr("Split feature"),
    tr("Split at cursor"): tr("Split feature at cursor"),
    tr("Merge"): tr("Merge with the next feature"),
    tr("New"): tr("New feature from the selected words"),
    tr("Remove"): tr("Remove feature"),
    tr("End +1 word"): tr("End feature one word later"),
    tr("End −1 word"): tr("End feature one word earlier"),
    tr("Start −1 word"): tr("Start feature one word earlier"),
    tr("Start +1 word"): tr("Start feature one word later"),
}
"""Names in the list of keys, where no button and no list of features says what they are about."""
_ICONS = {0: "split", 2: "merge", 3: "new", 4: "remove", 9: "undo", 10: "redo"}
"""Icons of the commands that have a button, by their place; the others are in a menu."""
_Index = QModelIndex | QPersistentModelIndex


class FeatureList(QWidget):
    """Split, merge, create, move an end, remove: each by button and by key. The words stay unchanged."""

    split = Signal(int)
    split_at = Signal(int, int)
    """Row, and the place in its words."""
    merged = Signal(int)
    left_out = Signal(int)
    marked = Signal()
    """The selection in the claim becomes a feature."""
    start_moved = Signal(int, int)
    """Row, and the number of words."""
    end_moved = Signal(int, int)
    refused = Signal()
    """Somebody typed into the words of a feature."""
    undone = Signal()
    redone = Signal()
    reset = Signal()
    selected = Signal(str)
    """Label of the feature that was chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Features of the claim"))
        self.list.setWordWrap(True)
        self.list.setAlternatingRowColors(True)
        self.list.setSpacing(design.HAIR)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self._delegate = _Editing(self)
        self._delegate.cut.connect(lambda place: self.split_at.emit(self.list.currentRow(), place))
        self._delegate.refused.connect(self.refused)
        self.list.setItemDelegate(self._delegate)
        self.list.currentRowChanged.connect(self._chosen)
        self._labels: tuple[str, ...] = ()
        self._is_new: Callable[[str], bool] = lambda _text: False
        buttons = FlowLayout(spacing=design.HAIR)
        menu = QMenu(self)
        for place, action in enumerate(self._actions()):
            self.list.addAction(action)
            if place not in _ICONS:
                menu.addAction(action)
                continue
            button = IconButton(_ICONS[place], action.text())
            button.clicked.connect(action.trigger)
            follow_action(button, action, tip=str(action.property("tip")))
            buttons.addWidget(button)
        more = IconButton("more", tr("More changes of features"))
        more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        more.setMenu(menu)
        buttons.addWidget(more)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.HAIR)
        column.addWidget(self.list)
        column.addLayout(buttons)

    def show_new(self, is_new: Callable[[str], bool]) -> None:
        """Mark the features that an amendment gave other words: they are to be searched again."""
        self._is_new = is_new
        for row, label in enumerate(self._labels):
            self._mark_new(self.list.item(row), label)

    def _mark_new(self, entry: QListWidgetItem, label: str) -> None:
        new = self._is_new(entry.text())
        spoken = f"{label}: {entry.text()}"
        if new:
            spoken = tr("{feature}; new words, to be searched", feature=spoken)
        with QSignalBlocker(self.list):
            font = entry.font()
            font.setBold(new)
            entry.setFont(font)
            entry.setToolTip(tr("New words in this version of the claims: search it again") if new else "")
            entry.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)

    def show_features(self, features: tuple[Feature, ...]) -> None:
        """Show the features and keep the current row."""
        row = self.list.currentRow()
        with QSignalBlocker(self.list):
            self.list.clear()
            self._labels = tuple(item.label for item in features)
            widest = max((chip_width(chip_font(self.font()), label) for label in self._labels), default=22)
            self.list.setIconSize(QSize(widest, chip_height()))
            ratio = self.devicePixelRatioF()
            for item in features:
                entry = QListWidgetItem(chip_icon(item.label, self.font(), ratio=ratio), _one_line(item.text))
                entry.setFlags(entry.flags() | Qt.ItemFlag.ItemIsEditable)
                entry.setData(Qt.ItemDataRole.AccessibleTextRole, f"{item.label}: {item.text}")
                self.list.addItem(entry)
                self._mark_new(entry, item.label)
            self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))

    def focus_list(self) -> None:
        """Give the list the keyboard focus."""
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def edit_current(self) -> None:
        """Open the editor on the current row."""
        if (item := self.list.currentItem()) is not None:
            self.list.editItem(item)

    def _actions(self) -> list[QAction]:
        wanted = (
            (
                tr("Split"),
                "Ctrl+D",
                tr("Split the feature in two; after F2, at the cursor"),
                lambda row: self.split.emit(row),
            ),
            (
                tr("Split at cursor"),
                "F2",
                tr("Show a cursor in the feature; Ctrl+D splits there"),
                lambda _row: self.edit_current(),
            ),
            (tr("Merge"), "Ctrl+J", tr("Merge with the next feature"), lambda row: self.merged.emit(row)),
            (
                tr("New"),
                "Ins",
                tr("Make the words selected in the claim a feature"),
                lambda _row: self.marked.emit(),
            ),
            (
                tr("Remove"),
                "Del",
                tr("Remove the feature; its words stay in the claim"),
                lambda row: self.left_out.emit(row),
            ),
            (
                tr("End +1 word"),
                "Ctrl+Right",
                tr("End the feature one word later"),
                lambda row: self.end_moved.emit(row, 1),
            ),
            (
                tr("End −1 word"),
                "Ctrl+Left",
                tr("End the feature one word earlier"),
                lambda row: self.end_moved.emit(row, -1),
            ),
            (
                tr("Start −1 word"),
                "Ctrl+Shift+Left",
                tr("Start the feature one word earlier"),
                lambda row: self.start_moved.emit(row, -1),
            ),
            (
                tr("Start +1 word"),
                "Ctrl+Shift+Right",
                tr("Start the feature one word later"),
                lambda row: self.start_moved.emit(row, 1),
            ),
            (
                tr("Undo"),
                "Ctrl+Z",
                tr("Undo the last change of the features"),
                lambda _row: self.undone.emit(),
            ),
            (
                tr("Redo"),
                "Ctrl+Shift+Z",
                tr("Redo the change that was undone"),
                lambda _row: self.redone.emit(),
            ),
            (
                tr("Restore automatic split"),
                "Ctrl+Shift+R",
                tr("Restore the features that the claim was split into automatically"),
                lambda _row: self.reset.emit(),
            ),
        )
        actions = []
        for name, keys, tip, act in wanted:
            whole = _WHOLE_NAMES.get(name, name)
            action = QAction(whole, self)
            set_name(action, whole)
            action.setIconText(name)
            if name not in _OF_THE_WINDOW:
                action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.setToolTip(f"{tip} ({keys})")
            action.setProperty("tip", tip)
            action.triggered.connect(lambda _=False, do=act: do(self.list.currentRow()))
            actions.append(action)
        return actions

    def _chosen(self, row: int) -> None:
        if 0 <= row < len(self._labels):
            self.selected.emit(self._labels[row])


def _one_line(text: str) -> str:
    """Text without its line breaks; same length."""
    return text.replace("\n", " ")


class _Editing(QStyledItemDelegate):
    """Shows the cursor in the words of a feature, which can't be changed; the split key splits there."""

    cut = Signal(int)
    """Code points before the cursor."""
    refused = Signal()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setFrame(False)
        editor.setAccessibleName(tr("Place in the feature"))
        editor.setAccessibleDescription(
            tr("Ctrl+D splits the feature at the cursor; the words stay unchanged")
        )
        # Not read-only: then a line edit shows no cursor, which is the place to split at.
        editor.setValidator(_Unchanged(str(index.data()), editor))
        editor.inputRejected.connect(self.refused)
        keys = QShortcut(QKeySequence("Ctrl+D"), editor)
        keys.setContext(Qt.ShortcutContext.WidgetShortcut)
        keys.activated.connect(lambda: self._cut(editor))
        return editor

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Nothing was changed."""

    def _cut(self, editor: QLineEdit) -> None:
        place = Utf16Map(editor.text()).position(editor.cursorPosition())
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.RevertModelCache)
        self.cut.emit(place)


class _Unchanged(QValidator):
    """A validator that accepts only one text."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = text

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        same = text == self._text
        return (QValidator.State.Acceptable if same else QValidator.State.Invalid), text, place
