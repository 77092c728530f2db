"""Match strength: the one figure for a feature in a document, and its verdict in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CellVerdict(StrEnum):
    """The verdict on a feature in a document. A suggestion until the examiner confirms it."""

    STRONG = "strong"
    MEDIUM = "medium"
    BELOW = "below threshold"
    """There is a best passage, and its match is too weak to be suggested."""
    NONE = "no match"
    """Not one word of the feature meets one of the document."""
    UNREAD = "not judged"
    """The model does not read the language: the figure is shown without a verdict and counts for nothing."""
    UNCOMPARED = "not compared"
    """There is no figure: nothing of the document was compared, or nothing that the model reads."""


class Unjudged(StrEnum):
    """Why a feature in a document is not judged or not compared."""

    NONE = ""
    """It is judged."""
    NOT_INDEXED = "not indexed"
    """The document is not in the semantic index yet."""
    LANGUAGE = "language not read"
    """The model does not read its language."""
    PART = "part not read"
    """The model reads a part of it, which does not match the feature, and not the rest."""
    DEPTH = "description not indexed"
    """Claims and abstract do not match the feature, and the description is not in the semantic index yet."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The match strengths, 0 to 1, at which the verdict changes."""

    least: float
    """Below it a match is not suggested and not marked."""
    strong: float

    def verdict(self, strength: float) -> CellVerdict:
        """The verdict on a match of this strength, by the figure that is shown: the two never disagree."""
        figure = strength_figure(strength)
        if strength <= 0.0:
            return CellVerdict.NONE
        if figure >= strength_figure(self.strong):
            return CellVerdict.STRONG
        return CellVerdict.MEDIUM if figure >= strength_figure(self.least) else CellVerdict.BELOW


def strength_figure(strength: float) -> int:
    """A match strength as it is written everywhere: 0 to 100, and never a false 100."""
    return 100 if strength >= 1.0 else min(99, round(100 * strength))


@dataclass(frozen=True, slots=True)
class FeatureStrength:
    """How strongly one passage matches one feature."""

    feature: str
    strength: float
    """The share of the feature's weight that the passage matches in words that say something, 0 to 1."""
    verdict: CellVerdict


class ChartVerdict(StrEnum):
    """The verdict of a judge on a feature in a document. A suggestion until the examiner confirms it."""

    DISCLOSED = "disclosed"
    """If the judge was calibrated on charts, right in at least 85 of 100 cells of these, on others perhaps in
    fewer; of any other judge nobody has measured it."""
    CANDIDATE = "candidate"
    """Here is the best passage; read it."""
    NOTHING = "nothing near"
    """The judge found no passage that is near enough to be read first."""


class TermState(StrEnum):
    """What a passage has of a word of a feature."""

    LITERAL = "literal"
    """The word, or an inflection of it."""
    MEANING = "by meaning"
    """Other words that the judge takes for it."""
    MISSING = "missing"
    """Nothing that the judge takes for it."""
