"""Strips above the results: the long job that runs, and what to do with a library without documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import DroppedDescriptions, ImportReport, Progress
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.library.describe import (
    PASSES,
    PAUSED,
    PAUSING,
    pass_text,
    progress_text,
    quarantined_summary,
    report_text,
)
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.empty_state import IMPORT_FILES, EmptyState, Offer
from claimlight_workbench.widgets.key_tips import set_tip

if TYPE_CHECKING:
    from claimlight.types import LibraryInfo

DOING = {
    "import": tr("Importing"),
    "index": tr("Indexing"),
    "remove": tr("Removing documents"),
    "drop": tr("Removing indexed descriptions"),
}
_CANCEL_TIP = tr("Stop; what has been imported or indexed is kept")
_PAUSE_TIP = tr("Pause indexing; what has been indexed is kept")
_RESUME_TIP = tr("Resume indexing where it was paused")
EMPTY = tr(
    "Drop patent files, archives or folders here, or choose them below. They are "
    "imported and indexed in the background and become searchable step by step. The "
    "original files stay where they are."
)


class WorkStrip(QWidget):
    """Progress of import and indexing, with a button to stop them; visible whatever panels are open."""

    cancel_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    details_requested = Signal()
    report_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ElidedLabel()
        self.quarantined = ElidedLabel()
        """What an import could not read; it stays while indexing follows."""
        self.quarantined.setObjectName("warning")
        self.quarantined.hide()
        self.report_button = QToolButton()
        self.report_button.setText(tr("Report"))
        self.report_button.setToolTip(tr("Open the report of the import, with the reason for each document"))
        self.report_button.hide()
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the running job"))
        self.bar.setTextVisible(False)
        self.bar.setMinimumWidth(design.letters(self, 8))
        self.bar.setMaximumWidth(design.letters(self, 22))
        self.cancel_button = QToolButton()
        self.cancel_button.setText(tr("Cancel"))
        self.cancel_button.setToolTip(_CANCEL_TIP)
        self._work = ""
        """What runs; empty if nothing does."""
        self._dismissed = False
        """The user has closed the strip while descriptions are indexed."""
        self._library = ""
        self.details_button = QToolButton()
        self.details_button.setText(tr("Details"))
        set_tip(self.details_button, tr("Open the Library panel"), command=tr("Library information"))
        self.close_button = QToolButton()
        self.close_button.setText(tr("Close"))
        self._doing = ""
        self._told = ""
        """Result of the last import, kept while indexing follows."""
        self._lay_out()
        self.cancel_button.clicked.connect(self._pressed)
        self.details_button.clicked.connect(self.details_requested)
        self.close_button.clicked.connect(self._dismiss)
        self.close_button.clicked.connect(lambda: self._show_quarantined(""))
        self.report_button.clicked.connect(self.report_requested)
        self.report_button.clicked.connect(lambda: self._show_quarantined(""))
        self.hide()

    def show_started(self, work: str, library: str) -> None:
        """A job has begun; ``library`` names the one it changes if it is not the open one."""
        self._doing = f"{DOING[work]} ({library})" if library else DOING[work]
        self._work, self._library, self._dismissed = work, library, False
        # Of another library the panel has no button to resume it.
        if work == "index" and not library:
            self._name_button(tr("Pause"), _PAUSE_TIP)
        else:
            self._name_button(tr("Cancel"), _CANCEL_TIP)
        if work != "index":
            self._told = ""
            self._show_quarantined("")
        self.bar.setRange(0, 0)
        self._say(f"{self._doing} …", running=True)

    def show_event(self, event: object) -> None:
        """Show the progress of a job."""
        if isinstance(event, Progress):
            self.bar.setRange(0, 1000 if event.total else 0)
            if event.total:
                self.bar.setValue(round(1000 * event.done / event.total))
            if event.stage in PASSES and not self._library:
                text = pass_text(event)
            else:
                text = f"{self._doing}: {progress_text(event).partition(': ')[2]}"
            self._say(text, running=True)

    def show_pausing(self) -> None:
        """Indexing was asked to stop."""
        self._say(PAUSING, running=True)
        self.cancel_button.setEnabled(False)

    def show_ended(self, report: object, library: str, *, paused: bool = False) -> None:
        """The job has ended; ``paused``: it was paused."""
        self.cancel_button.setEnabled(True)
        indexing, self._work = self._work == "index", ""
        if indexing and paused and report is None:
            self._name_button(tr("Resume"), _RESUME_TIP)
            self._say(PAUSED, running=False)
            self.cancel_button.show()
            return
        if isinstance(report, ImportReport):
            self._told = f"{report_text(report)} ({library})" if library else report_text(report)
            # The report that the button opens is that of the open library.
            self._show_quarantined("" if library else quarantined_summary(report))
        elif isinstance(report, DroppedDescriptions):
            self._told = report_text(report)
        elif report is None and self._doing != DOING["remove"]:
            self._told = report_text(None)
        self._say(self._told, running=False)
        self.setVisible(bool(self._told))

    def clear_out(self, left: Left) -> None:
        """Clear the result for the closed library; a job that still runs there stays visible."""
        if left is Left.LIBRARY and self.cancel_button.isHidden():
            self._told = ""
            self.hide()
        if left is Left.LIBRARY:
            self._show_quarantined("")

    def offer_report(self) -> None:
        """The import history was read: the newest report is that of the import which has just ended."""
        self.report_button.setVisible(bool(self.quarantined.text()))

    def _show_quarantined(self, text: str) -> None:
        self.quarantined.setText(text)
        self.quarantined.setVisible(bool(text))
        self.report_button.hide()

    def _say(self, text: str, *, running: bool) -> None:
        self.text.setText(text)
        self.bar.setVisible(running)
        self.cancel_button.setVisible(running)
        # Descriptions may take hours, and the status line says as much.
        self.close_button.setVisible(not running or self._work == "index")
        self.setVisible(not (running and self._dismissed))

    def _name_button(self, text: str, tip: str) -> None:
        self.cancel_button.setText(text)
        self.cancel_button.setToolTip(tip)

    def _pressed(self) -> None:
        if not self._work:
            self.hide()
            self.resume_requested.emit()
        elif self._work == "index" and not self._library:
            self.pause_requested.emit()
        else:
            self.cancel_requested.emit()

    def _dismiss(self) -> None:
        self._dismissed = bool(self._work)
        self.hide()

    def _lay_out(self) -> None:
        frame = QFrame()
        frame.setObjectName("strip")
        line = QHBoxLayout(frame)
        line.setContentsMargins(*design.STRIP)
        line.addWidget(self.text, 1)
        line.addWidget(self.quarantined, 1)
        for each in (
            self.report_button,
            self.bar,
            self.cancel_button,
            self.details_button,
            self.close_button,
        ):
            line.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(design.HAIR, design.HAIR, design.HAIR, design.HAIR)
        column.addWidget(frame)


class EmptyLibrary(QWidget):
    """Replaces the results while the library has no documents."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel()
        self.title.setObjectName("title")
        self.state = EmptyState(
            EMPTY,
            IMPORT_FILES,
            Offer(tr("Import folder…"), tr("Choose a folder of patent files to import into the library")),
            steps=(),
        )
        self.files_button, self.folder_button = self.state.own
        self.files_button.setObjectName("primary")
        column = QVBoxLayout(self)
        column.setContentsMargins(design.VAST, design.VAST, design.VAST, design.VAST)
        column.setSpacing(design.APART)
        column.addStretch(1)
        column.addWidget(self.title)
        column.addWidget(self.state)
        column.addStretch(2)
        self.hide()

    def show_info(self, info: LibraryInfo, name: str) -> None:
        """Show the library's name."""
        self.title.setText(tr("The library {name} has no documents yet", name=name))
        for button in (self.files_button, self.folder_button):
            button.setEnabled(not info.read_only)
