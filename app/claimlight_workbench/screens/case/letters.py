"""The dialog that gives a document all letters of its category: X, Y or A, and others beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialogButtonBox,
    QLabel,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import (
    KINDS,
    RELEVANCE,
    Category,
    Mark,
    format_publication,
    join_letters,
    write_letters,
)
from claimlight_workbench.language import tr
from claimlight_workbench.models.categories import CATEGORIES
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from collections.abc import Collection

    from PySide6.QtGui import QKeyEvent

_MEANINGS = {row.category: row.meaning for row in CATEGORIES}


class LettersDialog(OrderedDialog):
    """Letters are typed or clicked; nothing is given before *OK* or Enter."""

    given = Signal(object, object)
    """The letter that counts, and a tuple of the others."""

    def __init__(self, mark: Mark, proposed: Collection[Category], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Category"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name = format_publication(str(mark.publication))
        about = (
            tr("{name} for claim {claim}", name=name, claim=mark.claim)
            if mark.claim
            else tr("{name} for the whole application", name=name)
        )
        title = QLabel(about)
        title.setObjectName("title")
        self.relevance: dict[Category, QRadioButton] = {}
        self.kinds: dict[Category, QCheckBox] = {}
        group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.addWidget(title)
        for letter in (*RELEVANCE, Category.IRRELEVANT, Category.NONE):
            button = QRadioButton(_label(letter))
            button.setChecked(letter in mark.categories)
            group.addButton(button)
            self.relevance[letter] = button
            column.addWidget(button)
        if group.checkedButton() is None:
            self.relevance[Category.NONE].setChecked(True)
        for letter in KINDS:
            words = _label(letter)
            if letter in proposed:
                words = tr("{letter} – proposed by dates and citations", letter=words)
            box = QCheckBox(words)
            # What is proposed is ticked for a document without a category only: a decision stays as it is.
            box.setChecked(letter in mark.categories or (letter in proposed and not mark.letters))
            self.kinds[letter] = box
            column.addWidget(box)
        self.result_label = make_wrapped_label(name="muted")
        column.addWidget(self.result_label)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.apply)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)
        for each in (*self.relevance.values(), *self.kinds.values()):
            each.toggled.connect(self._say)
        self._say()

    @property
    def letters(self) -> tuple[Category, tuple[Category, ...]]:
        """The letter that counts, and the others, as they are ticked."""
        chosen = next(letter for letter, button in self.relevance.items() if button.isChecked())
        if chosen is Category.IRRELEVANT:
            return chosen, ()
        return join_letters([chosen, *(letter for letter, box in self.kinds.items() if box.isChecked())])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A letter ticks what has it, ``0`` is *not relevant*, Enter gives what is ticked."""
        typed = event.text().upper()
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.apply()
            return
        known = {letter.value: letter for letter in (*self.relevance, *self.kinds) if letter.value}
        if event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier or typed not in known:
            super().keyPressEvent(event)
            return
        letter = known[typed]
        if letter in self.kinds:
            self.kinds[letter].toggle()
        elif self.relevance[letter].isChecked():
            self.relevance[Category.NONE].setChecked(True)
        else:
            self.relevance[letter].setChecked(True)

    def _say(self) -> None:
        irrelevant = self.relevance[Category.IRRELEVANT].isChecked()
        for box in self.kinds.values():
            box.setEnabled(not irrelevant)
        category, kinds = self.letters
        letters = write_letters(category, kinds)
        self.result_label.setText(
            tr("Category: {letters}", letters=letters) if letters else tr("No category")
        )

    def apply(self) -> None:
        """Give the document the letters that are ticked."""
        self.given.emit(*self.letters)
        self.accept()


def _label(letter: Category) -> str:
    return f"{letter.value}  {_MEANINGS[letter]}" if letter else tr("No category")
