"""Runs claim searches and query lines, and reads the rows of sets page by page."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from claimlight.errors import AppError, ServerError
from claimlight.types import IndexDepth
from claimlight_workbench.language import tr
from claimlight_workbench.models.rows import Page
from claimlight_workbench.values import FoundSet, Lacking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.tasks import TaskContext
    from claimlight.types import (
        DateFinding,
        PatentId,
        PatentSummary,
        ReferenceDates,
        Residual,
        SearchRequest,
        SearchResults,
        SetRequest,
        SetResult,
    )
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.models.desk import Left

PAGES_WAITING = 4
"""Pages that may wait while one is read; after a fast scroll only the last ones are still visible."""


@dataclass(frozen=True, slots=True)
class RunSet:
    """The answer to a query line, as it is saved in the history and as it is shown."""

    result: SetResult
    found: FoundSet


class SearchService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def search(self, request: SearchRequest, context: TaskContext, *, reading: float = 0.0) -> SearchResults:
        """With ``reading`` seconds above 0, descriptions of the best documents are read first."""
        ...

    def reading_seconds(self) -> float:
        """Seconds that a search may read descriptions; 0 for none."""
        ...

    def depths(self, patents: Sequence[PatentId], context: TaskContext) -> dict[PatentId, IndexDepth]:
        """How much of documents is indexed."""
        ...

    def residual(self, request: SearchRequest, patent: PatentId, context: TaskContext) -> Residual:
        """What a document lacks of the claim of a request, ready to be searched the same way."""
        ...

    def run_query(self, request: SetRequest, context: TaskContext) -> SetResult:
        """The documents of a line."""
        ...

    def open_set(self, number: int, context: TaskContext) -> FoundSet:
        """A set of the open case."""
        ...

    def newest_first(self, patents: Sequence[PatentId], context: TaskContext) -> tuple[PatentId, ...]:
        """The same documents by publication date."""
        ...

    def summaries(self, patents: Sequence[PatentId], context: TaskContext) -> tuple[PatentSummary, ...]:
        """The bibliographic data that rows show, in the order asked for; removed documents are left out."""
        ...

    def date_findings(
        self,
        patents: Sequence[PatentSummary],
        reference: ReferenceDates,
        claim: int,
        context: TaskContext,
    ) -> tuple[DateFinding, ...]:
        """The date status of each document against a claim."""
        ...


class ResultsPresenter(QObject):
    """One search at a time, of either kind; a newer one cancels the older.

    A claim search shows at once what the index knows. If descriptions of its hits are not indexed, it is run
    again, which reads some of them first; what that finds replaces the first answer.
    """

    started = Signal()
    found = Signal(object, bool)
    """`SearchResults`, and whether the user asked for them."""
    reading_started = Signal(float)
    """Seconds for which descriptions of the documents found are read."""
    read_on = Signal(object, object)
    """`SearchResults` before and after descriptions were read."""
    reading_ended = Signal()
    """Nothing is read any more: there is an answer, a fault, or the user has stopped it. A newer search ends
    it without this."""
    settled = Signal(object, bool)
    """`SearchResults` that nothing replaces any more, and whether the user asked for them."""
    depths_known = Signal(object)
    """`IndexDepth` by document, of rows of a set."""
    deepened = Signal(object, int)
    """`SearchResults`, and for how many of their documents the description has been indexed since."""
    lacking_found = Signal(object)
    """`Lacking`."""
    set_run = Signal(object)
    """`RunSet`."""
    set_opened = Signal(object)
    """`FoundSet` of a saved set."""
    page_read = Signal(object)
    """`Page`."""
    page_dropped = Signal(int)
    """A page that was asked for and will not be read."""
    reordered = Signal(object)
    """The set that is shown and its places, newest first."""
    zones_known = Signal(object, bool)
    """`DateFinding` by document, and whether they replace all others."""
    progressed = Signal(object)
    stopped = Signal()
    """The search was cancelled or failed; what was shown stays."""
    line_refused = Signal(Exception)
    """A query line could not be run."""
    failed = Signal(Exception, str)

    def __init__(self, services: SearchService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.results: SearchResults | None = None
        self.reading = False
        """Descriptions of `results` are being read, or will be."""
        self._turn_number = 0
        """Counts the searches, so that none is read on for that is not shown any more."""
        self._pages: deque[tuple[int, tuple[PatentId, ...]]] = deque()
        self._reading: int | None = None
        self._reference: ReferenceDates | None = None
        self._claim = 0
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._read_next)

    def run(self, request: SearchRequest, *, asked: bool = True) -> None:
        self._begin()
        job = self._runner.submit(
            lambda context: self._services.search(request, context), supersedes="search"
        )
        self.started.emit()
        job.progressed.connect(self.progressed)
        job.succeeded.connect(lambda results: self._arrived(request, results, asked=asked))
        job.failed.connect(self._refused)

    def run_residual(self, request: SearchRequest, patent: PatentId) -> None:
        """Search for what one document lacks of a request."""

        def task(context: TaskContext) -> Lacking:
            residual = self._services.residual(request, patent, context)
            if residual.request is None:
                return Lacking(residual, None)
            return Lacking(residual, self._services.search(residual.request, context))

        self._begin()
        job = self._runner.submit(task, supersedes="search")
        self.started.emit()
        job.succeeded.connect(self._lacking_arrived)
        job.failed.connect(self._refused)

    def run_line(self, request: SetRequest) -> None:
        """Find the documents of a query line."""

        def task(context: TaskContext) -> RunSet:
            result = self._services.run_query(request, context)
            return RunSet(result, FoundSet.of(result))

        self._begin()
        job = self._runner.submit(task, supersedes="search")
        self.started.emit()
        job.progressed.connect(self.progressed)
        job.succeeded.connect(self._set_arrived)
        job.failed.connect(self._line_refused)

    def open_set(self, number: int) -> None:
        """Show a saved set."""
        self._begin()
        job = self._runner.submit(
            lambda context: self._services.open_set(number, context), supersedes="search"
        )
        job.succeeded.connect(self._opened)
        job.failed.connect(lambda error: self._not_opened(error, number))

    def show_again(self, results: SearchResults) -> None:
        """A search that was shown before is shown again."""
        self._begin()
        self._runner.cut_off("search")
        self._another()
        self.results = results
        self.compare([hit.patent for hit in results.hits], all_new=True)

    def clear_out(self, _left: Left) -> None:
        """Nothing was searched."""
        self._begin()
        self._runner.cut_off("depths")
        self.stop()
        self.results = None
        self.stopped.emit()

    def cancel(self) -> bool:
        """Stop the running search, or the reading of descriptions for it; returns whether there was one."""
        self._turn_number += 1
        reading = self.reading
        running = self._runner.cut_off("search")
        if running and reading:
            self.reading_ended.emit()
        elif running:
            self.stopped.emit()
        return running

    def leave_as_is(self) -> None:
        """The search that was just found is shown as it was saved: nothing is read for it."""
        self.reading = False

    def look_deeper(self) -> None:
        """Descriptions have been indexed: emit `deepened` if they are of documents found without them."""
        results = self.results
        partly = _partly_indexed(results) if results is not None else ()
        if results is None or not partly or self.reading:
            return
        job = self._runner.submit(lambda context: self._services.depths(partly, context), supersedes="depths")

        def known(depths: dict[PatentId, IndexDepth]) -> None:
            whole = sum(each is IndexDepth.FULL for each in depths.values())
            if whole and results is self.results:
                self.deepened.emit(results, whole)

        job.succeeded.connect(known)
        # The next commit asks again.
        job.failed.connect(lambda _error: None)

    # Rows of a set

    def want(self, page: int, patents: Sequence[PatentId]) -> None:
        """Read a page as soon as the last one is there; the newest request comes first."""
        self._pages.append((page, tuple(patents)))
        while len(self._pages) > PAGES_WAITING:
            self.page_dropped.emit(self._pages.popleft()[0])
        self._turn.start()

    def newest_first(self, found: FoundSet) -> None:
        """Order a set by date."""

        def task(context: TaskContext) -> tuple[int, ...]:
            places = {patent: place for place, patent in enumerate(found.patents)}
            return tuple(places[patent] for patent in self._services.newest_first(found.patents, context))

        job = self._runner.submit(task, supersedes="order")
        job.succeeded.connect(lambda places: self.reordered.emit((found, places)))
        job.failed.connect(lambda error: self.failed.emit(error, tr("The set could not be ordered")))

    # Dates

    def set_dates(
        self, reference: ReferenceDates | None, claim: int, loaded: Sequence[PatentSummary]
    ) -> None:
        """Compare with other dates, or for another claim."""
        self._reference, self._claim = reference, claim
        # What is being read is compared with the previous dates: the table asks for it again.
        self._runner.cut_off("page")
        self.compare(loaded, all_new=True)

    def compare(self, summaries: Sequence[PatentSummary], *, all_new: bool) -> None:
        """Ask for the date status of documents."""
        reference, claim, asked = self._reference, self._claim, tuple(summaries)
        if reference is None:
            self._runner.cut_off("zones")
            self.zones_known.emit({}, True)
            return
        job = self._runner.submit(
            lambda context: _zones(self._services, asked, reference, claim, context), supersedes="zones"
        )
        job.succeeded.connect(lambda zones: self.zones_known.emit(zones, all_new))
        job.failed.connect(lambda error: self.failed.emit(error, tr("The dates could not be compared")))

    def stop(self) -> None:
        """The program ends; what was found last is settled as it is."""
        self._turn.stop()
        if self.reading:
            self._runner.cut_off("search")
        self._pages.clear()

    def _read_next(self) -> None:
        if self._reading is not None or not self._pages:
            return
        # The last one asked for is the likeliest to be still on view.
        number, patents = self._pages.pop()
        self._reading = number
        reference, claim = self._reference, self._claim

        def task(context: TaskContext) -> Page:
            summaries = self._services.summaries(patents, context)
            zones = {} if reference is None else _zones(self._services, summaries, reference, claim, context)
            return Page(number, patents, summaries, zones)

        job = self._runner.submit(task, supersedes="page")
        job.succeeded.connect(self._page_arrived)
        job.failed.connect(self._page_refused)
        job.cancelled.connect(lambda: self._page_cut(number))

    def _page_arrived(self, page: Page) -> None:
        self._reading = None
        self.page_read.emit(page)
        self._turn.start()
        job = self._runner.submit(
            lambda context: self._services.depths([each.id for each in page.summaries], context)
        )
        job.succeeded.connect(self.depths_known)
        # Rows without it are as good; a fault of the index is reported by the next search.
        job.failed.connect(lambda _error: None)

    def _page_cut(self, number: int) -> None:
        self._reading = None
        self.page_dropped.emit(number)
        self._turn.start()

    def _page_refused(self, error: Exception) -> None:
        self._reading = None
        self._pages.clear()
        self.failed.emit(error, tr("The rows of the set could not be read"))

    def _another(self) -> None:
        """Another set or search is shown: drop pages of the previous one."""
        self._pages.clear()
        self._runner.cut_off("page")
        self._runner.cut_off("order")

    def _begin(self) -> None:
        """Another search, or none: what is being read for the last one is cancelled by it."""
        self._turn_number += 1

    def _arrived(self, request: SearchRequest, results: SearchResults, *, asked: bool) -> None:
        self._another()
        seconds = self._expect_reading(results)
        turn = self._turn_number
        self.found.emit(results, asked)
        self.compare([hit.patent for hit in results.hits], all_new=True)
        self._read_for(request, results, seconds, asked=asked, turn=turn)

    def _expect_reading(self, results: SearchResults) -> float:
        """Keep what was found; the seconds for which descriptions will be read for it."""
        self.results = results
        seconds = self._services.reading_seconds() if _partly_indexed(results) else 0.0
        self.reading = seconds > 0.0
        return seconds

    def _read_for(
        self, request: SearchRequest, results: SearchResults, seconds: float, *, asked: bool, turn: int
    ) -> None:
        """Run a search again, which reads descriptions first; its answer replaces the first one."""
        if not self.reading or turn != self._turn_number:
            self._settle(results, asked=asked)
            return
        job = self._runner.submit(
            lambda context: self._services.search(request, context, reading=seconds),
            supersedes="search",
            title=tr("Read descriptions for the search"),
            cancel=lambda: self._runner.cut_off("search"),
        )
        job.succeeded.connect(lambda found: self._have_read(results, found, asked=asked))
        job.failed.connect(lambda error: self._not_read(error, results, asked=asked))
        job.cancelled.connect(lambda: self._settle(results, asked=asked, shown=False))
        self.reading_started.emit(seconds)

    def _have_read(self, before: SearchResults, results: SearchResults, *, asked: bool) -> None:
        self.results = results
        self.reading = False
        self.read_on.emit(before, results)
        self.compare([hit.patent for hit in results.hits], all_new=False)
        self._settle(results, asked=asked)

    def _not_read(self, error: Exception, results: SearchResults, *, asked: bool) -> None:
        self._settle(results, asked=asked)
        # What was found without it is shown; a full disk or a missing model is no reason for a box. That a
        # server is lost is reported in the status line.
        if isinstance(error, ServerError) or not isinstance(error, AppError):
            self.failed.emit(error, tr("The descriptions could not be read"))

    def _settle(self, results: SearchResults, *, asked: bool, shown: bool = True) -> None:
        self.reading = False
        self.settled.emit(results, asked)
        if shown:
            self.reading_ended.emit()

    def _lacking_arrived(self, lacking: Lacking) -> None:
        if lacking.results is None:
            self.stopped.emit()
            self.lacking_found.emit(lacking)
            return
        self._another()
        results, request = lacking.results, lacking.residual.request or lacking.results.request
        seconds = self._expect_reading(results)
        turn = self._turn_number
        self.lacking_found.emit(lacking)
        self.compare([hit.patent for hit in results.hits], all_new=True)
        self._read_for(request, results, seconds, asked=True, turn=turn)

    def _set_arrived(self, run: RunSet) -> None:
        self._another()
        self.set_run.emit(run)

    def _opened(self, found: FoundSet) -> None:
        self._another()
        self.set_opened.emit(found)

    def _not_opened(self, error: Exception, number: int) -> None:
        self.reading_ended.emit()
        self.failed.emit(error, tr("L{number} could not be shown", number=number))

    def _line_refused(self, error: Exception) -> None:
        self.stopped.emit()
        self.line_refused.emit(error)

    def _refused(self, error: Exception) -> None:
        self.stopped.emit()
        self.failed.emit(error, tr("The search failed"))


def _partly_indexed(results: SearchResults) -> tuple[PatentId, ...]:
    """The documents found whose description is not indexed."""
    return tuple(hit.patent.id for hit in results.hits if hit.depth is IndexDepth.CLAIMS)


def _zones(
    services: SearchService,
    summaries: Sequence[PatentSummary],
    reference: ReferenceDates,
    claim: int,
    context: TaskContext,
) -> dict[PatentId, DateFinding]:
    found = services.date_findings(summaries, reference, claim, context)
    return {summary.id: dates for summary, dates in zip(summaries, found, strict=True)}
