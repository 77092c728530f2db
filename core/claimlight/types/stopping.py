"""How far the reading of a case has come: what was new, and what a random sample shows about the rest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimlight.types.marks import Category
from claimlight.types.patents import PublicationNumber

BLOCK = 20
"""Documents read that are counted together."""
RELEVANT = (Category.X, Category.Y, Category.A, Category.P, Category.E, Category.O)
"""Categories that make a document relevant where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """A document that was read in a case, and the members of its family, which count as read with it."""

    publication: PublicationNumber
    at: datetime
    """When it was opened, or first got a category or a confirmation."""
    family: tuple[PublicationNumber, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """Documents read one after the other, and what was new in them."""

    first: int
    """Place of the first in the order of reading, from 1."""
    last: int
    relevant: int
    """Documents with a category that counts as relevant."""
    passages: tuple[int, ...]
    """New confirmed passages for each feature of `ReadingHistory.features`."""

    @property
    def documents(self) -> int:
        """Documents in the block; fewer than the others in the last one."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class FeatureProgress:
    """A feature, and the confirmed passages of it."""

    label: str
    text: str
    passages: int
    """All that are confirmed, each text once."""
    since: int | None
    """Documents read after the last one with a new passage; None where no passage is confirmed."""


@dataclass(frozen=True, slots=True)
class ReadingHistory:
    """New confirmed passages and relevant documents by block of documents read."""

    read: int
    size: int
    """Documents of a block."""
    features: tuple[FeatureProgress, ...]
    blocks: tuple[ReadBlock, ...]
    other: int = 0
    """Confirmed passages of features that the claim does not have now; in no block."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A document read, and what is known after it; the numbers only grow along a curve."""

    place: int
    """In the order of reading, from 1."""
    publication: PublicationNumber
    confirmed: int
    """Features with a confirmed passage in one of the documents read so far."""
    covered: int
    """The same, or with a cell that counts as disclosed; at least ``confirmed``."""
    relevant: int
    """Documents read so far with a category that counts as relevant."""
    first_confirmed: tuple[str, ...] = ()
    """Labels of the features that have their first confirmed passage here."""
    first_covered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoverageCurve:
    """How many features of the claim were found, and relevant documents, after each document read."""

    features: tuple[str, ...]
    """Labels of the features of the claim."""
    points: tuple[CurvePoint, ...]
    """One for each document read, in the order of reading."""
    compared: int = 0
    """Documents read whose cells are known; the others add nothing to ``CurvePoint.covered``."""


@dataclass(frozen=True, slots=True)
class SampleStratum:
    """A part of the unread documents of a set, and those of it that were drawn."""

    first: int
    """Rank of its first document in the set; 0 for the documents of the library that are not in the set."""
    last: int
    size: int
    """Unread documents in it when the sample was drawn."""
    drawn: tuple[PublicationNumber, ...]
    """In the order of the draw."""


@dataclass(frozen=True, slots=True)
class ReadingSample:
    """A random sample of the documents of a set that were unread when it was drawn."""

    number: int
    at: datetime
    set_number: int
    library: str
    """Folder of the library whose other documents were drawn from too; empty if only the set was."""
    seed: int
    before: tuple[PublicationNumber, ...]
    """Documents of the set that were read already, and so are not among those that were drawn from."""
    strata: tuple[SampleStratum, ...]
    order: tuple[PublicationNumber, ...]
    """All that were drawn, in the order in which to read them: every part of it is spread over the strata."""

    @property
    def label(self) -> str:
        """``S1`` for the first."""
        return f"S{self.number}"

    @property
    def frame(self) -> int:
        """Number of documents drawn from."""
        return sum(stratum.size for stratum in self.strata)


@dataclass(frozen=True, slots=True)
class SampledDocument:
    """A document of a sample, as it is now."""

    publication: PublicationNumber
    rank: int
    """In the set; 0 if it is not in it."""
    read: bool
    relevant: bool
    counted: bool
    """Whether the estimate uses it: all that were drawn before it in its stratum are read as well."""


@dataclass(frozen=True, slots=True)
class NumberInterval:
    """A number of documents and its 95 % interval."""

    estimate: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class RecallInterval:
    """A share, 0 to 1, and its 95 % interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class UnreadEstimate:
    """What a sample shows about the documents that are still unread."""

    sample: ReadingSample
    documents: tuple[SampledDocument, ...]
    """In the order in which to read them."""
    relevant: tuple[Category, ...]
    """Categories that count."""
    unread: int
    """Documents drawn from that are still unread."""
    found: int
    """Relevant documents known in the set or library."""
    left: NumberInterval | None
    """Relevant documents among the unread; None until a document of the sample counts."""
    recall: RecallInterval | None
    """Share of the relevant documents that is known; None without ``left``, and if none is known or left."""

    @property
    def counted(self) -> int:
        """Documents of the sample that the estimate uses."""
        return sum(item.counted for item in self.documents)

    @property
    def positive(self) -> int:
        """Relevant ones among them."""
        return sum(item.counted and item.relevant for item in self.documents)
