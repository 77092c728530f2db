"""Values that the engine and the presenters hand to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claimlight.types import PublicationNumber, QuerySet, SetRequest, numbered_text

if TYPE_CHECKING:
    from pathlib import Path

    from claimlight.services.sharing.addresses import SharedAddress
    from claimlight.types import (
        AdaptReport,
        Case,
        Claim,
        Confirmation,
        CoverageCurve,
        CoverageMatrix,
        Drawings,
        Feature,
        FigureLink,
        Mark,
        MatrixRow,
        Pairs,
        ParsedQuery,
        PassageId,
        PassageNote,
        PatentId,
        Query,
        ReadingHistory,
        ReferenceDates,
        Residual,
        SearchRequest,
        SearchResults,
        SetResult,
        TrainEvent,
        UnreadEstimate,
        ZoneCount,
    )

    LibraryPlace = Path | SharedAddress
    """Where a library is: its folder, or the address of a shared one."""

_FIELD = "\x1f"


@dataclass(frozen=True, slots=True)
class DocumentDrawings:
    """The drawings of a document, and where its text leads to them."""

    drawings: Drawings
    links: Mapping[PassageId, tuple[FigureLink, ...]]
    """By passage its mentions of figures whose pictures are there, in reading order."""

    def page_of(self, passage: PassageId | None) -> int:
        """Number of the page of the first figure that a passage names; 0 if it names none."""
        links = self.links.get(passage, ()) if passage is not None else ()
        return links[0].figure.page if links else 0


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """Claims to be examined and where they came from."""

    claims: tuple[Claim, ...]
    source: str
    """Shown above them: a publication number, a file name, "pasted text"."""
    text: str = ""
    """The text as pasted; empty for claims that a file or a document has structured."""
    publication: PublicationNumber | None = None
    """The document under examination; it and its family are excluded from the results."""
    dates: ReferenceDates | None = None
    """Filing and priority dates as the source proposes them."""
    name: str = ""
    """The name of its case; empty for a name made of the publication or the claims."""
    title: str = ""
    """Application number."""
    missing: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """By claim, the numbers it refers to that do not exist."""

    def plain(self) -> str:
        """The claims as numbered plain text."""
        return self.text or numbered_text(self.claims)


@dataclass(frozen=True, slots=True)
class SampleCase:
    """The shipped sample: its library folder and the application that is examined."""

    library: Path
    files: tuple[Path, ...]
    """Files to import while the library is not filled yet."""
    claims: ClaimSet
    claim: int = 1
    stale: bool = False
    """Indexed by another model than the program has now."""


@dataclass(frozen=True, slots=True)
class FolderState:
    """What a folder holds that the user wants to open as a library."""

    library: bool
    entries: int = 0
    """Files and folders in one that is no library; 0 also if there is no such folder yet."""


@dataclass(frozen=True, slots=True)
class DecidedPlace:
    """The passage of a feature in a document that the examiner decides on."""

    publication: PublicationNumber
    feature: str
    passage: PassageId | None
    """None where every passage was rejected: the last rejection is meant."""


@dataclass(frozen=True, slots=True)
class CaseState:
    """The open case, its categories, notes and numbered sets."""

    case: Case
    marks: tuple[Mark, ...]
    undoable: str = ""
    """What undo would undo; empty if there is nothing."""
    redoable: str = ""
    """What redo would redo; empty if there is nothing."""
    sets: tuple[QuerySet, ...] = ()
    """L1 first; they only grow."""
    seen: frozenset[str] = frozenset()
    """Publications that were opened in the case, with their families."""
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The tags of a publication; its family has the same."""
    holder: str = ""
    """Who has the case open elsewhere; then it is read-only here."""
    confirmations: tuple[Confirmation, ...] = ()
    """The passages that were confirmed or rejected in it."""
    passage_notes: tuple[PassageNote, ...] = ()
    """The notes on passages of documents, by publication, oldest first."""


