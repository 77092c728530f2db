"""Which hit of how many is shown, and of what: the line between the arrows of the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.services.search.cell_words import VERDICT_WORDS, ruling_words, verdict_words
from claimlight.types import CellVerdict, strength_figure
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.wording import SUGGESTED

if TYPE_CHECKING:
    from claimlight.types import PassageHit, PassageId
    from claimlight_workbench.models.links import DocumentLinks, LinkBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText

_GAP = " · "
_ORDINALS = {1: tr("best"), 2: tr("2nd best"), 3: tr("3rd best")}


def hit_words(board: LinkBoard, text: DocumentText | None) -> str:
    """``F2: 3 of 5, 2nd best · [0042] · 75``: what N and P go through, counted; match strength last."""
    words, links = board.words, board.links
    if (current := words.current) is not None and text is not None:
        placed = text.of(current.passage)
        where = f"{_GAP}{tell(placed.passage.label)}" if placed is not None else ""
        return tr("query words: {at} of {marks}{where}", at=words.at + 1, marks=len(words.marks), where=where)
    if links is None:
        return ""
    if board.focus and board.passage is not None:
        return _focus_words(board, text)
    return _all_words(links, board.hit)


def _all_words(links: DocumentLinks, hit: PassageHit | None) -> str:
    if not links.hits:
        features = links.evidence.features
        if features and all(each.verdict is CellVerdict.UNCOMPARED for each in features):
            return tell(verdict_words(features[0].verdict, features[0].cause))
        best = tr("{gap}best passage {label}", gap=_GAP, label=tell(hit.label)) if hit is not None else ""
        return tr("no passage reaches the threshold{best}", best=best)
    if hit is None:
        return tr(
            "all features: {passages}", passages=trn("{n:,} passage", "{n:,} passages", len(links.hits))
        )
    if hit.passage not in links.hits:
        return tr("all features: passage below threshold{gap}{label}", gap=_GAP, label=tell(hit.label))
    number = tr("{place} of {hits}", place=links.hits.index(hit.passage) + 1, hits=len(links.hits))
    return tr("all features: {number}{gap}{label}", number=number, gap=_GAP, label=tell(hit.label))


def _focus_words(board: LinkBoard, text: DocumentText | None) -> str:
    """The feature that was jumped to: place in reading order, place by strength, match strength."""
    passage, label = board.passage, board.focus
    assert passage is not None
    steps, best_first = board.steps, board.passages_of(label)
    placed = text.of(passage) if text is not None else None
    parts = []
    if passage in best_first:
        rank = best_first.index(passage) + 1
        ordinal = _ORDINALS.get(rank, tr("{rank}th best", rank=rank))
        parts.append(
            tr(
                "{place} of {steps}, {ordinal}",
                place=steps.index(passage) + 1,
                steps=len(steps),
                ordinal=ordinal,
            )
        )
    hit = board.hit
    where = tell(placed.passage.label) if placed is not None else tell(hit.label) if hit is not None else ""
    parts += [where] if where else []
    strengths = hit.strengths if hit is not None else ()
    parts += [str(strength_figure(each.strength)) for each in strengths if each.feature == label]
    return f"{label}: {_GAP.join(parts)}"


def feature_words(board: LinkBoard, label: str, passage: PassageId) -> str:
    """The ruling on a feature, or that its match is weak; empty for a strong match alone."""
    ruling, query, links = board.ruling(label), board.query, board.links
    if ruling is not None and query is not None:
        if passage == ruling.passage:
            return f"{label}: {tell(ruling_words(ruling, query))}"
        if passage in ruling.candidates:
            place, count = ruling.candidates.index(passage) + 1, len(ruling.candidates)
            return tr(
                "{label}: passage {place} of {count} that the judge read; its verdict is on the first",
                label=label,
                place=place,
                count=count,
            )
    found = links.evidence.features if links is not None else ()
    item = next((each for each in found if each.feature.label == label), None)
    if item is None or not item.passages or item.verdict in SUGGESTED:
        return ""
    figure, best = strength_figure(item.strength), tell(item.passages[0].label)
    return tr(
        "{label}: {verdict_words} ({figure}) – best passage {best}",
        label=label,
        verdict_words=tell(VERDICT_WORDS[item.verdict]),
        figure=figure,
        best=best,
    )
