"""A block that folds to one line: a button, the line, and what it opens to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.widgets.elided import ElidedLabel


class FoldingBlock(QWidget):
    """What it holds is put into `area` by those who know; it takes no more height than that needs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.toggle = QToolButton()
        self.toggle.setObjectName("words")
        self.toggle.setCheckable(True)
        self.line = ElidedLabel()
        self.line.setObjectName("muted")
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        head = QHBoxLayout()
        head.setSpacing(design.TIGHT)
        head.addWidget(self.toggle)
        head.addWidget(self.line, 1)
        head.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.HAIR)
        column.addLayout(head)
        column.addWidget(self.area)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.area.hide()
