"""What an acceptance of an engine found: one outcome for each step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AcceptanceStep(StrEnum):
    """The steps, in their order."""

    CONTRACT = "contract"
    LOAD = "load"
    RECALL = "recall"
    LATENCY = "latency"
    FAILOVER = "failover"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class AcceptanceOutcome:
    """The outcome of a step."""

    step: AcceptanceStep
    passed: bool
    says: str
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class AcceptanceReport:
    """The outcomes of an acceptance, and what it ran against."""

    engine: str
    """Name and version of the engine."""
    documents: int
    passages: int
    """Passage pieces of each document."""
    outcomes: tuple[AcceptanceOutcome, ...]
    left: str = ""
    """Why what was loaded is still in the engine; empty if it was removed, or kept on demand."""

    @property
    def passed(self) -> bool:
        """Whether every step passed."""
        return all(outcome.passed for outcome in self.outcomes)
