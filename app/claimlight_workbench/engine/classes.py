"""Classes from the real engine: those of a document, the tree of a scheme, counts of the open library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from claimlight.errors import InputError, ResourceError
from claimlight_workbench.engine.state import EngineState, OpenSuggester
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.services.classes.labels import ClassLabel
    from claimlight.services.classes.suggesting import Suggester
    from claimlight.services.models.encoding_stack import EncodingStack
    from claimlight.tasks import TaskContext
    from claimlight.types import (
        ClassEntry,
        ClassEvidence,
        ClassHits,
        ClassifierInfo,
        ClassLevel,
        ClassQuestion,
        ClassStatistics,
        ClassSuggestions,
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

    def class_statistics(
        self, number: int, scheme: Scheme, level: ClassLevel, context: TaskContext
    ) -> ClassStatistics:
        """Documents by class of a level, in a set of the open case or, for 0, in the whole library."""
        from claimlight.services.classes.schemes import Schemes
        from claimlight.services.classes.statistics import count_at_level, within_set

        opened = self._opened()
        patents = None
        if number:
            sets = self._sets_of(self._case) if self._case is not None else ()
            record = next((each for each in sets if each.number == number), None)
            if record is None:
                raise InputError(tr("The open case has no set L{number}.", number=number))
            patents = [patent for patent in opened.sets.patents(record) if patent is not None]
        found = count_at_level(
            opened.library, Schemes(), context, scheme=scheme, level=level, patents=patents
        )
        return within_set(found, f"L{number}") if number else found

    # Suggestions

    def classifiers(self, context: TaskContext) -> tuple[ClassifierInfo, ...]:
        """The installed classifiers, the one in use marked."""
        from claimlight.services.classes.suggesting import list_classifiers

        context.check()
        return list_classifiers(self._settings)

    def use_classifier(self, name: str, context: TaskContext) -> None:
        """Use a classifier from now on; an empty name is the shipped one."""
        from claimlight import settings as settings_module

        context.check()
        changed = settings_module.change(settings_module.load().settings, "classifier.package", name)
        try:
            settings_module.save(changed)
        except OSError as error:
            raise ResourceError(
                tr("The settings could not be saved: {strerror}.", strerror=error.strerror)
            ) from error
        self._settings = settings_module.change(self._settings, "classifier.package", name)

    def suggest_classes(self, question: ClassQuestion, context: TaskContext) -> ClassSuggestions:
        """The classes of a text or document, with their probabilities."""
        return self._suggester(context).suggest(question, context)

    def explain_class(self, question: ClassQuestion, symbol: str, context: TaskContext) -> ClassEvidence:
        """The neighbours and words that speak for a class."""
        return self._suggester(context).explain(question, symbol, context)

    def _suggester(self, context: TaskContext) -> Suggester:
        """The suggester of the open library and the present settings; the encoder of the search is shared."""
        from claimlight.services.classes.suggesting import Suggester
        from claimlight.services.models.encoding_stack import open_encoding_stack

        library = self._open.library if self._open is not None else None
        with self._suggesting:
            known = self._suggesters
            if known is None or known.library is not library or known.settings != self._settings:
                stack: EncodingStack | None = None
                if (
                    self._open is not None
                    and (encoder := self._open.engine.state(context).encoder) is not None
                ):
                    stack = encoder.stack
                made = stack or (self._machinery or open_encoding_stack)(self._settings)
                suggester = Suggester(
                    self._settings, lambda: made.encoder, library=library, languages=made.languages
                )
                known = self._suggesters = OpenSuggester(library, self._settings, suggester)
            return known.suggester

    def _search_stack(self, context: TaskContext) -> EncodingStack | None:
        """The model of the search; None before the library is indexed."""
        encoder = self._open.engine.state(context).encoder if self._open is not None else None
        return encoder.stack if encoder is not None else None
