"""The strip above a document whose description is not indexed: what that means, and how to have it read."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from claimlight.services.search.cell_words import DEPTH_SIGN
from claimlight.types import IndexDepth
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.wording import DEPTH_HELP, wrap_tip

_READING = tr("Reading the description of this document… (Esc stops)")
_READ_OUT = tr(
    "Every passage that shares a word with the claim is compared; the rest of the "
    "description is not indexed yet."
)
_READ, _DONE = tr("Read its description now"), tr("Description read")


class DepthStrip(QFrame):
    """Shown while the description of the open document is not indexed."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self.sign = QLabel(DEPTH_SIGN)
        self.text = QLabel(DEPTH_HELP)
        self.text.setWordWrap(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.text.setToolTip(wrap_tip(DEPTH_HELP))
        self.button = QToolButton()
        self.button.setText(_READ)
        self.button.setToolTip(
            wrap_tip(
                tr(
                    "Read the passages of this description that share words with the claim, and compare "
                    "the features again. They stay in the index."
                )
            )
        )
        self.button.clicked.connect(self.pressed)
        # As wide for each of its names: the text keeps its lines.
        self.button.setMinimumWidth(self.button.sizeHint().width())
        self._line = line = QHBoxLayout(self)
        line.setContentsMargins(*design.STRIP)
        line.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.text, 1)
        line.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_depth(self, depth: IndexDepth, *, read_out: bool, can_read: bool) -> None:
        """How much of the document is indexed; ``can_read``: there are features to read it for."""
        self._say(_READ_OUT if read_out else DEPTH_HELP)
        # Its place stays, for the same reason.
        self.button.setVisible(can_read)
        self.button.setText(_DONE if read_out else _READ)
        self.button.setEnabled(not read_out)
        self.setVisible(depth is IndexDepth.CLAIMS)

    def show_reading(self, *, reading: bool) -> None:
        """The description is being read, or no longer."""
        self.button.setEnabled(not reading)
        self._say(_READING if reading else DEPTH_HELP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Of one height whatever it says, so that the text below stays where it is.
        margins, spacing = self.contentsMargins(), self._line.spacing()
        beside = self.sign.sizeHint().width() + self.button.minimumWidth() + 2 * spacing
        wide = event.size().width() - margins.left() - margins.right() - 2 * design.NEAR - beside
        wrapped = Qt.TextFlag.TextWordWrap
        heights = [
            self.text.fontMetrics().boundingRect(0, 0, wide, 10_000, wrapped, each).height()
            for each in (DEPTH_HELP, _READING, _READ_OUT)
        ]
        self.text.setMinimumHeight(max(heights))

    def _say(self, text: str) -> None:
        self.text.setText(text)
        self.setAccessibleName(text)
