"""Where hits are in a document, as arrays: thousands of ticks are placed at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from claimlight.types import DocumentView, PassageId


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Places in reading order; both arrays have one value for each."""

    rows: npt.NDArray[np.int32]
    """Number of the passage in the document, from 0."""
    shares: npt.NDArray[np.float32]
    """How far into the passage, 0 to 1."""

    @classmethod
    def of(cls, view: DocumentView, places: Iterable[tuple[PassageId, int]]) -> Spread:
        """The places of code points of passages; those of other documents are left out."""
        rows = {passage.id: row for row, passage in enumerate(view.passages)}
        lengths = [max(len(passage.text), 1) for passage in view.passages]
        found = [(rows[passage], start) for passage, start in places if passage in rows]
        return cls(
            np.fromiter((row for row, _ in found), np.int32, len(found)),
            np.fromiter((start / lengths[row] for row, start in found), np.float32, len(found)),
        )


NOWHERE = Spread(np.empty(0, np.int32), np.empty(0, np.float32))
