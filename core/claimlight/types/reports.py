"""The work product of a search: search report, claim chart and search strategy of a case."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from claimlight.types.cases import AcceptedClass
from claimlight.types.classes import ClassFilter
from claimlight.types.dates import UNDATED, DateFinding, RuleSet
from claimlight.types.marks import Category, strength_of, write_letters
from claimlight.types.patents import PublicationNumber


class ReportKind(StrEnum):
    """What a report contains."""

    WHOLE = "whole"
    """Search report, claim chart and search strategy."""
    CHART = "chart"
    SEARCH_REPORT = "search-report"


class ReportFormat(StrEnum):
    """What a report is written as; the value is the extension of the file."""

    DOCX = "docx"
    PDF = "pdf"
    CSV = "csv"
    XML = "xml"


class StrategyFormat(StrEnum):
    """What a search strategy is written as; the value is the extension of the file."""

    DOCX = "docx"
    PDF = "pdf"
    CSV = "csv"
    JSON = "json"


class WarningKind(StrEnum):
    """What a report should not be sent with unseen."""

    NO_DATES = "no dates"
    PRIORITY_OPEN = "priority not verified"
    NO_CATEGORY = "claim without category"
    NO_PRIOR_ART = "claim without earlier publication"
    LATE = "published on or after the relevant date"
    NO_DATE = "date missing"
    NOVELTY_ONLY = "novelty only"
    WRONG_LETTER = "category contradicts dates"
    ALONE = "Y without partner"
    NO_PASSAGE = "category without passage"
    NO_RELEVANCE = "letter without X, Y or A"
    NOT_CITED = "D without citation"
    PASSAGE_ALONE = "passage without category"
    LEFT_OUT = "passage left out"
    NOT_HELD = "not in the library"
    TEXT_CHANGED = "text changed"
    EARLIER_WORDING = "earlier wording"
    EARLIER_CLAIM = "earlier version of the claim"
    NO_SEARCH = "no search"
    NO_LIBRARY = "no library"


@dataclass(frozen=True, slots=True)
class ReportWarning:
    """One thing to check before a report is exported."""

    kind: WarningKind
    text: str
    """A sentence."""
    claim: int = 0
    """The claim it is about; 0 if it is about none."""
    publication: PublicationNumber | None = None
    """The document it is about."""


@dataclass(frozen=True, slots=True)
class ReportApplication:
    """The application under examination."""

    publication: PublicationNumber | None = None
    application: PublicationNumber | None = None
    """Application number, if the library contains the publication."""
    title: str = ""
    applicant: str = ""
    filed: date | None = None
    priority: date | None = None
    """The earliest priority claimed."""
    verified: bool = False
    """Whether the examiner found the priority valid."""
    relevant: date | None = None
    rules: RuleSet = RuleSet.EPC
    version: str = ""
    """The version of the claims that was searched last; empty if there is one only."""


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that the examiner confirmed, with the features it discloses."""

    label: str
    """How it is cited: ``[0042]``, ``claim 3``."""
    text: str
    """As it was confirmed."""
    claim: int
    features: tuple[str, ...]
    """Labels of the features, in their order."""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ClaimCitation:
    """A document cited for one claim."""

    document: str
    """`ReportDocument.label`."""
    category: Category
    passages: tuple[CitedPassage, ...] = ()
    dates: DateFinding = UNDATED
    """Date status of the document for this claim."""
    note: str = ""
    kinds: tuple[Category, ...] = ()
    """The letters beside the category."""

    @property
    def letters(self) -> str:
        """``P,X``."""
        return write_letters(self.category, self.kinds)

    @property
    def strength(self) -> int:
        """0 for the strongest."""
        return strength_of(self.category, self.kinds)


