"""The report of one import: results by file and quarantined documents, to filter and to copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench.language import number, tr
from claimlight_workbench.screens.library.describe import run_text
from claimlight_workbench.screens.library.report_model import Part, ReportModel, table_of
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.tab_order import OrderedDialog

if TYPE_CHECKING:
    from claimlight.types import ImportRun

FILTER_AFTER_MS = 120
_STRETCHED = {Part.FILES: 0, Part.QUARANTINED: 0, Part.SKIPPED: 0}
_NOTHING = {
    Part.FILES: tr("No file was read."),
    Part.QUARANTINED: tr("Nothing was quarantined."),
    Part.SKIPPED: tr("Nothing was skipped."),
}


class ImportReportDialog(OrderedDialog):
    """Stays open beside the window and blocks nothing."""

    def __init__(self, run: ImportRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Import {number}", number=run.number))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.run = run
        self._tables = {part: table_of(run, part) for part in Part}
        self.title = QLabel(run_text(run))
        self.title.setWordWrap(True)
        self.title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.parts = QTabBar()
        self.parts.setAccessibleName(tr("Parts of the report"))
        self.filter = QLineEdit()
        self.filter.setAccessibleName(tr("Show rows that hold these words"))
        self.filter.setPlaceholderText(tr("Show rows that hold these words"))
        make_clearable(self.filter)
        self.model = ReportModel(self)
        self.table = _CopiedTable(self)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.copy_button = QPushButton(tr("Copy all rows shown"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FILTER_AFTER_MS)
        self._timer.timeout.connect(self._show)
        self._lay_out()
        for part, table in self._tables.items():
            self.parts.addTab(f"{part.value.capitalize()} ({number(len(table.rows), ',')})")
        if run.quarantined:
            self.parts.setCurrentIndex(1)
        self.parts.currentChanged.connect(self._show)
        self.filter.textChanged.connect(lambda _: self._timer.start())
        self.copy_button.clicked.connect(self.copy_all)
        self._show()

    @property
    def part(self) -> Part:
        """The part that is shown."""
        return list(Part)[self.parts.currentIndex()]

    def copy_all(self) -> None:
        """Copy all rows shown to the clipboard."""
        QGuiApplication.clipboard().setText(self.model.text(range(self.model.rowCount())))

    def copy_chosen(self) -> None:
        """Copy the selected rows to the clipboard."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        QGuiApplication.clipboard().setText(self.model.text(rows))

    def _show(self) -> None:
        self._timer.stop()
        table = self._tables[self.part]
        self.model.show(table, self.filter.text())
        shown, every = self.model.rowCount(), len(table.rows)
        self.count.setText(
            tr("{shown:,} of {every:,} rows", shown=shown, every=every) if every else _NOTHING[self.part]
        )
        header = self.table.horizontalHeader()
        for column in range(self.model.columnCount()):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        wide = self.table.fontMetrics().averageCharWidth()
        for column, heading in enumerate(table.headings):
            self.table.setColumnWidth(column, wide * (len(heading) + 6))
        if self.part is Part.QUARANTINED:
            self.table.setColumnWidth(1, wide * 42)
            self.table.setColumnWidth(2, wide * 26)
        header.setSectionResizeMode(_STRETCHED[self.part], QHeaderView.ResizeMode.Stretch)

    def _lay_out(self) -> None:
        table = self.table
        table.setModel(self.model)
        prepare_rows(table, tr("Rows of the report"))
        # Several rows are copied at once.
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        # Of a long path both ends tell: the folder it is in, and the name.
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        last = QHBoxLayout()
        last.addWidget(self.count, 1)
        last.addWidget(self.copy_button)
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.close)
        last.addWidget(close)
        column = QVBoxLayout(self)
        column.addWidget(self.title)
        column.addWidget(self.parts)
        column.addWidget(self.filter)
        column.addWidget(table, 1)
        column.addLayout(last)
        self.resize(980, 560)


class _CopiedTable(QTableView):
    """Ctrl+C copies whole rows."""

    def __init__(self, owner: ImportReportDialog) -> None:
        super().__init__(owner)
        self._owner = owner

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._owner.copy_chosen()
        else:
            super().keyPressEvent(event)
