"""The documents that searches found and users opened before their descriptions were indexed, latest last.

Kept in the library's folder as lines of ids, so that any program that indexes the library can index these
first. A line is appended in one write; what two programs write at once may be lost, which costs an order.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from claimlight.files import Access, write_atomically

FILE_NAME = "wanted.txt"
KEPT = 2000
"""Most documents that are remembered."""
_LONGEST = 1 << 17
"""Bytes above which the file is shortened to what is remembered."""


def add(library: Path, documents: Iterable[int]) -> None:
    """Remember documents, the most important first; nothing if the folder can't be written."""
    # Reversed, as the latest comes first when they are read.
    line = " ".join(str(document) for document in reversed(list(documents)))
    if not line:
        return
    path = library / FILE_NAME
    try:
        with path.open("a", encoding="ascii") as stream:
            stream.write(line + "\n")
        if path.stat().st_size > _LONGEST:
            kept = " ".join(map(str, reversed(read(library))))
            write_atomically(path, kept + "\n", Access.FOLDER)
    except OSError:
        return


def read(library: Path) -> list[int]:
    """The remembered documents, each once, latest first."""
    try:
        words = (library / FILE_NAME).read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return []
    found = dict.fromkeys(int(word) for word in reversed(words) if word.isdecimal() and len(word) < 19)
    return list(found)[:KEPT]
