"""Gradient boosting on vectors, one against the rest: histogram trees of scikit-learn on few directions.

Trees ask one number at a time and cost as many passes as there are dimensions, for each label. So vectors are
reduced to the directions of the greatest variance, and a label of few rows keeps its share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.tasks import TaskContext

DIRECTIONS = 48
LEAST = 20
"""Rows that a label needs for trees of its own; of fewer, every row gets the label's share."""
TREES, LEAVES, RATE = 60, 15, 0.1

Array = NDArray[np.float32]


def fit_boosting(
    vectors: Array,
    targets: NDArray[np.bool_],
    *,
    ensemble: Any,
    seed: int,
    context: TaskContext,
) -> Callable[[Array], NDArray[np.float64]]:
    """Fit on ``vectors`` [rows, dimensions]; what is returned gives probabilities [rows, labels].

    ``ensemble`` is ``sklearn.ensemble``, which the caller imports.
    """
    center, directions = principal_directions(vectors, DIRECTIONS)
    reduced = (vectors - center) @ directions
    counts, shares = targets.sum(axis=0), targets.mean(axis=0)
    models: dict[int, Any] = {}
    for label in np.flatnonzero((counts >= LEAST) & (counts < len(targets))).tolist():
        context.check()
        model = ensemble.HistGradientBoostingClassifier(
            max_iter=TREES, max_leaf_nodes=LEAVES, learning_rate=RATE, early_stopping=False, random_state=seed
        )
        models[label] = model.fit(reduced, targets[:, label])

    def predict(asked: Array) -> NDArray[np.float64]:
        found = np.tile(shares, (len(asked), 1))
        rows = (asked - center) @ directions
        for label, model in models.items():
            found[:, label] = model.predict_proba(rows)[:, 1]
        return found

    return predict


def principal_directions(vectors: Array, count: int) -> tuple[Array, Array]:
    """The mean [dimensions], and the directions [dimensions, at most count] of the greatest variance."""
    center = vectors.mean(axis=0)
    rows = (vectors - center).astype(np.float64)
    _, directions = np.linalg.eigh(rows.T @ rows)
    return center, directions[:, ::-1][:, :count].astype(np.float32)
