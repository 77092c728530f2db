"""Whether a case book is encrypted; encrypts it, decrypts it, or gives it another passphrase.

What only asks is light: the window asks before it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from claimlight import encryption, files, paths
from claimlight.encryption import LEAST_LETTERS, Passphrase
from claimlight.errors import InputError
from claimlight.services.cases.case_paths import backup_folder, default_path

__all__ = [
    "LEAST_LETTERS",
    "SESSION_NAME",
    "Conversion",
    "can_encrypt",
    "decrypt",
    "encrypt",
    "find_plain",
    "has_encrypted",
    "is_encrypted",
    "without_case",
]

SESSION_NAME = "session.json"
"""File of the window's session, in the data folder."""
_OF_CASES = frozenset(
    (
        *("claims_text", "claims_source", "own_family", "feature_lines", "feature_ranges"),
        *("limit", "classes", "filed", "priority", "priority_valid", "claim_priorities", "applicant"),
        *("dates_confirmed", "line", "lines", "publication", "beside", "seen", "hidden_features"),
    )
)
"""What a session knows of a case: its texts, its dates, and the documents that were read for it."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was converted besides the case book."""

    files: int
    """Older backups, and case books that a restore has replaced."""
    left: tuple[str, ...]
    """Those that could not be, because they are damaged or have another passphrase: they are as they were."""


def is_encrypted(path: Path | None = None) -> bool:
    """Whether the case book is encrypted; reads one page of it."""
    return encryption.looks_encrypted(path or default_path())


def has_encrypted(path: Path | None = None) -> bool:
    """Whether the case book or one of its backups is encrypted, so that a passphrase is of use."""
    from claimlight.services.cases.case_backups import list_backups

    return is_encrypted(path) or any(
        encryption.looks_encrypted(Path(item.path)) for item in list_backups(path)
    )


def can_encrypt() -> bool:
    """Whether the package that encrypts is installed."""
    return encryption.available()


def find_plain(path: Path | None = None) -> tuple[Path, ...]:
    """Backups, and books that were replaced, of an encrypted case book that are in clear."""
    from claimlight.store import book_encryption

    path = path or default_path()
    return tuple(book_encryption.find_plain(path, backup_folder(path))) if is_encrypted(path) else ()


def encrypt(new: str, path: Path | None = None, *, passphrase: str | None = None) -> Conversion:
    """Encrypt the case book and its backups with the passphrase ``new``, without which nobody can read them.

    ``passphrase`` is the present one of a book that is encrypted already, which gets the new one.
    `InputError` if the new one is too short, `LockedCasesError` if the present one does not fit,
    `ResourceError` if the book is open anywhere; then nothing is changed. The session of the window forgets
    what it knows of the case.
    """
    chosen = Passphrase.chosen(new)
    path = path or default_path()
    if not is_encrypted(path) and passphrase:
        raise InputError(f"The case book {path} is not encrypted, so it has no passphrase to change.")
    done = _convert(path, Passphrase(passphrase) if passphrase else None, chosen)
    if path == default_path():
        _clear_session(paths.data_dir() / SESSION_NAME)
    return done


def decrypt(passphrase: str, path: Path | None = None) -> Conversion:
    """Write the case book and its backups in clear again; errors as in `encrypt`."""
    path = path or default_path()
    if not is_encrypted(path):
        raise InputError(f"The case book {path} is not encrypted.")
    return _convert(path, Passphrase(passphrase), None)


def without_case(session: Mapping[str, Any]) -> dict[str, Any]:
    """A session of the window without the texts and dates of its case, which the case book holds."""
    return {name: value for name, value in session.items() if name not in _OF_CASES}


def _convert(path: Path, old: Passphrase | None, new: Passphrase | None) -> Conversion:
    from claimlight.store import book_encryption
    from claimlight.store.case_store import CaseStore

    encryption.driver(encrypted=True)
    # What keeps a book from being opened keeps it from being converted. Its schema is the present one then.
    CaseStore.open(path, backup_folder(path), passphrase=old).close()
    done = book_encryption.convert_book(path, backup_folder(path), datetime.now(UTC).date(), old=old, new=new)
    return Conversion(len(done.files), tuple(str(each) for each in done.left))


def _clear_session(path: Path) -> None:
    """Also where no window is open. A session that can't be read, which is kept beside it, is deleted."""
    with suppress(OSError):
        path.with_suffix(".json.bad").unlink()
    with suppress(OSError, ValueError):
        raw = files.parse_json(path.read_text(encoding="utf-8"))
        if isinstance(raw, dict):
            body = {**without_case(raw), "of_encrypted": True}
            files.write_atomically(path, json.dumps(body, ensure_ascii=False, indent=1))
