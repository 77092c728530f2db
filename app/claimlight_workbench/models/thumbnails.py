"""Small pictures of the pages of drawings: those in view are asked for, and what was read is kept."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from claimlight.types import Drawings

KEPT = 400
"""Pictures kept, of all documents opened last; each takes about 60 KB at text size 1."""


class Thumbnails(QObject):
    """The strip says which pages are in view; the presenter brings their pictures here, one by one."""

    wanted_changed = Signal()
    """Other pages are in view, or they are of another size."""
    arrived = Signal(int)
    """The picture of a page is there; its index."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kept: OrderedDict[tuple[str, int, int], QImage] = OrderedDict()
        """By publication, number of the page and size; a null picture for a page that can't be shown."""
        self.side = 0
        """Pixels of the longer side; 0 while no strip is shown."""
        self.wanted = range(0)
        """Indexes of the pages in view."""

    def want(self, wanted: range, side: int) -> None:
        """Other pages are in view."""
        if (wanted, side) != (self.wanted, self.side):
            self.wanted, self.side = wanted, side
            self.wanted_changed.emit()

    def drop(self) -> None:
        """Another document: no page is in view until the strip says so."""
        self.wanted = range(0)

    def of(self, drawings: Drawings, index: int) -> QImage | None:
        """The picture of a page: null if it can't be shown, None if it is not read."""
        return self._kept.get(self._key(drawings, index))

    def keep(self, drawings: Drawings, index: int, image: QImage) -> None:
        """Keep the picture of a page; null for one that can't be shown."""
        self._kept[self._key(drawings, index)] = image
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self.arrived.emit(index)

    def _key(self, drawings: Drawings, index: int) -> tuple[str, int, int]:
        return drawings.publication, drawings.pages[index].number, self.side
