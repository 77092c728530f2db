"""Addresses of engines: which adapter one opens, and what must be installed for it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from claimlight.errors import InputError, ResourceError

if TYPE_CHECKING:
    from claimlight.engines.exact import ExactBackend
    from claimlight.index.backend import IndexBackend

_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*\.?")
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

    @classmethod
    def parse(cls, text: str) -> EngineAddress:
        """Read ``milvus://host[:port]``, ``qdrants://[::1]:6333?dense=hnsw`` …; `InputError` for others.

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
        name, _, dense = parts.query.partition("=")
        if parts.path not in ("", "/") or parts.fragment or (parts.query and name != "dense"):
            raise InputError("The address of the engine ends after its port, or with ?dense=exact or hnsw.")
        if parts.query and dense not in _DENSE:
            raise InputError(f"dense= in the address of the engine is one of {', '.join(_DENSE)}.")
        host = read_host(parts, what="engine")
        return cls(kind, host, read_port(parts, _CLIENTS[kind].port, what="engine"), tls, dense)

    def __str__(self) -> str:
        if self.kind is EngineKind.MEMORY:
            return f"{self.kind.value}:{self.host}"
        query = f"?dense={self.dense}" if self.dense else ""
        return f"{self.kind.value}{'s' if self.tls else ''}://{host_text(self.host)}:{self.port}{query}"

    @property
    def local(self) -> bool:
        """Whether nothing sent to it leaves this computer."""
        return self.kind is EngineKind.MEMORY or is_loopback(self.host)

    def open(self, token: str | None = None) -> IndexBackend:
        """Open the adapter; the engine itself may be asked only at the first call.

        ``token`` is what the engine wants to see, None for nothing. `ResourceError` names the extra that is
        not installed.
        """
        if self.kind is EngineKind.MEMORY:
            from claimlight.engines.exact import ExactBackend

            return _in_memory.setdefault(self.host, ExactBackend())
        require(self.kind.value, _CLIENTS[self.kind].package)
        # The adapters import the clients of their engines, for seconds: only the one asked for.
        adapter: Any = import_module(f"claimlight.engines.{self.kind.value}")
        web = f"http{'s' if self.tls else ''}://{host_text(self.host)}:{self.port}"
        if self.kind is EngineKind.MILVUS:
            opened: IndexBackend = adapter.MilvusBackend(
                web, token=token or "", by_graph=self.dense == "hnsw"
            )
        else:
            dense = adapter.DenseSearch(self.dense or adapter.DenseSearch.AUTO)
            opened = adapter.QdrantBackend(web, token=token or "", dense=dense)
        return opened


def require(extra: str, package: str) -> None:
    """Refuse, with the name of the extra, what needs a package that is not installed."""
    if find_spec(package) is None:
        raise ResourceError(
            f"This library needs the Python package {package}, which is not installed: "
            f"pip install 'claimlight[{extra}]'"
        )


def split(text: str, *, what: str) -> SplitResult:
    """The parts of an address; `InputError` without a word of it, which may be a secret."""
    if any(letter.isspace() or not letter.isprintable() for letter in text):
        raise InputError(f"The address of the {what} has spaces or control characters in it.")
    try:
        return urlsplit(text)
    except ValueError as error:
        raise InputError(f"The address of the {what} has a host that can't be read.") from error


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
