"""Opens libraries and runs imports and indexing as child processes, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.errors import PasswordError, ResourceError
from claimlight.types import Committed, IndexEstimate, Progress
from claimlight_workbench.jobs.process import ProcessJob
from claimlight_workbench.jobs.registry import Controls, ListedJob
from claimlight_workbench.jobs.runner import Lane
from claimlight_workbench.jobs.single import SingleJob
from claimlight_workbench.jobs.titles import kind_of, title_of
from claimlight_workbench.language import tr
from claimlight_workbench.screens.library.choice import QUICK, REBUILD, IndexChoice, describe_limits
from claimlight_workbench.screens.library.describe import PASSES
from claimlight_workbench.ui_state import IndexPlan, IndexState

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import DroppedDescriptions, ImportRun, LibraryInfo
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.values import FolderState, LibraryPlace


class Work(StrEnum):
    """Kinds of long jobs."""

    IMPORT = "import"
    INDEX = "index"
    REMOVE = "remove"
    DROP = "drop"
    """Removing the indexed descriptions."""


@dataclass(frozen=True, slots=True)
class Order:
    """A long job."""

    work: Work
    arguments: tuple[str, ...]
    folder: str
    """Folder of the library that it changes, which may no longer be open when its turn comes."""


_STOPPED = {
    Work.IMPORT: tr("The import failed"),
    Work.INDEX: tr("Indexing failed"),
    Work.REMOVE: tr("The removal failed"),
    Work.DROP: tr("The descriptions could not be removed"),
}
_FIRST, _SECOND = PASSES
"""The passes of indexing, as its events name them."""
ProcessFactory = Callable[[Sequence[str], QObject], ProcessJob]


STOP_MS = 30_000
"""A child that indexes completes the batch at work, on a busy machine and with long texts for seconds."""


def start_child(arguments: Sequence[str], parent: QObject) -> ProcessJob:
    """A child process; one that indexes has time to keep what it has encoded."""
    return ProcessJob(arguments, parent, kill_after=STOP_MS if arguments[0] == "index" else 0)


class LibraryService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def folder_state(self, folder: Path, context: TaskContext) -> FolderState:
        """What a folder holds, before it is opened as a library."""
        ...

    def open_library(self, place: LibraryPlace, context: TaskContext) -> LibraryInfo:
        """Open a library, creating an empty one in a folder without one; the previous one is closed."""
        ...

    def refresh(self, context: TaskContext) -> LibraryInfo:
        """Load what an import or an indexing job has committed."""
        ...

    def described(self, context: TaskContext) -> DroppedDescriptions:
        """What the removal of the indexed descriptions would remove, and the bytes that frees."""
        ...

    def import_runs(self, context: TaskContext) -> tuple[ImportRun, ...]:
        """The import history of the open library, newest first."""
        ...


class LibraryPresenter(QObject):
    """The open library and its long jobs."""

    opening = Signal()
    """The open library is about to be replaced."""
    inspected = Signal(Path, object)
    """A folder that is to be opened, and its `FolderState`."""
    left = Signal()
    """The open library is closed: everything read from it is out of date. `opened` follows."""
    opened = Signal(object)
    """`LibraryInfo` of another library."""
    info_changed = Signal(object)
    """`LibraryInfo` after something was committed."""
    work_started = Signal(str)
    work_progressed = Signal(object)
    """`Progress`, `Note`, `QuarantinedEvent`, `Committed`."""
    work_ended = Signal(str, object)
    """Kind and report; the report is None for a job that was cancelled or failed."""
    runs_read = Signal(object)
    """The import history, newest first."""
    indexed = Signal()
    """Documents can be searched that could not be before, or not semantically."""
    described = Signal()
    """More descriptions can be searched."""
    counted = Signal(object)
    """`LibraryInfo` while the library is being indexed: nothing but how much is indexed has changed."""
    pausing = Signal()
    """The running child was asked to stop, which takes a moment."""
    plans_changed = Signal()
    """Indexing was begun, finished, paused or resumed."""
    estimated = Signal(object)
    """`IndexEstimate`."""
    not_estimated = Signal(Exception)
    removal_known = Signal(object)
    """`DroppedDescriptions`: what can be removed, and the bytes that frees."""
    locked = Signal(object, Exception)
    """The place of a library that is not opened for want of its password, and the `PasswordError`."""
    failed = Signal(Exception, str)

    def __init__(
        self,
        services: LibraryService,
        runner: JobRunner,
        parent: QObject | None = None,
        *,
        process: ProcessFactory = start_child,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._process = process
        self._orders: deque[Order] = deque()
        self._listed: dict[Order, ListedJob] = {}
        """The lines of what waits in the list of jobs."""
        self._job: ProcessJob | None = None
        self._work: Work | None = None
        self._folder = ""
        self._arguments: tuple[str, ...] = ()
        self._plans: dict[str, IndexPlan] = {}
        self._first_seen = self._first_ended = False
        """The running job has indexed claims; it has no more claims to index."""
        self._estimating = SingleJob(self, process, jobs=runner.jobs, brief=True)
        self._estimating.succeeded.connect(self._have_estimated)
        self._estimating.failed.connect(self.not_estimated)
        self.info: LibraryInfo | None = None
        self._opening = False
        self._next_place: LibraryPlace | None = None
        """Requested while another library was being opened."""

    @property
    def working(self) -> Work | None:
        """The long job that runs."""
        return self._work

    @property
    def elsewhere(self) -> str:
        """Name of the library that the running job changes, if it is not the open one."""
        here = self.info is not None and self._folder == self.info.folder
        return "" if here or not self._folder else Path(self._folder).name

    def inspect(self, folder: Path) -> None:
        """Check what a folder holds before it is opened."""
        job = self._runner.submit(
            lambda context: self._services.folder_state(folder, context), supersedes="folder", free=True
        )
        job.succeeded.connect(lambda state: self.inspected.emit(folder, state))
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{folder} could not be read", folder=folder))
        )

    def reopen(self, folder: LibraryPlace) -> None:
        """Open the library of the last session; if its folder is gone, no new one is created."""
        if not isinstance(folder, Path):
            self.open(folder)
            return
        job = self._runner.submit(
            lambda context: self._services.folder_state(folder, context), supersedes="folder", free=True
        )
        told = tr("{folder} could not be opened", folder=folder)

        def looked(state: FolderState) -> None:
            if state.library:
                self.open(folder)
            else:
                gone = tr("The folder is missing. Connect its drive, or open another library (Ctrl+O).")
                self.failed.emit(ResourceError(gone), told)

        job.succeeded.connect(looked)
        job.failed.connect(lambda error: self.failed.emit(error, told))

    def open(self, place: LibraryPlace) -> None:
        """Open a library, creating an empty one in a folder without one.

        Requests of the screens to the open one wait meanwhile; they are answered if the other can't be
        opened, and dropped if it can.
        """
        if self._opening:
            self._next_place = place
            return
        self._opening = True
        self.opening.emit()
        self._runner.hold()
        job = self._runner.submit(
            lambda context: self._services.open_library(place, context), lane=Lane.WRITE
        )
        job.succeeded.connect(self._opened)
        job.failed.connect(lambda error: self._refused(error, place))

    def import_paths(self, files: Sequence[Path], *, index: bool = True, rebuild: bool = False) -> None:
        """Import files and folders, then index what is new, or everything."""
        if self.info is None or not files:
            return
        names = tuple(str(path) for path in files)
        folder = self.info.folder
        self._orders.append(Order(Work.IMPORT, ("import", *names, "--library", folder), folder))
        if index:
            self._index_imported(rebuild=rebuild)
        else:
            self._next()

    def index(self, *, rebuild: bool = False, choice: IndexChoice | None = None) -> None:
        """Index what is not indexed yet, or what was chosen of it.

        A rebuild builds another index, and the old one is used until then.
        """
        if self.info is None:
            return
        options = (REBUILD,) if rebuild else choice.options if choice is not None else ()
        self._plan(IndexPlan(self.info.folder, IndexState.RUNNING, options))
        self._order_index(self.info.folder, options)

    def _index_imported(self, *, rebuild: bool) -> None:
        """After an import: as the user has it for this library; nothing that was paused begins by that."""
        assert self.info is not None
        plan = self._plans.get(self.info.folder)
        if rebuild or plan is None:
            self.index(rebuild=rebuild)
        elif plan.state is IndexState.PAUSED:
            self._order_index(plan.folder, (QUICK,))
        else:
            self._plan(IndexPlan(plan.folder, IndexState.RUNNING, plan.options))
            self._order_index(plan.folder, plan.options)

    def _order_index(self, folder: str, options: tuple[str, ...]) -> None:
        arguments = ("index", "--library", folder, "--low-priority", *options)
        # What waits for the same library is replaced, at the end, behind imports that were ordered since.
        kept = (each for each in self._orders if (each.work, each.folder) != (Work.INDEX, folder))
        self._orders = deque([*kept, Order(Work.INDEX, arguments, folder)])
        self._next()

    # Plans

    @property
    def plans(self) -> tuple[IndexPlan, ...]:
        """For each library whose indexing is not finished, or limited."""
        return tuple(self._plans.values())

    def restore_plans(self, plans: Sequence[IndexPlan]) -> None:
        """The plans of the last session."""
        self._plans = {plan.folder: plan for plan in plans}

    @property
    def paused(self) -> bool:
        """Whether the indexing of the open library is paused."""
        plan = self._plans.get(self.info.folder) if self.info is not None else None
        return plan is not None and plan.state is IndexState.PAUSED

    @property
    def limits(self) -> str:
        """What the indexing of the open library is limited to, in words."""
        plan = self._plans.get(self.info.folder) if self.info is not None else None
        return describe_limits(plan.options) if plan is not None else ""

    @property
    def can_pause(self) -> bool:
        """Whether the open library is being indexed by this window, or will be."""
        here = self.info.folder if self.info is not None else ""
        waiting = any((each.work, each.folder) == (Work.INDEX, here) for each in self._orders)
        return bool(here) and (waiting or (self._work is Work.INDEX and self._folder == here))

    def pause(self) -> None:
        """Stop indexing the open library, until `resume`; what is indexed is kept."""
        if self.info is not None and self.can_pause:
            self._pause(self.info.folder)

    def _pause(self, folder: str) -> None:
        plan = self._plans.get(folder)
        options = plan.options if plan is not None else ()
        self._plan(IndexPlan(folder, IndexState.PAUSED, options))
        importing = self._work is Work.IMPORT and self._folder == folder
        self._orders = deque(
            each for each in self._orders if (each.work, each.folder) != (Work.INDEX, folder)
        )
        if importing:
            self._order_index(folder, (QUICK,))
        elif self._work is Work.INDEX and self._folder == folder and self._job is not None:
            self.pausing.emit()
            self._job.cancel()
        self._list_waiting()

    def resume(self) -> None:
        """Index on where it was paused."""
        if self.info is not None:
            self._resume(self.info.folder)

    def _resume(self, folder: str) -> None:
        plan = self._plans.get(folder)
        if plan is not None and plan.state is IndexState.PAUSED:
            self._plan(IndexPlan(plan.folder, IndexState.RUNNING, plan.options))
            self._order_index(plan.folder, plan.options)

    def resume_unfinished(self) -> None:
        """Index on where the last session ended, unless it was paused or is done elsewhere."""
        info = self.info
        plan = self._plans.get(info.folder) if info is not None else None
        if info is None or plan is None or plan.state is not IndexState.RUNNING or self.can_pause:
            return
        if info.read_only or info.indexing:
            return
        if info.waiting or info.claims_only or REBUILD in plan.options:
            self._order_index(plan.folder, plan.options)
        else:
            self._finish_plan(plan.folder)

    def _plan(self, plan: IndexPlan) -> None:
        if self._plans.get(plan.folder) != plan:
            self._plans[plan.folder] = plan
            self.plans_changed.emit()

    def _finish_plan(self, folder: str) -> None:
        """The job has ended by itself; limits stay for what is imported later."""
        plan = self._plans.get(folder)
        if plan is None or (plan.state is IndexState.PAUSED and QUICK in self._arguments):
            return
        limits = tuple(each for each in plan.options if each != REBUILD)
        if limits:
            self._plan(IndexPlan(folder, IndexState.LIMITED, limits))
        else:
            self._forget_plan(folder)

    def _forget_plan(self, folder: str) -> None:
        if self._plans.pop(folder, None) is not None:
            self.plans_changed.emit()

    # Estimates and removal

    def estimate(self, choice: IndexChoice) -> None:
        """Emit what the indexing of a choice takes; a newer request cancels the older one."""
        if self.info is not None:
            self._estimating.leave()
            self._estimating.start(("index", "--library", self.info.folder, "--estimate", *choice.options))

    def cancel_estimate(self) -> None:
        """Nobody waits for the estimate any more."""
        self._estimating.leave()

    def _have_estimated(self, report: object) -> None:
        if isinstance(report, IndexEstimate):
            self.estimated.emit(report)
        else:
            self.not_estimated.emit(ResourceError(tr("The estimate has given no result.")))

    def ask_removal(self) -> None:
        """Emit what the removal of the indexed descriptions would free."""
        job = self._runner.submit(self._services.described, supersedes="described")
        job.succeeded.connect(self.removal_known)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The index could not be read")))

    def remove_descriptions(self) -> None:
        """Remove the indexed descriptions; they are not indexed again until `resume`."""
        if self.info is None:
            return
        folder = self.info.folder
        self.pause()
        self._plan(IndexPlan(folder, IndexState.PAUSED))
        arguments = ("index", "--library", folder, "--drop-descriptions", "--yes")
        self._orders.append(Order(Work.DROP, arguments, folder))
        self._next()

    def remove(self, publications: Sequence[str]) -> None:
        """Remove documents from the library and its index."""
        if self.info is not None and publications:
            folder = self.info.folder
            arguments = ("library", "remove", *publications, "--library", folder)
            self._orders.append(Order(Work.REMOVE, arguments, folder))
            self._next()

    def cancel(self) -> None:
        """Stop the running job and drop the waiting ones; what was committed stays."""
        folders = {each.folder for each in self._orders if each.work is Work.INDEX}
        if self._work is Work.INDEX:
            folders.add(self._folder)
        for folder in folders:
            if (plan := self._plans.get(folder)) is not None and plan.state is IndexState.RUNNING:
                self._forget_plan(folder)
        self._orders.clear()
        self._list_waiting()
        if self._job is not None:
            self._job.cancel()

    def _cancel_running(self) -> None:
        """Stop the running job alone; what waits for it has its turn then."""
        plan = self._plans.get(self._folder)
        if self._work is Work.INDEX and plan is not None and plan.state is IndexState.RUNNING:
            self._forget_plan(self._folder)
        if self._job is not None:
            self._job.cancel()

    def _cancel_waiting(self, order: Order) -> None:
        if order not in self._orders:
            return
        self._orders.remove(order)
        plan = self._plans.get(order.folder)
        if order.work is Work.INDEX and plan is not None and plan.state is IndexState.RUNNING:
            self._forget_plan(order.folder)
        self._list_waiting()

    def _list_waiting(self) -> None:
        """Bring the list of jobs up to date: what waits, and what no longer does."""
        jobs = self._runner.jobs
        for order in [each for each in self._listed if each not in self._orders]:
            jobs.drop(self._listed.pop(order), pause=self._is_paused(order))
        for order in self._orders:
            if order not in self._listed:
                self._listed[order] = jobs.wait(
                    kind_of(order.arguments),
                    title_of(order.arguments),
                    Controls(cancel=partial(self._cancel_waiting, order), resume=self._resuming(order)),
                )

    def _is_paused(self, order: Order) -> bool:
        plan = self._plans.get(order.folder)
        return order.work is Work.INDEX and plan is not None and plan.state is IndexState.PAUSED

    def _resuming(self, order: Order) -> Callable[[], None] | None:
        return partial(self._resume, order.folder) if order.work is Work.INDEX else None

    def stop(self) -> None:
        """Stop and wait; for the end of the program. What is not finished is resumed at the next start."""
        self._orders.clear()
        self._estimating.stop()
        if self._job is not None:
            self._job.stop()

    def _next(self) -> None:
        self._list_waiting()
        if self._job is not None or not self._orders:
            return
        order = self._orders.popleft()
        job = self._process(order.arguments, self)
        self._job, self._work, self._folder = job, order.work, order.folder
        self._arguments = order.arguments
        self._first_seen = self._first_ended = False
        job.progressed.connect(self._progressed)
        job.succeeded.connect(self._done)
        job.failed.connect(self._failed)
        job.cancelled.connect(lambda: self._done(None, cancelled=True))
        indexes = order.work is Work.INDEX
        self._runner.jobs.follow(
            job,
            kind_of(order.arguments),
            title_of(order.arguments),
            Controls(
                cancel=self._cancel_running,
                pause=partial(self._pause, order.folder) if indexes else None,
                resume=self._resuming(order),
                pausing=partial(self._is_paused, order),
            ),
            listed=self._listed.pop(order, None),
        )
        self.work_started.emit(order.work.value)
        job.start()

    def _progressed(self, event: object) -> None:
        self.work_progressed.emit(event)
        here = self.info is not None and self._folder == self.info.folder
        if self._work is not Work.INDEX or REBUILD in self._arguments or not here:
            return
        stage = event.stage if isinstance(event, Progress | Committed) else ""
        self._first_seen = self._first_seen or stage == _FIRST
        done = isinstance(event, Progress) and stage == _FIRST and event.done >= event.total > 0
        if (done or stage == _SECOND) and not self._first_ended:
            self._first_ended = True
            if self._first_seen:
                # Every document is found by every ranker now; the descriptions may take hours.
                self._refresh(searchable=True)
                return
        if isinstance(event, Committed):
            self._count(described=stage == _SECOND)

    def _count(self, *, described: bool) -> None:
        """Something was committed: how much is indexed now, which opens it for the next search too."""
        job = self._runner.submit(self._services.refresh, supersedes="count")

        def counted(info: LibraryInfo) -> None:
            if self.info is not None and info.folder == self.info.folder:
                self.info = info
                self.counted.emit(info)
                if described:
                    self.described.emit()

        job.succeeded.connect(counted)
        # The end of the job reports it.
        job.failed.connect(lambda _error: None)

    def _failed(self, error: Exception) -> None:
        work, folder = self._work, self._folder
        plan = self._plans.get(folder)
        if work is Work.INDEX and plan is not None and plan.state is IndexState.RUNNING:
            # Begun again by itself it would fail again.
            self._plan(IndexPlan(folder, IndexState.PAUSED, plan.options))
        self._orders.clear()
        self._list_waiting()
        self._done(None, cancelled=True)
        self.failed.emit(error, _STOPPED[work or Work.IMPORT])

    def _done(self, report: object, *, cancelled: bool = False) -> None:
        job, work = self._job, self._work
        self._job, self._work = None, None
        if job is not None:
            job.deleteLater()
        if work is Work.INDEX and not cancelled:
            self._finish_plan(self._folder)
        self.work_ended.emit(work.value if work is not None else "", report)
        if self.info is not None and self._folder == self.info.folder:
            told = work is Work.INDEX and self._first_ended
            changed = {Work.INDEX, Work.REMOVE, Work.DROP}
            self._refresh(searchable=work in changed and not cancelled and not told, described=told)
        self._folder = ""
        self._next()

    def _refresh(self, *, searchable: bool, described: bool = False) -> None:
        job = self._runner.submit(self._services.refresh, lane=Lane.WRITE, supersedes="refresh")

        def refreshed(info: LibraryInfo) -> None:
            if self.info is None or info.folder != self.info.folder:
                return  # another library has been opened since, and tells of itself
            first = not self.info.documents and info.documents > 0
            self.info = info
            self.info_changed.emit(info)
            self._read_runs()
            # The first documents are searched by their words while they are indexed.
            if searchable or first:
                self.indexed.emit()
            elif described:
                self.described.emit()

        job.succeeded.connect(refreshed)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The library could not be read")))

    def _opened(self, info: LibraryInfo) -> None:
        self._opening = False
        former, self.info = self.info, info
        # Before the release: what was held is about the previous library, and its ids mean nothing here.
        self._runner.drop()
        self._runner.release()
        if former is not None and former.folder != info.folder:
            self.left.emit()
        self.opened.emit(info)
        self.info_changed.emit(info)
        self._read_runs()
        self._open_next()

    def _refused(self, error: Exception, place: LibraryPlace) -> None:
        self._opening = False
        self._runner.release()
        if isinstance(error, PasswordError):
            self.locked.emit(place, error)
        else:
            self.failed.emit(error, tr("{folder} could not be opened", folder=place))
        self._open_next()

    def _open_next(self) -> None:
        place, self._next_place = self._next_place, None
        if place is not None:
            self.open(place)

    def _read_runs(self) -> None:
        job = self._runner.submit(self._services.import_runs, supersedes="imports")
        job.succeeded.connect(self.runs_read)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The import history could not be read")))
