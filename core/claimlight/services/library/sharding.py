"""Dividing the files of an import among several computers, each of which takes one share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from claimlight.digests import sha256
from claimlight.errors import InputError

_TABLES = (".csv", ".tsv", ".tab")
_PACKED = (".zip", ".gz", ".bz2", ".xz")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the shares; each file is in exactly one, the same on every computer."""

    number: int
    """From 1."""
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``2/5``; `InputError` for anything else."""
        found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text.strip())
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise InputError(f"{text!r} is no share: write 2/5 for the second of five.")
        return cls(int(found[1]), int(found[2]))

    def choose(self, files: Sequence[Path], given: Sequence[Path]) -> list[Path]:
        """The files of this share. ``given`` are the files and folders that they were found in.

        A file is known by its path within the folder given, so the folder may be mounted anywhere.
        """
        return [path for path in files if self._holds(_name_within(path, given))]

    def _holds(self, name: str) -> bool:
        return int(sha256(name)[:15], 16) % self.of == self.number - 1


def _name_within(path: Path, given: Sequence[Path]) -> str:
    """The path of a file within the deepest given folder; of a table, that of its folder."""
    above = [folder for folder in given if path.is_relative_to(folder) and path != folder]
    name = path.relative_to(max(above, key=lambda folder: len(folder.parts))) if above else Path(path.name)
    endings = [ending.lower() for ending in name.suffixes[-2:]]
    while endings and endings[-1] in _PACKED:
        endings.pop()
    # The tables of a folder are joined: their rows make documents together.
    return (name.parent if endings and endings[-1] in _TABLES else name).as_posix()
