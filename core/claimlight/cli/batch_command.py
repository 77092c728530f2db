"""``batch``: search one library for many topics in one process and write a TREC run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, TextIO

import typer

from claimlight.cli.commands import (
    STANDARD_INPUT,
    LibraryPlace,
    front_of,
    load_settings,
    open_library,
    to_day,
)
from claimlight.cli.search_input import ALL_RANKERS, FormerRankers, Rankers, parse_rankers
from claimlight.cli.topics import read_topics
from claimlight.errors import InputError
from claimlight.files import Access, open_text_atomically
from claimlight.services.library.rates import Rate
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.types import plural


def batch_command(
    context: typer.Context,
    topics: Annotated[
        Path,
        typer.Argument(
            metavar="TOPICS",
            help="JSON lines (_id; claims, text or publication), lines of name, tab and text, a folder with "
            "a file for each topic, or - for standard input.",
        ),
    ],
    library: LibraryPlace,
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE", help="The TREC run to write; - for standard output.")
    ] = STANDARD_INPUT,
    claim: Annotated[
        int | None,
        typer.Option(
            "--claim", min=1, help="The claim to use for topics that name none; default: the first."
        ),
    ] = None,
    before: Annotated[
        datetime | None,
        typer.Option("--before", formats=["%Y-%m-%d"], help="Only documents published before this day."),
    ] = None,
    keep_own_family: Annotated[
        bool,
        typer.Option(
            "--keep-own-family",
            help="Keep the own family of a topic that is a document; it is left out otherwise.",
        ),
    ] = False,
    fold_families: Annotated[
        bool, typer.Option("--fold-families", help="One line per family, as in a search.")
    ] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="Number of documents per topic.")] = 1000,
    rankers: Rankers = ALL_RANKERS,
    legs: FormerRankers = None,
    tag: Annotated[
        str, typer.Option("--tag", metavar="NAME", help="Name of the run, its last column.")
    ] = "claimlight",
) -> None:
    """Search for many topics and write a TREC run: topic Q0 document rank score tag.

    Documents are named by their publication numbers. Model and index are opened once. A topic that can't be
    searched is reported and has no lines in the run; the exit code is then 1.
    """
    from claimlight.evaluation.runs import RankedList, format_run_lines

    front = front_of(context)
    ways = parse_rankers(legs or rankers)
    asked = read_topics(front, topics)
    failed = 0
    with (
        open_library(library) as found,
        front.working() as task,
        _output(to) as stream,
    ):
        engine = SearchEngine.open(found, load_settings(front))
        rate = Rate("search", len(asked), "topics", task)
        for topic in asked:
            try:
                about = topic.asked(front, found, claim, task)
            except InputError as error:
                failed += 1
                front.say(str(error), style="yellow")
                rate.advance(1)
                continue
            request = claim_search(
                about.query,
                claim=about.claim,
                dates=None,
                before=to_day(before),
                own_family=None if keep_own_family else about.own,
                legs=ways,
                top=top,
            )
            ranked = engine.rank_publications(request, task, fold=fold_families)
            names = tuple(str(publication) for publication, _ in ranked)
            scores = tuple(score for _, score in ranked)
            stream.writelines(format_run_lines(RankedList(topic.name, names, scores), tag))
            rate.advance(1)
    if to != STANDARD_INPUT:
        front.say(f"Wrote {len(asked) - failed:,} of {plural(len(asked), 'topic')} to {to}.")
    if failed:
        raise InputError(f"{failed:,} of {plural(len(asked), 'topic')} could not be searched.")


@contextmanager
def _output(to: Path) -> Iterator[TextIO]:
    """Standard output, or a file that gets its name when it is complete."""
    if to == STANDARD_INPUT:
        yield sys.stdout
        sys.stdout.flush()
        return
    with open_text_atomically(to, Access.AS_BEFORE) as stream:
        yield stream
