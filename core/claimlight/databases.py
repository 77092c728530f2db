"""The database files of the program: their names, and the marks by which any of them is known unopened.

File managers know them by the same marks (``installer/linux/claimlight-workbench.xml``).
"""

from __future__ import annotations

import struct
from enum import IntEnum
from pathlib import Path

LIBRARY_FILE = "library.db"
CASES_FILE = "cases.db"
_HEADER = b"SQLite format 3\0"
_MARK_PLACE = 68
"""Where SQLite keeps the application id in the head of a file."""


class Mark(IntEnum):
    """Application ids; in a hex dump they read CLLB, CLCS and CLDR."""

    LIBRARY = 0x434C4C42
    CASES = 0x434C4353
    DRAWINGS = 0x434C4452


def read_mark(path: Path) -> Mark | None:
    """What a file is by its first bytes; None for a file of any other kind. `OSError` if it can't be read."""
    with path.open("rb") as stream:
        head = stream.read(_MARK_PLACE + 4)
    if len(head) < _MARK_PLACE + 4 or not head.startswith(_HEADER):
        return None
    (found,) = struct.unpack_from(">I", head, _MARK_PLACE)
    return Mark(found) if found in iter(Mark) else None
