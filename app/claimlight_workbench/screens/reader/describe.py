"""Sentences about a document and its matches, for strips, tool tips and screen readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import format_publication, name_of, plural, relation_words
from claimlight_workbench.wording import score_text

if TYPE_CHECKING:
    from claimlight.types import DocumentView, PassageHit, PassageId, Query
    from claimlight_workbench.models.links import Link

_LONGEST_QUOTE = 60
_RELATIONS = 3
"""Number of related documents in the line; the family panel lists all."""


def front_page(view: DocumentView) -> str:
    """Dates, parties and family in one line."""
    summary = view.summary
    parts = [summary.applicant, f"in {name_of(summary.language)}" if summary.language else ""]
    for name, day in (
        ("published", summary.published),
        ("filed", summary.filed),
        ("priority", summary.priority),
    ):
        if day is not None:
            parts.append(f"{name} {day.isoformat()}")
    if view.family_members:
        members = ", ".join(format_publication(str(each)) for each in view.family_members)
        parts.append(f"family: {members}")
    near = [relation_words(each) for each in view.relations if each.of is None]
    parts += near[:_RELATIONS]
    return "  ·  ".join(part for part in parts if part)


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
    shared = f"shared: {', '.join(item.shared)}" if item.shared else "no shared word"
    concepts = plural(len(item.evidence) - 1, "more concept") if len(item.evidence) > 1 else ""
    parts = [
        f"concept “{link.anchor}”" + (f" and {concepts}" if concepts else ""),
        f"contribution {score_text(item.contribution)}",
        plural(len(links) - 1, "more match", "more matches") if len(links) > 1 else "",
    ]
    return LinkWords(
        item.feature, f"{said} ↔ {hit.label} {met}  ·  {shared}", "  ·  ".join(filter(None, parts))
    )


def _quote(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) > _LONGEST_QUOTE:
        flat = flat[: _LONGEST_QUOTE - 1] + "…"
    return f"“{flat}”"
