"""Probes: small classifiers on vectors that stay as they are, and how rows are split for them.

A probe says what a representation holds: nearest neighbours ask what lies close, the others what a plane (or
one hidden layer) can tell apart. Labels are a matrix of truth values [rows, labels], several to a row; a task
with one label to a row has `one_label`. scikit-learn fits planes of few labels and trees; planes of many,
neighbours and layers are ours, the LSTM is torch's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError, ResourceError
from claimlight.lab.diagnostics.boosting import fit_boosting
from claimlight.lab.diagnostics.chunk_lstm import fit_chunk_lstm
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.planes import fit_planes
from claimlight.training.classifiers.splits import Split, split_rows
from claimlight.training.classifiers.two_layers import fit_two_layers
from claimlight.vectors import unit_rows

Vectors = NDArray[np.float32]
"""[rows, dimensions]."""
Targets = NDArray[np.bool_]
"""[rows, labels]."""
Scores = NDArray[np.float64]
"""[rows, labels]; the greater, the surer."""

_BLOCK = 1 << 24
"""Cosines held at once."""
_SMALL = 1 << 20
"""Numbers in the vectors from which on layers are fitted by several threads."""
_CHUNKED = 3
"""Axes of vectors of chunks."""
_MANY = 4
"""Labels from which on planes are fitted all at once; up to then scikit-learn fits one after the other."""


class ProbeKind(StrEnum):
    """What is fitted on the vectors."""

    LOGISTIC = "logistic"
    """Logistic regression, one against the rest; scores are probabilities."""
    KNN = "knn"
    """The share of the nearest neighbours that carry a label."""
    SVM = "svm"
    """Linear support vectors, one against the rest; scores are distances from the plane."""
    MLP = "mlp"
    """Two layers: 1,024 rectified units, binary cross-entropy, Adam (PatentMap, section 5.2)."""
    BOOSTING = "boosting"
    """Gradient boosted trees, one against the rest, on the first principal directions."""
    LSTM = "lstm"
    """A recurrent layer over the chunks of a document, vectors [rows, chunks, dimensions]."""

    @property
    def probable(self) -> bool:
        """Whether scores are meant as probabilities."""
        return self is not ProbeKind.SVM

    @property
    def cut(self) -> float:
        """From this score on a label is given, where no better threshold was learned."""
        return 0.0 if self is ProbeKind.SVM else 0.5


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """A probe with its parameters; those of other kinds are not looked at."""

    kind: ProbeKind = ProbeKind.LOGISTIC
    neighbours: int = 10
    strength: float = 1.0
    """C of logistic regression and support vectors: the smaller, the stronger the regularisation."""
    iterations: int = 10_000
    """At most, of logistic regression and support vectors."""
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A fitted probe."""

    settings: ProbeSettings
    predict: Callable[[Vectors], Scores]

    def scores(self, vectors: Vectors) -> Scores:
        """[rows, labels] for [rows, dimensions]."""
        return self.predict(vectors)


def fit(vectors: Vectors, targets: Targets, settings: ProbeSettings, context: TaskContext) -> Probe:
    """Fit one probe for all labels.

    A label that every row carries, or none, keeps that answer. No rows at all are an `InputError`.
    """
    if not vectors.shape[0]:  # a sparse matrix has no length
        raise InputError("There is no document to learn from.")
    if settings.kind is ProbeKind.KNN:
        return Probe(settings, lambda asked: _votes(vectors, targets, asked, settings.neighbours))
    if settings.kind is ProbeKind.MLP:
        return _two_layers(vectors, targets, settings, context)
    if settings.kind is ProbeKind.LSTM:
        if vectors.ndim != _CHUNKED:
            raise InputError("The LSTM reads the chunks of documents, and here each has one vector.")
        return Probe(settings, fit_chunk_lstm(vectors, targets, seed=settings.seed, context=context))
    if settings.kind is ProbeKind.BOOSTING:
        return _boosting(vectors, targets, settings, context)
    if targets.shape[1] > _MANY and isinstance(vectors, np.ndarray):
        return _joint_planes(vectors, targets, settings, context)
    make = _logistic if settings.kind is ProbeKind.LOGISTIC else _support_vectors
    planes = []
    with _one_thread():
        for label in range(targets.shape[1]):
            context.check()
            planes.append(_plane(vectors, targets[:, label], make(settings)))
    return Probe(settings, lambda asked: _all_planes(planes, asked))


