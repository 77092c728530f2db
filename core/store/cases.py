"""The file ``cases.db``: opened, checked, migrated behind a backup; its rows read and written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection

from core.errors import ResourceError
from core.store import migrate
from core.store.backup import backups, healthy, make_backup, sync
from core.store.codec import decode, encode
from core.store.database import LOCK_SECONDS, Database, check_file
from core.types import Action, Case, CaseId

ADVICE = "Your work is not lost: restore the newest good backup."


class DamagedCasesError(ResourceError):
    """The case book can't be read as it is; it was left untouched."""


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the log as it is stored."""

    id: int
    at: datetime
    action: Action
    text: str
    subject: str
    key: str
    before: str | None
    after: str | None
    refers: int | None


class CaseStore:
    """An open ``cases.db``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path, backup_folder: Path, *, timeout: float = LOCK_SECONDS) -> CaseStore:
        """Open the case book, made first if there never was one.

        `DamagedCasesError` when the file is no sound database, or is gone while backups of it exist.
        """
        if not path.exists():
            if backups(backup_folder) or any(path.parent.glob(f"{path.name}.damaged-*")):
                raise DamagedCasesError(f"{path} is gone, but backups of it are there. {ADVICE}")
            _create(path, timeout)
        try:
            check_file(path, advice=ADVICE)
        except ResourceError as error:
            raise DamagedCasesError(str(error)) from error
        database = Database(path, advice=ADVICE, timeout=timeout, cache_mib=8)
        try:
            _ensure_schema(database, backup_folder)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def path(self) -> Path:
        """The database file."""
        return self._database.path

    def read(self) -> AbstractContextManager[Connection]:
        """A connection on one snapshot."""
        return self._database.read()

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in one transaction, on disk when the block is left."""
        return self._database.write()

    def close(self) -> None:
        """Give the file back."""
        self._database.close()


def _create(path: Path, timeout: float) -> None:
    temporary = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        temporary.touch()
    except OSError as error:
        raise ResourceError(f"No case book can be made at {path}: {error.strerror}.") from error
    database = Database(temporary, advice=ADVICE, timeout=timeout, journal="DELETE")
    try:
        with database.write() as connection:
            migrate.upgrade(connection, migrate.CASES)
    finally:
        database.close()
    temporary.replace(path)
    sync(path.parent)


def _ensure_schema(database: Database, backup_folder: Path) -> None:
    fault = healthy(database.path)
    if "locked" not in fault and fault:
        raise DamagedCasesError(f"{database.path} is damaged ({fault}). {ADVICE}")
    with database.read() as connection:
        version = migrate.version_of(connection, migrate.CASES, database.path)
    if version == migrate.CASES.version:
        return
    make_backup(
        database.path,
        backup_folder,
        datetime.now(UTC).date(),
        reason=f"-before-schema-{migrate.CASES.version}",
    )
    with database.write() as connection:
        migrate.upgrade(connection, migrate.CASES)


def read_case(connection: Connection, case: int) -> Case | None:
    """One case."""
    query = "SELECT value FROM case_file WHERE id = ?"
    value = connection.exec_driver_sql(query, (case,)).scalar()
    return None if value is None else decode(Case, value)


def read_cases(connection: Connection) -> list[Case]:
    """All cases, last changed first."""
    rows = connection.exec_driver_sql("SELECT value FROM case_file ORDER BY changed DESC, id DESC").scalars()
    return [decode(Case, value) for value in rows]


def put_case(connection: Connection, case: Case) -> None:
    """Write a case."""
    connection.exec_driver_sql(
        "UPDATE case_file SET changed = ?, value = ? WHERE id = ?",
        (case.changed.isoformat(), encode(case), case.id),
    )


def new_case_id(connection: Connection, at: datetime) -> CaseId:
    """A number no case ever had."""
    query = "INSERT INTO case_file (created, changed, value) VALUES (?, ?, '') RETURNING id"
    stamp = at.isoformat()
    return CaseId(connection.exec_driver_sql(query, (stamp, stamp)).scalar_one())


def read_state(connection: Connection, case: int, subject: str) -> Iterator[str]:
    """All values of a subject of a case, by key."""
    query = "SELECT value FROM state WHERE case_id = ? AND subject = ? ORDER BY key"
    yield from connection.exec_driver_sql(query, (case, subject)).scalars()


def state_value(connection: Connection, case: int, subject: str, key: str) -> str | None:
    """One value."""
    query = "SELECT value FROM state WHERE case_id = ? AND subject = ? AND key = ?"
    value: str | None = connection.exec_driver_sql(query, (case, subject, key)).scalar()
    return value


def put_state(connection: Connection, case: int, subject: str, key: str, value: str | None) -> None:
    """Write or, with None, delete one value."""
    where = (case, subject, key)
    connection.exec_driver_sql("DELETE FROM state WHERE case_id = ? AND subject = ? AND key = ?", where)
    if value is not None:
        query = "INSERT INTO state (case_id, subject, key, value) VALUES (?, ?, ?, ?)"
        connection.exec_driver_sql(query, (*where, value))


def log(connection: Connection, case: int, change: Change) -> None:
    """Append a change; its ``id`` is given by the log."""
    connection.exec_driver_sql(
        'INSERT INTO log (case_id, at, action, text, subject, key, "before", "after", refers) '
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(case, change.at.isoformat(), change.action.value, change.text, change.subject),
            *(change.key, change.before, change.after, change.refers),
        ),
    )


def read_log(connection: Connection, case: int) -> list[Change]:
    """The whole log of a case, oldest first."""
    query = """SELECT id, at, action, text, subject, key, "before", "after", refers
        FROM log WHERE case_id = ? ORDER BY id"""
    return [
        Change(row[0], datetime.fromisoformat(row[1]), Action(row[2]), *row[3:])
        for row in connection.exec_driver_sql(query, (case,))
    ]


def standing(changes: list[Change]) -> tuple[list[Change], list[Change]]:
    """What can be undone and redone, the next one last, by replaying the log.

    Reading a document is on the log, but undo is for judgements: it passes over what was seen.
    """
    done: list[Change] = []
    undone: list[Change] = []
    for change in changes:
        if change.action is Action.UNDONE:
            undone.append(done.pop())
        elif change.action is Action.REDONE:
            done.append(undone.pop())
        elif change.subject and change.action is not Action.SEEN:
            done.append(change)
            undone.clear()
    return done, undone
