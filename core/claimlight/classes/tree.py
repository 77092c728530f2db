"""The tree of an edition: entries with their path, children, notes and references; subtrees."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import date

from claimlight.classes.edition_file import EditionFile
from claimlight.classes.reading.records import level_of
from claimlight.classes.shipped import read_titles
from claimlight.types import (
    ClassEntry,
    ClassLevel,
    ClassNote,
    ClassReference,
    ClassView,
    Edition,
    Scheme,
    Transfer,
)

COLUMNS = """e.id, e.symbol, e.depth, e.title, e.heading, e.allocatable, e.additional_only, e.frozen,
    e.revised, e.concordant, (SELECT count(*) FROM entry c WHERE c.parent = e.id)"""
"""What `make_entry` reads, of the table ``entry e``."""
_DOTLESS = 3


def find_view(file: EditionFile, symbol: str) -> ClassView | None:
    """An entry with its place; None if the edition has no such symbol (as `read_class` spells it)."""
    with file.read() as connection:
        row = connection.execute(f"SELECT {COLUMNS} FROM entry e WHERE symbol = ?", (symbol,)).fetchone()  # noqa: S608
        if row is None:
            return None
        scheme, number = file.edition.scheme, row[0]
        below = connection.execute(
            f"SELECT {COLUMNS} FROM entry e WHERE parent = ? ORDER BY id",  # noqa: S608
            (number,),
        )
        notes = connection.execute(
            "SELECT warning, text FROM note WHERE entry = ? ORDER BY position", (number,)
        )
        references = connection.execute(
            "SELECT text, symbols FROM reference WHERE entry = ? ORDER BY position", (number,)
        )
        return ClassView(
            edition=file.edition,
            entry=make_entry(row, scheme),
            path=read_path(connection, number, scheme),
            children=tuple(make_entry(each, scheme) for each in below),
            notes=tuple(ClassNote(bool(warning), text) for warning, text in notes),
            references=tuple(
                ClassReference(text, tuple(filter(None, symbols.split("\n")))) for text, symbols in references
            ),
            transfers=read_transfers(connection, symbol, file.edition),
        )


def list_sections(file: EditionFile) -> tuple[ClassEntry, ...]:
    """The sections of an edition."""
    with file.read() as connection:
        rows = connection.execute(f"SELECT {COLUMNS} FROM entry e WHERE parent = 0 ORDER BY id").fetchall()  # noqa: S608
    return tuple(make_entry(row, file.edition.scheme) for row in rows)


def list_subtree(file: EditionFile, symbol: str) -> tuple[ClassEntry, ...]:
    """An entry with everything below it, in the order of the scheme; empty without such a symbol."""
    query = f"""SELECT {COLUMNS} FROM entry e, entry top
        WHERE top.symbol = ? AND e.id BETWEEN top.id AND top.last ORDER BY e.id"""  # noqa: S608
    with file.read() as connection:
        rows = connection.execute(query, (symbol,)).fetchall()
    return tuple(make_entry(row, file.edition.scheme) for row in rows)


def list_symbols_below(file: EditionFile, symbol: str) -> tuple[str, ...]:
    """The symbols of `list_subtree` alone."""
    query = """SELECT e.symbol FROM entry e, entry top
        WHERE top.symbol = ? AND e.id BETWEEN top.id AND top.last ORDER BY e.id"""
    with file.read() as connection:
        return tuple(row[0] for row in connection.execute(query, (symbol,)))


def list_paths(file: EditionFile, symbols: Sequence[str]) -> dict[str, list[str]]:
    """The symbols from each entry up to its section, itself first; those the edition lacks are left out."""
    query = """WITH RECURSIVE above (symbol, id) AS (
            SELECT symbol, id FROM entry WHERE symbol IN (SELECT value FROM json_each(?)) UNION ALL
            SELECT above.symbol, entry.parent FROM above JOIN entry ON entry.id = above.id)
        SELECT above.symbol, e.symbol FROM above JOIN entry e USING (id) ORDER BY e.id DESC"""
    found: dict[str, list[str]] = {}
    with file.read() as connection:
        for symbol, above in connection.execute(query, (json.dumps(list(symbols)),)):
            found.setdefault(symbol, []).append(above)
    return found


def read_path(connection: sqlite3.Connection, number: int, scheme: Scheme) -> tuple[ClassEntry, ...]:
    """The entries from the section to the parent of an entry."""
    query = f"""WITH RECURSIVE above (id) AS (
            SELECT parent FROM entry WHERE id = ? UNION ALL
            SELECT entry.parent FROM entry JOIN above ON entry.id = above.id)
        SELECT {COLUMNS} FROM above JOIN entry e USING (id) ORDER BY e.id"""  # noqa: S608
    return tuple(make_entry(row, scheme) for row in connection.execute(query, (number,)).fetchall())


def read_transfers(connection: sqlite3.Connection, symbol: str, edition: Edition) -> tuple[Transfer, ...]:
    """Where the documents of a symbol went, as an edition says it."""
    rows = connection.execute(
        "SELECT targets, text FROM transfer WHERE symbol = ? ORDER BY position", (symbol,)
    )
    return tuple(Transfer(tuple(targets.split("\n")), text, edition) for targets, text in rows)


def make_entry(row: tuple[object, ...], scheme: Scheme) -> ClassEntry:
    """An entry from a row of the entry's columns."""
    _, symbol, depth, title, heading, allocatable, additional_only, frozen, revised, concordant, below = row
    assert isinstance(symbol, str)
    assert isinstance(depth, int)
    assert isinstance(below, int)
    short = read_titles(scheme).get(symbol, "") if depth < _DOTLESS else ""
    return ClassEntry(
        symbol=symbol,
        level=level_of(depth),
        dots=max(0, depth - _DOTLESS),
        title=str(title) or short,
        short=short,
        children=below,
        heading=str(heading),
        allocatable=bool(allocatable),
        additional_only=bool(additional_only),
        frozen=bool(frozen),
        revised=date.fromisoformat(str(revised)) if revised else None,
        concordant=str(concordant),
    )


def has_groups_of(file: EditionFile, subclass: str) -> bool:
    """Whether an edition has groups of a subclass; one imported from a part of the files may have none."""
    query = "SELECT last > id FROM entry WHERE symbol = ?"
    with file.read() as connection:
        row = connection.execute(query, (subclass,)).fetchone()
    return bool(row and row[0])


DEPTHS = {level: number for number, level in enumerate(ClassLevel)}
"""Depth of each level; subgroups have this depth and all greater ones."""
