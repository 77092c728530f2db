"""The days that make prior art of a document, or keep it from being that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Zone(StrEnum):
    """What a document's dates make of it against an application (EPC Art. 54(2), 54(3); Guidelines G-IV)."""

    PRIOR = "prior art"
    """Published before the earliest priority: full prior art."""
    P = "P"
    """Published from the priority on, before the filing: prior art if the priority does not hold."""
    E = "E"
    """Published on or after the filing, but filed or with a priority before it: novelty only."""
    LATER = "later"
    """No prior art."""
    UNKNOWN = "unknown"
    """Its publication date, or every date to compare with, is missing."""


@dataclass(frozen=True, slots=True)
class ClaimPriority:
    """The priority date that one claim enjoys; None where it enjoys none."""

    claim: int
    priority: date | None


@dataclass(frozen=True, slots=True)
class ReferenceDates:
    """The dates of the application under examination."""

    filed: date | None = None
    priority: date | None = None
    """The earliest priority claimed."""
    verified: bool = True
    """Whether the priority was found valid; if not, the filing date counts for every claim."""
    claims: tuple[ClaimPriority, ...] = ()
    """Claims whose priority is another than `priority`."""

    def relevant(self, claim: int = 0) -> date | None:
        """The earliest day that counts for a claim; 0 stands for all claims."""
        own = next((item for item in self.claims if item.claim == claim), None)
        chosen = own.priority if own is not None else self.priority
        return chosen if self.verified and chosen is not None else self.filed
