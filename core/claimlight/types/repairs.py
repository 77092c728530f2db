"""What a repair will do, and what it did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from claimlight.types.health import Finding


class LibraryRestored(NamedTuple):
    """A library whose database was made again."""

    kept_documents: int = 0
    """Documents that were sound."""
    read_again: int = 0
    """Documents read again from their files, exactly as they were."""
    read_differently: int = 0
    """Documents read from files that were not known, or do not say the same any more; indexed again."""
    missing: tuple[str, ...] = ()
    """Publications that could not be restored."""
    returned: tuple[str, ...] = ()
    """Publications read from files that had been removed or replaced before."""
    complete: bool = False
    """Whether it is sure that no other document was in it."""
    index_keeps: int = 0
    """Documents whose part of the index stays valid."""
    kept: str = ""
    """Path of the damaged database; empty if there was none."""


class BookSalvaged(NamedTuple):
    """A case book that was made again of a damaged one and its backup."""

    newer: int = 0
    """Rows that the backup lacks or has in an older state, and rows that never change."""
    from_history: tuple[str, ...] = ()
    """Damaged rows whose content was in the history of their case."""
    older: tuple[str, ...] = ()
    """Damaged rows that are as in the backup again; later changes are in the kept file only."""
    lost: tuple[str, ...] = ()
    """Damaged rows that nothing else has."""
    whole: bool = True
    """False if pages could not be read: work since the backup may be missing without a name."""
    kept: str = ""
    """Path of the damaged book."""
    backup: str = ""
    """Path of the backup that was used; empty if there was none."""
    day: str = ""
    """Day of the backup (ISO 8601)."""


@dataclass(frozen=True, slots=True)
class RepairStep:
    """One repair of a plan."""

    key: str
    """Which: ``library``, ``words``, ``index``, ``graph``, ``case book`` or ``leftovers``."""
    does: str
    """What it does, in a sentence."""
    keeps: str
    """Where what it replaces is kept; empty if it replaces nothing."""


@dataclass(frozen=True, slots=True)
class RepairResult:
    """What a step did."""

    key: str
    said: tuple[str, ...]
    """Sentences."""
    done: bool = True
    """False if it could not be done."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """What a regular check found."""

    findings: tuple[Finding, ...] = ()
    """Results for what was due; empty if nothing was."""
    backup: date | None = None
    """Day of the newest sound backup of the case book, if that was due and has one."""

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What is damaged."""
        return tuple(item for item in self.findings if not item.ok)
