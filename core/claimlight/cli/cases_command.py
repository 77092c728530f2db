"""``cases …``: list, show and change cases; check and restore the case book."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from claimlight.cli.case_options import case_book
from claimlight.cli.commands import AsJson, front_of
from claimlight.cli.front import Front, plain
from claimlight.errors import InputError, ResourceError
from claimlight.services.cases.marking import passages_of
from claimlight.types import (
    CITED,
    AcceptedClass,
    BackupContents,
    Case,
    CaseId,
    CaseSummary,
    Confirmation,
    Mark,
    PassageNote,
    cite_runs,
    plural,
)

cases_app = typer.Typer(
    no_args_is_help=True,
    help="List, show, rename, archive and delete cases; check and restore the case book.",
)

Number = Annotated[
    int, typer.Argument(metavar="CASE", min=1, help="Number of the case (`claimlight cases list`).")
]


@cases_app.command("list")
def list_command(
    context: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Include archived and deleted cases.")] = False,
    search: Annotated[
        str,
        typer.Option(
            "--search",
            metavar="WORDS",
            help="Only cases that contain all of these words in their name, application number, claims, "
            "accepted classes, notes, tags or the publications with a category or note.",
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the cases, most recently used first."""
    front = front_of(context)
    with case_book() as book:
        found = book.summaries(search, archived=everything, deleted=everything)
    if as_json:
        front.line({"cases": [_row(item) for item in found]})
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for item in found:
        case, changed = item.case, item.case.changed.strftime("%Y-%m-%d %H:%M")
        counts = (
            f"{plural(item.sets, 'set')}, {plural(item.marks, 'category or note', 'categories or notes')}"
        )
        told = ", ".join(filter(None, (_state(case), f"found in: {item.found}" if item.found else "")))
        # Not a string: rich would take square brackets in a name for markup.
        name = Text(case.name, style="bold")
        table.add_row(str(case.id), name, Text(changed, style="dim"), counts, Text(told))
    front.out.print(table)
    if not found:
        front.say("No case contains these words." if search else "There is no case yet.")


