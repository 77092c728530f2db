"""The documents of a library on a plane."""

from __future__ import annotations

from dataclasses import dataclass

NO_SECTION = "–"
"""The section of a document without classes."""


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A document on the map of its library."""

    patent: int
    publication: str
    title: str
    section: str
    """Letter of its first class, A to H or Y; `NO_SECTION` if it has none."""
    x: float
    """Places have no unit and the axes no meaning: near each other are documents with near vectors."""
    y: float


@dataclass(frozen=True, slots=True)
class LibraryMap:
    """The documents of a library that are indexed, on a plane."""

    generation: str
    """The state of the index that the vectors are from."""
    points: tuple[MapPoint, ...]
    """By id."""
    added: int
    """Documents that were placed among the others, which stayed where they were."""
    waiting: int
    """Documents of the library that are not indexed and so are not on the map."""
    note: str = ""
    """Why the map could not be kept for the next time; empty if it was."""
