"""The search strategy of a case: every set, as it was recorded, and what has changed since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime

from claimlight.errors import AppError
from claimlight.services.cases.claim_versions import name_searched
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.services.sharing.opening import open_library
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import (
    Case,
    QuerySet,
    SearchRequest,
    SearchStrategy,
    SetRequest,
    StepRerun,
    StrategyStep,
    format_publication,
)

_LABELS = "; "

OpenSearch = Callable[[str], SetSearch]
"""Opens the search of a library by its name; raises an `AppError` if it can't."""


def strategy_of(
    case: Case, sets: Sequence[QuerySet], *, made: datetime, reruns: tuple[StepRerun, ...] = ()
) -> SearchStrategy:
    """The search strategy of a case with these sets."""
    return SearchStrategy(int(case.id), case.name, made, tuple(_step(case, item) for item in sets), reruns)


def rerun_sets(
    sets: Sequence[QuerySet], open_search: OpenSearch, context: TaskContext, *, library: str | None = None
) -> tuple[StepRerun, ...]:
    """Run every set again, each in its own library or all in ``library``, and compare.

    A set that can't be run again (its library or model is gone) has a fault and does not stop the others.
    """
    known = {item.number: item for item in sets}
    found: list[StepRerun] = []
    for item in sets:
        context.check()
        try:
            search = open_search(library or item.provenance.library)
            answer = search.rerun(item, known, context)
        except AppError as error:
            found.append(
                StepRerun(
                    item.label,
                    equal=False,
                    documents=0,
                    added=0,
                    missing=0,
                    differences=(),
                    fault=str(error),
                )
            )
            continue
        found.append(
            StepRerun(
                item.label,
                answer.equal,
                len(answer.result.hits),
                answer.added,
                answer.missing,
                answer.differences,
            )
        )
    return tuple(found)


class Libraries:
    """The libraries that the sets of a case were run in, each opened once; closed at the end of the block."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[str, SetSearch] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Libraries:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def search(self, name: str) -> SetSearch:
        """The search of a library, by its folder or address."""
        if name not in self._open:
            library = self._stack.enter_context(open_library(name))
            engine = SearchEngine.open(library, self._settings)
            self._open[name] = SetSearch(library, self._settings, engine)
        return self._open[name]


def rerun_words(rerun: StepRerun) -> str:
    """The comparison in a sentence or two."""
    if rerun.fault:
        return f"Not run again: {rerun.fault}"
    if rerun.equal:
        found = "The same documents in the same order."
    elif rerun.added or rerun.missing:
        found = f"{rerun.added:,} new, {rerun.missing:,} no longer found."
    else:
        found = "The same documents in another order."
    return " ".join((found, *rerun.differences))


def _step(case: Case, item: QuerySet) -> StrategyStep:
    request, origin = item.request, item.provenance
    line = isinstance(request, SetRequest)
    parsed = item.parsed
    return StrategyStep(
        label=item.label,
        created=item.created,
        query=request.expression if isinstance(request, SetRequest) else claim_search_words(request),
        parsed=parsed.canonical if parsed is not None else "",
        claim=0 if line else request.claim,
        features=() if isinstance(request, SetRequest) else _features(request),
        documents=len(item.hits),
        best=not isinstance(request, SetRequest) and len(item.hits) >= request.top,
        before=request.before,
        without_family_of=request.exclude_family_of,
        classes=request.classes,
        library=origin.library,
        library_documents=origin.documents,
        model=origin.encoder,
        index=origin.generation,
        parameters=origin.parameters,
        version="" if isinstance(request, SetRequest) else _version(case, request),
        terms=tuple((term.text, term.documents) for term in parsed.terms) if parsed is not None else (),
        notes=item.notes,
    )


def _version(case: Case, request: SearchRequest) -> str:
    """The versions whose claims have all features that were asked; the text of a query has ancestors too."""
    words = [item.text for item in request.query.features] or [request.query.text]
    found = [name_searched(case, text).split(_LABELS) for text in words]
    common = [label for label in found[0] if label and all(label in others for others in found[1:])]
    return _LABELS.join(common)


def claim_search_words(request: SearchRequest) -> str:
    """A claim search in words: which claim, which features, over which document, and its text."""
    about = f"Claim {request.claim}" if request.claim else "Text"
    only = f", only {', '.join(request.only)}" if request.only else ""
    over = f", over {format_publication(str(request.over))}" if request.over is not None else ""
    return f"{about}{only}{over}: {' '.join(request.query.text.split())}"


def _features(request: SearchRequest) -> tuple[str, ...]:
    asked = [item for item in request.query.features if not request.only or item.label in request.only]
    return tuple(f"{item.label}: {' '.join(item.text.split())}" for item in asked)
