"""What long work tells while it runs, and what it leaves when it is done."""

from __future__ import annotations

from dataclasses import dataclass

from core.types.patents import Quarantined


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is. ``total`` is 0 and ``seconds_left`` None while unknown."""

    stage: str
    done: int
    total: int
    unit: str
    rate: float
    """Units a second, over the recent past."""
    seconds_left: float | None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Committed:
    """Work that is now on disk and survives a kill: documents of a library or of an index."""

    stage: str
    documents: int
    """Documents made durable so far in this run."""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence the user must read."""

    text: str


@dataclass(frozen=True, slots=True)
class QuarantinedEvent:
    """A document was set aside."""

    item: Quarantined


Event = Progress | Committed | Note | QuarantinedEvent


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did with every document it met."""

    taken: int
    merged: int
    """Replaced by a newer or fuller record of the same publication."""
    unchanged: int
    skipped: int
    quarantined: tuple[Quarantined, ...]
    seconds: float
    files: int


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What indexing added."""

    documents: int
    passages: int
    spans: int
    postings: int
    seconds: float
    stages: tuple[tuple[str, float], ...]
    """Seconds by stage: encode, spans, assign, write, dense."""
    device: str
    generation: str


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """Sizes and state of a library."""

    folder: str
    documents: int
    passages: int
    families: int
    quarantined: int
    offices: tuple[tuple[str, int], ...]
    years: tuple[tuple[int, int], ...]
    classes: tuple[tuple[str, int], ...]
    """Documents by CPC (else IPC) subclass, most first."""
    indexed_documents: int
    generation: str
    encoder: str
    read_only: bool
    bytes: int
