"""A patent as the offices publish it, free of any file format."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from claimlight.types.drawings import Picture


class Section(StrEnum):
    """The part of a patent that a passage belongs to."""

    TITLE = "title"
    """The title of a document, or of one of its languages, that has no abstract."""
    ABSTRACT = "abstract"
    """Title and abstract, one passage: the title is its first line."""
    CLAIMS = "claims"
    BACKGROUND = "background"
    SUMMARY = "summary"
    DRAWINGS = "drawings"
    DETAILED = "detailed"
    DESCRIPTION = "description"
    """Description text under no heading that names its section."""

    @property
    def front(self) -> bool:
        """Whether its passage begins with the title: title and abstract, or the title alone."""
        return self in (Section.TITLE, Section.ABSTRACT)


class Scheme(StrEnum):
    """A classification scheme."""

    CPC = "cpc"
    IPC = "ipc"
    OTHER = "other"


SCHEMES = (Scheme.CPC, Scheme.IPC)
"""Those with editions of titles, in the order in which a symbol is looked for."""


class Role(StrEnum):
    """What a party is to the patent."""

    APPLICANT = "applicant"
    INVENTOR = "inventor"
    ASSIGNEE = "assignee"
    AGENT = "agent"
    EXAMINER = "examiner"
    OPPONENT = "opponent"


class Origin(StrEnum):
    """Who brought a citation up."""

    APPLICANT = "applicant"
    EXAMINER = "examiner"
    SEARCH = "search"
    OPPOSITION = "opposition"
    DESCRIPTION = "description"
    OTHER = "other"


class Relation(StrEnum):
    """What another document of the same filing history is to the one that names it."""

    CONTINUATION = "continuation"
    CONTINUATION_IN_PART = "continuation-in-part"
    DIVISION = "division"
    """It was divided from that one."""
    DIVIDED_INTO = "divided-into"
    """That one was divided from it."""
    ADDITION = "addition"
    SUBSTITUTION = "substitution"
    REISSUE = "reissue"
    CONTINUING_REISSUE = "continuing-reissue"
    DIVISIONAL_REISSUE = "divisional-reissue"
    REEXAMINATION = "reexamination"
    CORRECTION = "correction"
    PROVISIONAL = "provisional"
    PCT = "pct"
    """The international application that it entered the office from, or its publication."""
    UTILITY_MODEL_BASIS = "utility-model-basis"
    PREVIOUSLY_PUBLISHED = "previously-published"
    """An earlier publication of the same application."""
    SAME_APPLICATION = "same-application"
    """Another publication of the same application, earlier or later."""
    OTHER = "other"
    """The file does not say."""


@dataclass(frozen=True, slots=True, order=True)
class PublicationNumber:
    """Country, number and kind code; ``str()`` is the canonical form, e.g. ``EP1000000A1``."""

    country: str
    number: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.country}{self.number}{self.kind}"


@dataclass(frozen=True, slots=True)
class LocalText:
    """A text and its language (ISO 639-1, lower case, empty where unknown)."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class ClaimElement:
    """One nested claim-text: half-open code-point range in `Claim.text` and its depth (0 = preamble)."""

    start: int
    end: int
    depth: int


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim; ``text`` has a newline before each nested element and carries no printed number.

    ``parents`` are the numbers of the claims it refers to directly, ascending, each smaller than
    ``number``.
    """

    number: int
    text: str
    language: str = ""
    parents: tuple[int, ...] = ()
    elements: tuple[ClaimElement, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of the description; ``number`` as printed (``0042``), empty if there is none."""

    text: str
    section: Section = Section.DESCRIPTION
    heading: str = ""
    number: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class ClassSymbol:
    """One classification; ``symbol`` is spaced as printed by the offices, e.g. ``H04L 9/3247``."""

    scheme: Scheme
    symbol: str
    inventive: bool | None = None
    """True for invention information, False for additional, None where the office does not say."""
    first: bool = False
    version: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited document: a publication, or non-patent literature as ``text``."""

    publication: PublicationNumber | None
    text: str = ""
    category: str = ""
    """Search report letters, e.g. ``X``, ``Y``, ``A``; or the office's own words; empty where none."""
    origin: Origin = Origin.OTHER
    claims: str = ""
    passage: str = ""
    date: str = ""
    """Date of the cited document, in ISO 8601 as far as the file gives it: often a month, ``1998-07``."""


@dataclass(frozen=True, slots=True)
class Party:
    """A person or organisation named on the front page."""

    role: Role
    name: str
    country: str = ""


@dataclass(frozen=True, slots=True)
class Priority:
    """A priority claim; ``number`` as given by the office, ``country`` may be empty."""

    country: str
    number: str
    date: date | None = None
    kind: str = ""
    """As the file gives it: ``national``, ``regional``, ``international``, ``provisional`` or a kind code."""


@dataclass(frozen=True, slots=True)
class Related:
    """A document of the same filing history, and what it is to this one."""

    relation: Relation
    number: PublicationNumber
    """Number of an application (its ``kind`` is empty) or of a publication."""
    date: date | None = None
    """Filing or publication date, depending on ``number``."""
    of: PublicationNumber | None = None
    """The document this relation refers to, if it is another one of the chain: in "continuation of
    B, which is a division of A", A is a division's parent of B."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document was read: file, member of an archive, place in a concatenated file."""

    path: str
    member: str = ""
    ordinal: int = 0
    """0-based position of the document in its file or member."""
    offset: int = 0
    """Byte offset of the document in its file or member."""
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class Patent:
    """One publication with everything an examiner needs of it. All text is normalised."""

    publication: PublicationNumber
    source: Source
    published: date | None = None
    application: PublicationNumber | None = None
    """The application number; its ``kind`` is empty."""
    filed: date | None = None
    language: str = ""
    titles: tuple[LocalText, ...] = ()
    abstracts: tuple[LocalText, ...] = ()
    claims: tuple[Claim, ...] = ()
    description: tuple[Paragraph, ...] = ()
    classes: tuple[ClassSymbol, ...] = ()
    citations: tuple[Citation, ...] = ()
    parties: tuple[Party, ...] = ()
    priorities: tuple[Priority, ...] = ()
    related: tuple[Related, ...] = ()
    """Documents of the same filing history (parents, earlier publications of the application)."""
    family: str = ""
    """The office's own family identifier, where the file gives one."""
    pictures: tuple[Picture, ...] = ()
    """The pictures that the file names, in its order."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A document that could not be read, and why; nothing of it is in the library."""

    source: Source
    reason: str
    line: int = 0
    """1-based line in the file or member; 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that is no patent document (a sequence listing, a picture), and why."""

    source: Source
    reason: str


Record = Patent | Quarantined | Skipped
"""What reading a source yields: every document of it is one of these, none is lost."""
