"""Finds words in the open document, beside the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.language import tr
from claimlight_workbench.models.finds import NOTHING, DocumentFinds

if TYPE_CHECKING:
    from claimlight.types import DocumentView, FindRequest
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.desk import Left
    from claimlight_workbench.models.finds import FindBoard

_PURPOSE = "find"


class FindPresenter(QObject):
    """What is typed replaces what is still being looked for; another document is searched for the same."""

    failed = Signal(Exception, str)

    def __init__(
        self, runner: JobRunner, board: FindBoard, parent: QObject | None = None, *, side: str = ""
    ) -> None:
        """``side`` distinguishes the jobs of several readers."""
        super().__init__(parent)
        self._runner = runner
        self._board = board
        self._purpose = f"{side}{_PURPOSE}"
        self._view: DocumentView | None = None
        self._wanted = NOTHING

    def find(self, wanted: FindRequest) -> None:
        """Find this in the open document, and show the next match."""
        self._wanted = wanted
        self._look(typed=True)

    def show(self, view: DocumentView) -> None:
        """Another document is open."""
        self._view = view
        self._board.show(None)
        self._look(typed=False)

    def clear_out(self, _left: Left) -> None:
        """No document is open."""
        self._view = None
        self._look(typed=False)

    def _look(self, *, typed: bool) -> None:
        self._runner.cut_off(self._purpose)
        view, wanted = self._view, self._wanted
        if view is None or not wanted.words.strip():
            self._board.show(None)
            return
        job = self._runner.submit(
            lambda context: DocumentFinds(wanted, view, context), supersedes=self._purpose
        )
        job.succeeded.connect(lambda found: self._board.show(found, typed=typed))
        job.failed.connect(lambda error: self.failed.emit(error, tr("The document could not be searched")))
