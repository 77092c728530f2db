"""What ties documents together: families, citations both ways, and the dates that make prior art of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from core.types.patents import Origin, Priority, PublicationNumber
from core.types.results import PatentSummary


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


class Stage(StrEnum):
    """What a publication is in the life of its application."""

    APPLICATION = "application"
    GRANT = "grant"
    SEARCH_REPORT = "search report"
    CORRECTION = "correction"
    TRANSLATION = "translation"
    UTILITY_MODEL = "utility model"
    DESIGN = "design"
    OTHER = "other"


class Part(StrEnum):
    """A part of a document that is taken from one record as a whole."""

    TITLES = "titles"
    ABSTRACTS = "abstracts"
    CLAIMS = "claims"
    DESCRIPTION = "description"
    CLASSES = "classes"
    CITATIONS = "citations"
    PARTIES = "parties"
    PRIORITIES = "priorities"
    DATES = "dates"
    FAMILY = "family"
    RELATED = "related"


@dataclass(frozen=True, slots=True)
class KindMeaning:
    """What a kind code says of a publication."""

    code: str
    stage: Stage
    words: str
    """For a tool tip: ``Application with search report``."""


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """One document of a family."""

    patent: PatentSummary
    kind: KindMeaning
    representative: bool


@dataclass(frozen=True, slots=True)
class FamilyView:
    """The simple family of a document as far as the library holds it, itself among the members."""

    label: str
    priorities: tuple[Priority, ...]
    """What the members share."""
    members: tuple[FamilyMember, ...]
    """By publication date."""


@dataclass(frozen=True, slots=True)
class CitationLink:
    """One citation seen from one of its ends."""

    publication: PublicationNumber | None
    """The document at the other end; None for other literature."""
    patent: PatentSummary | None
    """The same where the library holds it."""
    text: str = ""
    category: str = ""
    origin: Origin = Origin.OTHER
    claims: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class CitationView:
    """Citations of a document both ways."""

    cites: tuple[CitationLink, ...]
    cited_by: tuple[CitationLink, ...]


@dataclass(frozen=True, slots=True)
class PartOrigin:
    """Which record a part of a merged document was taken from."""

    part: Part
    dialect: str
    path: str
    member: str = ""
