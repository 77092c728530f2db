"""Families and citations in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import (
    RELATION_WORDS,
    Origin,
    format_publication,
    format_related_number,
    relation_words,
)
from claimlight_workbench.language import number, tell, tr, trn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from claimlight.types import CitationLink, CitationView, FamilyMember, FamilyView, HistoryEntry

ORIGIN_WORDS = {
    Origin.EXAMINER: tr("examiner"),
    Origin.SEARCH: tr("search report"),
    Origin.OPPOSITION: tr("opposition"),
    Origin.APPLICANT: tr("applicant"),
    Origin.DESCRIPTION: tr("description"),
    Origin.OTHER: tr("origin not given"),
}
"""Groups in this order, the most relevant first."""


@dataclass(frozen=True, slots=True)
class Group:
    """Citations of one direction and origin."""

    title: str
    links: tuple[CitationLink, ...]


def family_title(view: FamilyView) -> str:
    """What the members share."""
    count = len(view.members)
    claims = ", ".join(
        " ".join(filter(None, (each.country, each.number, day(each.date)))) for each in view.priorities
    )
    members = trn("{n:,} member", "{n:,} members", count)
    return tr("Family of {members} in this library", members=members) + (
        tr("  ·  priority {claims}", claims=claims) if claims else ""
    )


def member_cells(member: FamilyMember) -> list[str]:
    """The cells of a member."""
    patent = member.patent
    return [
        "●" if member.representative else "",
        format_publication(str(patent.publication)),
        tell(member.kind.words) or member.kind.code,
        day(patent.published),
        day(patent.filed),
        day(patent.priority),
        patent.title,
    ]


def history_title(view: FamilyView) -> str:
    """Heading of the document's filing history."""
    held = sum(entry.patent is not None for entry in view.history)
    return tr("Filing history ({history:,}, {held:,} in this library)", history=len(view.history), held=held)


def history_cells(entry: HistoryEntry) -> list[str]:
    """The cells of a document of the filing history: its number, its relation, and its dates."""
    related, patent = entry.related, entry.patent
    of = f"{format_related_number(related.of, None)}: " if related.of is not None else ""
    words = f"{of}{RELATION_WORDS[related.relation]}"
    number = format_related_number(related.number, related.date)
    if patent is None:
        return [
            "",
            number,
            words,
            "",
            "",
            "",
            tr("of {date}", date=day(related.date)) if related.date else "",
        ]
    days = [day(patent.published), day(patent.filed), day(patent.priority)]
    return ["", number, words, *days, patent.title]


def history_spoken(entry: HistoryEntry) -> str:
    """Screen-reader text of a document of the filing history."""
    here = (
        tr("{title}, in this library", title=entry.patent.title)
        if entry.patent is not None
        else tr("not in this library")
    )
    return f"{tell(relation_words(entry.related))}, {here}"


def documents(links: Iterable[CitationLink]) -> int:
    """How many documents these citations are of.

    One may be cited twice, by examiner and applicant, or as application and as patent with one number.
    """
    return len({_document(link) for link in links})


def held_by(links: Iterable[CitationLink]) -> int:
    """How many of the documents are in the library."""
    return documents(link for link in links if link.patent is not None)


def citation_title(view: CitationView) -> str:
    """How many documents are cited and citing, and how many of them are in the library."""
    if not view.cites and not view.cited_by:
        return tr("No citation data for this document, in either direction")
    held = documents(link for link in (*view.cites, *view.cited_by) if link.patent is not None)
    cites, cited_by = (
        trn("{n:,} document", "{n:,} documents", documents(view.cites)),
        documents(view.cited_by),
    )
    return tr(
        "Cites {cites}, cited by {cited_by:,}  ·  {held:,} in this library",
        cites=cites,
        cited_by=cited_by,
        held=held,
    )


def groups(view: CitationView) -> tuple[Group, ...]:
    """Both directions, each by origin."""
    made: list[Group] = []
    for direction, links in ((tr("Cites"), view.cites), (tr("Cited by"), view.cited_by)):
        for origin, words in ORIGIN_WORDS.items():
            own = tuple(link for link in links if link.origin is origin)
            if own:
                made.append(Group(f"{direction} – {words} ({_size(own)})", own))
    return tuple(made)


def _size(links: tuple[CitationLink, ...]) -> str:
    """``3``; if a document is cited twice, both numbers."""
    different = documents(links)
    if different == len(links):
        return number(different, ",")
    counted = trn("{n:,} citation", "{n:,} citations", len(links))
    return f"{trn('{n:,} document', '{n:,} documents', different)}, {counted}"


def _document(link: CitationLink) -> str:
    number = link.patent.publication if link.patent is not None else link.publication
    if number is None:
        return " ".join(link.text.split()).casefold()
    return f"{number.country}{number.number}"


def link_cells(link: CitationLink) -> list[str]:
    """The cells of a citation."""
    name = format_publication(str(link.publication)) if link.publication is not None else tr("literature")
    title = link.patent.title if link.patent is not None else " ".join(link.text.split())
    where = "; ".join(
        filter(
            None,
            (
                tr("claims {claims}", claims=link.claims) if link.claims else "",
                " ".join(link.passage.split()),
            ),
        )
    )
    published = day(link.patent.published) if link.patent is not None else link.date
    return [name, tell(link.category), published, title, where]


def link_spoken(link: CitationLink) -> str:
    """Screen-reader text of a citation."""
    here = tr("in this library") if link.patent is not None else tr("not in this library")
    category = tr("category {category}", category=tell(link.category)) if link.category else tr("no category")
    name, _, published, title, where = link_cells(link)
    return ", ".join(filter(None, (name, category, published, title, where, here)))


def day(value: date | None) -> str:
    """A date as it is shown."""
    return value.isoformat() if value is not None else ""
