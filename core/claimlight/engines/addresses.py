"""Addresses of engines: which adapter one opens, and what must be installed for it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from claimlight.errors import InputError, MissingPackageError, ResourceError

if TYPE_CHECKING:
    from claimlight.engines.exact import ExactBackend
    from claimlight.index.backend import IndexBackend

_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*\.?")
_PLAIN = ":/"
"""Characters that are plain in the values of parameters."""
_PORTS = range(1, 1 << 16)
_in_memory: dict[str, ExactBackend] = {}


class EngineKind(StrEnum):
    """What holds the index of a shared library."""

    MILVUS = "milvus"
    QDRANT = "qdrant"
    MEMORY = "memory"
    """The reference engine in this process, by a name; for tests."""


@dataclass(frozen=True, slots=True)
class _Client:
    port: int
    package: str
    """What an installation has if it has the extra of the same name as the engine."""


_CLIENTS = {
    EngineKind.MILVUS: _Client(19530, "pymilvus"),
    EngineKind.QDRANT: _Client(6333, "qdrant_client"),
}
_SCHEMES = {
    **{kind.value: (kind, False) for kind in _CLIENTS},
    **{f"{kind.value}s": (kind, True) for kind in _CLIENTS},
}
_DENSE = ("exact", "hnsw")
_SECRETS = ("password", "sslpassword", "token", "passfile")
_EXPECTED = "milvus://HOST:PORT, milvuss://… with TLS, qdrant://HOST:PORT or qdrants://… with TLS"


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """Where an engine is; without its credentials."""

    kind: EngineKind
    host: str
    """A name in lower case or an IP address without brackets; of `EngineKind.MEMORY`, any name."""
    port: int = 0
    tls: bool = False
    dense: str = ""
    """How section vectors are searched: ``exact``, or ``hnsw`` by a graph; empty: as the adapter does."""
    authorities: str = ""
    """File (PEM) of the certificates that are trusted with TLS; empty: those that the client trusts."""

    @classmethod
    def parse(cls, text: str) -> EngineAddress:
        """Read ``milvus://host[:port]``, ``qdrants://[::1]:6333?authorities=FILE``; `InputError` for others.

        The message never repeats what could be a secret.
        """
        scheme, _, rest = text.partition(":")
        if scheme == EngineKind.MEMORY:
            return cls(EngineKind.MEMORY, rest)
        if scheme not in _SCHEMES:
            raise InputError(f"The engine has no address of a known kind: expected {_EXPECTED}.")
        kind, tls = _SCHEMES[scheme]
        parts = split(text, what="engine")
        if parts.username is not None or parts.password is not None:
            raise InputError(
                "The address of the engine has a user or password in it, which others could read there. "
                "Leave it out; `claimlight library login ADDRESS --token` asks for the token and keeps it in "
                "the keyring."
            )
        if parts.path not in ("", "/") or parts.fragment:
            raise InputError("The address of the engine ends after its port, or with ?NAME=VALUE.")
        values = read_parameters(parts.query, ("dense", "authorities"), what="engine")
        if values.get("dense", _DENSE[0]) not in _DENSE:
            raise InputError(f"dense= in the address of the engine is one of {', '.join(_DENSE)}.")
        if "authorities" in values and not tls:
            raise InputError(
                "authorities= in the address of the engine is for milvuss:// and qdrants://: without TLS no "
                "certificate is checked."
            )
        host = read_host(parts, what="engine")
        return cls(kind, host, read_port(parts, _CLIENTS[kind].port, what="engine"), tls, **values)

    def __str__(self) -> str:
        if self.kind is EngineKind.MEMORY:
            return f"{self.kind.value}:{self.host}"
        named = (("dense", self.dense), ("authorities", self.authorities))
        query = "&".join(f"{name}={quote(value, safe=_PLAIN)}" for name, value in named if value)
        scheme = f"{self.kind.value}{'s' if self.tls else ''}"
        return f"{scheme}://{host_text(self.host)}:{self.port}{'?' if query else ''}{query}"

    @property
    def local(self) -> bool:
        """Whether nothing sent to it leaves this computer."""
        return self.kind is EngineKind.MEMORY or is_loopback(self.host)

    def open(self, token: str | None = None) -> IndexBackend:
        """Open the adapter; the engine itself may be asked only at the first call.

        ``token`` is what the engine wants to see, None for nothing. `ResourceError` names the extra that is
        not installed, or the file of authorities that is of no use.
        """
        if self.kind is EngineKind.MEMORY:
            from claimlight.engines.exact import ExactBackend

            return _in_memory.setdefault(self.host, ExactBackend())
        require(self.kind.value, _CLIENTS[self.kind].package)
        # The adapters import the clients of their engines, for seconds: only the one asked for.
        adapter: Any = import_module(f"claimlight.engines.{self.kind.value}")
        web = f"http{'s' if self.tls else ''}://{host_text(self.host)}:{self.port}"
        trusted = Path(self.authorities) if self.authorities else None
        if trusted is not None:
            _check_authorities(trusted)
        if self.kind is EngineKind.MILVUS:
            opened: IndexBackend = adapter.MilvusBackend(
                web, token=token or "", by_graph=self.dense == "hnsw", authorities=trusted
            )
        else:
            dense = adapter.DenseSearch(self.dense or adapter.DenseSearch.AUTO)
            opened = adapter.QdrantBackend(web, token=token or "", dense=dense, authorities=trusted)
        return opened


def require(extra: str, package: str) -> None:
    """Refuse, with the name of the extra, what needs a package that is not installed."""
    if find_spec(package) is None:
        raise MissingPackageError("This library", package, extra)


def split(text: str, *, what: str) -> SplitResult:
    """The parts of an address; `InputError` without a word of it, which may be a secret."""
    if any(letter.isspace() or not letter.isprintable() for letter in text):
        raise InputError(f"The address of the {what} has spaces or control characters in it.")
    try:
        return urlsplit(text)
    except ValueError as error:
        raise InputError(f"The address of the {what} has a host that can't be read.") from error


def read_parameters(query: str, known: Sequence[str], *, what: str) -> dict[str, str]:
    """What follows the ? of an address, by name; `InputError` for secrets and what is not known."""
    if not query:
        return {}
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(
            f"What follows the ? of the address of the {what} is no list of NAME=VALUE joined by &."
        ) from error
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in _SECRETS:
            raise InputError(
                f"The address of the {what} has a secret in it ({name}), where others could read it. Leave "
                "it out, and use `claimlight library login ADDRESS` or the environment."
            )
        if name not in known:
            raise InputError(
                f"The address of the {what} has a parameter that is not known. Known are: {', '.join(known)}."
            )
        if name in values:
            raise InputError(f"The address of the {what} has {name} twice.")
        if not value or "\0" in value:
            raise InputError(f"The address of the {what} has {name} without a value.")
        values[name] = value
    return values


def _check_authorities(file: Path) -> None:
    """Refuse in words what the clients would report as a defect, or as a server that is not there."""
    # It costs the start of the window some milliseconds.
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except ssl.SSLError as error:
        raise ResourceError(f"The file {file} of authorities= has no certificate (PEM) in it.") from error
    except OSError as error:
        raise ResourceError(
            f"The file {file} of authorities= can't be read: {error.strerror}. Name the certificates of the "
            "office's authority there."
        ) from error


def read_host(parts: SplitResult, *, what: str) -> str:
    """The host in lower case; `InputError` if it is neither a name nor an IP address."""
    host = (parts.hostname or "").lower()
    if not host:
        raise InputError(f"The address of the {what} names no host.")
    if "," in parts.netloc:
        raise InputError(f"The address of the {what} names several hosts; give one.")
    if parts.netloc.rpartition("@")[2].startswith("["):
        try:
            return str(ipaddress.IPv6Address(host))
        except ValueError as error:
            raise InputError(f"The address of the {what} has no IPv6 address in its brackets.") from error
    if not _NAME.fullmatch(host):
        raise InputError(
            f"The host of the {what} is neither a name nor an IP address. Names have letters, digits, "
            "hyphens and dots; IPv6 addresses are in brackets."
        )
    return host


def read_port(parts: SplitResult, default: int, *, what: str) -> int:
    """The port, or ``default``."""
    text = parts.netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
    if not text:
        return default
    # `SplitResult.port` takes what `int` does: signs, underscores, digits of other scripts.
    if not (text.isascii() and text.isdigit() and int(text) in _PORTS):
        raise InputError(f"The port of the {what} is not a number from 1 to {_PORTS[-1]:,}.")
    return int(text)


def host_text(host: str) -> str:
    """A host as it is written in an address."""
    return f"[{host}]" if ":" in host else host


def is_loopback(host: str) -> bool:
    """Whether a host is this computer by its very address, without anybody being asked."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.rstrip(".") == "localhost"
