"""Very long texts in pieces: what an index takes in the place of a paragraph that is a chapter.

Why, and where the limits come from: docs/adr/0023-pieces-of-long-paragraphs.md.
"""

from __future__ import annotations

import re

from core.text.sentences import sentences
from core.types import Span

LONG = 8_000
"""Characters above which a passage is indexed in pieces."""
PIECE = 1_000
"""Characters of a piece, at most: a usual paragraph, about 220 tokens."""
_BLANK = re.compile(r"\s+")


def pieces(text: str) -> tuple[Span, ...]:
    """The whole of a text up to `LONG` characters; a longer one in pieces that end where sentences end.

    Pieces are in order, and between them stands only white space. A sentence longer than `PIECE` is cut
    between words, and a word longer than that inside.
    """
    if len(text) <= LONG:
        return (Span(0, len(text)),)
    found: list[Span] = []
    for span in sentences(text):
        for part in _parts(text, span):
            if found and part.end - found[-1].start <= PIECE:
                found[-1] = Span(found[-1].start, part.end)
            else:
                found.append(part)
    return tuple(found)


def _parts(text: str, sentence: Span) -> list[Span]:
    """A sentence, in parts of at most `PIECE` characters where it is longer."""
    parts: list[Span] = []
    start = sentence.start
    while sentence.end - start > PIECE:
        blanks = [item for item in _BLANK.finditer(text, start + 1, start + PIECE + 1)]
        cut, following = (blanks[-1].start(), blanks[-1].end()) if blanks else (start + PIECE, start + PIECE)
        parts.append(Span(start, cut))
        start = following
    parts.append(Span(start, sentence.end))
    return parts
