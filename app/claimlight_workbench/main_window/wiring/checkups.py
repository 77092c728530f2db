"""The regular check of the open library and the case book, while nothing else runs."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from claimlight.services.repair import check_dates
from claimlight_workbench.jobs.process import ProcessJob
from claimlight_workbench.jobs.registry import ENDED, JobState
from claimlight_workbench.jobs.single import SingleJob
from claimlight_workbench.jobs.titles import kind_of
from claimlight_workbench.language import tell, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from claimlight.types.repairs import Checkup
    from claimlight_workbench.jobs.registry import JobRegistry
    from claimlight_workbench.jobs.single import ProcessFactory
    from claimlight_workbench.screens.library.presenter import LibraryPresenter

WAIT_MS = 120_000
"""After the start, and between two looks whether nothing runs."""
_COMMAND = ("doctor", "--due")
_BUSY = frozenset(JobState) - ENDED - {JobState.PAUSED}


class Checkups(QObject):
    """One child process of low priority; it speaks only of what is damaged."""

    def __init__(
        self,
        window: QWidget,
        *,
        library: LibraryPresenter,
        registry: JobRegistry,
        busy: Callable[[], bool],
        show_backups: Callable[[], None],
        process: ProcessFactory = ProcessJob,
    ) -> None:
        """``show_backups``: opens the list from which the case book is restored."""
        super().__init__(window)
        self._window = window
        self._library = library
        self._registry = registry
        self._busy = busy
        self._show_backups = show_backups
        self._days = 0
        self._seen: set[str] = set()
        """Folders that were checked in this session: damage is reported once."""
        self._folder = ""
        """Folder of the library that is checked, or was last; empty without one."""
        self.box: QMessageBox | None = None
        self.job = SingleJob(self, process, jobs=registry)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._look)
        self.job.succeeded.connect(self._show)
        # Whether a check was cancelled or could not be made: the list of jobs has it, and it is due later.
        self.job.cancelled.connect(self._again)
        registry.changed.connect(self._make_room)

    def begin(self, days: int) -> None:
        """Check what was not found undamaged for ``days`` days, from now on; 0 for never."""
        self._days = days
        if days:
            self._library.opened.connect(lambda _info: self._again())
            self._again()

    def stop(self) -> None:
        """The window is closed."""
        self._days = 0
        self._timer.stop()
        self.job.stop()

    def _again(self) -> None:
        if self._days:
            self._timer.start()

    def _look(self) -> None:
        info = self._library.info
        folder = info.local if info is not None else ""
        if not self._days or folder in self._seen:
            return
        names = [check_dates.BOOK, *([check_dates.name_library(Path(folder))] if folder else [])]
        if not check_dates.find_due(names, self._days, date.today()):  # noqa: DTZ011 - the user's day
            return
        if self.job.working or self._busy() or self._others() or _on_battery():
            self._timer.start()
            return
        self._seen.add(folder)
        self._folder = folder
        place = ("--library", folder) if folder else ()
        self.job.start((*_COMMAND, str(self._days), *place))

    def _others(self) -> bool:
        own = kind_of(_COMMAND)
        return any(job.state in _BUSY and job.kind != own for job in self._registry.jobs)

    def _make_room(self) -> None:
        """Whatever the user starts goes first."""
        if self.job.working and self._others():
            self._seen.discard(self._folder)
            self.job.cancel()

    def _show(self, found: Checkup | None) -> None:
        if found is None or not found.faults or not self._days:
            return
        book = any(each.subject == check_dates.BOOK for each in found.faults)
        self.box = box = QMessageBox(self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(tr("Something is damaged"))
        box.setText("\n".join(self._sentences(found, book=book)))
        box.setInformativeText(
            tr(
                "The files stay as they are until they are repaired. In a terminal, {command} says first "
                "what it will do, and keeps what it replaces.",
                command=_repair(self._folder),
            )
        )
        box.setDetailedText("\n\n".join(f"{tell(each.subject)}: {tell(each.state)}" for each in found.faults))
        if book and found.backup is not None:
            restore = box.addButton(
                tr("Restore backup of {day}…", day=found.backup.isoformat()),
                QMessageBox.ButtonRole.ActionRole,
            )
            restore.clicked.connect(self._show_backups)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Close))
        # It stays beside the work and does not take the keys from it.
        box.setModal(False)
        box.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        box.show()

    def _sentences(self, found: Checkup, *, book: bool) -> Iterator[str]:
        if len(found.faults) > book:
            yield tr("The library {name} is damaged.", name=Path(self._folder).name)
        if book:
            yield tr("The case book is damaged.")


def _repair(folder: str) -> str:
    """The command line that repairs, as it is typed."""
    place = ("--library", f'"{folder}"') if folder else ()
    return " ".join(("claimlight", "doctor", "--repair", *place))


def _on_battery() -> bool:
    """Whether this computer has a battery and is not plugged in."""
    try:
        battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    except (OSError, ValueError):
        return False
    return battery is not None and battery.power_plugged is False
