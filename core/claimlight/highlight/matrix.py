"""Cells of the matrix: each document's passage that best matches a feature, and the cell's warning lamp."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from claimlight.text import informative
from claimlight.text.words import stem
from claimlight.types import CellVerdict, Lamp, MatrixRow

_DIGITS = 6
"""Decimals of match strengths that are compared; if these are equal, the score decides."""


@dataclass(frozen=True, slots=True, eq=False)
class BestPassages:
    """For one feature, the best matching passage of each document."""

    row: NDArray[np.int64]
    """[D] index of the passage in the forward lists; -1 if no passage matches."""
    strength: NDArray[np.float64]
    score: NDArray[np.float64]


def choose_passages(
    scores: NDArray[np.float64], strength: NDArray[np.float64], first: NDArray[np.int64]
) -> BestPassages:
    """Choose the cells of one feature: the strongest match, then the higher score, then reading order.

    ``scores`` and ``strength`` [P] are those of the feature alone; the passages of document d are
    ``first[d]:first[d + 1]``, ``first`` [D + 1].
    """
    documents = len(first) - 1
    rows = np.flatnonzero((scores > 0) & (strength > 0))
    document = np.searchsorted(first, rows, side="right") - 1
    order = np.lexsort((rows, -scores[rows], -np.round(strength[rows], _DIGITS), document))
    ordered = document[order]
    chosen = order[np.flatnonzero(np.diff(ordered, prepend=-1))]
    row = np.full(documents, -1, dtype=np.int64)
    row[document[chosen]] = rows[chosen]
    found = row >= 0
    return BestPassages(
        row,
        np.where(found, strength[np.maximum(row, 0)], 0.0) if len(strength) else np.zeros(documents),
        np.where(found, scores[np.maximum(row, 0)], 0.0) if len(scores) else np.zeros(documents),
    )


@lru_cache(maxsize=1 << 16)
def stem_words(text: str) -> frozenset[str]:
    """The stems of the words of a text that say something: what sharing a word is decided by."""
    return frozenset(stem(word) for word in informative.informative_words(text))


def content_words(text: str) -> tuple[str, ...]:
    """The distinct informative words of a feature, case-folded, in order."""
    return tuple(dict.fromkeys(word.casefold() for word in informative.informative_words(text)))


def decide_lamp(verdict: CellVerdict, pairs: Iterable[tuple[str, str]], *, all_words_there: bool) -> Lamp:
    """Decide the warning lamp of a cell.

    ``pairs`` are the matching words of query and passage in the cell; ``all_words_there`` is whether a
    passage of the document contains every informative word of the feature.
    """
    said = list(pairs)
    if verdict in {CellVerdict.UNREAD, CellVerdict.UNCOMPARED}:
        return Lamp.NONE
    if verdict in {CellVerdict.BELOW, CellVerdict.NONE} or not said:
        return Lamp.WORDS_ONLY if all_words_there else Lamp.NONE
    if any(stem_words(asked) & stem_words(met) for asked, met in said):
        return Lamp.NONE
    return Lamp.NO_SHARED_WORD


def list_lacking(row: MatrixRow) -> tuple[str, ...]:
    """Labels of the features that a document does not count as disclosing: what a further search is for."""
    return tuple(cell.feature for cell in row.cells if not cell.likely)
