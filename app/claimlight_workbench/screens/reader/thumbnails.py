"""Reads the small pictures of the pages in view, one at a time and after the current page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from claimlight.types import PictureState
from claimlight_workbench.screens.reader.page_image import page_image

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import Drawings, PatentId
    from claimlight_workbench.jobs.runner import Job, JobRunner
    from claimlight_workbench.models.drawings import DrawingBoard
    from claimlight_workbench.screens.reader.drawing import DrawingService


class ThumbnailPresenter(QObject):
    """Pages that come into view are read next; those that have left it are not read."""

    def __init__(
        self, services: DrawingService, runner: JobRunner, board: DrawingBoard, parent: QObject, *, side: str
    ) -> None:
        """``side`` distinguishes the jobs of several readers."""
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._board = board
        self._purpose = f"{side}thumbnails"
        self._patent: PatentId | None = None
        self._job: Job | None = None
        board.thumbnails.wanted_changed.connect(self._next)
        board.pictured.connect(self._next)

    def open(self, patent: PatentId | None) -> None:
        """Another document, or none."""
        self._patent = patent
        self._board.thumbnails.drop()
        if self._job is not None:
            self._job = None
            self._runner.cut_off(self._purpose)

    def _next(self) -> None:
        board, patent = self._board, self._patent
        if self._job is not None or not board.visible or patent is None or board.found is None:
            return
        if board.image is None and not board.picture_fault:
            return  # the page itself comes first
        drawings = board.found.drawings
        index = self._first_lacking(drawings)
        if index is None:
            return
        page, side = drawings.pages[index], board.thumbnails.side

        def read(context: TaskContext) -> QImage:
            return page_image(self._services.drawing_page(patent, page, side, context))

        self._job = job = self._runner.submit(read, supersedes=self._purpose)
        job.succeeded.connect(lambda image: self._keep(job, drawings, index, image))
        job.failed.connect(lambda _error: self._keep(job, drawings, index, QImage()))
        job.cancelled.connect(lambda: self._end(job))

    def _first_lacking(self, drawings: Drawings) -> int | None:
        """The page in view without a picture that is nearest to the current one."""
        thumbnails = self._board.thumbnails
        lacking = (
            index
            for index in thumbnails.wanted
            if index < len(drawings.pages)
            and drawings.pages[index].state is not PictureState.MISSING
            and thumbnails.of(drawings, index) is None
        )
        return min(lacking, key=lambda index: abs(index - self._board.at), default=None)

    def _keep(self, job: Job, drawings: Drawings, index: int, image: QImage) -> None:
        if self._job is job:
            self._job = None
            self._board.thumbnails.keep(drawings, index, image)
            self._next()

    def _end(self, job: Job) -> None:
        if self._job is job:
            self._job = None
