"""How a number of things is said, the same everywhere."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """``1 document``, ``2,000 documents``; ``plural`` where it is more than an s."""
    return f"1 {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"
