"""The list of sets: every search of the case with its number, its query and its result count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import ExportKind
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.sets.describe import row_text
from claimlight_workbench.screens.sets.model import Column, SetsModel
from claimlight_workbench.widgets.empty_state import SEARCH_CLAIM, EmptyState
from claimlight_workbench.widgets.file_names import propose_file
from claimlight_workbench.widgets.row_table import prepare_rows

if TYPE_CHECKING:
    from claimlight.types import QuerySet

_REST = tr("Every search of the case is listed here with its number.")
_ROOM_FOR_MODEL, _ROOM_FOR_TIME = 130, 70
"""Letters that the panel must have room for."""
_FILTERS = {
    ExportKind.CSV: tr("CSV (*.csv)"),
    ExportKind.PARQUET: tr("Parquet (*.parquet)"),
    ExportKind.JSONL: tr("JSON lines (*.jsonl)"),
}


class SetsView(QWidget):
    """Opening a row shows that set again, as it was saved."""

    opened = Signal(int)
    inserted = Signal(str)
    """``L3``, to be inserted in the query line."""
    rerun_wanted = Signal(int)
    export_wanted = Signal(int, object, object)
    """Number (0: the whole library), path, `ExportKind`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.case_name = ""
        """Name of the open case, for the names of files."""
        self.model = SetsModel(self)
        self.table = QTableView()
        self.told = QLabel()
        self.told.setObjectName("muted")
        self.told.setWordWrap(True)
        self.insert_button = QPushButton(tr("Insert in query"))
        self.rerun_button = QPushButton(tr("Re-run"))
        self.export_button = QPushButton(tr("Export…"))
        self._prepare()
        self.empty = EmptyState(
            _REST,
            SEARCH_CLAIM,
            over=self.table,
        )
        self._lay_out()
        self.insert_button.clicked.connect(self.insert)
        self.rerun_button.clicked.connect(self.rerun)
        self.export_button.clicked.connect(self.ask_export)

    def show_sets(self, sets: tuple[QuerySet, ...]) -> None:
        """Show the sets of the case and scroll to the newest."""
        if self.model.replace(sets):
            self.choose(sets[-1].number if sets else 0)
        self.empty.set_empty(not sets)
        # Where there is none, the table says it.
        if self.told.text() in {"", _REST}:
            self.say("")
        for button in (self.insert_button, self.rerun_button, self.export_button):
            button.setEnabled(bool(sets))

    def clear_out(self, left: Left) -> None:
        """No set is shown; the sets of a closed case are removed."""
        self.say("")
        self.show_current(0)
        if left is Left.CASE:
            self.show_sets(())

    def choose(self, number: int) -> None:
        """Select a row without opening it."""
        row = self.model.row_of(number)
        if row >= 0:
            index = self.model.index(row, 0)
            flags = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.table.scrollTo(index)

    def show_current(self, number: int) -> None:
        """Another set is shown in the results."""
        self.model.set_current(number)
        self.choose(number)

    def say(self, text: str) -> None:
        """Show the result of re-running or exporting a set; hidden if empty."""
        self.told.setText(text or (_REST if self.model.rowCount() else ""))

    @property
    def chosen(self) -> QuerySet | None:
        """The chosen set."""
        return self.model.record(self.table.currentIndex().row())

    def insert(self) -> None:
        """Insert the chosen set in the query line."""
        if (record := self.chosen) is not None:
            self.inserted.emit(record.label)

    def rerun(self) -> None:
        """Ask for the chosen set to be run again."""
        if (record := self.chosen) is not None:
            self.rerun_wanted.emit(record.number)

    def copy(self) -> None:
        """Copy the chosen set as a line of text to the clipboard."""
        if (record := self.chosen) is not None:
            QGuiApplication.clipboard().setText(row_text(record))

    def ask_export(self) -> None:
        """Choose the file to export the chosen set to."""
        if (record := self.chosen) is not None:
            self._ask(record.number, record.label)

    def ask_export_library(self) -> None:
        """Choose the file to export the whole library to."""
        self._ask(0, "library")

    def _ask(self, number: int, name: str) -> None:
        path, chosen = QFileDialog.getSaveFileName(
            self, tr("Export {name}", name=name), self._propose(number, name), _all_filters()
        )
        if path:
            kind = next((kind for kind, text in _FILTERS.items() if text == chosen), ExportKind.CSV)
            # A known ending typed by the user wins over the filter: name and content must agree.
            ending = Path(path).suffix.lstrip(".").lower()
            kind = ExportKind(ending) if ending in list(ExportKind) else kind
            target = Path(path) if ending else Path(f"{path}.{kind}")
            self.export_wanted.emit(number, target, kind)

    def _propose(self, number: int, name: str) -> str:
        """``Documents/CASE-L2.csv``; the library is exported without the name of a case."""
        return propose_file(self.case_name if number else "", name, ExportKind.CSV.value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow panel model and time are hidden in favour of the query; the tool tip has all."""
        super().resizeEvent(event)
        letters = event.size().width() // max(1, self.fontMetrics().averageCharWidth())
        self.table.setColumnHidden(Column.MODEL, letters < _ROOM_FOR_MODEL)
        self.table.setColumnHidden(Column.WHEN, letters < _ROOM_FOR_TIME)

    def _open(self, index: QModelIndex) -> None:
        if (record := self.model.record(index.row())) is not None:
            self.opened.emit(record.number)

    def _menu(self, place: QPoint) -> None:
        index = self.table.indexAt(place)
        if not index.isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Show this set"), lambda: self._open(index))
        menu.addAction(tr("Insert in query"), self.insert)
        menu.addAction(tr("Re-run and compare"), self.rerun)
        menu.addAction(tr("Export…"), self.ask_export)
        menu.addAction(tr("Copy"), self.copy)
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _prepare(self) -> None:
        table = _SetsTable(self)
        self.table = table
        table.setModel(self.model)
        prepare_rows(table, tr("Numbered sets of the case"))
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = table.horizontalHeader()
        header.setSectionResizeMode(Column.QUERY, QHeaderView.ResizeMode.Stretch)
        wide = table.fontMetrics().horizontalAdvance
        heading = table.horizontalHeader().sectionSizeHint
        table.setColumnWidth(Column.NUMBER, max(wide("L00000"), heading(Column.NUMBER)))
        table.setColumnWidth(Column.DOCUMENTS, heading(Column.DOCUMENTS))
        table.setColumnWidth(Column.WHEN, wide("2026-00-00 00:00") + 30)
        table.setColumnWidth(Column.MODEL, wide("general-small-1, index 00") + 24)
        table.clicked.connect(self._open)
        table.activated.connect(self._open)
        table.customContextMenuRequested.connect(self._menu)

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.addWidget(self.told, 1)
        for button, tip in (
            (self.insert_button, tr("Insert the number of the chosen set in the query line (Ins)")),
            (self.rerun_button, tr("Run the chosen set again and show what has changed")),
            (self.export_button, tr("Write the chosen set as CSV, Parquet or JSON lines (Ctrl+E)")),
        ):
            button.setToolTip(tip)
            button.setEnabled(False)
            line.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addWidget(self.table, 1)
        column.addLayout(line)


class _SetsTable(QTableView):
    """Enter opens, Ctrl+C copies, Ins inserts."""

    def __init__(self, owner: SetsView) -> None:
        super().__init__(owner)
        self._owner = owner

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._owner.copy()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._owner._open(self.currentIndex())
        elif event.key() == Qt.Key.Key_Insert:
            self._owner.insert()
        else:
            super().keyPressEvent(event)


def _all_filters() -> str:
    return ";;".join(_FILTERS.values())
