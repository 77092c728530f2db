"""``adapt``: train the encoder in use on a library, or the judge on decided cells, and compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from claimlight.cli.commands import LIBRARY_VARIABLE, AsJson, check_folder, front_of, load_settings
from claimlight.cli.front import EVENT_NAMES, LEARNING_PATIENCE_SECONDS, Front, plain
from claimlight.errors import InputError
from claimlight.types import AdaptReport, CellCount, JudgeAdaptReport, Verdict, plural

if TYPE_CHECKING:
    from claimlight.services.training.judge_adapting import JudgeAdaptPlan
    from claimlight.types import KeptModel

SCHEMA = "claimlight.judge-adaptation.1"
_RIGHT = "right at the bound of disclosed"
_DRAWN = "In brackets: 95 % intervals, by drawing the documents left out with replacement."

_SAID = {
    Verdict.BETTER: "The adapted encoder finds more.",
    Verdict.WORSE: "The adapted encoder finds less: discard it.",
    Verdict.UNDECIDED: "The difference may be chance: the interval includes zero.",
    Verdict.UNMEASURED: "The library has too few citations to measure whether it finds more.",
}


def adapt_command(
    context: typer.Context,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            envvar=LIBRARY_VARIABLE,
            metavar="DIR",
            help="Folder of the library to adapt the encoder to.",
            show_default=False,
        ),
    ] = None,
    judge: Annotated[
        list[Path] | None,
        typer.Option(
            "--judge",
            metavar="CELLS",
            help="Train the judge in use, on this file of `claimlight cases export-cells`; may be repeated.",
            show_default=False,
        ),
    ] = None,
    judge_package: Annotated[
        str,
        typer.Option(
            "--judge-package",
            metavar="PACKAGE",
            help="With --judge: name or folder of the judge to start from; default: the second judge in "
            "use, or the only one.",
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="With --judge: folder of the package.", show_default=False
        ),
    ] = None,
    keep_worse: Annotated[
        bool,
        typer.Option("--keep-worse", help="With --judge: write the package even if its figures are worse."),
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="Folder of the weights to start from; default: the model in use."),
    ] = None,
    recipe: Annotated[
        str, typer.Option("--recipe", metavar="RECIPE", help="Recipe: name or TOML file.")
    ] = "adapt",
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a value of the recipe, such as run.steps=300; may be repeated.",
        ),
    ] = None,
    queries: Annotated[
        int, typer.Option("--queries", min=10, help="Maximum number of documents to measure with.")
    ] = 200,
    keep: Annotated[bool, typer.Option("--keep", help="Install the trained model and use it.")] = False,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="With --keep: name of the package.")
    ] = "",
    discard: Annotated[bool, typer.Option("--discard", help="Delete the trained model.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show the result that awaits your decision.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train the encoder in use on the documents of a library and measure whether it helps.

    Some citing documents are kept out of the training and searched before and after. The result waits until
    you keep it (--keep) or discard it (--discard). A stopped run continues where it was. Needs
    claimlight[train].

    With --judge: train the judge in use on passages confirmed and rejected in cases. One document of five is
    left out of the training, and the judge rules on its cells before and after.
    """
    if sum((keep, discard, show)) > 1:
        raise typer.BadParameter("Give one of --keep, --discard and --show.")
    front = front_of(context)
    if judge:
        if out is None:
            raise typer.BadParameter("--judge needs --out, the folder of the package.")
        if keep or discard or show or name:
            raise typer.BadParameter("--judge writes a package at once: there is nothing to keep or discard.")
        from claimlight.services.training.judge_adapting import JudgeAdaptPlan

        _adapt_judge(
            front,
            JudgeAdaptPlan(
                tuple(judge), out, judge_package, checkpoint, tuple(changes or ()), keep_worse=keep_worse
            ),
            as_json=as_json,
        )
        return
    if judge_package or out is not None or keep_worse:
        raise typer.BadParameter("--judge-package, --out and --keep-worse need --judge.")
    if library is None:
        raise typer.BadParameter("Give the --library to adapt the encoder to, or --judge and decided cells.")
    folder = check_folder(library)
    if keep:
        _keep(front, folder, name, as_json=as_json)
    elif discard:
        _discard(front, folder)
    elif show:
        _show(front, folder, as_json=as_json)
    else:
        from claimlight.evaluation.adaptation import ComparisonPlan, adapt
        from claimlight.services.training.adapting import AdaptPlan

        plan = AdaptPlan(folder, checkpoint, recipe, tuple(changes or ()))
        settings = load_settings(front)
        with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
            report = adapt(plan, settings, task, comparison=ComparisonPlan(queries=queries))
        _tell(front, report, as_json=as_json)


