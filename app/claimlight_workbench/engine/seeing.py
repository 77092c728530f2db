"""The map of the open library, and its documents counted, from the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.types import CountBy
from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.services.maps.plane import Plane
    from claimlight.tasks import TaskContext
    from claimlight.types import DocumentStatistics, SetResult


class SeeingQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def library_map(self, again: bool, context: TaskContext) -> Plane:  # noqa: FBT001 - as the presenter asks
        """The map of the open library; ``again``: all documents are laid out again."""
        from claimlight.services.maps.library_map import map_library
        from claimlight.services.maps.plane import Plane

        return Plane(map_library(self._opened().library, context, again=again))

    def choose_documents(self, patents: Sequence[int], description: str, context: TaskContext) -> SetResult:
        """A set of documents that were chosen one by one."""
        return self._opened().sets.choose(patents, description, context)

    def document_statistics(self, number: int, by: CountBy, context: TaskContext) -> DocumentStatistics:
        """Documents by year, office, subclass or applicant, of a set or, for 0, of the whole library."""
        from claimlight.services.classes.counts import choose_scheme
        from claimlight.services.classes.schemes import Schemes
        from claimlight.services.classes.statistics import count_subclasses
        from claimlight.services.library.counting import count_documents, within_set

        opened = self._opened()
        patents = None
        if number:
            sets = self._sets_of(self._case) if self._case is not None else ()
            record = next((each for each in sets if each.number == number), None)
            if record is None:
                raise InputError(tr("The open case has no set L{number}.", number=number))
            patents = [patent for patent in opened.sets.patents(record) if patent is not None]
        if by is CountBy.CLASS:
            scheme = choose_scheme(opened.library)
            found = count_subclasses(opened.library, Schemes(), context, scheme=scheme, patents=patents)
        else:
            found = count_documents(opened.library, by, context, patents=patents)
        return within_set(found, f"L{number}") if number else found
