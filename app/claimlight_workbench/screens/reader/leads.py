"""Where the text leads: mentions of figures to their pages, reference signs to their names and the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from claimlight.types import FoundPlace, Span
from claimlight_workbench.models.signs import token_at
from claimlight_workbench.screens.reader.figure_links import NO_FIGURE, link_at, link_tip
from claimlight_workbench.screens.reader.sign_words import LIST_HELP, READING_SIGNS, sign_line

if TYPE_CHECKING:
    from claimlight.types import Figure, PassageId, PassageView, ReferenceSign
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText


class TextLeads(QObject):
    """A click on a figure shows it; one on a sign says what it names, and with Ctrl opens the list at it."""

    said = Signal(str)
    """Words for the line below the text; empty for none."""
    opened = Signal(object)
    """`FoundPlace`: drawings have come beside the text, and this place is to stay in view."""

    def __init__(self, board: LinkBoard, parent: QObject) -> None:
        super().__init__(parent)
        self._links = board
        self._board = board.drawings
        self._figure_wanted = False
        """The figure of the current passage is to be shown as soon as the drawings are listed."""
        self._clicked: tuple[PassageView, int, bool] | None = None
        """Place of a click whose sign is not read yet, and whether the list is to be opened."""
        self._board.listed.connect(self._listed)
        self._board.signs.changed.connect(self._read)

    # At a document position

    def shape_at(self, text: DocumentText | None, offset: int) -> Qt.CursorShape:
        """The shape of the pointer."""
        linked = link_at(text, self._board, offset) is not None
        return Qt.CursorShape.PointingHandCursor if linked else Qt.CursorShape.IBeamCursor

    def tip_at(self, text: DocumentText | None, offset: int) -> str:
        """What a click shows, or the name of a sign, if the signs are read; else empty."""
        if (link := link_at(text, self._board, offset)) is not None:
            return link_tip(link)
        placed = text.at(offset) if text is not None else None
        found = self._board.signs.found
        sign = found.at(placed.passage, placed.position(offset)) if found is not None and placed else None
        return f"{sign.sign}: {sign.name}" if sign is not None else ""

    def click(self, text: DocumentText | None, offset: int, *, listing: bool) -> None:
        """A place of the text was clicked; ``listing``: at a sign, open the list."""
        self._clicked = None
        placed = text.at(offset) if text is not None else None
        if placed is None:
            return
        if (link := link_at(text, self._board, offset)) is not None:
            self._board.show_figure(link.figure)
            self.opened.emit(FoundPlace(placed.passage.id, link.span))
        elif token_at(placed.passage.text, placed.position(offset)):
            self._clicked = (placed.passage, placed.position(offset), listing)
            if self._board.signs.found is None:
                self.said.emit(READING_SIGNS)
                self._board.signs.wanted.emit()
            else:
                self._read()

    # Figures

    def show_figure(self) -> None:
        """Show the figure that the current passage names; repeated, the next one."""
        board, passage = self._board, self._links.passage
        self._figure_wanted = False
        if board.opened and board.found is None and not board.fault:
            # The page of the passage is shown as soon as it is known.
            self._figure_wanted = True
            board.show_drawings()
        elif passage is not None and not board.show_figure_of(passage):
            self.said.emit(NO_FIGURE)

    def _listed(self) -> None:
        wanted, self._figure_wanted = self._figure_wanted, False
        if wanted and self._board.found is not None:
            self.show_figure()

    # Signs

    def toggle_list(self) -> bool:
        """Open the list of signs with the drawings, or close it; returns whether it is open."""
        shown = self._board.visible and self._board.signs.listing
        if shown:
            self._board.signs.set_listing(listing=False)
        else:
            self._open_list()
        return not shown

    def show_drawn(self, passage: PassageId) -> None:
        """Show the figure in which the current sign is probably drawn, at its mention in a passage.

        Of several, the one that the passage names.
        """
        board, sign = self._board, self._board.signs.current
        if sign is None or board.found is None:
            return
        likely = [figure for label in sign.figures if (figure := self._figure(label)) is not None]
        named = {link.figure.page for link in board.links_of(passage)}
        here = [figure for figure in likely if figure.page in named]
        if likely:
            board.go_to((here or likely)[0].page - 1)

    def _figure(self, label: str) -> Figure | None:
        from claimlight.services.drawings.mentions import match_label

        figures = self._board.found.drawings.figures if self._board.found is not None else ()
        known = {each.label: each for each in figures if each.page}
        return known.get(match_label(label, known))

    def _open_list(self) -> None:
        self._board.signs.set_listing(listing=True)
        self._board.show_drawings()

    def _read(self) -> None:
        """The sign that was clicked is known, or is none."""
        clicked, self._clicked = self._clicked, None
        signs = self._board.signs
        if clicked is None:
            return
        passage, position, listing = clicked
        sign = signs.found.at(passage, position) if signs.found is not None else None
        if sign is None:
            self.said.emit(signs.fault)
            return
        signs.choose(sign)
        if listing:
            self._open_list()
            self.opened.emit(FoundPlace(passage.id, Span(position, position)))
        self.said.emit(self._words(sign))

    def _words(self, sign: ReferenceSign) -> str:
        shown = self._board.visible and self._board.signs.listing
        return sign_line(sign) if shown else f"{sign_line(sign)}\n{LIST_HELP}"
