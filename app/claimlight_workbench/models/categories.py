"""The categories an examiner can give a document: one row each for its menu entry, key, button and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import CITED, KINDS, Category, Mark, effective_mark, join_letters, shown_mark
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.types import PublicationNumber


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
    CategoryRow(Category.O, tr("disclosed orally, or otherwise not in writing")),
    CategoryRow(Category.P, tr("published between priority and filing date")),
    CategoryRow(Category.E, tr("earlier application, published on or after the filing date")),
    CategoryRow(Category.T, tr("theory or principle of the invention, published later")),
    CategoryRow(Category.L, tr("cited for other reasons")),
    CategoryRow(Category.D, tr("cited in the application")),
    CategoryRow(
        Category.IRRELEVANT,
        tr("not relevant"),
        key="0",
        label=tr("Not relevant"),
        history=tr("not relevant (0)"),
    ),
)
"""In the order of menu and buttons. O, P, E, T, L and D are given in one dialog, beside X, Y or A."""


def given_by_key() -> tuple[CategoryRow, ...]:
    """The categories that have a menu entry, a key and a button."""
    return tuple(row for row in CATEGORIES if row.key)


@dataclass(frozen=True, slots=True)
class Given:
    """The category that a list shows for a document."""

    category: Category = Category.NONE
    """The letter that counts."""
    letters: str = ""
    """All of them: ``P,X``."""
    claim: int = 0
    elsewhere: bool = False
    """It is for another claim than the one that is searched."""

    @property
    def text(self) -> str:
        """``P,X``, or ``(P,X)`` for another claim."""
        return f"({self.letters})" if self.elsewhere else self.letters

    @property
    def words(self) -> str:
        """``category P,X for claim 4``."""
        if not self.letters:
            return tr("no category")
        if self.elsewhere and self.claim:
            return tr("category {category} for claim {claim}", category=self.letters, claim=self.claim)
        return tr("category {category}", category=self.letters)


NOT_GIVEN = Given()


def given_of(marks: Iterable[Mark], claim: int) -> Given:
    """What is shown of the marks of one document while a claim is searched."""
    own = list(marks)
    mark = shown_mark(own, claim)
    if mark is None:
        return NOT_GIVEN
    return Given(mark.category, mark.letters, mark.claim, effective_mark(own, claim) is None)


def by_document(marks: Iterable[Mark]) -> Mapping[PublicationNumber, list[Mark]]:
    """The marks of each document."""
    found: dict[PublicationNumber, list[Mark]] = {}
    for mark in marks:
        found.setdefault(mark.publication, []).append(mark)
    return found


def count_cited(marks: Iterable[Mark]) -> dict[int, int]:
    """How many documents have a category of a search report for each claim."""
    found = {(mark.publication, mark.claim) for mark in marks if mark.category in CITED}
    return dict(Counter(claim for _, claim in found))


def with_category(mark: Mark, category: Category) -> tuple[Category, tuple[Category, ...]]:
    """The letters of a mark after X, Y, A or 0 was given by key: the others stay, except beside 0."""
    if category is Category.IRRELEVANT:
        return category, ()
    return join_letters([category, *(letter for letter in KINDS if letter in mark.categories)])