@dataclass(frozen=True, slots=True)
class ReportClaim:
    """A claim of the application with the documents cited for it."""

    number: int
    """0 for an application without numbered claims."""
    text: str = ""
    parents: tuple[int, ...] = ()
    """Claims it refers to; empty for an independent claim."""
    relevant: date | None = None
    citations: tuple[ClaimCitation, ...] = ()
    """Strongest category first."""

    @property
    def independent(self) -> bool:
        """Whether it refers to no other claim."""
        return not self.parents


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A document that has a category or a confirmed passage."""

    label: str
    """``D1`` for the first."""
    publication: PublicationNumber
    held: bool = False
    """Whether the library contains it; if not, it has no bibliographic data."""
    title: str = ""
    applicants: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    published: date | None = None
    filed: date | None = None
    priority: date | None = None
    dates: DateFinding = UNDATED
    """Date status for the earliest priority of the application."""
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes on it and on its passages, in words; empty unless they were asked for."""


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One feature of a claim chart."""

    label: str
    text: str
    cells: tuple[tuple[CitedPassage, ...], ...]
    """The confirmed passages of each document of the chart; none: nothing is confirmed."""
    earlier: bool = False
    """Whether the feature was edited since its passages were confirmed."""


@dataclass(frozen=True, slots=True)
class ClaimChart:
    """Features of one claim by documents: confirmed passages only."""

    claim: int
    documents: tuple[str, ...]
    """`ReportDocument.label`, one for each cell of a row."""
    rows: tuple[ChartRow, ...]

    def confirmed(self) -> tuple[tuple[str, CitedPassage], ...]:
        """Each confirmed passage of a cell with the label of its document."""
        return tuple(
            (name, passage)
            for row in self.rows
            for name, cell in zip(self.documents, row.cells, strict=True)
            for passage in cell
        )


@dataclass(frozen=True, slots=True)
class FieldsSearched:
    """Classes of the application, and those that searches were restricted to."""

    accepted: tuple[AcceptedClass, ...] = ()
    restricted: tuple[ClassFilter, ...] = ()


@dataclass(frozen=True, slots=True)
class StrategyStep:
    """One recorded set: what was searched where, and how much was found."""

    label: str
    """``L1`` for the first."""
    created: datetime
    query: str
    """The query line, or what a claim search asked with."""
    parsed: str
    """The query line with every operator; empty for a claim search."""
    claim: int
    """Claim of a claim search; 0 for a query line or a text."""
    features: tuple[str, ...]
    """``F1: a frame`` for each feature a claim search asked with."""
    documents: int
    best: bool
    """Whether a claim search listed as many documents as it lists at most."""
    before: date | None
    """Only documents published before this day."""
    without_family_of: PublicationNumber | None
    classes: tuple[ClassFilter, ...]
    library: str
    """Folder."""
    library_documents: int
    model: str
    """Fingerprint of the encoder; empty if only words were searched."""
    index: str
    """Generation of the index; empty if only words were searched."""
    parameters: tuple[tuple[str, str], ...]
    version: str
    """The version of the claims that it searched; empty for a query line, and if there is one only."""
    terms: tuple[tuple[str, int], ...]
    """Terms of a query line and the number of documents of each."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepRerun:
    """A set that was run again, compared with what was recorded."""

    label: str
    equal: bool
    documents: int
    """Found now."""
    added: int
    missing: int
    differences: tuple[str, ...]
    """What changed since, in sentences."""
    fault: str = ""
    """Why it could not be run again; empty if it was."""


@dataclass(frozen=True, slots=True)
class SearchStrategy:
    """Every set of a case in the order in which they were run."""

    case: int
    name: str
    made: datetime
    steps: tuple[StrategyStep, ...]
    reruns: tuple[StepRerun, ...] = ()
    """One for each step if it was run again, else empty."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the examiner confirmed and marked in a case, and nothing that a model suggested."""

    case: int
    name: str
    made: datetime
    application: ReportApplication
    claims: tuple[ReportClaim, ...]
    documents: tuple[ReportDocument, ...]
    charts: tuple[ClaimChart, ...]
    fields: FieldsSearched
    strategy: SearchStrategy
    warnings: tuple[ReportWarning, ...] = ()
    notes: str = ""
    """The notes of the case; empty unless they were asked for."""

    def document(self, label: str) -> ReportDocument:
        """The document with this label."""
        return next(item for item in self.documents if item.label == label)

    def citations_of(self, document: ReportDocument) -> tuple[tuple[int, ClaimCitation], ...]:
        """The claims for which a document is cited, in their order."""
        return tuple(
            (claim.number, item)
            for claim in self.claims
            for item in claim.citations
            if item.document == document.label
        )

    def letters(self, claim: int) -> dict[str, str]:
        """The letters of each document that is cited for a claim, by its label."""
        cited = (item for each in self.claims if each.number == claim for item in each.citations)
        return {item.document: item.letters for item in cited}


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """A report or strategy that is on disk."""

    path: str
    notes: tuple[str, ...] = ()
    """What the format could not show, in sentences."""
