"""Requests and results of searches: hits, and the evidence that makes up their score."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NewType

from claimlight.types.classes import ClassFilter
from claimlight.types.dates import UNDATED, DateFinding, ReferenceDates, Zone, ZoneCount
from claimlight.types.depth import NONE_READ, IndexDepth, PassagesRead
from claimlight.types.origins import PartOrigin
from claimlight.types.patents import (
    Citation,
    ClaimElement,
    ClassSymbol,
    LocalText,
    Party,
    Priority,
    PublicationNumber,
    Related,
    Section,
)
from claimlight.types.strength import CellVerdict, ChartVerdict, FeatureStrength, TermState, Unjudged

PatentId = NewType("PatentId", int)
"""Row id of a document in its library; stable as long as the library lives."""
PassageId = NewType("PassageId", int)
"""Row id of a passage in its library."""
CenterId = NewType("CenterId", int)
"""Row of a center in its vocabulary."""


_ADDED = re.compile(r"plugin:[A-Za-z0-9][A-Za-z0-9._-]*")


class Ranker(StrEnum):
    """A way of ranking documents."""

    BM25 = "bm25"
    DENSE = "dense"
    CENTERS = "centers"
    SPLADE = "splade"
    COLBERT = "colbert"

    @classmethod
    def _missing_(cls, value: object) -> Ranker | None:
        """``plugin:NAME``: a ranker that a plug-in adds, also where that is not installed (any more).

        Requests with it are kept in cases, and must be readable everywhere.
        """
        if not isinstance(value, str) or not _ADDED.fullmatch(value):
            return None
        made = str.__new__(cls, value)
        made._name_ = made._value_ = value
        # One object per name, as members are compared by identity; setdefault also settles two threads.
        kept = cls._value2member_map_.setdefault(value, made)
        assert isinstance(kept, cls)
        return kept

    @classmethod
    def of_plugin(cls, name: str) -> Ranker:
        """The ranker that a plug-in adds under a name; `ValueError` for what is no name."""
        return cls(f"plugin:{name}")

    @property
    def added(self) -> str:
        """The name of the plug-in that adds it; empty for those of the program."""
        return self.value.partition("plugin:")[2]


SEARCH_RANKERS = (Ranker.BM25, Ranker.DENSE, Ranker.CENTERS)
"""Rankers of a search by default."""
TOP = 50
"""Documents that a claim search lists, in the window and on the command line."""
COMPARED_RANKERS = (Ranker.SPLADE, Ranker.COLBERT)
"""Rankers for comparison: each has a model package and an index of its own."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points in a stored text."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a claim: its label (``F1``) and its range in `Query.text`."""

    label: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A claim ready to be searched: normalised text and its features (disjoint, in text order)."""

    text: str
    features: tuple[Feature, ...] = ()
    section: Section = Section.CLAIMS
    notes: tuple[str, ...] = ()
    """Problems of the claim as it was read, such as a reference to a missing claim."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What an examiner's marks say about a claim search; see `claimlight.services.search.feedback`."""

    pull: tuple[PublicationNumber, ...]
    """Relevant documents: marked X or Y, or with a confirmed passage."""
    push: tuple[PublicationNumber, ...] = ()
    """Documents marked as not relevant."""
    passages: tuple[str, ...] = ()
    """Texts of the confirmed passages."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Everything a search depends on besides the library, the model and the settings."""

    query: Query
    before: date | None = None
    """Only documents published before this day."""
    exclude_family_of: PublicationNumber | None = None
    """The document under examination: it and its family are left out."""
    top: int = TOP
    legs: tuple[Ranker, ...] = SEARCH_RANKERS
    reference: ReferenceDates | None = None
    """Gives every hit its date status; leaves nothing out."""
    claim: int = 0
    """The claim whose priority counts in `reference`; 0 stands for all claims."""
    only: tuple[str, ...] = ()
    """Labels of the features to ask with, such as what one document lacks; empty asks with all the text."""
    over: PublicationNumber | None = None
    """D1 of a search for what it lacks: it and its family are left out, and the hits are ordered by what they
    gain over it in the features of `only`."""
    classes: tuple[ClassFilter, ...] = ()
    """Only documents with one of these classes or one below it; empty: all."""
    feedback: Feedback | None = None
    """Marks that the ranking follows; None: none."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One term of a passage's center score: the query span and the passage span that met in a center."""

    query: Span
    """In `Query.text`."""
    passage: Span
    """In the stored text of the passage."""
    center: CenterId
    anchor: str
    """The words the center was taken from: its dictionary entry."""
    contribution: float
    """w_query * w_passage * idf^alpha / length norm; with `PassageHit.other_words` they sum to its score."""
    feature: str
    """Label of the feature that contains the query span; empty outside all features."""
    shared: tuple[str, ...] = ()
    """Words (case-folded) in both spans; empty for a semantic match only."""


