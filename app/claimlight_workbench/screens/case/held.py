"""The strip that says that another window has the open case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from claimlight_workbench.values import CaseState

_STILL = tr("It is still open there.")


class HeldStrip(QWidget):
    """Always visible; its button takes the case over once the other window has closed it."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = make_wrapped_label(name="warning")
        self.button = QToolButton()
        self.button.setText(tr("Edit here"))
        self.button.setToolTip(tr("Take the case over as soon as the other window has closed it"))
        self.button.clicked.connect(self.pressed)
        frame = QFrame()
        frame.setObjectName("strip")
        line = QHBoxLayout(frame)
        line.setContentsMargins(*design.STRIP)
        line.addWidget(self.text, 1)
        line.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(design.HAIR, design.HAIR, design.HAIR, design.HAIR)
        column.addWidget(frame)
        self.hide()

    def show_case(self, state: CaseState) -> None:
        """Show who has the case; empty if this window has it."""
        self._say(state.holder)

    def show_still_held(self, holder: str) -> None:
        """The case could not be taken over."""
        self._say(holder, _STILL)

    def clear_out(self, left: Left) -> None:
        """Another case was opened."""
        if left is Left.CASE:
            self._say("")

    def _say(self, holder: str, further: str = "") -> None:
        self.text.setText(
            tr(
                "This case is open in another window ({holder}). It is read-only here: categories, "
                "notes, tags and searches are not saved. To edit it here, close the other window, or "
                "open another case in it.{further}",
                holder=holder,
                further=further,
            )
        )
        self.setVisible(bool(holder))
