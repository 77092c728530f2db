"""Fits probes at one level and gives labels by every wanted threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.lab.diagnostics.probes import ProbeSettings, Scores, Targets, Vectors, fit
from claimlight.lab.papers.cpc.levels import Labelled, Level, as_matrix
from claimlight.lab.papers.cpc.thresholds import FOLDS, Threshold, learn_cuts, score_held_back
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.splits import Split, by_group


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Labels that a system gave some documents at a level."""

    rows: tuple[int, ...]
    """Places of the documents; empty where they have none."""
    truth: Labelled
    given: Targets


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of a system at a level, before labels are given."""

    labelled: Labelled
    """Every label of the level that some document has."""
    fitted: NDArray[np.int64]
    """Places in ``labelled`` of the labels that can be given."""
    split: Split
    held_back: Scores | None
    """[training documents, fitted labels] by systems that have not seen the document's family."""
    test: Scores
    """[tested documents, fitted labels]."""
    cut: float = 0.5
    """Where no threshold is learned."""
    probable: bool = True
    """Whether scores are meant as probabilities."""

    @property
    def train_targets(self) -> Targets:
        """[training documents, fitted labels]."""
        return self.labelled.targets[np.ix_(self.split.train, self.fitted)]

    @property
    def truth(self) -> Labelled:
        """What the tested documents have, of all labels."""
        return Labelled(self.labelled.labels, self.labelled.targets[self.split.test])

    def all_labels(self, values: NDArray[Any], missing: Any) -> NDArray[Any]:
        """[tested documents, fitted labels] as [tested documents, all labels]."""
        found = np.full((len(values), len(self.labelled.labels)), missing, dtype=values.dtype)
        found[:, self.fitted] = values
        return found


@dataclass(frozen=True, slots=True, eq=False)
class SectionAnswers:
    """Labels that the classifier of one section gave its documents, by threshold."""

    section: str
    answers: tuple[Answer, ...]


