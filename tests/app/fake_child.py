"""A child process that does nothing until a test makes it tell, fail or end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal


class Child(QObject):
    """Stands for the child process; ends when told to."""

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(Exception)
    cancelled = Signal()
    made: list[Child]

    def __init__(self, arguments: Sequence[str], parent: QObject) -> None:
        super().__init__(parent)
        self.arguments = tuple(arguments)
        self.started = self.asked = self.waited = False
        Child.made.append(self)

    def start(self) -> None:
        self.started = True

    def cancel(self) -> None:
        self.asked = True

    def stop(self) -> None:
        self.waited = True
