"""The terms of a query line that are not words: recorded sets, classes, citations, semantic operators.

A semantic operator is a search whose best documents become a set. ``~"text"`` and ``LIKE(…)`` give the best
`SetRequest.depth` documents by fused score whose similarity stands out in the library, ``COVERS(F3)`` every
document with a strong match of the feature, as in the matrix. They need an index and are never replaced by
keywords.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError, QueryError, ResourceError
from claimlight.highlight.evidence import find_shares, mark_informative, measure_strengths
from claimlight.highlight.terms import Terms
from claimlight.retrieval import Catalogue
from claimlight.retrieval.base import rank_by_best_part
from claimlight.retrieval.boolean.evaluate import Scored
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.nodes import (
    ClassSubtree,
    Covers,
    Leaf,
    Like,
    RelatedTo,
    RelationOperator,
    SemanticText,
    SetNumber,
)
from claimlight.services.classes.schemes import Schemes
from claimlight.services.library.documents import identify
from claimlight.services.library.library import Library
from claimlight.services.search import queries
from claimlight.services.search.index_notes import describe_claims_only, describe_waiting
from claimlight.services.search.languages import notes_of_library
from claimlight.services.search.requests import cut_query
from claimlight.services.search.search import Ranked, SearchEngine
from claimlight.services.search.search_state import SearchState
from claimlight.services.search.verdicts import reaches, thresholds_of
from claimlight.services.sets.set_members import SetMembers
from claimlight.settings import Settings
from claimlight.store import document_relations, repository, statistics
from claimlight.store.publication_keys import parse_publication
from claimlight.tasks import TaskContext
from claimlight.types import (
    Feature,
    PassageId,
    PatentId,
    PublicationNumber,
    Query,
    QuerySet,
    Ranker,
    Scheme,
    SearchRequest,
    SetRequest,
    plural,
)

KEPT = 32
"""Number of cached answers of semantic operators."""
BACKGROUND = 2000
"""Number of documents that a cut-off is estimated from."""
_SECTIONS = 3
"""Maximum number of section vectors per document."""
_READ = 500
"""Number of passages whose texts are in memory at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The documents of a semantic operator, with notes for the user."""

    scored: Scored
    notes: tuple[str, ...] = ()


class Answers:
    """Cache of answers: after a line is run, each opened document needs the same answer for its marks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[object, ...], Answer] = OrderedDict()

    def of(self, key: tuple[object, ...], ask: Callable[[], Answer]) -> Answer:
        """The cached answer for ``key``, which contains everything it depends on, else that of ``ask``."""
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
                return found
        # Outside the lock: two threads may compute one answer twice, but none waits for another's search.
        found = ask()
        with self._lock:
            self._known[key] = found
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return found


