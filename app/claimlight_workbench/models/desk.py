"""What a screen does when the library or the case it shows something of is left."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, runtime_checkable


class Left(StrEnum):
    """What is open no more."""

    LIBRARY = "library"
    """Another one follows at once."""
    CASE = "case"
    """Another one follows at once."""
    LIST = "list"
    """Nothing was found: a document of the list before is on view no more."""


@runtime_checkable
class ClearsOut(Protocol):
    """A presenter or view that keeps something of a library or a case.

    The window calls every one of its presenters and views that has the method; nothing is to be wired.
    """

    def clear_out(self, left: Left) -> None:
        """Keep nothing of what is left: no rows, text, marks, counts, messages or ids."""
        ...
