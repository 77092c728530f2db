"""The words of a document that speak for a class, while they are marked in the reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claimlight.types import ClassEvidence, PatentId, Span


@dataclass(frozen=True, slots=True)
class ClassMark:
    """A range of a passage that speaks for the class."""

    span: Span
    strength: float
    """Its weight as a share of the heaviest one's, 0 to 1."""


@dataclass(frozen=True, slots=True)
class DocumentClassMarks:
    """The marks of one document."""

    patent: PatentId
    name: str
    """The class, ``CPC B62K 25/04``."""
    passages: Mapping[int, Sequence[ClassMark]]
    first: tuple[int, Span]
    """Passage and range of the heaviest."""

    @classmethod
    def of(cls, patent: PatentId, name: str, evidence: ClassEvidence) -> DocumentClassMarks | None:
        """The marks of an explanation; None if it has no range of a passage."""
        placed = [each for each in evidence.spans if each.passage is not None]
        if not placed:
            return None
        most = max(each.weight for each in placed) or 1.0
        passages: dict[int, list[ClassMark]] = {}
        for each in placed:
            assert each.passage is not None
            passages.setdefault(each.passage, []).append(ClassMark(each.span, each.weight / most))
        heaviest = max(placed, key=lambda each: each.weight)
        assert heaviest.passage is not None
        return cls(patent, name, passages, (heaviest.passage, heaviest.span))

    @property
    def count(self) -> int:
        """How many ranges are marked."""
        return sum(map(len, self.passages.values()))


class ClassBoard(QObject):
    """What is marked now; nothing once another document is opened."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.shown: DocumentClassMarks | None = None

    def show(self, marks: DocumentClassMarks | None) -> None:
        """Mark these words instead of what was marked; None marks nothing."""
        if marks is not self.shown:
            self.shown = marks
            self.changed.emit()

    def opened(self, patent: PatentId) -> None:
        """A document is open: marks of another one end."""
        if self.shown is not None and self.shown.patent != patent:
            self.show(None)

    def of(self, patent: PatentId, passage: int) -> Sequence[ClassMark]:
        """What is marked in a passage of a document."""
        if self.shown is None or self.shown.patent != patent:
            return ()
        return self.shown.passages.get(passage, ())
