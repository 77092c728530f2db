"""``models …``: list and check the model packages of this machine, and make one from a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from claimlight.cli.centers import centers_app
from claimlight.cli.commands import AsJson, front_of, load_settings
from claimlight.cli.front import Front, plain
from claimlight.cli.model_commands import accept_command, add_command, presets_command, remove_command
from claimlight.cli.model_options import (
    Adapter,
    Answers,
    Dimension,
    KindOption,
    Languages,
    PoolingOption,
    Precision,
    PrecisionOption,
    Prompt,
    Task,
)
from claimlight.cli.moved import add_moved
from claimlight.types import ClassifierInfo, names_of, plural

if TYPE_CHECKING:
    from claimlight.services.models.judge_packages import JudgeReport
    from claimlight.services.models.judges import JudgeFacts, JudgeInfo
    from claimlight.services.models.model_export import ExportReport
    from claimlight.services.models.models import ModelInfo

models_app = typer.Typer(
    no_args_is_help=True, help="List, check, add and remove model packages, and make new ones."
)
models_app.add_typer(centers_app, name="centers")
add_moved(centers_app, "models centers", {"diagnose": "lab centers"})
models_app.command("add")(add_command)
models_app.command("remove")(remove_command)
models_app.command("accept")(accept_command)
models_app.command("presets")(presets_command)


@models_app.command("list")
def list_command(context: typer.Context, as_json: AsJson = False) -> None:
    """List the model packages, shipped and installed, and which one is in use."""
    from claimlight.services.classes.suggesting import list_classifiers
    from claimlight.services.models import models
    from claimlight.services.models.judges import list_judges

    front = front_of(context)
    settings = load_settings(front)
    found, judges = models.list_installed(settings), list_judges(settings)
    classifiers = list_classifiers(settings)
    if as_json or front.events:
        body = {"models": plain(found), "judges": plain(judges), "classifiers": plain(classifiers)}
        front.line({"event": "models", **body})
        return
    for item in found:
        _print(front, item)
    for judge in judges:
        _print_judge(front, judge)
    for classifier in classifiers:
        _print_classifier(front, classifier)
    front.say(
        f"Installed packages are folders in {models.install_folder()}; the folder's name is the package's."
    )
    if not any(item.in_use for item in found):
        front.say("The package named in the setting encoder.package does not exist.", style="yellow")


def _print(front: Front, item: ModelInfo) -> None:
    """One package in three lines."""
    used = "  [green](in use)[/]" if item.in_use else ""
    front.out.print(f"[bold]{escape(item.name)}[/]  {escape(item.model)}{used}", soft_wrap=True)
    if item.fault:
        front.out.print(f"    [bold red]FAULT[/] {escape(item.fault)}", soft_wrap=True)
        return
    bound = " (not for commercial use)" if item.accepted else " (not for commercial use; not accepted yet)"
    licence = item.licence + ("" if item.commercial else bound)
    front.out.print(
        f"    {item.dim} dimensions, windows of {item.max_length} tokens, {escape(item.precision)}, "
        f"{item.bytes / 1e6:.1f} MB, {'with' if item.centers else 'no'} centers"
    )
    reads = f"; reads {names_of(item.languages)}" if item.languages else ""
    where = "shipped" if item.shipped else item.folder
    front.out.print(
        f"    {escape(licence)}, from {escape(item.source)}{reads}; {escape(where)}", soft_wrap=True
    )


def _print_classifier(front: Front, item: ClassifierInfo) -> None:
    """One classifier in three lines."""
    used = "  [green](in use)[/]" if item.in_use else ""
    front.out.print(f"[bold]{escape(item.name)}[/]  {escape(item.model)}, classifier{used}", soft_wrap=True)
    if item.levels:
        front.out.print(
            f"    {item.scheme.upper()}, {plural(item.classes, 'class', 'classes')} from {item.levels[0]} to "
            f"{item.levels[-1]}, {item.bytes / 1e6:.1f} MB"
        )
        where = "shipped" if item.shipped else item.folder
        front.out.print(
            f"    {escape(item.licence)}; {escape(item.trained_on)}; {escape(where)}", soft_wrap=True
        )
    if item.fault:
        front.out.print(f"    [bold red]FAULT[/] {escape(item.fault)}", soft_wrap=True)


def _print_judge(front: Front, item: JudgeInfo) -> None:
    """One judge in three lines."""
    used = "  [green](in use)[/]" if item.in_use else ""
    used += "  [green](second judge in use)[/]" if item.reads_on else ""
    front.out.print(f"[bold]{escape(item.name)}[/]  {escape(item.model)}, judge{used}", soft_wrap=True)
    if item.fault:
        front.out.print(f"    [bold red]FAULT[/] {escape(item.fault)}", soft_wrap=True)
        return
    bound = " (not for commercial use)" if item.accepted else " (not for commercial use; not accepted yet)"
    front.out.print(
        f"    {item.kind}, windows of {item.max_length} tokens, {escape(item.precision)}, "
        f"{item.bytes / 1e6:.1f} MB, {'calibrated' if item.calibrated else 'not calibrated'}"
    )
    reads = f"; reads {names_of(item.languages)}" if item.languages else ""
    where = "shipped" if item.shipped or item.second else item.folder
    licence = item.licence + ("" if item.commercial else bound)
    front.out.print(
        f"    {escape(licence)}, from {escape(item.source)}{reads}; {escape(where)}", soft_wrap=True
    )


@models_app.command("show")
def show_command(
    context: typer.Context,
    judge: Annotated[
        str,
        typer.Argument(
            metavar="JUDGE",
            help="Name or folder of a judge's package; default: the one in use, and the second one.",
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show what the verdicts of a judge are worth: figures by kind of wording, and its reliability.

    The package keeps the figures of charts left out of its calibration. Described in docs/guide/verdicts.md.
    """
    from claimlight.services.models.judges import read_facts, read_facts_in_use
    from claimlight.services.search.verdict_words import judge_sentences, second_sentences

    front = front_of(context)
    facts = read_facts(judge) if judge else read_facts_in_use(load_settings(front))
    if as_json or front.events:
        front.line({"event": "judge", **plain(facts)})
        return
    _print_facts(front, facts, judge_sentences(facts), deep=facts.second is not None)
    if facts.second is not None:
        front.out.print("\n[bold]Second judge[/]")
        _print_facts(front, facts.second, second_sentences(facts.second), deep=True)


