"""The part of the fake engine that is about classes: shipped titles, and counts that a test puts there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from claimlight.errors import InputError
from claimlight.services.classes.finding import find_classes
from claimlight.services.classes.labels import ClassLabel, label_classes
from claimlight.services.classes.schemes import Schemes
from claimlight.services.classes.statistics import within_set
from claimlight.tasks import TaskContext
from claimlight.types import (
    AcceptedClass,
    ClassCount,
    ClassEntry,
    ClassEvidence,
    ClassFilter,
    ClassHits,
    ClassifierInfo,
    ClassLevel,
    ClassNeighbour,
    ClassParent,
    ClassQuestion,
    ClassSpan,
    ClassStatistics,
    ClassSuggestion,
    ClassSuggestions,
    ClassSymbol,
    ClassText,
    ClassView,
    Edition,
    EditionInfo,
    PatentId,
    Scheme,
    Section,
    Span,
)

DOCUMENT_TEXT = "DAMPER WITH TEETH\nAn absorber 𝛽 with a toothed ring and a biased coil."
"""Title and abstract of every document of the fake library."""


def classifier(**more: object) -> ClassifierInfo:
    """A classifier of subclasses that can be used."""
    known = {
        "name": "cpc-small",
        "folder": "/classifiers/cpc-small",
        "shipped": True,
        "in_use": True,
        "model": "cpc-small 1",
        "levels": (ClassLevel.SECTION, ClassLevel.CLASS, ClassLevel.SUBCLASS),
        "classes": 640,
        "documents": 21_000,
        "trained_on": "US patents of 2000 to 2015",
    }
    return ClassifierInfo(**{**known, **more})  # type: ignore[arg-type]


def suggestion(symbol: str, probability: float, *, threshold: float = 0.4) -> ClassSuggestion:
    """A suggested subclass with the classes above it."""
    try:
        entry = Schemes().show(symbol, scheme=Scheme.CPC).entry
    except InputError:
        entry = None
    parents = (
        ClassParent(symbol[:1], "Section", min(1.0, probability + 0.08)),
        ClassParent(symbol[:3], "Class", min(1.0, probability + 0.04)),
    )
    return ClassSuggestion(
        symbol,
        ClassLevel.SUBCLASS,
        probability,
        probability >= threshold,
        threshold,
        entry,
        parents,
        documents=1234,
        line=f"CPC={symbol.replace(' ', '')}",
    )


SUGGESTIONS = (suggestion("F16F", 0.91), suggestion("B62K", 0.55, threshold=0.6), suggestion("B60G", 0.12))


class FakeClasses:
    """Editions are those of the test's own folder."""

    def __init__(self) -> None:
        self.classes: tuple[ClassSymbol, ...] = ()
        """Of every document."""
        self.counted: Mapping[str, int] = {}
        self.installed: tuple[ClassifierInfo, ...] = (classifier(),)
        self.suggested = SUGGESTIONS
        self.questions: list[ClassQuestion] = []
        self.explained: list[str] = []
        self.without = 0.43
        """The probability without the words that weigh most."""
        self.accepted: list[tuple[AcceptedClass, ...]] = [()]
        """The accepted classes after each change; the last ones hold."""
        self.within: tuple[ClassFilter, ...] = ()

    def class_labels(self, classes: Sequence[ClassSymbol], context: TaskContext) -> tuple[ClassLabel, ...]:
        return label_classes(Schemes(), classes, context)

    def editions(self, context: TaskContext) -> tuple[EditionInfo, ...]:
        return Schemes().list()[0]

    def class_sections(self, scheme: Scheme, version: str, context: TaskContext) -> tuple[ClassEntry, ...]:
        return Schemes().sections(scheme, version)

    def show_class(self, symbol: str, scheme: Scheme, version: str, context: TaskContext) -> ClassView:
        return Schemes().show(symbol, scheme=scheme, version=version)

    def search_classes(
        self, text: str, scheme: Scheme, version: str, top: int, context: TaskContext
    ) -> ClassHits:
        return find_classes(Schemes(), text, scheme, version, context, top=top)

    def class_counts(self, scheme: Scheme, version: str, context: TaskContext) -> Mapping[str, int]:
        return self.counted

    def class_statistics(
        self, number: int, scheme: Scheme, level: ClassLevel, context: TaskContext
    ) -> ClassStatistics:
        """Counts that follow from the level, so that a test sees which was asked for."""
        symbols = {ClassLevel.SECTION: ("F", "B"), ClassLevel.SUBCLASS: ("F16F", "B62K", "B60G")}
        counts = tuple(
            ClassCount(
                symbol, f"Title of {symbol}", 8 >> place, (8 >> place) / 10, f"{scheme.upper()}={symbol}"
            )
            for place, symbol in enumerate(symbols.get(level, ()))
        )
        found = ClassStatistics(Edition(scheme, ""), level, 10, 9, counts)
        return within_set(found, f"L{number}") if number else found

    def classifiers(self, context: TaskContext) -> tuple[ClassifierInfo, ...]:
        return self.installed

    def use_classifier(self, name: str, context: TaskContext) -> None:
        self.installed = tuple(
            replace(each, in_use=each.shipped if not name else each.name == name) for each in self.installed
        )

    def suggest_classes(self, question: ClassQuestion, context: TaskContext) -> ClassSuggestions:
        self.questions.append(question)
        texts = question.texts
        if question.patent is not None:
            passage = int(question.patent) * 10_000
            texts = (ClassText(DOCUMENT_TEXT, Section.ABSTRACT, ((passage, 0),)),)
        return ClassSuggestions(
            "cpc-small 1", Scheme.CPC, self.installed[0].levels, question.level, texts, self.suggested
        )

    def explain_class(self, question: ClassQuestion, symbol: str, context: TaskContext) -> ClassEvidence:
        self.explained.append(symbol)
        spans: tuple[ClassSpan, ...] = ()
        if question.patent is not None:
            passage = int(question.patent) * 10_000
            at = DOCUMENT_TEXT.index("biased coil"), DOCUMENT_TEXT.index("toothed ring")
            spans = (
                ClassSpan(0, Span(at[0], at[0] + 11), 0.3, passage),
                ClassSpan(0, Span(at[1], at[1] + 12), 0.1, passage),
            )
        elif "spring" in question.texts[0].text:
            start = question.texts[0].text.index("spring")
            spans = (ClassSpan(0, Span(start, start + 6), 0.25),)
        near = (
            ClassNeighbour("EP1000002A1", 0.83, ("F16F",), PatentId(2), "Damper number 2"),
            ClassNeighbour("US7000000B2", 0.71, ("F16F",)),
        )
        return ClassEvidence(symbol, 0.91, self.without, near, 10, spans)
