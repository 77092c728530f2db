"""The categories an examiner can give a document: one row each for its menu entry, key, button and words."""

from __future__ import annotations

from dataclasses import dataclass

from claimlight.types import Category
from claimlight_workbench.language import tr


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """A category in menu, buttons and history."""

    category: Category
    meaning: str
    key: str = ""
    """Key that gives the open document this category; without one it has no menu entry or button."""
    label: str = ""
    """In the *Case* menu; empty: *Category* and the letter."""
    history: str = ""
    """In the history of the case; empty: *category* and the letter."""

    @property
    def menu_label(self) -> str:
        """Text of the menu entry."""
        return self.label or tr("Category {category}", category=self.category.value)

    @property
    def tool_tip(self) -> str:
        """Tool tip of the button."""
        return tr(
            "{category}: {meaning} (key {key})", category=self.category, meaning=self.meaning, key=self.key
        )

    @property
    def spoken(self) -> str:
        """Accessible name of the button."""
        return tr("Category {category}: {meaning}", category=self.category, meaning=self.meaning)


CATEGORIES = (
    CategoryRow(Category.X, tr("particularly relevant if taken alone"), key="X"),
    CategoryRow(Category.Y, tr("particularly relevant if combined with another document"), key="Y"),
    CategoryRow(Category.A, tr("technological background"), key="A"),
    CategoryRow(Category.P, tr("published between priority and filing date")),
    CategoryRow(Category.E, tr("earlier application, published on or after the filing date")),
    CategoryRow(
        Category.IRRELEVANT,
        tr("not relevant"),
        key="0",
        label=tr("Not relevant"),
        history=tr("not relevant (0)"),
    ),
)
"""In the order of menu and buttons. P and E have no key: the date status says the same by the dates."""


def given_by_key() -> tuple[CategoryRow, ...]:
    """The categories that have a menu entry, a key and a button."""
    return tuple(row for row in CATEGORIES if row.key)
