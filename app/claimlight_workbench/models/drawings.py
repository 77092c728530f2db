"""The drawings of the open document: whether they are shown, which page, and its picture."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from claimlight.types import PictureKind
from claimlight_workbench.models.signs import SignBoard
from claimlight_workbench.models.thumbnails import Thumbnails

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from claimlight.types import DrawingPage, Figure, FigureLink, PassageId
    from claimlight_workbench.values import DocumentDrawings

_PAGES = (PictureKind.DRAWING, PictureKind.PAGE)
_WIDE = 1.25
"""Width of a page, as a part of its height, from which on it is much wider than high."""


class Showing(StrEnum):
    """What the reader shows of a document."""

    TEXT = "text"
    DRAWINGS = "drawings"
    BOTH = "both"


class DrawingBoard(QObject):
    """What the drawings view shows; the presenter brings what is asked for here."""

    showing_changed = Signal()
    together_changed = Signal()
    listed = Signal()
    """Other pages are there to be seen, or none, or they are awaited."""
    page_changed = Signal()
    """Another page is current, or the same one turned or of another size: its picture is wanted."""
    pictured = Signal()
    """The picture of the current page is there, or gone, or can't be shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.showing = Showing.TEXT
        self.together = True
        """Whether the reader has room for text and drawings at once; else a key changes one for the other."""
        self._was_both = False
        """Both were shown before the room was lost."""
        self.opened = False
        """Whether a document is open."""
        self.found: DocumentDrawings | None = None
        """None while they are not read."""
        self.fault = ""
        """Why they could not be listed."""
        self.at = 0
        """Index of the current page."""
        self._turns: dict[int, int] = {}
        """By index the quarters by which a page was turned; kept while the document is open."""
        self.longest = 0
        """Pixels wanted of the longer side of a page; 0 before the view is laid out."""
        self.image: QImage | None = None
        self.picture_fault = ""
        """Why the picture of the current page can't be shown."""
        self.thumbnails = Thumbnails(self)
        self.signs = SignBoard(self)
        self._named: PassageId | None = None
        """The passage whose figures are shown one after the other."""

    @property
    def visible(self) -> bool:
        """Whether drawings are shown."""
        return self.showing is not Showing.TEXT

    @property
    def pages(self) -> tuple[DrawingPage, ...]:
        """Every page; none if no picture of the document can be shown."""
        return self.found.drawings.pages if self.found is not None and not self.reason else ()

    @property
    def reason(self) -> str:
        """Why no page can be shown; empty if one can, or if they are not read."""
        return self.found.drawings.reason if self.found is not None else ""

    @property
    def page(self) -> DrawingPage | None:
        """The current page."""
        return self.pages[self.at] if 0 <= self.at < len(self.pages) else None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures on the current page, as far as known; some only by a guess."""
        page, found = self.page, self.found
        if page is None or found is None:
            return ()
        return tuple(each for each in found.drawings.figures if each.page == page.number)

    @property
    def turns(self) -> int:
        """Quarters by which the current page is turned clockwise."""
        return self.turns_of(self.at)

    def turns_of(self, index: int) -> int:
        """Quarters by which a page is turned clockwise."""
        return self._turns.get(index, 0)

    @property
    def is_sideways(self) -> bool:
        """Whether the text on the current page is probably turned, and the user has not turned it.

        The file says so of some pages; others are much wider than high.
        """
        page, image = self.page, self.image
        if page is None or self.at in self._turns or page.picture.kind not in _PAGES:
            return False
        wide = image is not None and image.width() > _WIDE * image.height()
        return page.picture.landscape or wide

    @property
    def wanted(self) -> Showing:
        """What was asked for, which is more than is shown where there is no room for both."""
        return Showing.BOTH if self._was_both else self.showing

    def show(self, showing: Showing) -> None:
        """Show text, drawings or both; without room for both, the drawings."""
        self._was_both = showing is Showing.BOTH and not self.together
        showing = Showing.DRAWINGS if self._was_both else showing
        if showing is not self.showing:
            self.showing = showing
            self.showing_changed.emit()

    def show_next(self) -> None:
        """Show the text, the drawings or both, in turn."""
        self.show(self.next)

    @property
    def next(self) -> Showing:
        """What comes after what is shown."""
        turns = [Showing.TEXT, Showing.DRAWINGS]
        if self.together:
            turns.append(Showing.BOTH)
        return turns[(turns.index(self.showing) + 1) % len(turns)]

    def show_drawings(self) -> None:
        """Show the drawings with the text, if they are not shown."""
        if not self.visible:
            self.show(Showing.BOTH)

    def show_text(self) -> None:
        """Show the text, with the drawings if there is room for both."""
        if self.showing is Showing.DRAWINGS:
            self.show(Showing.BOTH if self.together else Showing.TEXT)

    def set_together(self, *, together: bool) -> None:
        """Whether there is room for both; if there is again, both are shown as before."""
        if together is not self.together:
            self.together, both = together, self._was_both or self.showing is Showing.BOTH
            if both:
                self.show(Showing.BOTH)
            self.together_changed.emit()

    def open(self, *, opened: bool) -> None:
        """Another document, or none: its drawings come later."""
        self.opened, self.found, self.fault = opened, None, ""
        self._turns.clear()
        self._turn_to(0, listed=True)

    def show_list(self, found: DocumentDrawings, passage: PassageId | None) -> None:
        """The drawings of the open document; the page of the current passage comes first."""
        self.found, self.fault = found, ""
        self._turn_to(max(found.page_of(passage), 1) - 1, listed=True)

    def fail(self, fault: str) -> None:
        """They could not be listed."""
        self.found, self.fault = None, fault
        self._turn_to(0, listed=True)

    def step(self, by: int) -> None:
        """Go to the next or previous page; not beyond the last and the first."""
        self.go_to(self.at + by)

    def go_to(self, index: int) -> None:
        """Go to a page, if there is one."""
        if 0 <= index < len(self.pages) and index != self.at:
            self._turn_to(index)

    def follow(self, passage: PassageId | None) -> None:
        """Go to the page of the first figure that a passage names, if it names one."""
        self.go_to((self.found.page_of(passage) if self.found is not None else 0) - 1)

    def links_of(self, passage: PassageId) -> tuple[FigureLink, ...]:
        """The mentions of figures in a passage that lead to a page."""
        return self.found.links.get(passage, ()) if self.found is not None else ()

    def show_figure(self, figure: Figure) -> None:
        """Show the page of a figure, beside the text if only the text is shown."""
        self.show_drawings()
        self.go_to(figure.page - 1)

    def show_figure_of(self, passage: PassageId) -> bool:
        """Show the first figure that a passage names, or the next one; whether it names any."""
        figures = {link.figure.page: link.figure for link in self.links_of(passage)}
        order = list(figures)
        if not order:
            return False
        again = self.visible and self._named == passage and self.at + 1 in figures
        at = (order.index(self.at + 1) + 1) % len(order) if again else 0
        self._named = passage
        self.show_figure(figures[order[at]])
        return True

    def turn(self) -> None:
        """Turn the page by a quarter."""
        self._turns[self.at] = (self.turns + 1) % 4
        self._drop()
        self.page_changed.emit()

    def set_longest(self, longest: int) -> None:
        """Want the picture in another size; the one there is stays until the other has come."""
        if longest != self.longest:
            self.longest = longest
            self.page_changed.emit()

    def show_image(self, image: QImage) -> None:
        """The picture of the current page."""
        self.image, self.picture_fault = image, ""
        self.pictured.emit()

    def show_fault(self, fault: str) -> None:
        """The picture of the current page can't be shown."""
        self.image, self.picture_fault = None, fault
        self.pictured.emit()

    def _turn_to(self, index: int, *, listed: bool = False) -> None:
        self.at = index
        self._drop()
        if listed:
            self.listed.emit()
        self.page_changed.emit()

    def _drop(self) -> None:
        self.image, self.picture_fault = None, ""
        self.pictured.emit()
