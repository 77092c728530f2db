"""The panel *Adapt to my library*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import Note, Progress
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.adapting.describe import (
    HEADINGS,
    kept_text,
    rows_of,
    summary,
    tip_of,
    verdict_text,
)
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.run_figures import RunFigures

if TYPE_CHECKING:
    from claimlight.types import AdaptReport, KeptModel
    from claimlight_workbench.values import Adaptation

_ABOUT = tr(
    "Trains the encoder in use on the documents of the open library, on this machine. "
    "Documents that cite others of the library are held out from the training and "
    "searched before and after; then you keep the adapted encoder or discard it. It "
    "takes from a quarter of an hour to several hours, depending on processor and "
    "library, and can be paused."
)
_ROW = 24
_STOPPED = tr("A run is paused at step {step:,} of {steps:,}. Resume continues it.")
_BEGUN = tr("A run was begun and is paused. Resume continues it.")


class AdaptingView(QWidget):
    """Buttons, the run, the comparison."""

    start_requested = Signal()
    pause_requested = Signal()
    keep_requested = Signal()
    discard_requested = Signal()
    index_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.report: AdaptReport | None = None
        self.start_button = QPushButton(tr("Adapt"))
        self.pause_button = QPushButton(tr("Pause"))
        self.keep_button = QPushButton(tr("Keep"))
        self.discard_button = QPushButton(tr("Discard…"))
        self.index_button = QPushButton(tr("Rebuild index"))
        self.run = RunFigures()
        self.verdict = QLabel("")
        self.verdict.setObjectName("title")
        self.verdict.setWordWrap(True)
        self.summary = QLabel("")
        self.summary.setObjectName("muted")
        self.summary.setWordWrap(True)
        self.table = _table()
        self.comparison = QScrollArea()
        self._lay_out()
        self.start_button.clicked.connect(self.start_requested)
        self.pause_button.clicked.connect(self._pause)
        self.keep_button.clicked.connect(self.keep_requested)
        self.discard_button.clicked.connect(self._ask_discard)
        self.index_button.clicked.connect(self.index_requested)
        self.show_nothing()

    def show_nothing(self) -> None:
        """Show a library to which nothing was adapted."""
        self.run.curve.clear()
        self._show_report(None)
        self._show_state(begun=False)
        self.run.end(_ABOUT)

    def show_known(self, found: Adaptation) -> None:
        """Show what an earlier run left."""
        self.show_nothing()
        if not found.begun:
            return
        for event in found.events:
            self.run.show_event(event)
        if found.report is not None:
            self.show_report(found.report)
            return
        self._show_state(begun=True)
        last = found.events[-1] if found.events else None
        self.run.end(_STOPPED.format(step=last.step, steps=last.steps) if last else _BEGUN)

    def show_started(self) -> None:
        """A run begins or resumes; its curve is kept."""
        if self.start_button.text() != tr("Resume"):
            self.run.curve.clear()
        self._show_report(None)
        self._show_state(running=True)
        self.run.begin(tr("Reading the library and the weights of the encoder…"))

    def show_event(self, event: object) -> None:
        """Show an event of the run."""
        self.run.show_event(event)
        if isinstance(event, (Note, Progress)):
            self.verdict.setText("")

    def show_paused(self) -> None:
        """The run is paused; what was done is kept."""
        self._show_state(begun=True)
        points = self.run.curve.points
        self.run.end(
            tr("Paused after step {points:,}. Resume continues it.", points=points[-1][0])
            if points
            else _BEGUN
        )

    def show_failed(self) -> None:
        """The message is shown elsewhere; what the run left is read again."""
        self._show_state(begun=False)
        self.run.end(_ABOUT)

    def show_report(self, report: AdaptReport) -> None:
        """Show a comparison that awaits a decision."""
        self._show_report(report)
        self._show_state(begun=True)
        self.run.end(tr("Training finished."))

    def show_kept(self, kept: KeptModel) -> None:
        """The adapted encoder is in use."""
        self.report = None
        self._show_state(begun=False)
        self.index_button.setVisible(kept.stale_index)
        self.run.end(kept_text(kept))

    def show_discarded(self) -> None:
        """Everything of the run is deleted."""
        self.show_nothing()
        self.run.end(tr("Discarded. The encoder in use is unchanged."))

    def _show_report(self, report: AdaptReport | None) -> None:
        self.report = report
        self.table.setVisible(report is not None and bool(report.figures))
        self.comparison.setVisible(report is not None)
        if report is None:
            return
        self.verdict.setText(verdict_text(report))
        self.summary.setText(summary(report))
        self.table.setRowCount(len(report.figures))
        for row, (cells, figure) in enumerate(zip(rows_of(report), report.figures, strict=True)):
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                item.setToolTip(tip_of(figure))
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{HEADINGS[column]} {text}".strip())
                self.table.setItem(row, column, item)
        frame = 2 * self.table.frameWidth() + self.table.horizontalScrollBar().sizeHint().height()
        self.table.setFixedHeight(
            self.table.horizontalHeader().sizeHint().height() + _ROW * len(report.figures) + frame
        )

    def _show_state(self, *, begun: bool = False, running: bool = False) -> None:
        waits = self.report is not None
        self.start_button.setText(tr("Resume") if begun and not waits else tr("Adapt"))
        self.start_button.setVisible(not running and not waits)
        self.pause_button.setVisible(running)
        self.pause_button.setEnabled(running)
        self.keep_button.setVisible(waits and not running)
        self.discard_button.setVisible(begun and not running)
        self.index_button.hide()

    def _pause(self) -> None:
        self.pause_button.setEnabled(False)
        self.run.state.setText(tr("Pausing after the current step…"))
        self.pause_requested.emit()

    def _ask_discard(self) -> None:
        buttons = QMessageBox.StandardButton
        text = tr("Delete the adapted encoder and its run for good? The encoder in use stays unchanged.")
        answer = QMessageBox.question(self, tr("Discard"), text, buttons.Yes | buttons.No, buttons.No)
        if answer == buttons.Yes:
            self.discard_requested.emit()

    def _lay_out(self) -> None:
        buttons = FlowLayout(spacing=design.NEAR)
        for button in (self.start_button, self.pause_button, self.keep_button, self.discard_button,
                       self.index_button):  # fmt: skip
            buttons.addWidget(button)
        told = QWidget()
        right = QVBoxLayout(told)
        right.setContentsMargins(0, 0, 0, 0)
        for widget in (self.verdict, self.table, self.summary):
            right.addWidget(widget)
        right.addStretch(1)
        # A low panel scrolls what it can't show.
        self.comparison.setWidget(told)
        self.comparison.setWidgetResizable(True)
        self.comparison.setFrameShape(QFrame.Shape.NoFrame)
        self.comparison.setAccessibleName(tr("Comparison"))
        both = QHBoxLayout()
        both.addWidget(self.run, 1)
        both.addWidget(self.comparison, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.addLayout(buttons)
        column.addLayout(both, 1)


def _table() -> QTableWidget:
    table = QTableWidget(0, len(HEADINGS))
    table.setHorizontalHeaderLabels(HEADINGS)
    # Without a heading on the screen.
    table.model().setHeaderData(
        0, Qt.Orientation.Horizontal, tr("Measure"), int(Qt.ItemDataRole.AccessibleTextRole)
    )
    prepare_rows(table, tr("Before and after"), row=_ROW)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    return table
