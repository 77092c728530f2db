"""The map in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import NO_SECTION, format_publication
from claimlight_workbench.language import tr, trn

if TYPE_CHECKING:
    from claimlight.types import LibraryMap, MapPoint, Progress

WAITING = tr(
    "The documents of the library are shown here as points: near each other if their texts are similar."
)
STOPPED = tr("The map was not made. *Draw map* makes it.")
MEANING = tr(
    "Documents that are near each other have similar texts; distances between groups and "
    "the directions of the plane mean nothing."
)


def map_text(found: LibraryMap) -> str:
    """How many documents are on the map, and which are not."""
    told = tr(
        "{documents} by the section of their first class.",
        documents=trn("{n:,} document", "{n:,} documents", len(found.points)),
    )
    if found.added:
        told += tr(
            " {added:,} were placed among the others since; *Lay out again* lays out all again.",
            added=found.added,
        )
    if found.waiting:
        told += tr(
            " {documents} not indexed: Library → Index new documents.",
            documents=trn("{n:,} document", "{n:,} documents", found.waiting),
        )
    return f"{told} {found.note}".rstrip()


def progress_text(event: Progress) -> str:
    """How far the layout is."""
    left = (
        tr(", {seconds_left:.0f} s left", seconds_left=event.seconds_left)
        if event.seconds_left is not None
        else ""
    )
    return tr("Laying out the documents: {done} %{left}. Esc cancels.", done=event.done, left=left)


def selected_text(count: int) -> str:
    """What is selected."""
    return tr(
        "{documents} selected. *Keep as set* makes the next L number of them.",
        documents=trn("{n:,} document", "{n:,} documents", count),
    )


def point_text(point: MapPoint, *, category: str = "", hit: bool = False) -> str:
    """A document, as its tip says it."""
    section = (
        tr("no class") if point.section == NO_SECTION else tr("section {section}", section=point.section)
    )
    more = [
        section,
        *([tr("category {category}", category=category)] if category else []),
        *([tr("in the list")] if hit else []),
    ]
    return f"{format_publication(point.publication)}  {point.title}\n{', '.join(more)}"


def description_of(count: int, first: str) -> str:
    """What the set of a selection is called in the history of the case."""
    more = tr(" and {count:,} more", count=count - 1) if count > 1 else ""
    return tr("Selected on the map: {first}{more}", first=format_publication(first), more=more)
