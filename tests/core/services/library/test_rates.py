"""Rate and time left follow what happened lately, not what happened long ago."""

import pytest

from claimlight.errors import TaskCancelled
from claimlight.services.library import rates
from claimlight.services.library.rates import Rate
from claimlight.tasks import TaskContext
from claimlight.types import Progress


def test_time_left_follows_the_recent_rate(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(rates, "monotonic", lambda: clock[0])
    events = []
    rate = Rate("import", 1000, "bytes", TaskContext(events.append))
    for second, done in ((1, 100), (2, 200), (100, 480), (101, 500)):
        clock[0] = 100.0 + second
        rate.reached(done, "week.xml")
    assert [item.rate for item in events] == pytest.approx([100, 100, 280 / 98, 20])
    assert [item.seconds_left for item in events] == pytest.approx([9, 8, 520 / (280 / 98), 25])
    assert {item.message for item in events} == {"week.xml"}


def test_what_was_done_before_is_shown_and_is_no_part_of_the_rate(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(rates, "monotonic", lambda: clock[0])
    events = []
    rate = Rate("full text", 6_096, "passages", TaskContext(events.append), begun=1_000)
    clock[0] = 10.0
    rate.reached(1_020)
    rate.leave_out(148)
    clock[0] = 20.0
    rate.reached(1_196)
    assert [(item.done, item.total) for item in events] == [(1_020, 6_096), (1_196, 6_096)]
    assert [item.rate for item in events] == pytest.approx([2.0, 2.4])
    assert events[-1].seconds_left == pytest.approx(4_900 / 2.4)


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (1234.0, "1,234/s"),
        (10.0, "10/s"),
        (3.44, "3.4/s"),
        (0.13, "0.1/s"),
        (0.05, "3.0/min"),
        (0.001, "3.6/h"),
    ],
)
def test_slow_work_is_not_shown_as_none(rate, said):
    amount, form, time = Progress("index", 5, 45, "documents", rate, None).speed
    assert f"{amount:{form}}/{time}" == said


def test_a_few_reports_a_second_and_always_the_last(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(rates, "monotonic", lambda: clock[0])
    events = []
    rate = Rate("index", 100, "passages", TaskContext(events.append))
    for _ in range(100):
        clock[0] += 0.01
        rate.advance(1)
    assert 3 <= len(events) <= 5
    assert (events[-1].done, events[-1].seconds_left) == (100, 0)


def test_more_than_expected_moves_the_total():
    events = []
    Rate("index", 10, "passages", TaskContext(events.append)).advance(12)
    assert (events[-1].done, events[-1].total) == (12, 12)


def test_counting_is_where_a_task_stops():
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        Rate("index", 10, "passages", context).advance(1)
