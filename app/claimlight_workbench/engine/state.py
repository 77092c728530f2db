"""What the parts of the engine share: the open library, the open case, the case book and the settings."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from claimlight.services.cases.cases import CaseBook
    from claimlight.services.classes.suggesting import Suggester
    from claimlight.services.library.library import Library
    from claimlight.services.models.encoding_stack import EncodingStack
    from claimlight.services.search.queries import Application
    from claimlight.services.search.search import SearchEngine
    from claimlight.services.sets.sets import SetSearch
    from claimlight.settings import Settings
    from claimlight.types import CaseId, PublicationNumber, QuerySet


class OpenLibrary:
    """A library and its search engine; replaced together, so that a reader never sees half of a change."""

    def __init__(self, library: Library, engine: SearchEngine, sets: SetSearch) -> None:
        self.library = library
        self.engine = engine
        self.sets = sets


class OpenSuggester:
    """A suggester of classes, with the library and the settings it was made for."""

    def __init__(self, library: Library | None, settings: Settings, suggester: Suggester) -> None:
        self.library = library
        self.settings = settings
        self.suggester = suggester


class EngineState:
    """The parts of `claimlight_workbench.engine.Engine` know this, and not each other."""

    def __init__(
        self, settings: Settings, *, stack: Callable[[Settings], EncodingStack] | None = None
    ) -> None:
        self._settings = settings
        self._machinery = stack
        """Opens a model; None opens the one in the settings."""
        self._open: OpenLibrary | None = None
        self._examined: dict[PublicationNumber, Application] = {}
        self._case: CaseId | None = None
        self._holder = ""
        """Who has the case open elsewhere; then it is read-only here."""
        self._known: tuple[CaseId | None, tuple[QuerySet, ...]] = (None, ())
        """The sets of a case. They only grow, so they need not be read again at each key stroke."""
        self._book: CaseBook | None = None
        self._passphrase = ""
        """What opens the case book, once it was given; nowhere else but in memory."""
        self._lock = threading.Lock()
        self._suggesters: OpenSuggester | None = None
        self._suggesting = threading.Lock()

    def _opened(self) -> OpenLibrary:
        if self._open is None:
            raise InputError(tr("No library is open. Open one (Ctrl+O), or drop patent files on the window."))
        return self._open

    def _preference(self) -> str:
        return self._settings.search.representative

    def _relative(self, own: PublicationNumber | None) -> PublicationNumber | None:
        """The application itself is not in the library, but a relative of it may be."""
        from claimlight.services.search import queries

        if own is None or own not in self._examined:
            return own
        return queries.own_family(self._opened().library, self._examined[own])

    def _cases(self) -> CaseBook:
        from claimlight.services.cases.cases import CaseBook

        with self._lock:
            if self._book is None:
                self._book = CaseBook.open(passphrase=self._passphrase or None)
            return self._book

    def _sets_of(self, case: CaseId, *, again: bool = False) -> tuple[QuerySet, ...]:
        known, sets = self._known
        if known != case or again:
            sets = tuple(self._cases().sets(case))
            self._known = (case, sets)
        return sets
