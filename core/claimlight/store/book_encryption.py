"""Encrypts a case book, gives it another passphrase, or decrypts it, with its backups.

The book is converted into a file beside it, which is compared with it and then takes its name in one step:
a program killed at any moment leaves the book as it was or as it is to be. Then comes its first backup, and
only after that one was checked do the older backups and the files that a restore has replaced follow, each
in the same way. What a kill left in clear is encrypted when the book is opened next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from claimlight.encryption import (
    Key,
    Passphrase,
    connect,
    convert,
    database_errors,
    fits,
    has_header,
    looks_encrypted,
    read_key,
    read_salt,
    remove,
)
from claimlight.errors import ResourceError
from claimlight.files import private_folder, put_in_place, sync
from claimlight.store.backup import clear, list_backups, lock_folder, make_backup
from claimlight.store.book_lock import BookLock
from claimlight.store.database import LOCK_SECONDS

UNFINISHED = ".converting"
"""Suffix of the book's successor."""
_SET_ASIDE = re.compile(r"\.(damaged|replaced)-\d+")


@dataclass(frozen=True, slots=True)
class Converted:
    """What was converted besides the book."""

    files: tuple[Path, ...]
    """Older backups, and books that a restore has replaced."""
    left: tuple[Path, ...]
    """Those that are as they were: damaged, or encrypted with a passphrase of earlier."""


def convert_book(
    path: Path, backup_folder: Path, day: date, *, old: Passphrase | None, new: Passphrase | None
) -> Converted:
    """Convert a book, its backups and what is beside it; None stands for a plain one.

    `ResourceError` if the book is open anywhere, or can't be read; then nothing is changed.
    """
    lock = BookLock(path)
    lock.take()
    try:
        _convert_settled(path, old, None if new is None else new.new_key())
        make_backup(path, backup_folder, day, passphrase=new)
        return _convert_rest(path, backup_folder, old, new)
    except OSError as error:
        raise ResourceError(f"{path} can't be converted: {error.strerror or error}.") from error
    finally:
        lock.release()


def encrypt_rest(path: Path, backup_folder: Path, passphrase: Passphrase) -> None:
    """Encrypt what a killed encryption has left in clear; what can't be stays for the next opening."""
    if any(has_header(each) for each in _beside(path, backup_folder)):
        with suppress(OSError, ResourceError):
            _convert_rest(path, backup_folder, None, passphrase)


def has_twin(path: Path, backup_folder: Path, passphrase: Passphrase) -> bool:
    """Whether the passphrase opens a backup that has the key of the book."""
    backups = [Path(item.path) for item in list_backups(backup_folder)]
    same = [each for each in backups if looks_encrypted(each) and read_salt(each) == read_salt(path)]
    return bool(same) and fits(same[0], passphrase)


def find_plain(path: Path, backup_folder: Path) -> list[Path]:
    """The files of an encrypted book that are still in clear."""
    return [each for each in _beside(path, backup_folder) if has_header(each)]


def _convert_settled(path: Path, old: Passphrase | None, key: Key | None) -> None:
    successor = path.with_suffix(UNFINISHED)
    remove(successor)
    try:
        # Without a write-ahead log: beside the successor, SQLite would apply it to the wrong pages.
        with closing(connect(path, old, mode="rw", timeout=LOCK_SECONDS)) as connection:
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    except database_errors() as error:
        raise ResourceError(f"{path} can't be converted: {error}. Nothing was changed.") from error
    if mode != "delete":
        raise ResourceError(f"{path} is used by another program; nothing was changed.")
    # After a power cut no log may be back when the successor has its name.
    sync(path.parent)
    convert(path, successor, old=old, key=key)
    put_in_place(successor, path)


def _convert_rest(
    path: Path, backup_folder: Path, old: Passphrase | None, new: Passphrase | None
) -> Converted:
    done, left = [], []
    private_folder(backup_folder)
    with lock_folder(backup_folder, wait=LOCK_SECONDS):
        clear(backup_folder)
        # The key of the book: it is derived once for all of them.
        key = read_key(path, new)
        for each in _beside(path, backup_folder):
            if _is_done(each, new):
                continue
            try:
                _convert_one(each, backup_folder / f"cases-{each.name}.tmp", old, key)
                done.append(each)
            except (ResourceError, OSError):
                left.append(each)
    return Converted(tuple(done), tuple(left))


def _convert_one(path: Path, temporary: Path, old: Passphrase | None, key: Key | None) -> None:
    convert(path, temporary, old=old, key=key)
    # A log that a restore has replaced with its file was merged into it when it was read.
    for suffix in ("-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    sync(path.parent)
    put_in_place(temporary, path)


def _beside(path: Path, backup_folder: Path) -> Iterator[Path]:
    for item in list_backups(backup_folder):
        yield Path(item.path)
    for each in sorted(path.parent.glob(f"{path.name}.*")):
        if _SET_ASIDE.fullmatch(each.name.removeprefix(path.name)):
            yield each


def _is_done(path: Path, new: Passphrase | None) -> bool:
    if new is None:
        return not looks_encrypted(path)
    return looks_encrypted(path) and fits(path, new)
