"""A classifier: experts on the vectors of an encoder, and how their scores become probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.classify.decoding import Probabilities, make_consistent
from claimlight.classify.heads import Head, Neighbours, Vectors
from claimlight.classify.labels import LabelSpace
from claimlight.classify.mixture import Mixture


@dataclass(frozen=True, slots=True)
class Voter:
    """A document that lies near a text."""

    publication: str
    cosine: float
    labels: tuple[str, ...]
    """Its labels at all levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """Reads unit vectors of one encoder; safe to share between threads."""

    space: LabelSpace
    heads: tuple[Head, ...]
    mixture: Mixture
    thresholds: NDArray[np.float64]
    """[labels] probability from which on a class is suggested."""
    documents: tuple[str, ...] = ()
    """Publication number of each row that votes."""

    def probabilities(self, vectors: Vectors) -> Probabilities:
        """[texts, labels], calibrated; no class is likelier than the one above it."""
        scores = [head.scores(vectors) for head in self.heads]
        return make_consistent(self.mixture.probabilities(scores, self.space), self.space)

    def probability(self, vectors: Vectors) -> NDArray[np.float64]:
        """[labels] of one document that is read in several texts, [texts, dimensions]: their mean."""
        mean: NDArray[np.float64] = self.probabilities(vectors).mean(axis=0)
        return mean

    def voters(self, vectors: Vectors) -> tuple[Voter, ...]:
        """The documents that vote on texts [texts, dimensions], the nearest first, each once."""
        head = self._neighbours
        if head is None or not self.documents:
            return ()
        nearest = head.nearest(vectors)
        best: dict[int, float] = {}
        for row, cosine in zip(nearest.rows.ravel().tolist(), nearest.cosines.ravel().tolist(), strict=True):
            best[row] = max(cosine, best.get(row, -1.0))
        found: dict[str, Voter] = {}
        for row in sorted(best, key=lambda row: (-best[row], row)):
            codes = head.codes[head.starts[row] : head.starts[row + 1]]
            labels = tuple(self.space.labels[code] for code in codes.tolist())
            found.setdefault(self.documents[row], Voter(self.documents[row], best[row], labels))
        return tuple(found.values())

    @property
    def _neighbours(self) -> Neighbours | None:
        return next((head for head in self.heads if isinstance(head, Neighbours)), None)
