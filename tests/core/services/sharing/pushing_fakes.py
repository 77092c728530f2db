"""What the tests of pushing are built of: small libraries, an engine in a file, a push that kills itself.

`FileEngine` keeps its parts durably, so that it outlives a killed push, as an engine on a server does.
"""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import event

from claimlight.errors import EngineError
from claimlight.index.backend import PART_BITS, EngineHealth, IndexSchema, Leg, PartBatch, PartFilter
from claimlight.services.indexing import indexing
from claimlight.services.library.library import Library
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.index_source import read_schema
from claimlight.services.sharing.parts import make_parts
from claimlight.services.sharing.push import push
from claimlight.services.sharing.restoring import read_placed
from claimlight.services.sharing.words import weigh_texts
from claimlight.settings import Settings, change
from claimlight.store import Store, postgres
from claimlight.tasks import TaskContext
from claimlight.types import IndexDepth, PushReport
from tests.core.services.indexing.small_library import document, make_stack
from tests.fakes import library

SETTINGS = change(Settings(), "index.documents_per_segment", 4)
SYMBOLS = ("B62K 25/04", "A47J 27/21", "H04L 9/00")


def patents(numbers: range) -> list[Any]:
    """Documents EP1000001 and so on; every third has no description."""
    return [
        document(number, SYMBOLS[number % 3], date(2000 + number % 20, 5, 1), paragraphs=3 * bool(number % 3))
        for number in numbers
    ]


def make(folder: Path, documents: Sequence[Any], depth: IndexDepth | None = IndexDepth.FULL) -> Library:
    """A library of invented documents, indexed by an encoder that is no model."""
    made = library(folder, documents)
    if depth is not None:
        index(made, depth)
    return made


def index(
    made: Library, depth: IndexDepth = IndexDepth.FULL, *, rebuild: bool = False, stack: Any = None
) -> None:
    """Index what is not indexed yet."""
    from claimlight.services.indexing.corpus import LibraryCorpus
    from claimlight.services.indexing.order import LibraryOrder

    indexing.build_index(
        indexing.index_folder(made.folder),
        LibraryCorpus(made.store),
        stack=stack or make_stack(),
        settings=SETTINGS,
        context=TaskContext(),
        depth=depth,
        order=LibraryOrder(made),
    )


class FileEngine:
    """An engine in an SQLite file; several processes may write it at once."""

    most = 1 << 20

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("CREATE TABLE IF NOT EXISTS index_schema (body BLOB)")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS part (sections INTEGER, id INTEGER, document INTEGER, body BLOB, "
            "PRIMARY KEY (sections, id))"
        )
        self.before: Callable[[str], None] = lambda call: None
        """Called with the name of each call that changes something; may raise."""

    def ensure(self, schema: IndexSchema, *, create: bool = False) -> None:
        self.before("ensure")
        (held,) = self._connection.execute("SELECT max(body) FROM index_schema").fetchone()
        if held is None:
            if not create:
                raise EngineError("The engine has no index.")
            self._connection.execute("INSERT INTO index_schema VALUES (?)", (pickle.dumps(schema),))
        elif pickle.loads(held) != schema:
            raise EngineError("made with another model or other settings")

    def upsert(self, batch: PartBatch) -> None:
        self.before("upsert")
        rows = [
            (sections, part, part >> PART_BITS, body) for (sections, part), body in contents_of(batch).items()
        ]
        # One transaction, but a kill within it loses all of it: halves show what a real engine may leave.
        for some in (rows[::2], rows[1::2]):
            self._connection.executemany("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)", some)
            self.before("within upsert")

    def delete(self, documents: Sequence[int]) -> None:
        self.before("delete")
        self._connection.executemany("DELETE FROM part WHERE document = ?", [(each,) for each in documents])

    def search(self, leg: Leg, vector: Any, allowed: PartFilter, k: int) -> Any:
        raise NotImplementedError

    def count(self, leg: Leg, allowed: PartFilter) -> int:
        only = None if allowed.documents is None else set(allowed.documents.tolist())
        query = "SELECT document FROM part WHERE sections = ?"
        found = self._connection.execute(query, (leg.sections,)).fetchall()
        return sum(only is None or row[0] in only for row in found)

    def health(self) -> EngineHealth:
        return EngineHealth(
            "a file", 0.0, self.count(Leg.DENSE, PartFilter()), self.count(Leg.WORDS, PartFilter())
        )

    def close(self) -> None:
        self._connection.close()

    def contents(self) -> dict[tuple[bool, int], bytes]:
        """Every part."""
        rows = self._connection.execute("SELECT sections, id, body FROM part")
        return {(bool(row[0]), row[1]): row[2] for row in rows}


