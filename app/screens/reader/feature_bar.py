"""One button for each feature: how far the best passage covers it; jumps there; switches its marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QToolButton, QWidget

from app.models.lamps import LAMP_SIGN, LAMP_WORDS
from app.widgets.chips import CHIP_HEIGHT, chip_font, chip_icon, chip_width
from app.widgets.flow import FlowLayout
from core.types import Lamp

if TYPE_CHECKING:
    from app.models.links import LinkBoard
    from core.types import FeatureEvidence


class FeatureBar(QWidget):
    """Follows the board."""

    chosen = Signal(str)
    """A feature was clicked: go to its best passage."""

    def __init__(self, board: LinkBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._flow = FlowLayout(self, spacing=2)
        self.buttons: list[QToolButton] = []
        for signal in (
            board.document_changed,
            board.query_changed,
            board.hidden_changed,
            board.lamps_changed,
        ):
            signal.connect(self.show_features)

    def show_features(self) -> None:
        """Build the row again."""
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.buttons.clear()
        found = {item.feature.label: item for item in self._found()}
        query = self._board.query
        for number, feature in enumerate(query.features if query is not None else (), start=1):
            self._add(number, feature.label, feature.text, found.get(feature.label))
        self.updateGeometry()

    def _found(self) -> tuple[FeatureEvidence, ...]:
        return self._board.links.evidence.features if self._board.links is not None else ()

    def _add(self, number: int, label: str, text: str, evidence: FeatureEvidence | None) -> None:
        hidden = label in self._board.hidden
        button = _FeatureButton()
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(chip_icon(label, self.font(), hollow=hidden, ratio=self.devicePixelRatioF()))
        button.setIconSize(QSize(chip_width(chip_font(self.font()), label), CHIP_HEIGHT))
        button.setObjectName("feature")
        nothing = evidence is not None and not evidence.passages
        share = "–" if evidence is None or nothing else f"{evidence.coverage:.0%}"
        lamp = self._board.lamps.get(label, Lamp.NONE)
        button.setText(f"{share} {LAMP_SIGN[lamp]}" if lamp in LAMP_SIGN else share)
        if nothing:
            state = "nothing found"
        elif evidence is None:
            state = "no document"
        else:
            state = f"best passage {evidence.passages[0].label} covers {evidence.coverage:.0%}"
        warning = f"{LAMP_WORDS[lamp]}, " if lamp in LAMP_WORDS else ""
        marks = f"{warning}marks off" if hidden else f"{warning}marks on"
        button.setAccessibleName(f"{label}: {state}, {marks}")
        keys = f" ({number}; Shift+{number} marks on or off)" if number <= 9 else ""
        button.setToolTip(f"{label} {text}\n{state}, {marks}{keys}")
        button.clicked.connect(lambda _=False: self.chosen.emit(label))
        button.shift_clicked.connect(lambda: self._board.toggle_feature(label))
        self._flow.addWidget(button)
        button.show()
        self.buttons.append(button)


class _FeatureButton(QToolButton):
    shift_clicked = Signal()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.shift_clicked.emit()
            return
        super().mousePressEvent(event)
