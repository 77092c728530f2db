"""``lab charts …``: how well a program finds the passage that discloses a feature."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from claimlight.cli.commands import AsJson, front_of, load_settings, open_library
from claimlight.cli.front import LEARNING_PATIENCE_SECONDS, Front, plain
from claimlight.cli.judge_tables import make_reliability_tables
from claimlight.cli.train_command import Device
from claimlight.encoders import ModelPackage, licences
from claimlight.errors import InputError
from claimlight.evaluation.judgements import read_numbered_lines
from claimlight.files import Access, write_atomically
from claimlight.judging.calibration import UNCALIBRATED, CalibratedJudge
from claimlight.judging.fitting import Fit, by_author, fit_calibration, fit_readings, held_figures
from claimlight.judging.package import locate, write_calibration
from claimlight.judging.session import open_judge_package
from claimlight.lab.charts.balance import Balance, measure_balance
from claimlight.lab.charts.checking import find_duplicates, find_faults
from claimlight.lab.charts.measures import RESAMPLES
from claimlight.lab.charts.nearness import fit_for_package
from claimlight.lab.charts.panorama import read_panorama
from claimlight.lab.charts.patentmatch import read_patentmatch
from claimlight.lab.charts.plots import draw_areas, draw_reliability
from claimlight.lab.charts.reading import Chart, read_benchmark, read_part
from claimlight.lab.charts.recording import record_figures
from claimlight.lab.charts.reliability import measure_reliability
from claimlight.lab.charts.report import SCHEMA, ChartReport, make_report
from claimlight.lab.charts.rivals import compare_systems, judged_cells
from claimlight.lab.charts.silver import make_silver, write_silver
from claimlight.lab.charts.tables import make_fit_table, make_tables
from claimlight.lab.charts.teaching import teach
from claimlight.lab.charts.training import STATES, MaterialFiles, TrainingPlan, average, choose_device, train
from claimlight.lab.charts.unruled import draw_unruled, write_unruled
from claimlight.lab.diagnostics.cells.sample import CellPlan
from claimlight.services.models import train_extra
from claimlight.services.search.judging import open_plugin_judge
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.training.judges.loop import JudgeRecipe, change_recipe
from claimlight.training.judges.nearness import NearnessRecipe
from claimlight.types.reliability import FIRST

charts_app = typer.Typer(
    no_args_is_help=True, help="Measure judges on claim charts: which passage discloses which feature."
)
ChartFolder = Annotated[
    Path,
    typer.Argument(
        metavar="FOLDER",
        help="Benchmark: a folder of JSON lines for each part, and groups; or one part without folders.",
    ),
]
PartName = Annotated[
    str, typer.Option("--part", help="Part to use; other parts are not read.", metavar="NAME")
]
TrainingDevice = Annotated[
    Device,
    typer.Option("--device", help="Processor or graphics card; auto: a graphics card if torch has one."),
]
JUDGE_HELP = "Judge: name or folder of a package, or plugin:NAME."
_PLUGIN = "plugin:"


@charts_app.command("check")
def check_command(context: typer.Context, folder: ChartFolder, as_json: AsJson = False) -> None:
    """Check the form of charts and groups, their balance, and that parts share no text.

    Also measures how well the position, length or negations of features and paragraphs alone predict the
    ruling; 0.5 is as good as chance. Fails if the form is broken or charts share sentences. Described in
    docs/lab/charts.md.
    """
    front = front_of(context)
    benchmark = read_benchmark(folder, strict=False)
    faults = find_faults(benchmark)
    duplicates = find_duplicates(benchmark)
    # A balance of broken charts means nothing, and may not be computable.
    balances = () if faults else measure_balance(benchmark)
    if as_json or front.events:
        front.line({"event": "charts", "parts": plain(balances), "faults": faults, "shared": duplicates})
    else:
        for balance in balances:
            _print_balance(front, balance)
        for line in (*faults, *duplicates):
            front.say(line, style="yellow")
    if faults or duplicates:
        raise InputError(
            f"{len(faults)} faults and {len(duplicates)} pairs of charts or groups with shared text."
        )


@charts_app.command("measure")
def measure_command(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="Benchmark, as for check.", show_default=False),
    ] = None,
    part: PartName = "choose",
    panorama: Annotated[
        Path | None,
        typer.Option(help="Or: a file or folder of PANORAMA (.json, .jsonl, .parquet), any of its tasks."),
    ] = None,
    patentmatch: Annotated[Path | None, typer.Option(help="Or: a file of PatentMatch (.tsv).")] = None,
    limit: Annotated[
        int,
        typer.Option(min=0, help="At most this many records of a published set; 0: all."),
    ] = 0,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="JUDGE", help=f"{JUDGE_HELP} May be repeated."),
    ] = None,
    candidates_only: Annotated[
        bool,
        typer.Option("--candidates-only", help="Judges read only their candidates by contrast: faster."),
    ] = False,
    resamples: Annotated[
        int, typer.Option("--resamples", min=10, help="Bootstrap resamples for the intervals.")
    ] = RESAMPLES,
    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Write the figures of the judges into their packages, in place of those of the calibration.",
        ),
    ] = False,
    plots: Annotated[
        Path | None, typer.Option(help="Folder for areas and reliability, as png and svg.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Also write the JSON to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure every system on the same cells: words, match strength, cosine, token by token, judges.

    The documents are imported and indexed as any library is. Intervals are 95 %, by resampling charts.
    Described in docs/lab/charts.md.
    """
    front = front_of(context)
    settings = load_settings(front)
    charts, source, part = _charts(folder, part, panorama, patentmatch, limit)
    names = judge or []
    judges = [_open_judge(name, settings) for name in names]
    uncalibrated = [item.judge.name for item in judges if item.calibration == UNCALIBRATED]
    if record and (not names or uncalibrated or any(name.startswith(_PLUGIN) for name in names)):
        raise InputError("--record needs judges that are calibrated packages.")
    told = _told(len(charts), source, part)
    with front.working() as task:
        compared = compare_systems(charts, judges, settings, task, read_all=not candidates_only)
        report = make_report(compared, source=source, part=part, resamples=resamples)
    _give_out(front, report, as_json=as_json, out=out)
    if record:
        for name, item in zip(names, judges, strict=True):
            record_figures(locate(name), item, compared, told)
    if plots is not None:
        for path in (*draw_areas(report, plots), *draw_reliability(report, plots)):
            front.say(str(path))


