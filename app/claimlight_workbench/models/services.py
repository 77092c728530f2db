"""The engine as the window sees it: one protocol, so that every screen runs on a fake in tests.

All calls block and are made through `claimlight_workbench.jobs` only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from claimlight.types import PublicationNumber, QuerySet
from claimlight_workbench.models.model_services import ModelServices

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import (
        Backup,
        BackupContents,
        Case,
        CaseSummary,
        CenterId,
        CenterInspection,
        CitationView,
        Claim,
        Completion,
        CoverageMatrix,
        DateFinding,
        DocumentEvidence,
        DocumentView,
        ExportKind,
        FamilyView,
        ImportRun,
        LibraryInfo,
        LogEntry,
        Mark,
        Pairs,
        ParsedQuery,
        PatentId,
        PatentSummary,
        Query,
        ReferenceDates,
        Residual,
        SearchRequest,
        SearchResults,
        SetMark,
        SetRequest,
        SetResult,
        Span,
    )
    from claimlight_workbench.models.found_set import FoundSet


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """Claims to be examined and where they came from."""

    claims: tuple[Claim, ...]
    source: str
    """Shown above them: a publication number, a file name, "pasted text"."""
    text: str = ""
    """The text as pasted; empty for claims that a file or a document structured."""
    publication: PublicationNumber | None = None
    """The document under examination; it and its family are left out of the results."""
    dates: ReferenceDates | None = None
    """Filing and priority dates as the source proposes them."""
    name: str = ""
    """What its case is called; empty for a name made of the publication or the claims."""
    title: str = ""
    """Of the application."""
    missing: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """By claim, the numbers it refers to that lead nowhere."""

    def plain(self) -> str:
        """The claims as numbered plain text."""
        return self.text or "\n\n".join(f"{claim.number}. {claim.text}" for claim in self.claims)


@dataclass(frozen=True, slots=True)
class SampleCase:
    """The shipped sample: its library folder and the application that is examined."""

    library: Path
    files: tuple[Path, ...]
    """What is imported when the library is not filled yet."""
    claims: ClaimSet
    claim: int = 1
    stale: bool = False
    """Indexed by another model than the program has now."""


@dataclass(frozen=True, slots=True)
class FolderState:
    """What a folder holds that somebody wants to open as a library."""

    library: bool
    entries: int = 0
    """Files and folders in one that is no library; 0 also where there is no such folder yet."""


@dataclass(frozen=True, slots=True)
class CaseState:
    """The open case, its marks and its numbered sets."""

    case: Case
    marks: tuple[Mark, ...]
    undoable: str = ""
    """What undo would take back; empty where there is nothing."""
    redoable: str = ""
    """What redo would do again; empty where there is nothing."""
    sets: tuple[QuerySet, ...] = ()
    """L1 first; they only grow."""
    seen: frozenset[str] = frozenset()
    """Publications that were opened in the case, with their families."""
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The tags of a publication; its family has the same."""
    holder: str = ""
    """Who has the case open elsewhere; then it can be read here, not changed."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """A set asked for again and compared with what is on record."""

    number: int
    documents: int
    equal: bool
    differences: tuple[str, ...] = ()
    """What is not as it was, in sentences."""
    added: int = 0
    missing: int = 0


class Services(ModelServices, Protocol):
    """Everything the window asks of the engine."""

    def folder_state(self, folder: Path, context: TaskContext) -> FolderState:
        """What a folder holds, before it is opened as a library."""
        ...

    def open_library(self, folder: Path, context: TaskContext) -> LibraryInfo:
        """Open a library, creating an empty one where there is none; the former one is closed."""
        ...

    def refresh(self, context: TaskContext) -> LibraryInfo:
        """Pick up what an import or an indexing job has committed."""
        ...

    def close(self) -> None:
        """Let go of every file."""
        ...

    def model_fingerprint(self) -> str:
        """Fingerprint of the model that answers; empty until one is loaded."""
        ...

    def device(self) -> str:
        """Where the encoder runs; empty until one is loaded."""
        ...

    def claims_of_text(self, text: str, source: str, context: TaskContext) -> ClaimSet:
        """Claims of pasted text."""
        ...

    def claims_of_file(self, path: Path, context: TaskContext) -> ClaimSet:
        """Claims of an application's file, with its dates."""
        ...

    def claims_of_document(self, publication: str, context: TaskContext) -> ClaimSet:
        """Claims of a document of the library."""
        ...

    def query_of_claim(self, claims: ClaimSet, claim: int, context: TaskContext) -> Query:
        """One claim with its ancestors, split into features."""
        ...

    def query_as_kept(
        self, claims: ClaimSet, claim: int, ranges: Sequence[Span], lines: Sequence[str], context: TaskContext
    ) -> Query:
        """One claim with the features it had: by their ranges, else by their words."""
        ...

    def search(self, request: SearchRequest, context: TaskContext) -> SearchResults:
        """Run a search."""
        ...

    def document(self, patent: PatentId | str, context: TaskContext) -> DocumentView:
        """A document for the reader, by id or publication number."""
        ...

    def evidence(self, query: Query, patent: PatentId, context: TaskContext) -> DocumentEvidence:
        """Every link between a query and a document."""
        ...

    def inspect_center(self, center: CenterId, context: TaskContext) -> CenterInspection:
        """One center of the vocabulary and what meets in it."""
        ...

    def coverage_matrix(
        self,
        query: Query,
        patents: Sequence[PatentId],
        own: PublicationNumber | None,
        context: TaskContext,
    ) -> CoverageMatrix:
        """Features against documents; ``own`` and its family are left out."""
        ...

    def dated(
        self, matrix: CoverageMatrix, reference: ReferenceDates | None, claim: int, context: TaskContext
    ) -> CoverageMatrix:
        """The same matrix, its documents compared with the dates of the application."""
        ...

    def pairs(self, matrix: CoverageMatrix, context: TaskContext, *, every_status: bool = False) -> Pairs:
        """Documents of a matrix that cover more together, best first, as far as their dates let them."""
        ...

    def residual(self, request: SearchRequest, patent: PatentId, context: TaskContext) -> Residual:
        """What a document lacks of the claim of a request, ready to be searched as that request was."""
        ...

    def sample(self, context: TaskContext) -> SampleCase:
        """The shipped sample."""
        ...

    def open_case(self, case: int, claims: ClaimSet, context: TaskContext) -> CaseState:
        """Open a case by number; one for these claims is begun where there is none."""
        ...

    def cases(
        self, text: str, context: TaskContext, *, archived: bool = False, deleted: bool = False
    ) -> tuple[CaseSummary, ...]:
        """The cases with all words of ``text``, worked on last first."""
        ...

    def resume_case(self, case: int, context: TaskContext) -> tuple[ClaimSet | None, CaseState]:
        """Open a case of the list; its claims, None where it holds none, and what is kept with it."""
        ...

    def rename_case(self, case: int, name: str, context: TaskContext) -> CaseState | None:
        """Give a case another name; the open case as it is now, None where none is open."""
        ...

    def archive_case(self, case: int, context: TaskContext, *, archived: bool) -> CaseState | None:
        """Leave a case out of the list, or take it back in; the open case as it is now."""
        ...

    def delete_case(self, case: int, context: TaskContext, *, deleted: bool) -> CaseState | None:
        """Mark a case as deleted, or bring it back whole; the open case as it is now."""
        ...

    def see(self, patent: PatentSummary, context: TaskContext) -> frozenset[str]:
        """Note that a document was opened in the open case; it and its family, as publications."""
        ...

    def see_all(self, publications: Sequence[PublicationNumber], context: TaskContext) -> frozenset[str]:
        """Note that documents were opened in the open case; the same as publications."""
        ...

    def tag(self, patent: PatentSummary, tags: Sequence[str], context: TaskContext) -> CaseState:
        """Give a document of the open case, and its family, these tags instead of those it has."""
        ...

    def case_backups(self, context: TaskContext) -> tuple[BackupContents, ...]:
        """The backups of the case book, newest first, each opened and checked."""
        ...

    def restore_cases(self, number: int, context: TaskContext) -> Backup:
        """Close the case book and put a backup in its place; the open case stays open where that fails."""
        ...

    def case_holder(self, context: TaskContext) -> str:
        """Who has the open case elsewhere by now; empty where it is free, or this window's."""
        ...

    def case_history(self, context: TaskContext) -> tuple[LogEntry, ...]:
        """Everything that was done in the open case, oldest first."""
        ...

    def record(self, results: SearchResults | SetResult, claim: int, context: TaskContext) -> CaseState:
        """Keep what was searched with the open case and put the search on record as its next set."""
        ...

    def keep_dates(self, dates: ReferenceDates | None, limit: date | None, context: TaskContext) -> CaseState:
        """Keep the dates of the application, their law and the date limit with the open case."""
        ...

    def mark(self, mark: Mark, context: TaskContext) -> CaseState:
        """Judge a document of the open case."""
        ...

    def undo(self, context: TaskContext) -> CaseState:
        """Take the last change of the open case back."""
        ...

    def redo(self, context: TaskContext) -> CaseState:
        """Make the last change that was taken back again."""
        ...

    # Query lines and numbered sets; the sets a line names are those of the open case

    def check_query(self, request: SetRequest, context: TaskContext) -> ParsedQuery:
        """How a line is read, with the counts of its terms; `QueryError` with the column where it is not."""
        ...

    def complete_query(self, text: str, column: int, context: TaskContext) -> tuple[Completion, ...]:
        """Ways to go on at a 1-based column: words of the library, fields, operators, sets."""
        ...

    def run_query(self, request: SetRequest, context: TaskContext) -> SetResult:
        """The documents of a line."""
        ...

    def query_marks(self, request: SetRequest, patent: PatentId, context: TaskContext) -> tuple[SetMark, ...]:
        """Exactly what a line matched in a document, in reading order."""
        ...

    def open_set(self, number: int, context: TaskContext) -> FoundSet:
        """A set of the open case from the record."""
        ...

    def rerun_set(self, number: int, context: TaskContext) -> Rerun:
        """Ask for a set again; the record stays as it is."""
        ...

    def export(self, number: int, path: Path, kind: ExportKind, context: TaskContext) -> int:
        """Write the documents of a set, or the whole library for 0; the number of rows."""
        ...

    def summaries(self, patents: Sequence[PatentId], context: TaskContext) -> tuple[PatentSummary, ...]:
        """What rows show of documents, in the order asked for; without those the library no longer has."""
        ...

    def newest_first(self, patents: Sequence[PatentId], context: TaskContext) -> tuple[PatentId, ...]:
        """The same documents by publication date."""
        ...

    # Imports, families, citations, dates

    def import_runs(self, context: TaskContext) -> tuple[ImportRun, ...]:
        """The imports on record in the open library, newest first."""
        ...

    def family(self, patent: PatentId, context: TaskContext) -> FamilyView:
        """The family of a document."""
        ...

    def citations(self, patent: PatentId, context: TaskContext) -> CitationView:
        """The citations of a document, both ways."""
        ...

    def date_findings(
        self,
        patents: Sequence[PatentSummary],
        reference: ReferenceDates,
        claim: int,
        context: TaskContext,
    ) -> tuple[DateFinding, ...]:
        """What the dates of each document make of it against a claim."""
        ...
