import pytest

from claimlight.errors import AppError, TaskCancelled
from claimlight.tasks import TaskContext
from claimlight.types import Event, Note


def test_events_reach_the_front_until_the_task_is_stopped() -> None:
    seen: list[Event] = []
    context = TaskContext(seen.append)
    context.report(Note("one"))
    context.cancel()
    with pytest.raises(TaskCancelled):
        context.report(Note("two"))
    with pytest.raises(TaskCancelled):
        context.check()
    assert seen == [Note("one")]
    assert context.cancelled


def test_a_broad_except_cannot_swallow_the_wish_to_stop() -> None:
    assert not issubclass(TaskCancelled, Exception)
    assert not issubclass(TaskCancelled, AppError)
