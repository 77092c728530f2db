"""A concept (a center of the vocabulary) in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import format_publication
from claimlight_workbench.language import number, tr, trn

if TYPE_CHECKING:
    from claimlight.types import CenterInspection, CenterSpan

CONTEXT = 48
"""Characters of the passage shown on each side of a span."""
_WORDS_SHOWN = 14


@dataclass(frozen=True, slots=True)
class Snippet:
    """A span with its context, on one line."""

    before: str
    span: str
    after: str

    def __str__(self) -> str:
        return f"{self.before}{self.span}{self.after}"


def snippet(item: CenterSpan) -> Snippet:
    """The span of a passage in its context."""
    start, end, text = item.span.start, item.span.end, item.text
    before = text[max(0, start - CONTEXT) : start]
    after = text[end : end + CONTEXT]
    return Snippet(
        ("…" if start > CONTEXT else "") + _flat(before).lstrip(),
        _flat(text[start:end]),
        _flat(after).rstrip() + ("…" if end + CONTEXT < len(text) else ""),
    )


def facts(seen: CenterInspection) -> str:
    """How often it occurs."""
    parts = [
        tr(
            "occurs in {df:,} of {indexed_passages} ({share}), {documents}",
            df=seen.df,
            indexed_passages=trn("{n:,} indexed passage", "{n:,} indexed passages", seen.passages),
            share=percent(seen.share),
            documents=trn("{n:,} document", "{n:,} documents", seen.documents),
        ),
    ]
    if seen.stop:
        parts.insert(1, tr("too common, ignored"))
    return "  ·  ".join(parts)


def technical_facts(seen: CenterInspection) -> str:
    """Radius and number, for a tool tip."""
    return tr(
        "Concept number {center:,}; terms of at least {radius:.3f} similarity belong to it "
        "(radius {radius_2:.3f})",
        center=seen.center,
        radius=1 - seen.radius,
        radius_2=seen.radius,
    )


def words_line(seen: CenterInspection) -> str:
    """The words of the spans that were read."""
    if not seen.read:
        return tr("It occurs in no passage of this library.")
    whole = seen.read == seen.df
    read = trn("{n:,} passage", "{n:,} passages", seen.read)
    of = (
        f"{(tr('all ') if seen.read > 1 else '')}{read}"
        if whole
        else tr("{read}, sampled evenly from near to far", read=read)
    )
    said = "  ·  ".join(f"{each.words} {number(each.count, ',')}" for each in seen.words[:_WORDS_SHOWN])
    further = len(seen.words) - _WORDS_SHOWN
    return tr("Wordings in {of}: {said}", of=of, said=said) + (
        f"  ·  {trn('{n:,} more wording', '{n:,} more wordings', further)}" if further > 0 else ""
    )


def all_words(seen: CenterInspection) -> str:
    """All of these words, for a tool tip."""
    return "\n".join(f"{each.words}: {number(each.count, ',')}" for each in seen.words)


def describe_span(item: CenterSpan) -> str:
    """Screen-reader text of a row."""
    more = f", {trn('{n:,} further passage', '{n:,} further passages', item.further)}" if item.further else ""
    words = _flat(item.text[item.span.start : item.span.end])
    return tr(
        "{words}, similarity {cosine:.3f}, {publication}, {label}, {title}{more}",
        words=words,
        cosine=item.cosine,
        publication=format_publication(str(item.patent.publication)),
        label=item.label,
        title=item.patent.title,
        more=more,
    )


def percent(share: float) -> str:
    """Two digits, whatever the size."""
    return number(share, ".2%") if share < 0.1 else number(share, ".0%")


def _flat(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")
