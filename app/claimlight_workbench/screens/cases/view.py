"""The dialogs for the list of cases and for the history of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import format_publication
from claimlight_workbench.language import number, tr, trn
from claimlight_workbench.models.case_history import KINDS
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from claimlight.types import CaseSummary
    from claimlight_workbench.models.case_history import Told

FIND_AFTER_MS = 150
"""Delay in ms after the last key before the list is read."""
_HEADINGS = (tr("Name"), tr("Application"), tr("Last worked on"), tr("Sets"), tr("Categories"), tr("State"))
_FIGURES = (3, 4)
"""Columns of numbers, aligned by their last digit, with the heading."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CasesDialog(OrderedDialog):
    """Every case, last worked on first; Enter opens one."""

    wanted = Signal(str, bool, bool)
    """Words to find, whether archived and whether deleted cases are listed too."""
    opened = Signal(int)
    new_wanted = Signal()
    renamed = Signal(int, str)
    archived = Signal(int, bool)
    """A case to archive, or to take out of the archive."""
    deleted = Signal(int, bool)
    """A case to mark as deleted, or to restore."""

    def __init__(self, current: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Cases"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._current = current
        self._lines: tuple[CaseSummary, ...] = ()
        self.search = QLineEdit()
        self.search.setPlaceholderText(
            tr("Words in the name, application number, claims, notes, tags or publications")
        )
        self.search.setAccessibleName(tr("Find a case"))
        make_clearable(self.search)
        self.table = _CaseTable(self)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.open_button = QPushButton(tr("Open"))
        self.open_button.setObjectName("primary")
        self.new_button = QPushButton(tr("New case"))
        self.rename_button = QPushButton(tr("Rename"))
        self.close_button = QPushButton(tr("Close"))
        self.archive_button = QPushButton(tr("Archive"))
        self.delete_button = QPushButton(tr("Delete"))
        self.with_archived = QCheckBox(tr("Archived"))
        self.with_archived.setToolTip(tr("List archived cases too"))
        self.with_deleted = QCheckBox(tr("Deleted"))
        self.with_deleted.setToolTip(tr("List deleted cases too, to restore one"))
        self.told = QLabel()
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.undo_button = QPushButton(tr("Undo"))
        self._undo: Callable[[], None] | None = None
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(FIND_AFTER_MS)
        self._waiting.timeout.connect(self.ask)
        self._lay_out()
        self.search.textChanged.connect(lambda _text: self._waiting.start())
        self.search.installEventFilter(self.table)
        self.table.itemChanged.connect(self._edited)
        self.table.itemSelectionChanged.connect(self._chosen_changed)
        self.table.itemDoubleClicked.connect(lambda _item: self.open_chosen())
        self.open_button.clicked.connect(self.open_chosen)
        self.rename_button.clicked.connect(self.rename_chosen)
        self.new_button.clicked.connect(self._new)
        self.archive_button.clicked.connect(self.archive_chosen)
        self.delete_button.clicked.connect(self.delete_chosen)
        self.undo_button.clicked.connect(self._take_back)
        for box in (self.with_archived, self.with_deleted):
            box.toggled.connect(lambda _on: self.ask())
        self.close_button.clicked.connect(self.reject)
        self._chosen_changed()

    @property
    def chosen(self) -> CaseSummary | None:
        """The chosen case."""
        row = self.table.currentRow()
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def ask(self) -> None:
        """Ask for the cases that match."""
        self._waiting.stop()
        self.wanted.emit(self.search.text(), self.with_archived.isChecked(), self.with_deleted.isChecked())

    def archive_chosen(self) -> None:
        """Archive the chosen case, or take it out of the archive."""
        line = self.chosen
        if line is not None:
            number, archived = int(line.case.id), not line.case.archived
            self._offer(
                tr("“{name}” is archived.", name=line.case.name)
                if archived
                else tr("“{name}” is no longer archived.", name=line.case.name),
                lambda: self.archived.emit(number, not archived),
            )
            self.archived.emit(number, archived)

    def delete_chosen(self) -> None:
        """Mark the chosen case as deleted, or restore it."""
        line = self.chosen
        if line is not None and int(line.case.id) != self._current:
            number, deleted = int(line.case.id), not line.case.deleted
            self._offer(
                tr("“{name}” is deleted.", name=line.case.name)
                if deleted
                else tr("“{name}” is restored.", name=line.case.name),
                lambda: self.deleted.emit(number, not deleted),
            )
            self.deleted.emit(number, deleted)

    def withdraw(self) -> None:
        """The last change failed: there is nothing to undo."""
        self._offer("", None)

    def _offer(self, told: str, undo: Callable[[], None] | None) -> None:
        self._undo = undo
        self.told.setText(told)
        self.told.setVisible(bool(told))
        self.undo_button.setVisible(undo is not None)

    def _take_back(self) -> None:
        if self._undo is not None:
            undo = self._undo
            self._offer("", None)
            undo()

    def show_cases(self, lines: Sequence[CaseSummary]) -> None:
        """Show the cases that match; the selection stays."""
        before = self.chosen
        wanted = int(before.case.id) if before is not None else self._current
        self._lines = tuple(lines)
        # Filling the table would emit `itemChanged`, which means a case was renamed.
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(lines))
            for row, line in enumerate(lines):
                self._write(row, line)
            numbers = [int(line.case.id) for line in lines]
            self.table.setCurrentCell(numbers.index(wanted) if wanted in numbers else 0, 0)
        self.count.setText(
            trn("{n:,} case", "{n:,} cases", len(lines)) if lines else tr("No case matches these words.")
        )
        self._chosen_changed()

    def open_chosen(self) -> None:
        """Open the chosen case."""
        line = self.chosen
        if line is None:
            return
        number = int(line.case.id)
        self.accept()
        self.opened.emit(number)

    def rename_chosen(self) -> None:
        """Edit the name in the chosen row."""
        item = self.table.item(self.table.currentRow(), 0)
        if item is not None:
            self.table.setCurrentItem(item)
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            self.table.editItem(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.open_chosen()
        elif event.key() == Qt.Key.Key_F2:
            self.rename_chosen()
        else:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        self._waiting.stop()
        super().done(result)

    def _new(self) -> None:
        self.accept()
        self.new_wanted.emit()

    def _edited(self, item: QTableWidgetItem) -> None:
        line, name = self._lines[item.row()], " ".join(item.text().split())
        if name and name != line.case.name:
            self.renamed.emit(int(line.case.id), name)
        else:
            with QSignalBlocker(self.table):
                item.setText(line.case.name)

    def _chosen_changed(self) -> None:
        line = self.chosen
        deleted = line is not None and line.case.deleted
        is_open = line is not None and int(line.case.id) == self._current
        self.open_button.setEnabled(line is not None and not deleted)
        self.rename_button.setEnabled(line is not None and not deleted)
        self.archive_button.setEnabled(line is not None and not deleted)
        archived = line is not None and line.case.archived
        self.archive_button.setText(tr("Unarchive") if archived else tr("Archive"))
        self.delete_button.setEnabled(line is not None and not is_open)
        self.delete_button.setText(tr("Restore") if deleted else tr("Delete"))
        self.delete_button.setToolTip(
            tr("The open case can't be deleted. Open another one first")
            if is_open
            else tr("A deleted case is kept and can be restored (tick Deleted)")
        )

    def _write(self, row: int, line: CaseSummary) -> None:
        case = line.case
        is_open = int(case.id) == self._current
        texts = (
            case.name,
            format_publication(str(case.publication)) if case.publication is not None else "",
            _when(case.changed),
            number(line.sets, ","),
            number(line.marks, ","),
            _state(line, is_open=is_open),
        )
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags | Qt.ItemFlag.ItemIsEditable if column == 0 else flags)
            if column in _FIGURES:
                item.setTextAlignment(_RIGHT)
            if is_open:
                font = item.font()
                font.setBold(True)
                item.setFont(font)
            if case.deleted:
                item.setForeground(self.palette().placeholderText())
            item.setToolTip(_tip(line, is_open=is_open))
            self.table.setItem(row, column, item)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for button, tip in (
            (self.new_button, tr("Enter the claims of another application (Ctrl+N)")),
            (self.rename_button, tr("Rename the chosen case (F2)")),
            (self.archive_button, tr("Leave the chosen case out of the list; all its contents are kept")),
            (self.delete_button, ""),
        ):
            button.setToolTip(tip)
            # Enter opens the chosen case (`keyPressEvent`); Qt would press one of the buttons instead.
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (self.close_button, self.open_button):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        self.open_button.setToolTip(
            tr("Open the chosen case with its claims, dates, sets and categories (Enter)")
        )
        above = QHBoxLayout()
        above.addWidget(self.search, 1)
        above.addWidget(self.with_archived)
        above.addWidget(self.with_deleted)
        below = QHBoxLayout()
        below.addWidget(self.count)
        below.addStretch(1)
        below.addWidget(self.told)
        below.addWidget(self.undo_button)
        self.undo_button.setAutoDefault(False)
        self._offer("", None)
        column = QVBoxLayout(self)
        column.addLayout(above)
        column.addWidget(self.table, 1)
        column.addLayout(below)
        column.addLayout(buttons)
        letter = self.fontMetrics().averageCharWidth()
        self.resize(letter * 150, self.fontMetrics().height() * 28)


