"""The page with the chart of classes, years, offices and applicants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.classes.statistics import statistics_table
from claimlight.services.library.counting import counts_table
from claimlight.types import SCHEMES, ClassLevel, CountBy, DocumentStatistics, Scheme
from claimlight_workbench import design
from claimlight_workbench.language import inside, tell, tr, trn
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.classes.chart import ChartList, bars_of, picture
from claimlight_workbench.screens.classes.describe import edition_name
from claimlight_workbench.screens.classes.statistics_presenter import CountWish
from claimlight_workbench.screens.classes.suggest_words import LEVEL_NAMES
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import ClassStatistics, QuerySet

    Statistics = ClassStatistics | DocumentStatistics

_LIBRARY = tr("Whole library")
_BY = {
    CountBy.CLASS: (tr("Class"), tr("a class")),
    CountBy.YEAR: (tr("Year"), tr("a publication date")),
    CountBy.OFFICE: (tr("Office"), tr("an office")),
    CountBy.APPLICANT: (tr("Applicant"), tr("an applicant")),
}
"""Heading, and what documents that count have."""
_PICTURES = tr("PNG picture (*.png);;SVG picture (*.svg)")


class StatisticsView(QWidget):
    """What is counted above, the chart below."""

    wish_changed = Signal(object)
    """`CountWish`."""
    line_wanted = Signal(str)
    export_wanted = Signal(object, object)
    """Path and contents of a file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: Statistics | None = None
        self.of = QComboBox()
        name_box(self.of, tr("Documents that are counted"))
        self.of.addItem(_LIBRARY, 0)
        self.of.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.of.setMinimumContentsLength(18)
        self.by = QComboBox()
        name_box(self.by, tr("Counted by"))
        for by, (heading, _) in _BY.items():
            self.by.addItem(tr("By {heading}", heading=inside(heading)), by)
        self.scheme = QComboBox()
        name_box(self.scheme, tr("Scheme"))
        for scheme in SCHEMES:
            self.scheme.addItem(scheme.upper(), scheme)
        self.level = QComboBox()
        name_box(self.level, tr("Level"))
        for level, name in LEVEL_NAMES.items():
            self.level.addItem(name, level)
        self.level.setCurrentIndex(self.level.findData(ClassLevel.SUBCLASS))
        self.export_button = QPushButton(tr("Export…"))
        offered = QMenu(self.export_button)
        offered.addAction(tr("Picture (PNG, SVG)…"), self.ask_picture)
        offered.addAction(tr("Table (CSV)…"), self.ask_table)
        self.export_button.setMenu(offered)
        self.state = make_wrapped_label(name="muted")
        self.chart = ChartList()
        self._lay_out()
        for each in (self.of, self.by, self.scheme, self.level):
            each.activated.connect(lambda _row: self.wish_changed.emit(self.wish))
        self.by.activated.connect(lambda _row: self._offer())
        self.chart.line_wanted.connect(self.line_wanted)
        self.show_nothing()

    @property
    def wish(self) -> CountWish:
        """What is chosen."""
        return CountWish(
            int(self.of.currentData()),
            Scheme(self.scheme.currentData()),
            ClassLevel(self.level.currentData()),
            CountBy(self.by.currentData()),
        )

    @property
    def title(self) -> str:
        """Title of the chart: what was counted."""
        if self.found is None:
            return ""
        if isinstance(self.found, DocumentStatistics):
            return tr("{of}: documents by {by}", of=self.of.currentText(), by=tell(self.found.by.value))
        level = inside(LEVEL_NAMES[self.found.level])
        return tr(
            "{of}: documents by {level}, {edition_name}",
            of=self.of.currentText(),
            level=level,
            edition_name=edition_name(self.found.edition),
        )

    def show_sets(self, sets: Sequence[QuerySet]) -> None:
        """Offer the sets of the case, the newest first."""
        chosen = self.of.currentData()
        with QSignalBlocker(self.of):
            while self.of.count() > 1:
                self.of.removeItem(1)
            for each in sorted(sets, key=lambda each: -each.number):
                self.of.addItem(
                    f"{each.label}: {trn('{n:,} document', '{n:,} documents', len(each.hits))}", each.number
                )
            self.of.setCurrentIndex(max(0, self.of.findData(chosen)))
        if self.of.currentData() != chosen:
            self.wish_changed.emit(self.wish)

    def show_statistics(self, found: Statistics) -> None:
        """Show the counts."""
        self.found = found
        if isinstance(found, DocumentStatistics):
            self._show_documents(found)
            return
        self.chart.show_bars(bars_of(found))
        scheme = found.edition.scheme.upper()
        others = (
            tr(
                " {more_classes} not listed.",
                more_classes=trn("{n:,} more class", "{n:,} more classes", found.others),
            )
            if found.others
            else ""
        )
        whole = trn("{n:,} document", "{n:,} documents", found.documents)
        told = tr(
            "{whole}, {classified:,} of them with a class of the {scheme}.",
            whole=whole,
            classified=found.classified,
            scheme=scheme,
        )
        if not found.counts:
            told = tr(
                "None of {whole} has a class of the {scheme} at this level.", whole=whole, scheme=scheme
            )
        self.state.setText(f"{told}{others}")
        self.export_button.setEnabled(bool(found.counts))

    def _show_documents(self, found: DocumentStatistics) -> None:
        heading, known = _BY[found.by]
        self.chart.show_bars(bars_of(found), heading)
        whole = trn("{n:,} document", "{n:,} documents", found.documents)
        others = tr(" {others:,} more not listed.", others=found.others) if found.others else ""
        told = tr("{whole}, {known:,} of them with {known_2}.", whole=whole, known=found.known, known_2=known)
        if not found.counts:
            told = tr("None of {whole} has {known}.", whole=whole, known=known)
        self.state.setText(f"{told}{others}")
        self.export_button.setEnabled(bool(found.counts))

    def _offer(self) -> None:
        """Scheme and level are chosen for classes only."""
        for each in (self.scheme, self.level):
            each.setVisible(self.by.currentData() == CountBy.CLASS)

    def show_nothing(self) -> None:
        """Nothing is counted."""
        self.found = None
        self.chart.show_bars(())
        self.state.setText(tr("The documents are counted as soon as a library is open."))
        self.export_button.setEnabled(False)

    def clear_out(self, left: Left) -> None:
        """The sets belong to the case that is left."""
        if left is Left.CASE:
            self.show_sets(())

    def ask_picture(self) -> None:
        """Choose the file of a picture."""
        name, kind = QFileDialog.getSaveFileName(
            self, tr("Export the chart"), f"{self._file_name}.png", _PICTURES
        )
        if name:
            self.export_picture(_with_suffix(name, ".svg" if "svg" in kind.lower() else ".png"))

    def ask_table(self) -> None:
        """Choose the file of a table."""
        name, _ = QFileDialog.getSaveFileName(
            self, tr("Export the counts"), f"{self._file_name}.csv", tr("Tables (*.csv)")
        )
        if name:
            self.export_table(_with_suffix(name, ".csv"))

    def export_picture(self, path: Path) -> None:
        """Draw the chart for a file; its suffix decides between SVG and PNG."""
        if self.found is not None:
            drawn = picture(bars_of(self.found), self.title, svg=path.suffix.lower() == ".svg")
            self.export_wanted.emit(path, drawn)

    def export_table(self, path: Path) -> None:
        """Write the counts for a file."""
        if self.found is not None:
            found = self.found
            table = counts_table(found) if isinstance(found, DocumentStatistics) else statistics_table(found)
            # With the mark at the beginning spreadsheets read the file as UTF-8.
            self.export_wanted.emit(path, table.encode("utf-8-sig"))

    @property
    def _file_name(self) -> str:
        return self.found.by.value if isinstance(self.found, DocumentStatistics) else "classes"

    def _lay_out(self) -> None:
        head = FlowLayout(spacing=design.NEAR)
        for each in (self.of, self.by, self.scheme, self.level, self.export_button):
            head.addWidget(each)
        self.chart.fit_columns()
        self.chart.setMinimumHeight(self.fontMetrics().lineSpacing() * 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.TIGHT)
        column.addLayout(head)
        column.addWidget(self.state)
        column.addWidget(self.chart, 1)


def _with_suffix(name: str, suffix: str) -> Path:
    path = Path(name)
    return path if path.suffix else path.with_suffix(suffix)
