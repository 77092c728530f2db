"""``lab vocabulary``: centers as Sparse Coverage prints them."""

from __future__ import annotations

from typing import Annotated

import typer

from claimlight.cli.centers import Corpus, Exclude, Package, Passages, PerPassage, Seed, told
from claimlight.cli.commands import front_of, load_settings
from claimlight.lab.coverage import TAU, own_cells


def vocabulary_command(
    context: typer.Context,
    corpus: Corpus,
    package: Package = "",
    count: Annotated[int, typer.Option("--count", min=1, help="How many centers.")] = 50_000,
    unit: Annotated[
        str,
        typer.Option("--unit", help="encoder_token, or with a spaCy pipeline noun_chunk:NAME, hybrid:NAME."),
    ] = "encoder_token",
    tau: Annotated[
        float, typer.Option("--tau", min=1.0, max=100.0, help="Percentile of a cell that is its radius.")
    ] = TAU,
    passages: Passages = 16_000,
    per_passage: PerPassage = 24,
    seed: Seed = 123,
    exclude: Exclude = None,
) -> None:
    """Build centers with the radii of the paper: the percentile tau of each center's own cell.

    As `claimlight models centers build` otherwise, which lets small cells take in further spans. Indexes made
    with other centers must be built anew afterwards.
    """
    from claimlight.services.training import vocabulary

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
        report = vocabulary.build_centers(plan, settings, task, measure=own_cells(tau))
    front.say(told(report))
