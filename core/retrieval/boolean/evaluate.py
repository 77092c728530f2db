"""The documents of a query line: full text and columns give ids, ids are joined as sorted arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.retrieval.boolean.lookups import Rows, lookup
from core.retrieval.boolean.nodes import (
    ClassRange,
    Complement,
    Covers,
    Days,
    Joint,
    Junction,
    Leaf,
    Like,
    Meaning,
    Node,
    Number,
    Proximity,
    SetNumber,
    Words,
    leaves,
)
from core.retrieval.boolean.text import TextSearch
from core.retrieval.catalogue import Catalogue
from core.store.store import Store
from core.tasks import TaskContext
from core.types import TermCount

Ids = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What a semantic operator brings: documents and a score for each, in any order, none twice."""

    ids: Ids
    scores: Scores


class Resolver(Protocol):
    """What a line may name that the library itself does not hold. Unknown names are `QueryError`."""

    def set_members(self, number: int) -> Ids:
        """The documents of set ``L<number>``, in any order."""

    def semantic(self, text: str) -> Scored:
        """The documents nearest in meaning to a text."""

    def like(self, publication: str) -> Scored:
        """The documents most like a publication."""

    def covers(self, label: str) -> Scored:
        """The documents that carry a feature of the claim under examination."""


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """The documents of a line."""

    ids: Ids
    """Ascending."""
    scores: Scores | None
    """One for each where a semantic operator took part: the sum of what its operators gave, else 0."""
    terms: tuple[TermCount, ...]
    """One for each leaf, in the order of the line."""


def evaluate(
    node: Node, store: Store, catalogue: Catalogue, resolver: Resolver, context: TaskContext
) -> Matched:
    """The documents that a line stands for.

    A document matches a proximity where one of its paragraphs does. `QueryError` where a truncated word
    stands for too many words, or a set, publication or feature is unknown.
    """
    with store.read(context) as connection:
        run = _Run(TextSearch(connection, catalogue, context), resolver)
        found = run.found(node, None)
        terms = tuple(run.term(leaf) for leaf in leaves(node))
    return Matched(found.ids, found.scores, terms)


def counts(
    node: Node, store: Store, catalogue: Catalogue, resolver: Resolver | None, context: TaskContext
) -> tuple[TermCount, ...]:
    """The terms of a line with their documents, before it's run.

    Without a resolver, sets and semantic operators count 0.
    """
    with store.read(context) as connection:
        run = _Run(TextSearch(connection, catalogue, context), resolver)
        return tuple(run.term(leaf) for leaf in leaves(node))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    ids: Ids
    scores: Scores | None = None


class _Run:
    """One line on one snapshot of the library; a leaf is answered once."""

    def __init__(self, text: TextSearch, resolver: Resolver | None) -> None:
        self._text = text
        self._resolver = resolver
        self._known: dict[tuple[object, ...], _Found] = {}

    def found(self, node: Node, within: Ids | None) -> _Found:
        """The documents of a part; outside ``within`` anything may be said."""
        self._text.context.check()
        if isinstance(node, Proximity):
            return _Found(self._text.documents(node, within))
        if isinstance(node, Complement):
            every = self._text.catalogue.ids
            return _Found(np.setdiff1d(every, self.found(node.part, within).ids, assume_unique=True))
        if isinstance(node, Junction):
            return self._junction(node, within)
        return self._leaf(node)

    def _junction(self, node: Junction, within: Ids | None) -> _Found:
        if node.joint is Joint.AND:
            cheap_first = sorted(range(len(node.parts)), key=lambda n: _cost(node.parts[n]))
            answers: dict[int, _Found] = {}
            for n in cheap_first:
                answers[n] = self.found(node.parts[n], within)
                within = answers[n].ids if within is None else _common(within, answers[n].ids)
            return _join(Joint.AND, [answers[n] for n in range(len(node.parts))])
        parts = [self.found(node.parts[0], within)]
        if node.joint is Joint.NOT:
            within = parts[0].ids
        parts += [self.found(part, within) for part in node.parts[1:]]
        return _join(node.joint, parts)

    def _leaf(self, leaf: Leaf) -> _Found:
        key = _key(leaf)
        if key not in self._known:
            self._known[key] = self._answer(leaf)
        return self._known[key]

    def _answer(self, leaf: Leaf) -> _Found:
        text = self._text
        if isinstance(leaf, Words):
            return _Found(text.documents(leaf, None))
        if isinstance(leaf, Days | ClassRange | Number):
            return _Found(text.held(lookup(text.connection, leaf)))
        if self._resolver is None:
            return _Found(np.empty(0, np.int64))
        if isinstance(leaf, SetNumber):
            return _Found(text.held(self._resolver.set_members(leaf.number)))
        if isinstance(leaf, Meaning):
            scored = self._resolver.semantic(leaf.query)
        elif isinstance(leaf, Like):
            scored = self._resolver.like(leaf.publication)
        else:
            assert isinstance(leaf, Covers)
            scored = self._resolver.covers(leaf.label)
        ids, at = np.unique(np.asarray(scored.ids, np.int64), return_index=True)
        kept = text.catalogue.rows(ids) >= 0
        return _Found(ids[kept], np.asarray(scored.scores, np.float64)[at][kept])

    def term(self, leaf: Leaf) -> TermCount:
        """The count of one leaf."""
        documents = len(self._leaf(leaf).ids)
        shown = leaf.text
        if not isinstance(leaf, Words):
            return TermCount(shown, leaf.column, 0, documents)
        known = self._text.known(leaf)
        return TermCount(shown, leaf.column, len(known), documents, tuple(item.word for item in known[:5]))


def _key(leaf: Leaf) -> tuple[object, ...]:
    """Equal for leaves of one meaning, wherever they stand in the line."""
    values = [getattr(leaf, name) for name in type(leaf).__slots__ if name not in ("column", "text")]
    return (type(leaf), *values)


def _cost(node: Node) -> int:
    """What is looked at word by word comes last, when few documents are left."""
    if isinstance(node, Proximity):
        return 2
    if isinstance(node, Junction | Complement):
        parts = node.parts if isinstance(node, Junction) else (node.part,)
        return max(_cost(part) for part in parts)
    return 1 if isinstance(node, Words) else 0


def _common(left: Ids, right: Ids) -> Ids:
    return np.intersect1d(left, right, assume_unique=True)


def _join(joint: Joint, parts: Iterable[_Found]) -> _Found:
    first, *others = parts
    ids = first.ids
    for other in others:
        if joint is Joint.AND:
            ids = _common(ids, other.ids)
        elif joint is Joint.OR:
            ids = np.union1d(ids, other.ids)
        elif joint is Joint.XOR:
            ids = np.setxor1d(ids, other.ids, assume_unique=True)
        else:
            ids = np.setdiff1d(ids, other.ids, assume_unique=True)
    given = [first] if joint is Joint.NOT else [first, *others]
    scored = [part for part in given if part.scores is not None]
    if not scored:
        return _Found(ids)
    total = np.zeros(len(ids), np.float64)
    for part in scored:
        assert part.scores is not None
        shared, mine, theirs = np.intersect1d(ids, part.ids, assume_unique=True, return_indices=True)
        if len(shared):
            total[mine] += part.scores[theirs]
    return _Found(ids, total)


__all__ = ["Matched", "Resolver", "Rows", "Scored", "counts", "evaluate"]
