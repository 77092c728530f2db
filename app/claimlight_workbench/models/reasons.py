"""Why a document is in the list, in one short sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from claimlight.types import CellVerdict, MatrixCell
from claimlight_workbench.language import inside, tr
from claimlight_workbench.wording import ranker_name

if TYPE_CHECKING:
    from claimlight_workbench.models.columns import Row

_SHOWN_LINE = 90
_NAMED = 6
"""Features that are named one by one."""


def reason(row: Row) -> str:
    """The rankers that found the document, best first, and its features; of a set, the line that it matches.

    Empty if neither is known.
    """
    return "; ".join(filter(None, (*_of_line(row), *_of_search(row))))


def _of_line(row: Row) -> Iterator[str]:
    if not row.line:
        return
    line = row.line if len(row.line) <= _SHOWN_LINE else f"{row.line[: _SHOWN_LINE - 1]}…"
    yield tr("Found by the line {line}", line=line)
    if row.hit.score:
        yield tr("rank {rank:,} by similarity", rank=row.rank)


def _of_search(row: Row) -> Iterator[str]:
    hit = row.hit
    if hit.ranks:
        best = sorted(hit.ranks, key=lambda each: each.rank)
        places = ", ".join(
            tr("{ranker_name} (rank {rank:,})", ranker_name=inside(ranker_name(each.leg)), rank=each.rank)
            for each in best
        )
        yield tr("Found by {places}", places=places)
    if hit.unmarked_rank is not None and hit.unmarked_rank != row.rank:
        if not hit.unmarked_rank:
            yield tr("brought in by your marks")
        else:
            way = tr("up") if hit.unmarked_rank > row.rank else tr("down")
            yield tr(
                "moved {way} by your marks (from place {unmarked_rank:,})",
                way=way,
                unmarked_rank=hit.unmarked_rank,
            )
    if hit.gain is not None:
        yield tr("adds {gain} points to D1", gain=round(100 * hit.gain))
    if row.waiting:
        return
    ruled = [each for each in row.cells if isinstance(each, MatrixCell)]
    if ruled:
        named = [each.feature for each in ruled if each.disclosed]
        words = tr("discloses")
    else:
        named = [each.feature for each in row.cells if each.verdict is CellVerdict.STRONG]
        words = tr("strong match of")
    if named and len(named) == len(row.cells):
        yield tr("{words} every feature", words=words)
    elif named:
        more = tr(" and {named} more", named=len(named) - _NAMED) if len(named) > _NAMED else ""
        yield f"{words} {', '.join(named[:_NAMED])}{more}"