class SetResolver:
    """Resolves the terms of one query line that are not words."""

    def __init__(
        self,
        request: SetRequest,
        sets: Mapping[int, QuerySet],
        *,
        library: Library,
        settings: Settings,
        engine: SearchEngine,
        members: SetMembers,
        answers: Answers,
        catalogue: Catalogue,
        context: TaskContext,
    ) -> None:
        self._request = request
        self._sets = sets
        self._library = library
        self._settings = settings
        self._engine = engine
        self._members = members
        self._answers = answers
        self._catalogue = catalogue
        self._context = context
        self.state: SearchState | None = None
        """State used by the semantic operators; None if none was run."""
        self.notes: list[str] = []
        self.editions: dict[str, str] = {}
        """Edition that each subtree of a class was read from, by the symbol."""
        self._subtrees: dict[tuple[Field, str], tuple[str, ...]] = {}

    def check(self, leaf: Leaf) -> None:
        """Raise `QueryError` with the column of a term that can't be answered."""
        try:
            match leaf:
                case SetNumber():
                    self._set(leaf.number)
                case ClassSubtree():
                    self.subtree(leaf.field, leaf.symbol)
                case SemanticText():
                    self._indexed(leaf.text)
                    queries.query_from_text(leaf.query)
                case Like():
                    self._indexed(leaf.text)
                    identify(self._library, leaf.publication)
                    if leaf.passage:
                        queries.query_from_text(leaf.passage)
                case RelatedTo() if leaf.number:
                    self._set(leaf.number)
                case RelatedTo():
                    self._named(leaf.relation, leaf.publication)
                case Covers():
                    self._feature(leaf.label)
                    self._indexed(leaf.text)
        except QueryError:
            raise
        except InputError as error:
            raise QueryError(str(error), column=leaf.column) from error

    def set_members(self, number: int) -> NDArray[np.int64]:
        """The documents of a recorded set that are in this library, ascending."""
        record = self._set(number)
        found = self._members.members(record.hits, self._catalogue.version)
        if found.missing:
            where = record.provenance.library
            elsewhere = where != self._library.name
            origin = f", which was recorded in the library {where}," if elsewhere else ""
            ending = "" if elsewhere else " any more"
            self.notes.append(
                f"Of the {plural(len(found.ids), 'document')} of {record.label}{origin} {found.missing:,} "
                f"{'is' if found.missing == 1 else 'are'} not in "
                f"this library{ending}."
            )
        return found.held

    def subtree(self, field: Field, symbol: str) -> tuple[str, ...]:
        """A symbol with all below it, by the newest edition that has it; noted if that is not the newest."""
        key = (field, symbol)
        if key not in self._subtrees:
            found = Schemes().below(symbol, Scheme(field.value))
            if found.retired:
                self.notes.append(
                    f"{symbol} is retired; what is below it is read from {found.edition}, the last imported "
                    "edition that has it."
                )
            self.editions[symbol] = str(found.edition)
            self._subtrees[key] = found.symbols
        return self._subtrees[key]

    def semantic(self, text: str) -> Scored:
        """The best documents for a free text."""
        return self._ranked(queries.query_from_text(text), self._request.exclude_family_of, '~"…"')

    def like(self, publication: str, passage: str) -> Scored:
        """The best documents for a passage of a document, or its first claim, without its own family."""
        patent = identify(self._library, publication)
        own = repository.read_publications(self._library.store, [patent])[patent]
        query = (
            queries.query_from_text(passage) if passage else queries.query_from_document(self._library, own)
        )
        found = self._ranked(query, own, "LIKE")
        return replace(found, rule=f"without its own family; {found.rule}" if found.rule else "")

    def related(self, relation: RelationOperator, publication: str, number: int) -> NDArray[np.int64]:
        """The documents cited by, citing, or of the family of a publication or the documents of a set."""
        if number:
            members = self.set_members(number)
        else:
            patent = self._named(relation, publication)
            members = np.array([] if patent is None else [patent], dtype=np.int64)
        key = ("related", self._catalogue.version, relation, publication, members.tobytes())
        return self._answers.of(key, lambda: self._relations(relation, publication, members)).scored.ids

    def _relations(self, relation: RelationOperator, publication: str, members: NDArray[np.int64]) -> Answer:
        if relation is RelationOperator.FAMILY:
            rows = self._catalogue.rows(members)
            family = self._catalogue.family
            found = self._catalogue.ids[np.isin(family, family[rows[rows >= 0]])]
        else:
            with self._library.store.read(self._context) as connection:
                if relation is RelationOperator.CITED:
                    ids = document_relations.read_cited_documents(connection, members.tolist())
                elif len(members) or (named := parse_publication(publication)) is None:
                    ids = document_relations.read_citing_documents(connection, members.tolist())
                else:
                    ids = document_relations.read_citing_number(connection, named)
            found = np.array(sorted(ids), dtype=np.int64)
        return Answer(Scored(found, np.zeros(len(found))))

    def _named(self, relation: RelationOperator, publication: str) -> PatentId | None:
        """The document of a publication; None for one that is not here, but that others may cite."""
        if relation is RelationOperator.CITING and parse_publication(publication) is not None:
            return repository.find(self._library.store, publication)
        return identify(self._library, publication)

    def covers(self, label: str) -> Scored:
        """Every document with a strong match of a feature of the claim; the score is the match strength."""
        query, feature = self._feature(label)
        state = self._indexed(f"COVERS({label})")
        strong = thresholds_of(self._settings.search).strong
        key = ("covers", state.identity, query.text, query.section, feature.span, strong)
        return self._told(self._answers.of(key, lambda: self._covered(state, query, feature)))

    def _covered(self, state: SearchState, query: Query, feature: Feature) -> Answer:
        assert state.encoder is not None
        assert state.generation is not None
        terms = (
            state.encoder.encode(cut_query(query)[0], self._context)
            .terms_of_feature(feature)
            .saying(query.text)
        )
        self._context.check()
        passages, documents, strengths = self._strong(state, terms)
        languages = state.encoder.stack.languages
        if languages:
            # As in the matrix: in a language the model does not read, look-alike words are no disclosure.
            unread = repository.find_passages_not_in(
                self._library.store, passages, languages, context=self._context
            )
            read = np.isin(passages, list(unread), invert=True)
            documents, strengths = documents[read], strengths[read]
        ranking = rank_by_best_part(
            Ranker.CENTERS,
            documents,
            strengths,
            depth=max(len(self._catalogue), 1),
        )
        notes: list[str] = []
        if not len(terms):
            notes.append(f"{feature.label} has no word that can be searched in the index.")
        notes += self._unindexed(state, "COVERS")
        notes += self._unread(state)
        return Answer(self._found(ranking.ids, ranking.scores), tuple(notes))

    def _strong(
        self, state: SearchState, terms: Terms
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Passages with a strong match, their documents and match strengths.

        The index gives an upper bound of the strength, so only texts above the threshold are read.
        """
        assert state.generation is not None
        strong = thresholds_of(self._settings.search).strong
        scoring = state.generation.scoring(self._settings.centers)
        # Half a figure below: what is rounded up to the threshold reaches it.
        least = max(strong - 0.01, 1e-6)
        carried = state.generation.passages_above(scoring.shares(terms.center, terms.weight), least)
        enough = np.flatnonzero(reaches(carried.scores, strong))
        found, first = np.unique(carried.passages[enough], return_index=True)
        forward = state.generation.forward(found, terms.center)
        passages, documents = forward.passages, carried.documents[enough][first][forward.place]
        met = find_shares(terms, forward, scoring)
        strengths = np.zeros(len(passages))
        marks = np.zeros(len(forward.centers), dtype=np.bool_)
        for start in range(0, len(passages), _READ):
            self._context.check()
            block = range(start, min(start + _READ, len(passages)))
            texts = repository.read_passages(
                self._library.store, [PassageId(int(passages[row])) for row in block]
            )
            for row in block:
                # Without a text nothing is marked, so the strength is 0.
                if (stored := texts.get(PassageId(int(passages[row])))) is not None:
                    mark_informative(forward, row, stored.text, marks)
            rows = np.arange(block.start, block.stop)
            strengths[rows] = measure_strengths(met, rows, marks)
        kept = np.flatnonzero(reaches(strengths, strong))
        return passages[kept], documents[kept], strengths[kept]

    def _ranked(self, query: Query, without: PublicationNumber | None, operator: str) -> Scored:
        depth = self._request.depth
        asked = self._request
        request = SearchRequest(
            query, before=asked.before, exclude_family_of=without, top=depth, classes=asked.classes
        )
        state = self._engine.state(self._context)
        self._use(state)

        def ask() -> Answer:
            ranked = self._engine.rank(request, self._context, among=state.indexed)
            if ranked.fault:
                # Of some rankers only it would be another set, and the answer would be kept.
                raise ResourceError(f"{operator} has no answer. {ranked.fault}")
            # What is not indexed was not searched at all, so it was not searched by its words either.
            every = len(state.catalogue)
            told = (
                describe_waiting(state.waiting, every),
                describe_claims_only(len(state.claims_only), every),
            )
            notes = [note for note in ranked.notes if note not in told]
            found = self._near(ranked, state, depth)
            return Answer(found, (*notes, *self._unindexed(state, operator), *self._unread(state)))

        return self._told(self._answers.of((state.identity, request), ask))

    def _near(self, ranked: Ranked, state: SearchState, depth: int) -> Scored:
        """The best documents whose similarity stands out in the library, and always the nearest one."""
        vector = ranked.encoded.retrieval.vector if ranked.encoded is not None else None
        ids, scores = ranked.fused.ids[:depth], ranked.fused.scores[:depth]
        if vector is None or not len(ids):
            return _none()
        background = _similarities(state, vector, _spread(state.indexed))
        deviations = self._settings.search.meaning_cut
        mean, spread = float(background.mean()), float(background.std())
        least = mean + deviations * spread
        similar = _similarities(state, vector, ids)
        kept = (similar >= least) | (similar == similar.max())
        found = self._found(ids[kept], scores[kept])
        rule = (
            f"similarity {least:.2f} or more (mean of the library {mean:.2f} + {deviations:g} × its standard "
            f"deviation {spread:.2f}), the nearest document in any case, {depth:,} documents at most"
        )
        return replace(found, rule=rule)

    def _unindexed(self, state: SearchState, operator: str) -> tuple[str, ...]:
        """Notes on documents that semantic operators can't find yet, or not by their description."""
        notes: list[str] = []
        many, every = state.waiting, len(state.catalogue)
        if many:
            verb = "is" if many == 1 else "are"
            notes.append(
                f"{operator} finds indexed documents only; {many:,} of {every:,} {verb} not indexed yet."
            )
        if partly := len(state.claims_only):
            notes.append(
                f"{operator} finds {partly:,} of {every:,} documents by title, abstract and claims only; "
                f"{'its description is' if partly == 1 else 'their descriptions are'} not indexed yet."
            )
        return tuple(notes)

    def _unread(self, state: SearchState) -> tuple[str, ...]:
        """Note on documents in languages that the model does not read."""
        if state.encoder is None:
            return ()
        return notes_of_library(state.encoder.stack, dict(statistics.read_languages(self._library.store)))

    def _told(self, answer: Answer) -> Scored:
        self.notes += answer.notes
        return answer.scored

    def _found(self, ids: NDArray[np.int64], scores: NDArray[np.float64]) -> Scored:
        """Ids ascending, of documents that are in the library still."""
        kept = np.flatnonzero(self._catalogue.rows(ids) >= 0)
        order = kept[np.argsort(ids[kept], kind="stable")]
        return Scored(ids[order], scores[order])

    def _set(self, number: int) -> QuerySet:
        found = self._sets.get(number)
        if found is None:
            if not self._sets:
                raise InputError(
                    f"L{number} is a set of a case, and no set has been recorded here. Run another "
                    "line first; in the terminal, give the case with --case N (`claimlight cases list`)."
                )
            last = max(self._sets)
            known = f"it has L1 to L{last}" if last > 1 else "it has L1 only"
            raise InputError(f"There is no set L{number} in this case: {known}.")
        return found

    def _feature(self, label: str) -> tuple[Query, Feature]:
        query = self._request.query
        if query is None or not query.features:
            raise InputError(
                f"COVERS({label}) speaks of a feature of the claim, and no claim was given. Choose a claim "
                "in the window, or give its file with --claims."
            )
        feature = next((item for item in query.features if item.label == label.upper()), None)
        if feature is None:
            first, last = query.features[0].label, query.features[-1].label
            there = f"{first} to {last}" if first != last else first
            raise InputError(f"There is no feature {label}: the claim has {there}.")
        return query, feature

    def _indexed(self, term: str) -> SearchState:
        state = self._engine.state(self._context)
        if state.generation is None or state.encoder is None or not len(state.indexed):
            told = _missing(state, shared=self._library.shared is not None)
            raise InputError(f"{term} {told}, or remove this term.")
        self._use(state)
        return state

    def _use(self, state: SearchState) -> None:
        self.state = state


class SetsOnly:
    """A resolver for the counts of a line that is being written: sets are known, nothing is searched."""

    def __init__(self, resolver: SetResolver) -> None:
        self._resolver = resolver

    def set_members(self, number: int) -> NDArray[np.int64]:
        """As when the line is run."""
        return self._resolver.set_members(number)

    def subtree(self, field: Field, symbol: str) -> tuple[str, ...]:
        """As when the line is run."""
        return self._resolver.subtree(field, symbol)

    def semantic(self, text: str) -> Scored:
        """Nothing yet."""
        return _none()

    def like(self, publication: str, passage: str) -> Scored:
        """Nothing yet."""
        return _none()

    def related(self, relation: RelationOperator, publication: str, number: int) -> NDArray[np.int64]:
        """As when the line is run."""
        return self._resolver.related(relation, publication, number)

    def covers(self, label: str) -> Scored:
        """Nothing yet."""
        return _none()


def _missing(state: SearchState, *, shared: bool) -> str:
    """Why semantic search is not possible, and what to do about it; follows the name of the term."""
    if state.fault:
        what = "Set that right" if shared else "Repair it"
        return f"needs an index, and the index can't be used: {state.fault} {what}"
    way = "`claimlight push`" if shared else "Library → Index new documents or `claimlight index`"
    if state.generation is None:
        return f"needs an index. Build it with {way}"
    return f"needs an index, and no document is indexed yet. Build it with {way}"


def _spread(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most `BACKGROUND` documents, evenly over the library: the same ones for the same library."""
    if len(ids) <= BACKGROUND:
        return ids
    return ids[np.linspace(0, len(ids) - 1, BACKGROUND).astype(np.int64)]


def _similarities(
    state: SearchState, vector: NDArray[np.float32], ids: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The similarity of some documents by their nearest section, exactly; the least of all without one."""
    assert state.generation is not None
    hits = state.generation.search_dense(vector, _SECTIONS * len(ids), exact=True, documents=np.sort(ids))
    best: dict[int, float] = {}
    for hit in hits:
        best[hit.document] = max(best.get(hit.document, -1.0), hit.score)
    return np.array([best.get(document, -1.0) for document in ids.tolist()])


def _none() -> Scored:
    return Scored(np.empty(0, np.int64), np.empty(0, np.float64))
