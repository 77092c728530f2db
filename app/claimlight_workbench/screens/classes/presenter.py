"""Reads the tree of a scheme level by level, counts the library's documents in it, searches, and imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.errors import InputError
from claimlight.services.classes.labels import symbols_above
from claimlight.types import Edition, EditionReport, Scheme
from claimlight_workbench.jobs.process import ProcessJob
from claimlight_workbench.jobs.single import ProcessFactory, SingleJob
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import ClassEntry, ClassHits, ClassView, EditionInfo
    from claimlight_workbench.jobs.runner import Job, JobRunner

_EDITIONS, _COUNTS, _SEARCH, _SHOW = "editions", "class-counts", "class-search", "class"
_HITS = 100


class ClassService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def editions(self, context: TaskContext) -> tuple[EditionInfo, ...]:
        """The imported editions that can be used, by scheme, the newest first."""
        ...

    def class_sections(self, scheme: Scheme, version: str, context: TaskContext) -> tuple[ClassEntry, ...]:
        """The top of the tree."""
        ...

    def show_class(self, symbol: str, scheme: Scheme, version: str, context: TaskContext) -> ClassView:
        """A class with its place, notes, references and what is directly below it."""
        ...

    def search_classes(
        self, text: str, scheme: Scheme, version: str, top: int, context: TaskContext
    ) -> ClassHits:
        """The classes that a symbol or the words of titles name, best first."""
        ...

    def class_counts(self, scheme: Scheme, version: str, context: TaskContext) -> Mapping[str, int]:
        """Documents of the open library with a class or one below it, by symbol."""
        ...


class ClassesPresenter(QObject):
    """Nothing is read before the panel is visible; a newer request cancels the older of its kind."""

    editions_read = Signal(object)
    """`EditionInfo` of each imported edition."""
    sections_read = Signal(object, object)
    """The `Edition` that is shown, and the entries at its top."""
    children_read = Signal(object)
    """`ClassView` of an entry that was opened."""
    shown = Signal(object)
    """`ClassView` of the chosen class."""
    revealed = Signal(object)
    """`ClassView` of each entry from the section to the class that is to be shown in the tree."""
    counted = Signal(object)
    """Documents by symbol; None while they are counted or if no library is open."""
    found = Signal(object)
    """`ClassHits`."""
    imported = Signal()
    started = Signal(str)
    progressed = Signal(object)
    ended = Signal(str)
    failed = Signal(Exception, str)

    def __init__(
        self,
        services: ClassService,
        runner: JobRunner,
        parent: QObject | None = None,
        *,
        process: ProcessFactory = ProcessJob,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.edition = Edition(Scheme.CPC, "")
        self._seen = False
        self._listed = False
        self._library = False
        self._counted = False
        self._awaited: tuple[str, Scheme] | None = None
        """A class to show as soon as the editions are known."""
        self.job = SingleJob(self, process, jobs=runner.jobs)
        self.job.progressed.connect(self.progressed)
        self.job.succeeded.connect(self._imported)
        self.job.failed.connect(self._refused)
        self.job.cancelled.connect(lambda: self.ended.emit(tr("Import cancelled; nothing was imported")))

    @property
    def working(self) -> bool:
        """Whether an import runs."""
        return self.job.working

    def watch(self, seen: bool) -> None:  # noqa: FBT001 - a slot
        """Whether the panel is visible."""
        self._seen = seen
        if seen and not self._listed:
            self.refresh()
        elif seen:
            self._count()

    def refresh(self) -> None:
        """Read the list of editions."""
        self._listed = True
        job = self._runner.submit(self._services.editions, supersedes=_EDITIONS, free=True)
        job.succeeded.connect(self._take_editions)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The versions could not be listed")))

    def choose(self, edition: Edition) -> None:
        """Show the tree of an edition; without a version the newest, or the shipped titles."""
        self.edition = edition
        job = self._runner.submit(
            lambda context: self._services.class_sections(edition.scheme, edition.version, context),
            supersedes="class-tree",
            free=True,
        )
        job.succeeded.connect(lambda entries: self.sections_read.emit(edition, entries))
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{edition} could not be read", edition=edition))
        )
        self._counted = False
        self._count()

    def open(self, symbol: str) -> None:
        """Read what is directly below an entry."""
        job = self._view(symbol, tr("below {symbol}", symbol=symbol))
        job.succeeded.connect(self.children_read)

    def show(self, symbol: str) -> None:
        """Read a class."""
        job = self._view(symbol, _SHOW)
        job.succeeded.connect(self.shown)

    def reveal(self, symbol: str, scheme: Scheme) -> None:
        """Show a class in the tree, with the entries above it; of the edition that is shown if it has it."""
        if not self._listed or scheme is not self.edition.scheme:
            self._awaited = (symbol, scheme)
            self.refresh()
            return
        edition = self.edition

        def read(context: TaskContext) -> tuple[ClassView, ...]:
            last = self._nearest(symbol, edition, context)
            above = (
                self._services.show_class(each.symbol, edition.scheme, last.edition.version, context)
                for each in last.path
            )
            return (*above, last)

        job = self._runner.submit(read, supersedes=_SHOW, free=True)
        job.succeeded.connect(self._revealed)
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{symbol} could not be shown", symbol=symbol))
        )

    def search(self, text: str) -> None:
        """Search for a symbol or for words of titles; an empty text ends the search."""
        self._runner.cut_off(_SEARCH)
        if not text.strip():
            return
        edition = self.edition
        job = self._runner.submit(
            lambda context: self._services.search_classes(
                text, edition.scheme, edition.version, _HITS, context
            ),
            supersedes=_SEARCH,
            free=True,
        )
        job.succeeded.connect(self.found)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The search in titles failed")))

    def set_library(self) -> None:
        """A library was opened, or its documents have changed."""
        self._library, self._counted = True, False
        self._count()

    def clear_out(self, left: Left) -> None:
        """The counts belong to the library that is left."""
        if left is Left.LIBRARY:
            self._runner.cut_off(_COUNTS)
            self._library = self._counted = False
            self.counted.emit(None)

    def take_in(self, path: Path) -> None:
        """Import a version from a file or folder, in a child process."""
        if self.job.start(("classes", "import", str(path))):
            self.started.emit(tr("Importing {path}…", path=path))

    def cancel(self) -> None:
        """Stop the import; the former version stays."""
        self.job.cancel()

    def stop(self) -> None:
        """Stop and wait; for the end of the program."""
        self.job.stop()

    def _view(self, symbol: str, purpose: str) -> Job:
        edition = self.edition
        job = self._runner.submit(
            lambda context: self._services.show_class(symbol, edition.scheme, edition.version, context),
            supersedes=purpose,
            free=True,
        )
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{symbol} could not be read", symbol=symbol))
        )
        return job

    def _nearest(self, symbol: str, edition: Edition, context: TaskContext) -> ClassView:
        """The class in this edition, else in the last that has it, else the nearest known above it."""
        for text in (symbol, *symbols_above(symbol)):
            for version in dict.fromkeys((edition.version, "")):
                try:
                    return self._services.show_class(text, edition.scheme, version, context)
                except InputError:
                    continue
        raise InputError(tr("There is no {symbol} in {edition}.", symbol=symbol, edition=edition))

    def _take_editions(self, infos: tuple[EditionInfo, ...]) -> None:
        known = [info.edition for info in infos]
        self.editions_read.emit(infos)
        wanted = self._awaited[1] if self._awaited is not None else self.edition.scheme
        newest = next((each for each in known if each.scheme is wanted), Edition(wanted, ""))
        kept = self.edition in known and self.edition.scheme is wanted
        self.choose(self.edition if kept else newest)
        if self._awaited is not None:
            (symbol, scheme), self._awaited = self._awaited, None
            self.reveal(symbol, scheme)

    def _revealed(self, views: tuple[ClassView, ...]) -> None:
        self.revealed.emit(views)
        self.shown.emit(views[-1])

    def _count(self) -> None:
        if not (self._seen and self._library and self._listed) or self._counted:
            return
        self._counted = True
        edition = self.edition
        self.counted.emit(None)
        job = self._runner.submit(
            lambda context: self._services.class_counts(edition.scheme, edition.version, context),
            supersedes=_COUNTS,
        )
        job.succeeded.connect(self.counted)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The documents could not be counted")))

    def _imported(self, report: object) -> None:
        if isinstance(report, EditionReport):
            edition = report.info.edition
            self.edition = edition
            how = (
                tr("was already imported")
                if report.unchanged
                else tr("has {entries:,} classes", entries=report.info.entries)
            )
            self.ended.emit(f"{edition} {how}")
        else:
            self.ended.emit("")
        self.refresh()
        self.imported.emit()

    def _refused(self, error: Exception) -> None:
        self.ended.emit("")
        self.failed.emit(error, tr("The version could not be imported"))
