"""The judge of a chart: that of the settings, or one that a plug-in adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from claimlight import plugins
from claimlight.errors import InputError, ResourceError
from claimlight.judging.base import Pair, Ruling
from claimlight.judging.calibration import Bounds, CalibratedJudge, Calibration
from claimlight.plugins import Group
from claimlight.tasks import TaskContext

_T = TypeVar("_T")
NO_JUDGE = "none"
"""Name that asks for match strengths alone."""
_GIVEN = Calibration(cosine=0.0, slope=1.0, offset=0.0, bounds=Bounds(disclosed=0.85, candidate=0.1))
"""A plug-in says probabilities, which are read as they are."""
# Beyond it a probability is 1 in double precision, and its logit infinite.
_SURE = 1.0 - 1e-12


@dataclass(frozen=True, slots=True)
class MatchPair:
    """A feature of a claim and a passage of a document."""

    feature: str
    passage: str
    language: str = ""
    """ISO 639-1, language of the passage; empty if unknown."""


class MatchJudge(Protocol):
    """Says how likely passages disclose features. Safe to call from several threads at once."""

    def judge(self, pairs: Sequence[MatchPair]) -> Sequence[float]:
        """The probability, 0 to 1, that the passage discloses the feature, for each pair in their order."""
        ...


JudgeFactory = Callable[[], MatchJudge]
"""What an entry point of ``claimlight.judges`` names; called once for each chart that asks for it."""


class PluginJudge:
    """A judge that a plug-in adds; whatever it raises becomes a `ResourceError` that names it."""

    languages: frozenset[str] = frozenset()
    reads_parts = False

    def __init__(self, name: str, title: str, factory: JudgeFactory) -> None:
        self.name = name
        self.fingerprint = f"plugin:{title}"
        self._title = title
        self._judge = self._guarded(factory)

    def rule(self, pairs: Sequence[Pair], context: TaskContext) -> list[Ruling]:
        """A ruling for each pair, in their order."""
        context.check()
        asked = [MatchPair(pair.feature, pair.passage, pair.language) for pair in pairs]
        found = self._guarded(lambda: _read_probabilities(self._judge.judge(asked), len(asked)))
        return [Ruling(_logit(value)) for value in found]

    def _guarded(self, work: Callable[[], _T]) -> _T:
        try:
            return work()
        except Exception as error:  # a program of somebody else
            raise ResourceError(f"{self._title} failed: {plugins.reason(error)}.") from error


def _read_probabilities(given: Sequence[float], count: int) -> list[float]:
    found = [float(value) for value in given]
    if len(found) != count:
        raise ValueError(f"{len(found)} values for {count} pairs")
    # NaN fails this comparison too.
    if not all(0.0 <= value <= 1.0 for value in found):
        raise ValueError("a value is not between 0 and 1")
    return found


def _logit(probability: float) -> float:
    sure = min(max(probability, 1.0 - _SURE), _SURE)
    return math.log(sure / (1.0 - sure))


def open_plugin_judge(name: str) -> CalibratedJudge:
    """The judge that a plug-in adds under a name.

    `InputError` if there is none, `ResourceError` if it can't be opened.
    """
    loaded = plugins.load_group(Group.JUDGES)
    for item in loaded.plugins:
        if item.name == name:
            return CalibratedJudge(PluginJudge(name, item.title, item.value), _GIVEN)
    known = ", ".join(item.name for item in loaded.plugins) or "none"
    raise InputError(" ".join((f"There is no judge {name!r}; installed: {known}.", *loaded.faults)))
