"""Mentions of figures in the text: how they are painted, and how their pages are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCharFormat

from claimlight_workbench import theme
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.linked_text import Mark

if TYPE_CHECKING:
    from claimlight.types import FigureLink
    from claimlight_workbench.models.drawings import DrawingBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText

NO_FIGURE = tr("The current passage names no figure whose picture is there.")


def figure_marks(text: DocumentText | None, board: DrawingBoard, first: int, last: int) -> list[Mark]:
    """The mentions in a range of positions: a broken line below, as matches and notes have others."""
    if text is None or board.found is None:
        return []
    colour, line = theme.active().muted, QTextCharFormat.UnderlineStyle.DashUnderline
    return [
        Mark(placed.offset(link.span.start), placed.offset(link.span.end), underline=colour, line=line)
        for placed in text.between(first, last)
        for link in board.links_of(placed.passage.id)
    ]


def link_at(text: DocumentText | None, board: DrawingBoard, offset: int) -> FigureLink | None:
    """The mention at a document position; None if there is none."""
    placed = text.at(offset) if text is not None and offset >= 0 else None
    if placed is None:
        return None
    position = placed.position(offset)
    links = board.links_of(placed.passage.id)
    return next((link for link in links if link.span.start <= position < link.span.end), None)


def link_tip(link: FigureLink) -> str:
    """What a click on a mention shows."""
    figure = link.figure
    shown = (
        tr("Click: show Fig. {label}, page {page} (guessed)", label=figure.label, page=figure.page)
        if figure.guessed
        else tr("Click: show Fig. {label}, page {page}", label=figure.label, page=figure.page)
    )
    return "\n".join(filter(None, (figure.caption, shown)))
