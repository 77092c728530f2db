"""The case book: the examiner's own work, saved with every step and never lost.

Every change is one transaction that is on disk when the call returns, and one line of an append-only
log that holds the state before and after. Undo and redo append lines too; nothing is ever erased. A
backup is made when the book is opened on a new day, when it is closed after work, and before each
migration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from pathlib import Path

from sqlalchemy import Connection

from core import paths
from core.errors import BugError, InputError, ResourceError
from core.store import backup as copies
from core.store import cases as rows
from core.store import query_sets
from core.store.cases import CaseStore, Change, DamagedCasesError
from core.store.codec import decode, encode
from core.store.database import LOCK_SECONDS
from core.types import (
    Action,
    Backup,
    Case,
    CaseId,
    Category,
    LogEntry,
    Mark,
    PublicationNumber,
    QuerySet,
    ReferenceDates,
    SearchResults,
    SetHit,
    SetHits,
    SetRequest,
    SetResult,
)

__all__ = ["CaseBook", "DamagedCasesError", "backups", "restore"]

FILE_NAME = "cases.db"


def _now() -> datetime:
    return datetime.now(UTC)


def default_path() -> Path:
    """Where the user's case book lies."""
    return paths.cases_dir() / FILE_NAME


def _backup_folder(path: Path) -> Path:
    return path.parent / "backups"


def backups(path: Path | None = None) -> list[Backup]:
    """The backups of a case book, newest first."""
    return copies.backups(_backup_folder(path or default_path()))


def restore(path: Path | None = None) -> Backup:
    """Put the newest sound backup in the place of a damaged case book, which is kept as ``.damaged-n``.

    The book must be closed. `InputError` when there is no sound backup; then nothing is touched.
    """
    path = path or default_path()
    found = copies.newest_good(_backup_folder(path))
    if found is None:
        raise InputError(f"There is no sound backup of {path}; nothing was changed.")
    copies.bring_back(found, path)
    return found


