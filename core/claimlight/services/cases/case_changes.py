"""Changes of a case: one transaction and one line of the log each; undo and redo work by that log.

Undo and redo append lines too; nothing is erased. They apply to one's own changes: those made through this
opened book, and those of books closed since, if they existed when this one was opened or acquired the case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime

from sqlalchemy import Connection

from claimlight.codec import decode, encode
from claimlight.errors import InputError
from claimlight.services.cases.case_acts import describe_acts
from claimlight.services.cases.case_holding import Holding
from claimlight.store import case_log
from claimlight.store import case_rows as rows
from claimlight.store.case_log import Change, Line
from claimlight.store.case_store import CaseStore
from claimlight.types import Action, Case, CaseId, Hindrance, LogEntry


class Changes:
    """The part of the case book that writes, undoes and redoes."""

    def __init__(self, store: CaseStore, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._worked = False
        self._holding = Holding(store.path)
        self._known = self._last_line()
        """The last line of the log when the book was opened."""
        self._taken: dict[CaseId, int] = {}
        """Cases this book holds, and the last line of the log when it acquired each."""

    def hold(self, case: CaseId) -> bool:
        """Acquire a case to work on it; False if another window holds it, and then it can only be read.

        Others can read it and record searches, but a change is a `CaseHeldError` for them. It is held until
        `release`, `close`, or the end of the process, even by a kill.
        """
        if self._holding.holds(case):
            return True
        if not self._holding.take(case):
            return False
        self._taken[case] = self._last_line()
        return True

    def holds(self, case: CaseId) -> bool:
        """Whether this book holds the case."""
        return self._holding.holds(case)

    def holder(self, case: CaseId) -> str:
        """Who else holds the case, as ``process 4711 (claimlight)``; empty if nobody else does."""
        return self._holding.holder(case)

    def release(self, case: CaseId) -> None:
        """Release a case; no effect if it is not held."""
        self._holding.release(case)

    def history(self, case: CaseId) -> list[LogEntry]:
        """The history of a case, oldest first."""
        with self._store.read() as connection:
            existing(connection, case)
            return describe_acts(case_log.read_steps(connection, case))

    def turn(self, case: CaseId, number: int) -> str:
        """Undo one step of the history by itself, or redo it if it was undone; returns its text.

        `InputError` with the reason if a later step depends on it, or if it changed nothing.
        """
        with self._writing(case) as connection:
            existing(connection, case)
            steps = list(case_log.read_steps(connection, case))
            entry = next((item for item in describe_acts(steps) if item.number == number), None)
            if entry is None:
                raise InputError(f"The history of case {case} has no step {number}.")
            if entry.hindrance is not Hindrance.NONE:
                first = f" ({entry.later!r}); undo that first" if entry.later else ""
                raise InputError(f"{entry.text!r} stays as it is: {entry.hindrance}{first}.")
            step = next(item for item in steps if item.id == number)
            change = Change(*(step.id, step.action, step.text, step.subject, step.key, None, ""))
            now, then = (step.before, step.after) if entry.undone else (step.after, step.before)
            self._turn(connection, case, change, now, then)
            action = Action.REDONE if entry.undone else Action.UNDONE
            self._log(connection, case, Line(self._clock(), action, step.text, refers=step.id))
        return step.text

    def undoable(self, case: CaseId) -> str:
        """Text of the change that `undo` would undo; empty if there is none."""
        return self.steps(case)[0]

    def redoable(self, case: CaseId) -> str:
        """Text of the change that `redo` would redo; empty if there is none."""
        return self.steps(case)[1]

    def steps(self, case: CaseId) -> tuple[str, str]:
        """Texts of the changes that `undo` and `redo` would apply to."""
        with self._store.read() as connection:
            done, undone = self._standing(connection, case)
        return (done[-1].text if done else "", undone[-1].text if undone else "")

    def undo(self, case: CaseId) -> str:
        """Undo one's own last change; returns its text, or an empty one if there is none.

        `InputError` if somebody else has changed the same since, `CaseHeldError` if another window holds the
        case.
        """
        return self._step(case, back=True)

    def redo(self, case: CaseId) -> str:
        """Redo the last undone change; returns its text, or an empty one if there is none."""
        return self._step(case, back=False)

    def _standing(self, connection: Connection, case: CaseId) -> tuple[list[Change], list[Change]]:
        author, known = self._store.author, self._taken.get(case, self._known)
        others = self._store.others()

        def mine(change: Change) -> bool:
            return change.author == author or (change.id <= known and change.author not in others)

        return case_log.find_undoable(case_log.read_changes(connection, case), mine)

    def _last_line(self) -> int:
        with self._store.read() as connection:
            return case_log.read_last_line(connection)

    def _step(self, case: CaseId, *, back: bool) -> str:
        with self._writing(case) as connection:
            done, undone = self._standing(connection, case)
            stack = done if back else undone
            if not stack:
                return ""
            change = stack[-1]
            before, after = case_log.read_values(connection, change.id)
            now, then = (after, before) if back else (before, after)
            self._turn(connection, case, change, now, then)
            action = Action.UNDONE if back else Action.REDONE
            self._log(connection, case, Line(self._clock(), action, change.text, refers=change.id))
        return change.text

    def _turn(
        self, connection: Connection, case: CaseId, change: Change, now: str | None, then: str | None
    ) -> None:
        """Change a subject from one state to another, if it is still in the first."""
        if change.subject == "case" and now is not None and then is not None:
            current = existing(connection, case)
            value = _apply_difference(current, decode(Case, now), decode(Case, then), change.text)
            self._apply(connection, case, change.subject, change.key, encode(value))
            return
        if rows.read_state_value(connection, case, change.subject, change.key) != now:
            raise InputError(_OVERTAKEN.format(change.text))
        self._apply(connection, case, change.subject, change.key, then)

    def _set(
        self, case: CaseId, action: Action, text: str, subject: str, key: str, value: str | None
    ) -> None:
        with self._writing(case) as connection:
            existing(connection, case)
            self._put(connection, case, Line(self._clock(), action, text, subject, key, after=value))

    def _put(self, connection: Connection, case: CaseId, line: Line) -> None:
        """Set a subject to ``line.after`` and log it; no effect if that is its state."""
        before = rows.read_state_value(connection, case, line.subject, line.key)
        if before != line.after:
            self._change(connection, case, replace(line, before=before))

    @contextmanager
    def _writing(self, case: CaseId) -> Iterator[Connection]:
        """One transaction on a case that no other window holds or can acquire meanwhile."""
        with self._holding.changing(case), self._store.write() as connection:
            yield connection

    def _change(self, connection: Connection, case: CaseId, line: Line) -> Case:
        self._log(connection, case, line)
        return self._apply(connection, case, line.subject, line.key, line.after)

    def _apply(self, connection: Connection, case: CaseId, subject: str, key: str, value: str | None) -> Case:
        """Set a subject to a state; changing a mark also updates the case's time of work."""
        current = existing(connection, case)
        if subject == "case" and value is not None:
            current = decode(Case, value)
        else:
            rows.put_state(connection, case, subject, key, value)
        return self._touch(connection, current)

    def _touch(self, connection: Connection, case: Case) -> Case:
        touched = replace(case, changed=self._clock())
        rows.put_case(connection, touched)
        return touched

    def _log(self, connection: Connection, case: CaseId, line: Line) -> None:
        case_log.append_line(connection, case, line, self._store.author)
        self._worked = True


def existing(connection: Connection, case: CaseId) -> Case:
    """One case; an unknown number is an `InputError`."""
    found = rows.read_case(connection, case)
    if found is None:
        raise InputError(
            f"There is no case {case}; `claimlight cases list --all` names those that are there."
        )
    return found


_OVERTAKEN = "{!r} was changed again elsewhere since, so it can't be undone. Change it manually."


def _apply_difference(current: Case, now: Case, then: Case, text: str) -> Case:
    """Apply only the fields that differ: somebody else may have changed the others."""
    names = [field.name for field in fields(Case) if field.name != "changed"]
    differing = {name for name in names if getattr(now, name) != getattr(then, name)}
    if any(getattr(current, name) != getattr(now, name) for name in differing):
        raise InputError(_OVERTAKEN.format(text))
    return replace(current, **{name: getattr(then, name) for name in differing})
