"""The map in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import NO_SECTION, format_publication, plural

if TYPE_CHECKING:
    from claimlight.types import LibraryMap, MapPoint, Progress

WAITING = "The map is made as soon as a library is open."
STOPPED = "The map was not made. *Draw map* makes it."
MEANING = (
    "Documents that are near each other have similar texts; distances between groups and the directions of "
    "the plane mean nothing."
)


def map_text(found: LibraryMap) -> str:
    """How many documents are on the map, and which are not."""
    told = f"{plural(len(found.points), 'document')} by the section of their first class."
    if found.added:
        told += f" {found.added:,} were placed among the others since; *Lay out again* lays out all again."
    if found.waiting:
        told += f" {plural(found.waiting, 'document')} not indexed: Library → Index new documents."
    return f"{told} {found.note}".rstrip()


def progress_text(event: Progress) -> str:
    """How far the layout is."""
    left = f", {event.seconds_left:.0f} s left" if event.seconds_left is not None else ""
    return f"Laying out the documents: {event.done} %{left}. Esc cancels."


def selected_text(count: int) -> str:
    """What is selected."""
    return f"{plural(count, 'document')} selected. *Keep as set* makes the next L number of them."


def point_text(point: MapPoint, *, category: str = "", hit: bool = False) -> str:
    """A document, as its tip says it."""
    section = "no class" if point.section == NO_SECTION else f"section {point.section}"
    more = [section, *([f"category {category}"] if category else []), *(["in the list"] if hit else [])]
    return f"{format_publication(point.publication)}  {point.title}\n{', '.join(more)}"


def description_of(count: int, first: str) -> str:
    """What the set of a selection is called in the history of the case."""
    more = f" and {count - 1:,} more" if count > 1 else ""
    return f"Selected on the map: {format_publication(first)}{more}"
