"""Fetches a document and its matches, caches the last ones, and prefetches the neighbours."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.types import IndexDepth
from claimlight_workbench.language import tr
from claimlight_workbench.models.links import DocumentLinks
from claimlight_workbench.models.words import DocumentWords

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from claimlight.tasks import TaskContext
    from claimlight.types import DocumentEvidence, DocumentView, PatentId, Query, SetMark, SetRequest
    from claimlight_workbench.jobs.runner import JobRunner, Tell
    from claimlight_workbench.models.desk import Left
    from claimlight_workbench.models.links import LinkBoard

KEPT = 24
READING_STEP = 2.0
"""Seconds of reading between two looks at the evidence; what was read before is kept."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A document and, if there is a query, its matches."""

    view: DocumentView
    links: DocumentLinks | None
    depth: IndexDepth = IndexDepth.FULL
    """How much of it is indexed."""


class DocumentService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def document(self, patent: PatentId | str, context: TaskContext) -> DocumentView:
        """A document for the reader, by id or publication number."""
        ...

    def evidence(self, query: Query, patent: PatentId, context: TaskContext) -> DocumentEvidence:
        """Every match between a query and a document."""
        ...

    def depths(self, patents: Sequence[PatentId], context: TaskContext) -> dict[PatentId, IndexDepth]:
        """How much of documents is indexed."""
        ...

    def read_description(self, query: Query, patent: PatentId, seconds: float, context: TaskContext) -> bool:
        """Read the description of one document for some seconds; whether anything was read."""
        ...

    def query_marks(self, request: SetRequest, patent: PatentId, context: TaskContext) -> tuple[SetMark, ...]:
        """Exactly what a line matched in a document, in reading order."""
        ...