@cases_app.command("show")
def show_command(context: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Show one case: application, dates, classes, notes, categories, tags and number of searches."""
    front = front_of(context)
    with case_book() as book:
        case = book.case(CaseId(number))
        confirmations, notes = book.confirmations(case.id), book.passage_notes(case.id)
        marks, sets, tags, seen = (
            book.marks(case.id),
            book.sets(case.id),
            book.tags(case.id),
            book.seen(case.id),
        )
    if as_json:
        named = {str(key): list(tags[key]) for key in sorted(tags, key=str)}
        listed = [
            {
                **plain(mark),
                "letters": mark.letters,
                "cited": [item.label for item in passages_of(mark, confirmations)],
            }
            for mark in marks
        ]
        body = {**plain(case), "marks": listed, "tags": named, "seen": sorted(map(str, seen))}
        body |= {"passage_notes": plain(notes)}
        front.line({**body, "sets": len(sets), "confirmations": len(confirmations)})
        return
    lines = [
        ("Case", f"{case.id} {case.name}" + (f" ({_state(case)})" if _state(case) else "")),
        ("Application", str(case.publication or "")),
        ("Relevant date", str(case.reference_date or "")),
        ("Created", f"{case.created:%Y-%m-%d %H:%M}"),
        ("Last worked on", f"{case.changed:%Y-%m-%d %H:%M}"),
        ("Searches", f"{len(sets):,}"),
        ("Documents read", f"{len(seen):,}"),
        ("Passages confirmed or rejected", f"{len(confirmations):,}"),
        *((f"Class {item}", _describe_class(item)) for item in case.classes),
        ("Only documents of", " or ".join(map(str, case.within))),
        ("Notes", case.notes),
        *((str(mark.publication), _describe_mark(mark, confirmations)) for mark in marks),
        *((f"{item.publication} {item.label}", _describe_note(item)) for item in notes),
        *((str(key), f"tags: {', '.join(tags[key])}") for key in sorted(tags, key=str)),
        ("Claims", case.application),
    ]
    table = Table(show_header=False, box=None, pad_edge=False)
    for label, value in lines:
        if value:
            table.add_row(Text(label, style="dim"), Text(value))
    front.out.print(table)


@cases_app.command("history")
def history_command(context: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Show everything that was done in a case, oldest first."""
    front = front_of(context)
    with case_book() as book:
        entries = book.history(CaseId(number))
    if as_json:
        front.line({"case": number, "history": plain(entries)})
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for entry in entries:
        table.add_row(
            Text(f"{entry.at:%Y-%m-%d %H:%M:%S}", style="dim"), entry.action.value, Text(entry.text)
        )
    front.out.print(table)


@cases_app.command("rename")
def rename_command(
    context: typer.Context, number: Number, name: Annotated[str, typer.Argument(help="The new name.")]
) -> None:
    """Rename a case."""
    with case_book() as book:
        case = book.rename(CaseId(number), name)
    front_of(context).say(f"Case {case.id} is now called {case.name!r}.")


@cases_app.command("archive")
def archive_command(context: typer.Context, number: Number) -> None:
    """Archive a case: it is left out of the list of cases."""
    with case_book() as book:
        case = book.archive(CaseId(number))
    front_of(context).say(
        f"Case {case.id} ({case.name}) is archived; `claimlight cases list --all` shows it."
    )


@cases_app.command("unarchive")
def unarchive_command(context: typer.Context, number: Number) -> None:
    """Put an archived case back into the list of cases."""
    with case_book() as book:
        case = book.archive(CaseId(number), archived=False)
    front_of(context).say(f"Case {case.id} ({case.name}) is no longer archived.")


@cases_app.command("delete")
def delete_command(context: typer.Context, number: Number) -> None:
    """Mark a case as deleted; it is kept whole until it is purged."""
    with case_book() as book:
        case = book.delete(CaseId(number))
    front_of(context).say(
        f"Case {case.id} ({case.name}) is deleted. `claimlight cases undelete {case.id}` restores it, "
        f"`claimlight cases purge {case.id}` erases it."
    )


@cases_app.command("undelete")
def undelete_command(context: typer.Context, number: Number) -> None:
    """Restore a deleted case with everything in it."""
    with case_book() as book:
        case = book.delete(CaseId(number), deleted=False)
    front_of(context).say(f"Case {case.id} ({case.name}) is restored.")


@cases_app.command("purge")
def purge_command(
    context: typer.Context,
    number: Number,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Erase a deleted case permanently, with its categories, notes, sets and history.

    Backups made before still contain it.
    """
    front = front_of(context)
    with case_book() as book:
        case = book.case(CaseId(number))
        if not case.deleted:
            raise InputError(f"Case {number} is not deleted: run `claimlight cases delete {number}` first.")
        if not yes and not front.events:
            typer.confirm(f"Erase case {number} ({case.name}) permanently?", abort=True)
        book.purge(case.id)
    front.say(f"Case {number} ({case.name}) is erased. Backups made before still contain it.")


@cases_app.command("check")
def check_command(context: typer.Context, as_json: AsJson = False) -> None:
    """Check every page and row of the case book, the file of all cases, and list what is damaged."""
    front = front_of(context)
    with case_book(tell=False) as book:
        found = book.check()
    if as_json:
        front.line({"sound": found.sound, "pages": list(found.pages), "rows": plain(found.rows)})
    for fault in (*found.pages, *found.rows):
        front.say(f"Damaged: {fault}.")
    if not found.sound:
        number = len(found.pages) + len(found.rows)
        raise ResourceError(
            f"{plural(number, 'fault was', 'faults were')} found in the case book. Everything "
            "else in it can be used; `claimlight cases restore --force` replaces it by a backup."
        )
    front.say("The case book is undamaged: every row is as it was written.")


@cases_app.command("backups")
def backups_command(context: typer.Context, as_json: AsJson = False) -> None:
    """List the backups of the case book with their contents, newest first."""
    front = front_of(context)
    found = _contents(front)
    if as_json:
        front.line({"backups": plain(found)})
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for item in found:
        table.add_row(str(item.backup.number), item.backup.day.isoformat(), Text(_describe_contents(item)))
    front.out.print(table)
    if not found:
        front.say("There is no backup yet.")


@cases_app.command("restore")
def restore_command(
    context: typer.Context,
    backup: Annotated[
        int | None,
        typer.Option(
            "--backup",
            metavar="N",
            min=1,
            help="Number of the backup (`claimlight cases backups`); default: the newest undamaged one "
            "with cases.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also if the case book is undamaged.")] = False,
) -> None:
    """Replace a damaged case book by an undamaged backup; the damaged file is kept beside it."""
    from claimlight.services.cases import cases

    front, path = front_of(context), cases.default_path()
    known = _passphrase_of_backups(front)
    chosen = cases.find_restorable(number=backup, passphrase=known)
    if not force and _opens(known):
        raise InputError(
            f"{path} can be opened, so nothing was changed. With --force a backup replaces it; work done "
            "since that backup is then only in the old file, which is kept beside it."
        )
    if not yes and not front.events:
        which = f"Backup {chosen.backup.number} of {chosen.backup.day} ({_describe_contents(chosen)})"
        typer.confirm(f"{which} replaces {path}, which is kept beside it. Continue?", abort=True)
    used = cases.restore(number=chosen.backup.number, passphrase=known)
    front.say(f"The backup {used.path} of {used.day} is restored. The previous file is kept beside it.")


def _opens(passphrase: str | None) -> bool:
    from claimlight.services.cases.cases import CaseBook, DamagedCasesError

    try:
        with CaseBook.open(passphrase=passphrase):
            return True
    except DamagedCasesError:
        return False


def _contents(front: Front) -> list[BackupContents]:
    from claimlight.services.cases import cases

    return cases.list_contents(passphrase=_passphrase_of_backups(front))


def _passphrase_of_backups(front: Front) -> str | None:
    """The passphrase, if there is anything that it opens; asked for once, because backups may have others."""
    from claimlight.cli import passphrases
    from claimlight.services.cases import case_encryption

    if not case_encryption.has_encrypted():
        return None
    known = passphrases.given()
    if known is None and passphrases.can_ask() and not front.events:
        known = passphrases.ask("Passphrase of the backups: ")
    return known


def _row(item: CaseSummary) -> dict[str, object]:
    counts = {"sets": item.sets, "marks": item.marks, "seen": item.seen}
    return {**plain(item.case), **counts, "tags": list(item.tags), "found": item.found}


def _state(case: Case) -> str:
    return ", ".join(filter(None, ("archived" if case.archived else "", "deleted" if case.deleted else "")))


def _describe_class(item: AcceptedClass) -> str:
    by = f"probability {item.probability:.2f} by {item.classifier}" if item.probability is not None else ""
    return "; ".join(filter(None, (item.title, by))) or "accepted"


def _describe_note(item: PassageNote) -> str:
    words = f"“{' '.join(item.quoted.split())}”: " if item.quoted else ""
    return f"note: {words}{item.note}"


def _describe_mark(mark: Mark, confirmations: list[Confirmation]) -> str:
    about = " ".join(filter(None, (f"claim {mark.claim}" if mark.claim else "", mark.feature)))
    cited = passages_of(mark, confirmations) if mark.category in CITED else ()
    passages = cite_runs([item.label for item in cited])
    return " – ".join(filter(None, (mark.letters, about, passages, mark.note)))


def _describe_contents(item: BackupContents) -> str:
    if item.fault:
        return f"can't be used: {item.fault}"
    faults = f", {plural(item.faults, 'damaged row')}" if item.faults else ""
    marks = plural(item.marks, "category or note", "categories or notes")
    return f"{plural(item.cases, 'case')}, {marks}, {plural(item.sets, 'set')}{faults}"
