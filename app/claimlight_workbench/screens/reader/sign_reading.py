"""Reads the reference signs of the open document, once they are listed or one is clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.language import tell
from claimlight_workbench.models.signs import DocumentSigns

if TYPE_CHECKING:
    from claimlight.types import DocumentView
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.drawings import DrawingBoard
    from claimlight_workbench.screens.reader.drawing import DrawingService


class SignPresenter(QObject):
    """Another document cancels what is being read; one that is only opened is not read."""

    def __init__(
        self, services: DrawingService, runner: JobRunner, board: DrawingBoard, parent: QObject, *, side: str
    ) -> None:
        """``side`` distinguishes the jobs of several readers."""
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._board = board
        self._purpose = f"{side}signs"
        self._view: DocumentView | None = None
        self._asked = False
        board.signs.wanted.connect(self._read)
        board.showing_changed.connect(self._look)

    def open(self, view: DocumentView | None) -> None:
        """Another document, or none."""
        if self._asked:
            self._runner.cut_off(self._purpose)
        self._view, self._asked = view, False
        self._board.signs.open()
        self._look()

    def _look(self) -> None:
        if self._board.visible and self._board.signs.listing:
            self._read()

    def _read(self) -> None:
        view, signs = self._view, self._board.signs
        if view is None or self._asked:
            return
        self._asked = True
        job = self._runner.submit(
            lambda context: DocumentSigns(self._services.mentions(view, context)), supersedes=self._purpose
        )
        job.succeeded.connect(signs.show)
        job.failed.connect(lambda error: signs.fail(tell(str(error))))