def nearest(train: Vectors, asked: Vectors, count: int) -> NDArray[np.int64]:
    """[rows asked, count]: places in ``train`` by falling cosine, equal ones by place; by brute force.

    There are fewer columns where ``train`` has fewer rows.
    """
    count = min(count, len(train))
    found = np.empty((len(asked), count), dtype=np.int64)
    base, other = unit_rows(train), unit_rows(asked)
    step = max(1, _BLOCK // max(1, len(train)))
    for begin in range(0, len(asked), step):
        cosines = other[begin : begin + step] @ base.T
        found[begin : begin + step] = _best(cosines, count)
    return found


def one_label(
    train: Vectors, labels: Sequence[str], asked: Vectors, settings: ProbeSettings | None = None
) -> tuple[str, ...]:
    """The likeliest label of each row asked: multinomial logistic regression by L-BFGS.

    Fewer than two labels are an `InputError`.
    """
    if len(set(labels)) < 2:
        raise InputError("A classifier needs documents of at least two labels to learn from.")
    model = _logistic(settings or ProbeSettings()).fit(train, list(labels))
    return tuple(str(label) for label in model.predict(asked))


def split_by_label(labels: Sequence[str], share: float, *, seed: int) -> Split:
    """Every label gives ``share`` of its rows to the test, to the nearest whole row (half up), at random.

    A label with two rows or more keeps at least one to fit on.
    """
    rng = np.random.default_rng(seed)
    chosen = np.zeros(len(labels), dtype=np.bool_)
    places = np.asarray(labels)
    for label in sorted(set(labels)):
        rows = rng.permutation(np.flatnonzero(places == label))
        count = int(np.floor(share * len(rows) + 0.5))
        chosen[rows[: min(count, len(rows) - 1) if len(rows) > 1 else count]] = True
    return split_rows(chosen)


def _best(cosines: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Columns of the greatest values of each row, in falling order, equal ones by place."""
    rows = np.arange(len(cosines))[:, None]
    part = np.sort(np.argpartition(-cosines, count - 1, axis=1)[:, :count], axis=1)
    found = cosines[rows, part]
    best: NDArray[np.int64] = part[rows, np.argsort(-found, axis=1, kind="stable")]
    tied = (cosines >= found.min(axis=1, keepdims=True)).sum(axis=1) > count
    best[tied] = np.argsort(-cosines[tied], axis=1, kind="stable")[:, :count]
    return best


def _votes(train: Vectors, targets: Targets, asked: Vectors, count: int) -> Scores:
    votes = np.zeros((len(asked), targets.shape[1]), dtype=np.float64)
    for row, near in enumerate(nearest(train, asked, count)):
        votes[row] = targets[near].mean(axis=0)
    return votes


@dataclass(frozen=True, slots=True, eq=False)
class _Plane:
    """``vectors @ normal + offset``, as a probability where it is one."""

    normal: NDArray[np.float64]
    offset: float
    probability: bool


def _plane(vectors: Vectors, carried: NDArray[np.bool_], model: Any) -> _Plane:
    probability = hasattr(model, "predict_proba")
    if carried.all() or not carried.any():
        sure = np.inf if carried.all() else -np.inf
        return _Plane(np.zeros(vectors.shape[1]), sure, probability)
    model.fit(vectors, carried)
    return _Plane(np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0]), probability)


def _all_planes(planes: Sequence[_Plane], asked: Vectors) -> Scores:
    normals = np.stack([plane.normal for plane in planes], axis=1)
    distances: Scores = asked.astype(np.float64) @ normals + np.array([plane.offset for plane in planes])
    if planes[0].probability:
        with np.errstate(over="ignore"):
            return 1.0 / (1.0 + np.exp(-distances))
    return distances


def _logistic(settings: ProbeSettings) -> Any:
    return _library("linear_model").LogisticRegression(
        C=settings.strength, max_iter=settings.iterations, random_state=settings.seed
    )


def _support_vectors(settings: ProbeSettings) -> Any:
    return _library("svm").LinearSVC(
        C=settings.strength, max_iter=settings.iterations, random_state=settings.seed
    )


def _two_layers(vectors: Vectors, targets: Targets, settings: ProbeSettings, context: TaskContext) -> Probe:
    with _one_thread() if vectors.size < _SMALL else nullcontext():
        model = fit_two_layers(vectors, targets, seed=settings.seed, context=context)
    always, never = targets.all(axis=0), ~targets.any(axis=0)

    def predict(asked: Vectors) -> Scores:
        found = model.scores(asked)
        found[:, always], found[:, never] = 1.0, 0.0
        return found

    return Probe(settings, predict)


def _boosting(vectors: Vectors, targets: Targets, settings: ProbeSettings, context: TaskContext) -> Probe:
    ensemble = _library("ensemble")
    with _one_thread():
        model = fit_boosting(vectors, targets, ensemble=ensemble, seed=settings.seed, context=context)
    return Probe(settings, model)


def _joint_planes(vectors: Vectors, targets: Targets, settings: ProbeSettings, context: TaskContext) -> Probe:
    logistic = settings.kind is ProbeKind.LOGISTIC
    planes = fit_planes(vectors, targets, strength=settings.strength, logistic=logistic, context=context)

    def predict(asked: Vectors) -> Scores:
        found = planes.distances(asked)
        with np.errstate(over="ignore"):
            return 1.0 / (1.0 + np.exp(-found)) if logistic else found

    return Probe(settings, predict)


def _one_thread() -> AbstractContextManager[Any]:
    """For small steps: threads would wait for one another far longer than they compute."""
    limits: AbstractContextManager[Any] = import_sklearn("threadpoolctl").threadpool_limits(1)
    return limits


def _library(module: str) -> Any:
    return import_sklearn(f"sklearn.{module}")


def import_sklearn(module: str = "sklearn") -> Any:
    """scikit-learn, or what it brings; a missing one is a `ResourceError` that names the extra.

    Called before texts are encoded as well, so that nobody learns of it after hours.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise ResourceError("Probes and clusters need scikit-learn: install claimlight[lab].") from error
