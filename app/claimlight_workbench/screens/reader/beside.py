"""A second reader in the place of the results, and the strips that say what is on which side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import tell, tr
from claimlight_workbench.screens.reader.beside_words import side_line, side_spoken
from claimlight_workbench.screens.reader.view import ReaderView
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.icons import IconButton
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import DateFinding, DocumentView, Mark
    from claimlight_workbench.models.desk import Left
    from claimlight_workbench.models.links import LinkBoard

LINKED_HELP = tr(
    "1 to 9 go to the best passage of a feature in both documents, and a document that "
    "is opened is shown at the feature in focus. Otherwise each document scrolls on its "
    "own."
)


class SideStrip(QFrame):
    """Above a document while two are shown."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._role = role
        self.text = ElidedLabel()
        self._line = line = QHBoxLayout(self)
        line.setContentsMargins(*design.STRIP)
        line.setSpacing(design.HAIR)
        line.addWidget(self.text, 1)

    def add_button(self, text: str, tip: str, *, checkable: bool = False) -> QToolButton:
        """A button at the right end."""
        button = QToolButton()
        button.setText(text)
        button.setToolTip(wrap_tip(tip))
        button.setAccessibleName(tip.partition(":")[0])
        button.setCheckable(checkable)
        self._line.addWidget(button)
        return button

    def add_icon(self, button: IconButton) -> IconButton:
        """A button with an icon at the right end."""
        self._line.addWidget(button)
        return button

    def show_side(
        self, view: DocumentView | None, marks: Sequence[Mark], dates: DateFinding | None, *, active: bool
    ) -> None:
        """Say what is on this side, and whether keys go to it."""
        line = side_line(self._role, view, marks, dates, active=active)
        self.text.setText(line)
        if dates is not None and dates.words:
            self.text.setToolTip(wrap_tip(f"{line}\n{tell(dates.words)}"))
        self.text.setAccessibleName(side_spoken(line, active=active))


class BesideView(QWidget):
    """The document that is kept beside the open one."""

    swap_pressed = Signal()
    closed = Signal()
    linked_changed = Signal(bool)

    def __init__(self, board: LinkBoard, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.strip = SideStrip(role)
        self.link = self.strip.add_button(
            tr("Linked"), tr("Link by feature: {linked_help}", linked_help=LINKED_HELP), checkable=True
        )
        self.link.setChecked(True)
        self.swap = self.strip.add_icon(
            IconButton("swap", tr("Swap the two documents"), command=tr("Swap the two documents"))
        )
        self.close_button = self.strip.add_icon(
            IconButton("close", tr("Close the document beside"), command=tr("Close the document beside"))
        )
        self.reader = ReaderView(board, classes=False)
        self.reader.text.setAccessibleName(tr("Text of the document beside"))
        column = QVBoxLayout(self)
        column.setContentsMargins(design.TIGHT, design.HAIR, design.HAIR, 0)
        column.setSpacing(design.HAIR)
        column.addWidget(self.strip)
        column.addWidget(self.reader, 1)
        self.link.toggled.connect(self.linked_changed)
        self.swap.clicked.connect(self.swap_pressed)
        self.close_button.clicked.connect(self.closed)

    def clear_out(self, left: Left) -> None:
        """Close the document."""
        self.reader.clear_out(left)


class Middle(QStackedWidget):
    """The middle of the window: the results, or the document beside the open one."""

    turned = Signal()

    def __init__(self, results: QWidget, beside: QWidget) -> None:
        super().__init__()
        self._results, self._beside = results, beside
        self.addWidget(results)
        self.addWidget(beside)

    @property
    def comparing(self) -> bool:
        """Whether two documents are shown."""
        return self.currentWidget() is self._beside

    def turn(self, *, comparing: bool) -> None:
        """Show the document beside, or the results."""
        if comparing != self.comparing:
            self.setCurrentWidget(self._beside if comparing else self._results)
            self.turned.emit()
