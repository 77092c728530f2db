"""``doctor``: check this installation and computer, and write a diagnostic report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli import passphrases
from claimlight.cli.commands import LIBRARY_VARIABLE, AsJson, front_of, load_settings
from claimlight.cli.front import Front, plain
from claimlight.errors import AppError, InputError
from claimlight.services.cases import case_encryption
from claimlight.services.health import checking, report
from claimlight.services.library.library import Library
from claimlight.services.repair import checkups, diagnosis
from claimlight.services.sharing.addresses import SharedAddress, is_address
from claimlight.services.sharing.state import examine_servers
from claimlight.settings import Settings
from claimlight.types import LibraryInfo
from claimlight.types.health import Finding, Level
from claimlight.types.repairs import RepairResult, RepairStep

_MARKS = {Level.WELL: "[green]ok[/]", Level.WARNING: "[yellow]warning[/]", Level.FAULT: "[bold red]FAULT[/]"}


def doctor_command(
    context: typer.Context,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            envvar=LIBRARY_VARIABLE,
            metavar="DIR|ADDRESS",
            help="Folder of a library, to check the computer for it; or address of a shared one, to ask its "
            "servers.",
            show_default=False,
        ),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="FILE.zip",
            help="Print a diagnostic report for a support person, then write it. It has no text of claims, "
            "queries or documents, no names and no paths.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough", help="Read every byte of the library, its index and all model packages too."
        ),
    ] = False,
    due: Annotated[
        int | None,
        typer.Option(
            "--due",
            metavar="DAYS",
            min=0,
            help="Check nothing but the library and the case book, byte by byte, each only if it was not "
            "found undamaged within this number of days: for a job that runs every night. 0: always.",
            show_default=False,
        ),
    ] = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Check as with --thorough, say what would be repaired, ask, and repair it. What a repair "
            "replaces is kept beside it.",
        ),
    ] = False,
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="PATH",
            help="With --repair: folder or file with patents, or a copy of the library, to read missing "
            "documents from, besides the files that were imported. Several options are possible.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --repair: do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check packages, model, folders, devices, this computer, the case book and a library; repair damage.

    The exit code is 1 if something is wrong, with --repair if something still is; warnings do not count.
    """
    front = front_of(context)
    if (sources or yes) and not repair:
        raise typer.BadParameter("--from and --yes belong to --repair.")
    shared = SharedAddress.parse(library) if library is not None and is_address(library) else None
    folder = Path(library) if library is not None and shared is None else None
    if repair and (bundle is not None or (sources and folder is None)):
        raise typer.BadParameter("Give --repair without --bundle, and --from with --library.")
    if due is not None and (thorough or repair or bundle is not None):
        raise typer.BadParameter("Give --due without --thorough, --repair and --bundle.")
    settings = load_settings(front)
    if due is not None:
        _check_due(front, settings, folder, due, as_json=as_json)
        return
    if bundle is not None:
        _write_report(front, settings, folder, bundle, force=force, as_json=as_json)
        return
    passphrase = _passphrase(front, ask=not as_json)
    with front.working() as task:
        found = diagnosis.examine(settings, folder, task, thorough=thorough or repair, passphrase=passphrase)
        findings = (
            *checking.examine(settings, folder, info=_info(folder), context=task),
            *found.findings,
            *((examine_servers(shared),) if shared is not None else ()),
        )
    results: list[RepairResult] = []
    if repair and found.steps:
        if not as_json:
            _print(front, tuple(item for item in found.findings if not item.ok))
        _announce(front, found.steps, ask=not yes and not as_json and not front.events)
        with front.working() as task:
            for result in diagnosis.repair(found, settings, task, sources=sources or ()):
                results.append(result)
                for line in result.said:
                    front.say(line, style="" if result.done else "yellow")
            found = diagnosis.examine(settings, folder, task, thorough=True, passphrase=passphrase)
            findings = (
                *checking.examine(settings, folder, info=_info(folder), context=task),
                *found.findings,
            )
    sound = all(item.ok for item in findings) and all(item.done for item in results)
    if as_json:
        body: dict[str, object] = {
            "findings": [{**plain(item), "level": item.level.value} for item in findings],
            "sound": sound,
        }
        if repair:
            body["repairs"] = plain(results)
        front.line(body)
    else:
        _print(front, findings)
    if not sound:
        raise typer.Exit(1)


def _passphrase(front: Front, *, ask: bool) -> str | None:
    """That of an encrypted case book; None leaves it unchecked."""
    if not case_encryption.has_encrypted():
        return None
    return passphrases.offered("Passphrase of the case book (none: it is not checked): ", front, ask=ask)


def _check_due(front: Front, settings: Settings, library: Path | None, days: int, *, as_json: bool) -> None:
    if front.events:
        # The window runs it beside the user's work.
        checkups.step_back()
    passphrase = _passphrase(front, ask=not as_json)
    with front.working() as task:
        found = checkups.check_due(settings, library, days, task, passphrase=passphrase)
    if front.events:
        # What reads events reads the findings too; an exit code of 1 is a check that could not be made.
        front.line({"event": "checkup", **plain(found)})
        return
    if as_json:
        rows = [{**plain(item), "level": item.level.value} for item in found.findings]
        front.line({"findings": rows, "sound": not found.faults})
    elif found.findings:
        _print(front, found.findings)
    else:
        front.say("Nothing is due.")
    if found.faults:
        raise typer.Exit(1)


def _info(folder: Path | None) -> LibraryInfo | None:
    """Sizes and languages of a library that can be opened."""
    if folder is None:
        return None
    with suppress(AppError), Library.open(folder, read_only=True) as library:
        return library.info()
    return None


def _announce(front: Front, steps: Sequence[RepairStep], *, ask: bool) -> None:
    """Say what a repair will do; `typer.Abort` if the user does not want it."""
    for number, step in enumerate(steps, start=1):
        kept = f" What it replaces is kept as {step.keeps}." if step.keeps else ""
        front.say(f"{number}. {step.does[0].upper()}{step.does[1:]}.{kept}")
    if ask:
        typer.confirm("Repair this now?", abort=True)


def _print(front: Front, findings: tuple[Finding, ...]) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    for item in findings:
        said = escape(" ".join(filter(None, (_sentence(item.state, item), item.why, item.advice))))
        table.add_row(_MARKS[item.level], f"[bold]{escape(item.subject)}[/]", said)
    front.out.print(table)


def _sentence(state: str, item: Finding) -> str:
    return f"{state.removesuffix('.')}." if item.advice else state


def _write_report(
    front: Front, settings: Settings, library: Path | None, target: Path, *, force: bool, as_json: bool
) -> None:
    if target.exists() and not force:
        raise InputError(f"{target} exists; give another name, or --force to replace it.")
    with front.working() as task:
        held = None if library is None else Library.open(library, read_only=True)
        with nullcontext() if held is None else held:
            made = report.gather(settings, held, task)
    if as_json:
        front.line({"report": str(target), "files": {each.name: each.text for each in made}})
    else:
        for each in made:
            front.out.print(f"[bold]{escape(each.name)}[/]: {escape(each.about)}\n")
            front.out.print(escape(each.text))
    report.write(made, target)
    front.say(f"Written to {target}. Read it before you send it to anybody.")
