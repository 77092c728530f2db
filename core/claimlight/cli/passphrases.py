"""The passphrase of an encrypted case book: from the environment, or asked for without showing it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from getpass import getpass
from pathlib import Path
from typing import TypeVar

from claimlight.cli.front import Front
from claimlight.errors import InputError
from claimlight.services.cases.cases import LockedCasesError, WrongPassphraseError

PRESENT = "CLAIMLIGHT_CASES_PASSPHRASE"
NEW = "CLAIMLIGHT_CASES_NEW_PASSPHRASE"
_IN_FILE = "_FILE"
"""With this suffix a variable names a file whose first line is the passphrase."""
_TRIES = 3
T = TypeVar("T")


def given(variable: str = PRESENT) -> str | None:
    """The passphrase of the environment; None if there is none."""
    if value := os.environ.get(variable):
        return value
    name = os.environ.get(f"{variable}{_IN_FILE}")
    if not name:
        return None
    try:
        # Not closed and opened again: it may be a pipe, such as /dev/fd/3.
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{variable}{_IN_FILE} names {name}, which can't be read.") from error
    return text.partition("\n")[0].rstrip("\r") or None


def can_ask() -> bool:
    """Whether somebody is at the terminal to type a passphrase."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def with_passphrase(work: Callable[[str | None], T], front: Front | None = None) -> T:
    """Do what may need the passphrase of the case book: without one first, then with that of the environment.

    Then it is asked for, a few times. `LockedCasesError` if nobody can be asked.
    """
    known = given()
    try:
        return work(known)
    except LockedCasesError as error:
        if known is not None or not _is_asked(front):
            raise _advised(error) from error
    for left in reversed(range(_TRIES)):
        try:
            return work(ask("Passphrase of the case book: "))
        except WrongPassphraseError as error:
            if not left:
                raise
            (front or Front()).say(f"{error} Try again.")
    raise AssertionError


def offered(prompt: str, front: Front, *, ask: bool = True) -> str | None:
    """The passphrase of the environment, or typed by who can be asked and wants to; else None."""
    known = given()
    if known is None and ask and _is_asked(front):
        return getpass(prompt) or None
    return known


def ask(prompt: str) -> str:
    """Ask for a passphrase, which is not shown; `InputError` for none."""
    # On stderr, or the terminal itself: standard output may be read by another program.
    if not (typed := getpass(prompt)):
        raise InputError("No passphrase was typed; nothing was changed.")
    return typed


def ask_new(variable: str, front: Front) -> str:
    """A new passphrase: from the environment, or typed twice."""
    if value := given(variable):
        return value
    if not _is_asked(front):
        raise InputError(_ADVICE.format(variable=variable))
    typed = ask("New passphrase of the case book: ")
    if ask("The same again: ") != typed:
        raise InputError("The two passphrases differ; nothing was changed.")
    return typed


_ADVICE = (
    "There is no terminal to ask for a passphrase: put it into the environment variable {variable}, or the "
    f"name of a file with it into {{variable}}{_IN_FILE}."
)


def _is_asked(front: Front | None) -> bool:
    return can_ask() and (front is None or not front.events)


def _advised(error: LockedCasesError) -> LockedCasesError:
    """What to do where nobody can be asked."""
    if isinstance(error, WrongPassphraseError):
        return type(error)(f"{error} It came from {PRESENT} or {PRESENT}{_IN_FILE}.")
    return type(error)(f"{error} {_ADVICE.format(variable=PRESENT)}")
