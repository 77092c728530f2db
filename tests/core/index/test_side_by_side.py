"""Work on several threads: order, errors, callers at once."""

from __future__ import annotations

import threading

import pytest

from core.index.side_by_side import each


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    assert each(lambda n: n * n, range(50), threads=threads) == [n * n for n in range(50)]


def test_others_take_part() -> None:
    # Each item waits for the other, so one thread alone would never get through.
    both = threading.Barrier(2, timeout=20)
    assert each(lambda n: (both.wait(), n)[1], [1, 2], threads=2) == [1, 2]


@pytest.mark.parametrize("threads", [1, 4])
def test_an_error_is_raised_and_the_next_work_is_done(threads: int) -> None:
    def work(number: int) -> int:
        if number == 7:
            raise ValueError("seven")
        return number

    with pytest.raises(ValueError, match="seven"):
        each(work, range(20), threads=threads)
    assert each(work, [1, 2, 3], threads=threads) == [1, 2, 3]


def test_an_error_in_another_thread_is_raised() -> None:
    caller = threading.get_ident()
    both = threading.Barrier(2, timeout=20)

    def work(number: int) -> int:
        both.wait()
        if threading.get_ident() != caller:
            raise ValueError("elsewhere")
        return number

    with pytest.raises(ValueError, match="elsewhere"):
        each(work, [1, 2], threads=2)


def test_several_callers_at_once() -> None:
    found: dict[int, list[int]] = {}

    def call(number: int) -> None:
        found[number] = each(lambda n: n + number, range(200), threads=4)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == {number: [n + number for n in range(200)] for number in range(8)}


def test_it_works_when_no_other_thread_is_free() -> None:
    free = threading.Event()
    busy = threading.Thread(target=lambda: each(lambda _: free.wait(20), range(64), threads=64))
    busy.start()
    try:
        assert each(lambda n: n, range(10), threads=4) == list(range(10))
    finally:
        free.set()
        busy.join()
