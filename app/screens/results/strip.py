"""The strip above the results of a residual search: which document, what it lacks, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QToolButton, QVBoxLayout, QWidget

from app.models.columns import printed_publication
from app.widgets.elided import ElidedLabel

if TYPE_CHECKING:
    from app.models.desk import Left
    from core.types import Query


class ResidualStrip(QWidget):
    """Shown as long as the results below answer it."""

    back_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel()
        self.title.setObjectName("title")
        self.asked = ElidedLabel()
        self.back = QToolButton()
        self.back.clicked.connect(self.back_pressed)
        frame = QFrame()
        frame.setObjectName("strip")
        grid = QGridLayout(frame)
        grid.setContentsMargins(8, 5, 8, 5)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.title, 0, 0)
        grid.addWidget(self.asked, 1, 0)
        grid.addWidget(self.back, 0, 1, 2, 1)
        grid.setColumnStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 2, 2, 2)
        column.addWidget(frame)
        self.hide()

    def show_lacking(self, publication: str, labels: tuple[str, ...], query: Query) -> None:
        """What is asked for: the features that a document lacks, and nothing else."""
        texts = {feature.label: " ".join(feature.text.split()) for feature in query.features}
        name = printed_publication(publication)
        self.title.setText(f"Residual search: what {name} lacks, over the whole library")
        self.asked.setText(
            "Asks only for  " + "  ·  ".join(f"{each} {texts.get(each, '')}" for each in labels)
        )
        self._show("Back", "Back to the results before (Backspace)")

    def show_complete(self, publication: str) -> None:
        """A document that lacks nothing: nothing was searched."""
        self.title.setText(f"{printed_publication(publication)} covers every feature")
        self.asked.setText(
            "There is nothing left to search for; what covers it is a candidate until you have read it."
        )
        self._show("Close", "Close this line (Backspace)")

    def clear_out(self, _left: Left) -> None:
        """Nothing is answered any more."""
        self.hide()

    def _show(self, button: str, tip: str) -> None:
        self.back.setText(button)
        self.back.setToolTip(tip)
        self.back.setAccessibleName(tip)
        self.show()
