"""The dialog that shows what to check in a report, and exports it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import ReportFormat, ReportKind, StrategyFormat
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr
from claimlight_workbench.screens.report.describe import contents_text, warnings_text, written_text
from claimlight_workbench.widgets.file_names import propose_file
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from claimlight.types import Report, WrittenReport

_ABOUT = tr(
    "The report has only the documents that you gave a category, with their passages, and the passages "
    "that you confirmed: no suggestion of a search or a judge, and nothing that you rejected."
)
_KINDS = {
    ReportKind.WHOLE: tr("Search report and claim chart"),
    ReportKind.SEARCH_REPORT: tr("Search report only"),
    ReportKind.CHART: tr("Claim chart only"),
}
_FORMATS = {
    ReportFormat.DOCX: tr("Word (.docx)"),
    ReportFormat.PDF: tr("PDF (.pdf)"),
    ReportFormat.CSV: tr("Table (.csv)"),
    ReportFormat.XML: tr("WIPO ST.36 (.xml)"),
}
_POSSIBLE = {
    ReportFormat.CSV: (ReportKind.CHART, ReportKind.SEARCH_REPORT),
    ReportFormat.XML: (ReportKind.SEARCH_REPORT,),
}
"""Formats that can't hold every kind; the first one is chosen instead of another."""
_STRATEGIES = {
    StrategyFormat.DOCX: tr("Word (*.docx)"),
    StrategyFormat.PDF: tr("PDF (*.pdf)"),
    StrategyFormat.CSV: tr("CSV (*.csv)"),
    StrategyFormat.JSON: tr("JSON (*.json)"),
}
_GATHERING = tr("Gathering…")


class ReportDialog(OrderedDialog):
    """Warnings first; then what is exported, as what, and where to."""

    report_wanted = Signal(bool)
    """Whether notes and tags are included."""
    export_wanted = Signal(object, object, bool)
    """Path, `ReportKind`, and whether an existing file is replaced."""

    def __init__(self, case: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Export report"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._case = case
        self.kind = QComboBox()
        for kind, text in _KINDS.items():
            self.kind.addItem(text, kind.value)
        self.format = QComboBox()
        for written_as, text in _FORMATS.items():
            self.format.addItem(text, written_as.value)
        self.notes = QCheckBox(tr("Include notes and tags"))
        for field, name in ((self.kind, tr("What is exported")), (self.format, tr("Format"))):
            field.setAccessibleName(name)
        self.contents = make_wrapped_label(_GATHERING)
        self.count = make_wrapped_label()
        self.warnings = QListWidget()
        self.warnings.setAccessibleName(tr("Warnings"))
        self.warnings.setWordWrap(True)
        self.warnings.setAlternatingRowColors(True)
        self.warnings.setSpacing(design.HAIR)
        self.warnings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.state = make_wrapped_label()
        self.export_button = QPushButton(tr("Export…"))
        self.export_button.setObjectName("primary")
        self.export_button.setEnabled(False)
        self.close_button = QPushButton(tr("Close"))
        self._lay_out()
        self.format.currentIndexChanged.connect(self._limit_kinds)
        self.notes.toggled.connect(self.ask)
        self.export_button.clicked.connect(self.ask_file)
        self.close_button.clicked.connect(self.reject)

    @property
    def chosen_kind(self) -> ReportKind:
        """What is exported."""
        return ReportKind(self.kind.currentData())

    @property
    def chosen_format(self) -> ReportFormat:
        """What it is written as."""
        return ReportFormat(self.format.currentData())

    def ask(self) -> None:
        """Ask for the report."""
        self.contents.setText(_GATHERING)
        self.export_button.setEnabled(False)
        self.report_wanted.emit(self.notes.isChecked())

    def show_report(self, report: Report) -> None:
        """Show what is in a report and what to check."""
        self.contents.setText(contents_text(report))
        self.count.setText(warnings_text(report))
        self.warnings.clear()
        self.warnings.addItems([tell(each.text) for each in report.warnings])
        self.warnings.setVisible(bool(report.warnings))
        self.export_button.setEnabled(True)

    def show_written(self, written: WrittenReport) -> None:
        """Show where the file is."""
        self.state.setText(written_text(written))
        self.export_button.setEnabled(True)

    def show_failed(self) -> None:
        """Nothing was written, or nothing could be gathered; a box says why."""
        self.state.setText("")
        self.export_button.setEnabled(self.contents.text() != _GATHERING)

    def ask_file(self) -> None:
        """Choose the file, and export."""
        written_as, kind = self.chosen_format, self.chosen_kind
        name = "claim-chart" if kind is ReportKind.CHART else "report"
        target = _ask_file(
            self,
            tr("Export report"),
            propose_file(self._case, name, written_as.value),
            {written_as: f"{_FORMATS[written_as].partition(' (')[0]} (*.{written_as.value})"},
        )
        if target is None:
            return
        path, replace = target
        self.state.setText(tr("{path} is being written…", path=path))
        self.export_button.setEnabled(False)
        self.export_wanted.emit(path, kind, replace)

    def _limit_kinds(self) -> None:
        possible = _POSSIBLE.get(self.chosen_format, tuple(_KINDS))
        model = self.kind.model()
        assert isinstance(model, QStandardItemModel)
        for row in range(self.kind.count()):
            model.item(row).setEnabled(ReportKind(self.kind.itemData(row)) in possible)
        if self.chosen_kind not in possible:
            self.kind.setCurrentIndex(self.kind.findData(possible[0].value))

    def _lay_out(self) -> None:
        about = make_wrapped_label(_ABOUT, name="muted")
        form = QFormLayout()
        form.setHorizontalSpacing(design.APART)
        form.addRow(tr("Export"), self.kind)
        form.addRow(tr("Format"), self.format)
        form.addRow("", self.notes)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.export_button)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setSpacing(design.APART)
        for each in (about, self.contents, self.count):
            column.addWidget(each)
        column.addWidget(self.warnings, 1)
        column.addLayout(form)
        column.addWidget(self.state)
        column.addLayout(buttons)
        lines, letter = self.fontMetrics().lineSpacing(), self.fontMetrics().averageCharWidth()
        self.resize(84 * letter, 30 * lines)


def ask_strategy_file(case: str, parent: QWidget) -> tuple[Path, bool] | None:
    """Choose the file of a search strategy; its path, and whether an existing file is replaced."""
    proposed = propose_file(case, "search-strategy", StrategyFormat.DOCX.value)
    return _ask_file(parent, tr("Export search strategy"), proposed, _STRATEGIES)


def _ask_file(
    parent: QWidget, title: str, proposed: str, filters: dict[ReportFormat, str] | dict[StrategyFormat, str]
) -> tuple[Path, bool] | None:
    name, chosen = QFileDialog.getSaveFileName(parent, title, proposed, ";;".join(filters.values()))
    if not name:
        return None
    kind = next((kind for kind, text in filters.items() if text == chosen), next(iter(filters)))
    ending = Path(name).suffix.lstrip(".").lower()
    if ending in [each.value for each in filters]:
        # The file dialog has asked whether an existing file is to be replaced.
        return Path(name), Path(name).exists()
    # It has asked about another name: the file that is written must not exist.
    return Path(f"{name}.{kind.value}"), False
