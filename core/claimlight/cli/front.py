"""The output of a command, its progress, and how it is stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import PurePath
from time import monotonic
from types import FrameType
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape, render
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from claimlight import codec
from claimlight.errors import AppError, InputError, QueryError, ResourceError, TaskCancelled
from claimlight.tasks import TaskContext
from claimlight.types import (
    AdaptReport,
    ClassifierReport,
    Committed,
    EvaluationReport,
    Event,
    ImportReport,
    IndexReport,
    JudgeAdaptReport,
    Note,
    Progress,
    PublicationNumber,
    PushCheck,
    PushReaders,
    PushRemoval,
    PushReport,
    PushRestoration,
    PushStatus,
    QuarantinedEvent,
    TrainEvent,
    TrainReport,
)

CANCELLED = 130
"""Exit code of a command that was stopped."""
PATIENCE_SECONDS = 1.5
"""Seconds a command has to stop by itself before it is interrupted."""
LEARNING_PATIENCE_SECONDS = 300.0
"""For training: a step may take minutes on a busy machine, and its state is written after it."""
UNWRAPPED = 1_000_000
"""Width of output to a file or another program: its lines are not wrapped."""
FIRST_LOG_SECONDS = 5.0
"""Seconds before the first progress line if there is no terminal."""
LOG_SECONDS = 30.0
"""Seconds between two progress lines; one is also printed if no event was reported in the meantime."""
EVENT_NAMES: dict[type[Any], str] = {
    Progress: "progress",
    Committed: "committed",
    Note: "note",
    QuarantinedEvent: "quarantined",
    ImportReport: "import_report",
    IndexReport: "index_report",
    TrainEvent: "train",
    TrainReport: "train_report",
    EvaluationReport: "evaluation_report",
    AdaptReport: "adapt_report",
    JudgeAdaptReport: "judge_adapt_report",
    ClassifierReport: "classifier_report",
    PushReport: "push_report",
    PushCheck: "push_check",
    PushStatus: "push_status",
    PushReaders: "push_readers",
    PushRemoval: "push_removal",
    PushRestoration: "push_restoration",
}


class Events(StrEnum):
    """Format of the events."""

    NONE = "none"
    JSONL = "jsonl"


class _Piped(Console):
    """Output to a file or another program: nothing is cut, wrapped or padded; a tab between cells."""

    def __init__(self, *, stderr: bool) -> None:
        super().__init__(stderr=stderr, highlight=False, width=UNWRAPPED)

    def print(self, *objects: Any, **named: Any) -> None:
        """Print tables as tab-separated lines, everything else as on a terminal."""
        if len(objects) == 1 and isinstance(objects[0], Table):
            # As segments: a Text would turn its tabs into spaces.
            super().print(Segments([Segment(f"{line}\n") for line in _lines(objects[0])]), end="")
        else:
            super().print(*objects, **named)


def _lines(table: Table) -> Iterator[str]:
    """Title and column names if the table has them, then its rows, one line each."""
    if table.title:
        yield _flat(table.title)
    if table.show_header and table.columns:
        yield "\t".join(_flat(column.header) for column in table.columns)
    for row in zip(*(column.cells for column in table.columns), strict=True):
        yield "\t".join(_flat(cell) for cell in row).rstrip()


def _flat(cell: Any) -> str:
    text = cell.plain if isinstance(cell, Text) else render(str(cell)).plain
    return re.sub(r"\s*[\t\n\r]\s*", " ", text).rstrip()


def _console(*, stderr: bool = False) -> Console:
    # Emoji would be made of parts of addresses, such as :x: in a path.
    console = Console(stderr=stderr, highlight=False, emoji=False)
    return console if console.is_terminal else _Piped(stderr=stderr)


@dataclass(slots=True)
class Front:
    """The two streams of one run of the command line."""

    events: bool = False
    stream: TextIO = field(default_factory=lambda: sys.stdout)
    out: Console = field(default_factory=_console)
    err: Console = field(default_factory=lambda: _console(stderr=True))
    resume_hint: str = "run the same command again to resume"
    """Printed when the user stops a command."""
    command: str = ""
    """Name of the command that runs."""
    failed: str = ""
    """Class of the error that ended the command."""

    def tell(self, item: object, **more: object) -> None:
        """One event line."""
        body = {"event": EVENT_NAMES[type(item)], **plain(item), **more}
        self.line(body)

    def line(self, body: dict[str, Any]) -> None:
        """One JSON object on a line of its own, at once."""
        self.stream.write(json.dumps(body, ensure_ascii=False) + "\n")
        self.stream.flush()

    def report(self, report: ImportReport | IndexReport) -> None:
        """Write the report of a job as an event."""
        if self.events:
            self.tell(report)

    def say(self, text: str, style: str = "") -> None:
        """Print a sentence on standard error; markup in it is escaped."""
        if not self.events:
            self.err.print(escape(text), style=style)

    def fail(self, error: AppError) -> None:
        """Report the error that ends the command."""
        # A secondary process of a training is silent, but not about its errors.
        self.err.quiet = False
        self.failed = type(error).__name__
        if self.events:
            kind = next((k for k in (InputError, ResourceError) if isinstance(error, k)), AppError)
            place = {"column": error.column} if isinstance(error, QueryError) else _licence(error)
            self.line({"event": "error", "kind": kind.__name__, "message": str(error), **place})
        else:
            self.err.print(f"[bold red]Error:[/] {escape(str(error))}", soft_wrap=True)

    def silence(self) -> None:
        """Print only errors from now on: another process reports on the same work."""
        self.events = False
        self.out.quiet = self.err.quiet = True

    def stopped(self) -> None:
        """Report that the user stopped the command."""
        if self.events:
            self.line({"event": "cancelled"})
        else:
            self.err.print(f"Stopped. Work already saved is kept; {self.resume_hint}.")

    @contextmanager
    def working(self, *, patience: float = PATIENCE_SECONDS) -> Iterator[TaskContext]:
        """Give a task context whose events are shown; SIGINT, SIGTERM and a line ``cancel`` stop it.

        Work that has not stopped by itself after ``patience`` seconds is interrupted.
        """
        with _show_events(self) as show:
            context = TaskContext(show)
            with _stoppable(context, by_line=self.events, patience=patience):
                yield context


def plain(value: object) -> Any:
    """Convert a value for JSON; publications and paths become one string."""
    return codec.plain(value, as_text=(PublicationNumber, PurePath))


def _licence(error: AppError) -> dict[str, Any]:
    """``{"licence": true}`` if a licence must be accepted first, so that a window can ask for it."""
    from claimlight.encoders.licences import LicenceError

    return {"licence": True} if isinstance(error, LicenceError) else {}


@contextmanager
def _show_events(front: Front) -> Iterator[Any]:
    if front.events:
        yield front.tell
        return
    if not front.err.is_terminal:
        log = _Log(front)
        with log.reminding():
            yield _Display(front, log)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"))
    with Bars(*columns, console=front.err, transient=True) as bars:
        yield _Display(front, _Bars(bars))


class _Bars:
    """Progress as bars in a terminal, one for each stage."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._stages: dict[str, TaskID] = {}

    def show(self, event: Progress) -> None:
        if event.stage not in self._stages:
            self._stages[event.stage] = self._bars.add_task(event.stage, total=None, state="")
        stage = self._stages[event.stage]
        self._bars.update(stage, completed=event.done, total=event.total or None, state=escape(_state(event)))


