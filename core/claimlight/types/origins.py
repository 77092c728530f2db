"""The parts of a document, and the record that each of them was taken from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from claimlight.types.patents import Source


class Part(StrEnum):
    """A part of a document that is taken from one record as a whole."""

    TITLES = "titles"
    ABSTRACTS = "abstracts"
    CLAIMS = "claims"
    DESCRIPTION = "description"
    LANGUAGE = "language"
    """Language of the record with most text."""
    CLASSES = "classes"
    CITATIONS = "citations"
    PARTIES = "parties"
    PRIORITIES = "priorities"
    DATES = "dates"
    """The publication date."""
    APPLICATION = "application"
    """The application's number and filing date."""
    FAMILY = "family"
    RELATED = "related"
    PICTURES = "pictures"
    """The pictures that the record names."""


@dataclass(frozen=True, slots=True)
class PartOrigin:
    """Which record a part of a merged document was taken from."""

    part: Part
    dialect: str
    path: str
    member: str = ""


@dataclass(frozen=True, slots=True)
class Differing:
    """A record that says other things than another one of the same publication; of each part one was kept."""

    publication: str
    parts: tuple[Part, ...]
    """In which they differ, and neither only says less."""
    record: Source
    held: Source
    """The other one."""
