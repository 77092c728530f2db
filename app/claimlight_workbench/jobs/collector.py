"""When Python looks for garbage in cycles: when nobody has done anything for a while.

A collection walks the live objects and stops the window for as long (measured: 50 to 180 ms with a few long
documents kept), so none may come in the way of a key. Values here are freed by their counts; cycles are few
and small, and can wait. What has outlived a collection is left out of the next ones; once in a while all is
looked at.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_YOUNG = 100_000
_MIDDLE = 20
_NEVER = 1_000_000
IDLE_MS = 5_000
"""Somebody who has not turned a page, searched or typed for so long is reading."""
_WHOLE = 20
"""Every so many collections look at everything."""


def calm() -> None:
    """Leave what the start has made alone for good, and start no full collection on its own."""
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)


class Collector(QObject):
    """Collects some time after the last thing the user did."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.collections = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(IDLE_MS)
        self._timer.timeout.connect(self._collect)

    def put_off(self, *_: object) -> None:
        """The user does something: not now."""
        self._timer.start()

    def stop(self) -> None:
        """The program ends."""
        self._timer.stop()

    def _collect(self) -> None:
        self.collections += 1
        if self.collections % _WHOLE == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