class CaseBook:
    """An open case book. Every method that changes something has saved it when it returns."""

    def __init__(self, store: CaseStore, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._worked = False

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        timeout: float = LOCK_SECONDS,
        clock: Callable[[], datetime] = _now,
    ) -> CaseBook:
        """Open the book, made if there never was one, and back it up once a day.

        `DamagedCasesError` when it can't be read: `restore` brings back the newest sound backup.
        """
        path = path or default_path()
        book = cls(CaseStore.open(path, _backup_folder(path), timeout=timeout), clock)
        known = backups(path)
        if not known or known[0].day != clock().date():
            try:
                book.back_up()
            except BaseException:
                book._store.close()
                raise
        return book

    def close(self) -> None:
        """Give the file back; after work it is backed up first."""
        try:
            if self._worked:
                self.back_up()
        except ResourceError:
            pass  # the work itself is on disk, and the next opening says what is wrong there
        finally:
            self._store.close()

    def __enter__(self) -> CaseBook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def back_up(self) -> Backup:
        """Make a backup now."""
        path = self._store.path
        made = copies.make_backup(path, _backup_folder(path), self._clock().date())
        self._worked = False
        return made

    # Cases

    def create_case(
        self,
        name: str,
        *,
        application: str = "",
        publication: PublicationNumber | None = None,
        reference_date: date | None = None,
        dates: ReferenceDates | None = None,
    ) -> Case:
        """Begin a case."""
        at = self._clock()
        with self._store.write() as connection:
            number = rows.new_case_id(connection, at)
            case = Case(number, name, at, at, application, publication, reference_date, dates=dates)
            rows.put_case(connection, case)
            self._log(connection, number, Action.CREATED, f"case {name!r} begun")
        return case

    def cases(self) -> list[Case]:
        """All cases, last changed first."""
        with self._store.read() as connection:
            return rows.read_cases(connection)

    def case(self, case: CaseId) -> Case:
        """One case; an unknown number is an `InputError`."""
        with self._store.read() as connection:
            return _existing(connection, case)

    def save_case(self, case: Case) -> Case:
        """Save edited fields (name, claims, publication, reference date, claim, features, notes, library)."""
        with self._store.write() as connection:
            before = _existing(connection, case.id)
            after = replace(case, created=before.created, changed=before.changed)
            names = [f.name for f in fields(Case) if getattr(before, f.name) != getattr(after, f.name)]
            if not names:
                return before
            text = ", ".join(name.replace("_", " ") for name in names) + " edited"
            values = (encode(before), encode(after))
            return self._change(connection, case.id, Action.EDITED, text, "case", "", *values)

    # Marks

    def mark(self, case: CaseId, mark: Mark) -> None:
        """Judge a document for a claim or feature; an empty category without a note takes the mark away."""
        key = f"{mark.publication}\n{mark.claim}\n{mark.feature}"
        about = " ".join(filter(None, (f"claim {mark.claim}" if mark.claim else "", mark.feature)))
        verdict = mark.category.value or ("note" if mark.note else "no mark")
        text = f"{mark.publication}: {verdict}" + (f" for {about}" if about else "")
        empty = mark.category is Category.NONE and not mark.note
        self._set(case, Action.MARKED, text, "mark", key, None if empty else encode(mark))

    def marks(self, case: CaseId) -> list[Mark]:
        """All marks of a case, by publication."""
        with self._store.read() as connection:
            return [decode(Mark, value) for value in rows.read_state(connection, case, "mark")]

    def see(self, case: CaseId, publication: PublicationNumber, *, seen: bool = True) -> None:
        """Note that a document was read, or that it is to count as unread."""
        text = f"{publication}: {'seen' if seen else 'unseen'}"
        value = encode(publication) if seen else None
        self._set(case, Action.SEEN, text, "seen", str(publication), value)

    def seen(self, case: CaseId) -> frozenset[PublicationNumber]:
        """The documents of a case that were read."""
        with self._store.read() as connection:
            values = rows.read_state(connection, case, "seen")
            return frozenset(decode(PublicationNumber, value) for value in values)

    # Query sets

    def record_set(self, case: CaseId, results: SearchResults | SetResult) -> QuerySet:
        """Put a search on record as the next L number; sets are never changed or taken back."""
        record = _record(results, self._clock())
        with self._store.write() as connection:
            _existing(connection, case)
            written = query_sets.append_set(connection, case, record)
            line = f" for {written.request.expression}" if isinstance(written.request, SetRequest) else ""
            told = f"{written.label}: {len(written.hits)} documents{line}"
            self._log(connection, case, Action.SEARCHED, told)
        return written

    def sets(self, case: CaseId) -> list[QuerySet]:
        """All query sets of a case, L1 first."""
        with self._store.read() as connection:
            return query_sets.read_sets(connection, case)

    # History

    def history(self, case: CaseId) -> list[LogEntry]:
        """Everything that was done, oldest first."""
        with self._store.read() as connection:
            changes = rows.read_log(connection, case)
        return [LogEntry(item.id, item.at, item.action, item.text) for item in changes]

    def undoable(self, case: CaseId) -> str:
        """What `undo` would take back, in words; empty when there is nothing."""
        with self._store.read() as connection:
            done, _ = rows.standing(rows.read_log(connection, case))
        return done[-1].text if done else ""

    def redoable(self, case: CaseId) -> str:
        """What `redo` would do again, in words; empty when there is nothing."""
        with self._store.read() as connection:
            _, undone = rows.standing(rows.read_log(connection, case))
        return undone[-1].text if undone else ""

    def undo(self, case: CaseId) -> str:
        """Take back the last change that stands; what it was, or empty when there is none."""
        return self._step(case, back=True)

    def redo(self, case: CaseId) -> str:
        """Make the last change that was taken back again; what it was, or empty."""
        return self._step(case, back=False)

    def _step(self, case: CaseId, *, back: bool) -> str:
        with self._store.write() as connection:
            done, undone = rows.standing(rows.read_log(connection, case))
            stack = done if back else undone
            if not stack:
                return ""
            change = stack[-1]
            value = change.before if back else change.after
            self._apply(connection, case, change.subject, change.key, value)
            action = Action.UNDONE if back else Action.REDONE
            self._log(connection, case, action, change.text, refers=change.id)
        return change.text

    def _set(
        self, case: CaseId, action: Action, text: str, subject: str, key: str, value: str | None
    ) -> None:
        with self._store.write() as connection:
            _existing(connection, case)
            before = rows.state_value(connection, case, subject, key)
            if before != value:
                self._change(connection, case, action, text, subject, key, before, value)

    def _change(
        self,
        connection: Connection,
        case: CaseId,
        action: Action,
        text: str,
        subject: str,
        key: str,
        before: str | None,
        after: str | None,
    ) -> Case:
        self._log(connection, case, action, text, subject=subject, key=key, before=before, after=after)
        return self._apply(connection, case, subject, key, after)

    def _apply(self, connection: Connection, case: CaseId, subject: str, key: str, value: str | None) -> Case:
        """Bring a subject to a state; a change of a mark touches the case too."""
        current = _existing(connection, case)
        if subject == "case" and value is not None:
            current = decode(Case, value)
        else:
            rows.put_state(connection, case, subject, key, value)
        current = replace(current, changed=self._clock())
        rows.put_case(connection, current)
        return current

    def _log(
        self,
        connection: Connection,
        case: CaseId,
        action: Action,
        text: str,
        *,
        subject: str = "",
        key: str = "",
        before: str | None = None,
        after: str | None = None,
        refers: int | None = None,
    ) -> None:
        change = Change(0, self._clock(), action, text, subject, key, before, after, refers)
        rows.log(connection, case, change)
        self._worked = True


def _record(results: SearchResults | SetResult, at: datetime) -> QuerySet:
    if isinstance(results, SearchResults):
        hits = SetHits.of(SetHit(hit.patent.publication, hit.score) for hit in results.hits)
        return QuerySet(0, at, results.request, results.provenance, results.notes, hits)
    if len(results.hits) != len(results.patents):
        raise BugError("a set is to go on record without the numbers of its documents")
    return QuerySet(0, at, results.request, results.provenance, results.notes, results.hits, results.parsed)


def _existing(connection: Connection, case: CaseId) -> Case:
    found = rows.read_case(connection, case)
    if found is None:
        raise InputError(f"There is no case {case}.")
    return found
