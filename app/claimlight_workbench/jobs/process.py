"""Long jobs as child processes that report their progress as JSON lines.

A crash or an out-of-memory in the child can't end the window. Cancelling is requested first and enforced
after `KILL_AFTER_MS`; whatever the child has committed stays, and the next run resumes there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from claimlight import codec
from claimlight.errors import AppError, InputError, ResourceError
from claimlight.files import parse_json
from claimlight.types import (
    AdaptReport,
    ClassifierReport,
    Committed,
    DroppedDescriptions,
    EditionReport,
    EvaluationReport,
    Event,
    ImportReport,
    IndexEstimate,
    IndexReport,
    Note,
    Progress,
    QuarantinedEvent,
    TrainEvent,
    TrainReport,
)
from claimlight.types.repairs import Checkup
from claimlight_workbench.language import tr

TERMINATE_AFTER_MS = 2_000
KILL_AFTER_MS = 5_000
_KEPT_STDERR = 4_000
_CASE = "--case"
_CHECK = "--due"


@dataclass(frozen=True, slots=True)
class PackageCheck:
    """The result of checking a model package, as the command line prints it."""

    name: str
    device: str
    note: str
    ok: bool
    findings: tuple[str, ...]
    """One line for each finding."""


Report = (
    ImportReport
    | IndexReport
    | IndexEstimate
    | DroppedDescriptions
    | EvaluationReport
    | TrainReport
    | AdaptReport
    | ClassifierReport
    | EditionReport
    | PackageCheck
    | Checkup
)
"""How the job ended."""
_EVENTS: dict[str, type[Any]] = {
    "progress": Progress,
    "committed": Committed,
    "note": Note,
    "quarantined": QuarantinedEvent,
    "import_report": ImportReport,
    "index_report": IndexReport,
    "index_estimate": IndexEstimate,
    "descriptions_dropped": DroppedDescriptions,
    "train": TrainEvent,
    "train_report": TrainReport,
    "evaluation_report": EvaluationReport,
    "classes_import": EditionReport,
    "adapt_report": AdaptReport,
    "classifier_report": ClassifierReport,
    "checkup": Checkup,
}


class LicenceNeeded(InputError):  # noqa: N818 - a question to the user, not a fault
    """The licence of a model has to be accepted first."""


def command(arguments: Sequence[str]) -> list[str]:
    """The command line of an engine job, both from source and in the installed program."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--engine", *arguments]
    return [sys.executable, "-m", "claimlight.cli", *arguments]


def decode(line: str) -> Event | Report | AppError | None:
    """Parse one line of the child's output; None for kinds of event that this window does not know."""
    try:
        raw = parse_json(line)
    except ValueError:
        return None
    if not isinstance(raw, dict):
        return None
    kind = raw.pop("event", "")
    if kind == "error":
        return _error(raw)
    if kind == "model_check":
        return _check(raw)
    target = _EVENTS.get(kind)
    return None if target is None else codec.read(target, raw)


def _error(raw: dict[str, Any]) -> AppError:
    message = str(raw.get("message", tr("The job failed without giving a reason.")))
    if raw.get("licence"):
        return LicenceNeeded(message)
    kinds: dict[str, type[AppError]] = {"InputError": InputError, "ResourceError": ResourceError}
    return kinds.get(str(raw.get("kind", "")), AppError)(message)


def _check(raw: dict[str, Any]) -> PackageCheck:
    findings = tuple(
        f"{'' if item['ok'] else 'FAULT: '}{item['subject']}: {item['state']}" for item in raw["findings"]
    )
    return PackageCheck(str(raw["name"]), str(raw["device"]), str(raw["note"]), bool(raw["ok"]), findings)


