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

    Strengths are compared to six decimals.
    ``scores`` and ``strength`` [P] are those of the feature alone; the passages of document d are
    ``first[d]:first[d + 1]``, ``first`` [D + 1].
    """
    known = np.ones(len(scores), dtype=np.bool_)
    best, _ = choose_waiting(scores, strength, first, offered=known, settled=known, many=1)
    return best


def choose_waiting(
    scores: NDArray[np.float64],
    strength: NDArray[np.float64],
    first: NDArray[np.int64],
    *,
    offered: NDArray[np.bool_],
    settled: NDArray[np.bool_],
    many: int,
) -> tuple[BestPassages, NDArray[np.int64]]:
    """As `choose_passages`, of the ``offered`` passages, while most strengths are upper bounds.

    The strength of a ``settled`` passage is known, any other can only turn out lower. Also returns the
    passages to settle next: of each document up to ``many`` that come before its best settled one.
    """
    from claimlight.index import forward_kernels

    row, waiting = forward_kernels.choose_rows(scores, strength, offered, settled, first, many)
    found = row >= 0
    if not len(scores):
        return BestPassages(row, np.zeros(len(row)), np.zeros(len(row))), waiting
    at = np.maximum(row, 0)
    return BestPassages(row, np.where(found, strength[at], 0.0), np.where(found, scores[at], 0.0)), waiting


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
