"""Reads and saves the settings beside the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.jobs.runner import JobRunner, Lane
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext

_DOING = tr("The settings could not be changed")


class SettingsService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def settings(self, context: TaskContext) -> Settings:
        """The saved settings; raises `ResourceError` if the file can't be read."""
        ...

    def change_settings(self, changes: Mapping[str, object], context: TaskContext) -> Settings:
        """Save values by key; the caller opens the library again. Raises `InputError` for invalid values."""
        ...


class SettingsPresenter(QObject):
    """Serves one dialog at a time."""

    read = Signal(object)
    """The settings in use."""
    changed = Signal(tuple)
    """Keys with new values; the library is to be opened again."""
    failed = Signal(object, str)

    def __init__(self, services: SettingsService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner

    def ask(self) -> None:
        """Read the settings."""
        job = self._runner.submit(self._services.settings, supersedes="settings", free=True)
        job.succeeded.connect(self.read.emit)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The settings could not be read")))

    def save(self, changes: Mapping[str, Any]) -> None:
        """Save changed values; they take effect with the next job."""
        if not changes:
            return

        def work(context: TaskContext) -> Settings:
            return self._services.change_settings(changes, context)

        job = self._runner.submit(work, lane=Lane.WRITE)
        job.succeeded.connect(lambda _: self.changed.emit(tuple(changes)))
        job.failed.connect(lambda error: self.failed.emit(error, _DOING))
