"""Jobs in words: state, progress, times and log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from textwrap import shorten

from claimlight.types import Progress, TrainEvent
from claimlight_workbench.jobs.registry import JobState, ListedJob
from claimlight_workbench.language import number, tr, trn
from claimlight_workbench.progress_words import amount, rate, stage_name, unit_name

STATES = {
    JobState.WAITING: tr("waiting"),
    JobState.RUNNING: tr("running"),
    JobState.PAUSED: tr("paused"),
    JobState.DONE: tr("done"),
    JobState.FAILED: tr("failed"),
    JobState.CANCELLED: tr("cancelled"),
}
SIGNS = {
    JobState.WAITING: "…",
    JobState.RUNNING: "▶",
    JobState.PAUSED: "❚❚",
    JobState.DONE: "✓",
    JobState.FAILED: "!",
    JobState.CANCELLED: "✕",
}
NOTHING = tr(
    "No job has run yet. Imports, indexing, training, evaluations, comparisons and reports are listed here "
    "while the program is open."
)
_STAGES = {
    "index": tr("titles, abstracts and claims"),
    "full text": tr("descriptions"),
}
_MINUTE, _HOUR = 60, 3_600
_IN_STATUS = 36
"""Letters of a title in the status line, where the message needs room too."""


def state_text(job: ListedJob) -> str:
    """A sign and a word."""
    return f"{SIGNS[job.state]} {STATES[job.state]}"


def progress_text(job: ListedJob) -> str:
    """How far it is, and how fast; empty if it has not said."""
    event = job.event
    if isinstance(event, TrainEvent):
        return tr(
            "step {step:,} of {steps:,}, loss {loss:.3f}", step=event.step, steps=event.steps, loss=event.loss
        )
    if not isinstance(event, Progress) or not (event.done or event.total):
        return ""
    stage = _STAGES.get(event.stage) or stage_name(event.stage)
    told = amount(event)
    return f"{stage}: {told}" if stage and stage != unit_name(event.unit) else told


def rate_text(job: ListedJob) -> str:
    """Units in a second, while it runs."""
    event = job.event
    if job.state is not JobState.RUNNING:
        return ""
    if isinstance(event, TrainEvent):
        return tr("{n:,.0f} tokens/s", n=event.tokens_per_second)
    if not isinstance(event, Progress) or event.rate <= 0:
        return ""
    return rate(event)


def left_text(job: ListedJob) -> str:
    """Time left, if it is known."""
    event = job.event
    if job.state is not JobState.RUNNING:
        return ""
    if isinstance(event, TrainEvent):
        done = event.step - job.first_step + 1
        known = done > 1 and event.seconds > 0
        return duration(event.seconds / done * (event.steps - event.step)) if known else ""
    seconds = event.seconds_left if isinstance(event, Progress) else None
    return duration(seconds) if seconds is not None else ""


def figures_text(job: ListedJob) -> str:
    """Everything of a job but its title, in a line: ``▶ running  ·  3 of 12 documents  ·  6 s left``."""
    taken = taken_text(job)
    begun = tr("begun {time}", time=begun_text(job.begun)) if job.begun is not None else ""
    parts = (
        state_text(job),
        progress_text(job),
        rate_text(job),
        _left_phrase(job),
        begun,
        tr("{time} taken", time=taken) if taken else "",
    )
    return "  ·  ".join(filter(None, parts))


def begun_text(at: datetime | None) -> str:
    """The time of the day, local."""
    return f"{at.astimezone():%H:%M:%S}" if at is not None else ""


def taken_text(job: ListedJob) -> str:
    """How long it has run."""
    return duration(job.seconds) if job.begun is not None else ""


def log_text(job: ListedJob) -> str:
    """The log, a line for each message, with the local time."""
    return "\n".join(f"{line.at.astimezone():%H:%M:%S}  {line.text}" for line in job.log)


def copied_text(job: ListedJob) -> str:
    """A job with its log, to be copied."""
    head = (job.title, STATES[job.state], progress_text(job), taken_text(job))
    return "\n".join(filter(None, (", ".join(filter(None, head)), log_text(job))))


def status_text(jobs: Sequence[ListedJob]) -> str:
    """For the status line: ``none``, what the only job does, or how many run."""
    running = [job for job in jobs if job.state is JobState.RUNNING]
    if len(running) == 1:
        (job,) = running
        title = shorten(job.title, _IN_STATUS, placeholder="…")
        far = share_text(job)
        return f"{title}, {far}" if far else title
    if running:
        return trn("{n} running", "{n} running", len(running))
    paused = sum(job.state is JobState.PAUSED for job in jobs)
    return trn("{n} paused", "{n} paused", paused) if paused else tr("none")


def status_tip(jobs: Sequence[ListedJob]) -> str:
    """What runs and waits, a line for each."""
    lines = [
        ", ".join(filter(None, (job.title, STATES[job.state], progress_text(job), _left_phrase(job))))
        for job in jobs
        if job.state in {JobState.RUNNING, JobState.WAITING, JobState.PAUSED}
    ]
    return "\n".join((*lines, tr("Click to see the jobs of this session.")))


def share_text(job: ListedJob) -> str:
    """Percentage, and the time left if it is known."""
    part = share(job)
    if part is None:
        return progress_text(job)
    return ", ".join(filter(None, (f"{number(100 * part, '.0f')} %", _left_phrase(job))))


def share(job: ListedJob) -> float | None:
    """The part that is done, 0 to 1; None if that is not known."""
    event = job.event
    if isinstance(event, TrainEvent):
        return event.step / event.steps if event.steps else None
    if isinstance(event, Progress) and event.total:
        return min(1.0, event.done / event.total)
    return None


def duration(seconds: float) -> str:
    """``12 s``, ``3 min``, ``1.5 h``."""
    if seconds < 1.5 * _MINUTE:
        return tr("{n:.0f} s", n=seconds)
    if seconds < 1.5 * _HOUR:
        return tr("{n:.0f} min", n=seconds / _MINUTE)
    return tr("{n:.1f} h", n=seconds / _HOUR)


def _left_phrase(job: ListedJob) -> str:
    left = left_text(job)
    return tr("{time} left", time=left) if left else ""
