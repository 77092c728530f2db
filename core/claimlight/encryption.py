"""Encrypted SQLite files: SQLCipher 4 with its own defaults, opened by keys that are derived once.

An encrypted file begins with 16 random bytes, the salt, and each of its pages is encrypted (AES-256-CBC) and
signed (HMAC-SHA512). The key is derived as SQLCipher derives it, by PBKDF2-HMAC-SHA512 with 256,000 rounds,
so any SQLCipher 4 opens the file by its passphrase. That takes a tenth of a second, which a pool of
connections must not pay for each of them: the derived key is kept, and connections are given it.

The package is imported when the first encrypted file is opened; without it plain files work as ever.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import unicodedata
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import cast

from claimlight.errors import InputError, LockedCasesError, ResourceError
from claimlight.files import touch_private

HEADER = b"SQLite format 3\x00"
LEAST_LETTERS = 12
"""A new passphrase is at least this long."""
EXTRA = "encryption"
_PACKAGE = "sqlcipher3.dbapi2"
_ROUNDS = 256_000
_KEY_BYTES = 32
_SALT = 16
_PAGE = 4096
_DISTINCT, _MOST_OF_ONE = 224, 64
"""Least number of values in a page of random bytes, and most of one of them (expected: 256 and 16)."""


class EncryptionMissingError(ResourceError):
    """The package that reads encrypted files is not installed."""


@dataclass(frozen=True, slots=True)
class Key:
    """What a file is encrypted with, and the salt that it begins with."""

    secret: bytes = field(repr=False)
    salt: bytes

    @property
    def words(self) -> str:
        """As SQLCipher takes it: a derived key with its salt, which is not derived again."""
        return f"x'{self.secret.hex()}{self.salt.hex()}'"


class Passphrase:
    """A passphrase, with the keys that were derived from it."""

    def __init__(self, text: str) -> None:
        if not text:
            raise InputError("The passphrase is empty.")
        # Keyboards of different systems write ä as one code point or as two.
        self._text = unicodedata.normalize("NFC", text)
        self._keys: dict[bytes, Key] = {}

    @classmethod
    def chosen(cls, text: str) -> Passphrase:
        """A new passphrase; `InputError` if it is too short."""
        if len(text) < LEAST_LETTERS:
            raise InputError(
                f"The passphrase has {len(text)} characters; at least {LEAST_LETTERS} are needed. "
                "Four or five words that do not belong together are easy to type and hard to guess."
            )
        return cls(text)

    def key(self, salt: bytes) -> Key:
        """The key for a salt; derived at the first call, which takes about a tenth of a second."""
        if salt not in self._keys:
            secret = hashlib.pbkdf2_hmac("sha512", self._text.encode(), salt, _ROUNDS, _KEY_BYTES)
            self._keys[salt] = Key(secret, salt)
        return self._keys[salt]

    def new_key(self) -> Key:
        """A key with a new salt."""
        return self.key(os.urandom(_SALT))


def has_header(path: Path) -> bool:
    """Whether a file begins as every plain database does."""
    return _read_page(path)[: len(HEADER)] == HEADER


def looks_encrypted(path: Path) -> bool:
    """Whether a file is an encrypted database, as far as that is seen without the passphrase.

    Nothing in it is readable, so it is known by what a plain or damaged database never is: a first page of
    evenly distributed bytes.
    """
    page = _read_page(path)
    if len(page) < _PAGE or page.startswith(HEADER):
        return False
    counts = Counter(page)
    return len(counts) >= _DISTINCT and max(counts.values()) <= _MOST_OF_ONE


def fits(path: Path, passphrase: Passphrase) -> bool:
    """Whether a passphrase opens an encrypted file; False also if its first page is damaged."""
    # A power cut at the first opening leaves a journal, which a read-only connection can't roll back.
    mode = "rw" if Path(f"{path}-journal").exists() else "ro"
    try:
        with closing(connect(path, passphrase, mode=mode)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except database_errors():
        return False
    return True


def read_key(path: Path, passphrase: Passphrase | None) -> Key | None:
    """The key of a file; None if it is plain. `LockedCasesError` if a passphrase is needed."""
    if not looks_encrypted(path):
        return None
    if passphrase is None:
        raise LockedCasesError(f"{path} is encrypted: its passphrase is needed.")
    return passphrase.key(read_salt(path))


def read_salt(path: Path) -> bytes:
    """The bytes that an encrypted file begins with."""
    return _read_page(path)[:_SALT]


def driver(*, encrypted: bool) -> ModuleType:
    """The module that opens such files; `EncryptionMissingError` says what is missing."""
    if not encrypted:
        return sqlite3
    try:
        from sqlcipher3 import dbapi2
    except ImportError as error:
        raise EncryptionMissingError(
            "An encrypted case book needs the package sqlcipher3, which is not installed. Install "
            f"Claimlight with its extra [{EXTRA}] (`pip install 'claimlight[{EXTRA}]'`); nothing was changed."
        ) from error
    return cast("ModuleType", dbapi2)


def available() -> bool:
    """Whether encrypted files can be read here."""
    try:
        driver(encrypted=True)
    except EncryptionMissingError:
        return False
    return True


def database_errors() -> tuple[type[Exception], ...]:
    """The errors of both modules; that of encrypted files is named only if it was imported."""
    loaded = sys.modules.get(_PACKAGE)
    return (sqlite3.Error,) if loaded is None else (sqlite3.Error, cast("type[Exception]", loaded.Error))


def connect(
    path: Path,
    passphrase: Passphrase | None = None,
    *,
    mode: str = "ro",
    immutable: bool = False,
    timeout: float = 5.0,
    key: Key | None = None,
) -> sqlite3.Connection:
    """Open a file, plain or encrypted, without transactions of its own, for use in any one thread at a time.

    ``key`` is for an empty file that is to be encrypted. `LockedCasesError` if a passphrase is needed.
    """
    key = key or read_key(path, passphrase)
    uri = f"{path.resolve().as_uri()}?mode={mode}" + ("&immutable=1" if immutable else "")
    connection = cast(
        "sqlite3.Connection",
        driver(encrypted=key is not None).connect(
            uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
        ),
    )
    if key is not None:
        # It would write to stderr that a passphrase is wrong, which the caller says in words.
        connection.execute("PRAGMA cipher_log_level = NONE")
        # Hexadecimal digits only: nothing that a user typed is part of the statement.
        connection.execute(f'PRAGMA key = "{key.words}"')
    return connection


def convert(source: Path, target: Path, *, old: Passphrase | None, key: Key | None) -> None:
    """Write the content of ``source`` into a new file, encrypted by ``key`` or plain, and compare the two.

    ``source`` must not be written to meanwhile. `ResourceError` if it can't be read, or the copy differs; the
    target is removed then.
    """
    if target.exists():
        target.unlink()
    # SQLite would create it with the permissions of the umask.
    touch_private(target)
    module = driver(encrypted=True)
    try:
        with closing(_connect_converting(source, old)) as connection:
            connection.execute(
                "ATTACH DATABASE ? AS target KEY ?", (str(target), "" if key is None else key.words)
            )
            # One snapshot from the first row that is written to the last that is compared.
            connection.execute("BEGIN")
            connection.execute("SELECT sqlcipher_export('target')")
            for name in ("application_id", "user_version"):
                value = connection.execute(f"PRAGMA main.{name}").fetchone()[0]
                connection.execute(f"PRAGMA target.{name} = {int(value)}")
            connection.execute("COMMIT")
            _compare(connection)
        _check(target, key)
    except (module.Error, sqlite3.Error) as error:
        remove(target)
        raise ResourceError(f"{source} can't be converted: {error}. Nothing was changed.") from error
    except BaseException:
        remove(target)
        raise


def remove(path: Path) -> None:
    """Delete a database with its journals, if it is there."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").unlink()


