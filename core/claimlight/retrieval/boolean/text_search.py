"""Documents by their words: the full text yields rows; where it can't be exact, the texts are checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from claimlight.errors import QueryError
from claimlight.retrieval.boolean.fields import NAMES, TEXT, Field
from claimlight.retrieval.boolean.nodes import Node, Phrase, Proximity, children, leaves
from claimlight.retrieval.boolean.plan import TextPlan, make_plans, write_candidates, write_pieces
from claimlight.retrieval.boolean.positions import Paragraph, Stretch, Vocabulary, matches, split_stretches
from claimlight.retrieval.boolean.wildcards import LexiconSource, expand
from claimlight.retrieval.catalogue import Catalogue
from claimlight.store.found_rows import NO_ROWS, IndexedWord, join_rows
from claimlight.store.text_index import TextIndex
from claimlight.store.text_query import NEVER, TextQuery, TextTable
from claimlight.store.word_index import PARTY_ROWS
from claimlight.tasks import TaskContext
from claimlight.types import Role, Section

Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]
_LOOKED_AT = 400
"""Number of rows whose texts are fetched per query."""
_PASSAGES = "SELECT id, section, text FROM passage WHERE id IN ({})"
_NAME = "SELECT role, name FROM party WHERE document_id = ? AND position = ?"
_ALL_NAMES = "SELECT role, name FROM party WHERE document_id = ?"
_NAMED = (Role.APPLICANT, Role.ASSIGNEE, Role.INVENTOR)


def read_names(connection: Connection, document: int) -> tuple[Stretch, ...]:
    """The searchable names of a document: applicants, assignees and inventors."""
    rows = connection.exec_driver_sql(_ALL_NAMES, (document,))
    return tuple(_make_name(role, name) for role, name in rows if role in _NAMED)


def _make_name(role: str, name: str) -> Stretch:
    return Stretch(Field.INVENTOR if role == Role.INVENTOR else Field.APPLICANT, name, 0)


class TextSearch:
    """Full-text search on one snapshot of a library; results are flags, one for each row of the catalogue."""

    def __init__(
        self,
        connection: Connection,
        catalogue: Catalogue,
        index: TextIndex,
        lexicon: LexiconSource,
        context: TaskContext,
    ) -> None:
        self.connection = connection
        self.catalogue = catalogue
        self.context = context
        self._index = index
        self._lexicon = lexicon
        self._ends = catalogue.first_passage + catalogue.passages
        self._expanded: dict[tuple[str, TextTable], tuple[IndexedWord, ...]] = {}

    def documents(self, node: Node, within: Flags | None) -> Flags:
        """The documents with an occurrence; flags outside ``within`` are arbitrary, which saves work.

        Raises `QueryError` if more texts than a server should send would have to be read.
        """
        vocabulary = self.vocabulary(node)
        found = np.zeros(len(self.catalogue), np.bool_)
        for plan in make_plans(node, vocabulary):
            rows = NO_ROWS if plan.candidates == NEVER else self._candidates(node, vocabulary, plan)
            for query in plan.sure:
                rows = join_rows(rows, self._sure_rows(plan.table, query, found))
            owners = self._owners(plan.table, rows)
            wanted = ~found if within is None else within & ~found
            open_rows = owners >= 0
            open_rows[open_rows] = wanted[owners[open_rows]]
            self._check_number(node, int(np.count_nonzero(open_rows)))
            self._check(node, vocabulary, plan.table, rows[open_rows], owners[open_rows], found)
        return found

    def vocabulary(self, node: Node) -> Vocabulary:
        """The words of the library that each pattern of a part matches."""
        found: dict[str, frozenset[str]] = {}
        for leaf in leaves(node):
            assert isinstance(leaf, Phrase)
            for pattern in leaf.patterns:
                words = {item.word for item in self._words(pattern, leaf)}
                found[pattern] = found.get(pattern, frozenset()) | words
        return found

    def known(self, leaf: Phrase) -> list[IndexedWord]:
        """The words that a term matches, most frequent first."""
        found: dict[str, int] = {}
        for pattern in dict.fromkeys(leaf.patterns):
            for item in self._words(pattern, leaf):
                found[item.word] = max(item.rows, found.get(item.word, 0))
        return [IndexedWord(*item) for item in sorted(found.items(), key=lambda item: (-item[1], item[0]))]

    def held(self, ids: Ids) -> Flags:
        """Flags of the documents with these ids; ids that are not in the catalogue are ignored."""
        found = np.zeros(len(self.catalogue), np.bool_)
        rows = self.catalogue.rows(np.asarray(ids, np.int64))
        found[rows[rows >= 0]] = True
        return found

    def _words(self, pattern: str, leaf: Phrase) -> Iterator[IndexedWord]:
        for fields, table in ((TEXT, TextTable.PASSAGES), (NAMES, TextTable.NAMES)):
            if not set(fields) & set(leaf.fields):
                continue
            key = (pattern, table)
            if key not in self._expanded:
                self._expanded[key] = expand(
                    self._index, pattern, table=table, lexicon=self._lexicon, column=leaf.column
                )
            yield from self._expanded[key]

    def _sure_rows(self, table: TextTable, query: TextQuery, found: Flags) -> Ids:
        """Flag the documents of a query's rows; returns the rows that the database left open."""
        self.context.check()
        documents = self._index.find_documents(table, query)
        if documents is not None:
            found |= self.held(documents)
            return NO_ROWS
        rows = self._index.find(table, query)
        found |= self._flags(table, rows.sure)
        return rows.open

    def _rows(self, table: TextTable, query: TextQuery) -> Ids:
        """Rows that a query means or may mean, ascending."""
        self.context.check()
        rows = self._index.find(table, query)
        return join_rows(rows.sure, rows.open)

    def _candidates(self, node: Node, vocabulary: Vocabulary, plan: TextPlan) -> Ids:
        """The candidate rows: combined by the full text or, for patterns with very many words, here."""
        if plan.candidates is not None:
            return self._rows(plan.table, plan.candidates)
        if isinstance(node, Phrase):
            found = [
                [
                    self._rows(plan.table, piece)
                    for piece in write_pieces(node, pattern, vocabulary, plan.fields)
                ]
                for pattern in dict.fromkeys(node.patterns)
            ]
            each = [np.unique(np.concatenate(some)) if some else NO_ROWS for some in found]
            return reduce(np.intersect1d, each)
        parts = [
            self._candidates(
                part, vocabulary, replace(plan, candidates=write_candidates(part, vocabulary, plan.fields))
            )
            for part in (
                children(node)[:1] if isinstance(node, Proximity) and node.negated else children(node)
            )
        ]
        return reduce(np.intersect1d if isinstance(node, Proximity) else np.union1d, parts)

    def _check_number(self, node: Node, many: int) -> None:
        most = self._index.most_open
        if most is not None and many > most:
            raise QueryError(
                f"{many:,} texts would have to be read to evaluate this, more than {most:,}. Join it by AND "
                "with a date, a class or rarer words, use fewer wildcards, or limit it to a field (.clm.).",
                column=_column(node),
            )

    def _flags(self, table: TextTable, rows: Ids) -> Flags:
        if table is TextTable.NAMES:
            return self.held(rows // PARTY_ROWS)
        # A document matches if a row is in its range of passages.
        return np.searchsorted(rows, self._ends) > np.searchsorted(rows, self.catalogue.first_passage)

    def _owners(self, table: TextTable, rows: Ids) -> Ids:
        """Catalogue row of the document of each text row; -1 if it is not in the catalogue."""
        names = table is TextTable.NAMES
        return self.catalogue.rows(rows // PARTY_ROWS if names else self.catalogue.documents_of(rows))

    def _check(
        self, node: Node, vocabulary: Vocabulary, table: TextTable, rows: Ids, owners: Ids, found: Flags
    ) -> None:
        """Flag the documents of rows that match; a document's further rows are skipped."""
        for start in range(0, len(rows), _LOOKED_AT):
            self.context.check()
            of = owners[start : start + _LOOKED_AT]
            still = ~found[of]
            owner_of = dict(
                zip(rows[start : start + _LOOKED_AT][still].tolist(), of[still].tolist(), strict=True)
            )
            done: set[int] = set()
            for row, parts in self._stretches(table, list(owner_of)):
                owner = owner_of[row]
                if owner not in done and any(matches(node, Paragraph(part), vocabulary) for part in parts):
                    done.add(owner)
            found[list(done)] = True

    def _stretches(self, table: TextTable, rows: list[int]) -> Iterator[tuple[int, tuple[Stretch, ...]]]:
        run = self.connection.exec_driver_sql
        if table is TextTable.NAMES:
            for row in rows:
                # The rowid of a name is document * PARTY_ROWS + position.
                for role, name in run(_NAME, divmod(row, PARTY_ROWS)):
                    yield row, (_make_name(role, name),)
            return
        for row, section, text in _read_texts(self.connection, rows):
            yield row, split_stretches(Section(section), text)


def _read_texts(connection: Connection, rows: list[int]) -> Iterable[Any]:
    if not rows:
        return ()
    return connection.exec_driver_sql(_PASSAGES.format(", ".join("?" * len(rows))), tuple(rows))


def _column(node: Node) -> int:
    """Where a part begins in the line; 0 if unknown."""
    return node.column or next((leaf.column for leaf in leaves(node)), 0)
