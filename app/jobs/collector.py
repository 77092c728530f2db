"""When Python looks for garbage in cycles: between searches, not while a document is being turned.

A full collection walks every live object and stops the window for as long (measured: 50 to 90 ms with a
few long documents kept). Values here are freed by their counts; cycles are few and small.
"""

from __future__ import annotations

import gc

_YOUNG = 100_000
_MIDDLE = 20
_NEVER = 1_000_000


def calm() -> None:
    """Leave what the start has made alone for good, and start no full collection on its own."""
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)


def collect() -> None:
    """Collect now: the user has just asked for something that takes longer."""
    gc.collect()
