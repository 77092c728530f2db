"""``classify``: classes that a classifier suggests, and training and measuring classifiers."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from claimlight import settings as settings_module
from claimlight.classify.heads import HeadKind
from claimlight.classify.mixture import Combination
from claimlight.cli.commands import (
    LIBRARY_VARIABLE,
    AsJson,
    check_folder,
    front_of,
    load_settings,
    open_library,
    open_named_file,
    standard_text,
)
from claimlight.cli.front import EVENT_NAMES, LEARNING_PATIENCE_SECONDS, Front, plain
from claimlight.types import (
    ClassEvidence,
    ClassifierReport,
    ClassLevel,
    ClassQuestion,
    ClassSuggestion,
    ClassSuggestions,
    ClassText,
    Scheme,
    Section,
    plural,
)

if TYPE_CHECKING:
    from claimlight.evaluation.classification.training import Source
    from claimlight.services.classes.suggesting import Suggester
    from claimlight.services.library.library import Library
    from claimlight.tasks import TaskContext
    from claimlight.training.classifiers.building import ClassifierPlan

SCHEMA = "claimlight.classify.1"
_SUGGEST = "suggest"
_SHOWN = 0.005
"""Least fall of the probability that is printed."""
_NEIGHBOURS = 5


class _Classify(TyperGroup):
    """``classify EP1000000A1`` is ``classify suggest EP1000000A1``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [_SUGGEST, *args]
        return super().parse_args(ctx, args)


classify_app = typer.Typer(
    cls=_Classify,
    no_args_is_help=True,
    help="Suggest classes of CPC or IPC for a text or document, as in `claimlight classify --claims FILE`. "
    "Train and measure classifiers.",
)


class Kind(StrEnum):
    """The schemes that can be suggested."""

    CPC = "cpc"
    IPC = "ipc"


