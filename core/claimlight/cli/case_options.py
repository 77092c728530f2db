"""Options that name a case of the case book, and sets of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from claimlight.cli.front import Front
from claimlight.errors import InputError
from claimlight.types import Case, CaseId, QuerySet, RowFault, plural

if TYPE_CHECKING:
    from claimlight.services.cases.cases import CaseBook
    from claimlight.services.library.library import Library

CaseNumber = Annotated[
    int | None,
    typer.Option(
        "--case",
        metavar="CASE",
        min=1,
        help="Number of the case (`claimlight cases list`).",
        show_default=False,
    ),
]
_TOLD = 5
"""Number of damaged rows listed before a command."""
_LABEL = re.compile(r"[Ll]?(\d{1,9})")


@contextmanager
def case_book(*, tell: bool = True) -> Iterator[CaseBook]:
    """Open the user's case book; with ``tell`` list damaged rows, which leave the others usable.

    The passphrase of an encrypted one comes from the environment, or is asked for.
    """
    from claimlight.cli.passphrases import with_passphrase
    from claimlight.services.cases.cases import CaseBook

    with with_passphrase(lambda passphrase: CaseBook.open(passphrase=passphrase)) as book:
        if tell and book.faults:
            _tell_faults(book.faults)
        yield book


def _tell_faults(faults: Sequence[RowFault]) -> None:
    front = Front()
    for fault in faults[:_TOLD]:
        front.say(f"Damaged: {fault}.", style="yellow")
    more = f"{plural(len(faults) - _TOLD, 'more damaged row')}. " if len(faults) > _TOLD else ""
    front.say(
        f"{more}All other rows can be used. `claimlight cases check` lists every damaged row, "
        "`claimlight cases restore --force` restores a backup."
    )


def find_case(book: CaseBook, number: int | None) -> Case:
    """The case with this number; None: the one worked on last."""
    if number is not None:
        return book.case(CaseId(number))
    cases = book.cases()
    if not cases:
        raise InputError("There is no case yet. `claimlight query … --new-case NAME` creates one.")
    return cases[0]


def set_number(label: str) -> int:
    """The number of ``L3``."""
    match = _LABEL.fullmatch(label)
    if match is None:
        raise typer.BadParameter(f"{label!r} is not a set: write it as L3.")
    return int(match[1])


def find_set(sets: Sequence[QuerySet], label: str, case: Case) -> QuerySet:
    """The set with this label; `InputError` with the existing labels if there is none."""
    wanted = set_number(label)
    found = next((item for item in sets if item.number == wanted), None)
    if found is None:
        last = sets[-1].number if sets else 0
        known = f"it has L1 to L{last}" if last > 1 else "it has L1 only" if last else "it has none yet"
        raise InputError(f"There is no set L{wanted} in case {case.id} ({case.name}): {known}.")
    return found


def documents_of_set(library: Library, case: int | None, label: str) -> list[int]:
    """The documents of a recorded set that are in this library; without ``case``, of the latest one."""
    from claimlight.services.sets.set_members import find_documents

    with case_book() as book:
        chosen = find_case(book, case)
        record = find_set(book.sets(chosen.id), label, chosen)
    return find_documents(library.store, record.hits)
