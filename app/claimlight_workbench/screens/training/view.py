"""The panel of a training run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import TrainReport
from claimlight_workbench import design
from claimlight_workbench.language import tr, trn
from claimlight_workbench.screens.training.presenter import TrainWish
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.run_figures import RunFigures, duration

if TYPE_CHECKING:
    from claimlight.services.training.recipes import RecipeInfo
    from claimlight.types import TrainReport

_ABOUT = tr(
    "Trains an encoder on the documents of the open library by a recipe. Start from a "
    "checkpoint folder on this machine (safetensors). The folder of the run holds its "
    "states and its results."
)
_MOST_STEPS = 10_000_000
_FORM_WIDTH = 430


class TrainingView(QWidget):
    """A form on the left, the run on the right."""

    start_requested = Signal(object)
    """`TrainWish`."""
    pause_requested = Signal()
    go_on_requested = Signal()
    cancel_requested = Signal()
    add_requested = Signal(object)
    """Folder of the package that was trained, to be installed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._package = ""
        self.recipe = QComboBox()
        self.recipe.setEditable(False)
        name_box(self.recipe, tr("Recipe"))
        self.recipe.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.recipe.setMinimumContentsLength(18)
        self.about = QLabel("")
        self.about.setObjectName("muted")
        self.about.setWordWrap(True)
        self.file_button = QPushButton(tr("File…"))
        self.file_button.setAccessibleName(tr("File of the recipe…"))
        self.checkpoint = _folder(tr("Folder of the checkpoint to start from"))
        self.folder = _folder(tr("Folder of the run"))
        self.checkpoint_button, self.folder_button = QPushButton(tr("Choose…")), QPushButton(tr("Choose…"))
        self.checkpoint_button.setAccessibleName(tr("Choose the checkpoint to start from…"))
        self.folder_button.setAccessibleName(tr("Choose the folder of the run…"))
        self.steps = QSpinBox()
        self.steps.setRange(0, _MOST_STEPS)
        self.steps.setSingleStep(50)
        self.steps.setSpecialValueText(tr("as the recipe says"))
        self.steps.setAccessibleName(tr("Steps"))
        self.start_button = QPushButton(tr("Train"))
        self.pause_button = QPushButton(tr("Pause"))
        self.go_on_button = QPushButton(tr("Resume"))
        self.cancel_button = QPushButton(tr("Cancel"))
        self.add_button = QPushButton(tr("Install the package"))
        self.run = RunFigures()
        self._lay_out()
        self._wire()
        self._show_state()
        self.run.end(_ABOUT)

    @property
    def wish(self) -> TrainWish:
        """What is entered in the form."""
        recipe = self.recipe.currentData() or ""
        return TrainWish(
            recipe, self.checkpoint.text().strip(), self.folder.text().strip(), self.steps.value()
        )

    def show_recipes(self, recipes: tuple[RecipeInfo, ...]) -> None:
        """Offer these recipes."""
        chosen = self.recipe.currentData()
        self.recipe.clear()
        for item in recipes:
            self.recipe.addItem(item.name, item.name)
            self.recipe.setItemData(self.recipe.count() - 1, item.about, _ABOUT_ROLE)
        self._choose(chosen)
        self._show_state()

    def show_started(self, resumed: bool) -> None:  # noqa: FBT001 - a slot
        """A run begins or resumes."""
        if not resumed:
            self.run.curve.clear()
        self._package = ""
        self._show_state(running=True)
        self.run.begin(tr("Reading the library and the checkpoint…"))

    def show_paused(self) -> None:
        """The run is paused."""
        self._show_state(paused=True)
        self.run.end(tr("Paused{at}; its state is kept.", at=self._at()))

    def show_stopped(self) -> None:
        """The run is stopped for good."""
        self._show_state()
        self.run.end(tr("Stopped{at}. What the run saved is in its folder; Train resumes it.", at=self._at()))

    def show_failed(self) -> None:
        """The message is shown elsewhere."""
        self._show_state()
        self.run.end(_ABOUT)

    def show_report(self, report: object) -> None:
        """The run has finished."""
        if isinstance(report, TrainReport):
            self._package = report.package
            self.run.end(report_text(report))
        self._show_state()

    def choose_file(self) -> None:
        """Choose the file of a recipe."""
        name, _ = QFileDialog.getOpenFileName(self, tr("A training recipe"), "", tr("Recipes (*.toml)"))
        if name:
            self.recipe.addItem(Path(name).name, name)
            self.recipe.setCurrentIndex(self.recipe.count() - 1)

    def _at(self) -> str:
        points = self.run.curve.points
        return tr(" after step {points:,}", points=points[-1][0]) if points else ""

    def _choose(self, data: object) -> None:
        place = self.recipe.findData(data) if data else -1
        self.recipe.setCurrentIndex(max(place, 0))
        self._show_about()

    def _show_about(self) -> None:
        self.about.setText(str(self.recipe.currentData(_ABOUT_ROLE) or ""))

    def _ask_folder(self, line: QLineEdit, title: str) -> None:
        name = QFileDialog.getExistingDirectory(self, title, line.text())
        if name:
            line.setText(name)

    def _show_state(self, *, running: bool = False, paused: bool = False) -> None:
        self._running = running
        self.pause_button.setVisible(running)
        self.cancel_button.setVisible(running)
        for button in (self.pause_button, self.cancel_button):
            button.setEnabled(running)
        self.go_on_button.setVisible(paused)
        self.add_button.setVisible(bool(self._package) and not running)
        self._show_ready()

    def _show_ready(self) -> None:
        wish = self.wish
        ready = bool(wish.recipe and wish.folder) and not self._running
        self.start_button.setEnabled(ready)
        missing = "" if ready or self._running else tr("Choose a recipe and a folder for the run.")
        self.start_button.setToolTip(missing)

    def _asked(self, button: QPushButton, signal: object) -> None:
        for each in (self.pause_button, self.cancel_button):
            each.setEnabled(False)
        self.run.state.setText(tr("{button} after the current step…", button=button.text()))
        signal.emit()  # type: ignore[attr-defined]  # a bound Signal

    def _wire(self) -> None:
        self.recipe.currentIndexChanged.connect(lambda _: self._show_about())
        self.recipe.currentIndexChanged.connect(lambda _: self._show_ready())
        self.checkpoint.textChanged.connect(lambda _: self._show_ready())
        self.folder.textChanged.connect(lambda _: self._show_ready())
        self.file_button.clicked.connect(self.choose_file)
        self.checkpoint_button.clicked.connect(
            lambda: self._ask_folder(self.checkpoint, tr("Checkpoint to start from"))
        )
        self.folder_button.clicked.connect(lambda: self._ask_folder(self.folder, tr("Folder of the run")))
        self.start_button.clicked.connect(lambda: self.start_requested.emit(self.wish))
        self.pause_button.clicked.connect(lambda: self._asked(self.pause_button, self.pause_requested))
        self.cancel_button.clicked.connect(lambda: self._asked(self.cancel_button, self.cancel_requested))
        self.go_on_button.clicked.connect(self.go_on_requested)
        self.add_button.clicked.connect(lambda: self.add_requested.emit(Path(self._package)))

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow(tr("Recipe"), _line(self.recipe, self.file_button))
        form.addRow("", self.about)
        form.addRow(tr("Start from"), _line(self.checkpoint, self.checkpoint_button))
        form.addRow(tr("Run in"), _line(self.folder, self.folder_button))
        form.addRow(tr("Steps"), self.steps)
        buttons = FlowLayout(spacing=design.NEAR)
        for button in (self.start_button, self.pause_button, self.go_on_button, self.cancel_button,
                       self.add_button):  # fmt: skip
            buttons.addWidget(button)
        left = QWidget()
        left.setMaximumWidth(_FORM_WIDTH)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        column.addLayout(buttons)
        column.addStretch(1)
        both = QHBoxLayout(self)
        both.setContentsMargins(*design.PANEL)
        both.addWidget(left, 2)
        both.addWidget(self.run, 3)