@dataclass(frozen=True, slots=True)
class CaseProgress:
    """How far the reading of a case has come."""

    case: int
    history: ReadingHistory
    samples: tuple[int, ...] = ()
    """Numbers of the samples that were drawn in it."""
    estimate: UnreadEstimate | None = None
    """By one of them; None before one is drawn."""
    curve: CoverageCurve | None = None
    """Features found after each document read; None if it was not counted."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A document of the matrix, with the features that its cells are for."""

    features: tuple[Feature, ...]
    row: MatrixRow


@dataclass(frozen=True, slots=True)
class Rerun:
    """A set that was run again, compared with the saved one."""

    number: int
    documents: int
    equal: bool
    differences: tuple[str, ...] = ()
    """What has changed, in sentences."""
    added: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class FoundSet:
    """The documents of a query line or of a saved set; built off the GUI thread, for it may be long."""

    request: SetRequest | SearchRequest
    patents: tuple[PatentId, ...]
    names: tuple[str, ...]
    """The publications, as ``str()`` gives them."""
    scores: tuple[float, ...] = ()
    """One score for each document, best first; empty for a set without scores, which is newest first."""
    parsed: ParsedQuery | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    number: int = 0
    """Its L number; 0 before it is saved."""
    hidden: tuple[ZoneCount, ...] = ()
    """Documents hidden by the date limit, by date status; unknown for a saved set."""
    cause: str = ""
    """Why it is empty, if it is."""
    asks: Query | None = None
    """What its line asks for semantically: the evidence of its documents is for this, not for the claim."""
    rows: dict[str, int] = field(init=False)
    """Place of each publication."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", {name: row for row, name in enumerate(self.names)})

    @property
    def line(self) -> str:
        """The query line; empty for a claim search. Of documents chosen one by one, their number."""
        if isinstance(self.request, SetRequest) and self.request.chosen:
            return f"L{self.number}" if self.number else ""
        return self.request.expression if isinstance(self.request, SetRequest) else ""

    @classmethod
    def of(cls, result: SetResult) -> FoundSet:
        """From the answer to a query line."""
        return cls(
            result.request,
            result.patents,
            _names(result.hits.keys),
            result.scores,
            result.parsed,
            result.notes,
            sum(each.seconds for each in result.times),
            hidden=result.hidden,
            cause=result.cause,
            asks=result.asks,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A matrix, its pairs, and how much of the list they cover."""

    matrix: CoverageMatrix
    pairs: Pairs
    """Pairs of documents that count for inventive step according to their dates."""
    every_pair: Pairs
    """Pairs of documents of any date status."""
    listed: int
    """Number of documents in the list."""
    rows: dict[PatentId, MatrixRow] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", {row.patent.id: row for row in self.matrix.every_row})


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """Follows a matrix while it is computed; called in the worker."""

    show_strengths: Callable[[CoverageMatrix], None]
    """The match strengths of all rows, before a judge rules; not called without a judge."""
    show_row: Callable[[MatrixRow], None]
    """A row is known."""
    choose_next: Callable[[Sequence[PatentId]], PatentId]
    """The document to rule on next, of those that are left."""
    show_reading_on: Callable[[int], None]
    """It has ruled on all, and now reads on in this number of them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How far the judge is with a matrix."""

    done: int
    total: int
    reading_on: bool = False
    """Whether documents are counted that it reads on in, and not those that it has ruled on."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparing:
    """A matrix of match strengths, whose cells a judge is ruling on."""

    matrix: CoverageMatrix
    listed: int
    """Number of documents in the list."""


@dataclass(frozen=True, slots=True, eq=False)
class Lacking:
    """What a document lacks, and what was found for it; no search if it lacks nothing."""

    residual: Residual
    results: SearchResults | None


@dataclass(frozen=True, slots=True)
class Adaptation:
    """An adaptation that is not finished: a paused run, or a report that awaits a decision."""

    begun: bool
    report: AdaptReport | None = None
    events: tuple[TrainEvent, ...] = ()
    """The steps so far."""


def _names(keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(key.replace(_FIELD, "") for key in keys)
