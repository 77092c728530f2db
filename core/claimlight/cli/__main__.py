"""The command line: parses arguments, runs one command and returns its exit code.

0 done, 1 failed (the message says why), 2 wrong command line, 130 stopped by the user.
"""

from __future__ import annotations

import importlib
import io
import multiprocessing
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from time import monotonic
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from claimlight import journal
from claimlight.cli import (
    accept_command,
    adapt_command,
    batch_command,
    cases_command,
    classes_command,
    classify_command,
    confirmation_commands,
    demo_command,
    doctor_command,
    drawings_command,
    encryption_commands,
    export_command,
    index_command,
    library_commands,
    mark_commands,
    matrix_command,
    progress_commands,
    push_command,
    query_command,
    relation_commands,
    report_commands,
    search_command,
    sets_command,
    settings_command,
    show_command,
    train_command,
    version_commands,
    watch_command,
)
from claimlight.cli.front import CANCELLED, Events, Front
from claimlight.cli.models import models_app
from claimlight.cli.usage import WRONG_USAGE, UsageProblem, describe_problem
from claimlight.cli.value_names import name_values
from claimlight.errors import AppError, InputError, ResourceError, TaskCancelled
from claimlight.paths import not_text
from claimlight.services import bundled
from claimlight.types.health import Outcome

_EVALUATE = "evaluate"
_LABORATORY = "claimlight.lab"
_LAB_COMMANDS = f"{_LABORATORY}.cli.group"


class _Commands(TyperGroup):
    """All commands. ``evaluate`` imports many modules, so they are imported only when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        place = names.index("demo")
        return [*names[:place], _EVALUATE, *names[place:]]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name != _EVALUATE:
            return super().get_command(ctx, cmd_name)
        from claimlight.cli.evaluate import evaluate_app

        found = _make_command(evaluate_app)
        found.name = _EVALUATE
        found.rich_help_panel = _MEASURE
        return found


class _Lab(TyperGroup):
    """The commands of ``claimlight.lab``, which is imported when one of them is asked for.

    Its name is a string: the product does not import the laboratory, so a tool that packs an installation by
    following imports leaves it out.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        self.commands = _lab_commands()
        return super().parse_args(ctx, args)


def _lab_commands() -> Any:
    """The commands by name; `ResourceError` if the laboratory is not installed."""
    try:
        lab_app = importlib.import_module(_LAB_COMMANDS).lab_app
    except ModuleNotFoundError as error:
        # Only a part of that path is allowed to be missing: the laboratory's own faults are not hidden.
        if error.name is None or not f"{_LAB_COMMANDS}.".startswith(f"{error.name}."):
            raise
        raise ResourceError(
            "The laboratory (claimlight.lab) is not part of this installation: "
            "install the Python package claimlight[lab] to reproduce papers and diagnose models."
        ) from error
    return _make_command(lab_app).commands


@cache
def _make_command(commands: typer.Typer) -> Any:
    """What is run of declared commands; made once in a process, as it takes some tenths of a second."""
    made: Any = get_command(commands)
    name_values(made)
    return made


app = typer.Typer(
    name="claimlight",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Prior-art search that shows which terms of a claim match which terms of each document.",
)

_LIBRARY, _SEARCH, _CASES = "Library", "Search", "Cases and sets"
_MODELS, _MEASURE, _PROGRAM = "Models and training", "Evaluation", "Program"