_ABOUT_ROLE = 0x0100 + 1
"""Qt.UserRole + 1: what a recipe is about."""


def _folder(name: str) -> QLineEdit:
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setPlaceholderText(name)
    return line


def _line(*widgets: QWidget) -> QWidget:
    both = QWidget()
    line = QHBoxLayout(both)
    line.setContentsMargins(0, 0, 0, 0)
    for number, widget in enumerate(widgets):
        line.addWidget(widget, 1 if not number else 0)
    return both


def report_text(report: TrainReport) -> str:
    """What was trained, and where it is."""
    held = (
        tr(", on held-out documents {validation:.3f}", validation=report.validation)
        if report.validation is not None
        else ""
    )
    made = tr("The model package is in {package}.", package=report.package) if report.package else ""
    return (
        tr(
            "{recipe} trained: {steps}, {examples} in {seconds} on {device}; loss "
            "{first_loss:.3f} to {last_loss:.3f}{held}; {memory_bytes:.1f} GB. The checkpoint is "
            "in {checkpoint}. {made}",
            recipe=report.recipe,
            steps=trn("{n:,} step", "{n:,} steps", report.steps),
            examples=trn("{n:,} example", "{n:,} examples", report.examples),
            seconds=duration(report.seconds),
            device=report.device,
            first_loss=report.first_loss,
            last_loss=report.last_loss,
            held=held,
            memory_bytes=report.memory_bytes / 1e9,
            checkpoint=report.checkpoint,
            made=made,
        )
    ).strip()
