"""Pictures kept with a library: ``drawings.db`` in its folder, made when the first picture is kept.

A file of its own: the library's database stays small and quick to copy, and may be handed on without its
pictures. Pictures are found by publication and name, so they outlive documents that are read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from claimlight import files
from claimlight.digests import sha256
from claimlight.errors import ResourceError
from claimlight.store import migrate
from claimlight.store.database import Database, check_file, find_page_faults

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext

FILE_NAME = "drawings.db"
_ADVICE = (
    "The library itself is whole. Move the file away and run `claimlight library drawings` to copy the "
    "pictures again from the files of the documents."
)
_PAGE_BYTES = 16 << 10
_MANY = 400


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """A picture to keep."""

    publication: str
    file: str
    sheets: int
    """Number of pages in the file."""
    content: bytes


class PictureStore:
    """The kept pictures of a library folder; nothing is opened before it is needed."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._path = folder / FILE_NAME
        self._read_only = read_only or not os.access(folder, os.W_OK)
        self._database: Database | None = None

    def sheets(self, publication: str) -> dict[str, int]:
        """The files kept of a document, and how many pages each has."""
        database = self._open()
        if database is None:
            return {}
        query = "SELECT file, sheets FROM kept_picture WHERE publication = ?"
        with database.read() as connection:
            return {row.file: row.sheets for row in connection.exec_driver_sql(query, (publication,))}

    def read(self, publication: str, file: str) -> bytes | None:
        """The bytes of a kept picture; None if it is not kept, `ResourceError` if they have changed."""
        database = self._open()
        if database is None:
            return None
        query = "SELECT content, digest FROM kept_picture WHERE publication = ? AND file = ?"
        with database.read() as connection:
            found = connection.exec_driver_sql(query, (publication, file)).one_or_none()
        if found is None:
            return None
        if sha256(found.content) != found.digest:
            raise ResourceError(f"{self._path} is damaged: {file} of {publication} has changed. {_ADVICE}")
        return bytes(found.content)

    def check(self, context: TaskContext) -> int | None:
        """Check every page and picture; how many there are, None without any. `ResourceError` for damage."""
        database = self._open()
        if database is None:
            return None
        with database.read(context) as connection:
            if faults := find_page_faults(connection, 3):
                raise ResourceError(f"{self._path} is damaged: {'; '.join(faults)}. {_ADVICE}")
            names = connection.exec_driver_sql("SELECT publication, file FROM kept_picture").all()
        for publication, file in names:
            context.check()
            self.read(publication, file)
        return len(names)

    def names(self, publications: Iterable[str]) -> set[tuple[str, str]]:
        """Publication and file of what is kept of some documents."""
        database = self._open()
        if database is None:
            return set()
        found: set[tuple[str, str]] = set()
        asked = list(publications)
        with database.read() as connection:
            for start in range(0, len(asked), _MANY):
                some = asked[start : start + _MANY]
                marks = ", ".join("?" * len(some))
                query = f"SELECT publication, file FROM kept_picture WHERE publication IN ({marks})"  # noqa: S608
                found.update((row[0], row[1]) for row in connection.exec_driver_sql(query, tuple(some)))
        return found

    def keep(self, pictures: Sequence[KeptPicture]) -> None:
        """Keep pictures in one durable transaction; one that is kept already is replaced."""
        database = self._open(create=True)
        assert database is not None
        rows = [
            (item.publication, item.file, item.sheets, sha256(item.content), item.content)
            for item in pictures
        ]
        query = """INSERT INTO kept_picture (publication, file, sheets, digest, content)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (publication, file)
            DO UPDATE SET sheets = excluded.sheets, digest = excluded.digest, content = excluded.content"""
        with database.write() as connection:
            connection.exec_driver_sql(query, rows)

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self, *, create: bool = False) -> Database | None:
        if self._database is not None:
            return self._database
        if not self._path.exists():
            if not create:
                return None
            if self._read_only:
                raise ResourceError(f"{self._path.parent} is read-only; no pictures can be kept in it.")
            self._create()
        check_file(self._path, advice=_ADVICE)
        fixed = not (os.access(self._path, os.W_OK) and os.access(self._path.parent, os.W_OK))
        database = Database(
            self._path,
            advice=_ADVICE,
            read_only=fixed or self._read_only,
            # Only where nobody can write: an import may be adding pictures while this one reads.
            immutable=fixed,
            journal="DELETE",
        )
        try:
            with database.read() as connection:
                migrate.read_version(connection, migrate.DRAWINGS, self._path)
        except BaseException:
            database.close()
            raise
        self._database = database
        return database

    def _create(self) -> None:
        temporary = self._path.with_name(f"{self._path.stem}.{os.getpid()}.new")
        try:
            temporary.unlink(missing_ok=True)
            files.touch_inside(temporary)
        except OSError as error:
            raise ResourceError(f"{temporary} can't be made: {error.strerror}.") from error
        database = Database(temporary, advice=_ADVICE, journal="DELETE", page_bytes=_PAGE_BYTES)
        try:
            with database.write() as connection:
                migrate.upgrade(connection, migrate.DRAWINGS)
        finally:
            database.close()
        try:
            os.link(temporary, self._path)  # fails if another process was first, whose file then counts
        except FileExistsError:
            pass
        except OSError:
            if not self._path.exists():
                temporary.rename(self._path)
        temporary.unlink(missing_ok=True)
