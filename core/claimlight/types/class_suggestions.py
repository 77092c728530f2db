"""Suggested classes: what is classified, which classes a classifier suggests for it, and the evidence."""

from __future__ import annotations

from dataclasses import dataclass

from claimlight.types.classes import ClassEntry, ClassLevel
from claimlight.types.patents import Scheme, Section
from claimlight.types.results import PatentId, Span


@dataclass(frozen=True, slots=True)
class ClassText:
    """A text that is classified by itself: title with abstract, claims, or any text."""

    text: str
    section: Section = Section.ABSTRACT
    passages: tuple[tuple[int, int], ...] = ()
    """Id of each passage of a document and where it begins in ``text``, ascending; empty for other texts."""


@dataclass(frozen=True, slots=True)
class ClassQuestion:
    """What is asked of a classifier: texts, or a document of the open library."""

    texts: tuple[ClassText, ...] = ()
    patent: PatentId | None = None
    """Instead of texts: its title with abstract, and its claims."""
    classifier: str = ""
    """Name or folder of a classifier package; empty: the one in use."""
    level: ClassLevel = ClassLevel.SUBCLASS
    confidence: float | None = None
    """Suggest classes of this probability and more; None: from the threshold of each class on."""
    top: int = 10
    """Most suggestions; the best one is given even if nothing reaches the confidence."""


@dataclass(frozen=True, slots=True)
class ClassParent:
    """A class above a suggested one."""

    symbol: str
    title: str
    """Empty if no imported edition and no shipped title knows it."""
    probability: float | None
    """None where the classifier does not know the class itself."""


@dataclass(frozen=True, slots=True)
class ClassNeighbour:
    """A document of the classifier's that lies near and has the class."""

    publication: str
    cosine: float
    """Cosine of its vector and that of the text; of several texts the highest."""
    symbols: tuple[str, ...]
    """Its classes at the level that was asked."""
    patent: PatentId | None = None
    """Its id in the open library; None if it is not there."""
    title: str = ""
    """Title in the open library; empty if it is not there."""


@dataclass(frozen=True, slots=True)
class ClassSuggestion:
    """A class with the probability that the text belongs to it."""

    symbol: str
    level: ClassLevel
    probability: float
    """Calibrated; never above that of a class above it."""
    suggested: bool
    """Whether it reaches the confidence that was asked for, or its own threshold."""
    threshold: float
    """Probability from which on the class is suggested."""
    entry: ClassEntry | None = None
    """Its entry in the newest edition, or the shipped title."""
    parents: tuple[ClassParent, ...] = ()
    """From the section downwards, without the class itself."""
    documents: int | None = None
    """Documents of the open library with the class or one below it; None without a library."""
    line: str = ""
    """Query line of these documents."""


@dataclass(frozen=True, slots=True)
class ClassSuggestions:
    """The answer of a classifier."""

    classifier: str
    """Name and version."""
    scheme: Scheme
    levels: tuple[ClassLevel, ...]
    """Levels that the classifier knows."""
    level: ClassLevel
    texts: tuple[ClassText, ...]
    """What was read; the spans of the evidence are ranges of these."""
    suggestions: tuple[ClassSuggestion, ...]
    """By falling probability."""
    notes: tuple[str, ...] = ()
    """What a reader must know: a language that the encoder does not read, a text that was cut."""


@dataclass(frozen=True, slots=True)
class ClassSpan:
    """A range of a text that speaks for a class."""

    text: int
    """Index into `ClassSuggestions.texts`."""
    span: Span
    weight: float
    """By how much the probability of the class falls if its phrase is left out everywhere; above 0.

    Near 1 that is little: phrases are shown by what their log-odds fall."""
    passage: int | None = None
    """Passage of a document, of which ``span`` is then a range."""


@dataclass(frozen=True, slots=True)
class ClassEvidence:
    """Why a classifier suggests a class."""

    symbol: str
    probability: float
    without: float
    """The probability if all the spans are left out."""
    neighbours: tuple[ClassNeighbour, ...]
    """That voted for the class, the nearest first; empty if the classifier keeps no documents."""
    asked: int
    """Documents that voted, with those that do not have the class."""
    spans: tuple[ClassSpan, ...]
    """By falling weight."""


@dataclass(frozen=True, slots=True)
class ClassifierInfo:
    """An installed classifier as its manifest describes it."""

    name: str
    """Name of its package."""
    folder: str
    shipped: bool
    in_use: bool
    model: str = ""
    """Id and version."""
    scheme: Scheme = Scheme.CPC
    levels: tuple[ClassLevel, ...] = ()
    classes: int = 0
    """Classes of all levels that it knows."""
    documents: int = 0
    """Documents that it was trained on."""
    trained_on: str = ""
    usable: bool = True
    """Whether it belongs to the encoder in use."""
    licence: str = ""
    bytes: int = 0
    fault: str = ""
    """Why its manifest can't be read, or why it can't be used."""


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """What the suggestions at one level are worth, on documents whose families were not trained on."""

    level: ClassLevel
    labels: int
    """Classes of the level that the classifier knows."""
    documents: int
    """Documents measured: those that have a class at this level."""
    first: float
    """Share of the documents whose first suggestion is right."""
    first_interval: tuple[float, float]
    """Its 95 % interval (Wilson)."""
    precision: tuple[float, ...]
    """P@1, P@3, P@5: right ones among the first k, divided by k."""
    micro: float
    """Micro F1 of what reaches its threshold."""
    macro: float
    """Mean F1 over the classes that some measured document has."""
    instance: float
    """Mean over documents of 2 |Y and P| / (|Y| + |P|)."""
    calibration_error: float
    """Expected calibration error in tenths of probability, of answers of .05 and more."""
    covered: tuple[tuple[float, float, float], ...] = ()
    """Confidence, share of the documents whose first suggestion reaches it, and the share of these
    suggestions that are right."""


@dataclass(frozen=True, slots=True)
class ClassifierReport:
    """What was trained, or measured without being kept."""

    model: str
    """Id and version."""
    folder: str
    """Where the package is; empty if it was not kept."""
    scheme: Scheme
    encoder: str
    """Id and version of the encoder."""
    documents: int
    """Documents that it was trained on."""
    classes: int
    """Classes that it knows."""
    figures: tuple[ClassFigures, ...]
    measured_on: str
    """The documents of the figures, in a sentence."""
    bytes: int
    seconds: float
    notes: tuple[str, ...] = ()
