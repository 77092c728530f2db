"""Checks a report before it is exported: categories against dates, passages and claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from claimlight.types import (
    Category,
    ClaimCitation,
    Confirmation,
    Mark,
    PlacedConfirmation,
    Report,
    ReportClaim,
    ReportDocument,
    ReportWarning,
    RuleSet,
    Standing,
    WarningKind,
    Zone,
    cite_passage,
    format_publication,
    plural,
)

_AGAINST = (Category.X, Category.Y)
"""Categories that say a claim is not novel or not inventive."""
_ACCOMPANIED = (Category.P, Category.E, Category.O, Category.D)
"""Letters that a search report has beside X, Y or A only."""
_SUPPORTED = (Category.X, Category.Y, Category.P, Category.E, Category.O)
"""Categories that need a passage; A, and T, L or D alone, may cite the whole document."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a report leaves out, for its warnings."""

    library: bool
    left_out: tuple[Confirmation, ...]
    """Confirmed for a claim for which the document is marked irrelevant."""
    changed: tuple[PlacedConfirmation, ...]
    """Confirmed on a text that the library has otherwise now."""
    verified: bool
    """Whether the priority was found valid, or none is claimed."""
    cited: frozenset[tuple[str, str]] | None = None
    """Country and number of what the application cites; None if that is not known."""
    outdated: tuple[Mark, ...] = ()
    """Categories given for a claim that has other words now."""


def find_warnings(report: Report, found: Found) -> tuple[ReportWarning, ...]:
    """What to check, the application first, then claim by claim, then documents."""
    return tuple(
        dict.fromkeys(
            (
                *_application(report, found),
                *(warning for claim in report.claims for warning in _claim(report, claim, found)),
                *_documents(report, found),
            )
        )
    )


def _application(report: Report, found: Found) -> Iterator[ReportWarning]:
    about = report.application
    if about.filed is None and about.priority is None:
        yield ReportWarning(
            WarningKind.NO_DATES,
            "The application has neither a filing date nor a priority date: no document has a date status.",
        )
    elif not found.verified:
        yield ReportWarning(
            WarningKind.PRIORITY_OPEN,
            f"The priority of {about.priority} is not verified: the relevant date is the filing date, "
            f"{about.relevant}.",
        )
    if not found.library:
        yield ReportWarning(
            WarningKind.NO_LIBRARY,
            "The library of the case is not open: bibliographic data and date statuses are missing.",
        )
    if not report.strategy.steps:
        yield ReportWarning(WarningKind.NO_SEARCH, "The case has no recorded search.")


def _claim(report: Report, claim: ReportClaim, found: Found) -> Iterator[ReportWarning]:
    name = f"Claim {claim.number}" if claim.number else "The application"
    if claim.independent and not claim.citations:
        yield ReportWarning(
            WarningKind.NO_CATEGORY,
            f"{name} is independent and no document has a category for it.",
            claim.number,
        )
    for citation in claim.citations:
        document = report.document(citation.document)
        yield from _letters(document, claim, citation, name, found.cited)
        yield from _citation(document, claim, citation, name, report.application.rules)
    combined = [item for item in claim.citations if item.category is Category.Y]
    if len(combined) == 1:
        document = report.document(combined[0].document)
        yield ReportWarning(
            WarningKind.ALONE,
            f"{name}: {_name(document)} is the only document marked Y; Y needs a second document.",
            claim.number,
            document.publication,
        )
    priority = report.application.priority or report.application.filed
    dated = [report.document(item.document).published for item in claim.citations]
    if claim.independent and claim.citations and priority is not None:
        earlier = [day for day in dated if day is not None and day < priority]
        if not earlier:
            yield ReportWarning(
                WarningKind.NO_PRIOR_ART,
                f"{name}: no cited document was published before {priority}, the earliest date of the "
                "application.",
                claim.number,
            )


def _letters(
    document: ReportDocument,
    claim: ReportClaim,
    citation: ClaimCitation,
    name: str,
    cited: frozenset[tuple[str, str]] | None,
) -> Iterator[ReportWarning]:
    """What letters of a category need beside them, whatever the dates are."""
    about = f"{name}: {_name(document)} is marked {citation.letters}"
    if citation.category in _ACCOMPANIED:
        yield ReportWarning(
            WarningKind.NO_RELEVANCE,
            f"{about} without X, Y or A: a search report has one of them beside {citation.category}.",
            claim.number,
            document.publication,
        )
    number = document.publication.country, document.publication.number
    if Category.D in (citation.category, *citation.kinds) and cited is not None and number not in cited:
        yield ReportWarning(
            WarningKind.NOT_CITED,
            f"{about}, but it is not among the documents that the application cites.",
            claim.number,
            document.publication,
        )