def _print_facts(front: Front, facts: JudgeFacts, sentences: Sequence[str], *, deep: bool) -> None:
    """``deep``: say that the tables hold of as many passages as the judge reads at most."""
    from claimlight.cli.judge_tables import make_reliability_tables

    for line in sentences:
        front.out.print(escape(line), soft_wrap=True)
    if facts.reliability is not None:
        if deep and facts.candidates:
            read = plural(facts.candidates, "passage")
            front.out.print(f"Figures with up to {read} of a document read:", soft_wrap=True)
        for table in make_reliability_tables(facts.reliability):
            front.out.print(table)


@models_app.command("check")
def check_command(
    context: typer.Context,
    package: Annotated[
        str,
        typer.Argument(
            metavar="PACKAGE",
            help="Name or folder of a package; default: the one in use.",
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check a model package: checksums, a trial run, and its vectors against those of its export.

    The exit code is 1 if something is wrong.
    """
    from claimlight.services.models import model_checks

    front = front_of(context)
    settings = load_settings(front)
    with front.working() as task:
        found = model_checks.check(package, settings, task)
    if as_json or front.events:
        front.line({"event": "model_check", **plain(found), "ok": found.ok})
    else:
        table = Table(show_header=False, box=None, pad_edge=False)
        for item in found.findings:
            mark = "[green]ok[/]" if item.ok else "[bold red]FAULT[/]"
            table.add_row(mark, f"[bold]{escape(item.subject)}[/]", escape(item.state))
        front.out.print(f"[bold]{escape(found.name)}[/]  {escape(found.folder)}", soft_wrap=True)
        front.out.print(table)
    if not found.ok:
        raise typer.Exit(1)


@models_app.command("export")
def export_command(
    context: typer.Context,
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="Folder with config.json and model.safetensors.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder of the package; must not exist yet.")
    ],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Name of the model.")],
    version: Annotated[str, typer.Option("--version", help="Version of the package.")] = "1",
    kind: KindOption = None,
    preset: Annotated[
        str,
        typer.Option(
            "--preset",
            metavar="PRESET",
            help="Known model whose prompts, pooling and licence to use (`claimlight models presets`).",
        ),
    ] = "",
    licence: Annotated[
        str, typer.Option("--licence", metavar="SPDX", help="Licence of the weights, such as Apache-2.0.")
    ] = "",
    source: Annotated[
        str, typer.Option("--source", help="Where the weights come from; noted in the package.")
    ] = "",
    non_commercial: Annotated[
        bool, typer.Option("--non-commercial", help="The licence forbids commercial use.")
    ] = False,
    language: Languages = None,
    precision: PrecisionOption = Precision.INT8,
    max_length: Annotated[
        int, typer.Option("--max-length", min=0, help="Tokens in a window; 0: as in the checkpoint.")
    ] = 0,
    pooling: PoolingOption = None,
    template: Annotated[
        list[str] | None,
        typer.Option(
            "--template",
            metavar="SECTION=TEXT",
            help="Template for a section, such as '\\[claim] {text}'.",
        ),
    ] = None,
    query_prompt: Annotated[str, typer.Option("--query-prompt", help="Text in front of every query.")] = "",
    passage_prompt: Annotated[
        str, typer.Option("--passage-prompt", help="Text in front of every passage.")
    ] = "",
    marker: Annotated[
        list[str] | None,
        typer.Option(
            "--marker", help="String of the templates that is one token of the model; may be repeated."
        ),
    ] = None,
    task: Task = "",
    adapter: Adapter = None,
    dimension: Dimension = 0,
    prompt: Prompt = "",
    answer: Answers = None,
) -> None:
    """Make a model package from a checkpoint and check that both give the same results.

    Needs claimlight[train]. Only safetensors files are read; no code of a checkpoint is ever run.
    """
    from claimlight.services.models import judge_packages, model_export

    front = front_of(context)
    if judge_packages.recognise(kind.value if kind else "", preset, ""):
        judge = judge_packages.JudgeExport(
            checkpoint=checkpoint,
            out=out,
            name=name,
            version=version,
            kind=kind.value if kind else "",
            preset=preset,
            licence=licence,
            source=source,
            commercial=False if non_commercial else None,
            languages=tuple(language or ()),
            precision=precision.value,
            max_length=max_length,
            template=prompt,
            answers=tuple(answer or ()),
        )
        with front.working() as working:
            made = judge_packages.export(judge, working)
        if front.events:
            front.line({"event": "model_export", **plain(made)})
        _tell_judge(front, made)
        return
    wanted = model_export.ModelExport(
        checkpoint=checkpoint,
        out=out,
        name=name,
        version=version,
        kind=kind.value if kind else "",
        preset=preset,
        licence=licence,
        source=source,
        commercial=False if non_commercial else None,
        languages=tuple(language or ()),
        precision=precision.value,
        max_length=max_length,
        pooling=pooling.value if pooling else "",
        templates=dict(_pair(item) for item in template or ()),
        prompts={use: text for use, text in (("query", query_prompt), ("passage", passage_prompt)) if text},
        markers=tuple(marker or ()),
        task=task,
        adapter=adapter,
        dimension=dimension,
    )
    with front.working() as working:
        report = model_export.export(wanted, working)
    if front.events:
        front.line({"event": "model_export", **plain(report)})
    _tell(front, report)


def _tell(front: Front, report: ExportReport) -> None:
    parity = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in report.parity)
    front.say(
        f"{report.model}: {report.dim} dimensions, windows of {report.max_length} tokens, {report.pooling} "
        f"pooling, {report.precision}, {report.bytes / 1e6:.1f} MB in {report.folder} ({parity})."
    )
    if report.pooling in ("mean", "cls"):
        front.say("Before it can index, make its centers: `claimlight models centers build --package …`.")


def _tell_judge(front: Front, report: JudgeReport) -> None:
    parity = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in report.parity)
    front.say(
        f"{report.model}: {report.kind}, windows of {report.max_length} tokens, {report.precision}, "
        f"{report.bytes / 1e6:.1f} MB in {report.folder} ({parity})."
    )
    front.say(f"To use it: `claimlight settings set judge.package {report.folder}`.")


def _pair(text: str) -> tuple[str, str]:
    section, equals, template = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"--template: {text!r} is not SECTION=TEXT.")
    return section.strip(), template
