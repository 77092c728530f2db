"""Numbered sets: a query line, how it was read, and its documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from claimlight.types.classes import ClassFilter
from claimlight.types.dates import ReferenceDates, ZoneCount
from claimlight.types.patents import PublicationNumber
from claimlight.types.results import PassageId, PatentId, Provenance, Query, SearchResults, Span, StageTime
from claimlight.types.set_hits import SetHits


class DefaultOperator(StrEnum):
    """What stands between two words with nothing between them."""

    AND = "AND"
    OR = "OR"
    ADJ = "ADJ"


class ExportKind(StrEnum):
    """What a set is written as; the value is the ending of the file."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class TermCount:
    """One term of a query line and what the library holds of it."""

    text: str
    """As written, with its fields."""
    column: int
    """1-based place in the line."""
    words: int
    """How many different words of the library it stands for; 0 where it isn't made of words."""
    documents: int
    """Documents with at least one of them, in the fields asked for."""
    examples: tuple[str, ...] = ()
    """Some of the words, most frequent first."""
    rule: str = ""
    """How a semantic operator chose its documents, with the numbers; empty for other terms."""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query line as it was understood."""

    text: str
    """As given."""
    canonical: str
    """With every operator, bracket and field spelt out; reads to the same meaning."""
    terms: tuple[TermCount, ...]
    """In the order of the line; semantic operators and sets are terms too."""
    default_operator: DefaultOperator


@dataclass(frozen=True, slots=True)
class SetRequest:
    """Everything a set depends on besides the library, the model, the settings and the sets it names."""

    expression: str
    query: Query | None = None
    """The claim under examination: what ``COVERS(F3)`` speaks of."""
    before: date | None = None
    """Only documents published before this day."""
    exclude_family_of: PublicationNumber | None = None
    default_operator: DefaultOperator = DefaultOperator.AND
    depth: int = 1000
    """How many documents a semantic operator brings at most."""
    reference: ReferenceDates | None = None
    """Gives the documents that the date limit hides their status; leaves nothing out."""
    claim: int = 0
    """The claim whose priority counts in `reference`; 0 stands for all claims."""
    classes: tuple[ClassFilter, ...] = ()
    """Only documents with one of these classes or one below it; empty: all."""
    chosen: bool = False
    """The documents were chosen one by one, as on the map: ``expression`` says how and is no query line, and
    the recorded list is all that the set is."""


@dataclass(frozen=True, slots=True)
class SetResult:
    """The answer to one `SetRequest`."""

    request: SetRequest
    parsed: ParsedQuery
    patents: tuple[PatentId, ...]
    """Best first where a semantic operator gave scores, else newest first; ties by id."""
    scores: tuple[float, ...]
    """One for each patent; empty for a set without scores."""
    notes: tuple[str, ...]
    times: tuple[StageTime, ...]
    provenance: Provenance
    hits: SetHits = field(default_factory=SetHits)
    """The same documents by number, in the same order, as they are recorded."""
    hidden: tuple[ZoneCount, ...] = ()
    """Documents that match and that the date limit leaves out, by their zone."""
    cause: str = ""
    """If the set is empty: why, in a sentence."""
    asks: Query | None = None
    """The semantic part of the line as a query with its own features; None if it has none."""


@dataclass(frozen=True, slots=True)
class SetRerun:
    """A set that was run again."""

    result: SetResult | SearchResults
    """The result of a query line, or of a claim search."""
    equal: bool
    """Whether it holds the same documents in the same order as recorded."""
    differences: tuple[str, ...]
    """Changes since the set was recorded, in sentences; empty if there are none."""
    added: int = 0
    """Documents that are found now and were not then."""
    missing: int = 0
    """Documents that were found then and are not now."""


@dataclass(frozen=True, slots=True)
class SetMark:
    """A stretch of a stored text that a query line matched, and by which of its terms."""

    passage: PassageId
    span: Span
    term: int
    """Index in `ParsedQuery.terms`."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion of a query line."""

    text: str
    """What replaces the line from `start` on."""
    start: int
    """0-based place in the line."""
    help: str
    """A word's documents, a field's or operator's meaning."""