class _CaseTable(QTableWidget):
    """Up and Down select a case from the search box too."""

    def __init__(self, owner: CasesDialog) -> None:
        super().__init__(0, len(_HEADINGS), owner)
        self.setHorizontalHeaderLabels(_HEADINGS)
        prepare_rows(self, tr("Cases"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        wide = self.fontMetrics().horizontalAdvance
        for column in _FIGURES:
            if (heading := self.horizontalHeaderItem(column)) is not None:
                heading.setTextAlignment(_RIGHT)
        for column, text in (
            (1, "US 2005/0004974 A1"),
            (2, "2026-00-00 00:00"),
            (3, f"{tr('Sets')} 00"),
            (4, tr("Categories")),
            (5, tr("archived")),
        ):
            self.setColumnWidth(column, wide(text) + 26)

    def eventFilter(self, watched: object, event: object) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QKeyEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            row = self.currentRow() + step
            if step and 0 <= row < self.rowCount():
                self.setCurrentCell(row, 0)
                return True
        return False


class HistoryDialog(OrderedDialog):
    """What was done in the open case, newest first; a step can be undone by itself."""

    turned = Signal(int)
    """Number of a step to undo, or to redo if it was undone."""
    document_wanted = Signal(str)
    """Publication of a document to open."""

    def __init__(self, name: str, lines: Sequence[Told], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("History of {name}", name=name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._lines: Sequence[Told] = ()
        self.table = QTableWidget(0, 3)
        prepare_rows(self.table, tr("What was done in this case, newest first"))
        self.table.setHorizontalHeaderLabels((tr("When"), tr("Step"), tr("What was done")))
        self.table.horizontalHeader().setStretchLastSection(True)
        wide = self.fontMetrics().horizontalAdvance
        self.table.setColumnWidth(0, wide("2026-00-00 00:00:00") + 26)
        self.table.setColumnWidth(1, max(map(wide, KINDS.values())) + 26)
        self.kind = QComboBox()
        name_box(self.kind, tr("Steps that are listed"))
        self.kind.addItem(tr("All steps"), "")
        for kind in dict.fromkeys(KINDS.values()):
            self.kind.addItem(kind, kind)
        self.kind.currentIndexChanged.connect(self._filter)
        self.count = QLabel()
        self.hindrance = make_wrapped_label(name="muted")
        self.turn_button = QPushButton(tr("Undo step"))
        self.open_button = QPushButton(tr("Go to document"))
        close = QPushButton(tr("Close"))
        self.turn_button.clicked.connect(self._turn)
        self.open_button.clicked.connect(self._open)
        close.clicked.connect(self.reject)
        self.table.itemActivated.connect(lambda _item: self._open())
        self.table.currentCellChanged.connect(lambda *_: self._choose())
        first = QHBoxLayout()
        first.addWidget(self.kind)
        first.addWidget(self.count, 1)
        last = QHBoxLayout()
        last.addWidget(self.hindrance, 1)
        for button in (self.turn_button, self.open_button, close):
            # Enter in the table opens a document.
            button.setAutoDefault(False)
            last.addWidget(button)
        column_of_all = QVBoxLayout(self)
        column_of_all.addLayout(first)
        column_of_all.addWidget(self.table, 1)
        column_of_all.addLayout(last)
        self.resize(self.fontMetrics().averageCharWidth() * 130, self.fontMetrics().height() * 28)
        self.show_lines(lines)

    def show_lines(self, lines: Sequence[Told]) -> None:
        """Show the history as it is now; the chosen step stays chosen."""
        chosen = self._current()
        self._lines = lines
        self.table.setRowCount(len(lines))
        for row, line in enumerate(lines):
            words = tr("{words} (undone)", words=line.words) if line.undone else line.words
            for column, text in enumerate((_when(line.at, "%Y-%m-%d %H:%M:%S"), line.kind, words)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(row, column, item)
        numbers = [line.number for line in lines]
        if chosen is not None and chosen.number in numbers:
            self.table.setCurrentCell(numbers.index(chosen.number), 0)
        self._filter()
        self._choose()

    def _current(self) -> Told | None:
        row = self.table.currentRow()
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def _choose(self) -> None:
        """Say what can be done with the chosen step."""
        line = self._current()
        undone = line is not None and line.undone
        self.turn_button.setText(tr("Redo step") if undone else tr("Undo step"))
        self.turn_button.setEnabled(line is not None and not line.hindrance)
        self.hindrance.setText(line.hindrance if line is not None else "")
        self.open_button.setEnabled(line is not None and bool(line.publication))

    def _turn(self) -> None:
        line = self._current()
        if line is not None and not line.hindrance:
            self.turned.emit(line.number)

    def _open(self) -> None:
        line = self._current()
        if line is not None and line.publication:
            self.document_wanted.emit(line.publication)
            self.accept()

    def _filter(self) -> None:
        """Hide the steps of other kinds."""
        kind, shown = self.kind.currentData(), 0
        for row, line in enumerate(self._lines):
            out = bool(kind) and line.kind != kind
            self.table.setRowHidden(row, out)
            shown += not out
        self.count.setText(trn("{n:,} entry", "{n:,} entries", shown))


def _when(at: datetime, form: str = "%Y-%m-%d %H:%M") -> str:
    return at.astimezone().strftime(form)


def _state(line: CaseSummary, *, is_open: bool) -> str:
    states = (tr("open") * is_open, tr("archived") * line.case.archived, tr("deleted") * line.case.deleted)
    return ", ".join(filter(None, states))


def _tip(line: CaseSummary, *, is_open: bool) -> str:
    beginning = " ".join(line.case.application.split())[:300]
    return "\n".join(filter(None, (line.case.name, tr("This case is open.") if is_open else "", beginning)))
