"""What the help calls the value of an option: a file is PATH, a number NUMBER, a switch has none."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

_NAMES: dict[object, str] = {
    bool: "",
    int: "NUMBER",
    float: "NUMBER",
    str: "TEXT",
    Path: "PATH",
    datetime: "YYYY-MM-DD",
}


def name_values(command: Any) -> None:
    """Name the values of all options of a command, or of a group's commands, that have no name yet.

    Choices are named by their words. ``command`` is what typer made of the declarations.
    """
    for inner in getattr(command, "commands", {}).values():
        name_values(inner)
    kinds = get_type_hints(command.callback) if command.callback is not None else {}
    for option in command.params:
        if option.param_type_name == "option" and option.metavar is None:
            option.metavar = _name(kinds.get(option.name))
    shown = command.get_help_option(typer.Context(command))
    if shown is not None:
        shown.metavar = ""


def _name(kind: object) -> str | None:
    for item in (kind, *_inside(kind)):
        if isinstance(item, type) and issubclass(item, Enum):
            return "|".join(str(choice.value) for choice in item)
        if item in _NAMES:
            return _NAMES[item]
    return None


def _inside(kind: object) -> Iterator[object]:
    """The types that a union or a list is made of."""
    for item in get_args(kind):
        yield item
        yield from _inside(item)
