"""``doctor``: check this installation and computer, and write a diagnostic report."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.commands import AsJson, front_of, load_settings
from claimlight.cli.front import Front, plain
from claimlight.errors import InputError
from claimlight.services.health import checking, report
from claimlight.services.library.library import Library
from claimlight.settings import Settings
from claimlight.types.health import Finding, Level

_MARKS = {Level.WELL: "[green]ok[/]", Level.WARNING: "[yellow]warning[/]", Level.FAULT: "[bold red]FAULT[/]"}


def doctor_command(
    context: typer.Context,
    library: Annotated[
        Path | None,
        typer.Option(
            "--library",
            "-l",
            envvar="CLAIMLIGHT_LIBRARY",
            help="Folder of a library, to check the computer for it.",
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
    as_json: AsJson = False,
) -> None:
    """Check packages, model, folders, devices and this computer.

    The exit code is 1 if something is wrong; warnings do not count.
    """
    front = front_of(context)
    settings = load_settings(front)
    if bundle is not None:
        _write_report(front, settings, library, bundle, force=force, as_json=as_json)
        return
    with nullcontext() if library is None else Library.open(library, read_only=True) as held:
        info = None if held is None else held.info()
    findings = tuple(checking.examine(settings, library, info=info))
    if as_json:
        front.line({"findings": [{**plain(item), "level": item.level.value} for item in findings]})
    else:
        _print(front, findings)
    if not all(item.ok for item in findings):
        raise typer.Exit(1)


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
