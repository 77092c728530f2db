"""The real engine behind the `Services` protocol; `claimlight_workbench.bootstrap` passes it to the window.

The engine's modules are imported at the first call, in a worker, so that the window opens before they are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.types import SearchResults
from claimlight_workbench.engine.cases import CaseQuestions
from claimlight_workbench.engine.classes import ClassQuestions
from claimlight_workbench.engine.coverage import CoverageQuestions
from claimlight_workbench.engine.drawings import DrawingQuestions
from claimlight_workbench.engine.help import HelpQuestions
from claimlight_workbench.engine.models import ModelQuestions
from claimlight_workbench.engine.progress import ProgressQuestions
from claimlight_workbench.engine.reports import ReportQuestions
from claimlight_workbench.engine.seeing import SeeingQuestions
from claimlight_workbench.engine.sets import SetQuestions
from claimlight_workbench.engine.sharing import SharingQuestions
from claimlight_workbench.engine.state import OpenLibrary
from claimlight_workbench.language import tr
from claimlight_workbench.values import ClaimSet, FolderState, SampleCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.services.search.queries import Application
    from claimlight.tasks import TaskContext
    from claimlight.types import (
        DocumentEvidence,
        DocumentView,
        DroppedDescriptions,
        IndexDepth,
        LibraryInfo,
        PatentId,
        Query,
        SearchRequest,
        Span,
    )
    from claimlight_workbench.values import LibraryPlace


SAMPLE = tr("Sample application")
"""Name of the claims that come with the program, and of their case."""


class Engine(
    SetQuestions,
    CoverageQuestions,
    CaseQuestions,
    ClassQuestions,
    DrawingQuestions,
    HelpQuestions,
    ModelQuestions,
    ProgressQuestions,
    ReportQuestions,
    SeeingQuestions,
    SharingQuestions,
):
    """Library, search and cases of one window."""

    # Library

    def folder_state(self, folder: Path, context: TaskContext) -> FolderState:
        """What a folder holds, before it is opened as a library."""
        from claimlight.services.library.library import holds_library

        context.check()
        if holds_library(folder):
            return FolderState(library=True)
        return FolderState(library=False, entries=sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0)

    def open_library(self, place: LibraryPlace, context: TaskContext) -> LibraryInfo:
        """Open a library, creating an empty one in a folder without one; the previous one is closed."""
        from claimlight.services.search.search import SearchEngine
        from claimlight.services.sets.sets import SetSearch
        from claimlight.services.sharing.opening import open_library
        from claimlight.services.sharing.state import read_info

        context.check()
        library = open_library(place, create=isinstance(place, Path))
        if self._machinery is None:
            engine = SearchEngine.open(library, self._settings)
        else:
            engine = SearchEngine.open(library, self._settings, stack=self._machinery)
        sets = SetSearch(library, self._settings, engine)
        # The previous library is closed only now: if the new one can't be opened, it stays in use.
        former, self._open = self._open, OpenLibrary(library, engine, sets)
        if former is not None:
            former.library.close()
        return read_info(library)

    def refresh(self, context: TaskContext) -> LibraryInfo:
        """Load what an import or an indexing job has committed."""
        from claimlight.services.sharing.state import read_info

        found = self._opened()
        found.engine.refresh(context)
        return read_info(found.library)

    def described(self, context: TaskContext) -> DroppedDescriptions:
        """What the removal of the indexed descriptions would remove, and the bytes that frees."""
        from claimlight.services.indexing.dropping import measure_descriptions

        context.check()
        return measure_descriptions(self._opened().library)

    def close(self) -> None:
        """Close every file."""
        if self._open is not None:
            self._open.library.close()
            self._open = None
        if self._book is not None:
            self._book.close()
            self._book = None

    def model_fingerprint(self) -> str:
        """Fingerprint of the loaded model; empty before one is loaded."""
        return self._open.engine.fingerprint if self._open is not None else ""

    def device(self) -> str:
        """Device of the encoder; empty before a model is loaded."""
        return self._open.engine.device if self._open is not None else ""

    # Claims and queries

    def claims_of_text(self, text: str, source: str, context: TaskContext) -> ClaimSet:
        """Claims of pasted text."""
        from claimlight.services.search import queries

        context.check()
        claims = queries.claims_of_text(text)
        if not claims:
            raise InputError(tr("There is no text to search for."))
        return ClaimSet(claims, source, text=text, missing=queries.missing_in(claims))

    def claims_of_file(self, path: Path, context: TaskContext) -> ClaimSet:
        """Claims of an application's file, with its dates."""
        from claimlight.services.search import queries

        return self._claims_of(queries.read_application(path, context), path.name)

    def claims_of_document(self, publication: str, context: TaskContext) -> ClaimSet:
        """Claims of a document of the library, which is excluded from the results with its family."""
        from claimlight.services.search import queries

        context.check()
        examined = queries.read_document(self._opened().library, publication)
        if not examined.claims:
            raise InputError(tr("{publication} has no claims in this library.", publication=publication))
        return ClaimSet(
            examined.claims,
            str(examined.publication),
            publication=examined.publication,
            dates=examined.dates,
            title=examined.title,
            missing=queries.missing_in(examined.claims),
        )

    def query_of_claim(self, claims: ClaimSet, claim: int, context: TaskContext) -> Query:
        """One claim with its ancestors, split into features."""
        from claimlight.services.search import queries

        context.check()
        if claims.text:
            return queries.query_from_text(claims.text, claim)
        return queries.query_from_claims(claims.claims, claim)

    def query_as_kept(
        self, claims: ClaimSet, claim: int, ranges: Sequence[Span], lines: Sequence[str], context: TaskContext
    ) -> Query:
        """One claim with saved features: by their ranges, else by their words."""
        from claimlight.services.search import queries

        return queries.with_kept_features(self.query_of_claim(claims, claim, context), ranges, lines)

    # Search

    def search(self, request: SearchRequest, context: TaskContext, *, reading: float = 0.0) -> SearchResults:
        """Search; with ``reading`` seconds above 0, read descriptions that are not indexed first."""
        asked = replace(request, exclude_family_of=self._relative(request.exclude_family_of))
        return self._opened().engine.run(asked, context, reading=reading)

    def reading_seconds(self) -> float:
        """Seconds that a search may read descriptions, as the settings say."""
        return self._settings.search.reading_seconds

    def depths(self, patents: Sequence[PatentId], context: TaskContext) -> dict[PatentId, IndexDepth]:
        """How much of documents is indexed."""
        found = self._opened().engine.state(context).depths(patents)
        return {patent: found[patent] for patent in patents}

    def document(self, patent: PatentId | str, context: TaskContext) -> DocumentView:
        """A document for the reader, by id or publication number."""
        from claimlight.services.library import documents

        context.check()
        return documents.view(self._opened().library, patent)

    def evidence(self, query: Query, patent: PatentId, context: TaskContext) -> DocumentEvidence:
        """Every match between a query and a document."""
        return self._opened().engine.document_evidence(query, patent, context)

    def read_description(self, query: Query, patent: PatentId, seconds: float, context: TaskContext) -> bool:
        """Read the description of one document for some seconds; whether anything was read."""
        engine = self._opened().engine
        return engine.read_descriptions(query, (patent,), seconds=seconds, context=context) > 0

    def sample(self, context: TaskContext) -> SampleCase:
        """The shipped sample."""
        from claimlight.services import sample

        claims = self._claims_of(sample.read_application(context), SAMPLE, name=SAMPLE)
        sample.provide()
        files = (sample.source_folder(),)
        stale = self._machinery is None and sample.stale(self._settings)
        return SampleCase(sample.library_folder(), files, claims, stale=stale)

    def _claims_of(self, examined: Application, source: str, *, name: str = "") -> ClaimSet:
        from claimlight.services.search import queries

        if examined.publication is not None:
            self._examined[examined.publication] = examined
        return ClaimSet(
            examined.claims,
            source,
            publication=examined.publication,
            dates=examined.dates,
            title=examined.title,
            name=name,
            missing=queries.missing_in(examined.claims),
        )
