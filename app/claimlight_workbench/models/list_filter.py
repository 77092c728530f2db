"""Which documents of a list are shown, by what the examiner has done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from claimlight.types import Category
from claimlight_workbench.language import tr
from claimlight_workbench.models.categories import Given


class ListFilter(StrEnum):
    """A filter of the results; a category counts as the list shows it, also that for another claim."""

    ALL = "all"
    UNREAD = "unread"
    CATEGORY = "category"
    """Any letter of a search report."""
    X = "X"
    Y = "Y"
    A = "A"
    IRRELEVANT = "0"
    WITHOUT = "without"
    """Neither a letter nor 0."""


@dataclass(frozen=True, slots=True)
class FilterRow:
    """A filter in menus, and above the results."""

    filter: ListFilter
    menu: str
    """Its letter behind ``&`` chooses it in the open menu."""
    name: str
    """As a command, and above the results."""


FILTERS = (
    FilterRow(ListFilter.ALL, tr("A&ll documents"), tr("Show all results")),
    FilterRow(ListFilter.UNREAD, tr("&Unread"), tr("Only unread documents")),
    FilterRow(ListFilter.CATEGORY, tr("With a &category"), tr("Only documents with a category")),
    FilterRow(ListFilter.X, tr("Category &X"), tr("Only category X")),
    FilterRow(ListFilter.Y, tr("Category &Y"), tr("Only category Y")),
    FilterRow(ListFilter.A, tr("Category &A"), tr("Only category A")),
    FilterRow(ListFilter.IRRELEVANT, tr("Not relevant (&0)"), tr("Only documents that are not relevant")),
    FilterRow(ListFilter.WITHOUT, tr("&Without a category"), tr("Only documents without a category")),
)
"""In the order of the menu; the first one takes the filter off."""

_MATCHES: Mapping[ListFilter, Callable[[Given], bool]] = {
    ListFilter.CATEGORY: lambda given: bool(given.letters) and given.category is not Category.IRRELEVANT,
    ListFilter.X: lambda given: Category.X in given.letters.split(","),
    ListFilter.Y: lambda given: Category.Y in given.letters.split(","),
    ListFilter.A: lambda given: Category.A in given.letters.split(","),
    ListFilter.IRRELEVANT: lambda given: given.category is Category.IRRELEVANT,
    ListFilter.WITHOUT: lambda given: bool(given.letters),
}


def filter_names(
    names: AbstractSet[str], chosen: ListFilter, *, seen: AbstractSet[str], marks: Mapping[str, Given]
) -> frozenset[str]:
    """The publications that a filter shows, of any number in a moment."""
    if chosen is ListFilter.ALL:
        return frozenset(names)
    if chosen is ListFilter.UNREAD:
        return frozenset(names - seen)
    # Only what has a category is looked at: a list may be very long.
    matching = {name for name, given in marks.items() if _MATCHES[chosen](given)}
    return frozenset(names - matching if chosen is ListFilter.WITHOUT else names & matching)
