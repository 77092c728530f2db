"""What the evaluation of a library found, as a front shows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GroupKind(StrEnum):
    """What the queries of a group have in common."""

    ALL = "all"
    YEAR = "year"
    """The year the query's document was published in."""
    SECTION = "section"
    """A section of the CPC, of the IPC where a document has no CPC."""
    SUBCLASS = "subclass"


@dataclass(frozen=True, slots=True)
class SystemRecall:
    """Recall of one system, one figure for each depth: the mean over the queries."""

    system: str
    recall: tuple[float, ...]
    low: tuple[float, ...] = ()
    """Lower ends of the 95 % intervals; empty where the queries are too few to give any."""
    high: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluatedGroup:
    """Queries of one kind and what each system found of their citations."""

    kind: GroupKind
    name: str
    queries: int
    citations: int
    """Pairs of a query and a family that it should find."""
    systems: tuple[SystemRecall, ...]


@dataclass(frozen=True, slots=True)
class Advantage:
    """How much more one system finds than another on the same queries, at the main depth."""

    system: str
    base: str
    mean: float
    low: float
    high: float
    p: float
    """Two-sided p value of a randomisation test."""


@dataclass(frozen=True, slots=True)
class MissedCitations:
    """A document of whose citations some were found by no system at any depth."""

    publication: str
    title: str
    missed: tuple[str, ...]
    """Publication numbers, one for each family."""
    citations: int


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Recall of citations inside a library, by system, depth, year and class."""

    library: str
    systems: tuple[str, ...]
    depths: tuple[int, ...]
    """Families looked through, ascending."""
    main_depth: int
    """The depth at which groups and systems are compared."""
    groups: tuple[EvaluatedGroup, ...]
    """All queries first, then years, sections, subclasses."""
    advantages: tuple[Advantage, ...]
    missed: tuple[MissedCitations, ...]
    """Some of those with most missed; `missed_citations` counts them all."""
    missed_citations: int
    facts: tuple[tuple[str, str], ...]
    """What was measured on what, name and value."""
    notes: tuple[str, ...]
    page: str = ""
    """The HTML page, where one was written."""
    data: str = ""
    """The JSON beside it."""

    @property
    def overall(self) -> EvaluatedGroup:
        """The group of all queries."""
        return self.groups[0]
