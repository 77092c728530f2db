from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal


class Bell(QObject):
    rung = Signal()


def test_emitting_does_not_eat_references(qapp):
    """PySide6 6.12.0 does: after some hundred signals the interpreter ends with a fatal error."""
    bell = Bell()
    before = sys.getrefcount(True), sys.getrefcount(False)
    for _ in range(50):
        bell.rung.emit()
    after = sys.getrefcount(True), sys.getrefcount(False)
    assert all(abs(new - old) < 25 for old, new in zip(before, after, strict=True))
