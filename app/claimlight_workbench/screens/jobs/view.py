"""The jobs panel: the session's jobs, the newest first, and the log of the chosen one beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.jobs.registry import ENDED, JobRegistry, JobState, ListedJob
from claimlight_workbench.language import tr
from claimlight_workbench.screens.jobs import describe
from claimlight_workbench.widgets.empty_state import IMPORT_FILES, INDEX_DOCUMENTS, EmptyState, Missing
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.row_table import prepare_rows

TICK_MS = 1_000
"""The times of what runs are brought up to date this often, while the panel is seen."""
_COLUMNS: tuple[tuple[str, Callable[[ListedJob], str], int], ...] = (
    (tr("Job"), lambda job: job.title, 28),
    (tr("State"), describe.state_text, 13),
    (tr("Progress"), describe.progress_text, 26),
    (tr("Rate"), describe.rate_text, 17),
    (tr("Left"), describe.left_text, 8),
    (tr("Begun"), lambda job: describe.begun_text(job.begun), 10),
    (tr("Taken"), describe.taken_text, 8),
)
"""Heading, text and letters; the first takes what is left."""
_GIVING_WAY = (5, 3, 6, 4, 2)
"""Columns that are hidden one after the other where there is no room: the line of the chosen job has them."""
_Index = QModelIndex | QPersistentModelIndex


class JobTable(QAbstractTableModel):
    """A row for each job, the newest first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.jobs: tuple[ListedJob, ...] = ()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.jobs)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_COLUMNS)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return None
        return _COLUMNS[index.column()][1](self.jobs[index.row()])

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section][0]
        return None

    def show_jobs(self, jobs: Sequence[ListedJob]) -> None:
        """Show jobs, given with the newest last; rows stay where they are if the jobs are the same."""
        newest = tuple(reversed(jobs))
        if newest != self.jobs:
            self.beginResetModel()
            self.jobs = newest
            self.endResetModel()
        elif newest:
            last = self.index(len(newest) - 1, len(_COLUMNS) - 1)
            self.dataChanged.emit(self.index(0, 0), last)


class JobsView(QWidget):
    """Reads the registry that it is given, and asks a job only by the controls of its line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry: JobRegistry | None = None
        self._chosen: ListedJob | None = None
        self._log_of: tuple[int, int, str] = (0, 0, "")
        """Job, number of lines and last line of the log that is shown."""
        self.model = JobTable(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        prepare_rows(self.table, tr("Jobs of this session"))
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.viewport().installEventFilter(self)
        self.empty = EmptyState(describe.NOTHING, IMPORT_FILES, INDEX_DOCUMENTS, steps=(Missing.DOCUMENTS,))
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the job"))
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setAccessibleName(tr("Log of the job"))
        self.cancel_button = _button(tr("Cancel"), tr("Stop this job; what it has completed is kept"))
        self.pause_button = _button(tr("Pause"), tr("Stop this job until it is resumed"))
        self.resume_button = _button(tr("Resume"), tr("Continue where it was paused"))
        self.copy_button = _button(tr("Copy log"), tr("Copy the job and its log to the clipboard"))
        self.clear_button = _button(tr("Remove ended"), tr("Take the jobs off the list that have ended"))
        self._lay_out()
        self.cancel_button.clicked.connect(lambda: self._ask("cancel"))
        self.pause_button.clicked.connect(lambda: self._ask("pause"))
        self.resume_button.clicked.connect(lambda: self._ask("resume"))
        self.copy_button.clicked.connect(self.copy)
        self.clear_button.clicked.connect(self._forget_ended)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def follow(self, registry: JobRegistry) -> None:
        """Show the jobs of a registry from now on."""
        self._registry = registry
        registry.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what the registry lists."""
        jobs = self._registry.jobs if self._registry is not None else ()
        chosen = self._chosen
        self.model.show_jobs(jobs)
        if chosen not in self.model.jobs:
            chosen = self.model.jobs[0] if self.model.jobs else None
        self._chosen = chosen
        if chosen is not None and self.table.currentIndex().row() != self.model.jobs.index(chosen):
            flags = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(
                self.model.index(self.model.jobs.index(chosen), 0), flags.ClearAndSelect | flags.Rows
            )
        self.empty.set_empty(not jobs)
        self.split.setVisible(bool(jobs))
        self.clear_button.setEnabled(any(job.state in ENDED for job in jobs))
        self._show_chosen()

    def copy(self) -> None:
        """Copy the chosen job with its log."""
        if self._chosen is not None:
            QGuiApplication.clipboard().setText(describe.copied_text(self._chosen))

    def _forget_ended(self) -> None:
        if self._registry is not None:
            self._registry.forget_ended()

    def _ask(self, what: str) -> None:
        job = self._chosen
        act = getattr(job.controls, what) if job is not None else None
        if act is not None:
            act()
            self.refresh()

    def _choose(self, index: QModelIndex, _before: QModelIndex) -> None:
        if 0 <= index.row() < len(self.model.jobs):
            self._chosen = self.model.jobs[index.row()]
            self._show_chosen()

    def _tick(self) -> None:
        if any(job.state is JobState.RUNNING for job in self.model.jobs):
            self.model.show_jobs(tuple(reversed(self.model.jobs)))

    def _show_chosen(self) -> None:
        job = self._chosen
        if job is None:
            return
        self.title.setText(f"{job.title}\n{describe.figures_text(job)}")
        part = describe.share(job)
        self.bar.setVisible(job.state is JobState.RUNNING)
        self.bar.setRange(0, 1000 if part is not None else 0)
        self.bar.setValue(round(1000 * part) if part is not None else 0)
        self.cancel_button.setEnabled(job.can_cancel)
        self.pause_button.setEnabled(job.can_pause)
        self.resume_button.setEnabled(job.can_resume)
        shown = (job.number, len(job.log), job.log[-1].text if job.log else "")
        # Written again only where it has changed: the user may have selected a part of it.
        if shown != self._log_of:
            self._log_of = shown
            self.log.setPlainText(describe.log_text(job))
            self.log.verticalScrollBar().setValue(self.log.verticalScrollBar().maximum())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Give every column its room; those that say least go first where the title would be cut."""
        header, pad = self.table.horizontalHeader(), 2 * design.WIDE
        wide = [
            max(design.letters(self.table, letters), header.fontMetrics().horizontalAdvance(heading)) + pad
            for heading, _text, letters in _COLUMNS
        ]
        hidden: set[int] = set()
        for column in _GIVING_WAY:
            if sum(wide) - sum(wide[each] for each in hidden) <= self.table.viewport().width():
                break
            hidden.add(column)
        for column, width in enumerate(wide):
            header.setSectionHidden(column, column in hidden)
            if column:
                header.resizeSection(column, width)

    def _lay_out(self) -> None:
        buttons = FlowLayout()
        for each in (
            self.cancel_button,
            self.pause_button,
            self.resume_button,
            self.copy_button,
            self.clear_button,
        ):
            buttons.addWidget(each)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(design.NEAR, 0, 0, 0)
        column.addWidget(self.title)
        column.addWidget(self.bar)
        column.addLayout(buttons)
        column.addWidget(self.log, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.table)
        self.split.addWidget(side)
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(*design.PANEL)
        whole.addWidget(self.empty)
        whole.addWidget(self.split, 1)
        whole.addStretch(0)


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    return button
