"""``models centers …``: making the center vocabulary of a model package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.cli.commands import front_of, load_settings

centers_app = typer.Typer(no_args_is_help=True, help="The center vocabulary of a model package.")


@centers_app.command("build")
def build_command(
    context: typer.Context,
    corpus: Annotated[
        list[Path], typer.Option("--corpus", help="Patent files and folders to take spans from.")
    ],
    package: Annotated[
        str, typer.Option("--package", help="Name or folder of the package; default: the shipped one.")
    ] = "",
    count: Annotated[int, typer.Option("--count", min=1, help="How many centers.")] = 8192,
    unit: Annotated[
        str,
        typer.Option(
            "--unit",
            help="Span unit: word, encoder_token, noun_phrase, hybrid, or with a spaCy pipeline of yours "
            "spacy:PIPELINE, spacy-hybrid:PIPELINE.",
        ),
    ] = "word",
    passages: Annotated[int, typer.Option("--passages", min=1, help="Passages to draw.")] = 16_000,
    per_passage: Annotated[int, typer.Option("--per-passage", min=1, help="Spans kept of each.")] = 24,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draw and the first center.")] = 123,
    exclude: Annotated[
        Path | None, typer.Option("--exclude", help="File of publication numbers to leave out.")
    ] = None,
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
    front.say(
        f"{report.count:,} centers from {report.spans:,} spans in {report.seconds:.0f} s: {report.folder} "
        f"({report.fingerprint})"
    )
