"""Classes from the real engine: those of a document, the tree of a scheme, counts of the open library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from claimlight_workbench.engine.state import EngineState

if TYPE_CHECKING:
    from claimlight.services.classes.labels import ClassLabel
    from claimlight.tasks import TaskContext
    from claimlight.types import (
        ClassEntry,
        ClassHits,
        ClassSymbol,
        ClassView,
        EditionInfo,
        Scheme,
    )


class ClassQuestions(EngineState):
    """Part of `claimlight_workbench.engine.engine.Engine`."""

    def class_labels(self, classes: Sequence[ClassSymbol], context: TaskContext) -> tuple[ClassLabel, ...]:
        """The classes of a document with their titles."""
        from claimlight.services.classes.labels import label_classes
        from claimlight.services.classes.schemes import Schemes

        return label_classes(Schemes(), classes, context)

    def editions(self, context: TaskContext) -> tuple[EditionInfo, ...]:
        """The imported editions that can be used, by scheme, the newest first."""
        from claimlight.services.classes.schemes import Schemes

        context.check()
        return Schemes().list()[0]

    def class_sections(self, scheme: Scheme, version: str, context: TaskContext) -> tuple[ClassEntry, ...]:
        """The top of the tree."""
        from claimlight.services.classes.schemes import Schemes

        context.check()
        return Schemes().sections(scheme, version)

    def show_class(self, symbol: str, scheme: Scheme, version: str, context: TaskContext) -> ClassView:
        """A class with its place, notes, references and what is directly below it."""
        from claimlight.services.classes.schemes import Schemes

        context.check()
        return Schemes().show(symbol, scheme=scheme, version=version)

    def search_classes(
        self, text: str, scheme: Scheme, version: str, top: int, context: TaskContext
    ) -> ClassHits:
        """The class of a symbol, then those whose titles have the words, best first."""
        from claimlight.services.classes.finding import find_classes
        from claimlight.services.classes.schemes import Schemes

        return find_classes(Schemes(), text, scheme, version, context, top=top)

    def class_counts(self, scheme: Scheme, version: str, context: TaskContext) -> Mapping[str, int]:
        """Documents of the open library with a class or one below it, by symbol."""
        from claimlight.services.classes.counts import count_classes
        from claimlight.services.classes.schemes import Schemes

        return count_classes(self._opened().library, Schemes(), scheme, version, context)
