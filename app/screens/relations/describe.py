"""Families and citations in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.models.columns import printed_publication
from core.types import Origin, counted

if TYPE_CHECKING:
    from datetime import date

    from core.types import CitationLink, CitationView, FamilyMember, FamilyView

ORIGIN_WORDS = {
    Origin.EXAMINER: "by the examiner",
    Origin.SEARCH: "in the search report",
    Origin.OPPOSITION: "in opposition",
    Origin.APPLICANT: "by the applicant",
    Origin.DESCRIPTION: "in the description",
    Origin.OTHER: "origin not given",
}
"""Most telling first: groups stand in this order."""


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
    members = counted(count, "member")
    return f"Family of {members} in this library" + (f"  ·  priority {claims}" if claims else "")


def member_cells(member: FamilyMember) -> list[str]:
    """The cells of a member."""
    patent = member.patent
    return [
        "●" if member.representative else "",
        printed_publication(str(patent.publication)),
        member.kind.words or member.kind.code,
        day(patent.published),
        day(patent.filed),
        day(patent.priority),
        patent.title,
    ]


def groups(view: CitationView) -> tuple[Group, ...]:
    """Both directions, each by origin."""
    made: list[Group] = []
    for direction, links in (("Cites", view.cites), ("Cited by", view.cited_by)):
        for origin, words in ORIGIN_WORDS.items():
            own = tuple(link for link in links if link.origin is origin)
            if own:
                made.append(Group(f"{direction}, {words} ({len(own):,})", own))
    return tuple(made)


def link_cells(link: CitationLink) -> list[str]:
    """The cells of a citation."""
    name = printed_publication(str(link.publication)) if link.publication is not None else "literature"
    title = link.patent.title if link.patent is not None else " ".join(link.text.split())
    where = "; ".join(
        filter(None, (f"claims {link.claims}" if link.claims else "", " ".join(link.passage.split())))
    )
    published = day(link.patent.published) if link.patent is not None else ""
    return [name, link.category, published, title, where]


def link_spoken(link: CitationLink) -> str:
    """A citation for the ear."""
    here = "in this library" if link.patent is not None else "not in this library"
    category = f"category {link.category}" if link.category else "no category"
    name, _, published, title, where = link_cells(link)
    return ", ".join(filter(None, (name, category, published, title, where, here)))


def day(value: date | None) -> str:
    """A date as it is shown."""
    return value.isoformat() if value is not None else ""
