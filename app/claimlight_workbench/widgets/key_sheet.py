"""The list of commands and their keys, and the palette that finds a command by its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench.language import english, tr
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.tab_order import OrderedDialog

GROUP = "group"
"""Property of an action: its menu, which is also its group in the list of shortcuts."""
_NAME = "name"
_MOVES = {int(key) for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)}

_IN_LISTS = (
    (tr("Next, previous row; in the results this opens the document"), tr("Down, Up")),
    (tr("First, last row"), tr("Home, End")),
    (tr("Next, previous page"), tr("PgDown, PgUp")),
    (tr("Open the chosen row"), "Enter"),
    (tr("Insert the chosen set in the query line"), "Ins"),
    (tr("Copy the chosen row"), "Ctrl+C"),
    (tr("Next, previous part of the window"), tr("Tab, Shift+Tab")),
    (tr("In the query line: earlier lines; accept a completion"), tr("Up; Tab")),
)
"""Keys that are not commands: what they do depends on the focus."""


def keys_of(action: QAction) -> str:
    """The keys of an action as printed on them."""
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(each.toString(form) for each in action.shortcuts())


def words_of(action: QAction) -> str:
    """The name of an action without mnemonics, in the language of the window."""
    return _plain(action.text())


def name_of(action: QAction) -> str:
    """The English name of an action without mnemonics: files keep it, whatever the language."""
    return str(action.property(_NAME) or words_of(action))


def set_name(action: QAction, text: str) -> None:
    """Keep the English name of an action whose text is translated."""
    action.setProperty(_NAME, _plain(english(text)))


def _plain(text: str) -> str:
    return text.replace("&", "").rstrip("…")


class KeySheet(OrderedDialog):
    """Commands and their keys, by menu; typing filters them, Enter changes the keys of a command."""

    change_asked = Signal(object)
    """The `QAction` whose keys are to be changed."""
    restore_asked = Signal()

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = list(actions)
        self.line = QLineEdit()
        self.line.setAccessibleName(tr("Find a key or a command"))
        self.line.setPlaceholderText(tr("Find a key or a command"))
        make_clearable(self.line)
        self.table = QTreeWidget()
        self.table.setAccessibleName(tr("Commands and their keys"))
        self.table.setHeaderLabels([tr("Command"), tr("Key")])
        self.table.setRootIsDecorated(False)
        self.table.setWordWrap(True)
        self.table.setAlternatingRowColors(True)
        self._groups: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        for group, rows in _group(actions).items():
            head = QTreeWidgetItem([group])
            font = head.font(0)
            font.setBold(True)
            head.setFont(0, font)
            self.table.addTopLevelItem(head)
            items = []
            for name, printed, number in rows:
                item = QTreeWidgetItem([name, printed])
                item.setData(0, Qt.ItemDataRole.UserRole, number)
                items.append(item)
            head.addChildren(items)
            head.setExpanded(True)
            self._groups.append((head, items))
        self.table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.table.header().setStretchLastSection(False)
        self.change = QPushButton(tr("&Change keys…"))
        self.change.setToolTip(tr("Choose the keys of the chosen command (Enter)"))
        self.restore = QPushButton(tr("&Default keys for all"))
        for button in (self.change, self.restore):
            # Enter in the line must not press one of them.
            button.setAutoDefault(False)
        below = QHBoxLayout()
        below.addWidget(self.change)
        below.addStretch()
        below.addWidget(self.restore)
        column = QVBoxLayout(self)
        column.addWidget(self.line)
        column.addWidget(self.table)
        column.addLayout(below)
        # Wide enough for the longest command beside the longest keys, at any size of the text.
        wide = self.fontMetrics().horizontalAdvance
        names, keys = (
            max(wide(row.text(place)) for _, rows in self._groups for row in rows) for place in (0, 1)
        )
        self.resize(max(560, names + keys + 140), 640)
        self.line.textChanged.connect(self._filter)
        self.table.itemActivated.connect(self._ask)
        self.table.currentItemChanged.connect(self._choose)
        self.change.clicked.connect(self._ask)
        self.restore.clicked.connect(self.restore_asked)
        self._choose()

    def refresh(self) -> None:
        """Show the keys as they are now."""
        for _, rows in self._groups:
            for row in rows:
                if (action := self._action_of(row)) is not None:
                    row.setText(1, keys_of(action))

    def _action_of(self, item: QTreeWidgetItem | None) -> QAction | None:
        place = item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None
        return self._actions[place] if place is not None else None

    def _choose(self) -> None:
        self.change.setEnabled(self._action_of(self.table.currentItem()) is not None)

    def _ask(self) -> None:
        if (action := self._action_of(self.table.currentItem())) is not None:
            self.change_asked.emit(action)

    def _filter(self, text: str) -> None:
        for head, rows in self._groups:
            for row in rows:
                row.setHidden(not fits(text, f"{head.text(0)} {row.text(0)} {row.text(1)}"))
            head.setHidden(all(row.isHidden() for row in rows))


def _group(actions: Sequence[QAction]) -> dict[str, list[tuple[str, str, int | None]]]:
    """For each menu the commands, their keys, and their place in ``actions``."""
    groups: dict[str, list[tuple[str, str, int | None]]] = {}
    for place, action in enumerate(actions):
        group = str(action.property(GROUP) or tr("In the list of features"))
        groups.setdefault(group, []).append((words_of(action), keys_of(action), place))
    groups[tr("In lists and tables")] = [(name, keys, None) for name, keys in _IN_LISTS]
    return groups


def fits(text: str, name: str) -> bool:
    """Whether every word that was typed occurs in a name."""
    return all(word in name.casefold() for word in text.casefold().split())


def begins(text: str, name: str) -> bool:
    """Whether every word that was typed begins a word of a name."""
    words = name.casefold().replace("/", " ").split()
    return all(any(each.startswith(word) for each in words) for word in text.casefold().split())


class CommandPalette(OrderedDialog):
    """Type a part of a command's name; Enter runs it."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Commands"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = [action for action in actions if action.isEnabled() and action.text()]
        self.line = QLineEdit()
        self.line.setAccessibleName(tr("Find a command"))
        self.line.setPlaceholderText(tr("Find a command"))
        self.line.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Commands"))
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
        names = [words_of(action) for action in self._actions]
        # The English names are found too: the guide has them.
        known = [f"{words_of(action)} {name_of(action)}" for action in self._actions]
        found = [number for number, name in enumerate(known) if fits(text, name)]
        # What begins as typed comes first; within that the order of the menus.
        for number in sorted(found, key=lambda number: not begins(text, names[number])):
            keys = keys_of(self._actions[number])
            item = QListWidgetItem(f"{names[number]}   {keys}" if keys else names[number])
            item.setData(Qt.ItemDataRole.UserRole, number)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run(self) -> None:
        if not self.list.count():
            return
        action = self._actions[self.list.currentItem().data(Qt.ItemDataRole.UserRole)]
        self.accept()
        # A command that asks for a file waits in a loop of its own: not inside of the key that ends this.
        QTimer.singleShot(0, action.trigger)