def _adapt_judge(front: Front, plan: JudgeAdaptPlan, *, as_json: bool) -> None:
    from claimlight.evaluation.judge_adaptation import adapt

    settings = load_settings(front)
    front.resume_hint = "run the same command again; it starts over"
    with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
        report = adapt(plan, settings, task)
    if front.events or as_json:
        front.line(
            {"event": EVENT_NAMES[JudgeAdaptReport], "schema": SCHEMA, **plain(report), "worse": report.worse}
        )
    else:
        _tell_judge(front, report)
    if not report.package:
        raise InputError(
            f"{report.judge} is worse than {report.base} on the cells left out: nothing is written. "
            "More cells may help; --keep-worse writes it all the same."
        )


def _tell_judge(front: Front, report: JudgeAdaptReport) -> None:
    front.out.print(_judge_table(report))
    front.say(
        f"{report.base} trained further on {_count(report.trained)} for {plural(report.steps, 'step')}. "
        f"Measured on {_count(report.left_out)}, left out of the training."
    )
    if report.intervals is not None:
        front.say(_DRAWN)
    for note in report.notes:
        front.say(note, style="yellow")
    if report.package:
        if report.worse:
            front.say("The adapted judge is worse on the cells left out.", style="yellow")
        front.say(
            f"{report.judge} is in {report.package}. To use it: "
            f"`claimlight settings set {report.setting} {report.package}`."
        )


def _judge_table(report: JudgeAdaptReport) -> Table:
    """Figures before and after; with intervals also their difference."""
    found = report.intervals
    table = Table(box=None, pad_edge=False)
    for heading in ("", "before", "after", *(("difference",) if found is not None else ())):
        table.add_column(heading, justify="left" if not heading else "right")
    rows = (("area under the curve", "area"), ("log loss", "log_loss"), (_RIGHT, "right"))
    for name, field in rows:
        one, other = float(getattr(report.before, field)), float(getattr(report.after, field))
        if found is None:
            table.add_row(name, f"{one:.3f}", f"{other:.3f}")
            continue
        before, after, difference = (
            getattr(item, field) for item in (found.before, found.after, found.difference)
        )
        table.add_row(
            name,
            f"{one:.3f} [{before.low:.3f}, {before.high:.3f}]",
            f"{other:.3f} [{after.low:.3f}, {after.high:.3f}]",
            f"{other - one:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]",
        )
    return table


def _count(count: CellCount) -> str:
    return (
        f"{count.confirmed:,} confirmed and {count.rejected:,} rejected cells of "
        f"{plural(count.documents, 'document')}"
    )


def _keep(front: Front, library: Path, name: str, *, as_json: bool) -> None:
    from claimlight.services.training import adapted

    kept: KeptModel = adapted.keep(library, load_settings(front), name=name)
    if front.events or as_json:
        front.line({"event": "kept_model", **plain(kept)})
        return
    front.say(f"{kept.name} is installed in {kept.folder} and in use.")
    if kept.stale_index:
        front.say("The index was made with another model: run `claimlight index --rebuild`.")


def _discard(front: Front, library: Path) -> None:
    from claimlight.services.training import adapted

    if not adapted.discard(library):
        raise InputError(f"There is no adaptation to the library {library}.")
    front.say("Discarded. The model in use is unchanged.")


def _show(front: Front, library: Path, *, as_json: bool) -> None:
    from claimlight.services.training import adapted

    found = adapted.read_pending(library)
    if found is None:
        raise InputError(f"No adaptation to the library {library} awaits a decision.")
    _tell(front, found, as_json=as_json)


def _tell(front: Front, report: AdaptReport, *, as_json: bool) -> None:
    if front.events:
        front.tell(report, verdict=report.verdict.value)
        return
    if as_json:
        front.line({**plain(report), "verdict": report.verdict.value})
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("", "before", "after", "difference", "95 % interval", "p"):
        table.add_column(heading, justify="left" if not heading else "right")
    for item in report.figures:
        ends = f"{100 * item.low:+.1f} to {100 * item.high:+.1f}"
        shares = (f"{100 * item.before:.1f} %", f"{100 * item.after:.1f} %", f"{100 * item.difference:+.1f}")
        table.add_row(item.measure, *shares, ends, f"{item.p:.3f}")
    front.out.print(table)
    front.say(
        f"Trained on {plural(report.documents, 'document')} for "
        f"{plural(report.training.steps, 'step')}. Compared by "
        f"{plural(report.queries, 'document')} kept out of the training, "
        f"{plural(report.citations, 'citation')}, "
        f"among {plural(report.candidates, 'family', 'families')}. {_SAID[report.verdict]}"
    )
    for note in report.notes:
        front.say(note, style="yellow")
    front.say(
        "To install and use it: `claimlight adapt --keep` with the same library. To delete it: --discard."
    )
