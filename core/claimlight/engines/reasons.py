"""Faults of engines in words of a user: drivers tell them in their own."""

from __future__ import annotations

_CUT = "the connection was cut off"
_NO_HOST = "there is no host of this name"
_UNREACHABLE = "the network is unreachable"
_TOLD = {
    "connection refused": "no server is listening there",
    "actively refused": "no server is listening there",
    "network is unreachable": _UNREACHABLE,
    "no route to host": _UNREACHABLE,
    "dns resolution failed": _NO_HOST,
    "hostname lookup error": _NO_HOST,
    "address lookup failed": _NO_HOST,
    "domain name not found": _NO_HOST,
    "name or service not known": _NO_HOST,
    "nodename nor servname": _NO_HOST,
    "getaddrinfo failed": _NO_HOST,
    "temporary failure in name resolution": _NO_HOST,
    "socket closed": _CUT,
    "connection reset": _CUT,
    "forcibly closed": _CUT,
    "broken pipe": _CUT,
    "disconnected without sending": _CUT,
    "the connection was closed": _CUT,
    "peer closed connection": _CUT,
}


def tell_shortfall(place: str, found: int, there: int) -> str:
    """The message of a `ShortfallError`; the note on a search names the ranker before it."""
    return f"The engine at {place} gave {found:,} of at least {there:,} hits."


def tell_reason(detail: str) -> str:
    """Why an engine can't be reached: a known reason in our words, else the driver's ``detail``."""
    small = detail.lower()
    # The last one named is the cause: drivers write it behind what they did.
    at, told = max((small.rfind(part), told) for part, told in _TOLD.items())
    return told if at >= 0 else detail
