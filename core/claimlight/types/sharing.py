"""What filling a shared library gives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimlight.types.patents import PublicationNumber

BATCH_DOCUMENTS = 200
"""Documents that a push has acknowledged together, unless another number is given."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A document that was not pushed, and why."""

    publication: str
    reason: str


@dataclass(frozen=True, slots=True)
class PushReport:
    """What became of the documents of a library that was pushed; each is counted once."""

    shared: str
    """Name of the shared library."""
    new: int
    replaced: int
    """In place of another text of the same publication that says less."""
    deepened: int
    """Were there, and are indexed more deeply now."""
    skipped: int
    """Were there already, as deeply indexed."""
    kept: int
    """The shared library has another text of the publication that says more, or is indexed more deeply."""
    refused: tuple[SetAside, ...]
    """Can't be stored."""
    text_only: int
    """Documents of those pushed now that have no index: found by words and query lines only."""
    sections: int
    """Parts that the engine was given."""
    passages: int
    bytes: int
    """Of texts and rows of the index that were written to the database."""
    batches: int
    cleaned: int
    """Documents of pushes that were killed, whose parts the engine has forgotten."""
    seconds: float
    kept_documents: tuple[SetAside, ...] = ()
    """The first of those that were kept."""


@dataclass(frozen=True, slots=True)
class PushWorker:
    """A run of a push into a shared library."""

    number: int
    name: str
    """User and computer."""
    source: str
    """Name of the folder of the library that was pushed, without its path."""
    begun: datetime
    ended: datetime | None
    state: str
    """``running``, ``done``, ``failed``, or ``lost`` if it was killed."""
    batches: int
    documents: int
    bytes: int
    under_way: int
    """Documents of its batches that are not acknowledged."""
    error: str


@dataclass(frozen=True, slots=True)
class PushStatus:
    """The manifest of a shared library."""

    shared: str
    documents: int
    indexed: int
    """Of them, in the semantic index."""
    workers: tuple[PushWorker, ...]
    """Newest first."""
    leftovers: int
    """Documents that the engine must still forget; the next push sees to it."""


@dataclass(frozen=True, slots=True)
class PushCheck:
    """A library compared with what was pushed of it."""

    shared: str
    documents: int
    """Documents of the library."""
    same: int
    """Those that the shared library has with the same text, as deeply indexed."""
    other: int
    """Those of which it keeps a text that says more."""
    missing: tuple[str, ...]
    """Publications that it does not have, or less deeply indexed."""
    parts: int
    """Indexed parts whose rows were compared."""
    other_rows: int
    """Parts that were encoded elsewhere, so that their rows differ."""
    damaged: tuple[str, ...]
    """Publications whose rows no longer have their checksum."""
    expected_sections: int
    """Parts that the engine is to hold, by the database; and below what it holds."""
    found_sections: int
    expected_passages: int
    found_passages: int
    wrong_documents: tuple[str, ...]
    """Publications of which the engine has another number of parts."""
    leftovers: int
    seconds: float

    @property
    def sound(self) -> bool:
        """Whether nothing is missing, damaged or too much."""
        return not (self.missing or self.damaged or self.wrong_documents) and (
            (self.expected_sections, self.expected_passages) == (self.found_sections, self.found_passages)
        )


@dataclass(frozen=True, slots=True)
class PushRemoval:
    """What was removed from a shared library."""

    shared: str
    removed: tuple[PublicationNumber, ...]


@dataclass(frozen=True, slots=True)
class PushReaders:
    """Who was given the right to read a shared library."""

    shared: str
    role: str
    """A user or group of the database."""


@dataclass(frozen=True, slots=True)
class PushRestoration:
    """What the engine of a shared library was given again."""

    shared: str
    documents: int
    """Documents that were looked at."""
    restored: int
    """Those of which the engine had another number of parts."""
