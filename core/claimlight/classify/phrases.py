"""Phrases of a text, and what is left of it without one of them: the evidence of a class by leaving out.

A phrase is a run of words that say something. One that occurs several times is left out everywhere at once:
without a single one of its places the text says the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from claimlight.text.informative import is_informative
from claimlight.text.words import WORD, stem
from claimlight.types import Span

LONGEST = 4
"""Most words of a phrase."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """The places of one phrase in one or several texts."""

    stems: tuple[str, ...]
    places: tuple[tuple[int, Span], ...]
    """Number of the text and the range in it, in order."""


def find_phrases(texts: Sequence[str], *, most: int) -> tuple[Phrase, ...]:
    """The phrases of some texts that occur most often, of equal ones the earliest; at most ``most``.

    A run that contains another run of two words and more is cut there: *shock absorbers damp* where *shock
    absorber* is a run by itself.
    """
    runs = [(number, run) for number, text in enumerate(texts) for run in _runs(text)]
    whole = {tuple(word.stem for word in run) for _, run in runs if len(run) > 1}
    found: dict[tuple[str, ...], list[tuple[int, Span]]] = {}
    for number, run in runs:
        for part in _cut(run, whole):
            span = Span(part[0].start, part[-1].end)
            found.setdefault(tuple(word.stem for word in part), []).append((number, span))
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[1][0][0], item[1][0][1].start))
    return tuple(Phrase(stems, tuple(places)) for stems, places in ranked[:most])


def leave_out(texts: Sequence[str], phrases: Sequence[Phrase]) -> tuple[str, ...]:
    """The texts without all places of some phrases."""
    cut: list[list[Span]] = [[] for _ in texts]
    for phrase in phrases:
        for number, span in phrase.places:
            cut[number].append(span)
    left: list[str] = []
    for text, spans in zip(texts, cut, strict=True):
        parts: list[str] = []
        end = 0
        for span in sorted(spans, key=lambda item: item.start):
            parts.append(text[end : span.start])
            end = max(end, span.end)
        left.append("".join((*parts, text[end:])))
    return tuple(left)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that says something."""

    stem: str
    start: int
    end: int


def _runs(text: str) -> list[list[_Word]]:
    """Neighbouring words that say something, at most `LONGEST` of them."""
    found: list[list[_Word]] = []
    for match in WORD.finditer(text):
        if not is_informative(match.group()):
            continue
        word = _Word(stem(match.group()), *match.span())
        last = found[-1] if found else []
        if last and len(last) < LONGEST and text[last[-1].end : word.start] in (" ", "-"):
            last.append(word)
        else:
            found.append([word])
    return found


def _cut(run: list[_Word], whole: Collection[tuple[str, ...]]) -> list[list[_Word]]:
    """A run in pieces, the longest other run in it first."""
    stems = [word.stem for word in run]
    for length in range(len(run) - 1, 1, -1):
        for begin in range(len(run) - length + 1):
            if tuple(stems[begin : begin + length]) in whole:
                parts = (run[:begin], run[begin : begin + length], run[begin + length :])
                return [piece for part in parts if part for piece in _cut(part, whole)]
    return [run]
