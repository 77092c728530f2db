"""When library and case book were last found undamaged: a small file of the data folder, quick to read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from claimlight import paths
from claimlight.digests import sha256
from claimlight.files import parse_json, private_folder, write_atomically

FILE = "checks.json"
BOOK = "case book"
_MOST = 100
"""Libraries that are remembered; those checked longest ago go."""


def name_library(folder: Path) -> str:
    """Key of a library; the file names no folders."""
    return sha256(str(folder.resolve()))[:16]


def find_due(names: Iterable[str], days: int, today: date) -> tuple[str, ...]:
    """Those of ``names`` that were not checked for ``days`` days; 0: all.

    A date to come does not count: the clock was wrong.
    """
    dates = _read()
    return tuple(name for name in names if name not in dates or not 0 <= (today - dates[name]).days < days)


def remember(names: Iterable[str], today: date) -> None:
    """They were found undamaged today; `OSError` if the file can't be written."""
    dates = _read() | dict.fromkeys(names, today)
    kept = sorted(dates.items(), key=lambda item: item[1])[-_MOST:]
    body = "".join(f'  "{name}": "{day.isoformat()}",\n' for name, day in kept).rstrip(",\n")
    private_folder(_path().parent)
    write_atomically(_path(), f"{{\n{body}\n}}\n")


def _path() -> Path:
    return paths.data_dir() / FILE


def _read() -> dict[str, date]:
    """What is damaged or missing was never checked."""
    try:
        raw = parse_json(_path().read_bytes())
        return {str(name): date.fromisoformat(day) for name, day in raw.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
