"""The tables of an edition's file, and how they are filled."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from claimlight.classes.outline import Node
from claimlight.classes.reading.records import Move
from claimlight.store.tokens import TOKENIZER
from claimlight.tasks import TaskContext
from claimlight.text.folding import fold_to_words, write_indexed_form

FORMAT = 1
"""``user_version`` of the file. A file with a higher one was written by a later Claimlight."""
_STEP = 5_000
"""Entries between two checks for cancelling."""
_SECTION = 0

# `title_words` keeps no text of its own. Column 0 has the title and ours, column 1 the titles above without
# that of the section, which is in every path. `word` is for truncated words: the index has stems only.
_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entry (
    id INTEGER PRIMARY KEY, symbol TEXT NOT NULL UNIQUE, parent INTEGER NOT NULL, last INTEGER NOT NULL,
    depth INTEGER NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL, allocatable INTEGER NOT NULL,
    additional_only INTEGER NOT NULL, frozen INTEGER NOT NULL, revised TEXT NOT NULL, concordant TEXT NOT NULL
);
CREATE TABLE note (
    entry INTEGER, position INTEGER, warning INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (entry, position)
) WITHOUT ROWID;
CREATE TABLE reference (
    entry INTEGER, position INTEGER, text TEXT NOT NULL, symbols TEXT NOT NULL, PRIMARY KEY (entry, position)
) WITHOUT ROWID;
CREATE TABLE transfer (
    symbol TEXT, position INTEGER, targets TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (symbol, position)
) WITHOUT ROWID;
CREATE TABLE word (word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE title_words USING fts5(title, path, content='', tokenize='{TOKENIZER}');
"""
_INDEXES = "CREATE INDEX entry_parent ON entry (parent); CREATE INDEX entry_depth ON entry (depth);"


def fill(
    connection: sqlite3.Connection,
    nodes: Sequence[Node],
    moves: Iterable[Move],
    meta: dict[str, str],
    context: TaskContext,
    *,
    shorts: Mapping[str, str],
) -> None:
    """Write an edition into an empty database. ``shorts`` are our own titles, whose words are found too."""
    run = connection.execute
    connection.executescript(_TABLES)
    run("BEGIN")
    places = ", ".join("?" * 12)
    for begin in range(0, len(nodes), _STEP):
        context.check()
        part = nodes[begin : begin + _STEP]
        connection.executemany(f"INSERT INTO entry VALUES ({places})", map(_entry_row, part))  # noqa: S608
        connection.executemany("INSERT INTO note VALUES (?, ?, ?, ?)", _note_rows(part))
        connection.executemany("INSERT INTO reference VALUES (?, ?, ?, ?)", _reference_rows(part))
        connection.executemany(
            "INSERT INTO title_words (rowid, title, path) VALUES (?, ?, ?)", _title_rows(part, nodes, shorts)
        )
    words = {word for node in nodes for word in fold_to_words(node.record.title)}
    words |= {word for short in shorts.values() for word in fold_to_words(short)}
    connection.executemany("INSERT INTO word VALUES (?)", ((word,) for word in sorted(words)))
    connection.executemany("INSERT INTO transfer VALUES (?, ?, ?, ?)", _transfer_rows(moves))
    connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
    context.check()
    run("INSERT INTO title_words (title_words) VALUES ('optimize')")
    run("COMMIT")
    connection.executescript(_INDEXES)
    run(f"PRAGMA user_version = {FORMAT}")


def _entry_row(node: Node) -> tuple[object, ...]:
    record = node.record
    return (
        node.id,
        record.symbol,
        node.parent,
        node.last,
        record.depth,
        record.title,
        record.heading,
        record.allocatable,
        record.additional_only,
        record.frozen,
        record.revised.isoformat() if record.revised else "",
        record.concordant,
    )


def _note_rows(nodes: Iterable[Node]) -> Iterator[tuple[object, ...]]:
    for node in nodes:
        for position, note in enumerate(node.record.notes):
            yield node.id, position, note.warning, note.text


def _reference_rows(nodes: Iterable[Node]) -> Iterator[tuple[object, ...]]:
    for node in nodes:
        for position, reference in enumerate(node.record.references):
            yield node.id, position, reference.text, "\n".join(reference.symbols)


def _transfer_rows(moves: Iterable[Move]) -> Iterator[tuple[object, ...]]:
    found: dict[str, list[Move]] = {}
    for move in moves:
        known = found.setdefault(move.symbol, [])
        if all((move.targets, move.text) != (each.targets, each.text) for each in known):
            known.append(move)
    for symbol, several in sorted(found.items()):
        for position, move in enumerate(several):
            yield symbol, position, "\n".join(move.targets), move.text


def _title_rows(
    part: Iterable[Node], nodes: Sequence[Node], shorts: Mapping[str, str]
) -> Iterator[tuple[object, ...]]:
    for node in part:
        above: list[str] = []
        at = node.parent
        while at and nodes[at - 1].record.depth > _SECTION:
            above.append(nodes[at - 1].record.title)
            at = nodes[at - 1].parent
        path = "\n".join(reversed(above))
        title = node.record.title
        if (short := shorts.get(node.record.symbol, title)) != title:
            title = f"{title}\n{short}"
        yield node.id, write_indexed_form(title) or title, write_indexed_form(path) or path
