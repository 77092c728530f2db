"""The panel of the classifiers: which there are, which is in use, and training one on the open library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import SCHEMES, ClassLevel, Note, Progress, Scheme
from claimlight_workbench import design
from claimlight_workbench.language import inside, number, tr
from claimlight_workbench.screens.classes.classifiers_presenter import TrainingWish
from claimlight_workbench.screens.classes.suggest_words import LEVEL_NAMES
from claimlight_workbench.screens.classes.training_words import report_text, stage_text
from claimlight_workbench.widgets.enter_tree import EnterTree
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types import ClassifierInfo, ClassifierReport

_NAME, _USED, _LEVELS, _CLASSES, _DOCUMENTS, _ABOUT = range(6)
_HEADINGS = (tr("Classifier"), tr("In use"), tr("Levels"), tr("Classes"), tr("Documents"), tr("Trained on"))
_ABOUT_TRAINING = tr(
    "A classifier belongs to one encoder. Train one on the documents of the open library "
    "that have classes: it then suggests the classes of this library, down to the levels "
    "with enough documents."
)
_EMPTY = tr("No classifier is installed. ")


class ClassifiersView(QWidget):
    """The list above, the training below."""

    use_requested = Signal(str)
    """Name of a classifier; empty for the shipped one."""
    train_requested = Signal(object)
    """`TrainingWish`."""
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._infos: tuple[ClassifierInfo, ...] = ()
        self._library = self._running = False
        self._said = ""
        self.tree = EnterTree(tr("Classifiers"), _HEADINGS, stretched=_ABOUT)
        self.tree.setRootIsDecorated(False)
        self.use_button = QPushButton(tr("Use"))
        self.scheme = QComboBox()
        name_box(self.scheme, tr("Scheme of the new classifier"))
        self.scheme.setToolTip(tr("Scheme that the new classifier suggests classes of"))
        for scheme in SCHEMES:
            self.scheme.addItem(scheme.upper(), scheme)
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("Name (default: as the library)"))
        self.name.setAccessibleName(tr("Name of the new classifier"))
        self.train_button = QPushButton(tr("Train on this library"))
        self.cancel_button = QPushButton(tr("Cancel"))
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the training"))
        self.state = make_wrapped_label(name="muted")
        self._lay_out()
        self.tree.currentItemChanged.connect(lambda *_: self._show_buttons())
        self.tree.itemActivated.connect(lambda *_: self._use())
        self.use_button.clicked.connect(self._use)
        self.train_button.clicked.connect(lambda: self.train_requested.emit(self.wish))
        self.cancel_button.clicked.connect(self._cancel)
        self.show_ended("")

    @property
    def wish(self) -> TrainingWish:
        """What is entered in the form."""
        return TrainingWish(Scheme(self.scheme.currentData()), self.name.text().strip())

    @property
    def first_focus(self) -> QWidget:
        """What takes the keys when a command goes to the panel."""
        return self.tree if self._infos else self.scheme

    @property
    def current(self) -> ClassifierInfo | None:
        """The chosen classifier."""
        row = self.tree.indexOfTopLevelItem(item) if (item := self.tree.currentItem()) is not None else -1
        return self._infos[row] if 0 <= row < len(self._infos) else None

    def show_classifiers(self, infos: tuple[ClassifierInfo, ...]) -> None:
        """Show the installed classifiers."""
        chosen = self.current.folder if self.current is not None else ""
        waiting = not self._infos and self.scheme.hasFocus()
        self._infos = infos
        self.tree.clear()
        for info in infos:
            item = _make(info)
            self.tree.addTopLevelItem(item)
            if info.folder == chosen or (not chosen and info.in_use):
                self.tree.setCurrentItem(item)
        self.tree.fit()
        self.tree.setVisible(bool(infos))
        if infos and waiting:
            # The panel was opened before its list was read.
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_buttons()
        self._show_state()

    def show_library(self, there: bool) -> None:  # noqa: FBT001 - a slot
        """Whether there is a library to train on."""
        self._library = there
        self._show_buttons()

    def show_started(self) -> None:
        """A training has begun."""
        self._running, self._said = True, tr("Reading the documents with classes…")
        self.bar.setRange(0, 0)
        self._show_buttons()
        self._show_state()

    def show_event(self, event: object) -> None:
        """Show the progress of the training."""
        if isinstance(event, Progress):
            self.bar.setRange(0, event.total)
            self.bar.setValue(event.done)
            self._said = stage_text(event)
        elif isinstance(event, Note):
            self._said = event.text
        self._show_state()

    def show_report(self, report: ClassifierReport) -> None:
        """What was trained, and how good it is."""
        self._said = report_text(report)
        self._show_state()

    def show_ended(self, how: str) -> None:
        """The training has ended."""
        self._running = False
        self._said = f"{how}." if how else ""
        self._show_buttons()
        self._show_state()

    def _use(self) -> None:
        if (info := self.current) is not None and self.use_button.isEnabled():
            self.use_requested.emit("" if info.shipped else info.name)

    def _cancel(self) -> None:
        self.cancel_button.setEnabled(False)
        self._said = tr("Cancelling…")
        self._show_state()
        self.cancel_requested.emit()

    def _show_buttons(self) -> None:
        info = self.current
        self.use_button.setVisible(bool(self._infos))
        self.use_button.setEnabled(info is not None and info.usable and not info.in_use)
        told = tr("Select a classifier first")
        if info is not None:
            told = info.fault or (
                tr("It is in use") if info.in_use else tr("Suggest classes with it from now on")
            )
        self.use_button.setToolTip(wrap_tip(told))
        for each in (self.bar, self.cancel_button):
            each.setVisible(self._running)
        self.cancel_button.setEnabled(self._running)
        self.train_button.setVisible(not self._running)
        self.scheme.setVisible(not self._running)
        self.name.setVisible(not self._running)
        self.train_button.setEnabled(self._library)
        self.train_button.setToolTip("" if self._library else tr("Open a library with documents first"))

    def _show_state(self) -> None:
        empty = "" if self._infos else _EMPTY
        self.state.setText(self._said or f"{empty}{_ABOUT_TRAINING}")

    def _lay_out(self) -> None:
        self.bar.setMaximumWidth(self.fontMetrics().averageCharWidth() * 24)
        self.name.setMinimumWidth(self.fontMetrics().horizontalAdvance(self.name.placeholderText()) + 24)
        self.tree.setMinimumHeight(self.fontMetrics().lineSpacing() * 3)
        acts = FlowLayout(spacing=design.NEAR)
        for each in (
            self.use_button,
            self.scheme,
            self.name,
            self.train_button,
            self.bar,
            self.cancel_button,
        ):
            acts.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addWidget(self.tree, 1)
        column.addLayout(acts)
        column.addWidget(self.state)
        column.addStretch(0)


def _make(info: ClassifierInfo) -> QTreeWidgetItem:
    used = tr("in use") if info.in_use else "" if info.usable else tr("other encoder")
    if info.fault and not info.model:
        used = tr("damaged")
    levels = _levels(info.levels)
    counts = [number(each, ",") if each else "" for each in (info.classes, info.documents)]
    item = QTreeWidgetItem([info.model or info.name, used, levels, *counts, info.trained_on])
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for column in (_CLASSES, _DOCUMENTS):
        item.setTextAlignment(column, right)
    size = tr("{bytes:.1f} MB", bytes=info.bytes / 1e6) if info.bytes else ""
    lines = (
        info.folder,
        size,
        tr("Licence: {licence}", licence=info.licence) if info.licence else "",
        info.fault,
    )
    tip = wrap_tip("\n".join(each for each in (info.trained_on, *lines) if each))
    for column in range(len(_HEADINGS)):
        item.setToolTip(column, tip)
    return item


def _levels(levels: tuple[ClassLevel, ...]) -> str:
    """``section to subclass``; a list where one between is missing."""
    every = tuple(LEVEL_NAMES)
    names = [inside(LEVEL_NAMES[each]) for each in levels]
    if len(levels) > 1 and every[every.index(levels[0]) :][: len(levels)] == levels:
        return tr("{names} to {names_2}", names=names[0], names_2=names[-1])
    return ", ".join(names)
