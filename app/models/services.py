"""The engine as the window sees it: one protocol, so that every screen runs on a fake in tests.

All calls block and are made through `app.jobs` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Protocol

from core.types import PublicationNumber

if TYPE_CHECKING:
    from pathlib import Path

    from core.tasks import TaskContext
    from core.types import (
        Case,
        Claim,
        DocumentEvidence,
        DocumentView,
        LibraryInfo,
        Mark,
        PatentId,
        Query,
        SearchRequest,
        SearchResults,
    )


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """Claims to be examined and where they came from."""

    claims: tuple[Claim, ...]
    source: str
    """Shown above them: a publication number, a file name, "pasted text"."""
    text: str = ""
    """The text as pasted; empty for claims that a file or a document structured."""
    before: date | None = None
    """The relevant date that the source proposes."""
    publication: PublicationNumber | None = None
    """The document under examination; it and its family are left out of the results."""

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
class CaseState:
    """The open case and its marks."""

    case: Case
    marks: tuple[Mark, ...]
    undoable: str = ""
    """What undo would take back; empty where there is nothing."""


class Services(Protocol):
    """Everything the window asks of the engine."""

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
        """Claims of an application's file, with its relevant date."""
        ...

    def claims_of_document(self, publication: str, context: TaskContext) -> ClaimSet:
        """Claims of a document of the library."""
        ...

    def query_of_claim(self, claims: ClaimSet, claim: int, context: TaskContext) -> Query:
        """One claim with its ancestors, split into features."""
        ...

    def query_of_features(self, lines: Sequence[str], context: TaskContext) -> Query:
        """A query whose features are exactly these lines."""
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

    def sample(self, context: TaskContext) -> SampleCase:
        """The shipped sample."""
        ...

    def open_case(self, case: int, claims: ClaimSet, context: TaskContext) -> CaseState:
        """Open a case by number; one for these claims is begun where there is none."""
        ...

    def record(self, results: SearchResults, claim: int, context: TaskContext) -> CaseState:
        """Keep what was searched with the open case and put the search on record."""
        ...

    def mark(self, mark: Mark, context: TaskContext) -> CaseState:
        """Judge a document of the open case."""
        ...

    def undo(self, context: TaskContext) -> CaseState:
        """Take the last change of the open case back."""
        ...
