"""``train``: train an encoder on a library by a recipe, in one process or several."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.commands import LIBRARY_VARIABLE, AsJson, check_folder, front_of, load_settings
from claimlight.cli.front import LEARNING_PATIENCE_SECONDS, Front, plain
from claimlight.types import plural

if TYPE_CHECKING:
    from claimlight.types import TrainReport


class Device(StrEnum):
    """Where torch computes."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def train_command(
    context: typer.Context,
    recipe: Annotated[
        str,
        typer.Argument(metavar="RECIPE", help="TOML file, or name of a recipe (--list).", show_default=False),
    ] = "",
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            envvar=LIBRARY_VARIABLE,
            metavar="DIR",
            help="The library to train on.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Folder of the run: checkpoints, log and model."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="Folder of the weights to start from (Hugging Face format)."),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a value of the recipe, such as run.steps=200; may be repeated.",
        ),
    ] = None,
    exclude: Annotated[
        Path | None, typer.Option("--exclude", help="File of publication numbers to leave out, one per line.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in --out.")] = False,
    device: Annotated[Device, typer.Option("--device", help="Device to compute on.")] = Device.AUTO,
    threads: Annotated[
        int, typer.Option("--threads", min=0, help="Processor threads; 0: torch decides.")
    ] = 0,
    no_export: Annotated[
        bool, typer.Option("--no-export", help="Do not make a model package at the end.")
    ] = False,
    list_recipes: Annotated[
        bool, typer.Option("--list", help="List the recipes that come with the program.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train an encoder by a recipe and make a model package of it.

    Needs claimlight[train]. After a stop, the same command with --resume continues. On
    several GPUs or machines: `accelerate launch -m claimlight.cli train …`.
    """
    from claimlight.services.training import training

    front = front_of(context)
    if list_recipes:
        _list(front, as_json=as_json)
        return
    if not recipe or library is None or out is None:
        raise typer.BadParameter("Training needs RECIPE, --library and --out; --list lists the recipes.")
    if not training.is_main_process():
        front.silence()
    plan = training.TrainingPlan(
        recipe=recipe,
        library=check_folder(library),
        out=out,
        checkpoint=checkpoint,
        changes=tuple(change or ()),
        exclude=exclude,
        resume=resume,
        device=device.value,
        threads=threads,
        export=not no_export,
    )
    settings = load_settings(front)
    front.resume_hint = "run the same command with --resume to continue"
    with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
        report = training.train(plan, settings, task)
    if front.events:
        front.tell(report)
    elif as_json and training.is_main_process():
        front.line({"event": "train_report", **plain(report)})
    _tell(front, report)


def _list(front: Front, *, as_json: bool) -> None:
    from claimlight.services.training.recipes import read_recipe_list

    found = read_recipe_list()
    if as_json or front.events:
        front.line({"event": "recipes", "recipes": plain(found)})
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for item in found:
        table.add_row(f"[bold]{escape(item.name)}[/]", escape(item.about))
    front.out.print(table)


def _tell(front: Front, report: TrainReport) -> None:
    held = "" if report.validation is None else f", {report.validation:.4f} on held-out documents"
    since = f" from step {report.resumed_from:,}" if report.resumed_from else ""
    several = f" in {report.processes} processes" if report.processes > 1 else ""
    front.say(
        f"{report.recipe}: {report.steps:,} steps{since} on {report.device}{several}, "
        f"{plural(report.examples, 'example')}, {report.seconds:,.0f} s, "
        f"{report.tokens_per_second:,.0f} tokens/s, "
        f"at most {report.memory_bytes / 1e9:.2f} GB. "
        f"Loss {report.first_loss:.4f} to {report.last_loss:.4f}{held}."
    )
    front.say(f"Weights: {report.checkpoint}")
    if report.package:
        front.say(
            f"Model package: {report.package}. Install it with `claimlight models add`, make its centers "
            "with `claimlight models centers build`."
        )
