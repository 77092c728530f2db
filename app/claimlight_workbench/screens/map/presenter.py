"""Makes the map of the library while its panel is visible, and sets of what is selected on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.errors import InputError
from claimlight_workbench.jobs.exporting import write_file
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.desk import Left
from claimlight_workbench.values import FoundSet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from claimlight.services.maps.plane import Plane
    from claimlight.tasks import TaskContext
    from claimlight.types import SetResult
    from claimlight_workbench.jobs.runner import JobRunner

_MAP = "library-map"
_CHOOSE = "chosen-set"


class MapService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def library_map(self, again: bool, context: TaskContext) -> Plane:  # noqa: FBT001 - positional, as all calls
        """The map of the open library; ``again``: all documents are laid out again."""
        ...

    def choose_documents(self, patents: Sequence[int], description: str, context: TaskContext) -> SetResult:
        """A set of documents that were chosen one by one."""
        ...


class MapPresenter(QObject):
    """A hidden panel makes no map."""

    started = Signal()
    progressed = Signal(object)
    """`Progress`."""
    mapped = Signal(object)
    """`Plane`."""
    stopped = Signal()
    """The user cancelled; the map before it, if any, is as it was."""
    refused = Signal(str)
    """Why there is no map, with what to do."""
    chosen = Signal(object, object)
    """`SetResult`, and the same as a `FoundSet`."""
    exported = Signal(str)
    """Path of the file that was written."""
    cleared = Signal()
    failed = Signal(Exception, str)

    def __init__(self, services: MapService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._seen = self._library = self._made = False
        self._working = False

    def watch(self, seen: bool) -> None:  # noqa: FBT001 - what a dock tells
        """Whether the panel is visible."""
        self._seen = seen
        self._make()

    def set_library(self) -> None:
        """A library was opened, or its documents or index have changed."""
        self._library, self._made = True, False
        self._make()

    def draw(self) -> None:
        """Make the map now, after it was cancelled."""
        self._made = False
        self._make()

    def renew(self) -> None:
        """Lay out all documents again."""
        if self._library:
            self._made = True
            self._start(again=True)

    def cancel(self) -> bool:
        """Stop making the map; whether it was being made."""
        if not self._working:
            return False
        self._working = False
        self._runner.cut_off(_MAP)
        self.stopped.emit()
        return True

    def choose(self, patents: Sequence[int], description: str) -> None:
        """Make a set of documents that were selected on the map."""

        def task(context: TaskContext) -> tuple[SetResult, FoundSet]:
            result = self._services.choose_documents(patents, description, context)
            return result, FoundSet.of(result)

        job = self._runner.submit(task, supersedes=_CHOOSE)
        job.succeeded.connect(lambda found: self.chosen.emit(*found))
        job.failed.connect(lambda error: self.failed.emit(error, tr("The set could not be made")))

    def export(self, path: Path, make: Callable[[], bytes]) -> None:
        """Write what ``make`` gives, which runs in a worker."""
        job = write_file(self._runner, path, make)
        job.succeeded.connect(lambda written: self.exported.emit(str(written)))
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{name} could not be written", name=path.name))
        )

    def clear_out(self, left: Left) -> None:
        """The map belongs to the library that is left."""
        if left is not Left.LIBRARY:
            return
        self._runner.cut_off(_MAP)
        self._library = self._made = self._working = False
        self.cleared.emit()

    def _make(self) -> None:
        if self._seen and self._library and not self._made:
            self._made = True
            self._start(again=False)

    def _start(self, *, again: bool) -> None:
        self._working = True
        job = self._runner.submit(
            lambda context: self._services.library_map(again, context),
            supersedes=_MAP,
            title=tr("Lay out the map of the library"),
            cancel=self.cancel,
        )
        self.started.emit()
        job.progressed.connect(self.progressed)
        job.succeeded.connect(self._arrived)
        job.failed.connect(self._failed)

    def _arrived(self, plane: Plane) -> None:
        self._working = False
        self.mapped.emit(plane)

    def _failed(self, error: Exception) -> None:
        self._working = False
        if isinstance(error, InputError):
            self.refused.emit(tell(str(error)))
        else:
            self.stopped.emit()
            self.failed.emit(error, tr("The map could not be made"))
