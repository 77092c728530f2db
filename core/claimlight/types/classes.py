"""Classes: editions of a scheme, their entries, and what is found in and between them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from claimlight.types.patents import Scheme


class ClassLevel(StrEnum):
    """The level of a symbol in its scheme."""

    SECTION = "section"
    CLASS = "class"
    SUBCLASS = "subclass"
    MAIN_GROUP = "main-group"
    SUBGROUP = "subgroup"


@dataclass(frozen=True, slots=True)
class ClassFilter:
    """A class that documents must have, or one below it."""

    scheme: Scheme
    symbol: str

    def __str__(self) -> str:
        return f"{self.scheme.upper()} {self.symbol}"


@dataclass(frozen=True, slots=True)
class Edition:
    """One dated version of a scheme; without a ``version`` the titles that ship with Claimlight."""

    scheme: Scheme
    version: str
    """Year and month of its entry into force, ``2022.08``."""

    def __str__(self) -> str:
        return f"{self.scheme.upper()} {self.version or '(shipped titles)'}"


@dataclass(frozen=True, slots=True)
class EditionInfo:
    """An imported edition."""

    edition: Edition
    entries: int
    subclasses: int
    detailed: int
    """Subclasses of which the edition has the groups: fewer than ``subclasses`` if files were left out."""
    imported: datetime
    source: str
    """Path of the files it was imported from."""
    size: int
    """Bytes on disk."""


@dataclass(frozen=True, slots=True)
class EditionReport:
    """What an import did."""

    info: EditionInfo
    unchanged: bool
    """The same files were imported before; nothing was written."""
    seconds: float


@dataclass(frozen=True, slots=True)
class ClassEntry:
    """A symbol of an edition."""

    symbol: str
    level: ClassLevel
    dots: int
    """Indentation of a subgroup, 1 and more; 0 of all other levels."""
    title: str
    """Without its references. Of the shipped titles, our own wording."""
    short: str = ""
    """Our own title of a section, class or subclass; empty of groups."""
    children: int = 0
    heading: str = ""
    """Guidance heading above a main group, if it is the first below one."""
    allocatable: bool = True
    """Whether documents can be classified here."""
    additional_only: bool = False
    """Whether the symbol is for additional information only."""
    frozen: bool = False
    """Whether it is no longer used for new documents and will be deleted."""
    revised: date | None = None
    concordant: str = ""
    """The IPC symbol that the documents of a CPC symbol have; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class ClassNote:
    """A note or a warning of an entry; its paragraphs are lines."""

    warning: bool
    text: str


@dataclass(frozen=True, slots=True)
class ClassReference:
    """What is classified elsewhere, and where."""

    text: str
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Transfer:
    """Where the documents of a symbol went or are going, as the scheme says it."""

    targets: tuple[str, ...]
    """Symbols, and ranges as ``G16H 10/00-G16H 80/00``."""
    text: str
    edition: Edition


@dataclass(frozen=True, slots=True)
class ClassView:
    """An entry with its place in the scheme."""

    edition: Edition
    entry: ClassEntry
    path: tuple[ClassEntry, ...]
    """From the section to the parent."""
    children: tuple[ClassEntry, ...]
    notes: tuple[ClassNote, ...]
    references: tuple[ClassReference, ...]
    transfers: tuple[Transfer, ...]
    retired: bool = False
    """Whether the newest edition of the scheme no longer has the symbol; ``edition`` is the last that has."""
    newest: Edition | None = None
    """The newest edition that was looked at."""


@dataclass(frozen=True, slots=True)
class ClassHit:
    """An entry whose titles contain the words of a search."""

    entry: ClassEntry
    path: tuple[ClassEntry, ...]
    score: float


@dataclass(frozen=True, slots=True)
class ClassHits:
    """The answer of a search in titles, best first."""

    edition: Edition
    hits: tuple[ClassHit, ...]
    partial: bool
    """No title contains all the words, so these contain some of them."""


@dataclass(frozen=True, slots=True)
class CountedEntry:
    """A symbol of an expansion, with its documents in a library."""

    entry: ClassEntry
    documents: int | None = None
    """Documents that have this very symbol; None if no library was asked."""


@dataclass(frozen=True, slots=True)
class ClassExpansion:
    """A symbol with everything below it, in the order of the scheme."""

    edition: Edition
    symbol: str
    entries: tuple[CountedEntry, ...]
    documents: int | None = None
    """Documents with at least one of the symbols; None if no library was asked."""


@dataclass(frozen=True, slots=True)
class ClassChange:
    """A symbol that differs between two editions; the missing title is empty."""

    symbol: str
    before: str
    after: str
    transfers: tuple[Transfer, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassComparison:
    """What changed from an edition to another, over what both of them have."""

    before: Edition
    after: Edition
    added: tuple[ClassChange, ...]
    removed: tuple[ClassChange, ...]
    retitled: tuple[ClassChange, ...]
    same: int
    """Symbols with the same title in both."""
    uncompared: tuple[str, ...]
    """Subclasses of which only one edition has the groups, because files were left out."""


@dataclass(frozen=True, slots=True)
class ClassCount:
    """A class of a statistics of documents."""

    symbol: str
    title: str
    """Empty if no imported edition and no shipped title knows it."""
    documents: int
    """Documents with the class or one below it."""
    share: float
    """Documents as a share of all that were looked at, 0 to 1; shares may add up to more than 1, as documents
    have several classes."""
    line: str
    """Query line of these documents."""


@dataclass(frozen=True, slots=True)
class ClassStatistics:
    """How often the classes of a level occur in some documents."""

    edition: Edition
    """That the symbols were placed by."""
    level: ClassLevel
    documents: int
    """All documents that were looked at."""
    classified: int
    """Those with at least one class of the scheme."""
    counts: tuple[ClassCount, ...]
    """By falling number of documents, then by symbol."""
    others: int = 0
    """Classes that were found, but are not among `counts`."""
