"""What a search uses: catalogue, index and model, as they are on disk at one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.digests import sha256
from claimlight.errors import ResourceError
from claimlight.index.base import SearchableIndex
from claimlight.index.generation import Generation
from claimlight.index.live import among
from claimlight.index.manifest import Pointer, read_pointer
from claimlight.index.shared import SharedIndex, SharedParts
from claimlight.retrieval import Catalogue, EngineWords
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.shared_words import StoredStatistics
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library.library import Library
from claimlight.services.search.index_notes import (
    NO_INDEX_NOTE,
    NO_SHARED_INDEX_NOTE,
    NO_SHARED_INDEX_NOW,
    describe_claims_only,
    describe_waiting,
)
from claimlight.services.search.query_encoding import QueryEncoder
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import Feedback, IndexDepth, PassagesRead, Provenance, SearchRequest

if TYPE_CHECKING:
    from claimlight.services.models.encoding_stack import EncodingStack


@dataclass(frozen=True, slots=True, eq=False)
class SearchState:
    """One consistent snapshot; a search keeps the one it began with."""

    catalogue: Catalogue
    generation: SearchableIndex | None
    encoder: QueryEncoder | None
    """None exactly if ``generation`` is None."""
    pointer: Pointer | None
    """Pointer to the live generation when this was opened."""
    notes: tuple[str, ...]
    fault: str = ""
    """Why the index can't be used; empty if it can or if there is none."""
    waiting: int = 0
    """Number of documents with text that are not indexed."""
    words: EngineWords | None = None
    """The words of a shared library, which do not need the model; None without an index."""
    silence: str = ""
    """Why no ranker can search a shared library; empty if some can."""

    @property
    def indexed(self) -> NDArray[np.int64]:
        """Documents of the library that are indexed, ascending."""
        if self.generation is None:
            return np.empty(0, dtype=np.int64)
        # Documents that were removed stay in the index until it is built again.
        ids = self.generation.document_ids()
        return ids[self.catalogue.rows(ids) >= 0]

    @property
    def claims_only(self) -> NDArray[np.int64]:
        """Documents of the library whose description is not indexed yet, ascending."""
        if self.generation is None:
            return np.empty(0, dtype=np.int64)
        ids = self.generation.claims_only
        return ids[self.catalogue.rows(ids) >= 0]

    def depths(self, patents: Iterable[int]) -> dict[int, IndexDepth]:
        """How much of some documents is in the semantic index."""
        asked = np.fromiter(patents, dtype=np.int64)
        held = np.empty(0, dtype=np.int64) if self.generation is None else self.generation.document_ids()
        part = among(asked, held[:0] if self.generation is None else self.generation.claims_only)
        there = among(asked, held)
        return {
            patent: (IndexDepth.CLAIMS if partly else IndexDepth.FULL) if indexed else IndexDepth.NONE
            for patent, indexed, partly in zip(asked.tolist(), there.tolist(), part.tolist(), strict=True)
        }

    def passages_read(self, patents: Iterable[int]) -> dict[int, PassagesRead]:
        """What searches have read of descriptions that are not indexed; documents without any are left out.

        Of a shared library searches read nothing.
        """
        if not isinstance(self.generation, Generation):
            return {}
        found = self.generation.count_read(list(patents))
        return {patent: PassagesRead(*counts) for patent, counts in found.items()}

    @property
    def identity(self) -> tuple[int, str]:
        """Equal for snapshots that give equal results."""
        return self.catalogue.version, self.generation.name if self.generation else ""


def open_shipped_stack(settings: Settings) -> EncodingStack:
    from claimlight.services.models.encoding_stack import open_encoding_stack

    return open_encoding_stack(settings)


