"""Queries from pasted text, a file, a document of the library or the user's own features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from claimlight.errors import InputError
from claimlight.formats.plain_text import is_structured, read_plain_text
from claimlight.retrieval.boolean.canonical import format_like
from claimlight.services.library.documents import identify
from claimlight.services.library.library import Library
from claimlight.store import repository
from claimlight.store.publication_keys import family_keys
from claimlight.tasks import TaskContext
from claimlight.text import features
from claimlight.text.claims import (
    collect_ancestors,
    drop_cancelled,
    find_missing_references,
    format_missing,
    is_cancelled,
    read_pasted_claims,
)
from claimlight.text.normalise import normalise
from claimlight.text.sentences import cut_sentences
from claimlight.types import (
    Claim,
    Feature,
    Patent,
    PublicationNumber,
    Quarantined,
    Query,
    ReferenceDates,
    Role,
    Section,
    Skipped,
    Span,
)

# Text copied from a PDF splits words at the end of lines with it.
_SOFT_HYPHEN = re.compile("\u00ad[ \t]*(?:\r?\n[ \t]*)?")
_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*\n")
_SHOWN_CLAIMS = 8


@dataclass(frozen=True, slots=True)
class Application:
    """An application under examination, as read from its file."""

    claims: tuple[Claim, ...]
    publication: PublicationNumber | None = None
    title: str = ""
    filed: date | None = None
    priority: date | None = None
    """The earliest priority date."""
    families: tuple[str, ...] = ()
    """Keys of its simple family, computed as for documents of a library."""
    applicant: str = ""

    @property
    def dates(self) -> ReferenceDates | None:
        """The dates given by the source, none verified; None if it gives none."""
        return ReferenceDates.proposed(self.filed, self.priority, self.applicant)


def claims_of_text(text: str) -> tuple[Claim, ...]:
    """The claims of pasted text, normalised; see `claimlight.text.claims.read_pasted_claims`."""
    paragraphs = [normalise(part) for part in _BLANK_LINE.split(_SOFT_HYPHEN.sub("", text))]
    return drop_cancelled(read_pasted_claims("\n\n".join(part for part in paragraphs if part)))


def claims_of_document(library: Library, publication: str | PublicationNumber) -> tuple[Claim, ...]:
    """The claims of a document that were not cancelled, in its own language if it has several."""
    patent = identify(library, publication)
    stored = repository.read_passages_of(library.store, [patent])[patent]
    claims = [
        Claim(p.claim, p.text, p.language, p.parents, p.elements)
        for p in stored
        if p.section is Section.CLAIMS
    ]
    languages = {claim.language for claim in claims}
    own = repository.read_summaries(library.store, [patent])[patent].language
    preferred = own if own in languages else next(iter(c.language for c in claims), "")
    return drop_cancelled(claim for claim in claims if claim.language == preferred)


def read_document(library: Library, publication: str | PublicationNumber) -> Application:
    """Read a document of the library as the application under examination; it may have no claims."""
    patent = identify(library, publication)
    summary = repository.read_summaries(library.store, [patent])[patent]
    return Application(
        claims_of_document(library, summary.publication),
        summary.publication,
        summary.title,
        summary.filed,
        summary.priority,
        applicant=summary.applicant,
    )


def read_application(path: Path, context: TaskContext) -> Application:
    """Read the application in a file: XML of an office, or plain text with claims."""
    from claimlight.formats import read_source

    if not is_structured(path):
        return Application(claims_of_text(read_plain_text(path)))
    faults: list[str] = []
    for record in read_source(path, context):
        match record:
            case Patent() if record.claims:
                return _from_patent(record)
            case Patent():
                faults.append(f"{record.publication} has no claims")
            case Quarantined():
                faults.append(record.reason)
            case Skipped():
                faults.append(record.reason)
    raise InputError(f"{path} contains no claims to search for: {faults[0] if faults else 'it is empty'}.")


def _from_patent(patent: Patent) -> Application:
    own = drop_cancelled(claim for claim in patent.claims if claim.language == patent.claims[0].language)
    days = [priority.date for priority in patent.priorities if priority.date is not None]
    languages = [patent.language, own[0].language]
    title = next((t.text for t in patent.titles if t.language in languages), "")
    keys = family_keys(
        patent.family,
        patent.priorities,
        patent.application,
        patent.publication,
        filed=patent.filed,
        related=[item.number for item in patent.related],
    )
    applicant = _applicant(patent)
    return Application(own, patent.publication, title, patent.filed, min(days, default=None), keys, applicant)


def _applicant(patent: Patent) -> str:
    """The first assignee, else the first applicant, as in lists."""
    # Reversed, so that the first of each role is the one that stays.
    names = {party.role: party.name for party in reversed(patent.parties)}
    return names.get(Role.ASSIGNEE) or names.get(Role.APPLICANT) or ""


def own_family(library: Library, examined: Application) -> PublicationNumber | None:
    """A document of the library in the family of the application; that family is left out."""
    if examined.publication is None:
        return None
    patent = repository.find(library.store, examined.publication)
    if patent is None:
        patent = repository.find_family(library.store, examined.families)
    return repository.read_publications(library.store, [patent])[patent] if patent is not None else None


def missing_in(claims: Sequence[Claim]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """By claim, the numbers it refers to that lead nowhere.

    See `claimlight.text.claims.find_missing_references`.
    """
    return tuple(find_missing_references(claims).items())


def query_from_claims(claims: Sequence[Claim], claim: int | None = None) -> Query:
    """One claim, the first unless told, with the claims it depends on in front, split into features."""
    wanted = claim if claim is not None else min((item.number for item in claims), default=1)
    chain = collect_ancestors(claims, wanted)
    if not chain:
        raise InputError(_no_such_claim(claims, wanted))
    _refuse_cancelled(chain[-1])
    missing = find_missing_references(claims)
    told = format_missing({item.number: missing[item.number] for item in chain if item.number in missing})
    return replace(features.split_claims(chain), notes=(told,) if told else ())


def _refuse_cancelled(claim: Claim) -> None:
    if is_cancelled(claim.text):
        raise InputError(f"Claim {claim.number} was cancelled: there is nothing to search for.")


def query_from_text(text: str, claim: int | None = None) -> Query:
    """A query from pasted text: a claim of it, or, where it holds no claims, its sentences."""
    claims = claims_of_text(text)
    if not claims:
        raise InputError("The query is empty: give a claim, a text or a publication number.")
    if len(claims) == 1 and claims[0].number == 1:
        (only,) = claims
        _refuse_cancelled(only)
        if claim not in {None, 1}:
            return query_from_claims(claims, claim)
        # A claim is one sentence (MPEP 608.01(m)): several are a plain text.
        if len(cut_sentences(only.text.replace("\n", " "))) > 1:
            return Query(only.text, features.split_sentences(only.text), Section.DESCRIPTION)
    elif len(claims) == 1 and claim == 1:
        return query_from_claims(claims)
    return query_from_claims(claims, claim)


def query_from_document(
    library: Library, publication: str | PublicationNumber, claim: int | None = None
) -> Query:
    """A claim of a document of the library; its abstract where it has no claims."""
    claims = claims_of_document(library, publication)
    if claims:
        return query_from_claims(claims, claim)
    patent = identify(library, publication)
    first = repository.read_passages_of(library.store, [patent])[patent][:1]
    if not first:
        raise InputError(f"{publication} has no text to search for.")
    return Query(first[0].text, features.split_sentences(first[0].text), Section.ABSTRACT)


def query_with_features(lines: Sequence[str], *, section: Section = Section.CLAIMS) -> Query:
    """A query whose features are these texts; they are not a claim."""
    kept = [line for given in lines if (line := normalise(given).replace("\n", " "))]
    spans: list[Span] = []
    for line in kept:
        start = spans[-1].end + 1 if spans else 0
        spans.append(Span(start, start + len(line)))
    return with_features(Query("\n".join(kept), (), section), spans)


def with_kept_features(query: Query, ranges: Sequence[Span], lines: Sequence[str]) -> Query:
    """A claim with the features saved in a case: by range, or by words in cases of earlier versions.

    Words that the claim does not contain in that order become no feature; a note lists them.
    """
    texts = [query.text[span.start : span.end] for span in ranges]
    if ranges and (not lines or texts == list(lines)):
        try:
            return with_features(query, ranges)
        except InputError:  # the ranges belong to another text
            lines = lines or texts
    found, lost = features.find_lines(query.text, lines)
    if not found:
        found = [feature.span for feature in query.features]
    note = f"Not in the claim, so no longer a feature: {'; '.join(lost)}." if lost else ""
    kept = with_features(query, found)
    return replace(kept, notes=(*kept.notes, *filter(None, (note,))))


def with_features(query: Query, spans: Sequence[Span]) -> Query:
    """The same query text with other features, given as disjoint ranges in order."""
    end = 0
    for span in spans:
        if not end <= span.start < span.end <= len(query.text):
            raise InputError("Features must be ranges of the claim, in order and without overlap.")
        end = span.end
    made = tuple(Feature(f"F{n}", span, query.text[span.start : span.end]) for n, span in enumerate(spans, 1))
    return replace(query, features=made)


def _no_such_claim(claims: Sequence[Claim], claim: int) -> str:
    numbers = ", ".join(str(item.number) for item in claims[:_SHOWN_CLAIMS])
    more = " …" if len(claims) > _SHOWN_CLAIMS else ""
    if not claims:
        return "There are no claims. Give claims with their numbers (1. A …), or one claim as text."
    return (
        f"There is no claim {claim}; there {'are claims' if len(claims) > 1 else 'is claim'} {numbers}{more}."
    )


def line_like(publication: str, passage: str = "") -> str:
    """The query line for documents like a publication, or like some words of it."""
    return format_like(publication, passage)
