"""What suggestions in order of their scores are worth: precision at k, calibration, coverage at a confidence.

``P@k`` is the number of right labels among the first k, divided by k, also where a document has fewer labels
than k; ``P@1`` is the share of documents whose first suggestion is right. ``ECE`` is the mean gap between
probability and share of right ones in ten bins of equal width, weighted by how many fall into each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.evaluation.report import Figure
from claimlight.lab.diagnostics.probes import Scores, Targets

RANKS = (1, 3, 5)
CONFIDENCES = (0.5, 0.7, 0.9)
BINS = 10
RESAMPLES = 2000
_FROM = 0.1
"""Least probability of the pairs in the second calibration error: nearly all others are far below and
rightly so, which would make any system look calibrated."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """First suggestions of about one probability."""

    low: float
    high: float
    documents: int
    probability: float
    """Mean."""
    right: float
    """Share."""


def best_labels(scores: Scores, common: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """[documents, at most count] labels by falling score; of equal ones the more common goes first.

    ``common`` counts the training documents of each label.
    """
    order = np.argsort(-common, kind="stable")
    ranked: NDArray[np.int64] = order[np.argsort(-scores[:, order], axis=1, kind="stable")[:, :count]]
    return ranked


def rank_figures(
    truth: Targets, scores: Scores, common: NDArray[np.int64], *, seed: int = 1
) -> tuple[Figure, ...]:
    """``P@1``, ``P@3``, ``P@5``, and ``R@5``: the mean share of a document's labels among its first five.

    Intervals are over documents. A label that was never fitted has the score minus infinity.
    """
    first = best_labels(scores, common, max(RANKS))
    right = np.take_along_axis(truth, first, axis=1) & np.isfinite(np.take_along_axis(scores, first, axis=1))
    counts: Array = np.cumsum(right, axis=1, dtype=np.float64)
    ranks = [min(k, right.shape[1]) - 1 for k in RANKS]
    found = [_mean_figure(f"P@{k}", counts[:, rank] / k, seed) for k, rank in zip(RANKS, ranks, strict=True)]
    shares = counts[:, -1] / truth.sum(axis=1)
    return (*found, _mean_figure(f"R@{max(RANKS)}", shares, seed))


def confidence_figures(truth: Targets, scores: Scores, *, seed: int = 1) -> tuple[Figure, ...]:
    """Calibration errors, and at each confidence the documents covered and the precision there.

    ``ECE first`` is of each document's most probable label, ``ECE from 0.1`` of all labels of that
    probability and above. ``cover .7`` is the share of documents that have a label of 0.7 and above,
    ``P .7`` the share of right ones among all such labels. 95 % intervals draw documents.
    """
    sure = np.where(np.isfinite(scores), scores, 0.0)
    first = sure.argmax(axis=1)[:, None]
    one = np.zeros(truth.shape, dtype=np.bool_)
    np.put_along_axis(one, first, values=True, axis=1)
    found = [
        _figure(f"ECE {name}", _by_bin(truth, sure, kept), _gap, seed)
        for name, kept in (("first", one), ("from 0.1", sure >= _FROM))
    ]
    for least in CONFIDENCES:
        given, short = sure >= least, f"{least:.1f}".lstrip("0")
        columns = np.stack([(truth & given).sum(axis=1), given.sum(axis=1)], axis=1).astype(np.float64)
        found.append(_mean_figure(f"cover {short}", np.asarray(given.any(axis=1)), seed))
        found.append(_figure(f"P {short}", columns, _ratio, seed))
    return tuple(found)


def first_bins(truth: Targets, scores: Scores) -> Iterator[Bin]:
    """The first suggestion of each document by its probability, in ten bins; empty ones are skipped."""
    sure = np.where(np.isfinite(scores), scores, 0.0)
    first = sure.argmax(axis=1)
    rows = np.arange(len(first))
    bins = _bin(sure[rows, first])
    for number in range(BINS):
        own = bins == number
        if own.any():
            yield Bin(
                number / BINS,
                (number + 1) / BINS,
                int(own.sum()),
                float(sure[rows, first][own].mean()),
                float(truth[rows, first][own].mean()),
            )


def _bin(probabilities: Array) -> NDArray[np.int64]:
    return np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)


def _by_bin(truth: Targets, sure: Scores, kept: Targets) -> Array:
    """[documents, 3 · bins]: labels of each document in a bin, their probabilities, the right ones."""
    bins = _bin(sure)
    sums = np.zeros((3, len(sure), BINS))
    for number in range(BINS):
        own = kept & (bins == number)
        sums[0, :, number] = own.sum(axis=1)
        sums[1, :, number] = (sure * own).sum(axis=1)
        sums[2, :, number] = (truth & own).sum(axis=1)
    return np.concatenate(sums, axis=1)


def _gap(sums: Array) -> Array:
    """Calibration error of summed ``_by_bin`` columns [draws, 3 · bins]."""
    count, sure, right = np.split(sums, 3, axis=-1)
    whole = count.sum(axis=-1)
    gaps = np.abs(sure - right).sum(axis=-1)
    error: Array = np.divide(gaps, whole, out=np.zeros_like(gaps), where=whole > 0)
    return error


def _ratio(sums: Array) -> Array:
    right, given = sums[..., 0], sums[..., 1]
    share: Array = np.divide(right, given, out=np.zeros_like(right), where=given > 0)
    return share


def _mean_figure(name: str, values: NDArray[Any], seed: int) -> Figure:
    """The mean over documents of ``values`` [documents]."""
    each = np.asarray(values, dtype=np.float64)
    return _figure(name, np.stack([each, np.ones(len(each))], axis=1), _ratio, seed)


def _figure(name: str, columns: Array, measure: Callable[[Array], Array], seed: int) -> Figure:
    """A measure of column sums, with the interval over documents drawn with replacement."""
    low, high = np.percentile(measure(_draws(len(columns), seed) @ columns), (2.5, 97.5))
    return Figure(name, float(measure(columns.sum(axis=0))), float(low), float(high))


@lru_cache(maxsize=2)
def _draws(count: int, seed: int) -> Array:
    """[draws, documents] how often each document was drawn: one matrix product measures all draws."""
    rng = np.random.default_rng(seed)
    rows = [np.bincount(rng.integers(count, size=count), minlength=count) for _ in range(RESAMPLES)]
    return np.stack(rows).astype(np.float64)


def bin_figures(bins: Sequence[Bin]) -> list[tuple[str, tuple[Figure, ...]]]:
    """By name of the bin: documents, mean probability, share of right ones."""
    return [
        (
            f"{item.low:.1f}–{item.high:.1f}",
            (
                Figure("first suggestions", float(item.documents), whole=True),
                Figure("mean probability", item.probability),
                Figure("share right", item.right),
            ),
        )
        for item in bins
    ]
