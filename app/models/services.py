"""The engine as the window sees it: one protocol, so that every screen runs on a fake in tests.

All calls block and are made through `app.jobs` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from core.types import PublicationNumber

if TYPE_CHECKING:
    from pathlib import Path

    from core.tasks import TaskContext
    from core.types import (
        DocumentEvidence,
        DocumentView,
        LibraryInfo,
        PatentId,
        Query,
        SearchRequest,
        SearchResults,
    )


class Category(StrEnum):
    """What a document is to the case (EPO search report letters)."""

    X = "X"
    Y = "Y"
    A = "A"
    NONE = ""


@dataclass(frozen=True, slots=True)
class ClaimChoice:
    """One claim of the claim picker."""

    number: int
    parents: tuple[int, ...]
    beginning: str


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """Claims to be examined and where they came from."""

    text: str
    """Numbered plain text of all claims."""
    source: str
    claims: tuple[ClaimChoice, ...]
    before: date | None = None
    """The relevant date the source proposes."""
    publication: PublicationNumber | None = None
    """The document under examination, where it is one of the library."""


@dataclass(frozen=True, slots=True)
class SampleCase:
    """The shipped sample: its library folder and the application that is examined."""

    library: Path
    files: Path
    """What is imported when the library is not there yet."""
    claims: ClaimSet
    ready: bool
    """Whether the library is imported and indexed."""


@dataclass(frozen=True, slots=True)
class CaseRef:
    """One case of the case book."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class DocumentMark:
    """The examiner's verdict on a document in the open case."""

    publication: str
    category: Category
    note: str = ""
    claim: int = 0


@dataclass(frozen=True, slots=True)
class CaseState:
    """The open case and its marks."""

    case: CaseRef
    marks: tuple[DocumentMark, ...]
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
        """Run a search and put it on record in the open case."""
        ...

    def document(self, patent: PatentId, context: TaskContext) -> DocumentView:
        """A document for the reader."""
        ...

    def find(self, publication: str, context: TaskContext) -> PatentId | None:
        """The document of a publication number."""
        ...

    def evidence(self, query: Query, patent: PatentId, context: TaskContext) -> DocumentEvidence:
        """Every link between a query and a document."""
        ...

    def sample(self, context: TaskContext) -> SampleCase:
        """The shipped sample."""
        ...

    def open_case(self, case: int, name: str, context: TaskContext) -> CaseState:
        """Open a case by id; a new one with this name where there is none."""
        ...

    def save_query(self, query: Query, before: date | None, context: TaskContext) -> None:
        """Keep the query, its features and its relevant date with the open case."""
        ...

    def mark(
        self, publication: str, category: Category, note: str, claim: int, context: TaskContext
    ) -> CaseState:
        """Give a document of the open case a category; ``Category.NONE`` takes it away."""
        ...

    def undo(self, context: TaskContext) -> CaseState:
        """Take the last change of a mark back."""
        ...
