"""``evaluate landscape``: whether a ranking tells what experts counted in from what they did not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.cli.commands import AsJson, front_of, load_settings
from core.cli.evaluate_report import give_out
from core.cli.work_folder import work_folder
from core.evaluation.judged_library import JudgedCorpus
from core.evaluation.landscape.protocol import Among, Ask, LandscapePlan, evaluate_landscape
from core.evaluation.systems import OWN_SYSTEMS, System


def landscape_command(
    context: typer.Context,
    corpus: Annotated[
        Path, typer.Option(help="Documents: JSON lines with _id, title, text; may be gzipped.")
    ],
    topics: Annotated[Path, typer.Option(help="Labels: topic, document and 1 (valid) or 0, with tabs.")],
    system: Annotated[
        list[System] | None, typer.Option(help="What ranks; default: every one of our own.")
    ] = None,
    ask: Annotated[Ask, typer.Option(help="Ask by a phrase, or by each valid document.")] = Ask.DOCUMENT,
    among: Annotated[
        Among, typer.Option(help="Rank what was labelled for the topic, for any topic, or everything.")
    ] = Among.TOPIC,
    phrases: Annotated[
        Path | None, typer.Option(help="Topic and phrase with a tab; default: the names of the topics.")
    ] = None,
    families: Annotated[
        Path | None,
        typer.Option(help="Group and document with a tab: a query's own family is left out of its ranking."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the JSON here as well.")] = None,
    work: Annotated[
        Path | None, typer.Option(help="Keep the library of the documents here for the next measurement.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask for technology topics whose documents experts labelled, and measure how well these lead.

    Valid documents are ranked against those the experts rejected. Measures are means over the topics; every
    topic has its own rows. Described in docs/evaluation/landscape.md.
    """
    front = front_of(context)
    settings = load_settings(front)
    with work_folder(work) as folder, front.working() as task:
        plan = LandscapePlan(
            JudgedCorpus(corpus, families, folder), topics, phrases, tuple(system or OWN_SYSTEMS), ask, among
        )
        report = evaluate_landscape(plan, settings, task)
    give_out(front, report, as_json=as_json, out=out)
