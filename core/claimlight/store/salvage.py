"""Reads what can be read of a damaged library: documents whose digest holds, and what is known of the others.

Nothing of the damaged file is changed. SQLite stops at the first page that is no page, so ids are looked for
from both ends and in several indexes, and each document is then read by its id and checked by its digest.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimlight.store import migrate
from claimlight.store import rows as layout
from claimlight.store.register import Known
from claimlight.store.rows import Row
from claimlight.store.store import FILE_NAME, Store
from claimlight.store.stored_records import FLAGS

PLACED = (
    "family_key, text_length, first_passage, passages, "
    "source_id, modified, member, ordinal, offset, dialect, reading"
)
"""Columns of a document beside its digest and what the digest covers."""
ORIGIN = "part, richness, value, source_id, modified, member, ordinal, offset, dialect, reading"
PLAIN = (
    ("source", "id, path, size, modified, records, complete"),
    ("quarantine", 'id, source_id, member, ordinal, "offset", dialect, line, reason'),
    ("family_alias", "key, family_key"),
    ("removed", "document_id, version, publication"),
    ("import_run", "number, started, finished, state, paths, milliseconds"),
    ("import_file", "run, position, path, taken, merged, unchanged, skipped, quarantined, reread"),
    ("import_skip", "run, reason, count"),
    ("import_fault", 'id, run, path, member, ordinal, "offset", dialect, line, reason'),
)
"""Tables that are copied row by row, and their columns."""
_WALKS = (
    "SELECT id FROM document ORDER BY id",
    "SELECT id FROM document ORDER BY id DESC",
    "SELECT id FROM document INDEXED BY document_key ORDER BY number_key, kind",
    "SELECT id FROM document INDEXED BY document_key ORDER BY number_key DESC, kind DESC",
    "SELECT id FROM document INDEXED BY document_published ORDER BY published",
    "SELECT id FROM document INDEXED BY document_family ORDER BY family_key DESC",
    "SELECT document_id FROM citation GROUP BY document_id",
)
_PATHS = ("SELECT path FROM source ORDER BY id", "SELECT path FROM import_file ORDER BY run, position")
_MOST = 1 << 62
"""Greater numbers are no ids that this program gave."""
_TABLES = 3
_HEADER = 100
_PAGE = 16 << 10
_BROKEN = (sqlite3.Error, OverflowError, ValueError)
"""What reading a damaged page can end with."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A document whose digest holds, with the values that its tables have."""

    id: int
    digest: bytes
    document: Row
    placed: tuple[Any, ...]
    """`PLACED`."""
    passages: tuple[Row, ...]
    children: tuple[tuple[Row, ...], ...]
    origins: tuple[Row, ...]
    """`ORIGIN`."""

    @property
    def publication(self) -> str:
        return str(self.document[0])

    @property
    def key(self) -> tuple[str, str]:
        """``number_key`` and kind."""
        return str(self.document[4]), str(self.document[3])


