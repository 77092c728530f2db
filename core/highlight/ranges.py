"""Ranges for display: spans that touch become one."""

from __future__ import annotations

from collections.abc import Iterable

from core.types import Span


def merged(spans: Iterable[Span], text: str = "") -> tuple[Span, ...]:
    """Disjoint spans in order; those that overlap or touch become one.

    With ``text``, so do neighbours with nothing but white space between them.
    """
    joined: list[Span] = []
    for span in sorted(spans):
        if not len(span):
            continue
        if joined and (span.start <= joined[-1].end or _only_space(text, joined[-1].end, span.start)):
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def _only_space(text: str, start: int, end: int) -> bool:
    between = text[start:end]
    return bool(between) and between.isspace()
