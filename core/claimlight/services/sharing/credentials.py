"""The secrets of a shared library: from this session's memory, the environment or the system's keyring.

They are never in a file of ours. The keyring (optional package ``keyring``) is that of the system: Credential
Manager, Keychain, Secret Service; one that would write a plain file is not used.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from claimlight.errors import InputError, MissingPackageError, ResourceError

if TYPE_CHECKING:
    from claimlight.engines.addresses import EngineAddress
    from claimlight.services.sharing.addresses import SharedAddress

PASSWORD_VARIABLE = "CLAIMLIGHT_DATABASE_PASSWORD"  # noqa: S105 - the name of a variable
TOKEN_VARIABLE = "CLAIMLIGHT_ENGINE_TOKEN"  # noqa: S105
SERVICE = "Claimlight"
"""Name of the entries in the keyring."""
_LEAST_PRIORITY = 1.0
"""keyring gives less to what is no keyring of the system, such as files without encryption."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """What opens a shared library; not shown by ``repr``."""

    password: str | None = field(default=None, repr=False)
    """That of the database."""
    token: str | None = field(default=None, repr=False)
    """That of the engine."""


_session: dict[str, str] = {}
"""Secrets that were given for this session only, by what they belong to."""
_lock = threading.Lock()


def find(address: SharedAddress) -> Secrets:
    """The secrets of an address: of this session, else of the environment, else of the keyring.

    Those of the session were typed in and have opened the library, so they are the newest.
    The keyring may ask the user to unlock it, so this may take long. A keyring that can't be read counts as
    empty.
    """
    engine = address.engine
    return Secrets(
        _find(PASSWORD_VARIABLE, address.account),
        find_token(engine) if engine is not None else None,
    )


def find_token(engine: EngineAddress) -> str | None:
    """The token of an engine; see `find`."""
    return _find(TOKEN_VARIABLE, str(engine)) if engine.port else None


def complete(given: Secrets, address: SharedAddress) -> Secrets:
    """What was given, and for the rest what `find` gives."""
    found = find(address) if given.password is None or given.token is None else given
    return Secrets(given.password or found.password, given.token or found.token)


def use_in_session(address: SharedAddress, secrets: Secrets) -> None:
    """Use secrets until this process ends."""
    with _lock:
        _session.update(_named(address, secrets))


def keep(address: SharedAddress, secrets: Secrets) -> None:
    """Put secrets into the keyring; `ResourceError` if the system has none that is fit."""
    ring = _ring()
    for name, secret in _named(address, secrets):
        try:
            ring.set_password(SERVICE, name, secret)
        except Exception as error:  # its backends raise errors of their own packages
            told = f"The keyring did not keep the secret of {name}: {_reason(error)}."
            raise ResourceError(told) from error


def forget(address: SharedAddress) -> int:
    """Remove the secrets of an address from keyring and session; how many there were."""
    names = [address.account, *([str(address.engine)] if address.engine is not None else [])]
    with _lock:
        gone = {name for name in names if _session.pop(name, None) is not None}
    ring = _find_ring()
    for name in names:
        if ring is None or _read(name) is None:
            continue
        try:
            ring.delete_password(SERVICE, name)
        except Exception as error:
            told = f"The keyring did not remove the secret of {name}: {_reason(error)}."
            raise ResourceError(told) from error
        gone.add(name)
    return len(gone)


def check_keyring() -> None:
    """`ResourceError` if the system has no keyring that `keep` can use, with what to do instead."""
    _ring()


def can_keep() -> bool:
    """Whether the system has a keyring that `keep` can use."""
    return _find_ring() is not None


def _named(address: SharedAddress, secrets: Secrets) -> list[tuple[str, str]]:
    if secrets.token is not None and address.engine is None:
        raise InputError("The address names no engine, so there is no token to keep.")
    return [
        *([(address.account, secrets.password)] if secrets.password is not None else []),
        *([(str(address.engine), secrets.token)] if secrets.token is not None else []),
    ]


def _find(variable: str, name: str) -> str | None:
    return _session.get(name) or os.environ.get(variable) or _read(name)


def _read(name: str) -> str | None:
    ring = _find_ring()
    if ring is None:
        return None
    try:
        found = ring.get_password(SERVICE, name)
    except Exception:  # noqa: BLE001 - locked, or its service has gone: the server will ask for the password
        return None
    return str(found) if found else None


def _ring() -> Any:
    ring = _find_ring()
    if ring is None:
        instead = f"Set {PASSWORD_VARIABLE} (and {TOKEN_VARIABLE} for an engine) instead."
        try:
            import keyring  # noqa: F401
        except ImportError as fault:
            raise MissingPackageError(
                "Keeping a password", "keyring", "keyring", otherwise=instead
            ) from fault
        raise ResourceError(
            f"This system has no keyring that can be used, or none that is running. {instead}"
        )
    return ring


def _find_ring() -> Any:
    """The keyring of the system, or None."""
    try:
        import keyring
    except ImportError:
        return None
    try:
        ring = keyring.get_keyring()
        fit = float(ring.priority) >= _LEAST_PRIORITY
    except Exception:  # noqa: BLE001 - a keyring that can't say what it is, is none
        return None
    return ring if fit else None


def _reason(error: Exception) -> str:
    # Never its text, which might quote what it was given.
    return type(error).__name__
