"""The library: its contents, and the long jobs that change it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import ImportReport, Note, Progress, QuarantinedEvent
from claimlight_workbench import design
from claimlight_workbench.language import tr, trn
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.library.describe import (
    PAUSED,
    PAUSING,
    facts,
    progress_text,
    quarantined_text,
    report_text,
    run_text,
)
from claimlight_workbench.screens.library.report import ImportReportDialog
from claimlight_workbench.screens.library.strip import DOING
from claimlight_workbench.widgets.flow import FlowLayout

if TYPE_CHECKING:
    from claimlight.types import ImportRun, LibraryInfo

_PAUSE, _RESUME = tr("Pause indexing"), tr("Resume indexing")
_REST = tr("Drop patent files or folders anywhere on the window to import them.")
_KINDS = tr(
    "Patent files (*.xml *.XML *.sgm *.sgml *.txt *.json *.jsonl *.csv *.tsv *.parquet "
    "*.zip *.ZIP *.tar *.tgz *.gz *.bz2 *.xz);;All files (*)"
)
_LEAST_LINES = 5
_MOST_LINES = 1_000
"""Quarantined documents listed while a job runs; the report has all of them."""


class LibraryView(QWidget):
    """Facts, buttons, progress, report."""

    import_requested = Signal(object)
    """A list of paths."""
    index_requested = Signal()
    """The user asks what indexing takes."""
    pause_requested = Signal()
    resume_requested = Signal()
    removal_requested = Signal()
    """The user asks to remove the indexed descriptions."""
    open_requested = Signal(object)
    """A folder."""
    address_requested = Signal()
    """The user wants a shared library."""
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._form = QFormLayout()
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._form.setHorizontalSpacing(design.APART)
        self._values: dict[str, QLabel] = {}
        self.open_button = QPushButton(tr("Open library…"))
        self.address_button = QPushButton(tr("Open shared library…"))
        self.files_button = QPushButton(tr("Import files…"))
        self.folder_button = QPushButton(tr("Import folder…"))
        self.index_button = QPushButton(tr("Index…"))
        self.index_button.setToolTip(tr("See what indexing takes, limit it, and start it"))
        self.pause_button = QPushButton(_PAUSE)
        self.pause_button.setToolTip(tr("What is indexed is kept; the window may be closed meanwhile"))
        self.pause_button.hide()
        self.remove_button = QPushButton(tr("Remove indexed descriptions…"))
        self.remove_button.setToolTip(tr("Free the disk space that the indexed descriptions take"))
        self.cancel_button = QPushButton(tr("Cancel"))
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the running job"))
        self._rest = _REST
        """What is shown while no job runs; a shared library takes no files."""
        self.state = QLabel(_REST)
        self.state.setObjectName("muted")
        self.state.setWordWrap(True)
        self.report = _ShortList()
        self.report.setAccessibleName(tr("Problems and messages"))
        self.report.setWordWrap(True)
        self.report_button = QPushButton(tr("Open the report"))
        self.report_button.hide()
        self.runs = _ShortList()
        self.runs.setAccessibleName(tr("Import history"))
        self.runs.setWordWrap(True)
        self._runs: tuple[ImportRun, ...] = ()
        self._paused = False
        self._offer = False
        """An import has run whose report is not in the history yet."""
        self._lay_out()
        self.open_button.clicked.connect(self.ask_library)
        self.address_button.clicked.connect(self.address_requested)
        self.files_button.clicked.connect(self.ask_files)
        self.folder_button.clicked.connect(self.ask_folder)
        self.index_button.clicked.connect(self.index_requested)
        self.pause_button.clicked.connect(self._pause)
        self.remove_button.clicked.connect(self.removal_requested)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.report_button.clicked.connect(self.open_newest)
        self.runs.itemActivated.connect(lambda item: self.open_report(self.runs.row(item)))
        self.show_idle()

    def show_info(
        self,
        info: LibraryInfo,
        *,
        indexing: bool = False,
        can_pause: bool = False,
        paused: bool = False,
        limits: str = "",
    ) -> None:
        """Show the facts of a library; ``indexing``: this window indexes it."""
        shown = dict(facts(info, paused=paused, limits=limits))
        for name in self._values.keys() - shown.keys():
            self._form.removeRow(self._values.pop(name))
        for name, value in shown.items():
            label = self._values.get(name)
            if label is None:
                label = QLabel()
                label.setWordWrap(True)
                label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._values[name] = label
                key = QLabel(name)
                key.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                key.setObjectName("muted")
                self._form.addRow(key, label)
            label.setText(value)
            label.setAccessibleName(f"{name}: {value}")
        waiting = info.waiting
        self.index_button.setText(
            tr("Index {documents}…", documents=trn("{n:,} document", "{n:,} documents", waiting))
            if waiting
            else tr("Index…")
        )
        free = info.documents > 0 and not info.read_only
        self.index_button.setEnabled(free and not indexing)
        self.remove_button.setEnabled(free and info.full_text > 0)
        self._paused = paused
        self.pause_button.setText(_RESUME if paused else _PAUSE)
        self.pause_button.setVisible((can_pause or paused) and not info.read_only)
        if self.state.text() == self._rest:
            self.state.setText("" if info.shared is not None else _REST)
        self._rest = "" if info.shared is not None else _REST
        if paused and self.bar.isHidden():
            self.state.setText(PAUSED)

    @property
    def folder_buttons(self) -> tuple[QPushButton, ...]:
        """Those that work on the folder of a library."""
        return self.files_button, self.folder_button, self.index_button, self.remove_button

    def _pause(self) -> None:
        (self.resume_requested if self._paused else self.pause_requested).emit()

    def clear_out(self, left: Left) -> None:
        """Clear the messages about the library that is closed."""
        if left is Left.LIBRARY:
            self.report.clear()
            self.report_button.hide()
            self._offer = False
            self.show_runs(())
            if not self.bar.isVisibleTo(self):
                self.state.setText(self._rest)

    def show_runs(self, runs: tuple[ImportRun, ...]) -> None:
        """Show the import history, newest first."""
        if runs == self._runs:
            return
        self._runs = runs
        self.runs.clear()
        for run in runs:
            item = QListWidgetItem(run_text(run))
            item.setToolTip(tr("Enter opens its report\n") + "\n".join(run.paths))
            self.runs.addItem(item)
        self.runs.setCurrentRow(0)
        for each in (self._runs_heading, self.runs):
            each.setVisible(bool(runs))
        if self._offer and runs:
            self._offer = False
            self.report_button.show()

    def open_newest(self) -> None:
        """Open the report of the last import."""
        self.open_report(0)

    def open_report(self, row: int) -> ImportReportDialog | None:
        """Open the report of an import of the history."""
        if not 0 <= row < len(self._runs):
            return None
        dialog = ImportReportDialog(self._runs[row], self.window())
        dialog.show()
        return dialog

    def show_started(self, work: str) -> None:
        """A long job has begun."""
        self._offer = self._offer or work == "import"
        if work == "import":
            self.report_button.hide()
        self.report.clear()
        self.bar.setRange(0, 0)
        self.bar.show()
        # Indexing is paused, which keeps as much.
        self.cancel_button.setVisible(work != "index")
        self.state.setText(f"{DOING[work]}…")

    def show_pausing(self) -> None:
        """Indexing was asked to stop."""
        self.state.setText(PAUSING)

    def show_event(self, event: object) -> None:
        """Show an event of the job."""
        if isinstance(event, Progress):
            # Sizes may pass 2 GB: the bar counts thousandths.
            self.bar.setRange(0, 1000 if event.total else 0)
            if event.total:
                self.bar.setValue(round(1000 * event.done / event.total))
            self.state.setText(progress_text(event))
        elif isinstance(event, Note):
            self.report.addItem(event.text)
        elif isinstance(event, QuarantinedEvent) and self.report.count() < _MOST_LINES:
            self.report.addItem(tr("Quarantined: ") + quarantined_text(event.item))

    def show_ended(self, report: object) -> None:
        """The job has ended."""
        self.show_idle()
        self.state.setText(PAUSED if self._paused and report is None else report_text(report))
        if isinstance(report, ImportReport):
            self.report.clear()
            for item in report.quarantined[:_MOST_LINES]:
                self.report.addItem(tr("Quarantined: ") + quarantined_text(item))

    def show_idle(self) -> None:
        """Show that no job runs."""
        self.bar.hide()
        self.cancel_button.hide()

    def ask_files(self) -> None:
        """Choose files to import."""
        names, _ = QFileDialog.getOpenFileNames(self, tr("Import patent files"), "", _KINDS)
        if names:
            self.import_requested.emit([Path(name) for name in names])

    def ask_folder(self) -> None:
        """Choose a folder to import."""
        if name := QFileDialog.getExistingDirectory(self, tr("Import a folder of patent files")):
            self.import_requested.emit([Path(name)])

    def ask_library(self) -> None:
        """Choose a library to open."""
        if name := QFileDialog.getExistingDirectory(
            self, tr("Open a library, or an empty folder for a new one")
        ):
            self.open_requested.emit(Path(name))

    def _show_report(self) -> None:
        """An empty list gives its room to the facts above, which are cut off on a small screen."""
        for each in (self._report_heading, self.report):
            each.setVisible(self.report.count() > 0)

    def _lay_out(self) -> None:
        self._report_heading = _heading(tr("Problems and messages"), self.report)
        rows = self.report.model()
        for signal in (rows.rowsInserted, rows.rowsRemoved, rows.modelReset):
            signal.connect(self._show_report)
        self._show_report()
        buttons = FlowLayout()
        for button in (
            self.files_button,
            self.folder_button,
            self.open_button,
            self.address_button,
            self.index_button,
            self.pause_button,
            self.remove_button,
        ):
            buttons.addWidget(button)
        third = QHBoxLayout()
        third.addWidget(self.bar, 1)
        third.addWidget(self.cancel_button)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.NEAR)
        column.addLayout(self._form)
        column.addLayout(buttons)
        column.addLayout(third)
        fourth = QHBoxLayout()
        fourth.addWidget(self.state, 1)
        fourth.addWidget(self.report_button)
        column.addLayout(fourth)
        column.addWidget(self._report_heading)
        column.addWidget(self.report, 2)
        self._runs_heading = _heading(tr("Import history (Enter opens the report)"), self.runs)
        column.addWidget(self._runs_heading)
        column.addWidget(self.runs, 1)
        column.addStretch(0)
        for each in (self._runs_heading, self.runs):
            each.hide()
        # Long facts on a small screen are scrolled: without, the layout cuts their last lines off.
        area = _Scrolled(inside)
        area.setAccessibleName(tr("Library"))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)


class _ShortList(QListWidget):
    """Asks for a few lines, takes the room that is left, and scrolls by itself."""

    def sizeHint(self) -> QSize:
        """High enough for `_LEAST_LINES`."""
        return QSize(super().sizeHint().width(), design.lines(self, _LEAST_LINES))


class _Scrolled(QScrollArea):
    """Scrolls up and down, and is never narrower than what it holds."""

    def __init__(self, held: QWidget) -> None:
        super().__init__()
        self.setWidget(held)
        for each in (held, self.viewport()):
            # What is opaque counts as in front of the panel, which Tab would pass over.
            each.setAutoFillBackground(False)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().rangeChanged.connect(lambda *_: self.updateGeometry())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for room again when what it holds needs another width, as with one more button."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest button."""
        bar = self.verticalScrollBar()
        held = self.widget()
        width = 0 if held is None else held.minimumSizeHint().width()
        width += bar.sizeHint().width() if bar.maximum() else 0
        return QSize(width, super().minimumSizeHint().height())


def _heading(text: str, list_: QListWidget) -> QLabel:
    label = QLabel(text)
    label.setObjectName("muted")
    label.setWordWrap(True)
    label.setBuddy(list_)
    return label
