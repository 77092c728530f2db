"""F1 of label sets: micro, macro, the mean over documents, and of each label.

Every value is 0 where its denominator is: a label that is never given has no precision, and its F1 is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.evaluation.report import Figure, mean_figure
from claimlight.lab.diagnostics.probes import Targets

RESAMPLES = 2000
"""Draws of documents behind an interval of micro and macro F1."""
_BLOCK = 256

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Right, wrong and missed labels; [labels], or [draws, labels]."""

    right: Array
    wrong: Array
    missed: Array

    @property
    def precision(self) -> Array:
        """Share of the given labels that are right."""
        return _share(self.right, self.right + self.wrong)

    @property
    def recall(self) -> Array:
        """Share of the true labels that were given."""
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> Array:
        """``2 right / (2 right + wrong + missed)``."""
        return _share(2.0 * self.right, 2.0 * self.right + self.wrong + self.missed)

    @property
    def support(self) -> Array:
        """Documents that have the label."""
        return self.right + self.missed

    @property
    def together(self) -> Counted:
        """All labels as one, which the micro averages are of."""
        return Counted(self.right.sum(axis=-1), self.wrong.sum(axis=-1), self.missed.sum(axis=-1))

    @property
    def macro(self) -> Array:
        """Mean F1 of the labels that some document has; one that none has can only be given wrongly."""
        there = self.support > 0
        return _share((self.f1 * there).sum(axis=-1), there.sum(axis=-1).astype(np.float64))


def count_answers(truth: Targets, given: Targets, weights: Array | None = None) -> Counted:
    """Counts of [documents, labels]; ``weights`` [draws, documents]: how often each document was drawn."""
    parts = (truth & given, given & ~truth, truth & ~given)
    if weights is None:
        right, wrong, missed = (part.sum(axis=0).astype(np.float64) for part in parts)
    else:
        right, wrong, missed = (weights @ part.astype(np.float64) for part in parts)
    return Counted(right, wrong, missed)


def instance_f1(truth: Targets, given: Targets) -> Array:
    """``2 |Y and P| / (|Y| + |P|)`` of each document, [documents]."""
    return _share(2.0 * (truth & given).sum(axis=1), truth.sum(axis=1).astype(np.float64) + given.sum(axis=1))


def figures(
    truth: Targets, given: Targets, *, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[Figure, ...]:
    """Micro, macro and instance-average F1 with 95 % intervals over the documents.

    Precision and recall are micro; ``support`` counts the labels of all documents.
    """
    # A label that no document has and none was given changes no figure; among groups most are such.
    concerned = (truth | given).any(axis=0)
    truth, given = truth[:, concerned], given[:, concerned]
    found = count_answers(truth, given)
    micro, macro = _intervals(
        truth, given, (lambda item: item.together.f1, lambda item: item.macro), seed, resamples
    )
    return (
        Figure("micro F1", float(found.together.f1), *micro),
        Figure("macro F1", float(found.macro), *macro),
        mean_figure("instance F1", instance_f1(truth, given)),
        Figure("P", float(found.together.precision)),
        Figure("R", float(found.together.recall)),
        Figure("support", float(found.support.sum()), whole=True),
    )


def label_figures(truth: Targets, given: Targets) -> list[tuple[Figure, ...]]:
    """Precision, recall, F1 and support of each label, in their order."""
    found = count_answers(truth, given)
    columns = zip(found.precision, found.recall, found.f1, found.support, strict=True)
    return [
        (
            Figure("P", float(precision)),
            Figure("R", float(recall)),
            Figure("F1", float(f1)),
            Figure("support", float(support), whole=True),
        )
        for precision, recall, f1, support in columns
    ]


def _intervals(
    truth: Targets,
    given: Targets,
    measures: Sequence[Callable[[Counted], Array]],
    seed: int,
    resamples: int,
) -> list[tuple[float, float]]:
    """95 % percentile intervals: documents are drawn with replacement, as many as there are."""
    rng, count = np.random.default_rng(seed), len(truth)
    values = np.empty((len(measures), resamples))
    # In blocks: weights are [draws, documents] in fp64.
    for begin in range(0, resamples, _BLOCK):
        many = min(_BLOCK, resamples - begin)
        # Drawing with replacement as how often each document comes: one matrix product counts for all draws.
        weights = np.stack(
            [np.bincount(rng.integers(count, size=count), minlength=count) for _ in range(many)]
        ).astype(np.float64)
        drawn = count_answers(truth, given, weights)
        for row, measure in enumerate(measures):
            values[row, begin : begin + many] = measure(drawn)
    low, high = np.percentile(values, (2.5, 97.5), axis=1)
    return [(float(low[row]), float(high[row])) for row in range(len(measures))]


def _share(part: Array | NDArray[np.int64], whole: Array) -> Array:
    # 0/0 is 0 here, as scikit-learn has it by default.
    share: Array = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)
    return share
