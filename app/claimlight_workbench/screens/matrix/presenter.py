"""Compares the documents of the shown list with the features; a newer list cancels the older.

Match strengths of all documents come first, then row by row the rulings of the judge, those in view first.
In the end the judge reads on in a document that stays on the screen, as it does in the best ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.errors import AppError, ServerError
from claimlight.types import Progress
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.progress_words import JUDGING, READING_ON
from claimlight_workbench.screens.matrix.on_screen import Choice, OnScreen, Place, Reading
from claimlight_workbench.values import Compared, Comparing, Judged, Watch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from claimlight.services.models.judges import JudgeFacts
    from claimlight.tasks import TaskContext
    from claimlight.types import (
        CoverageMatrix,
        Feature,
        MatrixRow,
        Pairs,
        PatentId,
        PublicationNumber,
        Query,
        ReferenceDates,
    )
    from claimlight_workbench.jobs.registry import ListedJob
    from claimlight_workbench.jobs.runner import JobRunner, Tell
    from claimlight_workbench.models.desk import Left

_LIST, _ONE, _BESIDE, _JUDGE = "matrix", "matrix-row", "matrix-row-beside", "judge"
_DECIDED = "matrix-rows-decided-on"

COMPARED = 50
"""Number of documents of a list that are compared, from the first."""
_AGAIN = tr("Search again (Ctrl+Enter) to have them judged.")


class MatrixService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def coverage_matrix(
        self,
        query: Query,
        patents: Sequence[PatentId],
        own: PublicationNumber | None,
        context: TaskContext,
        *,
        watch: Watch | None = None,
        reading: float = 0.0,
        read_on: Collection[PatentId] | None = None,
    ) -> CoverageMatrix:
        """Features against documents; ``own`` and its family are excluded.

        ``reading``: seconds in which descriptions that are not indexed are read before the judge rules.
        ``read_on``: the documents of which it reads more passages; default: the best of these.
        """
        ...

    def reading_seconds(self) -> float:
        """Seconds that a matrix may read descriptions; 0 for none."""
        ...

    def judge_facts(self, context: TaskContext) -> JudgeFacts | None:
        """The judge that gives the verdicts; None if there is none."""
        ...

    def dated(
        self, matrix: CoverageMatrix, reference: ReferenceDates | None, claim: int, context: TaskContext
    ) -> CoverageMatrix:
        """The same matrix, its documents compared with the dates of the application."""
        ...

    def pairs(self, matrix: CoverageMatrix, context: TaskContext, *, every_status: bool = False) -> Pairs:
        """Pairs of documents of a matrix that match more together, best first, as their dates allow."""
        ...


class _Order:
    """What the judge rules on first; set by the window, read by the worker."""

    def __init__(self) -> None:
        # Replaced as a whole: the worker sees one or the other.
        self.first: tuple[PatentId, ...] = ()

    def choose(self, left: Sequence[PatentId]) -> PatentId:
        """The first document that is wanted, else the next one of the list."""
        waiting = set(left)
        return next((patent for patent in self.first if patent in waiting), left[0])


class MatrixPresenter(QObject):
    """Rows belong to the query and list they were asked for; rows of another one are never shown."""

    started = Signal()
    comparing = Signal(object)
    """`Comparing`: match strengths are known, and the judge begins."""
    row_ruled = Signal(object)
    """`MatrixRow` of the list, with its rulings."""
    reading_on = Signal(object)
    """`Place` on the screen where the judge reads on; None if it does no more."""
    renewed = Signal(object)
    """`Compared`: it has read on in some, whose rows came by `row_ruled`."""
    progressed = Signal(object)
    """`Judged`; None when the judge has ended."""
    compared = Signal(object)
    """`Compared`."""
    judge_known = Signal(object)
    """`JudgeFacts` or None, as asked."""
    cleared = Signal()
    """No list, or no features."""
    stopped = Signal(str)
    """Cancelled or failed, with the reason: there is no matrix for this list."""
    row_known = Signal(object)
    """`MatrixRow` of an open document that is not in the list."""
    failed = Signal(Exception, str)

    def __init__(self, services: MatrixService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.answer: Compared | None = None
        self.judging: Comparing | None = None
        """What the judge is ruling on."""
        self.judged = True
        """Whether there is a judge, as far as is known."""
        self._order = _Order()
        self._job_line: ListedJob | None = None
        """The comparison in the list of jobs."""
        self._open: PatentId | None = None
        """The open document; it comes before all others."""
        self._beside: PatentId | None = None
        """The document that is shown beside the open one; it comes next."""
        self._in_view: tuple[PatentId, ...] = ()
        """The documents whose rows are in view, here or in the list of results."""
        self._rows: tuple[PatentId, ...] = ()
        """Those of the matrix; the judge reads on in them, ..."""
        self._rows_given_up = False
        """... until it is stopped."""
        self._ruled: dict[PatentId, MatrixRow] = {}
        self._reading_on = 0
        """The number of documents that the judge reads on in, as soon as it does."""
        self._reading_since = 0.0
        """Seconds of the comparison before that."""
        self._decided: set[PublicationNumber] = set()
        """Documents that were decided on while the judge was at the list."""
        self._waiting = False
        """The list is compared as soon as `go_on` is called."""
        self._stopped = False
        """The matrix of the list is not complete: comparing failed, or the judge was stopped."""
        self._query: Query | None = None
        self._patents: tuple[PatentId, ...] = ()
        self._listed = 0
        self._own: PublicationNumber | None = None
        self._reference: ReferenceDates | None = None
        self._claim = 0
        self._before: Compared | None = None
        """The matrix in which the judge reads on."""
        self.on_screen = OnScreen(
            runner, choose=self._choose_on_screen, prepare=self._prepare_reading_on, parent=self
        )
        self.on_screen.changed.connect(self.reading_on)
        self.on_screen.read.connect(self._show_read_on)
        self.on_screen.failed.connect(self._refuse_reading_on)

    def set_query(self, query: Query | None) -> None:
        """Other features: the same documents are compared again."""
        self._query = query
        self.compare_again()

    def set_documents(
        self,
        patents: Sequence[PatentId],
        *,
        listed: int,
        own: PublicationNumber | None,
        wait: bool = False,
    ) -> None:
        """Another list is shown; ``own`` is the document whose family is excluded.

        The same list is not compared again. ``wait``: descriptions of it are being read, and it is compared
        upon `go_on`.
        """
        asked = (tuple(patents[:COMPARED]), listed, own)
        waited, self._waiting = self._waiting, wait
        if asked != (self._patents, self._listed, self._own) or self._stopped or waited or wait:
            self._patents, self._listed, self._own = asked
            self.compare_again()
        else:
            # The search has stopped it; another one is another try.
            self._rows_given_up = False
            self.on_screen.begin_again()
            self.on_screen.watch()

    def go_on(self) -> None:
        """Compare the list that was to wait."""
        if self._waiting:
            self._waiting = False
            self.compare_again()
        else:
            self.on_screen.watch()

    def set_dates(self, reference: ReferenceDates | None, claim: int) -> None:
        """Other dates of the application, or another claim: the same cells, but other date statuses."""
        same = reference == self._reference and (
            reference is None or reference.claimed(claim) == reference.claimed(self._claim)
        )
        self._reference, self._claim = reference, claim
        if same:
            return
        answer, stopped = self.answer, self._stopped
        if answer is None:
            self.compare_again()  # what is under way goes by the previous dates
            return
        job = self._runner.submit(
            lambda context: self._paired(answer.matrix, answer.listed, reference, claim, context),
            supersedes=_LIST,
        )
        job.succeeded.connect(lambda answer: self._arrived(answer, stopped=stopped))
        job.failed.connect(self._refused)

    def clear_out(self, _left: Left) -> None:
        """No list is shown: ids of one library have no meaning in another."""
        self.set_documents((), listed=0, own=None)

    def compare_again(self) -> None:
        """Compute the matrix again: the library, the list or the query has changed."""
        query, patents, listed, own = self._query, self._patents, self._listed, self._own
        reference, claim = self._reference, self._claim
        self._runner.cut_off(_LIST)
        self._runner.cut_off(_ONE)
        self._runner.cut_off(_BESIDE)
        self._runner.cut_off(_DECIDED)
        self.on_screen.begin_again()
        self._rows_given_up = False
        self._decided = set()
        self.answer = None
        self._end_judging()
        if query is None or not query.features or not patents:
            self.cleared.emit()
            return
        if self._waiting:
            self.started.emit()
            return
        reading = self._services.reading_seconds()

        def make(tell: Tell) -> Callable[[TaskContext], Compared]:
            def task(context: TaskContext) -> Compared:
                shown: list[CoverageMatrix] = []

                def show(matrix: CoverageMatrix) -> None:
                    shown.append(matrix)
                    tell(Comparing(self._services.dated(matrix, reference, claim, context), listed))

                def show_row(row: MatrixRow) -> None:
                    # The last ones: they come again when descriptions were read.
                    for matrix in shown[-1:]:
                        alone = replace(matrix, rows=(row,), abstracts_only=())
                        tell(self._services.dated(alone, reference, claim, context).rows[0])

                def show_reading_on(documents: int) -> None:
                    tell(Judged(0, documents, reading_on=True))

                watch = Watch(show, show_row, self._order.choose, show_reading_on)
                matrix = self._services.coverage_matrix(
                    query, patents, own, context, watch=watch, reading=reading
                )
                context.check()
                return self._paired(matrix, listed, reference, claim, context)

            return task

        job = self._runner.stream(
            make, supersedes=_LIST, title=tr("Compare features with documents"), cancel=self.cancel
        )
        self._job_line = job.listed
        self.started.emit()
        job.progressed.connect(self._told)
        job.succeeded.connect(self._arrived)
        job.failed.connect(self._refused)

    def renew(self, publications: Collection[PublicationNumber]) -> None:
        """Compute rows again: their passages were confirmed or rejected, or their descriptions were read."""
        answer, query, judging = self.answer, self._query, self.judging
        if query is not None and judging is not None:
            self._renew_rows(query, judging.matrix, publications)
            return
        if answer is None or query is None:
            self.compare_again()  # what is under way goes by what was known before
            return
        matrix, listed = answer.matrix, answer.listed
        reference, claim = self._reference, self._claim
        patents = [row.patent.id for row in matrix.every_row if row.patent.publication in publications]
        if not patents:
            return
        before = _read_on(matrix.every_row)

        def task(context: TaskContext) -> Compared:
            found = self._services.coverage_matrix(query, patents, None, context, read_on=before)
            context.check()
            return self._paired(_with_rows(matrix, found), listed, reference, claim, context)

        stopped = self._stopped
        job = self._runner.submit(task, supersedes=_LIST)
        job.succeeded.connect(lambda answer: self._arrived(answer, stopped=stopped))
        job.failed.connect(self._refused)

    def _renew_rows(
        self, query: Query, matrix: CoverageMatrix, publications: Collection[PublicationNumber]
    ) -> None:
        """Rows that were decided on are computed again while the judge rules on the others."""
        # What the judge brings in the end goes by the previous decisions: the rows are computed once more.
        self._decided |= set(publications)
        patents = [row.patent.id for row in matrix.every_row if row.patent.publication in publications]
        if not patents:
            return
        reference, claim = self._reference, self._claim
        before = _read_on(self._ruled.values())

        def task(context: TaskContext) -> CoverageMatrix:
            found = self._services.coverage_matrix(query, patents, None, context, read_on=before)
            return self._services.dated(found, reference, claim, context)

        def arrived(found: CoverageMatrix) -> None:
            for row in found.every_row if self.judging is not None else ():
                self._show_ruled(row)

        job = self._runner.submit(task, supersedes=_DECIDED)
        job.succeeded.connect(arrived)
        job.failed.connect(lambda _error: None)  # the rows at the end say so

    def prefer(self, rows: Sequence[PatentId], listed: Sequence[PatentId]) -> None:
        """Rule on these documents before the others: they are in view in the matrix, and in the list.

        The judge then reads on in those of the matrix, if they stay there.
        """
        self._in_view, self._rows = (*rows, *listed), tuple(rows)
        self._set_order()
        if rows:
            self.on_screen.look()

    def ask_judge(self) -> None:
        """Emit what is known of the judge."""
        job = self._runner.submit(self._services.judge_facts, supersedes=_JUDGE)
        job.succeeded.connect(self.judge_known)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The judge could not be opened")))

    @property
    def matrix(self) -> CoverageMatrix | None:
        """The matrix that is shown, also while the judge is at it."""
        shown = self.answer or self.judging
        return shown.matrix if shown is not None else None

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features that documents are compared with."""
        return self._query.features if self._query is not None else ()

    def row_of(self, patent: PatentId) -> MatrixRow | None:
        """The row of a document of the list; None while it is not known."""
        if self.answer is not None:
            return self.answer.rows.get(patent)
        return self._ruled.get(patent)

    def ask_row(self, patent: PatentId) -> None:
        """Emit the row of a document that was opened; computed if the document is not in the list."""
        self._runner.cut_off(_ONE)
        if patent != self._open:
            self.on_screen.stop()
        self._open = patent
        self._set_order()
        self.on_screen.watch()
        self._ask_row(patent, _ONE)

    def ask_row_beside(self, patent: PatentId | None) -> None:
        """The same of the document beside the open one; None if there is none any more."""
        self._runner.cut_off(_BESIDE)
        self._beside = patent
        self._set_order()
        if patent is not None:
            self.on_screen.watch()
            self._ask_row(patent, _BESIDE)

    def _ask_row(self, patent: PatentId, purpose: str) -> None:
        row, query = self.row_of(patent), self._query
        under_way = self.answer is None and self._patents
        if row is not None:
            self.row_known.emit(row)
        elif self.judging is not None and patent in self._patents:
            return  # comes next
        elif query is not None and query.features and (self.judging is not None or not under_way):
            reference, claim = self._reference, self._claim

            def task(context: TaskContext) -> CoverageMatrix:
                found = self._services.coverage_matrix(query, (patent,), None, context)
                return self._services.dated(found, reference, claim, context)

            job = self._runner.submit(task, supersedes=purpose)
            job.succeeded.connect(lambda matrix: self._row_arrived(matrix.every_row))
            # The matrix of the list says what is missing; a row alone would say it a second time.
            job.failed.connect(lambda _error: None)

    def _choose_on_screen(self, left: Collection[PatentId]) -> Choice | None:
        """The next documents on the screen to read on in, if the judge reads on in any."""
        answer = self.answer
        if answer is None or self._stopped or not _read_on(answer.rows.values()):
            return None

        def find_open(patents: Iterable[PatentId | None]) -> list[PatentId]:
            rows = (answer.rows.get(each) for each in patents if each is not None and each not in left)
            return [row.patent.id for row in rows if row is not None and not row.read_on and row.ruled]

        if shown := find_open((self._open, self._beside)):
            return Choice(Place.OPEN, tuple(shown))
        rows = [] if self._rows_given_up else find_open(self._rows)
        return Choice(Place.ROWS, (rows[0],)) if rows else None

    def _prepare_reading_on(self, patents: Sequence[PatentId]) -> Reading:
        answer, query, reference, claim = self.answer, self._query, self._reference, self._claim
        assert answer is not None
        assert query is not None

        def read(context: TaskContext) -> Compared:
            found = self._services.coverage_matrix(query, patents, None, context, read_on=patents)
            context.check()
            return self._paired(_with_rows(answer.matrix, found), answer.listed, reference, claim, context)

        self._before = answer
        return read

    def _show_read_on(self, found: Compared, patents: Sequence[PatentId]) -> None:
        if self.answer is not self._before:
            return  # decided on, or dated otherwise since; `_arrived` has it read on in again
        rows = [found.rows[patent] for patent in patents]
        self.on_screen.leave([row.patent.id for row in rows if not row.read_on])
        self.answer = found
        for row in rows:
            self.row_ruled.emit(row)
            if row.patent.id in {self._open, self._beside}:
                self.row_known.emit(row)
        self.renewed.emit(found)

    def _refuse_reading_on(self, error: Exception) -> None:
        # The next row would most likely fail, too, with the same message.
        self._rows_given_up = True
        self.failed.emit(error, tr("The judge could not read on in the documents on the screen"))

    def stop(self) -> None:
        """Begin nothing any more: the window closes."""
        self.on_screen.stop()

    def cancel(self) -> bool:
        """Stop comparing, keeping the rows that are ruled on; returns whether it was running."""
        if self.on_screen.give_up():
            self._rows_given_up = True
            return True
        cut, judging = self._runner.cut_off(_LIST), self.judging
        if cut and judging is None:
            self.stopped.emit("")
        elif cut and judging is not None:
            self._settle(judging)
        return cut

    def _settle(self, judging: Comparing) -> None:
        """Show what the judge has ruled on so far as the matrix."""
        matrix, reference, claim = judging.matrix, self._reference, self._claim
        left = len(matrix.every_row) - len(self._ruled)
        lacking = (
            trn("{n:,} document has match strengths only", "{n:,} documents have match strengths only", left)
            if left
            else tr("it has not read on in all of the best documents")
        )
        note = tr("The judge was stopped: {lacking}. {again}", lacking=lacking, again=_AGAIN)
        ruled = self._ruled
        partial = replace(
            matrix,
            rows=tuple(ruled.get(row.patent.id, row) for row in matrix.rows),
            abstracts_only=tuple(ruled.get(row.patent.id, row) for row in matrix.abstracts_only),
            notes=(*matrix.notes, note),
        )
        self._stopped = True
        job = self._runner.submit(
            lambda context: self._paired(partial, judging.listed, reference, claim, context),
            supersedes=_LIST,
        )
        job.succeeded.connect(lambda answer: self._arrived(answer, stopped=True))
        job.failed.connect(self._refused)

    def _set_order(self) -> None:
        shown = (each for each in (self._open, self._beside) if each is not None)
        self._order.first = (*shown, *self._in_view)

    def _told(self, part: Comparing | MatrixRow | Judged) -> None:
        """A part of the matrix has come from the worker."""
        if isinstance(part, Comparing):
            self.judging, self.judged = part, True
            self.comparing.emit(part)
        elif isinstance(part, Judged):
            self._reading_on = part.total
            self._reading_since = self._job_line.seconds if self._job_line is not None else 0.0
        elif self.judging is not None:
            self._show_ruled(part)
        if self.judging is not None:
            self._tell_progress(self._find_progress(self.judging.matrix))

    def _find_progress(self, matrix: CoverageMatrix) -> Judged:
        if self._reading_on:
            return Judged(len(_read_on(self._ruled.values())), self._reading_on, reading_on=True)
        return Judged(len(self._ruled), len(matrix.every_row))

    def _tell_progress(self, judged: Judged) -> None:
        """How far the judge is, for the views and for the list of jobs."""
        self.progressed.emit(judged)
        if self._job_line is not None:
            done, left = judged.done, judged.total - judged.done
            rate = done / max(self._job_line.seconds - self._reading_since, 1e-3)
            stage = READING_ON if judged.reading_on else JUDGING
            # How long it will read on is not known before it does.
            last = judged.reading_on or not (self.judging is not None and self.judging.matrix.reads_on)
            seconds = left / rate if rate and left and last else None
            event = Progress(stage, done, judged.total, "documents", rate, seconds)
            self._runner.jobs.report(self._job_line, event)

    def _show_ruled(self, row: MatrixRow) -> None:
        self._ruled[row.patent.id] = row
        self.row_ruled.emit(row)
        if row.patent.id in {self._open, self._beside}:
            self.row_known.emit(row)

    def _end_judging(self) -> None:
        if self.judging is not None:
            self.progressed.emit(None)
        self.judging = None
        self._ruled = {}
        self._reading_on, self._reading_since = 0, 0.0
        self._stopped = False

    def _paired(
        self,
        matrix: CoverageMatrix,
        listed: int,
        reference: ReferenceDates | None,
        claim: int,
        context: TaskContext,
    ) -> Compared:
        """A matrix with the date statuses of its rows, and its pairs; runs in the background."""
        dated = self._services.dated(matrix, reference, claim, context)
        pairs = self._services.pairs(dated, context)
        every = self._services.pairs(dated, context, every_status=True) if pairs.left_out else pairs
        return Compared(dated, pairs, every, listed)

    def _arrived(self, answer: Compared, *, stopped: bool = False) -> None:
        self.judged = self.judging is not None or any(row.ruled for row in answer.matrix.every_row)
        self._end_judging()
        self._stopped = stopped
        self.answer = answer
        self.on_screen.watch()
        self.compared.emit(answer)
        decided, self._decided = self._decided, set()
        if decided:
            self.renew(decided)

    def _row_arrived(self, rows: Sequence[MatrixRow]) -> None:
        for row in rows:
            self.row_known.emit(row)

    def _refused(self, error: Exception) -> None:
        self._end_judging()
        # The next search compares even the same list again: what failed may work by then.
        self._stopped = True
        # A library without an index is no reason for a box at every search: the panels say it.
        self.stopped.emit(tell(str(error)) if isinstance(error, AppError) else "")
        if isinstance(error, ServerError) or not isinstance(error, AppError):
            self.failed.emit(error, tr("The documents could not be compared"))


def _with_rows(matrix: CoverageMatrix, found: CoverageMatrix) -> CoverageMatrix:
    """A matrix with the rows of another one in the place of its own, and its notes on the judge."""
    fresh = {row.patent.id: row for row in found.every_row}
    rows, abstracts = (
        tuple(fresh.get(row.patent.id, row) for row in some) for some in (matrix.rows, matrix.abstracts_only)
    )
    more = tuple(note for note in found.about_judge if note not in matrix.notes)
    return replace(
        matrix,
        rows=rows,
        abstracts_only=abstracts,
        notes=(*matrix.notes, *more),
        about_judge=(*matrix.about_judge, *more),
    )


def _read_on(rows: Iterable[MatrixRow]) -> frozenset[PatentId]:
    """The documents that were read on in.

    They are the best of all rows: of a few that are computed again, each would be one of the best.
    """
    return frozenset(row.patent.id for row in rows if row.read_on)
