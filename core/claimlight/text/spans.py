"""Span units: which stretches of a text are compared with one another.

A unit sees the text and where the encoder's tokens stand in it, and answers with token ranges. The
vector of a span is the mean of its tokens' vectors (Sparse Coverage, section 3.1). These units stand
behind one interface:

* ``encoder_token``: every token with a letter or digit, as the paper has it;
* ``word``: every whole word, the mean of its pieces (docs/adr/0004: the words that carry no meaning of
  their own carry that of their neighbours);
* ``noun_phrase``: noun phrases found by rule (`claimlight.text.phrases`);
* ``hybrid``: noun phrases, and every whole word outside them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from claimlight.text.phrases import Phrase, noun_phrases

_WORD = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class TokenSpans:
    """Spans in text order: half-open token ranges, and the same spans as half-open code-point ranges."""

    first: NDArray[np.int32]
    last: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.first)


class SpanUnit(Protocol):
    """One way of cutting a text into spans."""

    def spans(self, text: str, offsets: NDArray[np.int32]) -> TokenSpans:
        """Spans of ``text`` whose tokens stand at ``offsets`` [n, 2] (code points, ascending)."""
        ...


class EncoderTokens:
    """Every token that holds a letter or a digit."""

    def spans(self, text: str, offsets: NDArray[np.int32]) -> TokenSpans:
        telling = np.fromiter(
            (any(map(str.isalnum, text[start:end])) for start, end in offsets.tolist()),
            dtype=np.bool_,
            count=len(offsets),
        )
        first = np.flatnonzero(telling).astype(np.int32)
        return TokenSpans(first, first + np.int32(1), *_columns(offsets[first]))


class Words:
    """Every whole word."""

    def spans(self, text: str, offsets: NDArray[np.int32]) -> TokenSpans:
        return _covering([found.span() for found in _WORD.finditer(text)], offsets)


class NounPhrases:
    """Every noun phrase; with ``words``, every whole word outside them too."""

    def __init__(self, *, words: bool) -> None:
        self._words = words

    def spans(self, text: str, offsets: NDArray[np.int32]) -> TokenSpans:
        return phrase_spans(text, noun_phrases(text), offsets, words=self._words)


SPAN_UNITS: Mapping[str, SpanUnit] = {
    "encoder_token": EncoderTokens(),
    "word": Words(),
    "noun_phrase": NounPhrases(words=False),
    "hybrid": NounPhrases(words=True),
}


def phrase_spans(
    text: str, phrases: Sequence[Phrase], offsets: NDArray[np.int32], *, words: bool
) -> TokenSpans:
    """Disjoint ascending phrases as spans; with ``words``, the words outside them too."""
    ranges = [(phrase.start, phrase.end) for phrase in phrases]
    return _covering(_with_words(text, ranges) if words else ranges, offsets)


def _with_words(text: str, phrases: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Disjoint ascending ranges with the words that touch none of them, ascending."""
    ranges: list[tuple[int, int]] = []
    waiting = iter(phrases)
    start, end = next(waiting, (len(text), len(text)))
    for found in _WORD.finditer(text):
        first, last = found.span()
        while end <= first and start < len(text):
            ranges.append((start, end))
            start, end = next(waiting, (len(text), len(text)))
        if last <= start:
            ranges.append((first, last))
    if start < len(text):
        ranges += [(start, end), *waiting]
    return ranges


def _covering(ranges: list[tuple[int, int]], offsets: NDArray[np.int32]) -> TokenSpans:
    """The tokens that stand in each range of the text; ranges that no token touches are left out."""
    wanted = np.array(ranges, dtype=np.int32).reshape(-1, 2)
    first = np.searchsorted(offsets[:, 1], wanted[:, 0], side="right").astype(np.int32)
    last = np.searchsorted(offsets[:, 0], wanted[:, 1], side="left").astype(np.int32)
    kept = last > first
    return TokenSpans(first[kept], last[kept], *_columns(wanted[kept]))


def _columns(ranges: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return np.ascontiguousarray(ranges[:, 0], np.int32), np.ascontiguousarray(ranges[:, 1], np.int32)
