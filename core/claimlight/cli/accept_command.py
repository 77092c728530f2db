"""``accept``: whether an engine is fit to hold a shared library."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.commands import AsJson, front_of
from claimlight.cli.front import Front, plain
from claimlight.engines.addresses import EngineAddress
from claimlight.engines.workload import Workload
from claimlight.errors import InputError, ResourceError
from claimlight.index.backend import IndexBackend
from claimlight.services.sharing import credentials
from claimlight.services.sharing.acceptance import AcceptanceOptions, accept_engine
from claimlight.services.sharing.addresses import DATABASES, SharedAddress
from claimlight.services.sharing.opening import open_engine
from claimlight.types.acceptance import AcceptanceReport, Figure

SCHEMA = "claimlight.acceptance.1"
_DIGITS = {"documents/s": 1, "ms": 1, "s": 2, "/s": 1}


def accept_command(
    context: typer.Context,
    address: Annotated[
        str,
        typer.Argument(
            help="Address of the shared library, or of its engine alone (milvus://HOST:PORT).",
            show_default=False,
        ),
    ],
    documents: Annotated[
        int,
        typer.Option(min=100, help="Invented documents to load; as many as the office will have, or some."),
    ] = 2000,
    passages: Annotated[
        int, typer.Option(min=1, help="Passage pieces of each: 20 with claims, 190 in full.")
    ] = 20,
    dimensions: Annotated[int, typer.Option("--dim", min=8, help="Length of the encoder's vectors.")] = 384,
    queries: Annotated[int, typer.Option(min=1, help="Queries whose answers are compared and timed.")] = 50,
    loaders: Annotated[int, typer.Option(min=1, help="Connections that load at once.")] = 2,
    clients: Annotated[int, typer.Option(min=1, help="Clients that search at once.")] = 20,
    seconds: Annotated[float, typer.Option(min=1.0, help="How long the clients search.")] = 20.0,
    failover: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Command that stops a server of the engine, run while the clients search.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the loaded documents in the engine.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check and measure the engine of a shared library: contract, load, recall, latency, failover.

    It uses indexes of its own (claimlight_checks…, claimlight_accept_…), never those of a library. The exit
    code is 1 if a step fails.
    """
    front = front_of(context)
    options = AcceptanceOptions(
        Workload(documents, passages, dimensions),
        queries=queries,
        loaders=loaders,
        clients=clients,
        seconds=seconds,
        failover=_command(failover) if failover is not None else None,
        keep=keep,
    )
    opened = _opener(address)
    with front.working() as task:
        report = accept_engine(opened, options, task)
    if as_json:
        front.line({"schema": SCHEMA, **plain(report), "passed": report.passed})
    else:
        _print(front, report)
    if report.left:
        front.say(report.left, style="yellow")
    if not report.passed:
        raise typer.Exit(1)


def _opener(text: str) -> Callable[[], IndexBackend]:
    """What opens the engine of an address, with the secrets that are kept for it."""
    if text.partition(":")[0] in DATABASES:
        shared = SharedAddress.parse(text)
        secrets = credentials.find(shared)
        return lambda: open_engine(shared, secrets)
    engine = EngineAddress.parse(text)
    token = credentials.find_token(engine)
    return lambda: engine.open(token)


def _command(text: str) -> Callable[[], None]:
    words = shlex.split(text)
    if not words:
        raise InputError("--failover has no command.")

    def stop() -> None:
        try:
            code = subprocess.run(words, check=False, stdin=subprocess.DEVNULL).returncode  # noqa: S603 - the user's own command
        except OSError as error:
            raise ResourceError(f"The command of --failover can't be run: {error.strerror}.") from error
        if code:
            raise ResourceError(f"The command of --failover failed with exit code {code}.")

    return stop


def _print(front: Front, report: AcceptanceReport) -> None:
    front.say(f"{report.engine}, {report.documents:,} documents of {report.passages} passage pieces")
    for outcome in report.outcomes:
        mark = "[green]passed[/]" if outcome.passed else "[bold red]FAILED[/]"
        front.out.print(f"\n[bold]{outcome.step}[/]: {mark}. {escape(outcome.says)}")
        table = Table(show_header=False, box=None, pad_edge=False)
        table.add_column()
        table.add_column(justify="right")
        table.add_column()
        for figure in outcome.figures:
            table.add_row(escape(figure.name), _value(figure), figure.unit)
        front.out.print(table)


def _value(figure: Figure) -> str:
    if figure.unit.startswith("of the exact"):
        return f"{figure.value:.4f}"
    return f"{figure.value:,.{_DIGITS.get(figure.unit, 0)}f}"
