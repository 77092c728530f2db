"""Events of long calls while they run, and their reports when they are done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from claimlight.types.origins import Differing
from claimlight.types.patents import Quarantined
from claimlight.types.training import TrainEvent


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

    @property
    def speed(self) -> tuple[float, str, str]:
        """The rate as it is shown: an amount, its format, and the unit of time: ``s``, ``min`` or ``h``.

        Slow work is not shown as 0 in a second.
        """
        for seconds, unit in ((1, "s"), (60, "min")):
            amount = self.rate * seconds
            if amount >= _LEAST_SPEED:
                return amount, ",.0f" if amount >= _WHOLE_SPEED else ".1f", unit
        return self.rate * 3600, ".1f", "h"


_LEAST_SPEED = 0.1
_WHOLE_SPEED = 10.0
"""From here on a decimal says nothing."""


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
    """A document was quarantined."""

    item: Quarantined


Event = Progress | Committed | Note | QuarantinedEvent | TrainEvent


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts of an import: what became of every document."""

    taken: int
    merged: int
    """Replaced by a newer or fuller record of the same publication."""
    unchanged: int
    skipped: int
    quarantined: tuple[Quarantined, ...]
    seconds: float
    files: int
    differing: int = 0
    """Records that differ from another one of the same publication."""
    differences: tuple[Differing, ...] = ()
    """The first of them."""
    reread: int = 0
    """Imported before by an earlier reader, and read again by this one."""


class ImportState(StrEnum):
    """State of an import."""

    RUNNING = "running"
    """Or killed: such a run has no end time."""
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What one file gave in one import."""

    path: str
    taken: int
    merged: int
    unchanged: int
    skipped: int
    quarantined: int
    reread: int = 0


@dataclass(frozen=True, slots=True)
class ImportRun:
    """One import, as recorded in the library it filled."""

    number: int
    started: datetime
    finished: datetime | None
    state: ImportState
    paths: tuple[str, ...]
    """As the user gave them."""
    files: tuple[ImportedFile, ...]
    """In the order they were read."""
    quarantined: tuple[Quarantined, ...]
    """Quarantined in this run, with reason and place."""
    skipped: tuple[tuple[str, int], ...]
    """Reasons for skipping, with their counts, most frequent first."""
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What indexing added."""

    documents: int
    """Documents of which title, abstract and claims were indexed."""
    passages: int
    spans: int
    postings: int
    seconds: float
    stages: tuple[tuple[str, float], ...]
    """Seconds by stage: encode, spans, assign, write, dense."""
    device: str
    generation: str
    full_text: int = 0
    """Documents of which the description was indexed."""


@dataclass(frozen=True, slots=True)
class SharedState:
    """The servers of a shared library, and how they answered."""

    title: str
    """Short name of the library: database and host."""
    user: str
    """As the database knows the user."""
    database: str
    """Name and version of its server."""
    database_seconds: float
    """Time of one question and answer."""
    engine: str
    """Name and version of the engine; empty if it did not answer, or if the database holds the index."""
    engine_seconds: float
    engine_fault: str = ""
    """Why the engine can't be used; empty if it can."""
    encrypted: bool = True
    """Whether both connections are."""
    hosts: tuple[str, ...] = ()
    """Every host and port that is connected to."""
    unencrypted: tuple[str, ...] = ()
    """Hosts to which a connection leaves this computer without encryption."""
    notes: tuple[str, ...] = ()
    """What an administrator should know of the engine."""


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """Sizes and state of a library."""

    folder: str
    """The address of a shared library."""
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
    languages: tuple[tuple[str, int], ...] = ()
    """Documents by language (ISO 639-1; empty: not said), most first."""
    textless: int = 0
    """Documents without any text: there is nothing to encode of them."""
    indexing: bool = False
    """Whether a window or command writes the index at this moment."""
    claims_only: int = 0
    """Indexed documents whose description is not indexed."""
    shared: SharedState | None = None
    """The servers of a shared library; None for that of a folder."""

    @property
    def title(self) -> str:
        """A short name for screens."""
        return Path(self.folder).name if self.shared is None else self.shared.title

    @property
    def local(self) -> str:
        """Its folder; empty for a shared library, whose documents and index are in none."""
        return self.folder if self.shared is None else ""

    @property
    def full_text(self) -> int:
        """Documents that are indexed with their description, or have none."""
        return self.indexed_documents - self.claims_only

    @property
    def waiting(self) -> int:
        """Documents that are still to be indexed."""
        return max(0, self.documents - self.textless - self.indexed_documents)
