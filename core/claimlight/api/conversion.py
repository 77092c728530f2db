"""From the values of the services to those of the API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from claimlight.api import values
from claimlight.services.search.cell_words import missing_words
from claimlight.store.front_pages import FrontPage
from claimlight.types import (
    CellRuling,
    CoverageMatrix,
    DateFinding,
    DocumentEvidence,
    FeatureCoverage,
    Hit,
    MatrixRow,
    Pairs,
    PassageHit,
    PatentSummary,
    Query,
    SearchResults,
    SetResult,
    Span,
    StageTime,
)


def query_of(query: Query, claim: int) -> values.Query:
    """What was searched."""
    features = (
        values.Feature(item.label, item.text, item.span.start, item.span.end) for item in query.features
    )
    return values.Query(query.text, tuple(features), claim)


def results_of(found: SearchResults) -> values.SearchResults:
    """The answer to a search."""
    request = found.request
    return values.SearchResults(
        query=query_of(request.query, request.claim),
        legs=request.legs,
        hits=tuple(
            _hit(rank, hit, request.query, dated=request.reference is not None)
            for rank, hit in enumerate(found.hits, 1)
        ),
        notes=found.notes,
        hidden=found.hidden,
        cause=found.cause,
        seconds=_seconds(found.times),
        provenance=found.provenance,
    )


def set_of(
    found: SetResult, shown: Sequence[PatentSummary], dates: Sequence[DateFinding | None]
) -> values.QueryResults:
    """The answer to a query line; ``shown`` are its first documents, each with its date status."""
    scores = dict(zip(found.patents, found.scores, strict=True)) if found.scores else {}
    rows = zip(shown, dates, strict=True)
    return values.QueryResults(
        line=found.parsed.text,
        canonical=found.parsed.canonical,
        terms=tuple(
            values.Term(term.text, term.words, term.documents, term.rule) for term in found.parsed.terms
        ),
        hits=tuple(
            values.Found(*_front(rank, item), score=scores.get(item.id), dates=finding)
            for rank, (item, finding) in enumerate(rows, 1)
        ),
        documents=len(found.patents),
        notes=found.notes,
        hidden=found.hidden,
        cause=found.cause,
        seconds=_seconds(found.times),
        provenance=found.provenance,
    )


def evidence_of(
    found: DocumentEvidence, query: Query, claim: int, *, publication: str
) -> values.DocumentEvidence:
    """The evidence of a whole document."""
    return values.DocumentEvidence(
        publication=publication,
        query=query_of(query, claim),
        passages=tuple(_passage(item, query) for item in found.passages),
        features=tuple(
            values.FeatureMatch(
                item.feature.label,
                item.strength,
                item.verdict,
                item.passages[0].label if item.passages else "",
            )
            for item in found.features
        ),
    )


def matrix_of(matrix: CoverageMatrix, pairs: Pairs, claim: int) -> values.Matrix:
    """A coverage matrix and its pairs."""
    rows = (*matrix.rows, *matrix.abstracts_only)
    names = {row.patent.id: str(row.patent.publication) for row in rows}
    return values.Matrix(
        query=query_of(matrix.query, claim),
        rows=tuple(_matrix_row(row, matrix.query) for row in rows),
        pairs=tuple(
            values.Pair(
                first=names[pair.first],
                second=names[pair.second],
                strength=pair.strength,
                gain=pair.gain,
                both=pair.both,
                only_first=pair.only_first,
                only_second=pair.only_second,
                neither=pair.neither,
            )
            for pair in pairs.pairs
        ),
        left_out=tuple(names[item.patent] for item in pairs.left_out),
        notes=(*matrix.notes, *pairs.notes),
        medium=matrix.thresholds.least,
        strong=matrix.thresholds.strong,
    )


def document_of(page: FrontPage) -> values.Document:
    """A whole document."""
    number = page.publication
    return values.Document(
        publication=str(number),
        country=number.country,
        number=number.number,
        kind=number.kind,
        title=page.titles[0].text if page.titles else "",
        abstract=page.abstracts[0].text if page.abstracts else "",
        language=page.language,
        published=page.published,
        filed=page.filed,
        priority=page.priority,
        application=str(page.application) if page.application else "",
        applicant=page.applicant,
        family=page.family,
        office_family=page.office_family,
        family_members=tuple(map(str, page.family_members)),
        related=tuple(map(str, page.related)),
        cited_by=page.cited_by,
        titles=page.titles,
        abstracts=page.abstracts,
        claims=page.claims,
        description=tuple(
            values.Paragraph(item.label, item.section, item.heading, item.language, item.text)
            for item in page.description
        ),
        classes=page.classes,
        citations=tuple(
            values.Citation(
                publication=str(item.publication) if item.publication else "",
                text=item.text,
                category=item.category,
                origin=item.origin,
                claims=item.claims,
                passage=item.passage,
            )
            for item in page.citations
        ),
        parties=page.parties,
        priorities=page.priorities,
    )


def _front(
    rank: int, item: PatentSummary
) -> tuple[int, str, str, str, date | None, date | None, date | None, str, tuple[str, ...]]:
    """The fields of `values.Found` before its score."""
    return (
        rank,
        str(item.publication),
        item.title,
        item.applicant,
        item.published,
        item.filed,
        item.priority,
        item.language,
        item.classes,
    )


def _hit(rank: int, hit: Hit, query: Query, *, dated: bool) -> values.Hit:
    return values.Hit(
        *_front(rank, hit.patent),
        score=hit.score,
        dates=hit.dates if dated else None,
        legs=tuple(values.RankerScore(item.leg, item.rank, item.score) for item in hit.ranks),
        features=tuple(map(_feature_match, hit.coverage)),
        passages=tuple(_passage(item, query) for item in hit.passages),
        family=tuple(map(str, hit.family_members)),
        note=hit.language_note,
        depth=hit.depth,
    )


def _feature_match(item: FeatureCoverage) -> values.FeatureMatch:
    return values.FeatureMatch(item.feature, item.strength, item.verdict, item.label)


def _passage(item: PassageHit, query: Query) -> values.Passage:
    return values.Passage(
        section=item.section,
        label=item.label,
        text=item.text,
        score=item.score,
        evidence=tuple(
            values.Evidence(
                feature=met.feature,
                query_text=_cut(query.text, met.query),
                query_start=met.query.start,
                query_end=met.query.end,
                passage_text=_cut(item.text, met.passage),
                passage_start=met.passage.start,
                passage_end=met.passage.end,
                center=int(met.center),
                concept=met.anchor,
                contribution=met.contribution,
                shared=met.shared,
            )
            for met in item.evidence
        ),
        other_words=item.other_words,
        features=tuple(
            values.FeatureMatch(each.feature, each.strength, each.verdict, item.label)
            for each in item.strengths
        ),
    )


def _cut(text: str, span: Span) -> str:
    return text[span.start : span.end]


def _matrix_row(row: MatrixRow, query: Query) -> values.MatrixRow:
    return values.MatrixRow(
        publication=str(row.patent.publication),
        title=row.patent.title,
        full_text=row.full_text,
        strength=row.strength,
        dates=row.dates,
        cells=tuple(
            values.Cell(
                cell.feature,
                cell.strength,
                cell.verdict,
                cell.label,
                cell.lamp,
                _ruling(cell.ruling, query) if cell.ruling is not None else None,
            )
            for cell in row.cells
        ),
        depth=row.depth,
    )


def _ruling(ruling: CellRuling, query: Query) -> values.Ruling:
    return values.Ruling(ruling.verdict, ruling.probability, ruling.judge, missing_words(ruling, query))


def _seconds(times: Sequence[StageTime]) -> float:
    return sum(item.seconds for item in times)
