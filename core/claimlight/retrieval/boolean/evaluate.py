"""Evaluating a query line: full text and columns yield document sets, which are combined as flag arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from claimlight.retrieval.boolean.canonical import format_canonical
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.lookups import find_by_symbols, look_up
from claimlight.retrieval.boolean.nodes import (
    ClassRange,
    ClassSubtree,
    Complement,
    Covers,
    DayRange,
    Joint,
    Junction,
    Leaf,
    Like,
    Node,
    Number,
    Phrase,
    Proximity,
    RelatedTo,
    RelationOperator,
    SemanticText,
    SetNumber,
    children,
    leaves,
)
from claimlight.retrieval.boolean.text_search import TextSearch
from claimlight.retrieval.boolean.wildcards import LexiconSource
from claimlight.retrieval.catalogue import Catalogue
from claimlight.store.store import Store
from claimlight.store.text_index import open_text_index
from claimlight.tasks import TaskContext
from claimlight.types import TermCount

Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Result of a semantic operator: distinct documents in any order, with scores."""

    ids: Ids
    scores: Scores
    rule: str = ""
    """The rule by which documents were selected, with its numbers."""


RELATION_RULES = {
    RelationOperator.CITED: "documents of this library that it cites",
    RelationOperator.CITING: "documents that cite it or another publication of its application",
    RelationOperator.FAMILY: "documents with the same priorities, itself among them",
}
"""What each operator finds, in words."""


class Resolver(Protocol):
    """Resolves references to what is not in the library itself. Raises `QueryError` for unknown names."""

    def set_members(self, number: int) -> Ids:
        """The documents of set ``L<number>``, in any order."""

    def subtree(self, field: Field, symbol: str) -> tuple[str, ...]:
        """A symbol with all below it in the scheme of a field."""

    def semantic(self, text: str) -> Scored:
        """The documents semantically nearest to a text."""

    def like(self, publication: str, passage: str) -> Scored:
        """The documents most similar to a publication, or to a passage of it."""

    def related(self, relation: RelationOperator, publication: str, number: int) -> Ids:
        """The documents of a relation to a publication, or to those of a set where ``number`` is not 0."""

    def covers(self, label: str) -> Scored:
        """The documents that disclose a feature of the claim under examination."""


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """The result of a line."""

    ids: Ids
    """Ascending."""
    scores: Scores | None
    """[n] sums of the scores of the line's semantic operators, 0 if none scored the document; None without
    them."""
    terms: tuple[TermCount, ...]
    """One for each term, in the order of the line."""


def evaluate(
    node: Node, store: Store, catalogue: Catalogue, resolver: Resolver, context: TaskContext
) -> Matched:
    """Evaluate a line.

    A document matches a proximity if one of its paragraphs does. Raises `QueryError` if a truncated word
    matches too many words, or a set, publication or feature is unknown.
    """
    with store.read(context) as connection:
        run = _Run(_open_text(connection, store, catalogue, context), resolver)
        found = run.found(node, None)
        terms = tuple(run.term(leaf) for leaf in leaves(node))
    scores = None if found.scores is None else found.scores[found.flags]
    return Matched(catalogue.ids[found.flags], scores, terms)


def count_terms(
    node: Node, store: Store, catalogue: Catalogue, resolver: Resolver | None, context: TaskContext
) -> tuple[TermCount, ...]:
    """Count the documents of each term of a line, before it is run.

    Without a resolver, sets, subtrees of classes and semantic operators count 0.
    """
    with store.read(context) as connection:
        run = _Run(_open_text(connection, store, catalogue, context), resolver)
        return tuple(run.term(leaf) for leaf in leaves(node))


