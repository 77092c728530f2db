"""``models centers …``: making the center vocabulary of a model package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.cli.commands import front_of, load_settings

if TYPE_CHECKING:
    from core.services.vocabulary import VocabularyReport

centers_app = typer.Typer(no_args_is_help=True, help="The center vocabulary of a model package.")


Corpus = Annotated[list[Path], typer.Option("--corpus", help="Patent files and folders to take spans from.")]
Package = Annotated[
    str, typer.Option("--package", help="Name or folder of the package; default: the shipped one.")
]
Passages = Annotated[int, typer.Option("--passages", min=1, help="Passages to draw.")]
PerPassage = Annotated[int, typer.Option("--per-passage", min=1, help="Spans kept of each.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the draw and the first center.")]
Exclude = Annotated[Path | None, typer.Option("--exclude", help="File of publication numbers to leave out.")]


@centers_app.command("build")
def build_command(
    context: typer.Context,
    corpus: Corpus,
    package: Package = "",
    count: Annotated[int, typer.Option("--count", min=1, help="How many centers.")] = 8192,
    unit: Annotated[
        str,
        typer.Option(
            "--unit",
            help="Span unit: word, encoder_token, noun_phrase, hybrid, or with a spaCy pipeline of yours "
            "spacy:PIPELINE, spacy-hybrid:PIPELINE.",
        ),
    ] = "word",
    passages: Passages = 16_000,
    per_passage: PerPassage = 24,
    seed: Seed = 123,
    exclude: Exclude = None,
) -> None:
    """Draw passages, encode their spans, choose centers by farthest-first, measure their radii.

    The same corpus, package and seed give the same centers. Indexes made with other centers must be built
    anew afterwards.
    """
    from core.services import vocabulary

    front = front_of(context)
    plan = vocabulary.VocabularyPlan(
        package=package,
        corpus=vocabulary.sources(corpus),
        count=count,
        unit=unit,
        passages=passages,
        per_passage=per_passage,
        seed=seed,
        exclude=exclude,
    )
    settings = load_settings(front)
    with front.working() as task:
        report = vocabulary.build_centers(plan, settings, task)
    front.say(_told(report))


@centers_app.command("grow")
def grow_command(
    context: typer.Context,
    corpus: Corpus,
    count: Annotated[int, typer.Option("--count", min=2, help="How many centers in all.")],
    package: Package = "",
    passages: Passages = 16_000,
    per_passage: PerPassage = 24,
    seed: Seed = 123,
    exclude: Exclude = None,
) -> None:
    """Add centers to those of a package: the first stay what they are, the radii are measured anew.

    With the corpus, passages and seed of the first build the result is what building that many gives.
    Indexes made with the package must be built anew afterwards.
    """
    from core.services import vocabulary

    front = front_of(context)
    plan = vocabulary.VocabularyPlan(
        package=package,
        corpus=vocabulary.sources(corpus),
        count=count,
        passages=passages,
        per_passage=per_passage,
        seed=seed,
        exclude=exclude,
    )
    settings = load_settings(front)
    with front.working() as task:
        report = vocabulary.grow_centers(plan, settings, task)
    front.say(_told(report))


def _told(report: VocabularyReport) -> str:
    return (
        f"{report.count:,} centers from {report.spans:,} spans in {report.seconds:.0f} s: {report.folder} "
        f"({report.fingerprint})"
    )
