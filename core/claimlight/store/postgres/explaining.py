"""What an error of a PostgreSQL server means, in sentences without passwords."""

from __future__ import annotations

import psycopg
from psycopg import errors

from claimlight.store.postgres.connecting import (
    SECONDS,
    SilentServerError,
    UnknownHostError,
)

_SET = "Set CLAIMLIGHT_DATABASE_PASSWORD, or keep the password in the keyring."
_CHECK = "Check the address, the network and whether the server is running."
NO_LIBRARY = "holds no Claimlight library. `claimlight push --create` makes one."
_NO_ENTRY = (
    "does not let this user in from this computer, or not with this encryption. "
    "Its administrator adds a line to pg_hba.conf."
)
_NO_PLAIN_ENTRY = (
    "does not let this user in from this computer without encryption. Leave sslmode=disable out of the "
    "address, or let its administrator add a line to pg_hba.conf."
)
_BY_CODE = {
    "28P01": f"refused the user or the password. {_SET}",
    "28000": "refused the user. Ask its administrator for access to the database.",
    "3D000": "does not exist: the server has no database of this name.",
    "3F000": NO_LIBRARY,
    "42P01": NO_LIBRARY,
    "42501": "does not allow the user to do this. "
    "`claimlight push --readers` lets a user search; only the owner can push.",
    "25006": "takes no changes: the server or the user is limited to reading.",
    "53100": "is full: the disk of the server has no space left.",
    "53200": "has no memory left.",
    "53300": "has too many connections. Try again, or let its administrator allow more.",
    "53400": "has reached a limit that its administrator has set.",
    "57014": "took too long for one step. Try again, or ask for less.",
    "57P03": "is starting or shutting down. Try again in a moment.",
    "40001": "was changed by another program at the same moment. Try again.",
    "40P01": "was being written by another program at the same moment. Try again.",
    "55P03": "was being written by another program. Try again.",
}
_LOST = "lost the connection"
_OUTCOME = ("57", "53", "40", "55", "08", "25", "42")
"""Classes of codes whose sentence adds what became of the step."""


def is_cancelled(error: BaseException | None) -> bool:
    """Whether a statement ended because it was cancelled."""
    return isinstance(error, errors.QueryCanceled)


def explain(error: BaseException | None, name: str, outcome: str) -> str | None:
    """What happened to the database ``name``; ``outcome`` says what became of the step.

    None for what is a defect of the program.
    """
    if isinstance(error, SilentServerError):
        return f"{name} did not answer within {SECONDS} seconds. {outcome} Check the network and the server."
    if isinstance(error, UnknownHostError):
        return f"{name} can't be reached: there is no host of this name. {_CHECK}"
    if not isinstance(error, psycopg.Error):
        return None
    code = error.sqlstate
    if code is not None:
        if code in _BY_CODE:
            told = f"{name} {_BY_CODE[code]}"
            return f"{told} {outcome}" if code[:2] in _OUTCOME and code != "42P01" else told
        if code.startswith("08") or code in ("57P01", "57P02", "57P05"):
            return f"{name} {_LOST}. {outcome} Try again."
        return None
    if not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return None
    return _explain_connection(error, name, outcome)


def wants_password(error: BaseException | None) -> bool:
    """Whether a connection failed for want of a password, or because the one that was given does not fit."""
    failed = error.pgconn if isinstance(error, psycopg.OperationalError) else None
    if failed is None:
        return False
    # The sentence of the server may be in its language; these are refusals of another kind in English.
    others = ("does not exist", "too many", "starting up", "shutting down", "permission denied")
    given = failed.used_password and "FATAL" in str(error) and not any(each in str(error) for each in others)
    return bool(failed.needs_password or given)


def _explain_connection(error: psycopg.Error, name: str, outcome: str) -> str:
    """Of errors without a code: there is no connection, or there is none any more."""
    if isinstance(error, errors.ConnectionTimeout):
        return f"{name} did not answer within {SECONDS} seconds. {_CHECK}"
    text = " ".join(str(error).split())
    failed = error.pgconn
    if failed is None:
        return f"{name} {_LOST}. {outcome} Try again."
    if failed.needs_password:
        return f"{name} asks for a password. {_SET}"
    if "does not exist" in text and 'FATAL:  database "' in str(error):
        return f"{name} {_BY_CODE['3D000']}"
    if "too many" in text and "connections" in text:
        return f"{name} {_BY_CODE['53300']}"
    if "starting up" in text or "shutting down" in text:
        return f"{name} {_BY_CODE['57P03']}"
    if "role " in text and "does not exist" in text:
        return f"{name} {_BY_CODE['28000']}"
    if "permission denied for database" in text:
        return f"{name} {_BY_CODE['42501']}"
    if "no pg_hba.conf entry" in text and text.endswith(", no encryption"):
        return f"{name} {_NO_PLAIN_ENTRY}"
    if "no pg_hba.conf entry" in text:
        return f"{name} {_NO_ENTRY}"
    if wants_password(error):
        return f"{name} {_BY_CODE['28P01']}"
    return f"{name} can't be reached: {_reason(text)}. {_CHECK}"


def _reason(text: str) -> str:
    """The last part of the driver's sentence, which names the cause."""
    for known, told in (
        ("Connection refused", "no server is listening there"),
        ("Network is unreachable", "the network is unreachable"),
        ("server closed the connection", "the connection was cut off"),
        ("Connection reset", "the connection was cut off"),
        ("timeout expired", f"no answer within {SECONDS} seconds"),
        ("server does not support SSL", "it does not offer TLS, which the address demands"),
        ("certificate verify failed", "its certificate is not trusted"),
        ("does not match host name", "its certificate is for another name"),
        ("root certificate file", "the file of authorities (sslrootcert) is missing or can't be read"),
        ("could not read root certificate", "the file of authorities (sslrootcert) has no certificate in it"),
    ):
        if known in text:
            return told
    return text.rpartition("FATAL:")[2].strip().rstrip(".") or "the connection failed"
