"""The strip above a document whose description is not indexed: what that means, and how to have it read."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from claimlight.types import IndexDepth
from claimlight_workbench.wording import DEPTH_HELP, DEPTH_SIGN, wrap_tip

_READING = "Reading the description of this document… (Esc stops; what is read is kept)"
_READ_OUT = (
    "Title, abstract, claims and every passage that shares a word with the claim are compared. The rest of "
    "the description is not indexed yet."
)
_READ = "Read its description now"


class DepthStrip(QFrame):
    """Shown while only title, abstract and claims of the open document are indexed."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self.sign = QLabel(DEPTH_SIGN)
        self.text = QLabel(DEPTH_HELP)
        self.text.setWordWrap(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.button = QToolButton()
        self.button.setText(_READ)
        self.button.setToolTip(
            wrap_tip(
                "Read the passages of this description that share words with the claim, and compare the "
                "features again. They stay in the index."
            )
        )
        self.button.clicked.connect(self.pressed)
        line = QHBoxLayout(self)
        line.setContentsMargins(8, 3, 8, 3)
        line.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.text, 1)
        line.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_depth(self, depth: IndexDepth, *, read_out: bool, can_read: bool) -> None:
        """How much of the document is indexed; ``can_read``: there are features to read it for."""
        self._say(_READ_OUT if read_out else DEPTH_HELP)
        self.button.setVisible(can_read and not read_out)
        self.button.setEnabled(True)
        self.setVisible(depth is IndexDepth.CLAIMS)

    def show_reading(self, *, reading: bool) -> None:
        """The description is being read, or no longer."""
        self.button.setEnabled(not reading)
        self._say(_READING if reading else DEPTH_HELP)

    def _say(self, text: str) -> None:
        self.text.setText(text)
        self.setAccessibleName(text)
