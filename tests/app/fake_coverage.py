"""The part of the fake engine that speaks of centers, cells, pairs and what a document lacks."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from claimlight.errors import InputError
from claimlight.services.models.judges import JudgeFacts
from claimlight.services.search import combining
from claimlight.services.search import matrix as matrices
from claimlight.services.search.confirmations import apply_confirmations
from claimlight.services.search.dates import find_status
from claimlight.tasks import TaskContext
from claimlight.types import (
    CellRuling,
    CellVerdict,
    CenterId,
    CenterInspection,
    CenterSpan,
    ChartVerdict,
    CoverageMatrix,
    DateFinding,
    Decision,
    DocumentPair,
    Feature,
    FeatureCoverage,
    FeatureTerm,
    IndexDepth,
    Lamp,
    MatrixCell,
    MatrixRow,
    Pairs,
    PassageId,
    PassageView,
    PatentId,
    PatentSummary,
    PlacedConfirmation,
    PublicationNumber,
    Query,
    ReferenceDates,
    Reliability,
    Residual,
    SearchRequest,
    Span,
    TermState,
    Thresholds,
    Unjudged,
    WordCount,
)
from claimlight_workbench.values import Watch

Cell = TypeVar("Cell", MatrixCell, FeatureCoverage)
STRENGTHS = (0.9, 0.4, 0.0)
THRESHOLDS = Thresholds(0.35, 0.5)
"""Match strength of a feature in documents 1, 2, 3; turned by one for each further feature."""
STOP = 3
"""The center that is a stop center."""


RULED = ((ChartVerdict.DISCLOSED, 0.91), (ChartVerdict.CANDIDATE, 0.4), (ChartVerdict.NOTHING, 0.05))


def _matrix(query: Query, rows: Iterable[MatrixRow], *, reads_on: bool = False) -> CoverageMatrix:
    every = tuple(rows)
    return CoverageMatrix(
        query,
        query.features,
        tuple(row for row in every if row.full_text),
        tuple(row for row in every if not row.full_text),
        (),
        THRESHOLDS,
        reads_on=reads_on,
    )


def uncompared(cell: Cell) -> Cell:
    """The same feature in a document that is not indexed."""
    said = {"verdict": CellVerdict.UNCOMPARED, "cause": Unjudged.NOT_INDEXED}
    return replace(cell, strength=0.0, passage=None, label="", **said)


def undescribed(cell: Cell, *, read: bool) -> Cell:
    """The same feature in a document of which only the claims are indexed; ``read``: and some passages."""
    if cell.passage is not None:
        return replace(cell, strength=min(1.0, cell.strength + 0.25)) if read else cell
    return replace(cell, verdict=CellVerdict.UNCOMPARED, cause=Unjudged.DEPTH)


class FakeCoverage(ABC):
    """Document 3 has no more than an abstract where `abstracts` says so."""

    abstracts: frozenset[int] = frozenset()
    unindexed: frozenset[int] = frozenset()
    """Documents that are not indexed by meaning yet."""
    partly: frozenset[int] = frozenset()
    """Documents of which only title, abstract and claims are indexed."""
    partly_read: frozenset[int] = frozenset()
    """Those of them of whose descriptions passages were read."""
    lamps: dict[tuple[int, str], Lamp]

    def __init__(self) -> None:
        self.lamps = {}
        self.inspected: list[CenterId] = []
        self.compared: list[tuple[tuple[PatentId, ...], PublicationNumber | None]] = []
        self.lacked: list[PatentId] = []
        self.fail_inspect: Exception | None = None
        self.fail_matrix: Exception | None = None
        self.judge = ""
        """Name of the judge; empty for none."""
        self.second: JudgeFacts | None = None
        self.reliability: Reliability | None = None
        """What its package keeps."""
        self.thinking: set[int] = set()
        """Documents that the judge does not come to an end with."""
        self.reads_on: set[int] = set()
        """Documents of which the judge reads more when it has ruled on all, ..."""
        self.thinking_on: set[int] = set()
        """... and those of them at which it stays."""
        self.failing_on: set[int] = set()
        """Those of them in which it fails."""
        self.ruled: list[PatentId] = []
        self.matrix_reading: list[float] = []
        """For each matrix, the seconds in which descriptions were to be read."""
        self.unread: frozenset[int] = frozenset()
        """Documents in a language that the judge does not read."""
        self.complete: frozenset[int] = frozenset()
        """Documents that lack nothing."""
        self.decided: list[PlacedConfirmation] = []
        self.offers_next = False

    @abstractmethod
    def hold(self, context: TaskContext) -> None: ...

    @abstractmethod
    def summary_of(self, number: int) -> PatentSummary: ...

    @abstractmethod
    def passages_of(self, number: int) -> Sequence[PassageView]: ...

    def inspect_center(self, center: CenterId, context: TaskContext) -> CenterInspection:
        self.inspected.append(center)
        self.hold(context)
        if self.fail_inspect is not None:
            raise self.fail_inspect
        view = self.passages_of(2)[2]
        start = view.text.index("toothed ring")
        span = CenterSpan(
            self.summary_of(2),
            view.id,
            view.section,
            view.label,
            view.text,
            Span(start, start + len("toothed ring")),
            0.875,
            2,
        )
        return CenterInspection(
            center, f"anchor {center}", 0.25, 30, 7, 1200, center == STOP, 20, (span,),
            (WordCount("toothed ring", 18), WordCount("gear", 2)),
        )  # fmt: skip

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
        self.compared.append((tuple(patents), own))
        again = self.reads_on if read_on is None else self.reads_on & set(read_on)
        self.matrix_reading.append(reading)
        self.hold(context)
        if self.fail_matrix is not None:
            raise self.fail_matrix
        rows = {patent: self._row(patent, query.features) for patent in patents}
        about_judge: tuple[str, ...] = ()
        if self.judge:
            if watch is not None:
                watch.show_strengths(_matrix(query, rows.values(), reads_on=bool(again)))
            if reading and self.partly & set(patents):
                self.partly_read |= self.partly & set(patents)
                rows = {patent: self._row(patent, query.features) for patent in patents}
                if watch is not None:
                    watch.show_strengths(_matrix(query, rows.values(), reads_on=bool(again)))
            left = dict.fromkeys(patents)
            while left:
                patent = watch.choose_next(tuple(left)) if watch is not None else next(iter(left))
                del left[patent]
                while patent in self.thinking:
                    context.wait(0.01)
                self.ruled.append(patent)
                rows[patent] = self._with_rulings(rows[patent], query)
                if watch is not None:
                    watch.show_row(rows[patent])
            if again & set(patents) and watch is not None:
                watch.show_reading_on(len(again & set(patents)))
            for patent in again & set(patents):
                while patent in self.thinking_on:
                    context.wait(0.01)
                if patent in self.failing_on:
                    about_judge = ("The judge failed.",)
                    continue
                rows[patent] = _surer(rows[patent])
                if watch is not None:
                    watch.show_row(rows[patent])
        matrix = _matrix(query, rows.values(), reads_on=bool(self.judge and again))
        return replace(matrix, notes=(*matrix.notes, *about_judge), about_judge=about_judge)

    def judge_facts(self, context: TaskContext) -> JudgeFacts | None:
        measured = {"precision": 0.88, "recall": 0.41, "near": 0.06}
        facts = JudgeFacts(
            self.judge, 0.8, 0.3, "invented charts", ("en",), measured, "20 charts", True, self.reliability
        )
        return replace(facts, second=self.second) if self.judge else None

    def _with_rulings(self, row: MatrixRow, query: Query) -> MatrixRow:
        """A document's verdicts: disclosed, candidate, nothing near, turned by one for each document."""
        if row.patent.id in self.unread or row.patent.id in self.unindexed:
            return row
        cells = []
        views = self.passages_of(row.patent.id)
        for place, (cell, feature) in enumerate(zip(row.cells, query.features, strict=True)):
            verdict, probability = RULED[(row.patent.id - 1 + place) % len(RULED)]
            words = [Span(m.start(), m.end()) for m in re.finditer(r"[^\W\d]{4,}", feature.text)]
            terms = tuple(
                FeatureTerm(Span(feature.span.start + each.start, feature.span.start + each.end), state)
                for each, state in zip(words, tuple(TermState), strict=False)
            )
            best = views[(place + 1) % 3]
            others = tuple(PassageId(view.id) for view in views[:3] if view is not best)
            ruling = CellRuling(
                feature.label, verdict, probability, self.judge, PassageId(best.id), best.label,
                (PassageId(best.id), *others), terms, 3, len(views),
            )  # fmt: skip
            cells.append(replace(cell, ruling=ruling, passage=ruling.passage, label=ruling.label))
        return replace(row, cells=tuple(cells))

    def _row(self, patent: PatentId, features: Sequence[Feature]) -> MatrixRow:
        cells = []
        for place, feature in enumerate(features):
            strength = STRENGTHS[(patent - 1 + place) % len(STRENGTHS)]
            view = self._offered(patent, place, feature)
            cell = MatrixCell(
                feature.label,
                strength,
                THRESHOLDS.verdict(strength),
                PassageId(view.id) if strength else None,
                view.label if strength else "",
                score=strength / 3,
                lamp=self.lamps.get((patent, feature.label), Lamp.NONE),
            )
            if patent in self.partly:
                cell = undescribed(cell, read=patent in self.partly_read)
            cells.append(uncompared(cell) if patent in self.unindexed else cell)
        depth = IndexDepth.CLAIMS if patent in self.partly else IndexDepth.FULL
        return MatrixRow(self.summary_of(patent), tuple(cells), patent not in self.abstracts, depth=depth)

    def _offered(self, patent: PatentId, place: int, feature: Feature) -> PassageView:
        """The passage of a cell; the next one for a rejected one if `offers_next`."""
        views = self.passages_of(patent)
        out = {
            item.passage
            for item in self.decided
            if self.offers_next
            and item.confirmation.decision is Decision.REJECTED
            and item.confirmation.feature == feature.text
        }
        turned = [*views[place % 3 :], *views[: place % 3]]
        return next((view for view in turned if view.id not in out), views[place % 3])

    def dated(
        self, matrix: CoverageMatrix, reference: ReferenceDates | None, claim: int, context: TaskContext
    ) -> CoverageMatrix:
        return apply_confirmations(matrices.set_dates(matrix, reference, claim), self.decided)

    def pairs(self, matrix: CoverageMatrix, context: TaskContext, *, every_status: bool = False) -> Pairs:
        """Neighbours, so that what is shown does not depend on how pairs are chosen."""
        real = combining.pairs(matrix, every_status=every_status)
        left_out = real.left_out
        without = {item.patent for item in left_out}
        rows = [row for row in matrix.every_row if row.patent.id not in without]
        found = []
        for one, two in pairwise(rows):
            first = {cell.feature for cell in one.cells if cell.verdict is CellVerdict.STRONG}
            second = {cell.feature for cell in two.cells if cell.verdict is CellVerdict.STRONG}
            every = {feature.label for feature in matrix.features}
            found.append(
                DocumentPair(
                    one.patent.id,
                    two.patent.id,
                    0.8,
                    0.3,
                    tuple(sorted(first - second)),
                    tuple(sorted(second - first)),
                    tuple(sorted(first & second)),
                    tuple(sorted(every - first - second)),
                )
            )
        return Pairs(tuple(found), left_out, real.notes, real.chosen_from)

    def residual(self, request: SearchRequest, patent: PatentId, context: TaskContext) -> Residual:
        self.lacked.append(patent)
        self.hold(context)
        if patent == 9:
            raise InputError("The document is not indexed yet.")
        row = self._row(patent, request.query.features)
        missing = tuple(cell.feature for cell in row.cells if cell.verdict is not CellVerdict.STRONG)
        if patent in self.complete:
            missing = ()
        dates = DateFinding()
        if request.reference is not None:
            dates = find_status(request.reference, self.summary_of(patent), request.claim)
        return Residual(patent, missing, replace(request, only=missing) if missing else None, dates)


def _surer(row: MatrixRow) -> MatrixRow:
    """A row after more passages were read: everything is disclosed."""
    surer = (
        replace(cell.ruling, verdict=ChartVerdict.DISCLOSED, probability=0.97, read=4)
        for cell in row.cells
        if cell.ruling is not None
    )
    cells = tuple(replace(cell, ruling=ruling) for cell, ruling in zip(row.cells, surer, strict=True))
    return replace(row, cells=cells, read_on=True)
