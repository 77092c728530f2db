"""``evaluate cost``: what a search reads and how long it takes, against what it finds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.cli.commands import AsJson, front_of, load_settings
from core.cli.evaluate_report import give_out
from core.cli.work_folder import work_folder
from core.errors import InputError
from core.evaluation.cost.protocol import CostPlan, evaluate_cost


def cost_command(
    context: typer.Context,
    corpus: Annotated[
        Path, typer.Option(help="Documents: JSON lines with _id, title, text; may be gzipped.")
    ],
    queries: Annotated[Path, typer.Option(help="Queries, in the same form.")],
    qrels: Annotated[
        Path, typer.Option(help="Relevance: query, document and grade with tabs, or TREC qrels.")
    ],
    families: Annotated[
        Path | None,
        typer.Option(help="Group and document with a tab: a query's own family is left out of its ranking."),
    ] = None,
    measure: Annotated[
        str, typer.Option(help="What is found, by a name of ir-measures, or PRES@k.")
    ] = "R@100",
    depth: Annotated[int, typer.Option(min=1, help="Documents asked for.")] = 1000,
    budgets: Annotated[
        str, typer.Option(help="Postings that a search by centers may read, with commas; 0 reads all.")
    ] = "0",
    query_k: Annotated[str, typer.Option(help="Centers of a span of the query, with commas.")] = "5",
    document_k: Annotated[
        str, typer.Option(help="Centers of a span of a document, with commas; each is an index of its own.")
    ] = "5",
    model: Annotated[
        list[str] | None,
        typer.Option(help="Model package, with its own centers; repeat to compare. Without: the one in use."),
    ] = None,
    ef: Annotated[str, typer.Option(help="Widths of the search in the dense graph, with commas.")] = "200",
    plots: Annotated[Path | None, typer.Option(help="Folder for cost.png and cost.svg; it is made.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the JSON here as well.")] = None,
    work: Annotated[
        Path | None,
        typer.Option(help="Keep the libraries here: another measurement then needs no indexing."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Postings scanned, milliseconds and index size against recall, for bm25, dense and centers.

    The time is that of the retrieval alone: a query is encoded before the clock starts, and the shortest of
    three runs counts.
    """
    from core.evaluation.cost.plots import draw

    front = front_of(context)
    settings = load_settings(front)
    with work_folder(work) as folder, front.working() as task:
        plan = CostPlan(
            corpus,
            queries,
            qrels,
            families,
            folder,
            measured=measure,
            depth=depth,
            budgets=_numbers("--budgets", budgets, least=0),
            query_ks=_numbers("--query-k", query_k, least=1),
            document_ks=_numbers("--document-k", document_k, least=1),
            packages=tuple(model or ("",)),
            efs=_numbers("--ef", ef, least=1),
        )
        found = evaluate_cost(plan, settings, task)
    give_out(front, found.report, as_json=as_json, out=out)
    for path in draw(found.points, plots) if plots else ():
        front.say(str(path))


def _numbers(option: str, text: str, *, least: int) -> tuple[int, ...]:
    """Whole numbers with commas between, each once."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise InputError(f"{option} {text}: write whole numbers from {least} on, with commas between them.")
    return tuple(dict.fromkeys(int(part) for part in parts))