def _citation(
    document: ReportDocument, claim: ReportClaim, citation: ClaimCitation, name: str, rules: RuleSet
) -> Iterator[ReportWarning]:
    def warn(kind: WarningKind, text: str) -> ReportWarning:
        return ReportWarning(kind, f"{name}: {_name(document)} {text}", claim.number, document.publication)

    category, zone, label = citation.category, citation.dates.zone, citation.dates.label
    letters = (category, *citation.kinds)
    if not citation.passages and category in _SUPPORTED:
        yield warn(WarningKind.NO_PASSAGE, f"is marked {citation.letters} without a confirmed passage.")
    if category is Category.Y and Category.E in letters and rules is RuleSet.EPC:
        yield warn(
            WarningKind.NOVELTY_ONLY,
            "is marked E,Y, but an earlier application that was published later counts for novelty only.",
        )
    if not document.held or not citation.dates.label:
        return
    day = document.published.isoformat() if document.published is not None else "an unknown day"
    if category in _AGAINST:
        if zone in (Zone.P, Zone.E, Zone.LATER) and not {Category.P, Category.E} & set(letters):
            yield warn(
                WarningKind.LATE,
                f"is marked {citation.letters} but was published on {day}, on or after the earliest date of "
                f"the claim. Its date status is: {label}.",
            )
        if zone is Zone.UNKNOWN:
            yield warn(
                WarningKind.NO_DATE,
                f"is marked {citation.letters}, but a date that decides on its status is missing.",
            )
        if (
            category is Category.Y
            and Category.E not in letters
            and citation.dates.standing is Standing.NOVELTY_ONLY
        ):
            yield warn(
                WarningKind.NOVELTY_ONLY, "is marked Y but counts for novelty only, not for inventive step."
            )
    for letter in (Category.P, Category.E):
        # Under US law an earlier US application is prior art from its filing on, whenever it was published.
        published_late = document.published is not None and _is_late(document.published, claim)
        fits = zone is Zone(letter.value) or (
            letter is Category.E and rules is RuleSet.US and zone is Zone.PRIOR and published_late
        )
        if letter in letters and not fits:
            yield warn(
                WarningKind.WRONG_LETTER,
                f"is marked {citation.letters}, but its date status is: {label}.",
            )
    if Category.T in letters and document.published is not None and not _is_late(document.published, claim):
        yield warn(
            WarningKind.WRONG_LETTER,
            f"is marked {citation.letters} but was published on {day}, before the relevant date: T is for a "
            "later document that explains the invention.",
        )


def _is_late(published: date, claim: ReportClaim) -> bool:
    return claim.relevant is not None and published >= claim.relevant


def _documents(report: Report, found: Found) -> Iterator[ReportWarning]:
    cited = {item.document for claim in report.claims for item in claim.citations}
    for document in report.documents:
        if found.library and not document.held:
            yield ReportWarning(
                WarningKind.NOT_HELD,
                f"{_name(document)} is not in the library: its title, parties and dates are missing.",
                publication=document.publication,
            )
        if document.label not in cited:
            yield ReportWarning(
                WarningKind.PASSAGE_ALONE,
                f"{_name(document)} has confirmed passages but no category.",
                publication=document.publication,
            )
    for changed in found.changed:
        item = changed.confirmation
        yield ReportWarning(
            WarningKind.TEXT_CHANGED,
            f"{cite_passage(item.publication, item.label)} has another text in the library than was "
            "confirmed. The report quotes the confirmed text.",
            item.claim,
            item.publication,
        )
    for number in dict.fromkeys(item.publication for item in found.left_out):
        own = sum(1 for item in found.left_out if item.publication == number)
        yield ReportWarning(
            WarningKind.LEFT_OUT,
            f"{format_publication(str(number))} is marked irrelevant (0): "
            f"{plural(own, 'confirmed passage')} left out.",
            publication=number,
        )
    for mark in found.outdated:
        yield ReportWarning(
            WarningKind.EARLIER_CLAIM,
            f"{format_publication(str(mark.publication))} is marked {mark.letters} for claim {mark.claim} of "
            "an earlier version of the claims, which has other words now or is gone.",
            mark.claim,
            mark.publication,
        )
    for chart in report.charts:
        for row in chart.rows:
            if row.earlier:
                yield ReportWarning(
                    WarningKind.EARLIER_WORDING,
                    f"Claim {chart.claim}: passages are confirmed for an earlier wording of a feature, "
                    f"“{row.text}”.",
                    chart.claim,
                )


def _name(document: ReportDocument) -> str:
    return f"{document.label} {format_publication(str(document.publication))}"
