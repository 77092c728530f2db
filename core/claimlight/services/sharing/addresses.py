"""The address of a shared library: one text that says where its database and its engine are.

    postgresql://[user@]host[:port]/database[?engine=milvus://host:19530][&sslmode=verify-full…]

It never has a password in it: addresses are in settings, cases, logs and lists of processes.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from getpass import getuser
from pathlib import Path
from urllib.parse import quote, unquote

from claimlight import paths
from claimlight.digests import sha256
from claimlight.engines.addresses import (
    EngineAddress,
    host_text,
    is_loopback,
    read_host,
    read_parameters,
    read_port,
    split,
)
from claimlight.errors import InputError

PORT = 5432
DATABASES = ("postgresql", "postgres")
"""Schemes of the address of a shared library."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_ENGINE = "engine"
_MODE = "sslmode"
MODES = ("verify-full", "verify-ca", "require", "disable")
"""From the strictest; libpq's others fall back silently to a connection that is not encrypted."""
_CHECKED = MODES[:2]
"""Those that check the server's certificate."""
_FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl")
_TLS = (_MODE, *_FILES, "ssl_min_protocol_version", "sslsni", "channel_binding")
_SAFE = ":/[]"
"""Characters that are plain in the values of parameters, so that an engine's address can be read there."""


@dataclass(frozen=True, slots=True)
class SharedAddress:
    """Where a shared library is; ``str`` gives its one canonical text, without secrets."""

    host: str
    """A name in lower case, or an IP address without brackets."""
    database: str
    port: int = PORT
    user: str = ""
    """Empty: the user of this computer's session."""
    engine: EngineAddress | None = None
    """None: the database itself holds the index."""
    tls: tuple[tuple[str, str], ...] = ()
    """Parameters that libpq gets, by name."""

    @classmethod
    def parse(cls, text: str) -> SharedAddress:
        """Read an address strictly; `InputError` says what is wrong, and never repeats a password."""
        parts = split(text.strip(), what="library")
        if parts.scheme not in DATABASES or "://" not in text:
            raise InputError(
                "The address of a shared library is postgresql://USER@HOST/DATABASE, with ?engine=… if an "
                "engine holds its index."
            )
        if parts.password is not None:
            raise InputError(
                "The address has a password in it, where others could read it: in lists of processes, in "
                "settings, in reports. Leave it out. The window and `claimlight library login ADDRESS` ask "
                "for it and keep it in the keyring; scripts set CLAIMLIGHT_DATABASE_PASSWORD."
            )
        if parts.fragment:
            raise InputError("The address of the library has a # in it; write %23 where a name has one.")
        database = unquote(parts.path.removeprefix("/"))
        if not database or "/" in parts.path.removeprefix("/"):
            raise InputError("The address names no database: postgresql://USER@HOST/DATABASE.")
        if "\0" in database or "\0" in unquote(parts.username or ""):
            raise InputError("The address has %00 in it.")
        values = read_parameters(parts.query, (_ENGINE, *_TLS), what="library")
        engine = values.pop(_ENGINE, None)
        found = cls(
            read_host(parts, what="library"),
            database,
            read_port(parts, PORT, what="library"),
            unquote(parts.username or ""),
            EngineAddress.parse(engine) if engine is not None else None,
            tuple(sorted(values.items())),
        )
        _check_mode(found)
        return found

    def __str__(self) -> str:
        engine = [(_ENGINE, str(self.engine))] if self.engine is not None else []
        named = "&".join(f"{name}={quote(value, safe=_SAFE)}" for name, value in (*engine, *self.tls))
        return f"{self.account}?{named}" if named else self.account

    @property
    def account(self) -> str:
        """The database and its user: what a password belongs to."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        port = f":{self.port}" if self.port != PORT else ""
        return f"postgresql://{user}{host_text(self.host)}{port}/{quote(self.database, safe='')}"

    @property
    def url(self) -> str:
        """What libpq gets: with all that could otherwise come from the environment, or lead elsewhere.

        Kerberos is not used, as it would ask the server of its tickets.
        """
        named = {**dict(self.tls), _MODE: self.mode, "gssencmode": "disable", "hostaddr": ""}
        if self.mode in _CHECKED and "sslrootcert" not in named and not _own_authorities().exists():
            # libpq would otherwise want a file of authorities of its own, and ignore those of the system.
            named["sslrootcert"] = "system"
        user = quote(self.user or getuser(), safe="")
        return (
            f"postgresql://{user}@{host_text(self.host)}:{self.port}/{quote(self.database, safe='')}?"
            + "&".join(f"{name}={quote(value, safe='')}" for name, value in sorted(named.items()))
        )

    @property
    def title(self) -> str:
        """A short name for screens: database and host."""
        return f"{self.database} ({self.host})"

    @property
    def mode(self) -> str:
        """The ``sslmode`` for libpq: as written; else the strictest, and of this computer none is needed."""
        return dict(self.tls).get(_MODE, "disable" if is_loopback(self.host) else MODES[0])

    @property
    def hosts(self) -> tuple[tuple[str, int], ...]:
        """Every host and port that opening and searching the library connects to."""
        engine = self.engine
        ours = ((self.host, self.port),)
        return ours if engine is None or not engine.port else (*ours, (engine.host, engine.port))

    @property
    def folder(self) -> Path:
        """The private folder of this computer for it: caches, and notes of what is wanted; no documents."""
        return paths.data_dir() / "Shared" / sha256(str(self))[:16]


def read_place(text: str) -> Path | SharedAddress:
    """What a text names: the folder of a library, or a shared one; `InputError` for a faulty address."""
    return SharedAddress.parse(text) if is_address(text) else Path(text)


def is_address(text: str) -> bool:
    """Whether a text is meant as an address, not as a folder."""
    return bool(_SCHEME.match(text.strip()))


def _own_authorities() -> Path:
    """Where libpq looks for the certificates of authorities by itself."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", "")) / "postgresql" / "root.crt"
    return Path.home() / ".postgresql" / "root.crt"


def _check_mode(address: SharedAddress) -> None:
    if address.mode not in MODES:
        raise InputError(
            f"sslmode of the address is one of {', '.join(MODES)}. Others would send queries and password "
            "without encryption if the server asks for it."
        )
