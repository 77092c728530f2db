"""Lists the drawings of the open document, for its text once it is read, and decodes the current page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer

from claimlight_workbench.language import tell
from claimlight_workbench.screens.reader.page_image import page_image
from claimlight_workbench.screens.reader.sign_reading import SignPresenter
from claimlight_workbench.screens.reader.thumbnails import ThumbnailPresenter

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from claimlight.services.drawings.decoding import Raster
    from claimlight.tasks import TaskContext
    from claimlight.types import DocumentView, DrawingPage, Mentions, PassageId, PatentId
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.desk import Left
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.values import DocumentDrawings


REST_MS = 700
"""A document that is open that long is read, so its text gets links; who goes through a list waits for
nothing."""


class DrawingService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def drawings(self, view: DocumentView, context: TaskContext) -> DocumentDrawings:
        """Pages and figures of a document, and the mentions in its text that lead to them."""
        ...

    def mentions(self, view: DocumentView, context: TaskContext) -> Mentions:
        """The reference signs of a document, with all their mentions."""
        ...

    def drawing_page(self, patent: PatentId, page: DrawingPage, longest: int, context: TaskContext) -> Raster:
        """A page with at most ``longest`` pixels on its longer side; `ResourceError` without its picture."""
        ...


class DrawingPresenter(QObject):
    """A newer page cancels the older; while only text is shown no page is decoded."""

    def __init__(
        self,
        services: DrawingService,
        runner: JobRunner,
        board: LinkBoard,
        parent: QObject | None = None,
        *,
        side: str = "",
    ) -> None:
        """``side`` distinguishes the jobs of several readers."""
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._links = board
        self._board = board.drawings
        self._listing, self._decoding = f"{side}drawings", f"{side}decoding"
        self._view: DocumentView | None = None
        self._asked = False
        """Whether the drawings of the open document were asked for."""
        self._shown: tuple[DrawingPage, int, int] | None = None
        """The page, its turns and its size that were asked for."""
        self._whole: tuple[DrawingPage, int, int] | None = None
        """What is shown, if it is there in full."""
        self._thumbnails = ThumbnailPresenter(services, runner, self._board, self, side=side)
        self._signs = SignPresenter(services, runner, self._board, self, side=side)
        self.rest = QTimer(self)
        """Until the drawings are listed for the text alone."""
        self.rest.setSingleShot(True)
        self.rest.setInterval(REST_MS)
        self.rest.timeout.connect(self._list)
        self._board.showing_changed.connect(self._look)
        self._board.page_changed.connect(self._picture)
        board.passage_changed.connect(self._follow)

    def show(self, view: DocumentView) -> None:
        """Another document is open."""
        self._open(view)

    def clear_out(self, _left: Left) -> None:
        """No document is open."""
        self._open(None)

    def stop(self) -> None:
        """List nothing more; for the end of the program."""
        self.rest.stop()

    def _open(self, view: DocumentView | None) -> None:
        self._runner.cut_off(self._listing)
        self._view, self._asked = view, False
        self._thumbnails.open(view.summary.id if view is not None else None)
        self._signs.open(view)
        self._board.open(opened=view is not None)
        if view is not None:
            self.rest.start()
        else:
            self.rest.stop()
        self._look()

    def _look(self) -> None:
        view, board = self._view, self._board
        if view is None or not board.visible:
            return
        if self._asked:
            self._follow()
            self._picture()
            return
        self._list()

    def _list(self) -> None:
        view, board = self._view, self._board
        if view is None or self._asked:
            return
        self.rest.stop()
        self._asked = True
        job = self._runner.submit(
            lambda context: self._services.drawings(view, context), supersedes=self._listing
        )
        job.succeeded.connect(lambda found: board.show_list(found, self._passage))
        job.failed.connect(lambda error: board.fail(tell(str(error))))

    @property
    def _passage(self) -> PassageId | None:
        return self._links.passage

    def _follow(self) -> None:
        if self._board.visible:
            self._board.follow(self._passage)

    def _picture(self) -> None:
        board, view = self._board, self._view
        page, turns, longest = board.page, board.turns, board.longest
        if page is None or view is None:
            self._runner.cut_off(self._decoding)
            self._shown = self._whole = None
            return
        wanted = (page, turns, longest)
        if not longest or not board.visible or self._has(wanted):
            return
        if self._shown is None or self._shown[:2] != wanted[:2]:
            self._whole = None
        self._shown = wanted
        patent = view.summary.id

        def read(context: TaskContext) -> QImage:
            return page_image(self._services.drawing_page(patent, page, longest, context), turns)

        job = self._runner.submit(read, supersedes=self._decoding)

        def arrived(image: QImage) -> None:
            # Smaller than it could be: there is no more of it, however far it is zoomed.
            self._whole = wanted if max(image.width(), image.height()) < longest else None
            board.show_image(image)

        job.succeeded.connect(arrived)
        job.failed.connect(lambda error: board.show_fault(tell(str(error))))

    def _has(self, wanted: tuple[DrawingPage, int, int]) -> bool:
        """Whether this was asked for already, or is there in its full size."""
        if wanted == self._shown:
            return not self._board.picture_fault
        return self._whole is not None and self._whole[:2] == wanted[:2] and self._whole[2] < wanted[2]
