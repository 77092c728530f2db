"""Editing features as lines of text: pure functions, one for each command."""

from __future__ import annotations

import re

_JOINTS = re.compile(r"[;,:]\s+|\s+(?=wherein|whereby|comprising|characteri[sz]ed)|\s+(?=and\b)")
_SHORTEST = 8


def split(lines: tuple[str, ...], index: int, *, at: int | None = None) -> tuple[str, ...]:
    """Cut one feature in two: at a position, else at the joint nearest to its middle."""
    if not 0 <= index < len(lines):
        return lines
    text = lines[index]
    place = _joint(text) if at is None else at
    left, right = text[:place].strip(), text[place:].strip()
    if not left or not right:
        return lines
    return (*lines[:index], left, right, *lines[index + 1 :])


def split_into(lines: tuple[str, ...], index: int, left: str, right: str) -> tuple[str, ...]:
    """Put two texts in the place of one feature; an empty half leaves one feature."""
    return add(edit(lines, index, left or right), index, right if left else "")


def merge(lines: tuple[str, ...], index: int) -> tuple[str, ...]:
    """Join a feature with the one after it."""
    if not 0 <= index < len(lines) - 1:
        return lines
    return (*lines[:index], f"{lines[index]} {lines[index + 1]}", *lines[index + 2 :])


def edit(lines: tuple[str, ...], index: int, text: str) -> tuple[str, ...]:
    """Replace the words of a feature; an empty text deletes it."""
    if not 0 <= index < len(lines):
        return lines
    words = " ".join(text.split())
    return (*lines[:index], words, *lines[index + 1 :]) if words else delete(lines, index)


def delete(lines: tuple[str, ...], index: int) -> tuple[str, ...]:
    """Take a feature out; the last one stays."""
    if len(lines) < 2 or not 0 <= index < len(lines):
        return lines
    return (*lines[:index], *lines[index + 1 :])


def add(lines: tuple[str, ...], index: int, text: str) -> tuple[str, ...]:
    """Put a feature after another one."""
    words = " ".join(text.split())
    place = min(max(0, index + 1), len(lines))
    return (*lines[:place], words, *lines[place:]) if words else lines


def _joint(text: str) -> int:
    middle = len(text) / 2
    joints = [found.end() for found in _JOINTS.finditer(text)]
    joints += [found.end() for found in re.finditer(r"\s+", text)] if not joints else []
    inside = [place for place in joints if _SHORTEST <= place <= len(text) - _SHORTEST]
    return min(inside, key=lambda place: abs(place - middle), default=0)
