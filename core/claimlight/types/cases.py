"""The examiner's work: cases, query sets, what was seen and tagged, and the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NewType

from claimlight.types.claim_versions import ClaimVersion
from claimlight.types.classes import ClassFilter
from claimlight.types.dates import ReferenceDates
from claimlight.types.patents import PublicationNumber, Scheme
from claimlight.types.results import Provenance, SearchRequest, Span
from claimlight.types.set_hits import SetHit
from claimlight.types.sets import ParsedQuery, SetRequest

CaseId = NewType("CaseId", int)
"""Number of a case in its case book; never used twice."""


class Action(StrEnum):
    """Kind of an entry of the history."""

    CREATED = "created"
    EDITED = "edited"
    MARKED = "marked"
    SEEN = "seen"
    TAGGED = "tagged"
    DECIDED = "decided"
    NOTED = "noted"
    SEARCHED = "searched"
    SAMPLED = "sampled"
    UNDONE = "undone"
    REDONE = "redone"


class Hindrance(StrEnum):
    """Why a step of the history can't be undone or redone by itself."""

    NONE = ""
    """It can."""
    NOTHING = "changed nothing"
    """It changed nothing, as a search, which is always kept."""
    LATER = "changed again later"
    """The same was changed again later; that comes first."""
    SINCE = "changed since it was undone"
    """It was undone, and something else was done there since."""
    TURN = "about an earlier step"
    """It is itself an undo or redo: turn the step that it is about."""


@dataclass(frozen=True, slots=True)
class AcceptedClass:
    """A class that the examiner accepted for the application of a case."""

    scheme: Scheme
    symbol: str
    title: str = ""
    """As it was when the class was accepted."""
    probability: float | None = None
    """What the classifier gave it; None if the class was not suggested."""
    classifier: str = ""
    """Name and version of the classifier that suggested it."""

    def __str__(self) -> str:
        return f"{self.scheme.upper()} {self.symbol}"


@dataclass(frozen=True, slots=True)
class Case:
    """One application under examination."""

    id: CaseId
    name: str
    created: datetime
    changed: datetime
    application: str = ""
    """Text of the claims as they were given."""
    publication: PublicationNumber | None = None
    """The document under examination, where it is one of the library."""
    reference_date: date | None = None
    """The relevant date."""
    claim: int = 1
    """The claim that is searched."""
    features: tuple[str, ...] = ()
    """The words of the features last searched; empty while none was."""
    ranges: tuple[Span, ...] = ()
    """Their ranges in the text of the claim with its ancestors; empty in cases of earlier versions."""
    notes: str = ""
    library: str = ""
    """Folder of the library the case was last searched in."""
    dates: ReferenceDates | None = None
    """Dates of the application, with the law they are judged by; None in cases of earlier versions and if
    none is known."""
    limit: date | None = None
    """Only documents published before this day are shown; None shows all."""
    archived: bool = False
    """Left out of the list of cases until archived ones are asked for."""
    deleted: bool = False
    """Marked as deleted: kept whole, and brought back by `CaseBook.delete`, until it is purged."""
    classes: tuple[AcceptedClass, ...] = ()
    """In the order in which they were accepted."""
    within: tuple[ClassFilter, ...] = ()
    """Only documents of these classes are shown; empty shows all."""
    versions: tuple[ClaimVersion, ...] = ()
    """Versions of the claims, oldest first; empty for claims that were never amended."""
    version: int = 0
    """Place in ``versions`` of the one that is searched; its text is ``application``."""

    @property
    def version_label(self) -> str:
        """The version that is searched, as ``amended, 2026-03-01``; empty if there is one only."""
        return self.versions[self.version].label if len(self.versions) > 1 else ""


@dataclass(frozen=True, slots=True)
class QuerySet:
    """A recorded search: the query, its answer, and the library, index and model it depended on."""

    number: int
    created: datetime
    request: SearchRequest | SetRequest
    """A claim search or a query line."""
    provenance: Provenance
    notes: tuple[str, ...]
    hits: Sequence[SetHit]
    """Best first; unpacked on access, so that listing sets costs little."""
    parsed: ParsedQuery | None = None
    """How a query line was read, with its counts at that time."""

    @property
    def label(self) -> str:
        """``L1`` for the first."""
        return f"L{self.number}"


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """A document that was opened in a case, and the members of its family, which count as seen with it."""

    publication: PublicationNumber
    family: tuple[PublicationNumber, ...] = ()


@dataclass(frozen=True, slots=True)
class Tagged:
    """The tags of a document and of its family in a case."""

    publication: PublicationNumber
    tags: tuple[str, ...] = ()
    family: tuple[PublicationNumber, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """A case as a row of the list of cases."""

    case: Case
    marks: int = 0
    sets: int = 0
    seen: int = 0
    tags: tuple[str, ...] = ()
    found: str = ""
    """Text of where the searched words were found; empty without a search."""


@dataclass(frozen=True, slots=True)
class RowFault:
    """A damaged row of the case book; the other rows are not affected."""

    case: int
    """0 where the row names no case."""
    row: str
    """Which row, in words."""
    reason: str

    def __str__(self) -> str:
        return f"Case {self.case}, {self.row}: {self.reason}" if self.case else f"{self.row}: {self.reason}"


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """What is wrong with a case book; nothing where both are empty."""

    pages: tuple[str, ...] = ()
    """What SQLite finds wrong with the file, and objects that no case book has."""
    rows: tuple[RowFault, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether everything is as it was written."""
        return not self.pages and not self.rows


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of a case's history; the log only grows."""

    number: int
    at: datetime
    action: Action
    text: str
    """What was done, in words."""
    publication: str = ""
    """The document it is about."""
    undone: bool = False
    """It was undone, and stays so."""
    hindrance: Hindrance = Hindrance.NONE
    """Why it can't be undone by itself, or redone if it was undone."""
    later: str = ""
    """The later step that must be undone first."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the case book that was opened and checked when it was made."""

    path: str
    day: date
    number: int
    """Backups are ordered by it, not by the clock."""


@dataclass(frozen=True, slots=True)
class BackupContents:
    """A backup that was opened and read: what it holds, and whether it may be brought back."""

    backup: Backup
    cases: int = 0
    marks: int = 0
    sets: int = 0
    changed: datetime | None = None
    """When its cases were last worked on."""
    fault: str = ""
    """Why it is no sound case book; empty where it is one."""
    faults: int = 0
    """Rows in it that are not what was written."""
    encrypted: bool = False
