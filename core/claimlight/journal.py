"""The last defects and jobs of the program, kept on this computer for the diagnostic report.

No message, argument or value is kept, since it could quote a claim or name a case: of an error its class and
the places in the program, of a job its command, duration and outcome.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import TracebackType

from claimlight import codec, files, paths
from claimlight.types.health import Defect, Frame, JobRun, Outcome

FILE_NAME = "journal.json"
DEFECTS_KEPT = 20
JOBS_KEPT = 50
KINDS = frozenset(("evaluate", "import", "index", "watch", "train", "adapt", "models", "classes", "classify"))
"""Commands that are kept as jobs: those that take long, and that the window runs in the background."""
_PACKAGES = ("claimlight", "claimlight_workbench")
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Journal:
    """What is kept, the newest last."""

    defects: tuple[Defect, ...] = ()
    jobs: tuple[JobRun, ...] = ()


def journal_path() -> Path:
    """Path of the file."""
    return paths.data_dir() / FILE_NAME


def read() -> Journal:
    """What is kept; nothing if the file is missing or damaged."""
    try:
        return codec.decode(Journal, journal_path().read_bytes())
    except (OSError, ValueError):
        return Journal()


def keep_defect(error: BaseException) -> None:
    """Keep an unexpected error; one that can't be written is dropped, as nothing may fail because of it."""
    defect = Defect(_now(), program_version(), type(error).__name__, _frames(error.__traceback__))
    with _lock:
        kept = read()
        _write(replace(kept, defects=(*kept.defects, defect)[-DEFECTS_KEPT:]))


def keep_job(kind: str, seconds: float, outcome: Outcome, *, error: str = "") -> None:
    """Keep a job that has ended; ``kind`` is a name of the program, ``error`` the class of an error."""
    job = JobRun(_now(), kind, round(seconds, 1), outcome, error)
    with _lock:
        kept = read()
        _write(replace(kept, jobs=(*kept.jobs, job)[-JOBS_KEPT:]))


def _write(journal: Journal) -> None:
    path = journal_path()
    with suppress(OSError):
        files.private_folder(path.parent)
        files.write_atomically(path, codec.encode(journal))


def _frames(trace: TracebackType | None) -> tuple[Frame, ...]:
    found = []
    while trace is not None:
        # By the name of the module and not by the path, which could name a user or a folder.
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in _PACKAGES:
            file = f"{module.replace('.', '/')}.py"
            found.append(Frame(file, trace.tb_lineno, trace.tb_frame.f_code.co_name))
        trace = trace.tb_next
    return tuple(found)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def program_version() -> str:
    """Version of the program; empty if it is not installed."""
    try:
        return metadata.version(_PACKAGES[0])
    except metadata.PackageNotFoundError:
        return ""
