"""How far the reading of the open case has come, for the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.types import RELEVANT
from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.language import tr
from claimlight_workbench.values import CaseProgress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.tasks import TaskContext
    from claimlight.types import CaseId, Category
    from claimlight_workbench.values import ComparedRow


class ProgressQuestions(EngineState):
    """The part of `Services` that is about progress; a sample is written to the open case."""

    def progress(
        self, sample: int, context: TaskContext, *, compared: Sequence[ComparedRow] = ()
    ) -> CaseProgress:
        """New passages of the open case by documents read, and what a sample says (0: the last one).

        ``compared`` are the documents whose cells are known.
        """
        return self._progress(sample, RELEVANT, compared, context)

    def _progress(
        self,
        sample: int,
        relevant: Sequence[Category],
        compared: Sequence[ComparedRow],
        context: TaskContext,
    ) -> CaseProgress:
        from claimlight.services.stopping import curves, estimates, history

        context.check()
        book, case = self._cases(), self._reading_case()
        sets = {each.number: each for each in self._sets_of(case)}
        reading, marks = book.reading(case), book.marks(case)
        opened, decisions = book.case(case), book.confirmations(case)
        counted = history.count_new(opened, reading, marks, decisions, relevant=relevant)
        covered = {
            publication: features
            for each in compared
            for publication, features in curves.covered_features(each.features, (each.row,)).items()
        }
        curve = curves.draw_curve(opened, reading, marks, decisions, covered=covered, relevant=relevant)
        known = [each for each in book.samples(case) if each.set_number in sets]
        chosen = next((each for each in known if each.number == sample), known[-1] if known else None)
        if chosen is None:
            return CaseProgress(int(case), counted, curve=curve)
        listed = [hit.publication for hit in sets[chosen.set_number].hits]
        found = estimates.estimate_unread(chosen, listed, reading, marks, relevant=relevant)
        return CaseProgress(int(case), counted, tuple(each.number for each in known), found, curve)

    def _reading_case(self) -> CaseId:
        if self._case is None:
            raise InputError(tr("No case is open. Enter claims first."))
        return self._case