class _Log:
    """Progress as lines of a log, one every half minute, also during steps that report nothing."""

    def __init__(self, front: Front, clock: Callable[[], float] = monotonic) -> None:
        self._front = front
        self._clock = clock
        self._next = clock() + FIRST_LOG_SECONDS
        self._unfinished = ""
        self._lock = threading.Lock()

    def show(self, event: Progress) -> None:
        line = f"{event.stage}: {_state(event)}".rstrip()
        self._unfinished = line if event.done < event.total or not event.total else ""
        self._say(line)

    def remind(self) -> None:
        """Print the last line again if the stage is not complete and no line was printed for some time."""
        if self._unfinished:
            self._say(f"{self._unfinished} …")

    def _say(self, line: str) -> None:
        now = self._clock()
        with self._lock:
            if now < self._next:
                return
            self._next = now + LOG_SECONDS
        self._front.say(line)

    @contextmanager
    def reminding(self) -> Iterator[None]:
        """Remind in another thread."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(LOG_SECONDS):
                self.remind()

        threading.Thread(target=watch, name="progress log", daemon=True).start()
        try:
            yield
        finally:
            over.set()


class _Display:
    """Progress by stage, with notes and quarantined documents."""

    def __init__(self, front: Front, progress: _Bars | _Log) -> None:
        self._front = front
        self._shown = progress
        self._first: TrainEvent | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Progress():
                self._shown.show(event)
            case Note(text):
                self._front.say(text, style="yellow")
            case QuarantinedEvent(item):
                place = f"{item.source.path} {item.source.member}".strip()
                line = f", line {item.line}" if item.line else ""
                self._front.say(f"Quarantined: {place}{line}: {item.reason}", style="yellow")
            case TrainEvent():
                self._step(event)
            case Committed():
                pass

    def _step(self, event: TrainEvent) -> None:
        first = self._first = self._first or event
        # A resumed run begins in the middle, and its first step may have taken longer than the others.
        done, seconds = event.step - first.step, event.seconds - first.seconds
        rate = done / seconds if seconds > 0 else 0.0
        left = (event.steps - event.step) / rate if rate else None
        checked = "" if event.validation is None else f", held out {event.validation:.4f}"
        figures = f"loss {event.loss:.4f}{checked}, {event.tokens_per_second:,.0f} tokens/s"
        self._shown.show(Progress("Training", event.step, event.steps, "steps", rate, left, figures))


def _state(event: Progress) -> str:
    left = ""
    if event.seconds_left is not None:
        left = f", {timedelta(seconds=round(event.seconds_left))} left"
    of = f" of {event.total:,}" if event.total else ""
    amount, form, time = event.speed
    rate = f", {amount:{form}}/{time}" if event.rate else ""
    return f"{event.done:,}{of} {event.unit}{rate}{left} {event.message}"


@contextmanager
def _stoppable(context: TaskContext, *, by_line: bool, patience: float) -> Iterator[None]:
    """The first signal asks the task to stop; a second SIGINT, or ``patience`` running out, interrupts it."""
    over = threading.Timer(patience, _interrupt)
    over.daemon = True

    def stop() -> None:
        if not context.cancelled:
            context.cancel()
            over.start()

    def ask(number: int, _frame: FrameType | None) -> None:
        if context.cancelled and number == signal.SIGINT:
            raise TaskCancelled
        stop()

    # Python allows signal handlers in the main thread only.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    if by_line:
        threading.Thread(target=_listen, args=(context, stop), name="cancel line", daemon=True).start()
    try:
        yield
    finally:
        over.cancel()
        for number, handler in former.items():
            signal.signal(number, handler)


def _interrupt() -> None:
    """Send SIGINT to the main thread, which also ends a system call it is blocked in."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # Windows
        signal.raise_signal(signal.SIGINT)


def _listen(context: TaskContext, stop: Callable[[], None]) -> None:
    """Wait for the line ``cancel``.

    Reads the file descriptor itself: a blocked ``sys.stdin.read`` would hold a lock that the exit waits for.
    """
    rest = b""
    while not context.cancelled:
        try:
            piece = os.read(sys.__stdin__.fileno() if sys.__stdin__ else 0, 4096)
        except OSError:
            return
        if not piece:
            return
        *lines, rest = (rest + piece).split(b"\n")
        if any(line.strip() == b"cancel" for line in lines):
            stop()
