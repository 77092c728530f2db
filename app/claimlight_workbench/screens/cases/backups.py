"""The dialog that restores a backup of the case book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench.language import number, tr, trn
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.tab_order import OrderedDialog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import BackupContents

_HEADINGS = (tr("Date"), tr("Last worked on"), tr("Cases"), tr("Categories"), tr("Sets"), tr("State"))
_FIGURES = (2, 3, 4)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ABOUT = tr(
    "Each backup was opened and checked just now. A restored backup replaces the case "
    "book with all its cases; the present case book is kept beside it, so nothing is "
    "lost."
)
_NONE = tr("There is no backup yet. One is made on each day on which you work.")


class BackupsDialog(OrderedDialog):
    """Every backup, newest first, with its contents; a sound one with cases can be restored."""

    restore_wanted = Signal(int)
    """Number of a backup, after confirmation."""

    def __init__(self, found: Sequence[BackupContents], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Restore case book"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._found = found
        self.table = QTableWidget(len(found), len(_HEADINGS))
        prepare_rows(self.table, tr("Backups of the case book, newest first"))
        self.table.setHorizontalHeaderLabels(_HEADINGS)
        self.table.horizontalHeader().setStretchLastSection(True)
        for row, item in enumerate(found):
            self._write(row, item)
        self.restore_button = QPushButton(tr("Restore…"))
        self.restore_button.setObjectName("primary")
        self.close_button = QPushButton(tr("Close"))
        for button in (self.restore_button, self.close_button):
            # In a dialog Enter would press one of the buttons, from wherever it is pressed.
            button.setAutoDefault(False)
        self.restore_button.clicked.connect(self._ask)
        self.close_button.clicked.connect(self.reject)
        self.table.itemSelectionChanged.connect(self._chosen_changed)
        self._lay_out()
        good = next((row for row, item in enumerate(found) if usable(item)), 0)
        self.table.setCurrentCell(good if found else -1, 0)
        self._chosen_changed()

    @property
    def chosen(self) -> BackupContents | None:
        """The chosen backup."""
        row = self.table.currentRow()
        return self._found[row] if 0 <= row < len(self._found) else None

    def _ask(self) -> None:
        item = self.chosen
        if item is None:
            return
        buttons = QMessageBox.StandardButton
        text = tr(
            "The backup of {day} ({cases}, {categories_or_notes}, {sets}) will replace the case "
            "book. Later work will then be only in the file that is kept beside it. Restore this "
            "backup?",
            day=item.backup.day.isoformat(),
            cases=trn("{n:,} case", "{n:,} cases", item.cases),
            categories_or_notes=trn("{n:,} category or note", "{n:,} categories or notes", item.marks),
            sets=trn("{n:,} set", "{n:,} sets", item.sets),
        )
        answer = QMessageBox.question(
            self, tr("Restore case book"), text, buttons.Yes | buttons.No, buttons.No
        )
        if answer == buttons.Yes:
            number = item.backup.number
            self.accept()
            self.restore_wanted.emit(number)

    def _chosen_changed(self) -> None:
        item = self.chosen
        self.restore_button.setEnabled(item is not None and usable(item))

    def _write(self, row: int, item: BackupContents) -> None:
        worked = item.changed.astimezone().strftime("%Y-%m-%d %H:%M") if item.changed is not None else ""
        texts = (
            *(item.backup.day.isoformat(), worked),
            *(number(item.cases, ","), number(item.marks, ","), number(item.sets, ",")),
            state_words(item),
        )
        for column, text in enumerate(texts):
            cell = QTableWidgetItem(text)
            cell.setToolTip(f"{text}\n{item.backup.path}")
            if column in _FIGURES:
                cell.setTextAlignment(_RIGHT)
            if not usable(item):
                cell.setForeground(self.palette().placeholderText())
            self.table.setItem(row, column, cell)

    def _lay_out(self) -> None:
        about = QLabel(_ABOUT if self._found else _NONE)
        about.setObjectName("muted")
        about.setWordWrap(True)
        wide = self.fontMetrics().horizontalAdvance
        for column in range(len(_HEADINGS) - 1):
            if column in _FIGURES and (heading := self.table.horizontalHeaderItem(column)) is not None:
                heading.setTextAlignment(_RIGHT)
            sample = "00,000 M" if column in _FIGURES else "2026-00-00 00:00"
            self.table.setColumnWidth(column, max(wide(sample), wide(_HEADINGS[column])) + 26)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.restore_button)
        column_of_all = QVBoxLayout(self)
        column_of_all.addWidget(about)
        column_of_all.addWidget(self.table, 1)
        column_of_all.addLayout(buttons)
        self.resize(self.fontMetrics().averageCharWidth() * 130, self.fontMetrics().height() * 24)


def usable(item: BackupContents) -> bool:
    """Whether a backup can replace the case book."""
    return not item.fault and item.cases > 0


def state_words(item: BackupContents) -> str:
    """Whether it is sound, and what is wrong with it."""
    if item.fault:
        return tr("can't be used: {fault}", fault=item.fault)
    if not item.cases:
        return tr("holds no case")
    return (
        tr(
            "usable, except for {damaged_rows}",
            damaged_rows=trn("{n:,} damaged row", "{n:,} damaged rows", item.faults),
        )
        if item.faults
        else tr("sound")
    )
