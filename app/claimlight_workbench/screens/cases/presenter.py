"""The list of cases, and changes to the cases in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from claimlight_workbench.jobs.runner import Lane
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from claimlight.tasks import TaskContext
    from claimlight.types import Backup, BackupContents, CaseSummary, LogEntry
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.values import CaseState


BACKUP_LOOK_MS = 5 * 60_000
"""How often it is looked whether a backup is due."""


class CaseListService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def cases(
        self, text: str, context: TaskContext, *, archived: bool = False, deleted: bool = False
    ) -> tuple[CaseSummary, ...]:
        """The cases with all words of ``text``, last worked on first."""
        ...

    def rename_case(self, case: int, name: str, context: TaskContext) -> CaseState | None:
        """Rename a case; returns the open case as it is now, None if no case is open."""
        ...

    def archive_case(self, case: int, context: TaskContext, *, archived: bool) -> CaseState | None:
        """Archive a case, or take it out of the archive; returns the open case as it is now."""
        ...

    def delete_case(self, case: int, context: TaskContext, *, deleted: bool) -> CaseState | None:
        """Mark a case as deleted, or restore it whole; returns the open case as it is now."""
        ...

    def case_history(self, context: TaskContext) -> tuple[LogEntry, ...]:
        """Everything that was done in the open case, oldest first."""
        ...

    def turn_step(self, number: int, context: TaskContext) -> tuple[CaseState, tuple[LogEntry, ...]]:
        """Undo or redo one step of the history of the open case by itself."""
        ...

    def back_up_cases(self, context: TaskContext) -> Backup | None:
        """Back the case book up if something was changed for half an hour."""
        ...

    def case_backups(self, context: TaskContext) -> tuple[BackupContents, ...]:
        """The backups of the case book, newest first, each opened and checked."""
        ...

    def restore_cases(self, number: int, context: TaskContext) -> Backup:
        """Close the case book and replace it by a backup; if that fails, the open case stays open."""
        ...

    def unlock_cases(self, passphrase: str, context: TaskContext) -> None:
        """Open the encrypted case book."""
        ...

    def convert_cases(self, present: str, new: str, context: TaskContext) -> tuple[str, ...]:
        """Encrypt the case book, change its passphrase or decrypt it; the files that are as they were."""
        ...


class CasesPresenter(QObject):
    """Changes go through the one-thread lane, and the list is read again after each."""

    listed = Signal(object)
    """The `CaseSummary`s that match."""
    changed = Signal(object)
    """`CaseState` of the open case, or None, after a case of the list was changed."""
    history_read = Signal(object)
    """`LogEntry`s of the open case, oldest first."""
    turned = Signal(object)
    """`CaseState` after a step of the history was undone or redone by itself."""
    backups_read = Signal(object)
    """`BackupContents`, newest first."""
    restored = Signal(object)
    """`Backup` that was restored; no case is open."""
    unlocked = Signal()
    still_locked = Signal(Exception)
    converted = Signal(object)
    """Files that are as they were."""
    not_converted = Signal(Exception)
    failed = Signal(Exception, str)

    def __init__(self, services: CaseListService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._asked = ("", False, False)
        self._complained = False
        self._timer = QTimer(self)
        self._timer.setInterval(BACKUP_LOOK_MS)
        self._timer.timeout.connect(self._back_up)

    def find(self, text: str, archived: bool = False, deleted: bool = False) -> None:  # noqa: FBT001, FBT002 - a slot
        """List the cases with all words of a text, on request also archived and deleted ones."""
        self._asked = (text, archived, deleted)
        job = self._runner.submit(
            lambda context: self._services.cases(text, context, archived=archived, deleted=deleted),
            supersedes="cases",
            free=True,
        )
        job.succeeded.connect(self.listed)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The cases could not be listed")))

    def rename(self, case: int, name: str) -> None:
        """Rename a case."""
        self._change(lambda context: self._services.rename_case(case, name, context))

    def archive(self, case: int, archived: bool) -> None:  # noqa: FBT001 - a slot
        """Archive a case, or take it out of the archive."""
        self._change(lambda context: self._services.archive_case(case, context, archived=archived))

    def delete(self, case: int, deleted: bool) -> None:  # noqa: FBT001 - a slot
        """Mark a case as deleted, or restore it."""
        self._change(lambda context: self._services.delete_case(case, context, deleted=deleted))

    def read_history(self) -> None:
        """Read what was done in the open case."""
        job = self._runner.submit(self._services.case_history, supersedes="history", free=True)
        job.succeeded.connect(self.history_read)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The history could not be read")))

    def turn(self, number: int) -> None:
        """Undo one step of the history by itself, or redo it if it was undone."""
        job = self._runner.submit(lambda context: self._services.turn_step(number, context), lane=Lane.WRITE)
        job.succeeded.connect(self._turned)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The step could not be undone")))

    def _turned(self, found: tuple[CaseState, tuple[LogEntry, ...]]) -> None:
        state, history = found
        self.changed.emit(state)
        self.turned.emit(state)
        self.history_read.emit(history)

    def keep_backups(self) -> None:
        """Back the case book up while it is worked on; a failure is reported once."""
        self._timer.start()

    def stop(self) -> None:
        """Look no more whether a backup is due: the window is closing, and the engine makes one then."""
        self._timer.stop()

    def _back_up(self) -> None:
        job = self._runner.submit(self._services.back_up_cases, lane=Lane.WRITE)
        job.failed.connect(self._not_backed_up)

    def _not_backed_up(self, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            self.failed.emit(error, tr("The case book could not be backed up"))

    def read_backups(self) -> None:
        """Open and check every backup of the case book."""
        job = self._runner.submit(self._services.case_backups, supersedes="backups", free=True)
        job.succeeded.connect(self.backups_read)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The backups can't be read")))

    def restore(self, number: int) -> None:
        """Replace the case book by a backup."""
        job = self._runner.submit(
            lambda context: self._services.restore_cases(number, context), lane=Lane.WRITE
        )
        job.succeeded.connect(self.restored)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The case book was not restored")))

    def unlock(self, passphrase: str) -> None:
        """Open the encrypted case book."""
        job = self._runner.submit(
            lambda context: self._services.unlock_cases(passphrase, context), lane=Lane.WRITE
        )
        job.succeeded.connect(lambda _none: self.unlocked.emit())
        job.failed.connect(self.still_locked)

    def convert(self, present: str, new: str) -> None:
        """Encrypt the case book, change its passphrase or, without a new one, decrypt it."""
        job = self._runner.submit(
            lambda context: self._services.convert_cases(present, new, context), lane=Lane.WRITE
        )
        job.succeeded.connect(self.converted)
        job.failed.connect(self.not_converted)

    def _change(self, task: Callable[[TaskContext], CaseState | None]) -> None:
        job = self._runner.submit(task, lane=Lane.WRITE)
        job.succeeded.connect(self._done)
        job.failed.connect(self._refused)

    def _done(self, state: CaseState | None) -> None:
        self.changed.emit(state)
        self.find(*self._asked)

    def _refused(self, error: Exception) -> None:
        # The table already shows an edited name; reading the list again puts the old one back.
        self.failed.emit(error, tr("The case could not be changed"))
        self.find(*self._asked)