class Wreck:
    """A library's database, read as far as it goes; damaged or not."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._run = connection.execute

    def find_ids(self) -> tuple[list[int], bool]:
        """The ids of its documents, ascending, and whether these are surely all of them."""
        found: set[int] = set()
        sure = False
        for place, walk in enumerate(_WALKS):
            with suppress(*_BROKEN):
                for (number,) in self._run(walk):
                    if isinstance(number, int) and 0 < number < _MOST:
                        found.add(number)
                sure = sure or place == 0
        # A page that was exchanged for an empty one ends no walk: the counts in the indexes differ then.
        with suppress(*_BROKEN):
            many = self._run("SELECT count(*) FROM document INDEXED BY document_family").fetchone()[0]
            return sorted(found), sure and many == len(found)
        return sorted(found), False

    def read_known(self, number: int) -> Known | None:
        """What is known of a document, whether its digest holds or not; None if its row can't be read."""
        query = """SELECT publication, number_key, kind, digest, first_passage, passages, source_id
            FROM document WHERE id = ?"""
        with suppress(*_BROKEN):
            found = self._run(query, (number,)).fetchone()
            if found is None or not all(isinstance(text, str) and text for text in found[:2]):
                return None
            publication, key, kind, digest, first, many, source = found
            if not isinstance(digest, bytes) or not all(_is_count(item) for item in (first, many)):
                return None
            return Known(
                number, publication, (key, str(kind)), digest, first, many, self._paths(number, source)
            )
        return None

    def read_document(self, number: int) -> Salvaged | None:
        """A document, whole; None if it can't be read, or its digest does not hold."""
        try:
            query = f"SELECT digest, {layout.DOCUMENT}, {PLACED} FROM document WHERE id = ?"  # noqa: S608
            row = self._run(query, (number,)).fetchone()
            if row is None:
                return None
            width = 1 + layout.DOCUMENT.count(",") + 1
            digest, document, placed = row[0], tuple(row[1:width]), tuple(row[width:])
            first, many = placed[2], placed[3]
            query = f"""SELECT {layout.PASSAGE} FROM passage
                WHERE id >= ? AND id < ? AND document_id = ? ORDER BY id"""  # noqa: S608
            passages = tuple(map(tuple, self._run(query, (first, first + many, number))))
            children = tuple(self._children(number))
            if len(passages) != many or digest != layout.digest_document(document, passages, children):
                return None
            query = f"SELECT {ORIGIN} FROM part_origin WHERE document_id = ? ORDER BY part"  # noqa: S608
            origins = tuple(map(tuple, self._run(query, (number,))))
        except (*_BROKEN, TypeError):
            return None
        return Salvaged(number, digest, document, placed, passages, children, origins)

    def read_plain(self, table: str, columns: str) -> list[tuple[Any, ...]]:
        """The rows of a table, up to the first that can't be read."""
        found: list[tuple[Any, ...]] = []
        with suppress(*_BROKEN):
            found.extend(self._run(f"SELECT {columns} FROM {table}"))  # noqa: S608 - names of ours
        return found

    def read_sources(self) -> list[str]:
        """Files that were imported, as far as they are known."""
        found: dict[str, None] = {}
        for query in _PATHS:
            with suppress(*_BROKEN):
                found.update((path, None) for (path,) in self._run(query) if isinstance(path, str))
        return list(found)

    def read_counter(self, key: str) -> int:
        """A counter of the library; 0 if it can't be read."""
        with suppress(*_BROKEN):
            found = self._run("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            if found is not None and _is_count(found[0]):
                return int(found[0])
        return 0

    def _paths(self, number: int, source: object) -> tuple[str, ...]:
        query = """SELECT path FROM source WHERE id = ? UNION
            SELECT path FROM source s JOIN part_origin p ON p.source_id = s.id WHERE p.document_id = ?"""
        with suppress(*_BROKEN):
            return tuple(path for (path,) in self._run(query, (source, number)) if isinstance(path, str))
        return ()

    def _children(self, number: int) -> Iterator[tuple[Row, ...]]:
        for table, columns in layout.CHILDREN:
            flags = FLAGS.get(table, ())
            query = f"SELECT {columns} FROM {table} WHERE document_id = ? ORDER BY position"  # noqa: S608
            yield tuple(
                tuple(
                    bool(value) if place in flags and value is not None else value
                    for place, value in enumerate(row)
                )
                for row in self._run(query, (number,))
            )


@contextmanager
def open_wreck(path: Path, scratch: Path) -> Iterator[Wreck | None]:
    """Open a damaged library as far as that goes; None if nothing of it can be read.

    If its first page is destroyed, a copy gets that of a new library, whose tables are in the same places:
    what is read then is believed only where a digest holds. ``scratch`` is a folder for the copy.
    """
    if _has_schema(path):
        with _connect(path) as connection:
            yield Wreck(path, connection)
        return
    copy = _grafted(path, scratch)
    if copy is None:
        yield None
        return
    with _connect(copy) as connection:
        yield Wreck(path, connection)


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        yield connection


def _has_schema(path: Path) -> bool:
    """Whether a file is a library of this schema whose list of tables can be read."""
    try:
        with _connect(path) as connection:
            mark = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            query = "SELECT count(*) FROM sqlite_master WHERE name IN ('document', 'passage', 'source')"
            tables = connection.execute(query).fetchone()[0]
    except _BROKEN:
        return False
    return (mark, version, tables) == (migrate.LIBRARY.application_id, migrate.LIBRARY.version, _TABLES)


def _grafted(path: Path, scratch: Path) -> Path | None:
    """A copy with the first page, or only its header, of a new library, that has tables then."""
    try:
        size = path.stat().st_size
        if size < 2 * _PAGE:
            return None
        fresh = scratch / "fresh"
        Store.create(fresh).close()
        page = bytearray((fresh / FILE_NAME).read_bytes()[:_PAGE])
        # The number of pages of this file, none of them free; it counts only if the next two numbers agree.
        page[28:32] = (size // _PAGE).to_bytes(4, "big")
        page[32:40] = bytes(8)
        page[92:96] = page[24:28]
        for many in (_HEADER, _PAGE):
            copy = scratch / f"grafted-{many}.db"
            shutil.copyfile(path, copy)
            with copy.open("r+b") as stream:
                stream.write(page[:many])
            if Path(f"{path}-wal").exists():
                shutil.copyfile(f"{path}-wal", f"{copy}-wal")
            if _has_schema(copy):
                return copy
    except OSError:
        return None
    return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < _MOST