def contents_of(batch: PartBatch) -> dict[tuple[bool, int], bytes]:
    """Facts, flags and vectors of every part as bytes."""
    found: dict[tuple[bool, int], bytes] = {}
    for row, part in enumerate(batch.sections.parts.tolist()):
        facts = batch.facts[part >> PART_BITS]
        values = (facts, bool(batch.sections.claims[row]), batch.sections.vectors[row].tobytes())
        found[True, part] = repr(values).encode()
    for row, part in enumerate(batch.passages.parts.tolist()):
        facts = batch.facts[part >> PART_BITS]
        vectors = [
            (indices.tolist(), values.tobytes())
            for indices, values in (batch.passages.centers.row(row), batch.passages.words.row(row))
        ]
        found[False, part] = repr((facts, bool(batch.passages.claims[row]), vectors)).encode()
    return found


def wanted(store: Store) -> dict[tuple[bool, int], bytes]:
    """What an engine must hold of the documents that are in the database."""
    with store.read() as connection:
        schema = read_schema(connection)
        ids = list(connection.exec_driver_sql("SELECT id FROM document ORDER BY id").scalars())
        placed, texts = read_placed(connection, ids)
    assert schema is not None
    return contents_of(make_parts(placed, weigh_texts(store, texts, schema), schema))


@contextmanager
def opened(address: str, folder: Path, engine: Any) -> Iterator[SharedTarget]:
    """A shared library that is filled."""
    with postgres.connect(address, folder, read_only=False) as store:
        yield SharedTarget(store, engine)


def fill(
    made: Library, target: SharedTarget, *, batch: int = 5, context: TaskContext | None = None
) -> PushReport:
    """Push without patience."""
    return push(made, target, context or TaskContext(), SETTINGS, batch_documents=batch, patience=())


_HEADS = """SELECT id, publication, digest, text_length, family_key, first_passage, passages FROM document"""
_OF_DOCUMENT = (
    "SELECT section, label, text FROM passage WHERE document_id = ? ORDER BY id",
    "SELECT part, encode(sha256, 'hex') FROM indexed_part WHERE document_id = ? ORDER BY part",
    "SELECT depth, described, sections, passages FROM indexed_document WHERE document_id = ?",
)
_LENGTHS = "SELECT length FROM passage_vector WHERE row_id >= ? AND row_id < ? ORDER BY row_id"


def rows_of(store: Store) -> dict[str, Any]:
    """All that is stored of each document, under its publication, without ids; and the counts."""
    found: dict[str, Any] = {}
    with store.read() as connection:
        run = connection.exec_driver_sql
        for number, publication, digest, length, family, first, many in run(_HEADS).all():
            own = [[tuple(row) for row in run(query, (number,))] for query in _OF_DOCUMENT]
            lengths = list(run(_LENGTHS, (first, first + many)).scalars())
            found[publication] = (bytes(digest), length, family, many, own, lengths)
        for name in ("df", "passages"):
            found[name] = bytes(run("SELECT value FROM shared_state WHERE name = ?", (name,)).scalar() or b"")
        stems = run("SELECT stem, passages FROM stem WHERE passages > 0 ORDER BY stem").all()
        found["stems"] = [tuple(row) for row in stems]
        found["words"] = tuple(run("SELECT passages, words FROM word_total").one())
        tables = ("passage", "passage_vector", "party", "class_symbol", "indexed_part", "indexed_document")
        found["rows"] = {name: run(f"SELECT count(*) FROM {name}").scalar_one() for name in tables}
    return found


def push_and_die(address: str, folder: str, source: str, engine: str, batch: int, step: int) -> None:
    """In a process of its own: push, and die at a step; statements, commits and calls of the engine count."""
    left = [step]

    def count(*_: object, **__: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    held = FileEngine(Path(engine))
    with opened(address, Path(folder), held) as target, Library.open(Path(source)) as made:
        if step:
            held.before = count
            database: Any = target.store._database
            event.listen(database.engine, "before_cursor_execute", count)
            event.listen(database.engine, "commit", count)
        fill(made, target, batch=batch)


def same_documents(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Compare, naming the first that differ."""
    assert set(one) == set(other)
    for key, value in one.items():
        assert value == other[key], key


def replace_text(made: Any, text: str) -> Any:
    """The same publication with another first paragraph, from a newer file."""
    paragraphs = (replace(made.description[0], text=text), *made.description[1:])
    return replace(made, description=paragraphs)
