"""Gathers a report from a case and a library: what the examiner confirmed and marked, and nothing else.

A document is in the report if it has a category for a claim, or a confirmed passage. Rejected passages,
verdicts of a judge and match strengths are never read here. A document marked irrelevant for a claim is left
out for that claim, with its confirmed passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from claimlight.errors import InputError
from claimlight.services.cases.cases import CaseBook
from claimlight.services.library.documents import view
from claimlight.services.library.library import Library
from claimlight.services.reports.checking import Found, find_warnings
from claimlight.services.reports.strategy import strategy_of
from claimlight.services.search import queries
from claimlight.services.search.confirmations import feature_digest, place_confirmations
from claimlight.services.search.dates import find_status
from claimlight.services.search.search_input import input_from_case
from claimlight.store import repository
from claimlight.types import (
    CITED,
    Case,
    CaseId,
    Category,
    ChartRow,
    CitedPassage,
    Claim,
    ClaimChart,
    ClaimCitation,
    ClassFilter,
    Confirmation,
    DateFinding,
    Decision,
    DocumentView,
    Feature,
    FieldsSearched,
    Mark,
    PassageNote,
    PublicationNumber,
    QuerySet,
    Report,
    ReportApplication,
    ReportClaim,
    ReportDocument,
    Role,
    RuleSet,
    cited_by_applicant,
    effective_mark,
    strength_of,
)


def gather_report(
    book: CaseBook,
    case: CaseId,
    library: Library | None,
    *,
    made: datetime | None = None,
    notes: bool = False,
) -> Report:
    """The report of a case; without a library it has no bibliographic data and no date statuses.

    ``notes`` adds notes on documents and passages, and tags, which are the examiner's own otherwise.
    """
    held = book.case(case)
    gathered = _Gathered.of(held, book, library, with_notes=notes)
    sets = tuple(book.sets(case))
    made = made or datetime.now(UTC)
    report = Report(
        case=int(held.id),
        name=held.name,
        made=made,
        application=_application(held, library),
        claims=tuple(map(gathered.claim, gathered.numbers())),
        documents=gathered.documents(book.tags(case) if notes else {}),
        charts=gathered.charts(),
        fields=FieldsSearched(held.classes, _restricted(held, sets)),
        strategy=strategy_of(held, sets, made=made),
        notes=held.notes if notes else "",
    )
    return replace(report, warnings=find_warnings(report, gathered.found))


@dataclass(frozen=True, slots=True)
class _Gathered:
    """Claims, marks, confirmed passages and documents of one case."""

    case: Case
    claims: Mapping[int, Claim]
    marks: Mapping[PublicationNumber, tuple[Mark, ...]]
    confirmed: tuple[Confirmation, ...]
    views: Mapping[PublicationNumber, DocumentView]
    labels: Mapping[PublicationNumber, str]
    """``D1`` …, in the order of the report."""
    with_notes: bool
    passage_notes: tuple[PassageNote, ...]
    found: Found

    @classmethod
    def of(cls, case: Case, book: CaseBook, library: Library | None, *, with_notes: bool) -> _Gathered:
        claims = {item.number: item for item in queries.claims_of_text(case.application)}
        marks: dict[PublicationNumber, tuple[Mark, ...]] = {}
        for mark in book.marks(case.id):
            marks[mark.publication] = (*marks.get(mark.publication, ()), mark)
        decided = [item for item in book.confirmations(case.id) if item.decision is Decision.CONFIRMED]
        placed = place_confirmations(library, decided) if library is not None else ()
        left_out = tuple(item for item in decided if _is_irrelevant(marks, item))
        confirmed = tuple(item for item in decided if item not in left_out)
        numbers = {item.publication for item in confirmed}
        numbers |= {number for number, own in marks.items() if any(mark.category in CITED for mark in own)}
        views = _views(library, numbers)
        ordered = sorted(numbers, key=lambda number: (_rank(marks.get(number, ())), str(number)))
        labels = {number: f"D{place}" for place, number in enumerate(ordered, 1)}
        found = Found(
            library is not None,
            left_out,
            tuple(item for item in placed if item.text_changed and item.confirmation not in left_out),
            case.dates is None or case.dates.verified or case.dates.priority is None,
            _cited_in_application(case, library),
            tuple(_find_outdated(case, claims, marks)),
        )
        written = tuple(book.passage_notes(case.id)) if with_notes else ()
        return cls(case, claims, marks, confirmed, views, labels, with_notes, written, found)

    def numbers(self) -> list[int]:
        """The claims of the report: those of the application, and others that marks and passages name."""
        named = {mark.claim for own in self.marks.values() for mark in own if mark.category in CITED}
        named |= {item.claim for item in self.confirmed}
        return sorted({*self.claims, *(named - {0} if self.claims else named)})

    def claim(self, number: int) -> ReportClaim:
        """One claim with its citations, strongest category first."""
        known = self.claims.get(number)
        dates = self.case.dates
        cited = [self._citation(number, publication) for publication in self.labels]
        made = [item for item in cited if item is not None]
        return ReportClaim(
            number,
            known.text if known is not None else "",
            known.parents if known is not None else (),
            dates.relevant(number) if dates is not None else self.case.reference_date,
            tuple(sorted(made, key=lambda item: item.strength)),
        )

    def _citation(self, claim: int, publication: PublicationNumber) -> ClaimCitation | None:
        mark = effective_mark(self.marks.get(publication, ()), claim)
        if mark is None or mark.category not in CITED:
            return None
        own = [item for item in self.confirmed if item.publication == publication]
        # A category for the whole application is supported by the passages of any claim.
        supporting = [
            item
            for item in own
            if (item.claim == claim or not mark.claim) and item.passage_digest not in mark.left_out
        ]
        return ClaimCitation(
            self.labels[publication],
            mark.category,
            _with_chosen(_passages(supporting), mark),
            self._status(publication, claim),
            mark.note if self.with_notes else "",
            mark.kinds,
        )

    def documents(self, tags: Mapping[PublicationNumber, tuple[str, ...]]) -> tuple[ReportDocument, ...]:
        """All documents of the report, D1 first."""
        return tuple(
            self._document(publication, label, tags.get(publication, ()))
            for publication, label in self.labels.items()
        )

    def _document(self, publication: PublicationNumber, label: str, tags: tuple[str, ...]) -> ReportDocument:
        found = self.views.get(publication)
        if found is None:
            return ReportDocument(label, publication, tags=tags, notes=self._notes(publication))
        summary = found.summary
        return ReportDocument(
            label,
            publication,
            held=True,
            title=summary.title,
            applicants=_parties(found, Role.APPLICANT) or _parties(found, Role.ASSIGNEE),
            inventors=_parties(found, Role.INVENTOR),
            published=summary.published,
            filed=summary.filed,
            priority=summary.priority,
            dates=self._status(publication, 0),
            tags=tags,
            notes=self._notes(publication),
        )

    def _notes(self, publication: PublicationNumber) -> tuple[str, ...]:
        """Notes that are beside no category: on the document, then on its passages."""
        if not self.with_notes:
            return ()
        own = [
            mark.note for mark in self.marks.get(publication, ()) if mark.note and mark.category not in CITED
        ]
        on = [item for item in self.passage_notes if item.publication == publication]
        return (*own, *map(describe_note, sorted(on, key=lambda item: _label_key(item.label))))

    def _status(self, publication: PublicationNumber, claim: int) -> DateFinding:
        found = self.views.get(publication)
        if found is None or self.case.dates is None:
            return DateFinding()
        return find_status(self.case.dates, found.summary, claim)

    def charts(self) -> tuple[ClaimChart, ...]:
        """A chart of each claim with a confirmed passage."""
        return tuple(self._chart(number) for number in sorted({item.claim for item in self.confirmed}))

    def _chart(self, claim: int) -> ClaimChart:
        own = [item for item in self.confirmed if item.claim == claim]
        with_passage = {item.publication for item in own}
        shown = [
            publication
            for publication in self.labels
            if publication in with_passage or self._is_cited(publication, claim)
        ]
        rows = [
            ChartRow(label, text, _cells(own, digest, shown), earlier)
            for label, text, digest, earlier in self._features(claim, own)
        ]
        return ClaimChart(claim, tuple(self.labels[item] for item in shown), tuple(rows))

    def _is_cited(self, publication: PublicationNumber, claim: int) -> bool:
        mark = effective_mark(self.marks.get(publication, ()), claim)
        return mark is not None and mark.category in CITED

    def _features(self, claim: int, own: Sequence[Confirmation]) -> list[tuple[str, str, str, bool]]:
        """Label, text, digest, and whether it is an earlier wording: the features of a claim, in order."""
        digests = {item.feature_digest for item in own}
        current = self._split(claim)
        known = {feature_digest(item.text) for item in current}
        # Another claim than the open one is split automatically: that is its split only if it fits.
        if claim != self.case.claim and not digests <= known:
            current, known = (), set()
        listed = [
            (item.label, " ".join(item.text.split()), feature_digest(item.text), False) for item in current
        ]
        others: dict[str, Confirmation] = {}
        for item in sorted(own, key=lambda each: (_label_key(each.feature_label), each.at)):
            if item.feature_digest not in known:
                others.setdefault(item.feature_digest, item)
        earlier = bool(current)
        return listed + [
            (item.feature_label, " ".join(item.feature.split()), digest, earlier)
            for digest, item in others.items()
        ]

    def _split(self, claim: int) -> tuple[Feature, ...]:
        if not self.case.application.strip():
            return ()
        try:
            if claim == self.case.claim:
                return input_from_case(self.case).query.features
            return queries.query_from_text(self.case.application, claim).features
        except InputError:
            return ()  # the claims have no claim of this number (any more)


def describe_note(note: PassageNote) -> str:
    """``[0042] “a lever”: see fig. 3``."""
    words = f" “{' '.join(note.quoted.split())}”" if note.quoted else ""
    return f"{note.label}{words}: {note.note}".strip()


def _is_irrelevant(marks: Mapping[PublicationNumber, tuple[Mark, ...]], item: Confirmation) -> bool:
    mark = effective_mark(marks.get(item.publication, ()), item.claim)
    return mark is not None and mark.category is Category.IRRELEVANT


def _rank(marks: Iterable[Mark]) -> int:
    return min((mark.strength for mark in marks), default=strength_of(Category.NONE))


_DIGITS = re.compile(r"(\d+)")


def _label_key(label: str) -> tuple[tuple[str, int], ...]:
    """Labels of features and passages in the order of their numbers: ``claim 2`` before ``claim 10``."""
    parts = _DIGITS.split(label)
    return tuple((text, int(number)) for text, number in zip(parts[::2], [*parts[1::2], "0"], strict=True))


def _views(
    library: Library | None, numbers: Iterable[PublicationNumber]
) -> dict[PublicationNumber, DocumentView]:
    if library is None:
        return {}
    found = {number: repository.find(library.store, number) for number in numbers}
    return {number: view(library, patent) for number, patent in found.items() if patent is not None}


def _parties(found: DocumentView, role: Role) -> tuple[str, ...]:
    return tuple(dict.fromkeys(party.name for party in found.parties if party.role is role))


def _passages(items: Iterable[Confirmation]) -> tuple[CitedPassage, ...]:
    """Each passage once, with all features that it was confirmed for, in reading order."""
    grouped: dict[tuple[int, str, str], list[Confirmation]] = {}
    for item in items:
        grouped.setdefault((item.claim, item.label, item.passage_digest), []).append(item)
    made = [
        CitedPassage(
            label,
            own[0].passage,
            claim,
            tuple(dict.fromkeys(sorted((item.feature_label for item in own), key=_label_key))),
            "; ".join(dict.fromkeys(item.comment for item in own if item.comment)),
        )
        for (claim, label, _), own in grouped.items()
    ]
    return tuple(sorted(made, key=lambda item: (item.claim, _label_key(item.label))))


def _with_chosen(confirmed: tuple[CitedPassage, ...], mark: Mark) -> tuple[CitedPassage, ...]:
    """The confirmed passages, and those that the mark names besides; in reading order."""
    known = {item.text for item in confirmed}
    chosen = [CitedPassage(item.label, item.text, mark.claim, ()) for item in mark.passages]
    return tuple(
        sorted(
            (*confirmed, *(item for item in chosen if item.text not in known)),
            key=lambda item: (item.claim, _label_key(item.label)),
        )
    )


def _cells(
    own: Sequence[Confirmation], digest: str, shown: Sequence[PublicationNumber]
) -> tuple[tuple[CitedPassage, ...], ...]:
    return tuple(
        _passages(item for item in own if item.feature_digest == digest and item.publication == publication)
        for publication in shown
    )


def _application(case: Case, library: Library | None) -> ReportApplication:
    dates = case.dates
    found: DocumentView | None = None
    if case.publication is not None:
        found = _views(library, [case.publication]).get(case.publication)
    applicant = dates.applicant if dates is not None else ""
    if found is not None:
        applicant = "; ".join(_parties(found, Role.APPLICANT)) or applicant
    return ReportApplication(
        publication=case.publication,
        application=found.application if found is not None else None,
        title=found.summary.title if found is not None else "",
        applicant=applicant,
        filed=dates.filed if dates is not None else None,
        priority=dates.priority if dates is not None else None,
        verified=dates is not None and dates.verified,
        relevant=dates.relevant() if dates is not None else case.reference_date,
        rules=dates.rules if dates is not None else RuleSet.EPC,
        version=case.version_label,
    )


def _cited_in_application(case: Case, library: Library | None) -> frozenset[tuple[str, str]] | None:
    """Country and number of what the application itself cites; None if the library does not say it."""
    if library is None or case.publication is None:
        return None
    found = _views(library, [case.publication]).get(case.publication)
    cited = cited_by_applicant(found.citations) if found is not None else frozenset()
    return cited or None


def _find_outdated(
    case: Case, claims: Mapping[int, Claim], marks: Mapping[PublicationNumber, tuple[Mark, ...]]
) -> Iterator[Mark]:
    """Categories that were given for a claim that has other words in the version searched now."""
    if not case.versions:
        return
    earlier = {
        item.name: {claim.number: claim.text.split() for claim in queries.claims_of_text(item.text)}
        for item in case.versions
    }
    for mark in (mark for own in marks.values() for mark in own if mark.claim and mark.category in CITED):
        # Before the first amendment a mark names no version.
        then = earlier.get(mark.version or case.versions[0].name, {}).get(mark.claim)
        now = claims.get(mark.claim)
        if then is not None and (now is None or now.text.split() != then):
            yield mark


def _restricted(case: Case, sets: Sequence[QuerySet]) -> tuple[ClassFilter, ...]:
    """The classes that searches are or were restricted to, each once."""
    named = [*case.within, *(each for item in sets for each in item.request.classes)]
    return tuple(dict.fromkeys(named))
