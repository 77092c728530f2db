"""Phrases of a text, and what is left of it without one of them: the evidence of a class by leaving out.

A phrase is a run of words that say something. One that occurs several times is left out everywhere at once:
without a single one of its places the text says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """The phrases of some texts that occur most often, of equal ones the earliest; at most ``most``."""
    found: dict[tuple[str, ...], list[tuple[int, Span]]] = {}
    for number, text in enumerate(texts):
        for stems, span in _phrases(text):
            found.setdefault(stems, []).append((number, span))
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


def _phrases(text: str) -> list[tuple[tuple[str, ...], Span]]:
    found: list[tuple[tuple[str, ...], Span]] = []
    run: list[tuple[int, int]] = []

    def close() -> None:
        for begin in range(0, len(run), LONGEST):
            part = run[begin : begin + LONGEST]
            stems = tuple(stem(text[start:end].casefold()) for start, end in part)
            found.append((stems, Span(part[0][0], part[-1][1])))
        run.clear()

    for match in WORD.finditer(text):
        joined = run and text[run[-1][1] : match.start()] in (" ", "-")
        if not is_informative(match.group()):
            close()
            continue
        if run and not joined:
            close()
        run.append(match.span())
    close()
    return found
