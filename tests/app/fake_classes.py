"""The part of the fake engine that is about classes: shipped titles, and counts that a test puts there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claimlight.services.classes.finding import find_classes
from claimlight.services.classes.labels import ClassLabel, label_classes
from claimlight.services.classes.schemes import Schemes
from claimlight.tasks import TaskContext
from claimlight.types import ClassEntry, ClassHits, ClassSymbol, ClassView, EditionInfo, Scheme


class FakeClasses:
    """Editions are those of the test's own folder."""

    def __init__(self) -> None:
        self.classes: tuple[ClassSymbol, ...] = ()
        """Of every document."""
        self.counted: Mapping[str, int] = {}

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
