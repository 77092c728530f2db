"""A training run in progress: the loss curve, the progress, and the figures of the last step."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QProgressBar, QVBoxLayout, QWidget

from claimlight.types import Note, Progress, TrainEvent
from claimlight_workbench.language import number, tr
from claimlight_workbench.progress_words import amount, stage_heading
from claimlight_workbench.widgets.loss_curve import LossCurve

_MINUTE, _HOUR = 60, 3_600


class RunFigures(QWidget):
    """Shows events; independent of the screens."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.curve = LossCurve()
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress of the run"))
        self.bar.hide()
        self.state = QLabel("")
        self.state.setObjectName("muted")
        self.state.setWordWrap(True)
        self._first = 0
        """First step of this start; earlier ones say nothing about the time left."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.curve, 1)
        column.addWidget(self.bar)
        column.addWidget(self.state)

    def begin(self, text: str) -> None:
        """A run starts, or resumes."""
        self._first = 0
        self.bar.setRange(0, 0)
        self.bar.show()
        self.state.setText(text)

    def show_event(self, event: object) -> None:
        """Show an event of the run."""
        if isinstance(event, TrainEvent):
            self._first = self._first or event.step
            self.curve.add(event.step, event.loss, steps=event.steps, validation=event.validation)
            self.bar.setRange(0, event.steps)
            self.bar.setValue(event.step)
            self.state.setText(step_text(event, first=self._first))
        elif isinstance(event, Progress):
            self.bar.setRange(0, event.total)
            self.bar.setValue(event.done)
            self.state.setText(progress_text(event))
        elif isinstance(event, Note):
            self.state.setText(event.text)

    def end(self, text: str) -> None:
        """The run has ended; the curve stays."""
        self.bar.hide()
        self.state.setText(text)


def step_text(event: TrainEvent, *, first: int = 1) -> str:
    """The figures of one step in a line; ``first`` is the first step of this start."""
    held = (
        tr(", on held-out documents {validation:.3f}", validation=event.validation)
        if event.validation is not None
        else ""
    )
    return tr(
        "Step {step:,} of {steps:,}, loss {loss:.3f}{held}; {examples:,} examples, "
        "{tokens_per_second:,.0f} tokens/s, {memory_bytes:.1f} GB, learning rate "
        "{learning_rate:.1e}{left_text}",
        step=event.step,
        steps=event.steps,
        loss=event.loss,
        held=held,
        examples=event.examples,
        tokens_per_second=event.tokens_per_second,
        memory_bytes=event.memory_bytes / 1e9,
        learning_rate=event.learning_rate,
        left_text=left_text(event, first=first),
    )


def left_text(event: TrainEvent, *, first: int = 1) -> str:
    """Time left, from the steps of this start; empty at the first and the last one."""
    done, left = event.step - first + 1, event.steps - event.step
    if not left or done < 2:
        return ""
    return tr("; about {seconds} left", seconds=duration(event.seconds / done * left))


def duration(seconds: float) -> str:
    if seconds < 1.5 * _MINUTE:
        return f"{number(seconds, '.0f')} s"
    return (
        tr("{seconds:.0f} min", seconds=seconds / _MINUTE)
        if seconds < 1.5 * _HOUR
        else f"{number(seconds / _HOUR, '.1f')} h"
    )


def progress_text(progress: Progress) -> str:
    """A stage beside the training itself: reading, encoding, centers."""
    left = (
        tr(", {seconds_left} left", seconds_left=duration(progress.seconds_left))
        if progress.seconds_left is not None
        else ""
    )
    return f"{stage_heading(progress.stage)}: {amount(progress)}{left}"
