"""Sentences of running text, good enough to cut a pasted description into searchable parts."""

from __future__ import annotations

import re

from claimlight.types import Span

_ABBREVIATIONS = frozenset(
    """fig figs no nos e.g i.e etc vs approx al cf ca resp eq eqs ref refs vol ed st dr mr u.s wt mol
    abb bzw z.b d.h ggf vgl nr usw p.ex env""".split()  # noqa: SIM905 - a list of words reads better
)
# Possessive, and from the first of several points only: no text makes it read a character again and again.
_END = re.compile(
    r"(?<![.!?])[.!?]++[\"”’)\]]*+(?=\s+[^\W\d_a-zà-ÿ]|\s+[\[(\"“]|\s*\n|\s*$)|[。．！？｡]+[」』）”’]*|\n+"
)


def cut_sentences(text: str) -> tuple[Span, ...]:
    """The sentences of ``text`` in order: disjoint, trimmed, none empty; a newline always ends one."""
    spans: list[Span] = []
    begin = 0
    for end in _END.finditer(text):
        if not end.group().startswith("\n") and _is_abbreviation(text, begin, end.start()):
            continue
        _append(spans, text, begin=begin, end=end.end())
        begin = end.end()
    _append(spans, text, begin=begin, end=len(text))
    return tuple(spans)


def _is_abbreviation(text: str, begin: int, stop: int) -> bool:
    """Whether the point at ``stop`` belongs to the word before it, in a sentence from ``begin`` on."""
    start = stop
    # Backwards, and no further than the word: the words before different points have no letter in common.
    while start > begin and text[start - 1] not in "([" and not text[start - 1].isspace():
        start -= 1
    last = text[start:stop].casefold()
    listed = last.isdigit() and not text[begin:start].strip()  # "1. A frame": a number, no sentence
    # A single letter is an initial or part of a list, hardly the last word of a sentence.
    return listed or last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha())


def _append(spans: list[Span], text: str, *, begin: int, end: int) -> None:
    piece = text[begin:end]
    start = begin + len(piece) - len(piece.lstrip())
    stop = begin + len(piece.rstrip())
    if start < stop:
        spans.append(Span(start, stop))