class StateOpener:
    """Opens snapshots of one library; the model is opened once, with the first usable index."""

    def __init__(
        self, library: Library, settings: Settings, stack: Callable[[Settings], EncodingStack]
    ) -> None:
        self._library = library
        self._settings = settings
        self._open_stack = stack
        self.encoder: QueryEncoder | None = None
        self._shared: SharedIndex | None = None
        """The last state of a shared library's index, whether its model is here or not."""

    @property
    def device(self) -> str:
        """Device of the encoder; empty until it is open."""
        return self.encoder.stack.encoder.device if self.encoder else ""

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the open model package; empty until one is open."""
        return self.encoder.stack.encoder.fingerprint if self.encoder else ""

    def current(self, before: SearchState | None, context: TaskContext) -> SearchState:
        """The current state; ``before`` itself if nothing changed."""
        version = repository.read_library_version(self._library.store)
        # Before the index is opened: if a new one is published meanwhile, the next search opens again.
        pointer = self._pointer()
        if before is not None and (before.catalogue.version, before.pointer) == (version, pointer):
            # A server that did not answer may do so now; other faults change with the folder or the model.
            unanswered = before.fault and self._library.shared is not None and before.words is None
            if not unanswered:
                return before
        return self._open(pointer, context, before)

    def _pointer(self) -> Pointer | None:
        if self._library.shared is not None:
            return None
        try:
            return read_pointer(index_folder(self._library.folder))
        except ResourceError:
            return None  # `_open` meets the same fault and reports it

    def _open(self, pointer: Pointer | None, context: TaskContext, before: SearchState | None) -> SearchState:
        """Open everything a search needs; faults become notes."""
        shared = self._library.shared
        catalogue = catalogues.load(self._library.store, context, before.catalogue if before else None)
        notes: list[str] = []
        faults: list[str] = []
        generation: SearchableIndex | None = None
        try:
            generation = self._open_shared(shared) if shared is not None else self._open_folder(before)
            if generation is not None:
                generation.warm()
        except ResourceError as error:
            faults.append(str(error))
        else:
            if generation is None and len(catalogue):
                notes.append(NO_INDEX_NOTE if shared is None else NO_SHARED_INDEX_NOTE)
        words = self._words(shared) if generation is not None else None
        encoder = self._fitting(generation, notes, faults)
        mute = shared is not None and words is None
        what = NO_SHARED_INDEX_NOW if mute else "Only keywords were searched"
        notes = [*(f"{what}: {fault}" for fault in faults), *notes]
        fault = " ".join(faults)
        # A document without any text has nothing to encode, so it does not count as waiting.
        waiting = np.setdiff1d(
            catalogue.ids[catalogue.passages > 0],
            generation.document_ids() if generation is not None else np.empty(0, dtype=np.int64),
        )
        if generation is None or encoder is None:
            silence = notes[0] if mute and notes else ""
            return SearchState(
                catalogue, None, None, pointer, tuple(notes), fault, len(waiting), words, silence
            )
        notes.extend(generation.notes)
        if isinstance(generation, SharedIndex):
            notes.extend(filter(None, [generation.describe_settings(self._settings.centers)]))
        if len(waiting):
            notes.append(describe_waiting(len(waiting), len(catalogue)))
        state = SearchState(
            catalogue, generation, encoder, pointer, tuple(notes), waiting=len(waiting), words=words
        )
        partly = len(state.claims_only)
        if partly:
            state = replace(state, notes=(*state.notes, describe_claims_only(partly, len(catalogue))))
        return state

    def _open_folder(self, before: SearchState | None) -> Generation | None:
        known = before.generation if before is not None else None
        folder = index_folder(self._library.folder)
        return Generation.open(folder, before=known if isinstance(known, Generation) else None)

    def _open_shared(self, parts: SharedParts) -> SharedIndex | None:
        self._shared = SharedIndex.open(parts.backend, parts.source, self._shared)
        return self._shared

    def _words(self, parts: SharedParts | None) -> EngineWords | None:
        if parts is None or self._shared is None:
            return None
        return EngineWords(self._shared.engine, parts.words or StoredStatistics(self._library.store))

    def _fitting(
        self, generation: SearchableIndex | None, notes: list[str], faults: list[str]
    ) -> QueryEncoder | None:
        """The encoder, if the index was built with it."""
        if generation is None:
            return None
        try:
            if self.encoder is None:
                self.encoder = QueryEncoder(
                    self._open_stack(self._settings), top_k=self._settings.centers.top_k_query
                )
            generation.recipe.check(self.encoder.stack.recipe(self._settings))
        except ResourceError as error:
            faults.append(str(error))
            return None
        if self.encoder.stack.encoder.note:
            notes.append(self.encoder.stack.encoder.note)
        return self.encoder


def _dates(request: SearchRequest) -> str:
    """The reference dates as text; empty if the request has none."""
    reference = request.reference
    if reference is None:
        return ""
    parts = [f"claim {request.claim}", f"filed {reference.filed}", f"priority {reference.priority}"]
    parts += [f"claim {item.claim}: {item.priority}" for item in reference.claims]
    valid = "valid" if reference.verified else "not verified"
    return ", ".join([*parts, f"priority {valid}", f"rules {reference.rules.value}"])


def _marks(feedback: Feedback) -> str:
    """The documents whose marks a ranking follows, and a digest of the confirmed passages."""
    parts = [f"+ {' '.join(map(str, feedback.pull))}", f"- {' '.join(map(str, feedback.push))}"]
    passages = [sha256("\n".join(feedback.passages))[:12]] if feedback.passages else []
    return ", ".join(part for part in (*parts, *passages) if part != "- ")


def provenance(
    request: SearchRequest, state: SearchState, *, library: Library, settings: Settings
) -> Provenance:
    """Everything that must be equal for equal results."""
    search, centers = settings.search, settings.centers
    if state.generation is not None:
        # Some settings are fixed by a shared index.
        centers = state.generation.scoring(centers).settings
    parameters = {
        "legs": " ".join(leg.value for leg in request.legs),
        "top": request.top,
        "before": request.before or "",
        "exclude_family_of": request.exclude_family_of or "",
        "reference": _dates(request),
        "date_statuses": "all",
        "only": " ".join(request.only),
        "over": request.over or "",
        **({"classes": ", ".join(map(str, request.classes))} if request.classes else {}),
        **({"marks": _marks(request.feedback)} if request.feedback is not None else {}),
        "representative": search.representative,
        "depth": search.depth,
        "weight_bm25": search.weight_bm25,
        "weight_dense": search.weight_dense,
        "weight_centers": search.weight_centers,
        "query_terms": search.query_terms,
        "ef_search": search.ef_search,
        "top_k_query": centers.top_k_query,
        "top_k_document": centers.top_k_document,
        "idf_exponent": centers.idf_exponent,
        "length_exponent": centers.length_exponent,
        "length_floor": centers.length_floor,
        "stop_share": centers.stop_share,
        "stop_list": state.generation.stops(centers).digest if state.generation else "",
    }
    model = state.encoder.stack if state.encoder else None
    return Provenance(
        library=library.name,
        generation=state.generation.name if state.generation else "",
        documents=len(state.catalogue),
        encoder=model.encoder.fingerprint if model else "",
        centers=model.vocabulary.fingerprint if model else "",
        device=model.encoder.device if model else "",
        parameters=tuple((name, str(value)) for name, value in parameters.items()),
    )
