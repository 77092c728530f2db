"""What the API gives: plain frozen values without row numbers, paths or stack of the program.

A publication is its number as text (``EP1000000A1``). Ranges are half-open and count code points of the text
they are of. A match strength is a share, 0 to 1; a score is a real number of which only the order has a
meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, overload

from claimlight.api.tables import Row, Table
from claimlight.types import (
    CellVerdict,
    ChartVerdict,
    Claim,
    ClassSymbol,
    DateFinding,
    IndexDepth,
    Lamp,
    LocalText,
    Party,
    Priority,
    Provenance,
    Ranker,
    Section,
    ZoneCount,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a claim."""

    label: str
    """``F1``, ``F2`` … in the order of the text."""
    text: str
    start: int
    """Range in `Query.text`."""
    end: int


@dataclass(frozen=True, slots=True)
class Query:
    """What was searched: a claim with those it depends on in front, or a text."""

    text: str
    """Normalised: this is what spans of the evidence count in."""
    features: tuple[Feature, ...]
    claim: int
    """The number of the claim; 0 where the text is no claim."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of the query and words of a passage that met in a center, and what that adds to the score."""

    feature: str
    """Label of the feature that contains the words of the query; empty outside all features."""
    query_text: str
    query_start: int
    """Range in `Query.text`."""
    query_end: int
    passage_text: str
    passage_start: int
    """Range in `Passage.text`."""
    passage_end: int
    center: int
    """Number of the center in the vocabulary of the model, from 0."""
    concept: str
    """The words that the center was taken from."""
    contribution: float
    """In the unit of `Passage.score`."""
    shared: tuple[str, ...]
    """Words (case-folded) on both sides; empty where only meaning met."""


@dataclass(frozen=True, slots=True)
class FeatureMatch:
    """How strongly one feature is matched, by a passage or by the best passage of a document."""

    feature: str
    strength: float
    """Match strength, 0 to 1: the share of the feature's weight that words match which say something."""
    verdict: CellVerdict
    label: str
    """How the passage is cited: ``[0042]``; empty where nothing matches."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with its center score and the evidence that is that score.

    The contributions of `evidence` and `other_words` sum to `score`. A passage that was found by its words
    alone has the score 0 and no evidence.
    """

    section: Section
    label: str
    """How it is cited: ``[0042]``, ``claim 3``, ``abstract``."""
    text: str
    score: float
    evidence: tuple[Evidence, ...]
    """Strongest first."""
    other_words: float
    """What words add that say nothing (of, one, claim)."""
    features: tuple[FeatureMatch, ...]
    """The features that it matches, in their order."""

    def __repr__(self) -> str:
        return f"<Passage {self.label}: score {self.score:.2f}, {len(self.evidence):,} pieces of evidence>"


@dataclass(frozen=True, slots=True)
class RankerScore:
    """Rank and score of a document by one ranker."""

    leg: Ranker
    rank: int
    """From 1."""
    score: float
    """In the unit of the ranker."""


@dataclass(frozen=True, slots=True)
class Found:
    """A document in a list: what its row shows."""

    rank: int
    """From 1."""
    publication: str
    title: str
    applicant: str
    published: date | None
    filed: date | None
    priority: date | None
    """The earliest priority date."""
    language: str
    """ISO 639-1; empty where unknown."""
    classes: tuple[str, ...]
    """CPC symbols, else IPC, the main one first."""
    score: float | None
    """Combined score of a search, or of the semantic operators of a query line; None without such."""
    dates: DateFinding | None
    """Its date status; None where no dates of an application were given."""

    def __repr__(self) -> str:
        score = "" if self.score is None else f", score {self.score:.2f}"
        return f"<{type(self).__name__} {self.rank} {self.publication}: {self.title}{score}>"


@dataclass(frozen=True, slots=True)
class Hit(Found):
    """One document that a search found."""

    legs: tuple[RankerScore, ...]
    """The rankers that ranked it."""
    features: tuple[FeatureMatch, ...]
    """One for each feature of the query, by the best passage; empty without an index."""
    passages: tuple[Passage, ...]
    """The best passages, best first; as many as the setting search.passages_per_hit says."""
    family: tuple[str, ...]
    """Other publications of its family that were found too and are not listed."""
    note: str
    """What the model can't do with the language of the document; empty where it reads it."""
    depth: IndexDepth
    """How much of it is in the index."""

    __repr__ = Found.__repr__


_FRONT = (
    "rank",
    "publication",
    "title",
    "applicant",
    "published",
    "filed",
    "priority",
    "language",
    "classes",
)
_DATED = ("zone", "status", "date_note")
_ROW = (*_FRONT, "score", *_DATED)
"""The columns that every list has."""


def _row(item: Found) -> Row:
    row: Row = {name: getattr(item, name) for name in (*_FRONT, "score")}
    if item.dates is None:
        return row | dict.fromkeys(_DATED)
    return row | {
        "zone": item.dates.zone.value,
        "status": item.dates.status.value,
        "date_note": item.dates.label,
    }