@dataclass(frozen=True, slots=True)
class Match:
    """A phrase of the query and a phrase of a passage: evidence of one feature whose words stand together."""

    query: Span
    """In `Query.text`."""
    passage: Span
    """In the stored text of the passage."""
    feature: str
    """Empty outside all features."""
    contribution: float
    """Sum over its evidence."""
    evidence: tuple[int, ...]
    """Places in `PassageHit.evidence`, strongest first."""
    shared: tuple[str, ...] = ()
    """Words (case-folded) that both phrases share."""
    weak: bool = False
    """It bears on no feature that the passage matches at the threshold or above: marked when asked for."""


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage with its center score and the evidence that is that score."""

    passage: PassageId
    section: Section
    label: str
    """How the passage is cited: ``[0042]``, ``claim 3``, ``abstract``."""
    text: str
    score: float
    evidence: tuple[Evidence, ...] = ()
    """Terms of the score whose words say something on both sides, strongest first."""
    matches: tuple[Match, ...] = ()
    """The same as phrases, strongest first."""
    other_words: float = 0.0
    """What words that say nothing (of, one, claim) add: the evidence and this sum to the score."""
    strengths: tuple[FeatureStrength, ...] = ()
    """The features that the passage matches, in their order."""


@dataclass(frozen=True, slots=True)
class FeatureCoverage:
    """How strongly the best passage of a document matches one feature."""

    feature: str
    strength: float
    """Match strength, 0 to 1; see `FeatureStrength`."""
    verdict: CellVerdict
    passage: PassageId | None
    """The best passage; None where nothing matches."""
    label: str = ""
    """How it is cited: ``[0042]``."""
    cause: Unjudged = Unjudged.NONE
    """Why it is not judged or not compared."""


@dataclass(frozen=True, slots=True)
class FeatureTerm:
    """A word of a feature, and what a passage has of it."""

    span: Span
    """In `Query.text`."""
    state: TermState


@dataclass(frozen=True, slots=True)
class CellRuling:
    """The ruling of a judge on one feature in one document."""

    feature: str
    verdict: ChartVerdict
    probability: float
    """Calibrated probability that the document discloses the feature, 0 to 1."""
    judge: str
    """Name of the judge that spoke."""
    passage: PassageId
    """The passage that counts."""
    label: str
    """How it is cited: ``[0042]``."""
    candidates: tuple[PassageId, ...] = ()
    """The best of the passages that the judge read, best first; `passage` is the first."""
    terms: tuple[FeatureTerm, ...] = ()
    """The words of the feature that say something, in order; without those the judge says nothing of."""
    read: int = 0
    """How many passages of the document the judge read for the feature."""
    passages: int = 0
    """How many the document has in a language that the judge reads."""
    word_by_word: bool = False
    """The passage states the feature word by word, and no judge that may say *disclosed* denies it:
    `probability` is the share of such cells that disclose the feature, unless the judge's is higher."""

    @property
    def missing(self) -> tuple[Span, ...]:
        """The words of the feature that the passage does not have, not even by meaning."""
        return tuple(term.span for term in self.terms if term.state is TermState.MISSING)


