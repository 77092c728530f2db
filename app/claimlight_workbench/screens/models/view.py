"""The panel of the model packages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHeaderView,
    QLabel,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import Note, Progress
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.models.describe import can_remove, can_use, check_text, licence_of, tip_of
from claimlight_workbench.screens.models.judge_box import JudgeBox
from claimlight_workbench.screens.models.model import ModelTable
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.row_table import prepare_rows

if TYPE_CHECKING:
    from claimlight.services.models.models import ModelInfo
    from claimlight_workbench.jobs.process import PackageCheck

_ABOUT = tr(
    "The encoders of this machine. Enter uses the chosen one for searches and indexes; "
    "an index built with another model must then be rebuilt. Add a package by its folder "
    "or zip with the buttons, or drop it here. Nothing is downloaded."
)
_ROOM = 8


class ModelsView(QWidget):
    """A table of packages, and actions on the chosen one."""

    use_requested = Signal(str)
    check_requested = Signal(str)
    add_requested = Signal(object, bool)
    """Folder or file, and whether its licence is accepted."""
    accept_requested = Signal(str)
    remove_requested = Signal(str, bool)
    """Name, and whether it is the one in use."""
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)
        self._fault = ""
        """What is wrong with the chosen package, if it can't be used."""
        self._busy = False
        self.model = ModelTable(self)
        self.table = _Packages(self.model)
        self.use_button = QPushButton(tr("Use"))
        self.check_button = QPushButton(tr("Check"))
        self.add_button = QPushButton(tr("Add folder…"))
        self.archive_button = QPushButton(tr("Add zip…"))
        self.accept_button = QPushButton(tr("Licence…"))
        self.remove_button = QPushButton(tr("Remove…"))
        self.cancel_button = QPushButton(tr("Cancel"))
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the job"))
        self.bar.setRange(0, 0)
        self.judge = JudgeBox()
        self.state = QLabel(_ABOUT)
        self.state.setObjectName("muted")
        self.state.setWordWrap(True)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lay_out()
        self._wire()
        self.show_ended("")

    @property
    def chosen(self) -> ModelInfo | None:
        """The package that is chosen."""
        row = self.table.currentIndex().row()
        return self.model.models[row] if 0 <= row < len(self.model.models) else None

    def show_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Show the packages; the selection stays, at first on the package in use."""
        chosen = self.chosen
        used = next((info.name for info in models if info.in_use), "")
        self.model.show(models)
        row = self.model.row_of(chosen.name) if chosen is not None else -1
        row = row if row >= 0 else self.model.row_of(used)
        if row >= 0:
            self.table.selectRow(row)
        self.table.resizeColumnsToContents()
        for column in range(self.model.columnCount() - 1):
            self.table.setColumnWidth(column, self.table.columnWidth(column) + _ROOM)
        self._show_choice()

    def show_started(self, text: str) -> None:
        """A job begins."""
        self._busy = True
        self.bar.setRange(0, 0)
        self.bar.show()
        self.cancel_button.show()
        self._show_choice()
        self.state.setText(text)

    def show_event(self, event: object) -> None:
        """Show an event of the job."""
        if isinstance(event, Progress):
            self.bar.setRange(0, event.total)
            self.bar.setValue(event.done)
        elif isinstance(event, Note):
            self.state.setText(event.text)

    def show_ended(self, how: str) -> None:
        """The job has ended."""
        self._busy = False
        self.bar.hide()
        self.cancel_button.hide()
        self._show_choice()
        self.state.setText(f"{how}." if how else _ABOUT)

    def show_check(self, found: PackageCheck) -> None:
        """Show the result of a check."""
        self.state.setText(check_text(found))

    def ask_folder(self) -> None:
        """Choose the folder of a package or a checkpoint."""
        name = QFileDialog.getExistingDirectory(self, tr("Add a model package or a checkpoint"))
        if name:
            self._add(Path(name))

    def ask_archive(self) -> None:
        """Choose the zip of a package."""
        name, _ = QFileDialog.getOpenFileName(self, tr("Add a model package"), "", tr("Archives (*.zip)"))
        if name:
            self._add(Path(name))

    def ask_licence(self, path: Path, text: str) -> None:
        """Ask whether to accept the licence of what is being added."""
        if self._agreed(tr("Licence of a model"), tr("{words}\n\nDo you accept it?", words=text)):
            self.add_requested.emit(path, True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(event.mimeData().urls()) == 1 and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = Path(event.mimeData().urls()[0].toLocalFile())
        event.acceptProposedAction()
        self._add(path)

    def _add(self, path: Path) -> None:
        self.add_requested.emit(path, False)

    def _use(self) -> None:
        info = self.chosen
        if info is not None and can_use(info) and not self._busy:
            self.use_requested.emit(info.name)

    def _check(self) -> None:
        if self.chosen is not None:
            self.check_requested.emit(self.chosen.name)

    def _accept(self) -> None:
        info = self.chosen
        if info is None:
            return
        text = tr(
            "{name} is licensed under {licence_of}. Read the licence where the model comes "
            "from:\n\n{source}\n\nDo you accept it?",
            name=info.name,
            licence_of=licence_of(info),
            source=info.source,
        )
        if self._agreed(tr("Licence of a model"), text):
            self.accept_requested.emit(info.name)

    def _remove(self) -> None:
        info = self.chosen
        if info is None:
            return
        used = (
            tr(" It is in use; the package that comes with the program will replace it.")
            if info.in_use
            else ""
        )
        if self._agreed(
            tr("Remove a model"),
            tr("Remove {name} from this machine for good?{used}", name=info.name, used=used),
        ):
            self.remove_requested.emit(info.name, info.in_use)

    def _agreed(self, title: str, text: str) -> bool:
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(self, title, text, buttons.Yes | buttons.No, buttons.No)
        return answer == buttons.Yes

    def _tell_fault(self) -> None:
        """The column has no room for the fault, and a tool tip needs a mouse."""
        info, before = self.chosen, self._fault
        self._fault = tip_of(info) if info is not None and info.fault else ""
        if not self._busy and (self._fault or self.state.text() == before):
            self.state.setText(self._fault or _ABOUT)

    def _show_choice(self) -> None:
        info, free = self.chosen, not self._busy
        self.use_button.setEnabled(free and info is not None and can_use(info))
        self.check_button.setEnabled(free and info is not None)
        self.remove_button.setEnabled(free and info is not None and can_remove(info))
        self.accept_button.setEnabled(free and info is not None and not info.accepted and not info.fault)
        self.add_button.setEnabled(free)
        self.archive_button.setEnabled(free)

    def _wire(self) -> None:
        self.table.entered_row.connect(self._use)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_choice())
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._tell_fault())
        self.use_button.clicked.connect(self._use)
        self.check_button.clicked.connect(self._check)
        self.add_button.clicked.connect(self.ask_folder)
        self.archive_button.clicked.connect(self.ask_archive)
        self.accept_button.clicked.connect(self._accept)
        self.remove_button.clicked.connect(self._remove)
        self.cancel_button.clicked.connect(self.cancel_requested)

    def _lay_out(self) -> None:
        buttons = FlowLayout(spacing=_ROOM)
        for button in (self.use_button, self.check_button, self.add_button, self.archive_button,
                       self.accept_button, self.remove_button, self.bar, self.cancel_button):  # fmt: skip
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.addLayout(buttons)
        column.addWidget(self.state)
        column.addWidget(self.table, 1)
        column.addWidget(self.judge)


class _Packages(QTableView):
    """Whole rows; Enter uses the selected one, a click only selects."""

    entered_row = Signal()

    def __init__(self, model: ModelTable) -> None:
        super().__init__()
        self.setModel(model)
        prepare_rows(self, tr("Model packages"))
        self.horizontalHeader().setSectionResizeMode(model.columnCount() - 1, QHeaderView.ResizeMode.Stretch)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.entered_row.emit()
        else:
            super().keyPressEvent(event)
