"""Numbered sets: the documents of query lines.

    parse -> terms (words: store; semantic operators: engine; recorded sets) -> filter -> order

A set depends on its line, the library, the sets it names and, with semantic operators, on index, model and
settings; all of it is in its provenance, and `SetSearch.rerun` reports what has changed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.retrieval import Catalogue
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.boolean.canonical import format_canonical
from claimlight.retrieval.boolean.complete import complete
from claimlight.retrieval.boolean.evaluate import Matched, count_terms, evaluate
from claimlight.retrieval.boolean.marks import find_marks
from claimlight.retrieval.boolean.nodes import (
    Covers,
    Leaf,
    Like,
    Node,
    SemanticText,
    leaves,
    named_sets,
    positive_leaves,
)
from claimlight.retrieval.boolean.parser import parse
from claimlight.services.library.library import Library
from claimlight.services.search import causes
from claimlight.services.search.filters import Allowed, filter_documents, zone_counts
from claimlight.services.search.queries import query_from_document, query_from_text, query_with_features
from claimlight.services.search.search import SearchEngine
from claimlight.services.search.search_state import provenance
from claimlight.services.search.stages import Clock
from claimlight.services.search.verdicts import thresholds_of
from claimlight.services.sets.set_members import SetMembers
from claimlight.services.sets.set_semantics import Answers, SetResolver, SetsOnly
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import (
    Completion,
    DefaultOperator,
    ParsedQuery,
    PatentId,
    PatentSummary,
    Provenance,
    Query,
    QuerySet,
    SearchRequest,
    SearchResults,
    SetHit,
    SetHits,
    SetMark,
    SetRequest,
    SetRerun,
    SetResult,
    TermCount,
    ZoneCount,
    plural,
)


class SetSearch:
    """Runs query lines over one library; threads may share it."""

    def __init__(self, library: Library, settings: Settings, engine: SearchEngine) -> None:
        self._library = library
        self._settings = settings
        self._engine = engine
        self._members = SetMembers(library.store)
        self._answers = Answers()
        self._lock = threading.Lock()
        self._columns: Catalogue | None = None

    def parse(
        self,
        expression: str,
        sets: Mapping[int, QuerySet],
        default: DefaultOperator = DefaultOperator.AND,
        *,
        query: Query | None = None,
    ) -> ParsedQuery:
        """Parse a line and count the documents of its words and sets; semantic operators are not run.

        `QueryError` with the column of what can't be read or answered.
        """
        request = SetRequest(expression, query, default_operator=default)
        node = parse(expression, default=default)
        resolver = self._resolver(request, sets, self._catalogue(TaskContext()), TaskContext())
        for leaf in leaves(node):
            resolver.check(leaf)
        store, catalogue = self._library.store, self._catalogue(TaskContext())
        return _build_parsed(
            node, request, count_terms(node, store, catalogue, SetsOnly(resolver), TaskContext())
        )

    def run(self, request: SetRequest, sets: Mapping[int, QuerySet], context: TaskContext) -> SetResult:
        """The documents of a line, by score if a semantic operator gives one, else newest first.

        ``sets`` are those of the case; a line that names one refers to the documents recorded in it.
        `QueryError` with the column of what can't be read or answered.
        """
        if request.chosen:
            raise InputError(
                "The documents of this set were chosen one by one: there is no query line to run. Its number "
                "in a line, such as L3, means these documents."
            )
        clock = Clock()
        with clock.stage("read"):
            node = parse(request.expression, default=request.default_operator)
            catalogue = self._catalogue(context)
            resolver = self._resolver(request, sets, catalogue, context)
            for leaf in leaves(node):
                resolver.check(leaf)
        with clock.stage("match"):
            matched = evaluate(node, self._library.store, catalogue, resolver, context)
        with clock.stage("filter"):
            allowed = filter_documents(
                self._library,
                catalogue,
                before=request.before,
                without=(request.exclude_family_of,),
                classes=request.classes,
            )
            everywhere = matched
            if request.before is not None and resolver.state is not None:
                # Semantic operators search within the limit only; what it hides needs a second run.
                free = self._resolver(replace(request, before=None), sets, catalogue, context)
                everywhere = evaluate(node, self._library.store, catalogue, free, context)
            hidden = _count_hidden(everywhere, allowed, request, catalogue)
            order = _order(matched, catalogue, allowed.documents.keep(matched.ids))
        ids = matched.ids[order]
        scores = () if matched.scores is None else tuple(matched.scores[order].tolist())
        with clock.stage("numbers"):
            hits = self._members.hits(ids, scores, catalogue.version)
        parsed = _build_parsed(node, request, matched.terms)
        own = request.exclude_family_of
        return SetResult(
            request=request,
            parsed=parsed,
            patents=tuple(ids.tolist()),
            scores=scores,
            notes=tuple(dict.fromkeys([*resolver.notes, *allowed.notes])),
            times=tuple(clock.times),
            provenance=self._provenance(request, node, sets, catalogue, resolver),
            hits=hits,
            hidden=hidden,
            cause=""
            if len(ids)
            else causes.explain_empty_line(
                documents=len(catalogue),
                matched=len(matched.ids),
                hidden=hidden,
                own=own,
                parsed=parsed,
                classes=request.classes,
                within=int(np.count_nonzero(allowed.with_own.keep(matched.ids))),
            ),
            asks=self.asks(request),
        )

    def choose(self, patents: Iterable[int], description: str, context: TaskContext) -> SetResult:
        """A set of documents that were chosen one by one, newest first; ``description`` says how.

        Documents that are not in the library (any more) are left out.
        """
        clock = Clock()
        with clock.stage("numbers"):
            catalogue = self._catalogue(context)
            ids = np.unique(np.fromiter(patents, dtype=np.int64))
            ids = ids[catalogue.rows(ids) >= 0]
            ids = ids[_newest_first(ids, catalogue)]
            hits = self._members.hits(ids, (), catalogue.version)
        request = SetRequest(description, chosen=True)
        own = ((LIBRARY_VERSION, str(catalogue.version)),)
        return SetResult(
            request=request,
            parsed=ParsedQuery(description, description, (), request.default_operator),
            patents=tuple(ids.tolist()),
            scores=(),
            notes=(),
            times=tuple(clock.times),
            provenance=Provenance(self._library.name, "", len(catalogue), "", "", "", own),
            hits=hits,
        )

    def asks(self, request: SetRequest) -> Query | None:
        """The semantic query of a line: the text of ``~"…"``, the passage or claim of LIKE; all features.

        None without such operators. Operators under NOT are ignored.
        """
        if request.chosen:
            return None
        node = parse(request.expression, default=request.default_operator)
        found = [self._asked(leaf) for leaf in positive_leaves(node)]
        queries = [query for query in found if query is not None]
        if len(queries) < 2:
            return queries[0] if queries else None
        return query_with_features([feature.text for query in queries for feature in query.features])

    def _asked(self, leaf: Leaf) -> Query | None:
        if isinstance(leaf, SemanticText):
            return query_from_text(leaf.query)
        if isinstance(leaf, Like):
            if leaf.passage:
                return query_from_text(leaf.passage)
            return query_from_document(self._library, leaf.publication)
        return None

    def complete(self, text: str, column: int) -> tuple[Completion, ...]:
        """Completions of a line at ``column`` (from 1): fields, operators, words of the library."""
        return complete(self._library.store, text, column - 1)

    def marks(
        self, request: SetRequest, sets: Mapping[int, QuerySet], patent: PatentId, context: TaskContext
    ) -> tuple[SetMark, ...]:
        """The text ranges of a document that a line matched; none if it does not match."""
        if request.chosen:
            return ()
        node = parse(request.expression, default=request.default_operator)
        resolver = self._resolver(request, sets, self._catalogue(context), context)
        return find_marks(node, self._library.store, patent, resolver, context)

    def rerun(self, record: QuerySet, sets: Mapping[int, QuerySet], context: TaskContext) -> SetRerun:
        """Run a recorded set again and report what has changed; the record is unchanged."""
        result: SetResult | SearchResults
        if isinstance(record.request, SetRequest) and record.request.chosen:
            held = self._members.members(record.hits, self._catalogue(context).version).held
            result = self.choose(held.tolist(), record.request.expression, context)
            hits = result.hits
        elif isinstance(record.request, SetRequest):
            result = self.run(record.request, sets, context)
            hits = result.hits
        else:
            result = self._engine.run(record.request, context)
            hits = SetHits.of(SetHit(hit.patent.publication, hit.score) for hit in result.hits)
        then = record.hits if isinstance(record.hits, SetHits) else SetHits.of(record.hits)
        before, now = set(then.keys), set(hits.keys)
        return SetRerun(
            result=result,
            equal=then.keys == hits.keys,
            differences=differences(record.provenance, result.provenance),
            added=len(now - before),
            missing=len(before - now),
        )

    def patents(self, record: QuerySet) -> tuple[PatentId | None, ...]:
        """The document of each hit of a recorded set; None if it is not in this library."""
        found = self._members.members(record.hits, self._catalogue(TaskContext()).version)
        return tuple(PatentId(item) if item else None for item in found.ids.tolist())

    def summaries(self, patents: Iterable[PatentId]) -> tuple[PatentSummary, ...]:
        """Summaries of some documents, in their order; removed ones are left out."""
        wanted = list(patents)
        found = repository.read_summaries(self._library.store, wanted)
        return tuple(found[patent] for patent in wanted if patent in found)

    def newest_first(self, patents: Sequence[PatentId]) -> tuple[PatentId, ...]:
        """The same documents by publication date, the order of a set without scores."""
        catalogue = self._catalogue(TaskContext())
        ids = np.unique(np.asarray(patents, dtype=np.int64))
        ids = ids[catalogue.rows(ids) >= 0]
        return tuple(ids[_newest_first(ids, catalogue)].tolist())

    def _resolver(
        self,
        request: SetRequest,
        sets: Mapping[int, QuerySet],
        catalogue: Catalogue,
        context: TaskContext,
    ) -> SetResolver:
        return SetResolver(
            request,
            sets,
            library=self._library,
            settings=self._settings,
            engine=self._engine,
            members=self._members,
            answers=self._answers,
            catalogue=catalogue,
            context=context,
        )

    def _catalogue(self, context: TaskContext) -> Catalogue:
        """The current catalogue, without the engine: a line of words needs no model and no index."""
        with self._lock:
            version = repository.read_library_version(self._library.store)
            if self._columns is None or self._columns.version != version:
                self._columns = catalogues.load(self._library.store, context)
            return self._columns

    def _provenance(
        self,
        request: SetRequest,
        node: Node,
        sets: Mapping[int, QuerySet],
        catalogue: Catalogue,
        resolver: SetResolver,
    ) -> Provenance:
        terms = list(leaves(node))
        own = {
            "default_operator": request.default_operator.value,
            "before": str(request.before or ""),
            "exclude_family_of": str(request.exclude_family_of or ""),
            LIBRARY_VERSION: str(catalogue.version),
        }
        if request.classes:
            # Only then: sets of earlier versions name no classes, and are the same sets.
            own["classes"] = ", ".join(map(str, request.classes))
        for number in named_sets(node):
            hits = sets[number].hits
            packed = hits if isinstance(hits, SetHits) else SetHits.of(hits)
            own[f"L{number}"] = f"{len(packed)} documents, {packed.digest().hex()[:12]}"
        own |= {f"below {symbol}": edition for symbol, edition in sorted(resolver.editions.items())}
        if resolver.state is None:
            folder, many = self._library.name, len(catalogue)
            return Provenance(folder, "", many, "", "", "", tuple(own.items()))
        own["set_depth"] = str(request.depth)
        own["meaning_cut"] = str(self._settings.search.meaning_cut)
        if any(isinstance(leaf, Covers) for leaf in terms):
            own["strong_match"] = str(thresholds_of(self._settings.search).strong)
        searched = SearchRequest(Query(request.expression), top=request.depth)
        whole = provenance(searched, resolver.state, library=self._library, settings=self._settings)
        others = [item for item in whole.parameters if item[0] not in {*own, *_OF_CLAIM_SEARCHES}]
        return replace(whole, parameters=(*own.items(), *others))


_OF_CLAIM_SEARCHES = ("top", "representative", "reference", "date_statuses", "over")
"""Parameters without effect on a query line."""


def _count_hidden(
    matched: Matched, allowed: Allowed, request: SetRequest, catalogue: Catalogue
) -> tuple[ZoneCount, ...]:
    """Matching documents that only the date limit leaves out, by zone."""
    if request.before is None:
        return ()
    out = allowed.without_limit.keep(matched.ids) & ~allowed.documents.keep(matched.ids)
    return zone_counts(catalogue, matched.ids[out], request.reference, request.claim)


def _build_parsed(node: Node, request: SetRequest, terms: tuple[TermCount, ...]) -> ParsedQuery:
    return ParsedQuery(request.expression, format_canonical(node), terms, request.default_operator)


def _order(matched: Matched, catalogue: Catalogue, kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Positions of the kept documents, best or newest first, ties by id."""
    at = np.flatnonzero(kept)
    if matched.scores is None:
        return at[_newest_first(matched.ids[at], catalogue)]
    return at[np.lexsort((matched.ids[at], -matched.scores[at]))]


