"""Checks the query line while it is typed, completes it, and asks for its set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from claimlight.errors import QueryError
from claimlight.types import DefaultOperator, SetRequest
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left

if TYPE_CHECKING:
    from claimlight.tasks import TaskContext
    from claimlight.types import Completion, ParsedQuery
    from claimlight_workbench.jobs.runner import JobRunner

CHECK_AFTER_MS = 250
COMPLETE_AFTER_MS = 120


class LineService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def check_query(self, request: SetRequest, context: TaskContext) -> ParsedQuery:
        """How a line is parsed, with the counts of its terms; raises `QueryError` with the column."""
        ...

    def complete_query(self, text: str, column: int, context: TaskContext) -> tuple[Completion, ...]:
        """Completions at a 1-based column: words of the library, fields, operators, sets."""
        ...


class ExpressionPresenter(QObject):
    """One line at a time; a newer check cancels the older."""

    checked = Signal(object, str)
    """`ParsedQuery` and its line."""
    refused = Signal(object, str)
    """`QueryError` and the line."""
    completed = Signal(object, str, int)
    """Completions, and the line and column they are for."""
    requested = Signal(object)
    """`SetRequest`, ready to run."""
    scope_changed = Signal(object)
    """`SetRequest` without a line: the limits of every line."""
    operator_changed = Signal(str)
    failed = Signal(Exception, str)

    def __init__(self, services: LineService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.scope = SetRequest("")
        self.ready = False
        """Whether a library is open to check against."""
        self._text = ""
        self._column = 0
        self._answered = False
        self._check = self._timer(CHECK_AFTER_MS, self._check_now)
        self._complete = self._timer(COMPLETE_AFTER_MS, self._complete_now)

    def set_scope(self, scope: SetRequest) -> None:
        """Set the claim, the date limit and the own family for lines."""
        operator = self.scope.default_operator
        if scope != replace(self.scope, default_operator=scope.default_operator):
            self.scope = replace(scope, default_operator=operator)
            self.scope_changed.emit(self.scope)
            self._again()

    def set_operator(self, name: str) -> None:
        """Set the default operator, used between two words without an operator."""
        operator = DefaultOperator(name) if name in list(DefaultOperator) else DefaultOperator.AND
        self.scope = replace(self.scope, default_operator=operator)
        self.operator_changed.emit(operator.value)
        self._again()

    def edit(self, text: str, column: int) -> None:
        """The line has changed."""
        self._text, self._column, self._answered = text, column, False
        self._runner.cut_off("check")
        self._runner.cut_off("complete")
        if text.strip():
            self._check.start()
            self._complete.start()
        else:
            self._check.stop()
            self._complete.stop()

    def complete(self, text: str, column: int) -> None:
        """Ask for completions now."""
        self._text, self._column = text, column
        self._complete_now()

    def run(self, text: str) -> None:
        """Ask for the set of a line."""
        self._quiet()
        if text.strip():
            self.requested.emit(replace(self.scope, expression=text.strip()))

    def answer(self, text: str) -> None:
        """The set of a line is shown with the parsed line, and no check may replace that."""
        self._quiet()
        self._text, self._answered = text, bool(text)

    def stop(self) -> None:
        """The program ends."""
        self._check.stop()
        self._complete.stop()

    def pause(self) -> None:
        """Another library is being opened: ask nothing of the previous."""
        self.ready = False
        self._quiet()

    def clear_out(self, left: Left) -> None:
        """A line being written is checked in the next library; one that was run, only when edited."""
        self._quiet()
        if left is Left.CASE or self._answered:
            self._text = ""
        self._answered = False

    def resume(self) -> None:
        """The library stays the same."""
        if not self.ready:
            self.recheck()

    def recheck(self) -> None:
        """The library has changed: the counts may differ."""
        self.ready = True
        self._again()

    def _again(self) -> None:
        if self._text.strip() and not self._answered:
            self._check.start()

    def _quiet(self) -> None:
        for timer, purpose in ((self._complete, "complete"), (self._check, "check")):
            timer.stop()
            self._runner.cut_off(purpose)

    def _timer(self, milliseconds: int, act: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(act)
        return timer

    def _check_now(self) -> None:
        if not self.ready:
            return
        text = self._text
        request = replace(self.scope, expression=text)
        job = self._runner.submit(
            lambda context: self._services.check_query(request, context), supersedes="check"
        )
        job.succeeded.connect(lambda parsed: self._checked(parsed, text))
        job.failed.connect(lambda error: self._refused(error, text))

    def _checked(self, parsed: ParsedQuery, text: str) -> None:
        if text == self._text:
            self.checked.emit(parsed, text)

    def _refused(self, error: Exception, text: str) -> None:
        if isinstance(error, QueryError):
            if text == self._text:
                self.refused.emit(error, text)
        else:
            self.failed.emit(error, tr("The query line could not be checked"))

    def _complete_now(self) -> None:
        if not self.ready:
            return
        text, column = self._text, self._column
        job = self._runner.submit(
            lambda context: self._services.complete_query(text, column, context), supersedes="complete"
        )

        def completed(found: tuple[Completion, ...]) -> None:
            self.completed.emit(found, text, column)

        job.succeeded.connect(completed)
        # A line without completions is as good as one with them; the check says what is wrong with it.
        job.failed.connect(lambda _error: None)
