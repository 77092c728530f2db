"""From rulings on passages to the probability that a document discloses a feature, and to a verdict.

    z = max over the candidate passages i of (score_i + cosine * cos_i)
    p = 1 / (1 + exp(-(slope * z + offset)))

``cos_i`` is the cosine of the vectors of feature and passage. The numbers belong to one judge, fitted on
charts that it was not trained on, whatever their wording (docs/guide/verdicts.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from claimlight.judging.base import Judge


@dataclass(frozen=True, slots=True)
class Bounds:
    """The probabilities at which the verdict changes."""

    disclosed: float
    """From here on *disclosed*; above 1 for a judge whose precision never reaches what the word promises."""
    candidate: float
    """From here on *candidate*, below it *nothing near*."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How one judge's scores are read."""

    cosine: float
    slope: float
    offset: float
    bounds: Bounds
    candidates: int = 3
    """Most passages of a document that the judge reads for a feature; the numbers hold for that many."""
    fitted_on: str = ""
    """What the numbers were fitted on, in a few words."""
    first: Calibration | None = None
    """How fewer passages are read, if a judge reads only these at first and reads on in the best documents.

    It is fitted on that many passages: the best of a few is worth more than as good a one of many. None:
    `candidates` of every document."""

    @property
    def says_disclosed(self) -> bool:
        """Whether its verdict may be *disclosed*."""
        return self.bounds.disclosed <= 1.0

    @property
    def at_first(self) -> int:
        """Passages of every document that are read for a feature."""
        return self.candidates if self.first is None else self.first.candidates

    def after(self, passages: int) -> Calibration:
        """How scores are read after this many passages."""
        return self.first if self.first is not None and passages <= self.first.candidates else self

    def choose(self, scores: Sequence[float], cosines: Sequence[float]) -> int:
        """Index of the candidate passage that counts."""
        return max(range(len(scores)), key=lambda place: scores[place] + self.cosine * cosines[place])

    def probability(self, score: float, cosine: float) -> float:
        """Probability that the document discloses the feature, by its chosen passage."""
        x = self.slope * (score + self.cosine * cosine) + self.offset
        # exp of a large positive number overflows; of a large negative one it is 0.
        return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


UNCALIBRATED = Calibration(cosine=0.0, slope=1.0, offset=0.0, bounds=Bounds(disclosed=2.0, candidate=0.1))
"""For a judge that nobody has calibrated: its verdicts are never more than *candidate*."""


@dataclass(frozen=True, slots=True)
class CalibratedJudge:
    """A judge, how its scores are read, and who reads on."""

    judge: Judge
    calibration: Calibration = UNCALIBRATED
    second: CalibratedJudge | None = None
    """The judge that reads on in the best documents, by its own calibration; None: this one itself."""
    fault: str = ""
    """Why there is no second judge though the settings name one; else empty."""

    @property
    def reads_on(self) -> bool:
        """Whether more is read of the best documents."""
        return self.second is not None or self.calibration.at_first != self.calibration.candidates
