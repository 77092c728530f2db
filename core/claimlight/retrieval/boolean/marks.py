"""The ranges of a document that made it match a query line.

Only parts of the line that are true for the document are marked: no word under NOT, no word of a false AND
within an OR, and of a proximity only the occurrences that satisfy it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection

from claimlight.retrieval.boolean.evaluate import Resolver, Scored
from claimlight.retrieval.boolean.lookups import has_symbol, holds
from claimlight.retrieval.boolean.nodes import (
    ClassRange,
    ClassSubtree,
    Complement,
    Covers,
    DayRange,
    Joint,
    Junction,
    Like,
    Node,
    Number,
    Phrase,
    Proximity,
    RelatedTo,
    SemanticText,
    SetNumber,
    leaves,
)
from claimlight.retrieval.boolean.positions import (
    Paragraph,
    Place,
    Stretch,
    Vocabulary,
    find_occurrences,
    find_pairs,
    hull,
    matches,
    split_stretches,
)
from claimlight.retrieval.boolean.text_search import read_names
from claimlight.retrieval.boolean.wildcards import compile_pattern
from claimlight.store.repository import read_passages_of
from claimlight.store.store import Store
from claimlight.tasks import TaskContext
from claimlight.text.folding import locate_words
from claimlight.types import PassageId, PatentId, SetMark, Span


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A paragraph of the document and its passage; None for a name, which is in no passage."""

    passage: PassageId | None
    stretch: Stretch
    paragraph: Paragraph


def find_marks(
    node: Node, store: Store, patent: PatentId, resolver: Resolver | None, context: TaskContext
) -> tuple[SetMark, ...]:
    """The matched ranges of a document, by passage and position; empty if it does not match.

    Without a resolver, sets and semantic operators count as true.
    """
    passages = read_passages_of(store, [patent]).get(patent, ())
    pieces = [
        _Piece(passage.id, stretch, Paragraph(stretch))
        for passage in passages
        for stretch in split_stretches(passage.section, passage.text)
    ]
    with store.read(context) as connection:
        pieces += [_Piece(None, name, Paragraph(name)) for name in read_names(connection, patent)]
        found = _Marker(node, connection, patent, resolver, pieces, context).found
    return tuple(sorted(found, key=lambda mark: (mark.passage, mark.span, mark.term)))


class _Marker:
    """One line on one document."""

    def __init__(
        self,
        node: Node,
        connection: Connection,
        patent: PatentId,
        resolver: Resolver | None,
        pieces: Sequence[_Piece],
        context: TaskContext,
    ) -> None:
        self._connection = connection
        self._patent = patent
        self._resolver = resolver
        self._pieces = pieces
        self._context = context
        # By identity: the same word at two places of the line is two terms.
        self._terms = {id(leaf): number for number, leaf in enumerate(leaves(node))}
        self._vocabulary = _expand_patterns(node, pieces)
        self._truth: dict[int, bool] = {}
        self.found = set(self._marked(node))

    def _marked(self, node: Node) -> Iterator[SetMark]:
        self._context.check()
        if not self._holds(node):
            return
        if isinstance(node, Phrase | Proximity):
            for piece in self._pieces:
                if piece.passage is not None:
                    yield from self._in_piece(node, piece, piece.passage)
        elif isinstance(node, Junction):
            for part in node.parts[:1] if node.joint is Joint.NOT else node.parts:
                yield from self._marked(part)

    def _in_piece(self, node: Phrase | Proximity, piece: _Piece, passage: PassageId) -> Iterator[SetMark]:
        if not matches(node, piece.paragraph, self._vocabulary):
            return
        traced = self._traced(node, piece.paragraph)
        placed = locate_words(piece.stretch.text)
        offset = piece.stretch.offset
        for term, (first, last) in {leaf for some in traced.values() for leaf in some}:
            span = Span(placed[first].start + offset, placed[last].end + offset)
            yield SetMark(passage, span, term)

    def _traced(self, node: Node, paragraph: Paragraph) -> dict[Place, set[tuple[int, Place]]]:
        """Each occurrence, with the terms (and their places) that contribute to it."""
        if isinstance(node, Phrase):
            term = self._terms[id(node)]
            return {place: {(term, place)} for place in find_occurrences(node, paragraph, self._vocabulary)}
        found: dict[Place, set[tuple[int, Place]]] = {}
        if isinstance(node, Junction):
            for part in node.parts:
                for place, leaf in self._traced(part, paragraph).items():
                    found.setdefault(place, set()).update(leaf)
            return found
        assert isinstance(node, Proximity)
        left, right = self._traced(node.left, paragraph), self._traced(node.right, paragraph)
        met = find_pairs(node, sorted(left), sorted(right), paragraph)
        if node.negated:
            taken = {one for one, _ in met}
            return {place: leaf for place, leaf in left.items() if place not in taken}
        for one, other in met:
            found.setdefault(hull(one, other), set()).update(left[one], right[other])
        return found

    def _holds(self, node: Node) -> bool:
        if id(node) not in self._truth:
            self._truth[id(node)] = self._true(node)
        return self._truth[id(node)]

    def _true(self, node: Node) -> bool:
        if isinstance(node, Phrase | Proximity):
            return any(matches(node, piece.paragraph, self._vocabulary) for piece in self._pieces)
        if isinstance(node, Complement):
            return not self._holds(node.part)
        if isinstance(node, Junction):
            parts = [self._holds(part) for part in node.parts]
            if node.joint is Joint.AND:
                return all(parts)
            if node.joint is Joint.NOT:
                return parts[0] and not any(parts[1:])
            # XOR of several, joined from left to right: an odd number of them.
            return any(parts) if node.joint is Joint.OR else sum(parts) % 2 == 1
        if isinstance(node, DayRange | ClassRange | Number):
            return holds(self._connection, node, self._patent)
        return self._resolver is None or self._among(self._resolver, node)

    def _among(
        self, resolver: Resolver, leaf: SetNumber | ClassSubtree | SemanticText | Like | Covers | RelatedTo
    ) -> bool:
        if isinstance(leaf, ClassSubtree):
            symbols = resolver.subtree(leaf.field, leaf.symbol)
            return has_symbol(self._connection, leaf.field, symbols, self._patent)
        if isinstance(leaf, SetNumber):
            return bool(np.isin(self._patent, resolver.set_members(leaf.number)))
        if isinstance(leaf, RelatedTo):
            found = resolver.related(leaf.relation, leaf.publication, leaf.number)
            return bool(np.isin(self._patent, found))
        if isinstance(leaf, SemanticText):
            scored: Scored = resolver.semantic(leaf.query)
        else:
            scored = (
                resolver.like(leaf.publication, leaf.passage)
                if isinstance(leaf, Like)
                else resolver.covers(leaf.label)
            )
        return bool(np.isin(self._patent, scored.ids))


def _expand_patterns(node: Node, pieces: Sequence[_Piece]) -> Vocabulary:
    """The words of this document that match each pattern."""
    words = {word for piece in pieces for word in piece.paragraph.words}
    patterns = {pattern for leaf in leaves(node) if isinstance(leaf, Phrase) for pattern in leaf.patterns}
    return {
        pattern: frozenset(word for word in words if compile_pattern(pattern).fullmatch(word))
        for pattern in patterns
    }