def _newest_first(ids: NDArray[np.int64], catalogue: Catalogue) -> NDArray[np.intp]:
    """The order of ascending ids by publication date, undated documents last."""
    published = catalogue.published[catalogue.rows(ids)]
    dated = np.where(published == catalogues.UNDATED, 0, published)
    # Stable, so that documents of one day stay in the order of their ids.
    return np.argsort(-dated, kind="stable")


LIBRARY_VERSION = "library_version"
"""Parameter that distinguishes replaced documents from an unchanged library."""
_NEVER = "not set"
_REMAINING = {"fusion": "scores", "weighting": "cosine", "documents_by": "passage", "posting_budget": "0"}
"""Parameters recorded by earlier versions, with the fixed value of today."""
_WITHOUT_EFFECT = frozenset({"rrf_k"})
"""Parameters that mattered only together with one of the others."""


def differences(then: Provenance, now: Provenance) -> tuple[str, ...]:
    """One sentence per difference; empty if the same search finds the same documents."""
    return tuple(_sentences(then, now))


def _sentences(then: Provenance, now: Provenance) -> Iterator[str]:
    if then.library != now.library:
        yield f"It was recorded in the library {then.library}; this library is {now.library}."
    before, after = dict(then.parameters), dict(now.parameters)
    yield from _library(then, now, before.pop(LIBRARY_VERSION, ""), after.pop(LIBRARY_VERSION, ""))
    named = (
        ("index", then.generation, now.generation),
        ("model", then.encoder, now.encoder),
        ("center vocabulary", then.centers, now.centers),
        ("device", then.device, now.device),
    )
    for what, old, new in named:
        if old != new:
            yield f"The {what} was {old or 'none'} and is {new or 'none'} now."
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name, ""), after.get(name, _REMAINING.get(name, ""))
        if old != new and name not in _WITHOUT_EFFECT:
            yield f"{name} was {old or _NEVER} and is {new or _NEVER} now."


def _library(then: Provenance, now: Provenance, old: str, new: str) -> Iterator[str]:
    grown = now.documents - then.documents
    if grown:
        verb = "grew" if grown > 0 else "shrank"
        yield (
            f"The library {verb} by {plural(abs(grown), 'document')}, from {then.documents:,} to "
            f"{now.documents:,}."
        )
    elif then.library == now.library and old and new and old != new:
        yield "Documents of the library were replaced by other records of the same publications."
