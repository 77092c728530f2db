"""Pauses Python's garbage collection of cycles where many small values without cycles are made."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0
_was_on = False


@contextmanager
def paused_collection() -> Iterator[None]:
    """No automatic collection in this process while the block runs, in whichever thread.

    The evidence of a search is thousands of objects. Every few thousand the collector would walk all objects
    of the process for cycles, which takes longer than making the evidence. Nested and concurrent blocks end
    the pause with the last of them; a collector that was off before stays off.
    """
    global _pauses, _was_on
    with _lock:
        if not _pauses:
            _was_on = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _was_on:
                gc.enable()
