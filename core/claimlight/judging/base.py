"""The interface of judges, independent of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from claimlight.tasks import TaskContext


@dataclass(frozen=True, slots=True)
class Pair:
    """A feature of a claim and a passage of a document."""

    subject: str
    """Preamble of the claim: what the feature is a feature of."""
    feature: str
    passage: str
    language: str = ""
    """ISO 639-1, language of the passage; empty if unknown."""
    parts: tuple[str, ...] = ()
    """Parts of the passage that are read by themselves as well, by a judge that `Judge.reads_parts`: the best
    reading counts."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling of a judge on a pair."""

    score: float
    """Logit: higher where the passage discloses the feature more clearly; 0 is not a threshold."""
    terms: tuple[float, ...] = ()
    """For each word of the feature (`claimlight.judging.terms.words`) the probability that the passage meets
    it; empty if the judge does not say."""


class Judge(Protocol):
    """Rules on pairs; safe to share between threads."""

    @property
    def name(self) -> str:
        """Id and version, as cells record it: ``claim-judge 1``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes when any ruling may change."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages it reads; empty: any."""
        ...

    @property
    def reads_parts(self) -> bool:
        """Whether it reads the parts of pairs; a judge that does not ignores them."""
        ...

    def rule(self, pairs: Sequence[Pair], context: TaskContext) -> list[Ruling]:
        """A ruling for each pair, in their order."""
        ...