@dataclass(frozen=True, slots=True, repr=False)
class SearchResults(Sequence[Hit], Table):
    """The answer to a search: a sequence of hits, best first."""

    query: Query
    legs: tuple[Ranker, ...]
    """The rankers that were requested."""
    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    """Sentences to read: a missing index, a query that was cut short."""
    hidden: tuple[ZoneCount, ...]
    """Documents that would be listed without the date limit, by their zone."""
    cause: str
    """If nothing was found: why."""
    seconds: float
    provenance: Provenance
    """What must be equal for the same search to give the same answer."""

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, at: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[at]

    def __repr__(self) -> str:
        return _describe_list("SearchResults", self.hits)

    @property
    def publications(self) -> tuple[str, ...]:
        """The numbers alone, best first."""
        return tuple(hit.publication for hit in self.hits)

    @property
    def columns(self) -> tuple[str, ...]:
        """Front, score, date status; score and rank of each leg, strength of each feature, best passage."""
        legs = (name for leg in self.legs for name in (leg.value, f"{leg.value}_rank"))
        return (*_ROW, *legs, *(item.label for item in self.query.features), *_BEST)

    def to_records(self) -> list[Row]:
        """One row a document."""
        labels = [feature.label for feature in self.query.features]
        return [_hit_row(hit, self.legs, labels) for hit in self.hits]

    def evidence_records(self) -> list[Row]:
        """One row for each piece of evidence of each passage, in the order of the list."""
        return [
            {"rank": hit.rank, "publication": hit.publication, **row}
            for hit in self.hits
            for row in _evidence_rows(hit.passages)
        ]


_BEST = ("passage", "passage_text", "passage_score", "family")


def _hit_row(hit: Hit, legs: Sequence[Ranker], labels: Sequence[str]) -> Row:
    of_leg = {item.leg: item for item in hit.legs}
    strength = {item.feature: item.strength for item in hit.features}
    row = _row(hit)
    for leg in legs:
        found = of_leg.get(leg)
        row |= {leg.value: found.score if found else None, f"{leg.value}_rank": found.rank if found else None}
    row |= {label: strength.get(label) for label in labels}
    best = hit.passages[0] if hit.passages else None
    shown = (best.label, best.text, best.score) if best else ("", "", None)
    return row | dict(zip(_BEST, (*shown, hit.family), strict=True))


def _evidence_rows(passages: Sequence[Passage]) -> Iterator[Row]:
    names = Evidence.__dataclass_fields__
    for passage in passages:
        for item in passage.evidence:
            yield {"passage": passage.label, **{name: getattr(item, name) for name in names}}


def _describe_list(name: str, found: Sequence[Found]) -> str:
    first = f", first {found[0].publication}" if found else ""
    return f"<{name}: {len(found):,} documents{first}>"


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query line and what the library holds of it."""

    text: str
    words: int
    """How many different words of the library it stands for; 0 where it isn't made of words."""
    documents: int
    rule: str
    """How a semantic operator chose its documents; empty for other terms."""


@dataclass(frozen=True, slots=True, repr=False)
class QueryResults(Sequence[Found], Table):
    """The documents of a query line: by score if a semantic operator gave any, else newest first."""

    line: str
    canonical: str
    """The line as it was understood, with every operator, bracket and field spelt out."""
    terms: tuple[Term, ...]
    hits: tuple[Found, ...]
    documents: int
    """Number of documents of the line; more than hits if ``top`` cut the list."""
    notes: tuple[str, ...]
    hidden: tuple[ZoneCount, ...]
    """Documents that match and that the date limit leaves out, by their zone."""
    cause: str
    """Why nothing was found; empty otherwise."""
    seconds: float
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, at: int) -> Found: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Found, ...]: ...
    def __getitem__(self, at: int | slice) -> Found | tuple[Found, ...]:
        return self.hits[at]

    def __repr__(self) -> str:
        return _describe_list("QueryResults", self.hits)

    @property
    def publications(self) -> tuple[str, ...]:
        """The numbers alone, in the order of the list."""
        return tuple(hit.publication for hit in self.hits)

    @property
    def columns(self) -> tuple[str, ...]:
        """Front of the document, score and date status."""
        return _ROW

    def to_records(self) -> list[Row]:
        """One row a document."""
        return [_row(hit) for hit in self.hits]


