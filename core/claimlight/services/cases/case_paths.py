"""Where the user's case book and its backups are."""

from __future__ import annotations

from pathlib import Path

from claimlight import paths
from claimlight.databases import CASES_FILE


def default_path() -> Path:
    """Path of the user's case book."""
    return paths.cases_dir() / CASES_FILE


def backup_folder(path: Path) -> Path:
    """Folder of the backups of a case book."""
    return path.parent / "backups"
