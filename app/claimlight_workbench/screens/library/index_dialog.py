"""The dialog that says what indexing will take, and limits it, before it begins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tr, trn
from claimlight_workbench.screens.library.choice import IndexChoice
from claimlight_workbench.screens.library.describe import estimate_text
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import rename
from claimlight_workbench.wording import index_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import IndexEstimate, LibraryInfo, QuerySet

ASK_AFTER_MS = 600
"""The estimate follows what is typed, and not every letter of it."""
_ABOUT = tr(
    "Titles, abstracts and claims of all documents come first: then every document is "
    "found by every ranker. Descriptions follow, those first that your searches found. "
    "You can work meanwhile, and pause."
)
_DEPTHS = (tr("Claims and descriptions"), tr("Titles, abstracts and claims only"))
_ESTIMATING = tr("Estimating…")
_ALL = tr("all documents")


class IndexDialog(OrderedDialog):
    """Asks for an estimate of each choice; the choice that is started is the one that was estimated."""

    estimate_wanted = Signal(object)
    """`IndexChoice`."""
    start_wanted = Signal(object)
    """`IndexChoice`."""

    def __init__(
        self,
        info: LibraryInfo,
        case: int,
        sets: Sequence[QuerySet],
        parent: QWidget | None = None,
        *,
        limits: str = "",
    ) -> None:
        """``limits``: those within which imports are indexed now, in words."""
        super().__init__(parent)
        self.setWindowTitle(tr("Index"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._case = case
        self.what = QComboBox()
        self.what.addItems(_DEPTHS)
        self.sets = QComboBox()
        self.sets.addItem(_ALL, "")
        for item in reversed(sets):
            self.sets.addItem(
                f"{item.label}  ·  {trn('{n:,} document', '{n:,} documents', len(item.hits))}", item.label
            )
        self.classes = QLineEdit()
        self.classes.setPlaceholderText(tr("all, or such as H04L, G06F 40/00"))
        self.published = QLineEdit()
        self.published.setPlaceholderText(tr("any day, or such as 2010..2012"))
        for field, name in (
            (self.what, tr("What is indexed")),
            (self.sets, tr("Descriptions of documents of a set")),
            (self.classes, tr("Descriptions of documents of these classes")),
            (self.published, tr("Descriptions of documents published then")),
        ):
            field.setAccessibleName(name)
        now = (
            tr(" What you import is indexed within the last limits: {limits}.", limits=limits)
            if limits
            else ""
        )
        self.state = QLabel(
            f"{trn('{n:,} document', '{n:,} documents', info.documents)}; {index_words(info)}.{now}"
        )
        self.state.setWordWrap(True)
        self.estimate = QLabel(_ESTIMATING)
        self.estimate.setWordWrap(True)
        self.start_button = QPushButton(tr("Start indexing"))
        self.start_button.setObjectName("primary")
        self.close_button = QPushButton(tr("Close"))
        for button in (self.start_button, self.close_button):
            # Enter in a field takes the field, and starts nothing.
            button.setAutoDefault(False)
        self._asking = QTimer(self)
        self._asking.setSingleShot(True)
        self._asking.setInterval(ASK_AFTER_MS)
        self._asking.timeout.connect(self._ask)
        self._lay_out()
        self.what.currentIndexChanged.connect(self._changed)
        self.sets.currentIndexChanged.connect(self._changed)
        self.classes.textChanged.connect(self._changed)
        self.published.textChanged.connect(self._changed)
        self.start_button.clicked.connect(self._start)
        self.close_button.clicked.connect(self.reject)
        self.finished.connect(self._asking.stop)

    @property
    def choice(self) -> IndexChoice:
        """What is chosen."""
        if self.what.currentIndex():
            return IndexChoice(descriptions=False)
        label = self.sets.currentData()
        return IndexChoice(
            case=self._case,
            sets=(label,) if label else (),
            classes=tuple(filter(None, (each.strip() for each in re.split(r"[,;]", self.classes.text())))),
            published=self.published.text().strip(),
        )

    def ask(self) -> None:
        """Ask for the estimate of what is chosen."""
        self._asking.stop()
        self._ask()

    def show_estimate(self, found: IndexEstimate) -> None:
        """Show what it will take."""
        self.estimate.setText(estimate_text(found, descriptions=self.choice.descriptions))
        rename(self.estimate, "" if found.enough_space else "warning")

    def show_fault(self, error: Exception) -> None:
        """The choice can't be indexed, or nothing could be estimated."""
        # As the command line says it, without what is about the command line.
        text = re.sub(r"^--[a-z-]+: | `claimlight index --help` shows the options\.$", "", str(error))
        self.estimate.setText(text)
        rename(self.estimate, "warning")

    def _ask(self) -> None:
        self.estimate.setText(_ESTIMATING)
        rename(self.estimate, "")
        self.estimate_wanted.emit(self.choice)

    def _changed(self) -> None:
        whole = not self.what.currentIndex()
        for field in (self.sets, self.classes, self.published):
            field.setEnabled(whole)
        self.estimate.setText(_ESTIMATING)
        self._asking.start()

    def _start(self) -> None:
        choice = self.choice
        self.accept()
        self.start_wanted.emit(choice)

    def _lay_out(self) -> None:
        about = QLabel(_ABOUT)
        about.setObjectName("muted")
        about.setWordWrap(True)
        form = QFormLayout()
        form.setHorizontalSpacing(design.APART)
        form.addRow(tr("Index"), self.what)
        form.addRow(tr("Descriptions of"), self.sets)
        form.addRow(tr("Only of classes"), self.classes)
        form.addRow(tr("Only published"), self.published)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.start_button)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setSpacing(design.APART)
        for each in (self.state, about):
            column.addWidget(each)
        column.addLayout(form)
        column.addWidget(self.estimate)
        column.addStretch(1)
        column.addLayout(buttons)
        lines, letter = self.fontMetrics().lineSpacing(), self.fontMetrics().averageCharWidth()
        # Room for the longest estimate, so that the dialog does not grow under the hand.
        self.estimate.setMinimumHeight(6 * lines)
        self.estimate.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.resize(78 * letter, 24 * lines)
