"""``cases encrypt``, ``cases passphrase`` and ``cases decrypt``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from claimlight.cli.commands import front_of
from claimlight.errors import InputError
from claimlight.types import plural

if TYPE_CHECKING:
    from claimlight.cli.front import Front
    from claimlight.services.cases.case_encryption import Conversion

_LOST = "Nobody can read the cases without the passphrase: if it is lost, the cases are lost."
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def encrypt_command(context: typer.Context, yes: Yes = False) -> None:
    """Encrypt the case book and its backups with a passphrase.

    It is asked for without showing it, or taken from the environment variable CLAIMLIGHT_CASES_PASSPHRASE, or
    from the first line of the file that CLAIMLIGHT_CASES_PASSPHRASE_FILE names. Every command that opens the
    case book needs it from then on. If it is lost, the cases are lost.
    """
    from claimlight.cli import passphrases
    from claimlight.services.cases import case_encryption, cases

    front, path = front_of(context), cases.default_path()
    if case_encryption.is_encrypted():
        raise InputError(
            f"{path} is encrypted already; `claimlight cases passphrase` gives it another passphrase."
        )
    new = passphrases.ask_new(passphrases.PRESENT, front)
    if not yes and not front.events:
        typer.confirm(f"{_LOST} Encrypt {path} and its backups?", abort=True)
    _tell(front, case_encryption.encrypt(new), f"{path} is encrypted. {_LOST}")


def passphrase_command(context: typer.Context) -> None:
    """Give an encrypted case book and its backups another passphrase.

    The new one is asked for, or taken from CLAIMLIGHT_CASES_NEW_PASSPHRASE (or ..._FILE).
    """
    from claimlight.cli import passphrases
    from claimlight.services.cases import case_encryption, cases

    front, path = front_of(context), cases.default_path()
    if not case_encryption.is_encrypted():
        raise InputError(f"{path} is not encrypted; `claimlight cases encrypt` encrypts it.")
    present = passphrases.with_passphrase(_proven, front)
    new = passphrases.ask_new(passphrases.NEW, front)
    done = case_encryption.encrypt(new, passphrase=present)
    _tell(front, done, f"{path} has another passphrase. {_LOST}")


def decrypt_command(context: typer.Context, yes: Yes = False) -> None:
    """Write the case book and its backups without encryption again."""
    from claimlight.cli import passphrases
    from claimlight.services.cases import case_encryption, cases

    front, path = front_of(context), cases.default_path()
    if not case_encryption.is_encrypted():
        raise InputError(f"{path} is not encrypted.")
    present = passphrases.with_passphrase(_proven, front)
    if not yes and not front.events:
        typer.confirm(f"Everybody who has the file can read {path} then. Decrypt it?", abort=True)
    _tell(front, case_encryption.decrypt(present), f"{path} is no longer encrypted.")


def _proven(passphrase: str | None) -> str:
    """The passphrase, if the book opens by it."""
    from claimlight.services.cases.cases import CaseBook

    with CaseBook.open(passphrase=passphrase):
        return passphrase or ""


def _tell(front: Front, done: Conversion, text: str) -> None:
    front.say(f"{text} {plural(done.files, 'older backup', 'older backups')} followed.")
    for each in done.left:
        front.say(
            f"{each} is as it was: it is damaged, or has a passphrase of earlier. Delete it if you do not "
            "need it.",
            style="yellow",
        )