app.command("import", rich_help_panel=_LIBRARY)(library_commands.import_command)
app.command("index", rich_help_panel=_LIBRARY)(index_command.index_command)
app.command("push", rich_help_panel=_LIBRARY)(push_command.push_command)
app.command("watch", rich_help_panel=_LIBRARY)(watch_command.watch_command)
app.add_typer(library_commands.library_app, name="library", rich_help_panel=_LIBRARY)
app.command("show", rich_help_panel=_LIBRARY)(show_command.show_command)
app.command("drawings", rich_help_panel=_LIBRARY)(drawings_command.drawings_command)
app.command("family", rich_help_panel=_LIBRARY)(relation_commands.family_command)
app.command("citations", rich_help_panel=_LIBRARY)(relation_commands.citations_command)
app.add_typer(classes_command.classes_app, name="classes", rich_help_panel=_LIBRARY)
app.add_typer(classify_command.classify_app, name="classify", rich_help_panel=_LIBRARY)
app.command("search", rich_help_panel=_SEARCH)(search_command.search_command)
app.command("matrix", rich_help_panel=_SEARCH)(matrix_command.matrix_command)
app.command("query", rich_help_panel=_SEARCH)(query_command.query_command)
app.command("batch", rich_help_panel=_SEARCH)(batch_command.batch_command)
cases_command.cases_app.command("claims")(version_commands.claims_command)
cases_command.cases_app.command("mark")(mark_commands.mark_command)
cases_command.cases_app.command("note")(mark_commands.note_command)
cases_command.cases_app.command("confirm")(confirmation_commands.confirm_command)
cases_command.cases_app.command("reject")(confirmation_commands.reject_command)
cases_command.cases_app.command("withdraw")(confirmation_commands.withdraw_command)
cases_command.cases_app.command("confirmations")(confirmation_commands.confirmations_command)
cases_command.cases_app.command("export-cells")(confirmation_commands.export_cells_command)
cases_command.cases_app.command("report")(report_commands.report_command)
cases_command.cases_app.command("strategy")(report_commands.strategy_command)
cases_command.cases_app.command("progress")(progress_commands.progress_command)
cases_command.cases_app.command("sample")(progress_commands.sample_command)
cases_command.cases_app.command("estimate")(progress_commands.estimate_command)
cases_command.cases_app.command("encrypt")(encryption_commands.encrypt_command)
cases_command.cases_app.command("passphrase")(encryption_commands.passphrase_command)
cases_command.cases_app.command("decrypt")(encryption_commands.decrypt_command)
app.add_typer(cases_command.cases_app, name="cases", rich_help_panel=_CASES)
app.command("sets", rich_help_panel=_CASES)(sets_command.sets_command)
app.command("export", rich_help_panel=_CASES)(export_command.export_command)
app.add_typer(models_app, name="models", rich_help_panel=_MODELS)
app.command("train", rich_help_panel=_MODELS)(train_command.train_command)
app.command("adapt", rich_help_panel=_MODELS)(adapt_command.adapt_command)
app.add_typer(
    typer.Typer(
        cls=_Lab,
        no_args_is_help=True,
        help="Reproduce the evaluations of papers; diagnose models and searches.",
    ),
    name="lab",
    rich_help_panel=_MEASURE,
    hidden=find_spec(_LABORATORY) is None,
)
app.command("demo", rich_help_panel=_PROGRAM)(demo_command.demo_command)
app.command("accept", rich_help_panel=_PROGRAM)(accept_command.accept_command)
app.command("doctor", rich_help_panel=_PROGRAM)(doctor_command.doctor_command)
app.add_typer(settings_command.settings_app, name="settings", rich_help_panel=_PROGRAM)


def program_version() -> str:
    """Version of the installed distribution; a bare source tree has none."""
    try:
        return version("claimlight")
    except PackageNotFoundError:
        return "unknown (not installed)"


def _version(wanted: bool) -> None:
    if wanted:
        stamp = bundled.read_stamp()
        built = (
            ""
            if stamp is None
            else f" ({', '.join(filter(None, (stamp.variant, stamp.commit, stamp.date)))})"
        )
        typer.echo(f"claimlight {program_version()}{built}")
        raise typer.Exit


@app.callback()
def common(
    context: typer.Context,
    events: Annotated[
        Events,
        typer.Option(
            "--events",
            help="Write progress, notes and answers as JSON lines (docs/reference/json.md).",
        ),
    ] = Events.NONE,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of every command."""
    front: Front = context.obj
    front.command = context.invoked_subcommand or ""
    front.events = events is Events.JSONL


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. The journal keeps how a job ended, and an unexpected error."""
    front, begun = Front(), monotonic()
    try:
        code = _run(front, arguments)
    except Exception as error:
        journal.keep_defect(error)
        _keep_job(front, begun, Outcome.FAILED, type(error).__name__)
        raise
    ends = {0: Outcome.DONE, CANCELLED: Outcome.CANCELLED}
    _keep_job(front, begun, ends.get(code, Outcome.FAILED), front.failed)
    return code


def _keep_job(front: Front, begun: float, outcome: Outcome, error: str) -> None:
    if front.command in journal.KINDS:
        journal.keep_job(front.command, monotonic() - begun, outcome, error=error)


def _run(front: Front, arguments: Sequence[str] | None) -> int:
    if bad := not_text(sys.argv[1:] if arguments is None else arguments):
        front.fail(InputError(bad))
        return WRONG_USAGE
    command = _make_command(app)
    try:
        given = None if arguments is None else list(arguments)
        # Not standalone: typer would print errors in its own words and end the process.
        ended = command(args=given, obj=front, prog_name="claimlight", standalone_mode=False)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except UsageProblem as problem:
        if text := describe_problem(problem):
            front.fail(InputError(text))
        return WRONG_USAGE
    except typer.Abort:
        front.say("Nothing was changed.")
        return 1
    except AppError as error:
        front.fail(error)
        return 1
    except (TaskCancelled, KeyboardInterrupt):
        front.stopped()
        return CANCELLED
    except OSError as error:
        front.fail(ResourceError(f"{error.filename or 'A file'} can't be used: {error.strerror or error}."))
        return 1
    return ended if isinstance(ended, int) else 0


def main() -> None:
    """Entry point of ``claimlight`` and of ``python -m claimlight.cli``."""
    # Spawned workers of a frozen program begin here too, and must not run the command.
    multiprocessing.freeze_support()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # File names that are not valid text, and letters the terminal lacks, are printed as escapes.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run())


if __name__ == "__main__":
    main()
