"""How many documents there are of each year, office, class or applicant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CountBy(StrEnum):
    """What documents are counted by."""

    YEAR = "year"
    """Year of publication."""
    OFFICE = "office"
    """Office or country of the publication."""
    CLASS = "class"
    """Subclass."""
    APPLICANT = "applicant"
    """Applicants and assignees, by name without regard to case."""


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """The documents that have one value."""

    name: str
    """Year, code of the office, symbol of the class or name of the applicant."""
    title: str
    """Title of a class; empty of others, and of classes whose title is not known."""
    documents: int
    share: float
    """Share of all documents that were looked at, 0 to 1; shares add up to more than 1 if documents have
    several classes or applicants."""
    line: str
    """Query line of these documents."""


@dataclass(frozen=True, slots=True)
class DocumentStatistics:
    """Documents of a library, or of a set, by year, office, class or applicant."""

    by: CountBy
    documents: int
    """All documents that were looked at."""
    known: int
    """Those with a year, office, class or applicant."""
    counts: tuple[DocumentCount, ...]
    """Years in their order; others by falling number of documents, then by name."""
    others: int = 0
    """Values that were found, but are not among `counts`."""
