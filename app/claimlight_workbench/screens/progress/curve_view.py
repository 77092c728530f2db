"""The coverage curve of the panel *Progress*: drawn, as a table, and exported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from claimlight.services.stopping import words
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr
from claimlight_workbench.screens.progress.curve_table import CurveTable
from claimlight_workbench.widgets.enter_table import EnterTable
from claimlight_workbench.widgets.reading_curve import ReadingCurve
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from claimlight.types import CoverageCurve

_FILES = tr("PNG picture (*.png);;SVG picture (*.svg);;Table (*.csv)")
_NOTHING = tr(
    "After each document that you read, the curve shows how many features of the claim have a passage: "
    "where it stays level, reading brought nothing new."
)


class CurveView(QWidget):
    """Curve or table of the same documents; Enter or a click in the table opens one."""

    opened = Signal(str)
    """Publication of a document."""
    export_wanted = Signal(object, object)
    """Path, and a function that gives the contents of the file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.told = make_wrapped_label(name="muted")
        self.drawn = ReadingCurve()
        self.model = CurveTable()
        self.table = EnterTable(tr("Documents of the coverage curve"))
        self.table.setModel(self.model)
        prepare_rows(self.table, tr("Documents of the coverage curve"))
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table_button = QPushButton(tr("Table"))
        self.table_button.setCheckable(True)
        self.table_button.setToolTip(tr("List the documents with the figures of the curve"))
        self.more_button = QPushButton(tr("More"))
        offered = QMenu(self.more_button)
        self.relevant = offered.addAction(tr("Relevant documents"))
        self.relevant.setCheckable(True)
        self.relevant.setChecked(True)
        offered.addAction(tr("Export…"), self.ask_export)
        self.more_button.setMenu(offered)
        self.stack = QStackedWidget()
        self._lay_out()
        self.relevant.toggled.connect(self.drawn.show_relevant)
        self.table_button.toggled.connect(self.stack.setCurrentIndex)
        self.table.opened.connect(self._open_row)
        self.show_curve(None)

    def show_curve(self, found: CoverageCurve | None) -> None:
        """Show a curve; None: no case is open."""
        told = [tell(each) for each in words.describe_curve(found)] if found is not None else []
        # The others as its tool tip: the panel is low, and the curve shows the same.
        self.told.setText(told[0] if told else _NOTHING)
        self.told.setToolTip(wrap_tip("\n".join(told)))
        self.drawn.show_curve(found, told)
        self.model.show_curve(found)
        for column, sample in enumerate(("0,000", "US 2013/0210636 A1")):
            self.table.setColumnWidth(column, self.fontMetrics().horizontalAdvance(f"{sample} mm"))
        for column in range(2, 5):
            heading = str(self.model.headerData(column, Qt.Orientation.Horizontal))
            self.table.setColumnWidth(column, self.fontMetrics().horizontalAdvance(f"{heading} mm"))
        there = self.drawn.found is not None
        for each in (self.table_button, self.more_button):
            each.setEnabled(there)

    def ask_export(self) -> None:
        """Choose the file of a picture or table."""
        name, kind = QFileDialog.getSaveFileName(self, tr("Export the coverage curve"), "curve.png", _FILES)
        if name:
            path = Path(name)
            suffix = next((each for each in (".svg", ".csv") if each in kind), ".png")
            self.export(path if path.suffix else path.with_suffix(suffix))

    def export(self, path: Path) -> None:
        """Write the curve for a file; its suffix decides between PNG, SVG and CSV."""
        if (found := self.drawn.found) is not None:
            self.export_wanted.emit(path, self._writer(found, path.suffix.lower()))

    def _writer(self, found: CoverageCurve, suffix: str) -> Callable[[], bytes]:
        if suffix == ".csv":
            return lambda: _table(found)
        # Drawn here: fonts belong to the window.
        drawn = self.drawn.picture(self.told.text(), svg=suffix == ".svg")
        return lambda: drawn

    def _open_row(self, index: QModelIndex) -> None:
        self.opened.emit(self.model.publication(index.row()))

    def _lay_out(self) -> None:
        self.stack.addWidget(self.drawn)
        self.stack.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.TIGHT)
        column.addWidget(self.told)
        column.addWidget(self.stack, 1)


def _table(found: CoverageCurve) -> bytes:
    """As CSV; with the mark at the beginning spreadsheets read the file as UTF-8."""
    from claimlight.services.stopping.curves import curve_table

    return curve_table(found).encode("utf-8-sig")
