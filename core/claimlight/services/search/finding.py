"""Finds words in the passages of one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.text.finding import Finder
from claimlight.types import FoundPlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.tasks import TaskContext
    from claimlight.types import FindRequest, PassageView


def find_places(
    request: FindRequest, passages: Sequence[PassageView], context: TaskContext
) -> tuple[FoundPlace, ...]:
    """Every match in the texts of passages, in their order; none reaches over two passages."""
    finder = Finder(request)
    found: list[FoundPlace] = []
    for passage in passages:
        context.check()
        found += [FoundPlace(passage.id, span) for span in finder.find(passage.text)]
    return tuple(found)
