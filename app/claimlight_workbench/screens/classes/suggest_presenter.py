"""Asks a classifier for the classes of the claims, the open document or a text, and for their reasons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.types import ClassLevel, ClassQuestion, ClassText, Section
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import ClassEvidence, ClassSuggestions, PatentSummary
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.values import ClaimSet

_SUGGEST, _EXPLAIN = "suggest-classes", "explain-class"
MOST = 20
"""Suggestions that are listed."""


class SuggestService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def suggest_classes(self, question: ClassQuestion, context: TaskContext) -> ClassSuggestions:
        """The classes of a text or document, with their probabilities."""
        ...

    def explain_class(self, question: ClassQuestion, symbol: str, context: TaskContext) -> ClassEvidence:
        """The neighbours and words that speak for a class."""
        ...


class Source(StrEnum):
    """What is classified."""

    CLAIMS = "claims"
    DOCUMENT = "document"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class SuggestWish:
    """What the user asks."""

    source: Source = Source.CLAIMS
    level: ClassLevel = ClassLevel.SUBCLASS
    confidence: float | None = None
    """None: the threshold of each class."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Suggested:
    """An answer, with what was asked."""

    question: ClassQuestion
    about: str
    """Name of what was classified."""
    found: ClassSuggestions


class SuggestPresenter(QObject):
    """A newer question cancels the older; reasons are read for the selected row only."""

    sources_changed = Signal(object)
    """Name of each `Source` that there is something to classify of."""
    started = Signal()
    suggested = Signal(object)
    """`Suggested`."""
    explained = Signal(object)
    """`ClassEvidence`."""
    cleared = Signal()
    """What was shown belongs to another document, case or library."""
    refused = Signal(Exception)
    """No answer: why is shown in the panel."""
    failed = Signal(Exception, str)

    def __init__(self, services: SuggestService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self._claims: ClaimSet | None = None
        self._document: PatentSummary | None = None
        self.shown: Suggested | None = None

    # What can be classified

    def set_claims(self, claims: ClaimSet | None) -> None:
        """The claims of the case."""
        self._claims = claims
        self._tell_sources()

    def set_document(self, document: PatentSummary | None) -> None:
        """The open document."""
        self._document = document
        self._tell_sources()

    def clear_out(self, left: Left) -> None:
        """The answer belongs to what is left."""
        if left is Left.LIST:
            return
        self._runner.cut_off(_SUGGEST)
        self._runner.cut_off(_EXPLAIN)
        self._document = None
        self._tell_sources()
        if self.shown is not None:
            self.shown = None
            self.cleared.emit()

    # Suggestions

    def suggest(self, wish: SuggestWish) -> None:
        """Ask for the classes of what was chosen."""
        question, about = self._question(wish)
        self._runner.cut_off(_EXPLAIN)
        if question is None:
            return
        job = self._runner.submit(
            lambda context: self._services.suggest_classes(question, context), supersedes=_SUGGEST
        )
        self.started.emit()
        job.succeeded.connect(lambda found: self._answered(Suggested(question, about, found)))
        job.failed.connect(self.refused)

    def explain(self, symbol: str) -> None:
        """Read why a class is suggested."""
        shown = self.shown
        if shown is None:
            return
        # What the documents of another level voted for is no reason.
        question = replace(shown.question, level=shown.found.level)
        job = self._runner.submit(
            lambda context: self._services.explain_class(question, symbol, context), supersedes=_EXPLAIN
        )
        job.succeeded.connect(self.explained)
        job.failed.connect(
            lambda error: self.failed.emit(error, tr("{symbol} could not be explained", symbol=symbol))
        )

    def _answered(self, suggested: Suggested) -> None:
        self.shown = suggested
        self.suggested.emit(suggested)

    def _question(self, wish: SuggestWish) -> tuple[ClassQuestion | None, str]:
        question = ClassQuestion(level=wish.level, confidence=wish.confidence, top=MOST)
        if wish.source is Source.DOCUMENT:
            if self._document is None:
                return None, ""
            return replace(question, patent=self._document.id), str(self._document.publication)
        if wish.source is Source.CLAIMS:
            claims = self._claims.plain() if self._claims is not None else ""
            if self._claims is None or not claims.strip():
                return None, ""
            return replace(question, texts=(ClassText(claims, Section.CLAIMS),)), self._claims.source
        if not wish.text.strip():
            return None, ""
        return replace(question, texts=(ClassText(wish.text.strip()),)), tr("the text")

    def _tell_sources(self) -> None:
        names: dict[Source, str] = {}
        if self._claims is not None:
            names[Source.CLAIMS] = self._claims.source
        if self._document is not None:
            names[Source.DOCUMENT] = str(self._document.publication)
        self.sources_changed.emit(names)