@dataclass(frozen=True, slots=True)
class DocumentEvidence:
    """A whole document against a query."""

    publication: str
    query: Query
    passages: tuple[Passage, ...]
    """Every passage with a score above zero, best first; empty where nothing is indexed."""
    features: tuple[FeatureMatch, ...]
    """One for each feature of the query, by the best passage."""

    def __repr__(self) -> str:
        return f"<DocumentEvidence {self.publication}: {len(self.passages):,} passages>"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling of a judge on one feature in one document."""

    verdict: ChartVerdict
    probability: float
    """Calibrated probability that the document discloses the feature, 0 to 1."""
    judge: str
    """Name of the judge."""
    missing: tuple[str, ...]
    """Words of the feature that the passage has not, not even by meaning."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One feature in one document of a matrix."""

    feature: str
    strength: float
    """Match strength, 0 to 1."""
    verdict: CellVerdict
    label: str
    """How the best passage is cited; empty where nothing matches."""
    lamp: Lamp
    """A warning: a match that shares no word, or all words and no match."""
    ruling: Ruling | None = None
    """What a judge says; None where none was asked or could read."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One document of a matrix."""

    publication: str
    title: str
    full_text: bool
    """Whether claims or description are there, not only title and abstract."""
    strength: float
    """Mean over the features, 0 to 1; what is not judged counts 0."""
    dates: DateFinding
    """Its date status; unknown where no dates of an application were given."""
    cells: tuple[Cell, ...]
    """One for each feature, in order."""
    depth: IndexDepth
    """How much of it is in the index; what a document that is there by its claims only lacks may be in its
    description."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents that together match more of a claim than either does alone."""

    first: str
    """The publication that matches more on its own."""
    second: str
    strength: float
    """Mean over the features, 0 to 1, of the probability that at least one of the two discloses it; of match
    strengths the larger."""
    gain: float
    """What the second adds to the mean strength of the first."""
    both: tuple[str, ...]
    """Features likely disclosed in each: probability from 0.5, or without a verdict a strong match."""
    only_first: tuple[str, ...]
    """Features likely disclosed in the first only."""
    only_second: tuple[str, ...]
    """Features likely disclosed in the second only."""
    neither: tuple[str, ...]
    """Features likely disclosed in neither."""


@dataclass(frozen=True, slots=True, repr=False)
class Matrix(Table):
    """Features of a claim against documents, and the pairs of documents that match it together."""

    query: Query
    rows: tuple[MatrixRow, ...]
    """Documents with claims or description, then those of which only title and abstract are here."""
    pairs: tuple[Pair, ...]
    """Best first."""
    left_out: tuple[str, ...]
    """Publications that are in no pair because they do not count for inventive step or obviousness."""
    notes: tuple[str, ...]
    medium: float
    """The strength from which on a match is suggested, 0 to 1."""
    strong: float
    """The strength from which on it counts as strong."""

    def __repr__(self) -> str:
        return f"<Matrix: {len(self.rows):,} documents, {len(self.query.features):,} features>"

    @property
    def strengths(self) -> NDArray[np.float64]:
        """[documents, features] match strengths, in the order of `rows` and of the features."""
        import numpy as np

        cells = [[cell.strength for cell in row.cells] for row in self.rows]
        return np.array(cells, dtype=np.float64).reshape(len(self.rows), len(self.query.features))

    @property
    def columns(self) -> tuple[str, ...]:
        """The document, its mean strength, and the strength of each feature."""
        labels = (item.label for item in self.query.features)
        return ("publication", "title", "full_text", "strength", *labels)

    def to_records(self) -> list[Row]:
        """One row a document."""
        return [
            {
                "publication": row.publication,
                "title": row.title,
                "full_text": row.full_text,
                "strength": row.strength,
                **{cell.feature: cell.strength for cell in row.cells},
            }
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited document: a publication, or non-patent literature as text."""

    publication: str
    """Empty for other literature."""
    text: str
    category: str
    """Letters of the search report (``X``, ``Y``, ``A``), or the office's own words; empty where none."""
    origin: str
    """Who brought it up: applicant, examiner, search, opposition, description, other."""
    claims: str
    passage: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of a description."""

    label: str
    """How it is cited: ``[0042]``."""
    section: Section
    heading: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A whole document of a library."""

    publication: str
    country: str
    number: str
    kind: str
    """Kind code."""
    title: str
    """In the language of the document; `titles` has them all."""
    abstract: str
    language: str
    """ISO 639-1; empty where unknown."""
    published: date | None
    filed: date | None
    priority: date | None
    """The earliest priority date."""
    application: str
    """Application number; empty where unknown."""
    applicant: str
    """The name that lists show: assignee, else applicant, else inventor."""
    family: str
    """Key of the simple family: equal for documents of one family."""
    office_family: str
    """The office's own identifier of the family; empty where it gives none."""
    family_members: tuple[str, ...]
    """The other publications of the family in this library."""
    related: tuple[str, ...]
    """Documents of the same filing history."""
    cited_by: int
    """Documents of this library that cite it."""
    titles: tuple[LocalText, ...]
    """In every language, that of the document first."""
    abstracts: tuple[LocalText, ...]
    claims: tuple[Claim, ...]
    """In every language, those of the language they are read in first."""
    description: tuple[Paragraph, ...]
    """Empty where it was not asked for."""
    classes: tuple[ClassSymbol, ...]
    citations: tuple[Citation, ...]
    parties: tuple[Party, ...]
    priorities: tuple[Priority, ...]

    def __repr__(self) -> str:
        return f"<Document {self.publication}: {self.title}>"
