"""One edition as a SQLite file: written whole or not at all, opened for reading only."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from threading import Lock

from claimlight import files
from claimlight.classes.edition_tables import FORMAT, fill
from claimlight.classes.outline import Node, build_outline
from claimlight.classes.reading.records import Move, Record
from claimlight.errors import ResourceError, TaskCancelled
from claimlight.locks import SoleLock
from claimlight.store.database import check_file
from claimlight.tasks import TaskContext
from claimlight.types import Edition, EditionInfo, Scheme

SUFFIX = ".db"
LOCK = "import.lock"
ADVICE = "Remove it with `claimlight classes remove` and import the scheme again."
_STEPS = 10_000
"""Virtual machine steps between two checks for cancelling."""


def file_name(edition: Edition) -> str:
    """``cpc-2022.08.db``."""
    return f"{edition.scheme}-{edition.version}{SUFFIX}"


def write_edition(
    folder: Path,
    edition: Edition,
    nodes: Sequence[Node],
    moves: Sequence[Move],
    *,
    source: str,
    digest: str,
    shorts: Mapping[str, str],
    context: TaskContext,
) -> Path:
    """Write the file of an edition; an old one is replaced when the new one is complete and on disk."""
    files.private_folder(folder)
    path = folder / file_name(edition)
    temporary = path.with_name(f"{path.name}{files.TEMPORARY}")
    busy = f"Another process is importing a scheme into {folder}. Try again when it has finished."
    with SoleLock(folder / LOCK, busy):
        for left in folder.glob(f"*{SUFFIX}{files.TEMPORARY}"):
            left.unlink()  # by an import that was killed
        _write(
            temporary,
            path,
            nodes,
            moves,
            shorts,
            _meta(edition, nodes, source=source, digest=digest),
            context,
        )
    return path


def _write(
    temporary: Path,
    path: Path,
    nodes: Sequence[Node],
    moves: Sequence[Move],
    shorts: Mapping[str, str],
    meta: dict[str, str],
    context: TaskContext,
) -> None:
    try:
        files.touch_private(temporary)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            # Nobody reads the file before it has its name, and it is synced before it gets it.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            fill(connection, nodes, moves, meta, context, shorts=shorts)
        files.put_in_place(temporary, path)
    except sqlite3.Error as error:
        raise ResourceError(f"{path} can't be written: {error}. Free some space and try again.") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _meta(edition: Edition, nodes: Sequence[Node], *, source: str, digest: str) -> dict[str, str]:
    subclasses = [node for node in nodes if node.record.depth == 2]
    return {
        "scheme": edition.scheme.value,
        "version": edition.version,
        "entries": str(len(nodes)),
        "subclasses": str(len(subclasses)),
        "detailed": str(sum(node.last > node.id for node in subclasses)),
        "imported": datetime.now().astimezone().isoformat(timespec="seconds"),
        "source": source,
        "digest": digest,
    }


class EditionFile:
    """An edition that can be asked; threads may share it."""

    def __init__(
        self, edition: Edition, connect: Callable[[], sqlite3.Connection], *, name: str, shared: bool
    ) -> None:
        """``shared``: all questions go to one connection, one after another, which is not closed."""
        self.edition = edition
        self._connect = connect
        self._name = name
        self._shared = shared
        self._lock = Lock()

    @classmethod
    def open(cls, path: Path) -> EditionFile:
        """Open a file of an import; `ResourceError` if it is damaged or of a later Claimlight."""
        check_file(path, advice=ADVICE)
        uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"

        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            connection.execute("PRAGMA trusted_schema = OFF")
            return connection

        opened = cls(Edition(Scheme.CPC, ""), connect, name=str(path), shared=False)
        meta = opened.meta()
        opened.edition = Edition(Scheme(meta["scheme"]), meta["version"])
        return opened

    @classmethod
    def in_memory(cls, edition: Edition, records: Sequence[Record]) -> EditionFile:
        """An edition that is in no file: the shipped titles."""
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        nodes = build_outline(records)
        meta = _meta(edition, nodes, source="", digest="")
        fill(connection, nodes, (), meta, TaskContext(), shorts={})
        return cls(edition, lambda: connection, name=str(edition), shared=True)

    @contextmanager
    def read(self, context: TaskContext | None = None) -> Iterator[sqlite3.Connection]:
        """A connection for one question, which stops soon after ``context`` is cancelled."""
        with self._lock if self._shared else nullcontext():
            if context is not None:
                context.check()
            connection = self._connect()
            if context is not None:
                connection.set_progress_handler(lambda: int(context.cancelled), _STEPS)
            try:
                yield connection
            except (sqlite3.Error, UnicodeDecodeError) as error:
                # The latter where a message of SQLite names what is damaged.
                if context is not None and context.cancelled:
                    raise TaskCancelled from None
                said = error if isinstance(error, sqlite3.Error) else "a name or message in it is no text"
                raise ResourceError(f"{self._name} is damaged ({said}). {ADVICE}") from error
            finally:
                connection.set_progress_handler(None, 0)
                if not self._shared:
                    connection.close()

    def meta(self) -> dict[str, str]:
        """What the file records about itself; `ResourceError` if it is not whole."""
        with self.read() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > FORMAT:
                raise ResourceError(
                    f"{self._name} was written by a later version of Claimlight. Update this one, or remove "
                    "the file and import the scheme again."
                )
            found = dict(connection.execute("SELECT key, value FROM meta").fetchall())
            (entries,) = connection.execute("SELECT max(id) FROM entry").fetchone()
        known = found.get("scheme") in (Scheme.CPC, Scheme.IPC) and version == FORMAT
        if not known or str(entries) != found.get("entries"):
            raise ResourceError(f"{self._name} is damaged: it is not complete. {ADVICE}")
        return found


def describe(path: Path) -> EditionInfo:
    """What is known of an edition from its file."""
    opened = EditionFile.open(path)
    meta = opened.meta()
    try:
        return EditionInfo(
            edition=opened.edition,
            entries=int(meta["entries"]),
            subclasses=int(meta["subclasses"]),
            detailed=int(meta["detailed"]),
            imported=datetime.fromisoformat(meta["imported"]),
            source=meta["source"],
            size=path.stat().st_size,
        )
    except (KeyError, ValueError) as error:
        raise ResourceError(f"{path} is damaged: its own description can't be read. {ADVICE}") from error
