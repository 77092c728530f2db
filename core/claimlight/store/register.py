"""The register of a library: which documents it has, in a file beside its database.

If the database is lost, the register names what was in it, the files it came from, and the ids that the index
knows the documents by: a document that is read again with the same digest gets its old ids, and what was
encoded of it stays valid. It is written after imports and indexing, and is of no use to anything else.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimlight.errors import ResourceError
from claimlight.files import Access, open_atomically, parse_json
from claimlight.store.store import Store

FILE_NAME = "documents.gz"
_SCHEMA = "claimlight.documents.1"
_LEVEL = 3
_KNOWN = """SELECT d.id, publication, number_key, kind, digest, first_passage, passages, path
    FROM document d LEFT JOIN source s ON s.id = source_id ORDER BY d.id"""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a document without its text."""

    id: int
    publication: str
    key: tuple[str, str]
    """``number_key`` and kind: what makes two records one publication."""
    digest: bytes
    first: int
    """Its first passage."""
    passages: int
    sources: tuple[str, ...]
    """Files of its records, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Register:
    """The documents of a library as it was last written."""

    version: int
    """Version of the library then."""
    documents: tuple[Known, ...]


def update(store: Store) -> None:
    """Write the register, unless it is that of this version; nothing if the folder can't be written.

    A shared library has none: its server keeps what it holds.
    """
    if store.read_only or store.shared:
        return
    path = store.folder / FILE_NAME
    # The register is an addition: an import that is complete must not fail for it.
    with suppress(OSError, ResourceError), store.read() as connection:
        version = connection.exec_driver_sql("SELECT value FROM meta WHERE key = 'version'").scalar_one()
        if _read_version(path) == version:
            return
        with open_atomically(path, Access.FOLDER) as raw, gzip.GzipFile("", "wb", _LEVEL, raw) as stream:
            stream.write(_line({"schema": _SCHEMA, "version": version}))
            for row in connection.exec_driver_sql(_KNOWN):
                number, publication, key, kind, digest, first, passages, source = row
                said = [number, publication, key, kind, digest.hex(), first, passages, source or ""]
                stream.write(_line(said))


def read(folder: Path) -> Register | None:
    """The register of a library folder; None if there is none, or it is damaged (gzip has a checksum)."""
    try:
        with gzip.open(folder / FILE_NAME, "rb") as stream:
            lines = _parse(stream)
            head = next(lines)
            if head["schema"] != _SCHEMA:
                return None
            documents = tuple(
                Known(number, publication, (key, kind), bytes.fromhex(digest), first, many, (source,))
                for number, publication, key, kind, digest, first, many, source in lines
            )
        return Register(int(head["version"]), documents)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, StopIteration):
        return None


def _read_version(path: Path) -> int | None:
    try:
        with gzip.open(path, "rb") as stream:
            return int(parse_json(stream.readline())["version"])
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return None


def _parse(stream: gzip.GzipFile) -> Iterator[Any]:
    return (parse_json(line) for line in stream)


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass") + b"\n"
