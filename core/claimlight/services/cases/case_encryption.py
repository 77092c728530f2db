"""Whether a case book is encrypted; encrypts it, decrypts it, or gives it another passphrase."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from claimlight.errors import InputError
from claimlight.services.cases.case_backups import as_key, backup_folder, default_path, list_backups
from claimlight.store import book_encryption, encryption
from claimlight.store.case_store import CaseStore
from claimlight.store.encryption import LEAST_LETTERS, Passphrase

__all__ = [
    "LEAST_LETTERS",
    "Conversion",
    "can_encrypt",
    "decrypt",
    "encrypt",
    "find_plain",
    "has_encrypted",
    "is_encrypted",
]


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
    return is_encrypted(path) or any(
        encryption.looks_encrypted(Path(item.path)) for item in list_backups(path)
    )


def can_encrypt() -> bool:
    """Whether the package that encrypts is installed."""
    return encryption.available()


def find_plain(path: Path | None = None) -> tuple[Path, ...]:
    """Backups, and books that were replaced, of an encrypted case book that are in clear; empty for a plain book."""
    path = path or default_path()
    return tuple(book_encryption.find_plain(path, backup_folder(path))) if is_encrypted(path) else ()


def encrypt(new: str, path: Path | None = None, *, passphrase: str | None = None) -> Conversion:
    """Encrypt the case book and its backups with the passphrase ``new``, without which nobody can read them.

    ``passphrase`` is the present one of a book that is encrypted already, which gets the new one.
    `InputError` if the new one is too short, `LockedCasesError` if the present one does not fit,
    `ResourceError` if the book is open anywhere; then nothing is changed.
    """
    chosen = Passphrase.chosen(new)
    path = path or default_path()
    if not is_encrypted(path) and passphrase:
        raise InputError(f"The case book {path} is not encrypted, so it has no passphrase to change.")
    return _convert(path, as_key(passphrase), chosen)


def decrypt(passphrase: str, path: Path | None = None) -> Conversion:
    """Write the case book and its backups in clear again; errors as in `encrypt`."""
    path = path or default_path()
    if not is_encrypted(path):
        raise InputError(f"The case book {path} is not encrypted.")
    return _convert(path, Passphrase(passphrase), None)


def _convert(path: Path, old: Passphrase | None, new: Passphrase | None) -> Conversion:
    encryption.driver(encrypted=True)
    # What keeps a book from being opened keeps it from being converted. Its schema is the present one then.
    CaseStore.open(path, backup_folder(path), passphrase=old).close()
    done = book_encryption.convert_book(path, backup_folder(path), datetime.now(UTC).date(), old=old, new=new)
    return Conversion(len(done.files), tuple(str(each) for each in done.left))
