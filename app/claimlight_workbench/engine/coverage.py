"""Concepts, coverage of features, and what a document lacks, from the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight_workbench.engine.state import EngineState

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from claimlight.services.models.judges import JudgeFacts
    from claimlight.tasks import TaskContext
    from claimlight.types import (
        CenterId,
        CenterInspection,
        Confirmation,
        CoverageMatrix,
        Pairs,
        PatentId,
        PublicationNumber,
        Query,
        ReferenceDates,
        Residual,
        SearchRequest,
    )
    from claimlight_workbench.values import Watch


class CoverageQuestions(EngineState):
    """The part of `Services` that explains a score."""

    def inspect_center(self, center: CenterId, context: TaskContext) -> CenterInspection:
        """One center (concept) of the vocabulary and the terms of the library assigned to it."""
        from claimlight.services.search.inspection import inspect_center

        found = self._opened()
        return inspect_center(found.engine, found.library, self._settings, center, context)

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
        """Features against documents, own family excluded; ``watch`` follows the rulings.

        ``reading``: seconds in which descriptions that are not indexed are read before. ``read_on``: the
        documents that are read on in; default: the best of these.
        """
        from claimlight.services.search import matrix
        from claimlight.services.search.confirmations import rejected_passages

        found, relative = self._opened(), self._relative(own)
        return matrix.coverage_matrix(
            found.engine,
            found.library,
            self._settings,
            query,
            patents,
            context,
            exclude_family_of=relative,
            rejected=rejected_passages(query.features, self._decisions()),
            on_strengths=watch.show_strengths if watch is not None else None,
            on_row=watch.show_row if watch is not None else None,
            choose_next=watch.choose_next if watch is not None else None,
            on_reading_on=watch.show_reading_on if watch is not None else None,
            reading=reading,
            read_on=read_on,
        )

    def judge_facts(self, context: TaskContext) -> JudgeFacts | None:
        """The judge of the charts; None if there is none."""
        from claimlight.services.models.judges import describe_judge

        context.check()
        judge, _ = self._opened().engine.judge()
        return describe_judge(judge) if judge is not None else None

    def dated(
        self, matrix: CoverageMatrix, reference: ReferenceDates | None, claim: int, context: TaskContext
    ) -> CoverageMatrix:
        """The same matrix with the date status of its documents, and the decisions of the open case."""
        from claimlight.services.search import matrix as matrices
        from claimlight.services.search.confirmations import apply_confirmations, place_confirmations

        context.check()
        shown = {row.patent.publication for row in matrix.every_row}
        decided = [item for item in self._decisions() if item.publication in shown]
        dated = matrices.set_dates(matrix, reference, claim)
        return apply_confirmations(dated, place_confirmations(self._opened().library, decided))

    def _decisions(self) -> tuple[Confirmation, ...]:
        """What was confirmed and rejected in the open case."""
        return tuple(self._cases().confirmations(self._case)) if self._case is not None else ()

    def pairs(self, matrix: CoverageMatrix, context: TaskContext, *, every_status: bool = False) -> Pairs:
        """Pairs of documents of a matrix that match more together."""
        from claimlight.services.search import combining

        context.check()
        return combining.pairs(matrix, every_status=every_status)

    def residual(self, request: SearchRequest, patent: PatentId, context: TaskContext) -> Residual:
        """What a document lacks of the claim."""
        from claimlight.services.search import combining

        # What its description discloses is not lacking.
        reading = self._settings.search.reading_seconds
        matrix = self.coverage_matrix(request.query, (patent,), None, context, reading=reading)
        dated = self.dated(matrix, request.reference, request.claim, context)
        return combining.residual(dated, patent, request)
