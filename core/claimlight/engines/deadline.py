"""A limit to the time of a call, whatever it waits for."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar, cast

from claimlight.errors import EngineError

_T = TypeVar("_T")


def within(seconds: float, call: Callable[[], _T], *, late: str) -> _T:
    """What ``call`` gives, or its error; `EngineError` with the message ``late`` after ``seconds``.

    Timeouts of sockets count from the last byte, and none ends the search for the address of a host. So the
    call gets a thread, which is left to its own timeouts when it is late.
    """
    answers: SimpleQueue[tuple[bool, object]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((True, call()))
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            answers.put((False, error))

    # Not of a pool: its threads are waited for when the program ends.
    Thread(target=run, name="engine", daemon=True).start()
    try:
        done, answer = answers.get(timeout=seconds)
    except Empty:
        raise EngineError(late) from None
    if not done:
        assert isinstance(answer, BaseException)
        raise answer
    return cast("_T", answer)
