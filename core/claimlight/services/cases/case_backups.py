"""Backups of the case book: list them with their contents, restore one."""

from __future__ import annotations

from pathlib import Path

from claimlight.encryption import Passphrase
from claimlight.errors import InputError
from claimlight.services.cases.case_paths import backup_folder, default_path
from claimlight.store import backup as copies
from claimlight.store.book_lock import BookLock
from claimlight.types import Backup, BackupContents


def list_backups(path: Path | None = None) -> list[Backup]:
    """The backups of a case book, newest first."""
    return copies.list_backups(backup_folder(path or default_path()))


def list_contents(path: Path | None = None, passphrase: str | None = None) -> list[BackupContents]:
    """The backups of a case book with their contents, newest first; each is opened and checked."""
    key = as_key(passphrase)
    return [copies.read_contents(item, key) for item in list_backups(path)]


def find_restorable(
    path: Path | None = None, number: int | None = None, passphrase: str | None = None
) -> BackupContents:
    """The backup that `restore` would use, with its contents.

    Without a number it is the newest undamaged one with cases; one with damaged rows is used only if there is
    no other. `InputError` if there is none.
    """
    path = path or default_path()
    return _find(path, number, as_key(passphrase))


def restore(path: Path | None = None, number: int | None = None, passphrase: str | None = None) -> Backup:
    """Replace the case book by a backup (`find_restorable`); the old file is kept beside it.

    `InputError` if there is no backup, `ResourceError` if the book is open anywhere; then nothing changes.
    """
    path, key = path or default_path(), as_key(passphrase)
    lock = BookLock(path)
    lock.take()
    try:
        found = _find(path, number, key).backup
        copies.restore(found, path, key)
        return found
    finally:
        lock.release()


def as_key(passphrase: str | None) -> Passphrase | None:
    """What the store is given; None for an empty passphrase too."""
    return Passphrase(passphrase) if passphrase else None


def _find(path: Path, number: int | None, key: Passphrase | None) -> BackupContents:
    return _find_newest(path, key) if number is None else _find_numbered(path, number, key)


def _find_newest(path: Path, key: Passphrase | None) -> BackupContents:
    found = copies.find_newest_good(backup_folder(path), key)
    if found is not None:
        return found
    held = [copies.read_contents(item, key) for item in list_backups(path)]
    empty = next((item for item in held if not item.fault), None)
    if empty is not None:
        raise InputError(f"No backup of {path} contains a readable case; nothing was changed.")
    if locked := next((item for item in held if item.encrypted), None):
        raise InputError(f"The newest backup of {path} can't be used: {locked.fault}. Nothing was changed.")
    raise InputError(f"There is no undamaged backup of {path}; nothing was changed.")


def _find_numbered(path: Path, number: int, key: Passphrase | None) -> BackupContents:
    found = next((item for item in list_backups(path) if item.number == number), None)
    if found is None:
        raise InputError(
            f"There is no backup {number} of {path}; `claimlight cases backups` lists the backups."
        )
    held = copies.read_contents(found, key)
    fault = held.fault or ("" if held.cases else "it contains no readable case")
    if fault:
        raise InputError(f"The backup {found.path} can't be used: {fault.rstrip('.')}. Nothing was changed.")
    return held