class ProcessJob(QObject):
    """One child process; exactly one of ``succeeded``, ``failed`` and ``cancelled`` ends it."""

    progressed = Signal(object)
    """An `Event`."""
    succeeded = Signal(object)
    """The report of the job; None where it gave none."""
    failed = Signal(Exception)
    cancelled = Signal()

    def __init__(
        self, arguments: Sequence[str], parent: QObject | None = None, *, kill_after: int = 0
    ) -> None:
        """``kill_after``: milliseconds from the request to stop to the kill; 0 means `KILL_AFTER_MS`."""
        super().__init__(parent)
        self._command = command(["--events", "jsonl", *arguments])
        self._report: object = None
        self._error: AppError | None = None
        self._rest = b""
        self._stderr = b""
        self._asked = False
        self._over = False
        self._process = QProcess(self)
        self._process.setProcessEnvironment(_environment(arguments))
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.readyReadStandardError.connect(self._read_error)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._trouble)
        # Windows only asks windows to close, which a console program has none of: there the kill follows.
        self._terminate_timer = self._timer(TERMINATE_AFTER_MS, self._process.terminate)
        self._kill_timer = self._timer(kill_after or KILL_AFTER_MS, self._process.kill)

    @property
    def running(self) -> bool:
        """Whether the child runs."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    @property
    def pid(self) -> int:
        """Process id of the child; 0 if it does not run."""
        return int(self._process.processId())

    def start(self) -> None:
        """Start the child."""
        self._process.start(self._command[0], self._command[1:])

    def cancel(self) -> None:
        """Ask the child to stop; if it does not, terminate and then kill it."""
        if not self.running or self._asked:
            return
        self._asked = True
        self._process.write(b"cancel\n")
        self._terminate_timer.start()
        self._kill_timer.start()

    def stop(self) -> None:
        """Cancel and wait; for the end of the program."""
        if self.running:
            self.cancel()
            if not self._process.waitForFinished(TERMINATE_AFTER_MS):
                self._process.kill()
                self._process.waitForFinished(KILL_AFTER_MS)

    def _timer(self, milliseconds: int, act: Any) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(act)
        return timer

    def _read(self, *, last: bool = False) -> None:
        """Parse complete lines; with ``last`` also a final line without a line break."""
        self._rest += bytes(self._process.readAllStandardOutput().data())
        *lines, self._rest = self._rest.split(b"\n")
        if last:
            lines.append(self._rest)
            self._rest = b""
        # The window paints one figure at a time: of the reports that came together only the last counts.
        newest: Progress | None = None
        for line in lines:
            item = decode(line.decode("utf-8", "replace"))
            if isinstance(item, Progress):
                newest = item
            elif isinstance(item, AppError):
                self._error = item
            elif isinstance(item, Report):
                self._report = item
            elif item is not None:
                self.progressed.emit(item)
        if newest is not None:
            self.progressed.emit(newest)

    def _read_error(self) -> None:
        read = bytes(self._process.readAllStandardError().data())
        self._stderr = (self._stderr + read)[-_KEPT_STDERR:]

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        """Finish: the child's last output is read before anybody is notified of the end."""
        self._read(last=True)
        self._read_error()
        self._terminate_timer.stop()
        self._kill_timer.stop()
        if self._over:
            return
        self._over = True
        crashed = status == QProcess.ExitStatus.CrashExit
        # A child may have finished its work before it read the request: then it has succeeded.
        if self._asked and (crashed or code != 0):
            self.cancelled.emit()
        elif crashed or code != 0:
            self.failed.emit(self._error or self._crash(code, crashed=crashed))
        else:
            self.succeeded.emit(self._report)

    def _trouble(self, error: QProcess.ProcessError) -> None:
        # All other errors are followed by `finished`.
        if error == QProcess.ProcessError.FailedToStart and not self._over:
            self._over = True
            self.failed.emit(ResourceError(tr("{command} could not be started.", command=self._command[0])))

    def _crash(self, code: int, *, crashed: bool) -> AppError:
        lines = self._stderr.decode("utf-8", "replace").strip().splitlines()
        why = tr(" Its last output: {lines}", lines=lines[-1]) if lines else ""
        how = (
            tr("was stopped by signal {code}", code=code)
            if crashed
            else tr("ended with code {code}", code=code)
        )
        return ResourceError(
            tr(
                "The job {how}. What it had completed is kept; start it again to resume.{why}",
                how=how,
                why=why,
            )
        )


_passphrases: list[str] = []
"""That of the case book, for children that open it; nowhere but in memory."""


def remember_passphrase(passphrase: str) -> None:
    """The passphrase of the case book, for children that open it; empty forgets it."""
    _passphrases[:] = [passphrase] if passphrase else []


def _environment(arguments: Sequence[str]) -> QProcessEnvironment:
    """The child finds the same packages as the window and does not buffer its events."""
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("PYTHONUNBUFFERED", "1")
    # On Windows a pipe would have the encoding of the code page.
    environment.insert("PYTHONIOENCODING", "utf-8")
    # Only who works on a case, or checks the case book, needs it. Not an argument: those are shown to every
    # user of the computer.
    if (_CASE in arguments or _CHECK in arguments) and _passphrases:
        environment.insert("CLAIMLIGHT_CASES_PASSPHRASE", _passphrases[0])
    if not getattr(sys, "frozen", False):
        environment.insert("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    return environment
