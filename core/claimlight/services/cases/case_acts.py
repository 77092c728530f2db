"""What of a case's history can be undone by itself, because nothing that was done later depends on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from claimlight.store.case_log import Step
from claimlight.types import Action, Hindrance, LogEntry


@dataclass(slots=True)
class _Replay:
    """The history so far: per subject, the changes that stand, newest last."""

    standing: dict[tuple[str, str, str], list[Step]] = field(default_factory=dict)
    undone: set[int] = field(default_factory=set)
    steps: dict[int, Step] = field(default_factory=dict)

    def add(self, step: Step) -> None:
        if step.action in (Action.UNDONE, Action.REDONE):
            self._turn(step)
            return
        self.steps[step.id] = step
        for place in _places(step):
            self.standing.setdefault(place, []).append(step)

    def _turn(self, line: Step) -> None:
        step = self.steps.get(line.refers or 0)
        if step is None:
            return
        back = line.action is Action.UNDONE
        for place in _places(step):
            stack = self.standing.setdefault(place, [])
            if back and step in stack:
                stack.remove(step)
            elif not back and step not in stack:
                stack.append(step)
        (self.undone.add if back else self.undone.discard)(step.id)

    def explain(self, step: Step) -> tuple[Hindrance, str]:
        """Why a change can't be undone, or redone if it was undone; and the later step that is in the way."""
        places = list(_places(step))
        if not places:
            return Hindrance.NOTHING, ""
        for place in places:
            stack = self.standing.get(place, [])
            last = stack[-1] if stack else None
            if step.id in self.undone:
                # It was made on a state that must be there again.
                if last is not None and last.id > step.id:
                    return Hindrance.SINCE, last.text
            elif last is not step:
                return Hindrance.LATER, last.text if last is not None else ""
        return Hindrance.NONE, ""


def describe_acts(steps: Iterable[Step]) -> list[LogEntry]:
    """Every line of the history, with what can be done about it, oldest first."""
    replay, listed = _Replay(), list(steps)
    for step in listed:
        replay.add(step)
    return [_entry(step, replay) for step in listed]


def _entry(step: Step, replay: _Replay) -> LogEntry:
    known = replay.steps.get(step.refers or step.id, step)
    entry = LogEntry(step.id, step.at, step.action, step.text, publication=_publication(known))
    if step.action in (Action.UNDONE, Action.REDONE):
        return replace(entry, hindrance=Hindrance.TURN)
    hindrance, later = replay.explain(step)
    return replace(entry, hindrance=hindrance, later=later, undone=step.id in replay.undone)


def _publication(step: Step) -> str:
    return step.key.partition("\n")[0] if step.subject not in ("", "case", "sample") else ""


def _places(step: Step) -> Iterator[tuple[str, str, str]]:
    """What a change is about: a value of the case, or each field of the case that it changed."""
    if step.before == step.after:
        return
    if step.subject != "case":
        if step.subject:
            yield step.subject, step.key, ""
        return
    before, after = (json.loads(text or "{}") for text in (step.before, step.after))
    for name in sorted({*before, *after} - {"changed"}):
        if before.get(name) != after.get(name):
            yield step.subject, step.key, name