def _connect_converting(source: Path, old: Passphrase | None) -> sqlite3.Connection:
    """As `connect`, by the module that reads both kinds. To be written to: what is attached has its mode."""
    if looks_encrypted(source):
        connection = connect(source, old, mode="rw")
    else:
        uri = f"{source.resolve().as_uri()}?mode=rw"
        connection = cast(
            "sqlite3.Connection", driver(encrypted=True).connect(uri, uri=True, isolation_level=None)
        )
        connection.execute("PRAGMA cipher_log_level = NONE")
    connection.execute("PRAGMA trusted_schema = OFF")
    # Damaged text must be copied as it is.
    connection.text_factory = bytes
    return connection


def _check(target: Path, key: Key | None) -> None:
    """Read every page from the disk, as the next opening does."""
    with closing(connect(target, key=key)) as connection:
        found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if found != "ok":
        raise ResourceError(f"The copy {target} is damaged ({found}); nothing was changed.")


def _compare(connection: sqlite3.Connection) -> None:
    """Compare every object and every row of ``main`` and ``target``; `ResourceError` names a difference."""
    objects = "SELECT type, name, tbl_name, sql FROM {}.sqlite_master ORDER BY type, name"
    first, second = (connection.execute(objects.format(name)).fetchall() for name in ("main", "target"))
    if first != second:
        raise ResourceError("The copy has other tables than the case book; nothing was changed.")
    for kind, name, *_ in first:
        if kind != b"table":
            continue
        table = name.decode().replace('"', '""')
        rows = [connection.execute(f'SELECT * FROM {part}."{table}"') for part in ("main", "target")]  # noqa: S608
        try:
            differ = any(before != after for before, after in zip(*rows, strict=True))
        except ValueError:  # one has more rows
            differ = True
        if differ:
            raise ResourceError(f"The copy differs in the table {table}; nothing was changed.")


def _read_page(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_PAGE)
    except OSError:
        return b""