class ReaderPresenter(QObject):
    """Opens documents; a newer request cancels the older."""

    shown = Signal(object)
    """`DocumentView`: the text can be read."""
    linked = Signal(object)
    """`DocumentLinks` or None: the board knows them."""
    depth_known = Signal(object, bool)
    """`IndexDepth` of the open document, and whether all that can be read for the query has been read."""
    describing = Signal(bool)
    """Whether the description of the open document is being read."""
    described = Signal(object)
    """`DocumentEvidence` of the open document, of whose description more has been read."""
    line_changed = Signal(object)
    """`SetRequest` whose matches are boxed; None for none."""
    failed = Signal(Exception, str)

    def __init__(
        self,
        services: DocumentService,
        runner: JobRunner,
        board: LinkBoard,
        parent: QObject | None = None,
        *,
        side: str = "",
    ) -> None:
        super().__init__(parent)
        self._side = side
        """Before the purposes of its jobs, so that two readers do not cancel each other's."""
        self._services = services
        self._runner = runner
        self._board = board
        self._kept: OrderedDict[PatentId, Opened] = OrderedDict()
        self._wanted: PatentId | None = None
        self._query: Query | None = None
        self._line: SetRequest | None = None
        self._read_out: set[PatentId] = set()
        """Documents of whose descriptions everything was read that shares words with the query."""
        self._depth = IndexDepth.FULL
        """How much of the open document is indexed."""
        self.view: DocumentView | None = None

    def set_query(self, query: Query | None) -> None:
        """Set the query; matches of another query are dropped."""
        self._query = query
        self._kept.clear()
        self._read_out.clear()
        self._runner.cut_off(self._side + "description")
        self._board.set_query(query)

    def set_line(self, line: SetRequest | None) -> None:
        """Set the query line whose matches are boxed; None for results of a claim search."""
        self._line = line
        self.line_changed.emit(line)
        if self.view is not None:
            self._mark(self.view)

    def clear_out(self, _left: Left) -> None:
        """Close the document, and cancel one that is being opened."""
        for purpose in ("document", "words", "prefetch", "renewal", "description"):
            self._runner.cut_off(self._side + purpose)
        self._kept.clear()
        self._read_out.clear()
        self._wanted = self._line = self.view = None
        self._board.set_document(None)
        self._board.words.clear(awaited=False)

    def forget(self) -> None:
        """The library has changed."""
        self._kept.clear()

    def deepen(self) -> None:
        """Descriptions have been indexed: perhaps that of the open document."""
        self._kept.clear()
        if self._depth is IndexDepth.CLAIMS:
            self.renew()

    def renew(self) -> None:
        """More is indexed: fetch the matches of the open document again, and show them where they are."""
        self._kept.clear()
        view, query, links = self.view, self._query, self._board.links
        if view is None or query is None or links is None or links.evidence.patent != view.summary.id:
            return
        patent = view.summary.id
        job = self._runner.submit(
            lambda context: self._open(view, query, patent, context), supersedes=self._side + "renewal"
        )

        def renewed(opened: Opened) -> None:
            self._keep(opened, query)
            if query is not self._query or self.view is not view:
                return
            known = self._board.links
            fresh = opened.links is not None and known is not None and opened.links.evidence != known.evidence
            # What is highlighted stays so if nothing else is known.
            if fresh or opened.depth is not self._depth:
                self._board.renew(opened.links)
                self._tell_depth(opened.depth)
                self.linked.emit(opened.links)

        job.succeeded.connect(renewed)
        # What is shown is as old as it was.
        job.failed.connect(lambda _error: None)

    def read_description(self) -> None:
        """Read the description of the open document until there is nothing left to read for the query."""
        view, query = self.view, self._query
        if view is None or query is None:
            return
        patent = view.summary.id

        def make(tell: Tell) -> Callable[[TaskContext], None]:
            def task(context: TaskContext) -> None:
                while self._services.read_description(query, patent, READING_STEP, context):
                    tell(DocumentLinks(self._services.evidence(query, patent, context)))

            return task

        def told(links: DocumentLinks) -> None:
            self._kept.pop(patent, None)
            self._board.renew(links)
            self.described.emit(links.evidence)

        def done(_answer: object) -> None:
            self._read_out.add(patent)
            self._end_reading()

        job = self._runner.stream(
            make,
            supersedes=self._side + "description",
            title=tr("Read the description of the open document"),
            cancel=self.cancel,
        )
        self.describing.emit(True)
        job.progressed.connect(told)
        job.succeeded.connect(done)
        job.failed.connect(lambda _error: self._end_reading())
        job.failed.connect(lambda error: self.failed.emit(error, tr("The description could not be read")))
        job.cancelled.connect(self._end_reading)

    def cancel(self) -> bool:
        """Stop reading the description; returns whether it was being read."""
        return self._runner.cut_off(self._side + "description")

    def _end_reading(self) -> None:
        self.describing.emit(False)
        self._tell_depth(self._depth)

    def _tell_depth(self, depth: IndexDepth) -> None:
        self._depth = depth
        if self.view is not None:
            self.depth_known.emit(depth, self.view.summary.id in self._read_out)

    def open(self, patent: PatentId) -> None:
        """Show a document."""
        self._wanted = patent
        if (opened := self._kept.get(patent)) is not None:
            self._kept.move_to_end(patent)
            self._runner.cut_off(self._side + "document")
            self._show(opened.view)
            self._link(opened)
            return
        job = self._runner.submit(
            lambda context: self._services.document(patent, context), supersedes=self._side + "document"
        )
        job.succeeded.connect(self._arrived)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The document could not be opened")))

    def open_publication(self, publication: str) -> None:
        """Show a document by its number."""
        job = self._runner.submit(
            lambda context: self._services.document(publication, context), supersedes=self._side + "document"
        )

        def arrived(view: DocumentView) -> None:
            self._wanted = view.summary.id
            self._arrived(view)

        job.succeeded.connect(arrived)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The document could not be opened")))

    def prefetch(self, patents: Sequence[PatentId]) -> None:
        """Prefetch what is likely to be opened next."""
        wanted = [patent for patent in patents if patent not in self._kept]
        if not wanted:
            return
        query = self._query
        job = self._runner.submit(
            lambda context: [self._fetch(patent, query, context) for patent in wanted],
            supersedes=self._side + "prefetch",
        )

        def keep(fetched: list[Opened]) -> None:
            for opened in fetched:
                self._keep(opened, query)

        job.succeeded.connect(keep)
        # A neighbour that can't be fetched says so when it is opened.
        job.failed.connect(lambda _error: None)

    def _fetch(self, patent: PatentId, query: Query | None, context: TaskContext) -> Opened:
        return self._open(self._services.document(patent, context), query, patent, context)

    def _open(
        self, view: DocumentView, query: Query | None, patent: PatentId, context: TaskContext
    ) -> Opened:
        """A document with its matches; in the background."""
        context.check()
        links = None if query is None else DocumentLinks(self._services.evidence(query, patent, context))
        return Opened(view, links, self._services.depths((patent,), context).get(patent, IndexDepth.FULL))

    def _arrived(self, view: DocumentView) -> None:
        self._show(view)
        query, patent = self._query, view.summary.id
        if query is None:
            self._link(Opened(view, None))
            return
        job = self._runner.submit(
            lambda context: self._open(view, query, patent, context), supersedes=self._side + "document"
        )

        def linked(opened: Opened) -> None:
            self._keep(opened, query)
            self._link(opened)

        job.succeeded.connect(linked)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The matches could not be shown")))

    def _keep(self, opened: Opened, query: Query | None) -> None:
        if query is not self._query:
            return
        self._kept[opened.view.summary.id] = opened
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _show(self, view: DocumentView) -> None:
        if self.view is not None and self.view.summary.id != view.summary.id:
            self._runner.cut_off(self._side + "description")
        self.view = view
        self._board.set_document(None)
        self.shown.emit(view)
        self._mark(view)

    def _mark(self, view: DocumentView) -> None:
        line = self._line
        self._runner.cut_off(self._side + "words")
        self._board.words.clear(awaited=line is not None)
        if line is None:
            return

        def read(context: TaskContext) -> DocumentWords:
            return DocumentWords(self._services.query_marks(line, view.summary.id, context), view)

        def refused(error: Exception) -> None:
            self._board.words.clear(awaited=False)
            self.failed.emit(error, tr("The matches of the query line could not be shown"))

        job = self._runner.submit(read, supersedes=self._side + "words")
        job.succeeded.connect(self._board.words.show)
        job.failed.connect(refused)

    def _link(self, opened: Opened) -> None:
        if opened.view.summary.id == self._wanted:
            self._board.set_document(opened.links)
            self._tell_depth(opened.depth)
            self.linked.emit(opened.links)
