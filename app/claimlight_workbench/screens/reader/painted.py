"""What is painted over a document: highlights in the features' colours, chips, boxes around query words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCharFormat

from claimlight_workbench import theme
from claimlight_workbench.screens.reader.class_marks import class_marks
from claimlight_workbench.screens.reader.figure_links import figure_marks
from claimlight_workbench.screens.reader.words import outlines
from claimlight_workbench.widgets.chips import chip_height
from claimlight_workbench.widgets.linked_text import MarginChips, Mark
from claimlight_workbench.wording import SUGGESTED

if TYPE_CHECKING:
    from claimlight.types import PassageId
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.models.passage_notes import PlacedNote
    from claimlight_workbench.screens.reader.document_text import DocumentText, Placed
    from claimlight_workbench.widgets.outlines import Outline

COLUMNS = 2
"""Chips side by side in the margin."""
NOTE_SIGN = "✎"


class Painted:
    """Asked for the visible range of positions; returns nothing while there is no document."""

    def __init__(self, board: LinkBoard) -> None:
        self._board = board
        self.text: DocumentText | None = None
        self._notes: dict[PassageId, list[PlacedNote]] = {}

    def show_notes(self, notes: Sequence[PlacedNote]) -> None:
        """The notes on passages of the document."""
        self._notes = {}
        for note in notes:
            if note.passage is not None:
                self._notes.setdefault(note.passage.id, []).append(note)

    def notes_at(self, placed: Placed) -> str:
        """The notes on a passage, a line each."""
        return "\n".join(note.line for note in self._notes.get(placed.passage.id, ()))

    def _note_marks(self, first: int, last: int) -> list[Mark]:
        """Words that have a note are underlined by dots."""
        if self.text is None or not self._notes:
            return []
        colour, line = theme.active().outline, QTextCharFormat.UnderlineStyle.DotLine
        return [
            Mark(placed.offset(span.start), placed.offset(span.end), underline=colour, line=line)
            for placed in self.text.between(first, last)
            for note in self._notes.get(placed.passage.id, ())
            if (span := note.words) is not None
        ]

    def marks(self, first: int, last: int) -> Sequence[Mark]:
        """The matches of the passages in a range, and which of them are highlighted.

        Words that speak for a class replace them: two meanings of colour in one text would be one too many.
        """
        figures = figure_marks(self.text, self._board.drawings, first, last)
        found = [*figures, *self._find_marks(first, last), *self._note_marks(first, last)]
        if self._board.classes.shown is not None:
            return [*class_marks(self.text, self._board.classes, first, last), *found]
        return [*self._link_marks(first, last), *found]

    def _find_marks(self, first: int, last: int) -> list[Mark]:
        """What the user looks for: coloured and underlined, the current one inverted."""
        finds, text = self._board.finds, self.text
        if text is None or finds.found is None or finds.found.patent != text.view.summary.id:
            return []
        colours, current = theme.active(), finds.current
        marks: list[Mark] = []
        for placed in text.between(first, last):
            low, high = placed.position(max(first, placed.start)), placed.position(min(last, placed.end)) + 1
            for each in finds.found.between(placed.passage.id, low, high):
                start, end = placed.offset(each.span.start), placed.offset(each.span.end)
                if each is current:
                    marks.append(Mark(start, end, background=colours.text, foreground=colours.base))
                else:
                    back, text_colour = colours.found, colours.text
                    marks.append(Mark(start, end, back, foreground=text_colour, underline=text_colour))
        return marks

    def _link_marks(self, first: int, last: int) -> Sequence[Mark]:
        links = self._board.links
        if self.text is None or links is None:
            return ()
        colours = theme.active()
        marks: list[Mark] = []
        for placed in self.text.between(first, last):
            for run in self._board.passage_marks(placed.passage.id):
                strength = run.weight / links.strongest if links.strongest else 0.0
                back = theme.tint(colours, run.feature, strength)
                marks.append(Mark(placed.offset(run.start), placed.offset(run.end), background=back))
            marks += self._lit_marks(placed)
        return marks

    def _lit_marks(self, placed: Placed) -> list[Mark]:
        """Highlighted terms of one passage; pointing at a common word may highlight thousands in all."""
        colours = theme.active()
        spans = {
            (link.match.passage, link.match.feature)
            for link in self._board.lit
            if link.passage == placed.passage.id
        }
        return [
            Mark(
                placed.offset(span.start),
                placed.offset(span.end),
                background=theme.feature_colour(colours, feature),
                foreground=colours.chip_text if feature else colours.base,
            )
            for span, feature in sorted(spans)
        ]

    def chips(self, first: int, last: int) -> Sequence[MarginChips]:
        """The sign of a note, and the features that a passage matches, strongest first.

        Features are those at the threshold or above.
        """
        links = self._board.links
        if self.text is None:
            return ()
        chips: list[MarginChips] = []
        for placed in self.text.between(first, last):
            if placed.passage.id in self._notes:
                chips.append(MarginChips(placed.start, (NOTE_SIGN,)))
            if links is not None and placed.passage.id in links.hits:
                room = self._chip_room(self.text, placed)
                found = links.strengths(placed.passage.id)
                labels = tuple(each.feature for each in found if each.verdict in SUGGESTED)
                chips.append(MarginChips(placed.start, labels[:room]))
        return chips

    def _chip_room(self, text: DocumentText, placed: Placed) -> int:
        """How many chips fit beside a passage."""
        layout = text.document.documentLayout()
        top = layout.blockBoundingRect(text.document.findBlock(placed.start)).top()
        bottom = layout.blockBoundingRect(text.document.findBlock(placed.end)).bottom()
        return COLUMNS * max(1, int((bottom - top) // (chip_height() + 2)))

    def current(self) -> tuple[int, int] | None:
        """Start and end of the current passage."""
        passage = self._board.passage
        placed = self.text.of(passage) if self.text is not None and passage is not None else None
        return (placed.start, placed.end) if placed is not None else None

    def outlines(self, first: int, last: int) -> Sequence[Outline]:
        """Boxes around what the query line matched."""
        return outlines(self.text, self._board.words, first, last)
