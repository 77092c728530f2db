"""Which hit of how many is shown, and of what: the line between the arrows of the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.services.search.cell_words import verdict_words
from claimlight.types import CellVerdict, plural, strength_figure

if TYPE_CHECKING:
    from claimlight.types import PassageHit
    from claimlight_workbench.models.links import DocumentLinks, LinkBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText

_GAP = " · "
_ORDINALS = {1: "best", 2: "2nd best", 3: "3rd best"}


def hit_words(board: LinkBoard, text: DocumentText | None) -> str:
    """``F2: 3 of 5, 2nd best · [0042] · 75``: what N and P go through, counted; match strength last."""
    words, links = board.words, board.links
    if (current := words.current) is not None and text is not None:
        placed = text.of(current.passage)
        where = f"{_GAP}{placed.passage.label}" if placed is not None else ""
        return f"query words: {words.at + 1} of {len(words.marks)}{where}"
    if links is None:
        return ""
    if board.focus and board.passage is not None:
        return _focus_words(board, text)
    return _all_words(links, board.hit)


def _all_words(links: DocumentLinks, hit: PassageHit | None) -> str:
    if not links.hits:
        features = links.evidence.features
        if features and all(each.verdict is CellVerdict.UNCOMPARED for each in features):
            return verdict_words(features[0].verdict, features[0].cause)
        best = f"{_GAP}best passage {hit.label}" if hit is not None else ""
        return f"no passage reaches the threshold{best}"
    if hit is None:
        return f"all features: {plural(len(links.hits), 'passage')}"
    if hit.passage not in links.hits:
        return f"all features: passage below threshold{_GAP}{hit.label}"
    number = f"{links.hits.index(hit.passage) + 1} of {len(links.hits)}"
    return f"all features: {number}{_GAP}{hit.label}"


def _focus_words(board: LinkBoard, text: DocumentText | None) -> str:
    """The feature that was jumped to: place in reading order, place by strength, match strength."""
    passage, label = board.passage, board.focus
    assert passage is not None
    steps, best_first = board.steps, board.passages_of(label)
    placed = text.of(passage) if text is not None else None
    parts = []
    if passage in best_first:
        rank = best_first.index(passage) + 1
        ordinal = _ORDINALS.get(rank, f"{rank}th best")
        parts.append(f"{steps.index(passage) + 1} of {len(steps)}, {ordinal}")
    hit = board.hit
    where = placed.passage.label if placed is not None else hit.label if hit is not None else ""
    parts += [where] if where else []
    strengths = hit.strengths if hit is not None else ()
    parts += [str(strength_figure(each.strength)) for each in strengths if each.feature == label]
    return f"{label}: {_GAP.join(parts)}"