@dataclass(frozen=True, slots=True)
class RankerPlace:
    """Rank (1 = first) and raw score of a document by one ranker."""

    leg: Ranker
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class PatentSummary:
    """What a row of a list shows of a document."""

    id: PatentId
    publication: PublicationNumber
    title: str
    published: date | None
    filed: date | None
    priority: date | None
    """The earliest priority date."""
    applicant: str
    family: str
    language: str
    classes: tuple[str, ...] = ()
    """CPC symbols, else IPC, first ones first."""
    earlier: Related | None = None
    """The first publication of its application, where the document names one with its day."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One document of a result, best first."""

    patent: PatentSummary
    score: float
    """Fused score; only its order means anything."""
    ranks: tuple[RankerPlace, ...]
    coverage: tuple[FeatureCoverage, ...]
    """One for each feature of the query, in order."""
    passages: tuple[PassageHit, ...]
    """The best passages of the document, best first."""
    family_members: tuple[PublicationNumber, ...] = ()
    """Other members of the same family that were found and folded into this row."""
    zone: Zone = Zone.UNKNOWN
    """Against the reference dates of the request; unknown where it gave none."""
    dates: DateFinding = UNDATED
    """By which provision it counts, in words; `zone` is its letter."""
    gain: float | None = None
    """Mean over the features asked for of what the hit has more of them than D1, 0 to 1; None where no D1 was
    named."""
    language_note: str = ""
    """What the model can't do with the language of this document; empty where it reads it."""
    depth: IndexDepth = IndexDepth.FULL
    """How much of it is in the semantic index."""
    read: PassagesRead = NONE_READ
    """What searches have read of its description, if that is not indexed."""
    unmarked_rank: int | None = None
    """Its place without the marks of the request; None without marks, 0 if it was not found without them."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """Seconds spent in one stage of a search; of what ran beside other stages, those it was waited for."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Provenance:
    """What must be equal for the same search to give the same answer."""

    library: str
    generation: str
    documents: int
    encoder: str
    """Fingerprint of the model package."""
    centers: str
    """Fingerprint of the center vocabulary."""
    device: str
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The answer to one `SearchRequest`."""

    request: SearchRequest
    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    """Sentences the user must read: a missing index, a device that was not there, a query cut short."""
    times: tuple[StageTime, ...]
    provenance: Provenance
    hidden: tuple[ZoneCount, ...] = ()
    """Documents that would be on this list without the date limit, by their zone."""
    cause: str = ""
    """Where there is no hit: why, in a sentence."""
    answered: bool = True
    """False if no ranker could search, as when the servers of a shared library are gone."""
    engine_fault: str = ""
    """Why rankings are missing that the engine of a shared library was asked for; empty if none are."""

    @property
    def is_full(self) -> bool:
        """Whether the list is as long as was asked for, so that more documents may match."""
        return len(self.hits) >= self.request.top


@dataclass(frozen=True, slots=True)
class DocumentEvidence:
    """The evidence of a whole document for a query: all its scored passages and each feature's best."""

    patent: PatentId
    passages: tuple[PassageHit, ...]
    """Every passage with a score above zero, best first."""
    features: tuple[FeatureEvidence, ...]


@dataclass(frozen=True, slots=True)
class FeatureEvidence:
    """One feature searched on its own inside one document: its best passages, best first."""

    feature: Feature
    strength: float
    """Match strength of the best passage."""
    verdict: CellVerdict
    passages: tuple[PassageHit, ...]
    """Scores and evidence of the feature alone; empty where nothing matches."""
    cause: Unjudged = Unjudged.NONE
    """Why it is not judged or not compared."""


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage as the reader shows it."""

    id: PassageId
    section: Section
    label: str
    heading: str
    language: str
    text: str
    claim: int = 0
    """The claim number; 0 outside claims."""
    parents: tuple[int, ...] = ()
    """For a claim: the claims it refers to directly."""
    elements: tuple[ClaimElement, ...] = ()
    """For a claim: its nested texts."""


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A whole document for the reader."""

    summary: PatentSummary
    passages: tuple[PassageView, ...]
    """In reading order: title and abstract, claims, description."""
    classes: tuple[ClassSymbol, ...]
    citations: tuple[Citation, ...]
    cited_by: tuple[PublicationNumber, ...]
    """Documents of this library that cite it."""
    parties: tuple[Party, ...]
    priorities: tuple[Priority, ...]
    family_members: tuple[PublicationNumber, ...]
    source: str
    application: PublicationNumber | None = None
    origins: tuple[PartOrigin, ...] = ()
    """For each part that is there, the record it was taken from."""
    titles: tuple[LocalText, ...] = ()
    """In every language, that of the document first."""
    abstracts: tuple[LocalText, ...] = ()
    relations: tuple[Related, ...] = ()
    """Documents of the same filing history."""
    office_family: str = ""
    """The office's own identifier of the family."""
