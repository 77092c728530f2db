"""Values of a recipe's tables, read by name and type; what is wrong is said with its key and what may be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from claimlight.errors import InputError


class Params:
    """One table of a recipe. Whoever reads it takes every key it knows and then calls `done`."""

    def __init__(self, values: Mapping[str, object], where: str) -> None:
        """``where`` names the table in messages: ``my.toml, [task 2] params``."""
        self._values = dict(values)
        self._where = where
        self._known: list[str] = []

    def integer(self, name: str, default: int, *, least: int | None = None, most: int | None = None) -> int:
        """A whole number from ``least`` to ``most``."""
        found = self._take(name, default)
        if isinstance(found, bool) or not isinstance(found, int):
            raise self.wrong(name, found, "a whole number")
        self._bounded(name, found, least, most)
        return found

    def number(
        self, name: str, default: float, *, least: float | None = None, most: float | None = None
    ) -> float:
        """A finite number from ``least`` to ``most``."""
        found = self._take(name, default)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or found - found != 0:
            raise self.wrong(name, found, "a number")
        self._bounded(name, found, least, most)
        return float(found)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """``true`` or ``false``."""
        found = self._take(name, default)
        if not isinstance(found, bool):
            raise self.wrong(name, found, "true or false")
        return found

    def text(self, name: str, default: str, *, among: Collection[str] | None = None) -> str:
        """A string, one of ``among`` where that is given."""
        found = self._take(name, default)
        if not isinstance(found, str):
            raise self.wrong(name, found, "a text in quotes")
        if among is not None and found not in among:
            choices = sorted(among) if isinstance(among, Mapping) else among
            raise self.wrong(name, found, f"one of {', '.join(choices)}")
        return found

    def texts(self, name: str, default: Sequence[str] = (), *, among: Sequence[str] = ()) -> tuple[str, ...]:
        """A list of strings."""
        found = self._take(name, list(default))
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise self.wrong(name, found, 'a list of texts, ["…", "…"]')
        for item in found:
            if among and item not in among:
                raise self.wrong(name, item, f"a list out of {', '.join(among)}")
        return tuple(found)

    def integers(
        self, name: str, default: Sequence[int] = (), *, least: int | None = None
    ) -> tuple[int, ...]:
        """A list of whole numbers."""
        found = self._take(name, list(default))
        if not isinstance(found, list) or not all(
            isinstance(item, int) and not isinstance(item, bool) for item in found
        ):
            raise self.wrong(name, found, "a list of whole numbers, [1, 2]")
        for item in found:
            self._bounded(name, item, least, None)
        return tuple(found)

    def path(self, name: str) -> Path | None:
        """A file or folder, None where the key is not there or empty; a relative one is taken from here."""
        found = self.text(name, "")
        return Path(found).expanduser() if found else None

    def table(self, name: str) -> Params:
        """A table inside this one; an empty one where it is not there."""
        found = self._take(name, {})
        if not isinstance(found, dict):
            raise self.wrong(name, found, f"a table, [{name}]")
        return Params(found, f"{self._where}, {name}")

    def raw(self, name: str, default: object) -> Any:
        """A value of any kind, for whoever checks it in another way."""
        return self._take(name, default)

    def has(self, name: str) -> bool:
        """Whether the table says anything about ``name``."""
        return name in self._values

    def wrong(self, name: str, found: object, wanted: str) -> InputError:
        """The error of a value that can't be, to be raised."""
        return InputError(f"{self._where}: {name} = {found!r} can't be; it is {wanted}.")

    def done(self, *, ignored: Sequence[str] = ()) -> None:
        """`InputError` for a key that nobody read and that is none of those ``ignored``."""
        unknown = sorted(set(self._values) - set(self._known) - set(ignored))
        if unknown:
            known = ", ".join(self._known) or "none"
            raise InputError(f"{self._where}: {', '.join(unknown)} is not known here; known keys: {known}.")

    def _take(self, name: str, default: object) -> object:
        if name not in self._known:
            self._known.append(name)
        return self._values.get(name, default)

    def _bounded(self, name: str, found: float, least: float | None, most: float | None) -> None:
        if least is not None and found < least:
            raise self.wrong(name, found, f"at least {least}")
        if most is not None and found > most:
            raise self.wrong(name, found, f"at most {most}")