@classify_app.command(_SUGGEST)
def suggest_command(
    context: typer.Context,
    publication: Annotated[
        str,
        typer.Argument(
            metavar="PUBLICATION", help="A document of the library, such as EP1000000A1.", show_default=False
        ),
    ] = "",
    claims: Annotated[
        Path | None,
        typer.Option(
            "--claims",
            help="File of an application: XML of a patent office, or plain text with claims; - for standard "
            "input.",
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="The text itself; - for standard input.")] = None,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            envvar=LIBRARY_VARIABLE,
            metavar="DIR|ADDRESS",
            help="Library of the document; its documents of each class are counted.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[ClassLevel, typer.Option("--level", help="Level of the classes.")] = ClassLevel.SUBCLASS,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--confidence",
            min=0.0,
            max=1.0,
            help="Suggest classes of this probability and more; default: the threshold of each class.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, max=200, help="Most classes that are listed.")] = 10,
    classifier: Annotated[
        str,
        typer.Option(
            "--classifier", metavar="PACKAGE", help="Name or folder of a classifier; default: the one in use."
        ),
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show what led to each class that is suggested.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Suggest classes of CPC or IPC, with probabilities.

    The word suggest may be left out: `claimlight classify EP1000000A1 --library DIR`.
    """
    front = front_of(context)
    if sum((bool(publication), claims is not None, text is not None)) != 1:
        raise typer.BadParameter("Give one of PUBLICATION, --claims and --text.")
    with ExitStack() as stack:
        found = stack.enter_context(open_library(library)) if library is not None else None
        task = stack.enter_context(front.working())
        question = _question(front, found, publication, claims, text, task)
        question = ClassQuestion(question.texts, question.patent, classifier, level, confidence, top)
        suggester = _suggester(front, found)
        answer = suggester.suggest(question, task)
        evidence = {
            item.symbol: suggester.explain(question, item.symbol, task)
            for item in (answer.suggestions if explain else ())
            if item.suggested
        }
    if as_json or front.events:
        front.line(
            {
                "event": "classify",
                "schema": SCHEMA,
                **plain(answer),
                "evidence": plain(list(evidence.values())),
            }
        )
        return
    _print_answer(front, answer)
    for item in evidence.values():
        _print_evidence(front, answer, item)


def _question(
    front: Front,
    library: Library | None,
    publication: str,
    claims: Path | None,
    text: str | None,
    task: TaskContext,
) -> ClassQuestion:
    """What is classified."""
    from claimlight.services.classes.class_texts import texts_of_file
    from claimlight.services.library.documents import identify

    if publication:
        if library is None:
            raise typer.BadParameter("A document needs its --library.")
        return ClassQuestion(patent=identify(library, publication))
    if claims is not None:
        with open_named_file(front, claims) as path:
            return ClassQuestion(texts_of_file(path, task))
    body = standard_text(front) if text == "-" else text or ""
    return ClassQuestion((ClassText(body, Section.ABSTRACT),))


def _suggester(front: Front, library: Library | None) -> Suggester:
    from claimlight.encoders import ModelPackage, open_encoder
    from claimlight.services.classes.suggesting import Suggester

    settings = load_settings(front)
    package = ModelPackage.resolve(settings.encoder.package)
    return Suggester(
        settings,
        lambda: open_encoder(package, settings.encoder),
        library=library,
        languages=package.manifest.languages,
    )


def _print_answer(front: Front, answer: ClassSuggestions) -> None:
    for note in answer.notes:
        front.say(note, style="yellow")
    counted = any(item.documents is not None for item in answer.suggestions)
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("class", no_wrap=True)
    table.add_column("probability", justify="right")
    table.add_column("suggested from", justify="right")
    if counted:
        table.add_column("documents", justify="right")
    table.add_column("title")
    for item in answer.suggestions:
        star = "*" if item.suggested else ""
        cells = [star, item.symbol, f"{item.probability:.2f}", f"{item.threshold:.2f}"]
        if counted:
            cells.append("" if item.documents is None else f"{item.documents:,}")
        style = "" if item.suggested else "dim"
        table.add_row(*cells, Text(_title(item)), style=style)
    front.out.print(table)
    by = f"By {answer.classifier} ({answer.scheme.upper()})."
    if any(item.suggested for item in answer.suggestions):
        front.say(f"* suggested: the probability is high enough. {by}")
    else:
        front.say(f"No {answer.level} is suggested: none is likely enough. {by}", style="yellow")


def _title(item: ClassSuggestion) -> str:
    if item.entry is not None:
        return item.entry.short or item.entry.title
    near = next((parent for parent in reversed(item.parents) if parent.title), None)
    return f"(no title imported; in {near.symbol} {near.title})" if near else ""


def _print_evidence(front: Front, answer: ClassSuggestions, evidence: ClassEvidence) -> None:
    from claimlight.services.classes.suggesting import TOGETHER

    front.out.print()
    front.out.print(
        f"[bold]{escape(evidence.symbol)}[/]  {evidence.probability:.2f}; {evidence.without:.2f} if the "
        f"{TOGETHER} heaviest phrases are left out together. One phrase left out alone:"
    )
    seen: set[str] = set()
    for span in evidence.spans:
        begin = next((at for passage, at in answer.texts[span.text].passages if passage == span.passage), 0)
        words = answer.texts[span.text].text[begin + span.span.start : begin + span.span.end]
        if words.casefold() not in seen and span.weight >= _SHOWN:
            seen.add(words.casefold())
            front.out.print(f"    -{span.weight:.2f}  {escape(words)}", soft_wrap=True)
    if not seen:
        front.out.print("    No single phrase matters much.")
    if evidence.asked:
        having = len(evidence.neighbours)
        front.out.print(
            f"    Of the {evidence.asked} nearest documents of the training, {having} have it"
            f"{', the nearest:' if having else '.'}"
        )
    for near in evidence.neighbours[:_NEIGHBOURS]:
        told = f"        {near.cosine:.2f}  {escape(near.publication)}  {escape(near.title)}"
        front.out.print(told.rstrip(), soft_wrap=True)
    if (more := len(evidence.neighbours) - _NEIGHBOURS) > 0:
        front.out.print(f"        and {more} more")


_LIBRARY = Annotated[
    str | None,
    typer.Option(
        "--library",
        "-l",
        envvar=LIBRARY_VARIABLE,
        metavar="DIR",
        help="Library whose documents are read.",
        show_default=False,
    ),
]
_DOCUMENTS = Annotated[
    Path | None,
    typer.Option(
        "--documents",
        help="Or: documents as JSON lines with _id, title, abstract, claims and symbols; may be gzipped.",
    ),
]
_FIELD = Annotated[
    str, typer.Option("--labels", metavar="KEY", help="With --documents: the key of the symbols.")
]
_FAMILIES = Annotated[
    Path | None,
    typer.Option("--families", help="With --documents: family and document, tab-separated."),
]
_KIND = Annotated[
    Kind | None,
    typer.Option(
        "--kind",
        help="The scheme; default: the one that more documents of the library have, of a file the CPC.",
        show_default=False,
    ),
]
_LEVELS = Annotated[
    list[ClassLevel] | None,
    typer.Option("--level", help="Level that is learned; may be repeated. Default: all five."),
]
_EXPERTS = Annotated[
    list[HeadKind] | None,
    typer.Option(
        "--expert",
        help="Expert of the mixture; may be repeated. Default: neighbours and logistic.",
    ),
]
_COMBINE = Annotated[
    Combination,
    typer.Option(
        "--combine",
        help="How the experts become one: the average of their calibrated probabilities, or a gate.",
    ),
]
_WITHOUT = Annotated[
    Path | None, typer.Option("--without", help="File of publications to leave out, one a line.")
]
_TEST_ON = Annotated[
    Path | None,
    typer.Option(
        "--test-on",
        help="File of publications to measure on; they and their families are not trained on. Default: a "
        "fifth of the documents, by family, drawn at random.",
        show_default=False,
    ),
]
_WORK = Annotated[
    Path | None, typer.Option("--work", help="With --documents: keep the vectors here for the next run.")
]
_SEED = Annotated[int, typer.Option("--seed", help="Random seed.")]


@classify_app.command("train")
def train_command(
    context: typer.Context,
    library: _LIBRARY = None,
    documents: _DOCUMENTS = None,
    labels: _FIELD = "labels",
    families: _FAMILIES = None,
    kind: _KIND = None,
    level: _LEVELS = None,
    expert: _EXPERTS = None,
    combine: _COMBINE = Combination.AVERAGE,
    without: _WITHOUT = None,
    test_on: _TEST_ON = None,
    work: _WORK = None,
    name: Annotated[
        str,
        typer.Option(
            "--name", metavar="NAME", help="Name of the package; default: that of the library and the scheme."
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="Write the package here instead.", show_default=False
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option("--licence", help="Licence that is written into the package.")
    ] = "the user's own",
    use: Annotated[bool, typer.Option("--use", help="Use the classifier from now on.")] = False,
    seed: _SEED = 1,
    as_json: AsJson = False,
) -> None:
    """Train a classifier on the classes of documents, and measure it on families that are left out.

    First it is trained without them and measured on them, then on all documents. The package belongs to the
    encoder in use.
    """
    from claimlight.evaluation.classification.training import TrainingPlan, train

    front = front_of(context)
    source = _source(library, documents, labels, families, kind, without, test_on, work)
    plan = TrainingPlan(
        source, _classifier(level, expert, combine, seed), name=name, out=out, licence=licence, seed=seed
    )
    settings = load_settings(front)
    front.resume_hint = "run the same command again; it starts over"
    with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
        report = train(plan, settings, task)
    if use:
        chosen = report.folder if out else Path(report.folder).name
        # Read again: they may have been changed in the minutes of the training.
        now = load_settings(front)
        settings_module.save(settings_module.change(now, "classifier.package", chosen))
    _tell(front, report, as_json=as_json, used=use, installed=out is None)


@classify_app.command("evaluate")
def evaluate_command(
    context: typer.Context,
    library: _LIBRARY = None,
    documents: _DOCUMENTS = None,
    labels: _FIELD = "labels",
    families: _FAMILIES = None,
    kind: _KIND = None,
    level: _LEVELS = None,
    expert: _EXPERTS = None,
    combine: _COMBINE = Combination.AVERAGE,
    without: _WITHOUT = None,
    test_on: _TEST_ON = None,
    work: _WORK = None,
    classifier: Annotated[
        str,
        typer.Option(
            "--classifier",
            metavar="PACKAGE",
            help="Measure this classifier on the documents, as it is, and train nothing; its scheme counts.",
        ),
    ] = "",
    seed: _SEED = 1,
    as_json: AsJson = False,
) -> None:
    """Measure what a classifier of these documents would be worth, and keep nothing.

    With --classifier: what an installed one is worth on them.
    """
    from claimlight.evaluation.classification.training import TrainingPlan, measure_installed, train

    front = front_of(context)
    source = _source(library, documents, labels, families, kind, without, test_on, work)
    settings = load_settings(front)
    with front.working(patience=LEARNING_PATIENCE_SECONDS) as task:
        if classifier:
            report = measure_installed(classifier, source, settings, task)
        else:
            plan = TrainingPlan(source, _classifier(level, expert, combine, seed), keep=False, seed=seed)
            report = train(plan, settings, task)
    _tell(front, report, as_json=as_json, used=False)


def _source(
    library: str | None,
    documents: Path | None,
    labels: str,
    families: Path | None,
    kind: Kind | None,
    without: Path | None,
    test_on: Path | None,
    work: Path | None,
) -> Source:
    from claimlight.evaluation.classification.training import Source
    from claimlight.services.classes.counts import choose_scheme

    # The environment may name a library; a file that is named counts.
    chosen = None if documents is not None or library is None else check_folder(library)
    scheme = Scheme(kind.value) if kind else Scheme.CPC
    if kind is None and chosen is not None:
        with open_library(chosen) as found:
            scheme = choose_scheme(found)
    return Source(scheme, chosen, documents, labels, families, without, test_on, work)


def _classifier(
    levels: list[ClassLevel] | None, experts: list[HeadKind] | None, combine: Combination, seed: int
) -> ClassifierPlan:
    from claimlight.classify.labels import LEVELS
    from claimlight.training.classifiers.building import MIXTURE, ClassifierPlan
    from claimlight.training.classifiers.fitting import ExpertPlan

    return ClassifierPlan(
        tuple(dict.fromkeys(experts or MIXTURE)),
        combine,
        tuple(levels or LEVELS),
        experts=ExpertPlan(seed=seed),
    )


def _tell(
    front: Front, report: ClassifierReport, *, as_json: bool, used: bool, installed: bool = True
) -> None:
    if as_json or front.events:
        front.line({"event": EVENT_NAMES[ClassifierReport], "schema": SCHEMA, **plain(report)})
        return
    for note in report.notes:
        front.say(note)
    told = (
        f"{report.model}: {plural(report.classes, 'class', 'classes')} of the {report.scheme.upper()}, "
        f"trained on {plural(report.documents, 'document')}"
    )
    front.say(f"{told}, in {report.seconds:.0f} s." if report.folder else f"{told}. Nothing was kept.")
    front.say(f"Measured on {report.measured_on}.")
    there = {item.level for item in report.figures}
    if missing := [level.value for level in ClassLevel if level not in there]:
        front.say(f"Not among its levels, for want of documents of one class: {', '.join(missing)}.")
    table = Table(box=None, pad_edge=False)
    names = (
        "documents",
        "classes",
        "first right",
        "P@3",
        "P@5",
        "micro F1",
        "macro F1",
        "instance F1",
        "ECE",
    )
    table.add_column("level")
    for name in names:
        table.add_column(name, justify="right")
    for item in report.figures:
        low, high = item.first_interval
        shares = (*item.precision[1:], item.micro, item.macro, item.instance, item.calibration_error)
        table.add_row(
            item.level.value,
            f"{item.documents:,}",
            f"{item.labels:,}",
            f"{item.first:.3f} [{low:.3f}, {high:.3f}]".replace("[", "\\["),
            *(f"{share:.3f}" for share in shares),
        )
    front.out.print(table)
    for item in report.figures:
        parts = [
            f"from {confidence:.1f}: {covered:.0%} of the documents, {right:.0%} of these right"
            for confidence, covered, right in item.covered
            if covered
        ]
        if parts:
            front.say(f"First suggestion, {item.level}: {'; '.join(parts)}.")
    front.say(
        "First right: documents whose first suggestion is right, with the 95 % interval. P@3, P@5: right "
        "ones among the first 3 and 5, divided by 3 and 5. F1 is of what is suggested. ECE: how far "
        "probabilities are from shares, on average."
    )
    if report.folder and not used:
        name = Path(report.folder).name if installed else report.folder
        front.say(f"To use it: `claimlight settings set classifier.package {name}`.")
