"""Reads the pages of the manual and their pictures beside the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader

from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.services.manual import ManualPage
    from claimlight.tasks import TaskContext


class ManualService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def manual(self, context: TaskContext) -> tuple[ManualPage, ...]:
        """Every page; raises `ResourceError` if this installation has none."""
        ...


class ManualPresenter(QObject):
    """Serves the manual of one window."""

    read = Signal(tuple)
    """Every page."""
    picture_read = Signal(str, QImage)
    """A picture by its file; null if it can't be read."""
    failed = Signal(object, str)

    def __init__(self, services: ManualService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._pages: Sequence[ManualPage] = ()

    def ask(self) -> None:
        """Read the pages, once."""
        if self._pages:
            self.read.emit(self._pages)
            return
        job = self._runner.submit(self._services.manual, supersedes="manual", free=True)
        job.succeeded.connect(self._keep)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The manual could not be opened")))

    def read_picture(self, path: str, size: QSize) -> None:
        """Read a picture in the size in which it is shown."""

        def work(_context: TaskContext) -> QImage:
            return read_scaled(Path(path), size)

        job = self._runner.submit(work, free=True)
        job.succeeded.connect(lambda image: self.picture_read.emit(path, image))

    def _keep(self, pages: tuple[ManualPage, ...]) -> None:
        self._pages = pages
        self.read.emit(pages)


def read_scaled(path: Path, size: QSize) -> QImage:
    """A picture, smoothly scaled; null if it can't be read."""
    image = QImageReader(str(path)).read()
    if image.isNull():
        return image
    # The shipped ones have a palette, whose colours can't be mixed.
    return image.convertToFormat(QImage.Format.Format_RGB32).scaled(
        size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
