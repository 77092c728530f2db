"""Saves the session to disk: collected a moment after a change, written by the one-thread lane."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from claimlight.locks import FileLock
from claimlight_workbench import ui_state
from claimlight_workbench.jobs.runner import JobRunner, Lane
from claimlight_workbench.language import tr
from claimlight_workbench.ui_state import Session

COLLECT_AFTER_MS = 400


class SessionKeeper(QObject):
    """A crash loses at most the last `COLLECT_AFTER_MS`.

    Of several windows the first writes; when it is closed, the next one that has something to save does.
    """

    failed = Signal(Exception, str)

    def __init__(
        self, collect: Callable[[], Session], runner: JobRunner, *, path: Path, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._collect = collect
        self._runner = runner
        self._path = path
        self._lock = FileLock(path.with_suffix(".lock"))
        self._last: Session | None = None
        self._complained = False
        self._over = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(COLLECT_AFTER_MS)
        self._timer.timeout.connect(self._save)

    def changed(self, *_: object) -> None:
        """Something that is part of the session has changed."""
        if not self._over and not self._timer.isActive():
            self._timer.start()

    def end(self) -> None:
        """Take a copy of the session now, because closing the window must not change it."""
        self._over = True
        self._timer.stop()
        self._last = self._collect()

    def save_last(self) -> None:
        """Write the copy that `end` took, after the threads of the runner, which writes this file too."""
        if self._last is None:
            self._lock.release()
            return
        try:
            self._write(self._last)
        except OSError as error:
            self._complain(error)
        self._lock.release()

    def _save(self) -> None:
        session = self._collect()
        if session == self._last:
            return
        self._last = session
        job = self._runner.submit(lambda _context: self._write(session), lane=Lane.WRITE)
        job.failed.connect(self._complain)

    def _write(self, session: Session) -> None:
        if self._lock.take():
            ui_state.save(session, self._path)

    def _complain(self, error: Exception) -> None:
        # Or the same session would count as saved.
        self._last = None
        # A full disk would open a dialog at every key stroke: say it once.
        if not self._complained:
            self._complained = True
            self.failed.emit(error, tr("The session could not be saved"))
