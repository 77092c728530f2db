"""BM25 of words in passages: the part of the score that depends on the passage alone.

    tf * (k1 + 1) / (tf + k1 * (1 - b + b * words / average))

FTS5 computes it when it is asked; an engine keeps it in the vectors of passages, and the query has the idf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.index.backend import SparseRows
from claimlight.retrieval.passage_scores import K1, B

if TYPE_CHECKING:
    from claimlight.store.postgres.words import PassageStems


def saturate(
    counts: NDArray[np.int64], lengths: NDArray[np.int64], average_words: float
) -> NDArray[np.float64]:
    """The part of a word [n] that occurs ``counts`` times in a passage of ``lengths`` words."""
    norm = K1 * (1.0 - B + B * lengths / average_words)
    weights: NDArray[np.float64] = counts * (K1 + 1.0) / (counts + norm)
    return weights


def bm25_rows(stems: PassageStems, average_words: float) -> SparseRows:
    """The vectors of passages over the numbers of their stems."""
    lengths = np.repeat(stems.lengths, np.diff(stems.offsets))
    weights = saturate(stems.counts, lengths, average_words)
    return SparseRows(stems.offsets, stems.stems, weights.astype(np.float32))
