"""The row of a family in a result: shown by the member that the settings choose."""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval.fusion import Folded
from core.retrieval.representatives import BEST, representative
from core.store import Store, repository
from core.types import PatentId


def shown(store: Store, rows: Sequence[Folded], preference: str) -> list[Folded]:
    """Each family by its representative among the members that were found.

    The family keeps the place and the score of its best ranked member.
    """
    if preference in ("", BEST):
        return list(rows)
    members = [(row.patent, *row.others) for row in rows]
    found = repository.summaries(store, [PatentId(item) for ids in members for item in ids])
    chosen: list[Folded] = []
    for row, ids in zip(rows, members, strict=True):
        there = [found[PatentId(item)] for item in ids if PatentId(item) in found]
        first = representative(there, preference).id if there else row.patent
        chosen.append(Folded(first, row.score, tuple(item for item in ids if item != first)))
    return chosen
