"""Sentences about a document and its matches, for strips, tool tips and screen readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import (
    Role,
    format_publication,
    format_related_number,
    name_of,
    relation_words,
)
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.wording import score_text

if TYPE_CHECKING:
    from datetime import date

    from claimlight.types import (
        DateFinding,
        DocumentView,
        Party,
        PassageHit,
        PassageId,
        Priority,
        Query,
    )
    from claimlight_workbench.models.links import Link

_LONGEST_QUOTE = 60
_RELATIONS = 3
"""Number of related documents in the line; the family panel lists all."""


def front_page(view: DocumentView, dates: DateFinding | None = None) -> str:
    """Dates, date status, parties, family and citations in one line."""
    summary = view.summary
    parts = [
        summary.applicant,
        tr("in {language}", language=tell(name_of(summary.language))) if summary.language else "",
    ]
    parts += [f"{name} {day.isoformat()}" for name, day in _days(view)]
    parts.append(tell(dates.label) if dates is not None else "")
    if view.family_members:
        members = ", ".join(format_publication(str(each)) for each in view.family_members)
        parts.append(tr("family: {members}", members=members))
    near = [tell(relation_words(each)) for each in view.relations if each.of is None]
    parts += near[:_RELATIONS]
    return "  ·  ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class FrontRow:
    """One kind of bibliographic data."""

    name: str
    value: str
    tip: str = ""


def front_rows(view: DocumentView, dates: DateFinding | None) -> tuple[FrontRow, ...]:
    """What the files say of a document, without rows for what they do not say."""
    title = view.summary.title
    others = [f"{each.text} ({tell(name_of(each.language))})" for each in view.titles if each.text != title]
    names = {role: [each for each in view.parties if each.role is role] for role in _ROLES}
    filed = view.summary.filed
    application = format_related_number(view.application, filed) if view.application is not None else ""
    rows = [
        FrontRow(tr("Title"), title),
        FrontRow(tr("Dates"), "  ·  ".join(f"{name} {day.isoformat()}" for name, day in _days(view))),
        FrontRow(
            tr("Date status"),
            tell(dates.label) if dates is not None else "",
            f"{tell(dates.words)}" if dates is not None else "",
        ),
        *(FrontRow(name, "; ".join(map(_party, names[role]))) for role, name in _ROLES.items()),
        FrontRow(tr("Application"), application),
        FrontRow(tr("Priorities"), "; ".join(_priority(each) for each in view.priorities)),
        FrontRow(tr("Related"), "; ".join(tell(relation_words(each)) for each in view.relations)),
        FrontRow(tr("Family"), _family(view), tr("B shows the family")),
        FrontRow(tr("Citations"), _citations(view), tr("C shows the citations")),
        FrontRow(tr("Other titles"), "\n".join(others)),
        FrontRow(tr("Language"), tell(name_of(view.summary.language)) if view.summary.language else ""),
        FrontRow(tr("File"), view.source),
    ]
    return tuple(row for row in rows if row.value)


_ROLES = {Role.APPLICANT: tr("Applicants"), Role.ASSIGNEE: tr("Assignees"), Role.INVENTOR: tr("Inventors")}


def _days(view: DocumentView) -> list[tuple[str, date]]:
    summary = view.summary
    days = (
        (tr("published"), summary.published),
        (tr("filed"), summary.filed),
        (tr("priority"), summary.priority),
    )
    return [(name, day) for name, day in days if day is not None]


def _party(party: Party) -> str:
    return f"{party.name} ({party.country})" if party.country else party.name


def _priority(priority: Priority) -> str:
    day = tr("of {date}", date=priority.date.isoformat()) if priority.date is not None else ""
    return " ".join(filter(None, (priority.country, priority.number, day)))


def _family(view: DocumentView) -> str:
    members = view.family_members
    named = ", ".join(format_publication(str(each)) for each in members)
    found = (
        tr(
            "{other_members} in this library: {named}",
            other_members=trn("{n:,} other member", "{n:,} other members", len(members)),
            named=named,
        )
        if members
        else ""
    )
    office = (
        tr("number of the office {office_family}", office_family=view.office_family)
        if view.office_family
        else ""
    )
    return "  ·  ".join(filter(None, (found, office)))


def _citations(view: DocumentView) -> str:
    cites, cited = len(view.citations), len(view.cited_by)
    if not cites and not cited:
        return ""
    return tr("cites {cites:,}  ·  cited by {cited:,} of this library", cites=cites, cited=cited)


@dataclass(frozen=True, slots=True)
class LinkWords:
    """A match in words."""

    feature: str
    met: str
    """The claim term, the passage term, and the words that both share."""
    details: str


def link_words(links: tuple[Link, ...], query: Query, passages: dict[PassageId, PassageHit]) -> LinkWords:
    """The strongest of some matches in words."""
    link = links[0]
    item = link.match
    hit = passages[link.passage]
    said = _quote(query.text[item.query.start : item.query.end])
    met = _quote(hit.text[item.passage.start : item.passage.end])
    shared = tr("shared: {shared}", shared=", ".join(item.shared)) if item.shared else tr("no shared word")
    concepts = (
        trn("{n:,} more concept", "{n:,} more concepts", len(item.evidence) - 1)
        if len(item.evidence) > 1
        else ""
    )
    parts = [
        tr("concept “{anchor}”", anchor=link.anchor)
        + (tr(" and {concepts}", concepts=concepts) if concepts else ""),
        tr("contribution {contribution}", contribution=score_text(item.contribution)),
        trn("{n:,} more match", "{n:,} more matches", len(links) - 1) if len(links) > 1 else "",
    ]
    return LinkWords(
        item.feature, f"{said} ↔ {tell(hit.label)} {met}  ·  {shared}", "  ·  ".join(filter(None, parts))
    )


def _quote(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) > _LONGEST_QUOTE:
        flat = flat[: _LONGEST_QUOTE - 1] + "…"
    return f"“{flat}”"
