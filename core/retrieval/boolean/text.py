"""Documents by their words: FTS5 gives rows, and where it can't be exact the texts are looked at."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from core.retrieval.boolean.fields import NAMES, TEXT, Field
from core.retrieval.boolean.nodes import Node, Words, leaves
from core.retrieval.boolean.plan import plans
from core.retrieval.boolean.positions import Paragraph, Stretch, Vocabulary, matches, stretches
from core.retrieval.boolean.words import KnownWord, expand
from core.retrieval.catalogue import Catalogue
from core.store.words import PARTY_ROWS
from core.tasks import TaskContext
from core.types import Role, Section

Ids = NDArray[np.int64]
_LOOKED_AT = 400
"""Rows whose text is fetched in one query."""
_PASSAGES = "SELECT id, section, text FROM passage WHERE id IN ({})"
_NAME = "SELECT role, name FROM party WHERE document_id = ? AND position = ?"


class TextSearch:
    """Words of one snapshot of a library."""

    def __init__(self, connection: Connection, catalogue: Catalogue, context: TaskContext) -> None:
        self.connection = connection
        self.catalogue = catalogue
        self.context = context
        self._expanded: dict[tuple[str, str], tuple[KnownWord, ...]] = {}

    def documents(self, node: Node, within: Ids | None) -> Ids:
        """The documents with an occurrence, ascending; outside ``within`` anything may be said."""
        vocabulary = self.vocabulary(node)
        found = np.empty(0, np.int64)
        for plan in plans(node, vocabulary):
            of = self._of_names if plan.table == "party_words" else self._of_passages
            if plan.exact:
                found = np.union1d(found, of(self._rows(plan.table, plan.exact)))
            if plan.candidates:
                rows = self._rows(plan.table, plan.candidates)
                owners = self._owners(plan.table, rows)
                wanted = owners > 0
                if within is not None:
                    wanted &= np.isin(owners, within)
                wanted &= ~np.isin(owners, found)
                checked = self._checked(node, vocabulary, plan.table, rows[wanted], owners[wanted])
                found = np.union1d(found, checked)
        return found

    def vocabulary(self, node: Node) -> Vocabulary:
        """The words of the library that each pattern of a part stands for."""
        found: dict[str, frozenset[str]] = {}
        for leaf in leaves(node):
            assert isinstance(leaf, Words)
            for pattern in leaf.patterns:
                words = {item.word for item in self._words(pattern, leaf)}
                found[pattern] = found.get(pattern, frozenset()) | words
        return found

    def known(self, leaf: Words) -> list[KnownWord]:
        """The words of a leaf, most frequent first."""
        found: dict[str, KnownWord] = {}
        for pattern in dict.fromkeys(leaf.patterns):
            for item in self._words(pattern, leaf):
                found[item.word] = item
        return sorted(found.values(), key=lambda item: (-item.rows, item.word))

    def held(self, ids: Ids) -> Ids:
        """Those that the catalogue knows, ascending, none twice."""
        unique = np.unique(np.asarray(ids, np.int64))
        return unique[self.catalogue.rows(unique) >= 0]

    def _words(self, pattern: str, leaf: Words) -> Iterator[KnownWord]:
        for fields, table in ((TEXT, "passage_words"), (NAMES, "party_words")):
            if not set(fields) & set(leaf.fields):
                continue
            key = (pattern, table)
            if key not in self._expanded:
                self._expanded[key] = expand(self.connection, pattern, table=table, column=leaf.column)
            yield from self._expanded[key]

    def _rows(self, table: str, expression: str) -> Ids:
        self.context.check()
        query = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"  # noqa: S608 - one of two tables of ours
        cursor = self.connection.connection.cursor().execute(query, (expression,))
        return np.fromiter((row[0] for row in cursor), np.int64)

    def _owners(self, table: str, rows: Ids) -> Ids:
        """The document of each row; 0 for one of none that the catalogue knows."""
        if table == "party_words":
            owners = rows // PARTY_ROWS
            return np.where(self.catalogue.rows(owners) >= 0, owners, 0)
        return self.catalogue.documents_of(rows)

    def _of_names(self, rows: Ids) -> Ids:
        return self.held(rows // PARTY_ROWS)

    def _of_passages(self, rows: Ids) -> Ids:
        found = np.unique(self.catalogue.documents_of(rows))
        return found[found > 0]

    def _checked(self, node: Node, vocabulary: Vocabulary, table: str, rows: Ids, owners: Ids) -> Ids:
        """The documents of which one of the rows matches; once it does, its others aren't looked at."""
        done: set[int] = set()
        for start in range(0, len(rows), _LOOKED_AT):
            self.context.check()
            some = zip(rows[start : start + _LOOKED_AT].tolist(), owners[start:].tolist(), strict=False)
            owner_of = {row: owner for row, owner in some if owner not in done}
            for row, parts in self._stretches(table, list(owner_of)):
                if owner_of[row] not in done and any(
                    matches(node, Paragraph(part), vocabulary) for part in parts
                ):
                    done.add(owner_of[row])
        return np.array(sorted(done), np.int64)

    def _stretches(self, table: str, rows: list[int]) -> Iterator[tuple[int, tuple[Stretch, ...]]]:
        run = self.connection.connection.cursor().execute
        if table == "party_words":
            for row in rows:
                for role, name in run(_NAME, divmod(row, PARTY_ROWS)):
                    field = Field.INVENTOR if role == Role.INVENTOR else Field.APPLICANT
                    yield row, (Stretch(field, name, 0),)
            return
        for row, section, text in run(_PASSAGES.format(", ".join("?" * len(rows))), rows):
            yield row, stretches(Section(section), text)
