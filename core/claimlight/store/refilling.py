"""Writes documents of one library's database into another one, with ids that are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from claimlight.store import rows as layout
from claimlight.store.content import read_content
from claimlight.store.family import Kin, assign_families
from claimlight.store.row_writing import execute_bulk
from claimlight.store.rows import make_rows
from claimlight.store.salvage import ORIGIN, PLACED, Salvaged
from claimlight.store.store import Store
from claimlight.store.word_index import PARTY_ROWS, write_forms
from claimlight.types import Source

_WORDS = ("passage_fts", "passage_words", "party_words")
_PAGE = 2000
_UNKNOWN = "(unknown file)"


class Refill:
    """One database that is being filled; each call is a durable transaction.

    The words are not indexed: `rebuild_words` does that when all documents are there.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.keys: set[tuple[str, str]] = set()
        """Number and kind of every document that was put."""
        self.ids: set[int] = set()
        self._passages: set[int] = set()
        """First passages in use."""
        self._sources: dict[str, int] = {}

    def put_plain(self, table: str, columns: str, rows: Sequence[tuple[object, ...]]) -> int:
        """Copy the rows of a table that the table takes; returns their number."""
        marks = ", ".join("?" * (columns.count(",") + 1))
        done = 0
        with self._store.write() as connection:
            query = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608
            for row in rows:
                # A row of a damaged file can have anything in it, also what the column does not take.
                with suppress(DBAPIError):
                    done += connection.exec_driver_sql(query, row).rowcount
        self._sources.clear()
        return done

    def put(self, documents: Iterable[tuple[Salvaged, int, int]], paths: dict[int, str], *, own: bool) -> int:
        """Write documents, each with its id and that of its first passage; returns how many were new.

        ``paths`` are the files of the database they come from, by their ids there. ``own``: they keep their
        place in families; others are joined to those whose applications and priorities they share.
        """
        many = 0
        with self._store.write() as connection:
            for found, number, first in documents:
                key = found.key
                if key in self.keys or number in self.ids or first in self._passages:
                    continue
                self._put(connection, found, number, first, paths, own=own)
                self.keys.add(key)
                self.ids.add(number)
                if found.passages:
                    self._passages.add(first)
                many += 1
        return many

    def _put(
        self,
        connection: Connection,
        found: Salvaged,
        number: int,
        first: int,
        paths: dict[int, str],
        *,
        own: bool,
    ) -> None:
        family, _, _, _, source, *stand = found.placed
        if not (own and isinstance(family, str)):
            family = _find_family(connection, found)
        # Counted again: the digest does not cover it.
        length = sum(len(str(row[-1])) for row in found.passages)
        held = self._source(connection, paths.get(source, _UNKNOWN))
        placed = (family, length, first, len(found.passages), held, *stand)
        columns = f"id, digest, {layout.DOCUMENT}, {PLACED}"
        execute_bulk(connection, "document", columns, [(number, found.digest, *found.document, *placed)])
        passages = [(n, number, *row) for n, row in enumerate(found.passages, first)]
        execute_bulk(connection, "passage", f"id, document_id, {layout.PASSAGE}", passages)
        for (table, names), rows in zip(layout.CHILDREN, found.children, strict=True):
            execute_bulk(connection, table, f"document_id, {names}", [(number, *row) for row in rows])
        origins = [
            (number, *row[:3], self._source(connection, paths.get(int(str(row[3])), _UNKNOWN)), *row[4:])
            for row in found.origins
        ]
        execute_bulk(connection, "part_origin", f"document_id, {ORIGIN}", origins)

    def _source(self, connection: Connection, path: str) -> int:
        if path not in self._sources:
            run = connection.exec_driver_sql
            add = """INSERT OR IGNORE INTO source (path, size, modified, records, complete)
                VALUES (?, 0, 0, 0, 0)"""
            run(add, (path,))
            query = "SELECT id FROM source WHERE path = ?"
            self._sources[path] = int(run(query, (path,)).scalar_one())
        return self._sources[path]

    def finish(self, *, version: int, document: int, passage: int, lost: Iterable[tuple[int, str]]) -> None:
        """Set the counters, and note the documents that the index must forget, by id and publication.

        ``document`` and ``passage`` are the least next ids.
        """
        with self._store.write() as connection:
            run = connection.exec_driver_sql
            counters = {"version": version}
            for table, least in (("document", document), ("passage", passage)):
                highest = run(f"SELECT coalesce(max(id), 0) FROM {table}").scalar_one()  # noqa: S608
                counters[f"next_{table}"] = max(least, highest + 1)
            for key, value in counters.items():
                run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))
            for number, publication in lost:
                run(
                    "INSERT OR REPLACE INTO removed (document_id, version, publication) VALUES (?, ?, ?)",
                    (number, version, publication),
                )


def _find_family(connection: Connection, found: Salvaged) -> str:
    """The family of a document that is put among others, by what it shares with them."""
    content = read_content(found.document, found.passages, found.children)
    rows = make_rows(content, Source("", "", 0, 0, ""))
    families = assign_families(connection, [Kin(rows.family_keys, rows.application_key)])
    return families.label(rows.family_keys[0])


def rebuild_words(store: Store) -> None:
    """Index all words again from the texts, in one transaction; `ResourceError` if that fails."""
    with store.write() as connection:
        run = connection.exec_driver_sql
        for table in ("passage_form", "party_form"):
            run(f"DELETE FROM {table}")  # noqa: S608 - names of ours
        last = -1
        while page := run(
            "SELECT id, text FROM passage WHERE id > ? ORDER BY id LIMIT ?", (last, _PAGE)
        ).all():
            write_forms(connection, "passage_form", ((row[0], row[1]) for row in page))
            last = page[-1][0]
        names = run("SELECT document_id, position, name FROM party").all()
        write_forms(
            connection, "party_form", ((document * PARTY_ROWS + at, name) for document, at, name in names)
        )
        for table in _WORDS:
            run(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")  # noqa: S608 - names of ours
