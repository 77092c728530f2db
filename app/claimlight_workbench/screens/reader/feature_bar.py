"""One button for each feature: its verdict or match strength in the document; goes there; its highlights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPalette
from PySide6.QtWidgets import QToolButton, QWidget

from claimlight.services.search.cell_words import (
    FIRST_ONLY_WORDS,
    LAMP_SIGN,
    LAMP_WORDS,
    VERDICT_SIGN,
    matrix_cell_text,
    matrix_cell_words,
    verdict_words,
)
from claimlight.types import ByHand, CellVerdict, Lamp, strength_figure
from claimlight_workbench import theme
from claimlight_workbench.language import tell, tr
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_icon, chip_width
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.wording import SUGGESTED, wrap_tip

if TYPE_CHECKING:
    from claimlight.types import Feature, FeatureEvidence
    from claimlight_workbench.models.links import LinkBoard


@dataclass(frozen=True, slots=True)
class _Shown:
    """Everything a button shows; a button with an equal state is not redrawn."""

    number: int
    label: str
    text: str
    figure: str
    state: str
    """The figure in words."""
    lamp: Lamp
    hidden: bool
    focus: bool
    pale: bool
    """The judge has read the first passages only."""
    theme: str
    font: str


class FeatureBar(QWidget):
    """Follows the board. Buttons are created once and reused for every document."""

    chosen = Signal(str)
    """A feature was clicked: go to its best passage."""

    def __init__(self, board: LinkBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._flow = FlowLayout(self, spacing=2)
        self._made: list[_FeatureButton] = []
        for signal in (
            board.document_changed,
            board.query_changed,
            board.hidden_changed,
            board.lamps_changed,
            board.cells_changed,
            board.focus_changed,
        ):
            signal.connect(self.show_features)

    @property
    def buttons(self) -> list[_FeatureButton]:
        """The buttons in use, in the order of the features."""
        return self._made[: len(self._features())]

    def show_features(self) -> None:
        """Update the buttons."""
        found = {item.feature.label: item for item in self._found()}
        features = self._features()
        while len(self._made) < len(features):
            self._add()
        for number, feature in enumerate(features, start=1):
            label = feature.label
            figure, state = self._words(label, found.get(label))
            pale = self._is_pale(label)
            if pale:
                state = f"{state}; {tell(FIRST_ONLY_WORDS)}"
            self._made[number - 1].show_feature(
                _Shown(
                    number,
                    label,
                    feature.text,
                    figure,
                    state,
                    self._board.lamps.get(label, Lamp.NONE),
                    hidden=label in self._board.hidden,
                    focus=label == self._board.focus,
                    pale=pale,
                    theme=theme.active().name,
                    font=self.font().key(),
                )
            )
        for spare in self._made[len(features) :]:
            spare.hide()
        self.updateGeometry()

    def _words(self, label: str, evidence: FeatureEvidence | None) -> tuple[str, str]:
        """Text and description of a button: what the judge says, else the match strength."""
        cell, query = self._board.cells.get(label), self._board.query
        if cell is None or query is None or (cell.ruling is None and cell.by_hand is ByHand.NONE):
            return _words(evidence)
        judge = tr("; judge {judge}", judge=cell.ruling.judge) if cell.ruling is not None else ""
        return matrix_cell_text(cell), f"{tell(matrix_cell_words(cell, query))}{judge}"

    def _is_pale(self, label: str) -> bool:
        cell = self._board.cells.get(label)
        ruled = cell is not None and cell.ruling is not None and cell.by_hand is ByHand.NONE
        return self._board.first_only and ruled

    def _features(self) -> tuple[Feature, ...]:
        return self._board.query.features if self._board.query is not None else ()

    def _found(self) -> tuple[FeatureEvidence, ...]:
        return self._board.links.evidence.features if self._board.links is not None else ()

    def _add(self) -> None:
        button = _FeatureButton(self)
        button.clicked.connect(lambda _=False: self.chosen.emit(button.label))
        button.shift_clicked.connect(lambda: self._board.toggle_feature(button.label))
        self._flow.addWidget(button)
        self._made.append(button)


class _FeatureButton(QToolButton):
    shift_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: _Shown | None = None
        self.setObjectName("feature")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setCheckable(True)

    @property
    def label(self) -> str:
        """The feature it stands for."""
        return self._shown.label if self._shown is not None else ""

    def show_feature(self, shown: _Shown) -> None:
        """Show a feature; nothing is redrawn if nothing has changed."""
        self.setVisible(True)
        self.setChecked(shown.focus)  # a click toggles it, whatever it leads to
        before, self._shown = self._shown, shown
        if shown == before:
            return
        look = (shown.label, shown.hidden, shown.theme, shown.font)
        if before is None or look != (before.label, before.hidden, before.theme, before.font):
            icon = chip_icon(shown.label, self.font(), hollow=shown.hidden, ratio=self.devicePixelRatioF())
            self.setIcon(icon)
            self.setIconSize(QSize(chip_width(chip_font(self.font()), shown.label), chip_height()))
        if before is None or (shown.pale, shown.theme) != (before.pale, before.theme):
            colours = QPalette()
            if shown.pale:
                colours.setColor(QPalette.ColorRole.ButtonText, QColor(theme.active().muted))
            self.setPalette(colours)
        state = shown.state
        self.setText(f"{shown.figure} {LAMP_SIGN[shown.lamp]}" if shown.lamp in LAMP_SIGN else shown.figure)
        warning = f"{tell(LAMP_WORDS[shown.lamp])}, " if shown.lamp in LAMP_WORDS else ""
        marks = (
            tr("{warning}highlights off", warning=warning)
            if shown.hidden
            else tr("{warning}highlights on", warning=warning)
        )
        here = tr(", the evidence shows this feature only") if shown.focus else ""
        number = shown.number
        keys = tr(" ({number}; Shift+{number} highlights on or off)", number=number) if number <= 9 else ""
        self.setAccessibleName(f"{shown.label}: {state}, {marks}{here}")
        self.setToolTip(wrap_tip(f"{shown.label} {shown.text}\n{state}, {marks}{here}{keys}"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            # The button must not see the click: it would be checked, and its feature gone to.
            self.shift_clicked.emit()
            return
        super().mousePressEvent(event)


def _words(evidence: FeatureEvidence | None) -> tuple[str, str]:
    """Text and description of a button."""
    if evidence is None:
        return VERDICT_SIGN[CellVerdict.NONE], tr("no document")
    verdict, said = evidence.verdict, tell(verdict_words(evidence.verdict, evidence.cause))
    if not evidence.passages:
        return VERDICT_SIGN[verdict], said
    figure = strength_figure(evidence.strength)
    sign = "" if verdict in SUGGESTED else VERDICT_SIGN[verdict]
    return f"{sign}{figure}", tr(
        "match strength {figure} ({said}), best passage {label}",
        figure=figure,
        said=said,
        label=tell(evidence.passages[0].label),
    )