def _open_text(
    connection: Connection, store: Store, catalogue: Catalogue, context: TaskContext
) -> TextSearch:
    lexicon = LexiconSource(store.path, catalogue.version)
    return TextSearch(connection, catalogue, open_text_index(connection), lexicon, context)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A flag for each row of the catalogue, and scores if semantic operators are involved."""

    flags: Flags
    scores: Scores | None = None
    rule: str = ""


class _Run:
    """One line on one snapshot of the library; each distinct term is evaluated once."""

    def __init__(self, text: TextSearch, resolver: Resolver | None) -> None:
        self._text = text
        self._resolver = resolver
        self._known: dict[tuple[object, ...], _Found] = {}

    def found(self, node: Node, within: Flags | None) -> _Found:
        """The documents of a part; flags outside ``within`` are arbitrary, which saves work."""
        self._text.context.check()
        if isinstance(node, Proximity):
            return _Found(self._text.documents(node, within))
        if isinstance(node, Complement):
            return _Found(~self.found(node.part, within).flags)
        if isinstance(node, Junction):
            return self._junction(node, within)
        return self._leaf(node)

    def _junction(self, node: Junction, within: Flags | None) -> _Found:
        parts = node.parts
        answers: dict[int, _Found] = {}
        cheap_first = sorted(range(len(parts)), key=lambda n: _cost(parts[n]))
        # In an AND, the cheap parts first: they leave fewer documents for the costly ones.
        for n in cheap_first if node.joint is Joint.AND else range(len(parts)):
            answers[n] = self.found(parts[n], within)
            if node.joint is Joint.AND or (node.joint is Joint.NOT and n == 0):
                within = answers[n].flags if within is None else within & answers[n].flags
        return _join(node.joint, [answers[n] for n in range(len(parts))])

    def _leaf(self, leaf: Leaf) -> _Found:
        key = _key(leaf)
        if key not in self._known:
            # Whole and not `within`: the same term may occur again, and its documents are counted.
            self._known[key] = self._answer(leaf)
        return self._known[key]

    def _answer(self, leaf: Leaf) -> _Found:
        text = self._text
        if isinstance(leaf, Phrase):
            return _Found(text.documents(leaf, None))
        if isinstance(leaf, DayRange | ClassRange | Number):
            return _Found(text.held(look_up(text.connection, leaf)))
        if self._resolver is None:
            return _Found(text.held(np.empty(0, np.int64)))
        if isinstance(leaf, SetNumber):
            return _Found(text.held(self._resolver.set_members(leaf.number)))
        if isinstance(leaf, RelatedTo):
            found = self._resolver.related(leaf.relation, leaf.publication, leaf.number)
            return _Found(text.held(found), rule=RELATION_RULES[leaf.relation])
        if isinstance(leaf, ClassSubtree):
            symbols = self._resolver.subtree(leaf.field, leaf.symbol)
            return _Found(text.held(find_by_symbols(text.connection, leaf.field, symbols)))
        if isinstance(leaf, SemanticText):
            scored = self._resolver.semantic(leaf.query)
        elif isinstance(leaf, Like):
            scored = self._resolver.like(leaf.publication, leaf.passage)
        else:
            assert isinstance(leaf, Covers)
            scored = self._resolver.covers(leaf.label)
        rows = text.catalogue.rows(np.asarray(scored.ids, np.int64))
        scores = np.zeros(len(text.catalogue), np.float64)
        scores[rows[rows >= 0]] = np.asarray(scored.scores, np.float64)[rows >= 0]
        return _Found(text.held(scored.ids), scores, scored.rule)

    def term(self, leaf: Leaf) -> TermCount:
        """The count of one term."""
        documents = int(np.count_nonzero(self._leaf(leaf).flags))
        shown = format_canonical(leaf)
        if not isinstance(leaf, Phrase):
            return TermCount(shown, leaf.column, 0, documents, rule=self._leaf(leaf).rule)
        known = self._text.known(leaf)
        return TermCount(shown, leaf.column, len(known), documents, tuple(item.word for item in known[:5]))


def _key(leaf: Leaf) -> tuple[object, ...]:
    """Equal for terms with the same meaning, regardless of their position in the line."""
    values = [getattr(leaf, name) for name in type(leaf).__slots__ if name not in ("column", "text")]
    return (type(leaf), *values)


def _cost(node: Node) -> int:
    """Order of evaluation: terms checked on the texts come last, when few documents are left."""
    if isinstance(node, Proximity):
        return 2
    if isinstance(node, Junction | Complement):
        return max(_cost(part) for part in children(node))
    return 1 if isinstance(node, Phrase) else 0


def _join(joint: Joint, parts: Sequence[_Found]) -> _Found:
    flags = parts[0].flags
    for part in parts[1:]:
        if joint is Joint.AND:
            flags = flags & part.flags
        elif joint is Joint.OR:
            flags = flags | part.flags
        elif joint is Joint.XOR:
            flags = flags ^ part.flags
        else:
            flags = flags & ~part.flags
    # What NOT takes away does not score.
    given = [part.scores for part in (parts[:1] if joint is Joint.NOT else parts) if part.scores is not None]
    return _Found(flags, np.sum(given, axis=0) if given else None)
