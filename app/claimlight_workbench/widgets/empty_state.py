"""What an empty panel shows: one sentence about what it is for, and a button for the next step."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableView,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import english, tr
from claimlight_workbench.widgets.key_tips import set_tip, show_keys
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from PySide6.QtGui import QAction


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that a button triggers."""

    command: str
    """As in the menu."""
    tip: str
    label: str = ""
    """What is on the button, if not the name of the command."""


class Missing(StrEnum):
    """What comes before everything that a panel itself could offer, first things first."""

    DOCUMENTS = "documents"
    CLAIM = "claim"
    SEARCH = "search"


IMPORT_FILES = Offer(tr("Import files…"), tr("Choose patent files to import into the library"))
INDEX_DOCUMENTS = Offer(
    tr("Index new documents"),
    tr("Index the documents of the library that are not indexed yet"),
)
SEARCH_CLAIM = Offer(tr("Search claim"), tr("Search the library for the claim"))
_STEPS = {
    Missing.DOCUMENTS: IMPORT_FILES,
    Missing.CLAIM: Offer(
        tr("New case…"),
        tr("Enter the claims of an application, or open its file"),
        tr("Enter claims…"),
    ),
    Missing.SEARCH: SEARCH_CLAIM,
}
GO_TO_RESULTS = Offer(tr("Go to results"), tr("Choose a document in the results"))
EDIT_FEATURES = Offer(tr("Edit features"), tr("Go to the features of the claim"))


class EmptyState(QWidget):
    """Offers what is missing first, and the commands of its panel if nothing is."""

    def __init__(
        self,
        text: str,
        *own: Offer,
        over: QAbstractScrollArea | None = None,
        steps: Collection[Missing] = tuple(Missing),
    ) -> None:
        """``over``: the list or text whose area it fills; ``steps``: what it offers if that is missing.

        A panel that is about no claim offers no search.
        Without ``text`` it is a button alone, below a sentence that the panel has anyway.
        """
        super().__init__()
        self.text = make_wrapped_label(text)
        self.text.setVisible(bool(text))
        self._steps = steps
        self._step = QPushButton() if steps else None
        """One button for every step that may be missing."""
        self._offer = _STEPS[Missing.DOCUMENTS]
        self._actions: Mapping[str, QAction] = {}
        self.own = tuple(_button(each) for each in own)
        """Buttons of the panel's own commands."""
        self._over = over
        line = QHBoxLayout()
        for button in self._buttons():
            line.addWidget(button)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setSpacing(design.APART)
        margin = design.APART if over is not None else 0
        column.setContentsMargins(margin, margin, margin, margin)
        column.addWidget(self.text)
        column.addLayout(line)
        self.show_step(None)
        if over is not None:
            column.addStretch(1)
            # Over a text, the pointer would be that to select words.
            self.setCursor(Qt.CursorShape.ArrowCursor)
            area = QVBoxLayout(over.viewport())
            area.setContentsMargins(0, 0, 0, 0)
            area.addWidget(self)
            self.set_empty(True)

    def show_step(self, missing: Missing | None) -> None:
        """Offer what is missing; None: the commands of the panel."""
        stepping = missing is not None and missing in self._steps and self._step is not None
        if missing is not None and self._step is not None and stepping:
            self._offer = _STEPS[missing]
            self._step.setText(self._offer.label or self._offer.command)
            self._tell_keys()
        for button in self._buttons():
            button.setVisible(stepping is (button is self._step))

    def set_empty(self, empty: bool) -> None:  # noqa: FBT001 - a state
        """Show it, without the headings of the list whose area it fills, or take it away."""
        self.setVisible(empty)
        header = _header(self._over)
        if header is not None:
            header.setVisible(not empty)

    def follow(self, actions: Mapping[str, QAction]) -> None:
        """Have the buttons trigger their commands; ``actions``: by their English names."""
        for button in self.own:
            button.clicked.connect(actions[str(button.property(_TRIGGERS))].trigger)
        if self._step is not None:
            self._actions = actions
            self._step.clicked.connect(lambda: actions[english(self._offer.command)].trigger())
            for offer in _STEPS.values():
                actions[english(offer.command)].changed.connect(self._tell_keys)
            self._tell_keys()

    @property
    def offered(self) -> tuple[QPushButton, ...]:
        """The buttons that are shown."""
        return tuple(each for each in self._buttons() if not each.isHidden())

    def _buttons(self) -> tuple[QPushButton, ...]:
        return self.own if self._step is None else (self._step, *self.own)

    def _tell_keys(self) -> None:
        action = self._actions.get(english(self._offer.command))
        if self._step is not None and action is not None:
            show_keys(self._step, action, tip=self._offer.tip)


_TRIGGERS = "triggers"


def _button(offer: Offer) -> QPushButton:
    button = QPushButton(offer.label or offer.command)
    button.setProperty(_TRIGGERS, str(english(offer.command)))
    set_tip(button, offer.tip, command=offer.command)
    return button


def _header(over: QAbstractScrollArea | None) -> QHeaderView | None:
    if isinstance(over, QTableView):
        return over.horizontalHeader()
    return over.header() if isinstance(over, QTreeView) else None
