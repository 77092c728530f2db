"""``sets``: list the recorded sets of a case, show one, or run one again."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from claimlight.cli import set_render
from claimlight.cli.case_options import CaseNumber, case_book, find_case, find_set
from claimlight.cli.commands import AsJson, front_of, load_settings, open_library
from claimlight.cli.front import Front, plain
from claimlight.cli.query_command import SCHEMA
from claimlight.types import Case, QuerySet, SetRerun


class SetAction(StrEnum):
    """What to do with a set."""

    LIST = "list"
    SHOW = "show"
    RERUN = "rerun"


def sets_command(
    context: typer.Context,
    action: Annotated[
        SetAction,
        typer.Argument(help="list: the sets of the case; show: one set; rerun: search again and compare."),
    ] = SetAction.LIST,
    label: Annotated[
        str, typer.Argument(metavar="SET", help="Label of the set for show and rerun, such as L3.")
    ] = "",
    case: CaseNumber = None,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            "-l",
            metavar="DIR|ADDRESS",
            help="For rerun: the library to search; default: the one of the set.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", min=0, help="For show: how many documents to list; 0: all.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """List the sets of a case, show one, or run one again and compare.

    Without --case the case worked on last is used. A recorded set never changes; rerun reports whether the
    same documents are found today and, if not, what has changed since.
    """
    front = front_of(context)
    with case_book() as book:
        chosen = find_case(book, case)
        sets = book.sets(chosen.id)
    if action is SetAction.LIST:
        _list(front, chosen, sets, as_json=as_json)
        return
    if not label:
        raise typer.BadParameter(f"Name the set: claimlight sets {action.value} L1.")
    item = find_set(sets, label, chosen)
    if action is SetAction.SHOW:
        if as_json or front.events:
            front.line({"event": "record", "schema": SCHEMA, **_record(item, top)})
        else:
            set_render.print_record(front.out, item, top or len(item.hits))
        return
    rerun = _rerun(front, item, sets, library or item.provenance.library)
    if as_json or front.events:
        front.line(_rerun_body(item, rerun))
    else:
        set_render.print_rerun(front.out, item, rerun)


def _list(front: Front, case: Case, sets: list[QuerySet], *, as_json: bool) -> None:
    if as_json or front.events:
        listed = [_record(item, None) for item in sets]
        front.line(
            {"event": "sets", "schema": SCHEMA, "case": int(case.id), "name": case.name, "sets": listed}
        )
        return
    front.say(f"Case {case.id}: {case.name}")
    set_render.print_sets(front.out, sets)
    if not sets:
        front.say("No set has been recorded yet.")


def _record(item: QuerySet, top: int | None) -> dict[str, Any]:
    """A recorded set, with its first ``top`` documents (0: all; None: none)."""
    body: dict[str, Any] = {
        "set": item.label,
        "created": item.created.isoformat(),
        "documents": len(item.hits),
        "request": plain(item.request),
        "parsed": plain(item.parsed),
        "notes": list(item.notes),
        "provenance": plain(item.provenance),
    }
    if top is not None:
        body["hits"] = [plain(hit) for hit in item.hits[: top or None]]
    return body


def _rerun(front: Front, item: QuerySet, sets: list[QuerySet], place: str) -> SetRerun:
    from claimlight.services.search.search import SearchEngine
    from claimlight.services.sets.sets import SetSearch

    settings = load_settings(front)
    with open_library(place) as found, front.working() as task:
        searcher = SetSearch(found, settings, SearchEngine.open(found, settings))
        return searcher.rerun(item, {each.number: each for each in sets}, task)


def _rerun_body(item: QuerySet, rerun: SetRerun) -> dict[str, Any]:
    return {
        "event": "rerun",
        "schema": SCHEMA,
        "set": item.label,
        "equal": rerun.equal,
        "added": rerun.added,
        "missing": rerun.missing,
        "differences": list(rerun.differences),
        "notes": list(rerun.result.notes),
        "provenance": plain(rerun.result.provenance),
    }
