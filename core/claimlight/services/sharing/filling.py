"""What a run of a push holds: the shared library's store and engine, and a sign of life in the database."""

from __future__ import annotations

import getpass
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from claimlight.errors import AppError, EngineError, InputError, ResourceError
from claimlight.index.backend import IndexBackend
from claimlight.services.library.library import Library
from claimlight.store import Store
from claimlight.store.postgres import open_session, pushes
from claimlight.tasks import TaskContext

PATIENCE = (1.0, 5.0, 15.0)
"""Seconds before an engine that failed is asked again."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SharedTarget:
    """An open shared library that is filled."""

    store: Store
    """Its documents; open for writing."""
    backend: IndexBackend
    """Its engine."""

    @classmethod
    def of(cls, library: Library) -> SharedTarget:
        """The parts of an open library that are filled; `InputError` for one in a folder."""
        if library.shared is None:
            raise InputError(f"{library.name} is no shared library: give its address, postgresql://…")
        return cls(library.store, library.shared.backend)


@dataclass(frozen=True, slots=True)
class Filling:
    """A run that fills a shared library."""

    store: Store
    backend: IndexBackend
    context: TaskContext
    worker: int
    session: Connection
    """Outside all transactions; as long as it is open, the run counts as alive."""
    patience: Sequence[float] = PATIENCE

    def ask_engine(self, call: Callable[[], _T]) -> _T:
        """Call the engine, again after a while if it fails: each call may be repeated."""

        def call_if_there() -> _T:
            # What stores may wait long for an answer; whether anybody is there, the engine says at once.
            self.backend.health()
            return call()

        attempt = call
        for seconds in self.patience:
            try:
                return attempt()
            except EngineError:
                self.context.wait(seconds)
                attempt = call_if_there
        return attempt()

    def check_alive(self) -> None:
        """`ResourceError` if the sign of life is lost: others may have given up what this run began."""
        if not pushes.is_held(self.session, self.worker):
            raise ResourceError(
                f"The connection to {self.store.name} was lost for a while. What was acknowledged is kept; "
                "run the same command again to resume."
            )


@contextmanager
def begin_filling(
    target: SharedTarget,
    context: TaskContext,
    *,
    source: Path | None = None,
    patience: Sequence[float] = PATIENCE,
) -> Iterator[Filling]:
    """Register a run, keep its sign of life, and note how it ended. ``source`` is the folder that is pushed.

    Everybody who may search the library can read these notes: they name the folder without its path.
    """
    store = target.store

    def end(error: str) -> None:
        _end(store, worker, error if source is None else _without_path(error, source))

    with open_session(store) as session:
        with store.write() as connection:
            worker = pushes.add_worker(
                connection, _worker_name(), "" if source is None else source.resolve().name
            )
        pushes.hold_alive(session, worker)
        try:
            yield Filling(store, target.backend, context, worker, session, patience)
        except AppError as error:
            end(str(error))
            raise
        except BaseException as error:
            end("It was stopped." if not isinstance(error, Exception) else repr(error))
            raise
        end("")


def _without_path(text: str, folder: Path) -> str:
    """A text with a folder by its name where it has its path: as it was given, in full, or quoted."""
    whole = folder.resolve()
    paths = {str(each) for each in (folder, whole) if len(each.parts) > 1}
    # On Windows what Python quotes has each backslash twice; the longer path may contain the shorter one.
    for path in sorted(paths | {repr(each)[1:-1] for each in paths}, key=len, reverse=True):
        text = text.replace(path, whole.name)
    return text


def _end(store: Store, worker: int, error: str) -> None:
    # If the database is what failed, the manifest can't say so, and the worker counts as lost.
    with suppress(ResourceError), store.write() as connection:
        pushes.end_worker(connection, worker, error)


def _worker_name() -> str:
    with suppress(Exception):  # an account without a name
        return f"{getpass.getuser()}@{platform.node()}"
    return platform.node()
