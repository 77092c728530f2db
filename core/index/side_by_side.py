"""Work on several cores within a search: the caller works, too, and waits for nobody who has not begun.

A search takes milliseconds and starting threads a quarter of one, so the threads are kept from one search to
the next. On a busy machine a thread may get no processor for as long as a search takes; then the caller
has done its share by the time, and takes it off the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from os import cpu_count
from typing import TypeVar, cast

_T = TypeVar("_T")
_R = TypeVar("_R")


@cache
def _others() -> ThreadPoolExecutor:
    """One thread fewer than there are cores; they end with the program."""
    return ThreadPoolExecutor(max((cpu_count() or 1) - 1, 1), thread_name_prefix="postings")


def each(work: Callable[[_T], _R], items: Sequence[_T], *, threads: int) -> list[_R]:
    """``work`` of every item, in their order, on at most ``threads`` threads, this one among them.

    ``work`` must release the interpreter's lock to gain anything. Its first error is raised. In a process
    that was forked the threads are missing, and this one does it all.
    """
    if threads < 2 or len(items) < 2:
        return [work(item) for item in items]
    results: list[_R | None] = [None] * len(items)
    left = iter(range(len(items)))

    def take(numbers: Iterator[int]) -> None:
        # Whoever is free takes the next number: asking an iterator for it can't be interrupted.
        for number in numbers:
            results[number] = work(items[number])

    helpers = [_others().submit(take, left) for _ in range(min(threads, len(items)) - 1)]
    try:
        take(left)
    finally:
        begun = [helper for helper in helpers if not helper.cancel()]
        failed = [error for helper in begun if (error := helper.exception()) is not None]
    if failed:
        raise failed[0]
    return cast("list[_R]", results)
