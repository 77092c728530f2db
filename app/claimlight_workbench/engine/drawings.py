"""The drawings of documents, from the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.values import DocumentDrawings

if TYPE_CHECKING:
    from claimlight.services.drawings.decoding import Raster
    from claimlight.tasks import TaskContext
    from claimlight.types import DocumentView, DrawingPage, Mentions, PatentId


class DrawingQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def drawings(self, view: DocumentView, context: TaskContext) -> DocumentDrawings:
        """Pages and figures of a document, and the mentions in its text that lead to them."""
        from claimlight.services.drawings.drawings import list_drawings
        from claimlight.services.drawings.mentions import find_links

        found = list_drawings(self._opened().library, view.summary.id, view.passages, context)
        return DocumentDrawings(found, find_links(view.passages, found, context))

    def mentions(self, view: DocumentView, context: TaskContext) -> Mentions:
        """The reference signs of a document, with all their mentions."""
        from claimlight.services.drawings.mentions import read_mentions

        return read_mentions(view.passages, context)

    def drawing_page(self, patent: PatentId, page: DrawingPage, longest: int, context: TaskContext) -> Raster:
        """A page with at most ``longest`` pixels on its longer side; `ResourceError` without its picture."""
        from claimlight.services.drawings.drawings import read_raster

        return read_raster(self._opened().library, patent, page, context, longest=longest)
