"""What is selected in the text of a document: its passage, its words in the stored text, its citation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import Span, cite_passages

if TYPE_CHECKING:
    from PySide6.QtGui import QTextCursor

    from claimlight.types import PassageView
    from claimlight_workbench.screens.reader.document_text import DocumentText


def selected_span(written: DocumentText, cursor: QTextCursor) -> tuple[PassageView, Span] | None:
    """The passage in which the selection begins, and where it is there; None without a selected word."""
    placed = written.at_or_behind(cursor.selectionStart()) if cursor.hasSelection() else None
    if placed is None or placed.start >= cursor.selectionEnd():
        return None
    start = placed.position(max(placed.start, cursor.selectionStart()))
    return placed.passage, Span(start, placed.position(min(placed.end, cursor.selectionEnd())))


def selected_words(written: DocumentText, cursor: QTextCursor) -> str:
    """The selected words of the stored text, without headings and labels."""
    first, last = cursor.selectionStart(), cursor.selectionEnd()
    parts = (
        each.passage.text[
            each.position(max(first, each.start)) : each.position(last)
            if last < each.end
            else len(each.passage.text)
        ]
        for each in written.between(first, last)
    )
    return " ".join(filter(None, (part.strip() for part in parts)))


def citation_of(written: DocumentText, first: int, last: int) -> str:
    """Citation of the passages between two document positions."""
    labels = [item.passage.label for item in written.between(first, last)]
    return cite_passages(written.view.summary.publication, labels)
