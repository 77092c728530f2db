"""What is marked in the current passage, in words: Qt announces no highlights that are only painted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.language import tr
from claimlight_workbench.models.marked import marked_by_feature, quote_terms
from claimlight_workbench.screens.reader.hit_words import hit_words

if TYPE_CHECKING:
    from claimlight.types import PassageView
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText


def marked_words(board: LinkBoard, text: DocumentText | None) -> str:
    """``F2: 3 of 5, [0042], 75. Highlighted in this passage: F2: “wheel”.``; empty without a passage."""
    current = board.words.current
    passage = current.passage if current is not None else board.passage
    placed = text.of(passage) if text is not None and passage is not None else None
    if text is None or placed is None:
        return ""
    # What separates the parts on the screen is no pause when it is read out.
    place = hit_words(board, text).replace(" · ", ", ").replace("  ", " ")
    said = [
        place,
        _highlighted(board, placed.passage, text),
        _boxed(board, placed.passage),
        _figures(board, placed.passage),
    ]
    return ". ".join(each for each in said if each) + "."


def _highlighted(board: LinkBoard, passage: PassageView, text: DocumentText) -> str:
    if (shown := board.classes.shown) is not None:
        marks = board.classes.of(text.view.summary.id, passage.id)
        words = quote_terms(passage.text[each.span.start : each.span.end] for each in marks)
        return (
            tr("Marked in this passage, speaking for {name}: {words}", name=shown.name, words=words)
            if words
            else tr("Nothing in this passage speaks for {name}", name=shown.name)
        )
    if board.links is None:
        return ""
    words = marked_by_feature(board.passage_marks(passage.id), passage.text, board.focus)
    if not words:
        return tr("Nothing is highlighted in this passage")
    return tr("Highlighted in this passage: {words}", words=words)


def _figures(board: LinkBoard, passage: PassageView) -> str:
    labels = dict.fromkeys(link.figure.label for link in board.drawings.links_of(passage.id))
    return tr("Figures with a picture in this passage: {labels}", labels=", ".join(labels)) if labels else ""


def _boxed(board: LinkBoard, passage: PassageView) -> str:
    words = quote_terms(passage.text[each.span.start : each.span.end] for each in board.words.of(passage.id))
    return tr("Query words in this passage: {words}", words=words) if words else ""
