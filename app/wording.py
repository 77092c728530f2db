"""How contributions and match strengths are said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.types import CellVerdict, strength_figure

if TYPE_CHECKING:
    from core.types import FeatureCoverage


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
SUGGESTED = frozenset({CellVerdict.STRONG, CellVerdict.MEDIUM})
"""What is said of a match that is suggested to the examiner."""


def score_text(score: float) -> str:
    """A score or a contribution to one: one decimal, and never a false nothing."""
    return "<0.1" if 0.0 < score < 0.05 else f"{score:.1f}"


def sum_parts(total: float, *parts: float) -> tuple[str, ...]:
    """The parts of a score to one decimal, so that they add up to the score as it is written.

    The first part is the largest and takes what rounding leaves.
    """
    others = [round(part, 1) for part in parts[1:]]
    first = max(0.0, round(total, 1) - sum(others))
    return (f"{first:.1f}", *(f"{part:.1f}" for part in others))


def cell_words(cell: FeatureCoverage) -> str:
    """A feature in a document: ``match strength 44 (medium match), best passage claim 1``."""
    if cell.passage is None:
        return VERDICT_WORDS[cell.verdict]
    best = f", best passage {cell.label}" if cell.label else ""
    return f"match strength {strength_figure(cell.strength)} ({VERDICT_WORDS[cell.verdict]}){best}"
