"""``push``: fill a shared library from the library of a folder, check it, and say what was pushed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.commands import (
    LIBRARY_VARIABLE,
    AsJson,
    check_folder,
    front_of,
    load_settings,
    open_library,
)
from claimlight.cli.front import Front
from claimlight.engines.addresses import require
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.opening import open_shared
from claimlight.types import PushCheck, PushReport, PushStatus, SetAside, plural
from claimlight.types.sharing import BATCH_DOCUMENTS

if TYPE_CHECKING:
    from claimlight.services.sharing.filling import SharedTarget

SCHEMA = "claimlight.push.1"
_LISTED = 20
"""Number of publications that are named one by one."""


def push_command(
    context: typer.Context,
    address: Annotated[
        str,
        typer.Argument(
            help="Address of the shared library: postgresql://USER@HOST/DATABASE?engine=milvus://HOST.",
            show_default=False,
        ),
    ],
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            envvar=LIBRARY_VARIABLE,
            metavar="DIR",
            help="Folder of the library that is pushed.",
            show_default=False,
        ),
    ] = None,
    create: Annotated[
        bool, typer.Option("--create", help="Make the shared library if the database has none yet.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Push nothing: compare texts, checksums and the engine's counts with the library.",
        ),
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Push nothing: list the pushes into the shared library.")
    ] = False,
    restore: Annotated[
        bool,
        typer.Option(
            "--restore",
            help="Push nothing: give an engine that lost data, or a new one, its parts from the database.",
        ),
    ] = False,
    remove: Annotated[
        list[str] | None,
        typer.Option(
            "--remove",
            metavar="PUBLICATION",
            help="Push nothing: remove this document from the shared library. May be given several times.",
            show_default=False,
        ),
    ] = None,
    readers: Annotated[
        str | None,
        typer.Option(
            "--readers",
            metavar="ROLE",
            help="Push nothing: let this user or group of the database search, and change nothing.",
            show_default=False,
        ),
    ] = None,
    batch: Annotated[
        int, typer.Option("--batch", min=1, max=2000, help="Documents that are acknowledged together.")
    ] = BATCH_DOCUMENTS,
    as_json: AsJson = False,
) -> None:
    """Push the documents of a library, with their index, into a shared library on servers.

    Documents that are there already, as deeply indexed, are skipped: to resume a stopped push, run the
    command again. Several computers may push at once. What was removed from the library stays in the shared
    one until --remove.
    """
    front = front_of(context)
    if sum((create, check, status, restore, bool(remove), readers is not None)) > 1:
        raise typer.BadParameter(
            "Give one of --create, --verify, --status, --restore, --remove and --readers."
        )
    found = SharedAddress.parse(address)
    require("postgres", "psycopg")
    # Not at the top: they need the driver of the database, which most installations lack.
    from claimlight.services.sharing import push as pushing
    from claimlight.services.sharing.verifying import verify

    if status or restore or remove or readers is not None:
        with _open(found, writable=not status) as target:
            if readers is not None:
                _allow(front, target, readers, as_json=as_json)
            elif remove:
                _remove(front, target, remove, as_json=as_json)
            elif restore:
                _restore(front, target, as_json=as_json)
            else:
                _tell(front, pushing.read_status(target), as_json=as_json)
        return
    if library is None:
        raise typer.BadParameter("Give the folder of the library with --library.")
    with (
        open_library(check_folder(library)) as local,
        _open(found, create=create, writable=not check) as target,
    ):
        with front.working() as task:
            report = (
                verify(local, target, task)
                if check
                else pushing.push(local, target, task, load_settings(front), batch_documents=batch)
            )
        _tell(front, report, as_json=as_json)
    if isinstance(report, PushCheck) and not report.sound:
        raise typer.Exit(1)


@contextmanager
def _open(address: SharedAddress, *, create: bool = False, writable: bool) -> Iterator[SharedTarget]:
    from claimlight.services.sharing.filling import SharedTarget

    with open_shared(address, create=create, writable=writable) as opened:
        yield SharedTarget.of(opened)


def _remove(front: Front, target: SharedTarget, publications: list[str], *, as_json: bool) -> None:
    from claimlight.services.sharing import push as pushing

    with front.working() as task:
        removed = pushing.remove(target, publications, task)
    if front.events or as_json:
        front.tell(removed)
        return
    front.say(f"Removed from {removed.shared}: {', '.join(map(str, removed.removed))}.")


def _allow(front: Front, target: SharedTarget, role: str, *, as_json: bool) -> None:
    from claimlight.services.sharing import push as pushing

    allowed = pushing.allow_reading(target, role)
    if front.events or as_json:
        front.tell(allowed)
        return
    front.say(f"{allowed.role} can search {allowed.shared}, and change nothing in it.")


def _restore(front: Front, target: SharedTarget, *, as_json: bool) -> None:
    from claimlight.services.sharing import push as pushing

    with front.working() as task:
        restored = pushing.restore_engine(target, task)
    if front.events or as_json:
        front.tell(restored)
        return
    front.say(
        f"{restored.restored:,} of {plural(restored.documents, 'document')} had other parts in the engine "
        "and were given to it again."
    )


def _tell(front: Front, report: PushReport | PushCheck | PushStatus, *, as_json: bool) -> None:
    if front.events or as_json:
        more = {"sound": report.sound} if isinstance(report, PushCheck) else {}
        named = {"schema": SCHEMA} if isinstance(report, PushReport) else {}
        front.tell(report, **named, **more)
    elif isinstance(report, PushReport):
        _tell_push(front, report)
    elif isinstance(report, PushCheck):
        _tell_check(front, report)
    else:
        _print_status(front, report)


def _tell_push(front: Front, report: PushReport) -> None:
    parts = (
        (report.replaced, f"{report.replaced:,} replaced by a text that says more"),
        (report.deepened, f"{report.deepened:,} indexed more deeply"),
        (report.skipped, f"{report.skipped:,} there already"),
        (report.kept, f"{report.kept:,} kept as they are there"),
        (len(report.refused), f"{len(report.refused):,} refused"),
    )
    done = ", ".join((f"{plural(report.new, 'new document')}", *(text for many, text in parts if many)))
    front.say(
        f"{done}; {plural(report.sections, 'section')} and {plural(report.passages, 'passage piece')} in "
        f"{plural(report.batches, 'batch', 'batches')}, {report.bytes / 1e6:,.1f} MB, in "
        f"{report.seconds:.1f} s."
    )
    if report.text_only:
        front.say(
            f"{plural(report.text_only, 'document')} without an index: query lines and keywords find them. "
            "Index the library and push again for the rest."
        )
    if report.cleaned:
        front.say(f"Unfinished batches of other pushes were removed: {plural(report.cleaned, 'document')}.")
    _list(front, "Kept, as the shared library has another text of the publication", report.kept_documents)
    _list(front, "Refused", report.refused)


def _list(front: Front, title: str, items: tuple[SetAside, ...]) -> None:
    if items:
        lines = [f"  {item.publication}: {item.reason}" for item in items[:_LISTED]]
        more = [f"  and {len(items) - _LISTED:,} more"] if len(items) > _LISTED else []
        front.say("\n".join((f"{title}:", *lines, *more)))


def _tell_check(front: Front, check: PushCheck) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    sections = f"{check.found_sections:,} of {check.expected_sections:,}"
    passages = f"{check.found_passages:,} of {check.expected_passages:,}"
    rows = {
        "documents of the library": f"{check.documents:,}",
        "the same in the shared library": f"{check.same:,}",
        "with another text there": f"{check.other:,}",
        "missing, or less deeply indexed": f"{len(check.missing):,}",
        "compared parts of the index": f"{check.parts:,}",
        "of them encoded elsewhere": f"{check.other_rows:,}",
        "documents with damaged rows": f"{len(check.damaged):,}",
        "sections in the engine": sections,
        "passage pieces in the engine": passages,
        "documents with other parts there": f"{len(check.wrong_documents):,}",
        "removed documents still there": f"{check.leftovers:,}",
    }
    for name, value in rows.items():
        table.add_row(f"[bold]{name}[/]", escape(value))
    front.out.print(table)
    for title, names in (
        ("Missing", check.missing),
        ("Damaged", check.damaged),
        ("Other parts in the engine", check.wrong_documents),
    ):
        if names:
            more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
            front.say(f"{title}: {', '.join(names[:_LISTED])}{more}.", style="yellow")
    if check.sound:
        front.say("All that the library has is in the shared library, undamaged.")
    else:
        front.say("Push again for what is missing or less deeply indexed.", style="yellow")


def _print_status(front: Front, status: PushStatus) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("no.", "begun (UTC)", "by", "library", "state", "batches", "documents", "MB", "under way"):
        table.add_column(name, no_wrap=name not in ("library",))
    for each in status.workers:
        table.add_row(
            str(each.number),
            f"{each.begun:%Y-%m-%d %H:%M}",
            escape(each.name),
            escape(each.source),
            each.state,
            f"{each.batches:,}",
            f"{each.documents:,}",
            f"{each.bytes / 1e6:,.1f}",
            f"{each.under_way:,}",
        )
    front.out.print(table)
    for each in status.workers:
        if each.error:
            front.say(f"{each.number}: {each.error}", style="yellow")
    front.say(
        f"{plural(status.documents, 'document')} in {status.shared}, {status.indexed:,} of them indexed."
    )
    if status.leftovers:
        front.say(f"The engine still has {plural(status.leftovers, 'removed document')}: push again.")