@charts_app.command("calibrate")
def calibrate_command(
    context: typer.Context,
    folder: ChartFolder,
    judge: Annotated[str, typer.Option("--judge", metavar="JUDGE", help=JUDGE_HELP)],
    part: PartName = "choose",
    candidates: Annotated[
        int, typer.Option(min=1, help="Most passages of a document that the judge reads for a feature.")
    ] = UNCALIBRATED.candidates,
    first: Annotated[
        int,
        typer.Option(
            min=0,
            help="Passages of every document that it reads at first, with a calibration of their own, before "
            "it reads on in the best ones; 0: all candidates.",
        ),
    ] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write the calibration to this file.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Leave the package as it is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fit the calibration of a judge on charts that it was not trained on.

    Figures are of charts that were left out of the fit with all of their author. *Disclosed* begins where its
    precision is at least .85 and at most a tenth of the near misses are called so; *candidate* where at most
    a twentieth of the disclosed cells, and a tenth of those of a few authors, are below. A package keeps the
    calibration and these figures in its manifest.
    Described in docs/lab/charts.md.
    """
    front = front_of(context)
    settings = load_settings(front)
    charts = read_part(folder, part)
    at_first = replace(UNCALIBRATED, candidates=first) if 0 < first < candidates else None
    plain_reading = replace(UNCALIBRATED, candidates=candidates, first=at_first)
    opened = CalibratedJudge(_open_judge(judge, settings).judge, plain_reading)
    with front.working() as task:
        compared = compare_systems(charts, [opened], settings, task, read_all=False)
    told = _told(len(charts), folder.resolve().name, part)
    cells = judged_cells(compared, opened.judge.name, candidates)
    few: Fit | None = None
    if at_first is not None:
        first_cells = judged_cells(compared, opened.judge.name, candidates, first=first)
        fit, few = fit_readings(cells, first_cells, candidates=(candidates, first), fitted_on=told)
    else:
        fit = fit_calibration(cells, candidates=candidates, fitted_on=told)
    reliability = measure_reliability(compared.cells, fit)
    if not judge.startswith(_PLUGIN) and not dry_run:
        write_calibration(
            locate(judge),
            fit.calibration,
            measured={
                **held_figures(fit.held),
                **(held_figures(few.held, prefix=FIRST) if few is not None else {}),
            },
            reliability=reliability,
            measured_on=f"{told}, each left out of the fit{' with its author' if by_author(cells) else ''}",
        )
    if out is not None:
        write_atomically(out, json.dumps(plain(fit.calibration), indent=1) + "\n", Access.USUAL)
    if as_json or front.events:
        held, calibration = plain(fit.held), plain(fit.calibration)
        front.line(
            {
                "event": "calibration",
                "calibration": calibration,
                "held": held,
                "held_first": plain(few.held) if few is not None else None,
                "reliability": plain(reliability),
            }
        )
    else:
        front.out.print(make_fit_table(opened.judge.name, fit))
        if few is not None:
            front.out.print(make_fit_table(f"{opened.judge.name}, at first", few))
            for table in make_reliability_tables(measure_reliability(compared.cells, few)):
                front.out.print(table)
        for table in make_reliability_tables(reliability):
            front.out.print(table)


@charts_app.command("nearness")
def nearness_command(
    context: typer.Context,
    folder: ChartFolder,
    package: Annotated[
        str, typer.Option("--package", metavar="MODEL", help="Encoder: name or folder of a package.")
    ],
    part: Annotated[
        str, typer.Option("--part", help="Part whose charts it is measured on.", metavar="NAME")
    ] = "choose",
    fit_part: Annotated[
        str, typer.Option("--fit", help="Part whose charts it is fitted on.", metavar="NAME")
    ] = "fit",
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = NearnessRecipe().seed,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Leave the package as it is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fit how near passages are to features, by which judges choose what they read; needs claimlight[train].

    Fitted on charts for the vectors of one encoder, and added to its package; no index has to be made again.
    Prints for how many disclosed cells a right paragraph is among the first, on charts that took no part in
    the fit. Described in docs/lab/charts.md.
    """
    train_extra.require("Fitting nearness")
    front = front_of(context)
    settings = load_settings(front)
    if part == fit_part:
        raise InputError(f"--fit and --part are both {part}: measure on other charts than it is fitted on.")
    charts, measured = read_part(folder, fit_part), read_part(folder, part)
    encoder = ModelPackage.resolve(package)
    recipe = NearnessRecipe(seed=seed)
    with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
        found = fit_for_package(encoder, charts, measured, settings, task, recipe=recipe, write=not dry_run)
    if as_json or front.events:
        front.line({"event": "nearness", "package": str(encoder.folder), "right": plain(found)})
        return
    title = f"{len(measured)} charts of {part}: a right paragraph among the first"
    table = Table("", *map(str, found[0].depths), title=title)
    for item in found:
        table.add_row(item.system, *(f"{share:.3f}" for share in item.shares))
    front.out.print(table)


@charts_app.command("train")
def train_command(
    context: typer.Context,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FOLDER", help="Folder of the run: its states and the trained judge."),
    ],
    start: Annotated[
        str,
        typer.Option(
            "--start",
            metavar="MODEL",
            help="Encoder or judge to begin with: name or folder of a package, or folder of a checkpoint; "
            "default: the shipped encoder.",
        ),
    ] = "",
    charts: Annotated[
        list[Path] | None,
        typer.Option("--charts", help="Charts: a file or a folder of .jsonl files. May be repeated."),
    ] = None,
    groups: Annotated[
        list[Path] | None,
        typer.Option("--groups", help="Minimal pairs: a file or a folder of .jsonl files. May be repeated."),
    ] = None,
    entailed: Annotated[
        list[Path] | None,
        typer.Option("--entailed", help="Sentence pairs for the first stage (.tsv). May be repeated."),
    ] = None,
    alike: Annotated[
        list[Path] | None,
        typer.Option("--alike", help="Rated terms for the first stage (.tsv). May be repeated."),
    ] = None,
    taught: Annotated[
        list[Path] | None,
        typer.Option(
            "--taught", help="Pairs on which another judge has ruled (lab charts teach). May be repeated."
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option("--steps", min=0, help="Steps on charts and minimal pairs; default: 3,000.")
    ] = None,
    first_steps: Annotated[
        int | None,
        typer.Option("--first-steps", min=0, help="Steps on sentences and terms; default: 2,100."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Random seed; default: 3.")] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a value of the recipe, such as optimizer.lr=5e-5; may be repeated.",
        ),
    ] = None,
    max_length: Annotated[
        int, typer.Option("--max-length", min=0, help="Tokens of a window; 0: as many as fit, at most 320.")
    ] = 0,
    every: Annotated[int, typer.Option("--every", min=1, help="Steps between two saved states.")] = 500,
    layers: Annotated[
        int,
        typer.Option("--layers", min=0, help="Layers of the transformer to keep, evenly spread; 0: all."),
    ] = 0,
    lowest: Annotated[
        bool, typer.Option("--lowest", help="With --layers: keep the lowest ones, not ones evenly spread.")
    ] = False,
    device: TrainingDevice = Device.AUTO,
) -> None:
    """Train a judge on charts, minimal pairs, sentences and rated terms; needs claimlight[train].

    The first stage teaches which sentences follow from others and which terms are alike, the second which
    passage discloses which feature. Forms of the files, export and calibration are described in
    docs/lab/charts.md.
    """
    front = front_of(context)
    own = {"steps": steps, "first_steps": first_steps, "seed": seed}
    changes = [f"run.{name}={value}" for name, value in own.items() if value is not None]
    recipe = change_recipe(JudgeRecipe(), [*changes, *(change or ())])
    kinds = (tuple(item or ()) for item in (charts, groups, entailed, alike, taught))
    if lowest and not layers:
        raise InputError("--lowest says which layers --layers keeps; name their number")
    plan = TrainingPlan(start, out, MaterialFiles(*kinds), recipe, max_length, every, layers, lowest, device)
    front.resume_hint = f"continue with --start on the newest folder in {out / STATES}, and a new --out"
    with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
        made = train(plan, task)
    if front.events:
        front.line({"event": "judge_trained", "checkpoint": str(made)})
        return
    front.say(f"The trained judge is in {made}. {_next_steps(made)}")


@charts_app.command("average")
def average_command(
    context: typer.Context,
    judges: Annotated[
        list[str],
        typer.Argument(
            metavar="JUDGE",
            help="Two judges or more: names or folders of packages, or folders of checkpoints. One that is "
            "named twice counts twice.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the new checkpoint.")],
) -> None:
    """Write a judge whose weights are the mean of those of several; needs claimlight[train].

    States of runs that continue each other err differently: their mean errs less than the last of them.
    """
    front = front_of(context)
    made = average(judges, out)
    if front.events:
        front.line({"event": "judges_averaged", "checkpoint": str(made), "judges": len(judges)})
        return
    front.say(f"The mean of {len(judges)} judges is in {made}. {_next_steps(made)}")


def _next_steps(checkpoint: Path) -> str:
    return (
        f"Make a package of it with `claimlight models export {checkpoint} --kind disclosure`, then "
        "calibrate it with `claimlight lab charts calibrate`."
    )


@charts_app.command("silver")
def silver_command(
    context: typer.Context,
    library: Annotated[Path, typer.Argument(metavar="LIBRARY", help="Folder of the library.")],
    out: Annotated[Path, typer.Option("--out", help="Write the groups to this file, as JSON lines.")],
    clusters: Annotated[
        int,
        typer.Option("--clusters", min=2, help="Documents to draw; the two nearest of each are added."),
    ] = 150,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 4,
) -> None:
    """Make training cells from a library: own descriptions, families and search reports.

    No reader has ruled on them: they serve training, not measuring. The file holds texts of the library.
    Described in docs/lab/charts.md.
    """
    front = front_of(context)
    settings = load_settings(front)
    with open_library(library) as opened, front.working() as task:
        engine = SearchEngine.open(opened, settings)
        groups, passages = write_silver(make_silver(opened, engine, CellPlan(clusters, seed), task), out)
    if front.events:
        front.line({"event": "silver", "groups": groups, "passages": passages})
    else:
        front.out.print(f"{groups:,} groups with {passages:,} passages.")


@charts_app.command("pairs")
def pairs_command(
    context: typer.Context,
    library: Annotated[Path, typer.Argument(metavar="LIBRARY", help="Folder of the library.")],
    out: Annotated[Path, typer.Option("--out", help="Write the groups to this file, as JSON lines.")],
    clusters: Annotated[
        int,
        typer.Option("--clusters", min=2, help="Documents to draw; the two nearest of each are added."),
    ] = 300,
    without: Annotated[
        Path | None,
        typer.Option("--without", help="File of publications to leave out, one a line, as US1234567."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 7,
) -> None:
    """Draw features and passages of a library on which nobody has ruled, for a teacher.

    The features of each claim meet the passages that a chart would have a judge read: of its own document, of
    the nearest ones and of another. The file holds texts of the library. Described in docs/lab/charts.md.
    """
    front = front_of(context)
    settings = load_settings(front)
    left_out = frozenset(line for _, line in read_numbered_lines(without)) if without else frozenset[str]()
    with open_library(library) as opened, front.working() as task:
        engine = SearchEngine.open(opened, settings)
        plan = CellPlan(clusters, seed, left_out)
        groups, pairs = write_unruled(draw_unruled(opened, engine, plan, task), out)
    if front.events:
        front.line({"event": "pairs", "groups": groups, "pairs": pairs})
    else:
        front.out.print(f"{groups:,} groups with {pairs:,} pairs.")


@charts_app.command("teach")
def teach_command(
    context: typer.Context,
    groups: Annotated[
        Path, typer.Argument(metavar="GROUPS", help="Groups of features and passages (.jsonl).")
    ],
    teacher: Annotated[
        list[Path],
        typer.Option(
            "--teacher", metavar="CHECKPOINT", help="Folder of a trained judge; of several, the mean counts."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Write the groups with the rulings to this file.")],
    device: TrainingDevice = Device.AUTO,
) -> None:
    """Have a trained judge rule on pairs, for a smaller one to learn from; needs claimlight[train].

    Described in docs/lab/charts.md.
    """
    front = front_of(context)
    train_extra.require("Ruling with a checkpoint")
    with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
        pairs = teach(groups, teacher, out, task, device=choose_device(device))
    if front.events:
        front.line({"event": "taught", "pairs": pairs})
    else:
        front.out.print(f"{pairs:,} pairs.")


def _charts(
    folder: Path | None, part: str, panorama: Path | None, patentmatch: Path | None, limit: int
) -> tuple[tuple[Chart, ...], str, str]:
    """Charts, the name of their source, and their part."""
    given = [path for path in (folder, panorama, patentmatch) if path is not None]
    if len(given) != 1:
        raise InputError("Name one source: a FOLDER of charts, --panorama or --patentmatch.")
    name = given[0].resolve().name
    if panorama is not None:
        return read_panorama(panorama, limit=limit), name, ""
    if patentmatch is not None:
        return read_patentmatch(patentmatch, limit=limit), name, ""
    return read_part(given[0], part), name, part


def _told(charts: int, source: str, part: str) -> str:
    return f"{charts} claim charts ({source}, part {part})" if part else f"{charts} claim charts ({source})"


def _open_judge(name: str, settings: Settings) -> CalibratedJudge:
    """The judge of a package, or of a plug-in."""
    if name.startswith(_PLUGIN):
        return open_plugin_judge(name.removeprefix(_PLUGIN))
    judge = open_judge_package(locate(name), settings.judge)
    licences.require_accepted(judge.package.manifest)
    return CalibratedJudge(judge, judge.calibration)


def _give_out(front: Front, report: ChartReport, *, as_json: bool, out: Path | None) -> None:
    body = {"schema": SCHEMA, **plain(report)}
    if out is not None:
        write_atomically(out, json.dumps(body, indent=1) + "\n", Access.USUAL)
    if as_json or front.events:
        front.line({"event": "charts", **body})
        return
    for table in make_tables(report):
        front.out.print(table)


def _print_balance(front: Front, balance: Balance) -> None:
    sections = ", ".join(f"{name} {number}" for name, number in balance.sections)
    title = (
        f"{balance.name}: {balance.items} items, {balance.cells:,} cells, {balance.disclosed:.0%} disclosed"
    )
    kinds = Table("wording", "cells", "share", "words in common", title=title, caption=sections)
    for kind in balance.kinds:
        common = "" if kind.overlap is None else f"{kind.overlap:.2f}"
        kinds.add_row(kind.name, f"{kind.cells:,}", f"{kind.share:.0%}", common)
    front.out.print(kinds)
    tells = Table("ruling predicted by", "area")
    for tell in balance.tells:
        tells.add_row(tell.name, "" if tell.area is None else f"{tell.area:.3f}")
    front.out.print(tells)
