"""``library login`` and ``library logout``: the secrets of a shared library, in the keyring of the system."""

from __future__ import annotations

import sys
from getpass import getpass
from typing import Annotated

import typer

from claimlight.cli.commands import front_of, standard_text
from claimlight.cli.front import Front
from claimlight.cli.passphrases import can_ask
from claimlight.errors import InputError
from claimlight.services.sharing import credentials
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import Secrets
from claimlight.services.sharing.opening import check_password

Address = Annotated[
    str, typer.Argument(metavar="ADDRESS", help="Address of the shared library.", show_default=False)
]


def login_command(
    context: typer.Context,
    address: Address,
    token: Annotated[
        bool, typer.Option("--token", help="Keep the token of the engine, not the password of the database.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Try the password before it is kept.")
    ] = True,
) -> None:
    """Keep the password of a shared library in the keyring of this system; it is asked for, and not shown.

    Without a terminal the first line of standard input is read. Commands and the window find it there.
    Nothing is written to a file of Claimlight.
    """
    front = front_of(context)
    found = SharedAddress.parse(address)
    if token and (found.engine is None or not found.engine.port):
        raise InputError("The address names no engine, so there is no token to keep.")
    # Before anything is typed that could then not be kept.
    credentials.check_keyring()
    about = str(found.engine) if token else found.account
    secret = _ask(front, f"{'Token' if token else 'Password'} of {about}: ")
    given = Secrets(token=secret) if token else Secrets(password=secret)
    if check and not token:
        check_password(found, given)
    credentials.keep(found, given)
    front.say(f"Kept in the keyring for {about}.")


def logout_command(context: typer.Context, address: Address) -> None:
    """Remove the password of a shared library, and the token of its engine, from the keyring."""
    front = front_of(context)
    gone = credentials.forget(SharedAddress.parse(address))
    front.say("Removed from the keyring." if gone else "The keyring had nothing of this address.")


def _ask(front: Front, prompt: str) -> str:
    if can_ask() and not front.events:
        secret = getpass(prompt)
    elif sys.stdin is not None:
        secret = standard_text(front).partition("\n")[0]
    else:
        secret = ""
    if not secret:
        raise InputError("Nothing was typed; nothing was kept.")
    return secret