class Runner:
    """Probes on documents with label sets of one level."""

    def __init__(
        self,
        sets: Sequence[frozenset[str]],
        groups: Sequence[str],
        thresholds: Sequence[Threshold],
        context: TaskContext,
        *,
        least: int = 1,
        parts: int = FOLDS,
        always_hold_back: bool = False,
    ) -> None:
        """A label of fewer than ``least`` training documents is never given.

        ``parts`` of the training side are held back in turn, if thresholds are learned, or in any case.
        """
        self.labelled = as_matrix(sets)
        self._groups = groups
        self._thresholds = thresholds
        self._context = context
        self._least = least
        self._parts = parts
        self._hold_back = always_hold_back or any(item is not Threshold.FIXED for item in thresholds)

    def fitted(self, split: Split, labelled: Labelled | None = None) -> NDArray[np.int64]:
        """Places of the labels that have enough training documents."""
        counts = (labelled or self.labelled).targets[split.train].sum(axis=0)
        return np.flatnonzero(counts >= self._least)

    def score(
        self, vectors: Vectors, split: Split, probe: ProbeSettings, labelled: Labelled | None = None
    ) -> Scored:
        """One classifier of all labels."""
        labelled = labelled or self.labelled
        fitted = self.fitted(split, labelled)
        train, targets = vectors[split.train], labelled.targets[np.ix_(split.train, fitted)]
        held_back: Scores | None = None
        if self._hold_back:
            groups = self.train_groups(split)
            # Once for all thresholds: it fits a probe for each part.
            held_back = score_held_back(train, targets, groups, probe, self._context, parts=self._parts)
        scores = fit(train, targets, probe, self._context).scores(vectors[split.test])
        return Scored(labelled, fitted, split, held_back, scores, probe.kind.cut, probe.kind.probable)

    def train_groups(self, split: Split) -> list[str]:
        """Families of the training side."""
        return [self._groups[row] for row in split.train]

    def answers(self, scored: Scored) -> tuple[Answer, ...]:
        """An answer for each threshold."""
        rows = tuple(int(row) for row in scored.split.test)
        return tuple(
            Answer(
                rows, scored.truth, scored.all_labels(scored.test >= self._cuts(item, scored), missing=False)
            )
            for item in self._thresholds
        )

    def whole(self, vectors: Vectors, split: Split, probe: ProbeSettings) -> tuple[Answer, ...]:
        """One classifier of all labels; an answer for each threshold."""
        return self.answers(self.score(vectors, split, probe))

    def inside(
        self, vectors: Vectors, split: Split, probe: ProbeSettings, *, share: float, seed: int
    ) -> Iterator[SectionAnswers]:
        """A classifier for each section, among the documents of that section that are fitted on.

        A section that has no two labels, or a side of it that is empty, is skipped.
        """
        for section in sorted({label[0] for label in self.labelled.labels}):
            own = self.labelled.only(section)
            # Only of the training side, as in the paper: the test side of the whole is never looked at here.
            rows = split.train[own.targets[split.train].any(axis=1)]
            sides = by_group([self._groups[row] for row in rows], share, seed=seed)
            inner = Split(rows[sides.train], rows[sides.test])
            if len(inner.test) and len(self.fitted(inner, own)) > 1:
                yield SectionAnswers(section, self.answers(self.score(vectors, inner, probe, own)))

    def prior(self, split: Split) -> Scored:
        """The share of each label on the training side, for every document."""
        fitted = self.fitted(split)
        targets = self.labelled.targets[np.ix_(split.train, fitted)]
        shares = np.tile(targets.mean(axis=0), (len(targets), 1))
        test = np.tile(targets.mean(axis=0), (len(split.test), 1))
        return Scored(self.labelled, fitted, split, shares, test)

    def given_by_one(self, scored: Scored) -> Answer:
        """The answer of one learned threshold."""
        runner = Runner((), (), (Threshold.ONE,), self._context)
        return runner.answers(scored)[0]

    def _cuts(self, threshold: Threshold, scored: Scored) -> NDArray[np.float64]:
        if threshold is Threshold.FIXED or scored.held_back is None:
            return np.full(len(scored.fitted), scored.cut)
        return learn_cuts(scored.held_back, scored.train_targets, threshold)


def cap(child: Scored, parent: Scored, level: Level) -> Scored:
    """The same with no label more probable than its parent, which ``parent`` scores at ``level``.

    A label whose parent is not scored keeps its probability.
    """
    place = {parent.labelled.labels[item]: column for column, item in enumerate(parent.fitted)}
    columns = np.array([place.get(level.label(child.labelled.labels[item]), -1) for item in child.fitted])
    known = columns >= 0

    def capped(own: Scores, rows: NDArray[np.int64], above: Scores, held: NDArray[np.int64]) -> Scores:
        found = own.copy()
        # Whoever has a label has its parent: the documents of a level are among those of the level above.
        limits = above[np.searchsorted(held, rows)][:, columns[known]]
        found[:, known] = np.minimum(own[:, known], limits)
        return found

    held_back = child.held_back
    if held_back is not None and parent.held_back is not None:
        held_back = capped(held_back, child.split.train, parent.held_back, parent.split.train)
    test = capped(child.test, child.split.test, parent.test, parent.split.test)
    return replace(child, held_back=held_back, test=test)


def with_labels(split: Split, sets: Sequence[frozenset[str]], level: Level) -> Split:
    """The sides without documents that have no label at a level."""
    sides = (split.train, split.test)
    train, test = (np.array([row for row in side if sets[row]], dtype=np.int64) for side in sides)
    if len(train) < 2 or not len(test):
        raise InputError(
            f"Of the documents that have a {level}, {len(train):,} are there to fit on and {len(test):,} to "
            "test: too few. Give more documents, or a larger share to the test."
        )
    return Split(train, test)
