"""Match strengths in signs and words: the same in window and command line."""

from __future__ import annotations

from core.types import CellVerdict, FeatureCoverage, Lamp, strength_figure

VERDICT_WORDS = {
    CellVerdict.STRONG: "strong match",
    CellVerdict.MEDIUM: "medium match",
    CellVerdict.BELOW: "below threshold",
    CellVerdict.NONE: "no match",
    CellVerdict.UNREAD: "not judged",
}
VERDICT_SIGN = {
    CellVerdict.STRONG: "●",
    CellVerdict.MEDIUM: "◐",
    CellVerdict.BELOW: "·",
    CellVerdict.NONE: "–",
    CellVerdict.UNREAD: "○",
}
LAMP_WORDS = {
    Lamp.NO_SHARED_WORD: "no shared word",
    Lamp.WORDS_ONLY: "all words, below threshold",
}
LAMP_SIGN = {Lamp.NO_SHARED_WORD: "≠", Lamp.WORDS_ONLY: "w"}


def cell_words(cell: FeatureCoverage) -> str:
    """A feature in a document: ``match strength 44 (medium match), best passage claim 1``."""
    if cell.passage is None:
        return VERDICT_WORDS[cell.verdict]
    best = f", best passage {cell.label}" if cell.label else ""
    return f"match strength {strength_figure(cell.strength)} ({VERDICT_WORDS[cell.verdict]}){best}"
