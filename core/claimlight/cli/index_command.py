"""``index``: make the documents of a library searchable semantically, and say what that will take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from claimlight.cli.case_options import CaseNumber, case_book, find_case, find_set
from claimlight.cli.commands import AsJson, LibraryFolder, front_of, load_settings, open_library
from claimlight.cli.front import Front, plain
from claimlight.cli.search_input import read_classes
from claimlight.errors import InputError
from claimlight.machine import lower_priority
from claimlight.services.indexing import indexing
from claimlight.services.indexing.order import LibraryOrder, NearCase
from claimlight.services.library.library import Library
from claimlight.types import (
    Case,
    ClassFilter,
    DroppedDescriptions,
    IndexDepth,
    IndexEstimate,
    IndexReport,
    Mark,
    PassEstimate,
    QuerySet,
    plural,
)

SCHEMA = "claimlight.index-estimate.1"
_WHICH = "Which descriptions"


def index_command(
    context: typer.Context,
    library: LibraryFolder,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Index titles, abstracts and claims only; descriptions can follow."),
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Index the descriptions too; this is the default.")
    ] = False,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SET",
            rich_help_panel=_WHICH,
            help="Only descriptions of the documents of this set of the case, such as L3. Several options: "
            "documents of at least one of the sets.",
            show_default=False,
        ),
    ] = None,
    case: CaseNumber = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="SYMBOL",
            rich_help_panel=_WHICH,
            help="Only descriptions of documents with this class or one below it: B62K, B62K25/04, "
            "IPC=B62K25/04. Several options: documents with at least one of the classes.",
            show_default=False,
        ),
    ] = None,
    published: Annotated[
        str,
        typer.Option(
            "--published",
            metavar="FROM..TO",
            rich_help_panel=_WHICH,
            help="Only descriptions of documents published then: 2010..2012, 2010-03-15..2010-06-30, 2011.",
        ),
    ] = "",
    low_priority: Annotated[
        bool,
        typer.Option(
            "--low-priority",
            help="Leave the processor to other programs while they need it (index.low_priority).",
        ),
    ] = False,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate",
            help="Show how many documents and passages are left, how long they take on this machine, and how "
            "much disk they need; change nothing.",
        ),
    ] = False,
    drop: Annotated[
        bool,
        typer.Option(
            "--drop-descriptions",
            help="Remove the descriptions from the index; titles, abstracts and claims stay in it.",
        ),
    ] = False,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild", help="Build a new index from scratch; the old one is used until it is ready."
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --drop-descriptions: do not ask for confirmation.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Index the documents of a library that are not indexed yet; stop with Ctrl+C, run it again to resume.

    First titles, abstracts and claims of all documents, then the descriptions: what searches found and you
    opened comes first. With --case the documents of the case come next, then those of its classes. --set,
    --class and --published limit the descriptions to documents that satisfy all of them; titles, abstracts
    and claims are always indexed.
    """
    front = front_of(context)
    limited = bool(labels or classes or published)
    if quick and (deep or limited or case is not None):
        raise typer.BadParameter(
            "Give --quick, which indexes no descriptions, without --deep, --case, --set, --class and "
            "--published."
        )
    if drop and (estimate or rebuild or quick or deep or limited or case is not None):
        raise typer.BadParameter("Give --drop-descriptions alone.")
    if yes and not drop:
        raise typer.BadParameter("--yes belongs to --drop-descriptions.")
    if as_json and not estimate:
        raise typer.BadParameter("--json belongs to --estimate; --events jsonl reports an indexing as JSON.")
    if drop:
        _drop(front, library, yes=yes)
        return
    # Read before anything is opened: a wrong symbol is a wrong command line.
    filters = read_classes(classes)
    if low_priority or load_settings(front).index.low_priority:
        lower_priority()
    depth = IndexDepth.CLAIMS if quick else IndexDepth.FULL
    # The first passages may take a minute on a busy machine.
    front.say("Reading the library and opening the encoder …")
    about = _read_case(case, labels or [])
    with open_library(library) as found:
        chosen = _Chosen(depth, rebuild=rebuild)
        if depth is IndexDepth.FULL:
            chosen = _choose(found, about, filters=filters, published=published, rebuild=rebuild)
        if estimate:
            _estimate(front, found, chosen, as_json=as_json)
        else:
            _build(front, found, chosen)


@dataclass(frozen=True, slots=True)
class _About:
    """A case, with all of its sets, and the sets named on the command line."""

    case: Case
    marks: list[Mark]
    sets: list[QuerySet]
    named: tuple[QuerySet, ...]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What is to be indexed."""

    depth: IndexDepth
    rebuild: bool = False
    only: frozenset[int] | None = None
    near: NearCase | None = None
    limited: str = ""
    """What the descriptions are limited to, as a sentence; empty if to nothing."""


def run_index(front: Front, folder: Path, *, depth: IndexDepth = IndexDepth.FULL) -> None:
    """Index what is not indexed yet, for commands that change a library."""
    with open_library(folder) as found:
        _build(front, found, _Chosen(depth))


def _read_case(number: int | None, labels: list[str]) -> _About | None:
    """The case of ``--case`` and ``--set``; None if neither is given."""
    if number is None and not labels:
        return None
    with case_book() as book:
        case = find_case(book, number)
        sets = book.sets(case.id)
        named = tuple(find_set(sets, label, case) for label in labels)
        return _About(case, book.marks(case.id), sets, named)


def _choose(
    library: Library,
    about: _About | None,
    *,
    filters: tuple[ClassFilter, ...],
    published: str,
    rebuild: bool,
) -> _Chosen:
    from claimlight.services.sets.index_order import (
        IndexLimits,
        explain_no_document,
        find_limited,
        near_case,
    )

    limits = IndexLimits(about.named if about is not None else (), filters, published)
    only = find_limited(library, limits)
    sets, recorded = _name_sets(about, library.folder)
    if only is not None and not only:
        why = explain_no_document(library, limits)
        raise InputError(f"{why} The limits include {sets}.{recorded}" if sets else why)
    members = f" of {sets}" if sets else ""
    return _Chosen(
        depth=IndexDepth.FULL,
        rebuild=rebuild,
        only=only,
        near=near_case(library, about.case, about.marks, about.sets) if about is not None else None,
        limited=(
            f"Descriptions are limited to {plural(len(only), 'document')}{members}.{recorded}"
            if only is not None
            else ""
        ),
    )


def _name_sets(about: _About | None, folder: Path) -> tuple[str, str]:
    """``L1 or L3 of case 2 (Damper)``, and a sentence on those recorded in another library; or twice nothing.

    Without --case it is the case worked on last: its name shows whether that is the one that was meant.
    """
    if about is None or not about.named:
        return "", ""
    labels = " or ".join(item.label for item in about.named)
    elsewhere: dict[str, list[str]] = {}
    for item in about.named:
        # Sets keep the folder as it was given: of the same library it may be written in another way.
        if Path(item.provenance.library).resolve() != folder.resolve():
            elsewhere.setdefault(item.provenance.library, []).append(item.label)
    recorded = "".join(
        f" {' and '.join(each)} {'was' if len(each) == 1 else 'were'} recorded in the library {where}."
        for where, each in elsewhere.items()
    )
    return f"{labels} of case {about.case.id} ({about.case.name})", recorded


def _build(front: Front, library: Library, chosen: _Chosen) -> None:
    settings = load_settings(front)
    if chosen.limited:
        front.say(chosen.limited)
    order = LibraryOrder(library, only=chosen.only, case=chosen.near)
    with front.working() as task:
        report = indexing.build(
            library, task, settings, rebuild=chosen.rebuild, depth=chosen.depth, order=order
        )
    front.report(report)
    _tell_index(front, report, library, limited=chosen.only is not None)


def _tell_index(front: Front, report: IndexReport, library: Library, *, limited: bool) -> None:
    waiting = library.info().claims_only
    if limited and waiting and not report.documents and not report.full_text:
        others = plural(waiting, "other document")
        front.say(
            f"They are indexed already. The descriptions of {others} are not; `claimlight index` indexes "
            "them."
        )
        return
    later = ""
    if waiting:
        later = (
            f" The description of {plural(waiting, 'document')} is not indexed; `claimlight index` indexes "
            "what is left."
        )
    if not report.documents and not report.full_text:
        front.say(f"No document had to be encoded.{later}" if later else _UP_TO_DATE)
        return
    stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report.stages if seconds >= 0.05)
    described = f" and {plural(report.full_text, 'description')}" if report.full_text else ""
    front.say(
        f"{plural(report.documents, 'document')}{described}, {plural(report.passages, 'passage')}, "
        f"{plural(report.spans, 'span')}, {plural(report.postings, 'posting')} in "
        f"{report.seconds:.1f} s on {report.device}"
        f"{f' ({stages})' if stages else ''}.{later}"
    )


_UP_TO_DATE = "The index is up to date: no document had to be encoded."


def _estimate(front: Front, library: Library, chosen: _Chosen, *, as_json: bool) -> None:
    from claimlight.services.indexing.estimate import estimate

    with front.working() as task:
        found = estimate(
            library,
            task,
            load_settings(front),
            depth=chosen.depth,
            only=chosen.only,
            rebuild=chosen.rebuild,
        )
    if chosen.limited:
        front.say(chosen.limited)
    if as_json or front.events:
        more = {"seconds": found.seconds, "enough_space": found.enough_space}
        front.line({"event": "index_estimate", "schema": SCHEMA, **plain(found), **more})
        return
    _print_estimate(front, found, descriptions=chosen.depth is IndexDepth.FULL)


def _print_estimate(front: Front, found: IndexEstimate, *, descriptions: bool) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("", "documents", "passages", "time", "disk"):
        table.add_column(name, justify="left" if not name else "right")
    rows = {"titles, abstracts, claims": found.claims}
    if descriptions:
        rows["descriptions"] = found.descriptions
    for name, item in rows.items():
        table.add_row(name, *_cells(item))
    front.out.print(table)
    if found.sampled:
        front.say(
            f"Passages were counted in {plural(found.sampled, 'document')} and estimated for the others."
        )
    front.say(f"Time on {found.device}, measured now with passages of this library.")
    needed, free = _megabytes(found.needed_bytes), _megabytes(found.free_bytes)
    if found.enough_space:
        front.say(f"While it is built the index needs at most {needed} more on disk; {free} are free.")
    else:
        front.say(
            f"There is not enough disk space: the index needs up to {needed} more while it is built, {free} "
            "are free. Free some space, limit the descriptions, or leave them out with --quick.",
            style="yellow",
        )


def _cells(item: PassEstimate) -> tuple[str, str, str, str]:
    time = str(timedelta(seconds=round(item.seconds)))
    return f"{item.documents:,}", f"{item.passages:,}", time, _megabytes(item.bytes)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


def _drop(front: Front, folder: Path, *, yes: bool) -> None:
    from claimlight.services.indexing.dropping import drop_descriptions

    with open_library(folder) as found:
        if not yes and not front.events:
            typer.confirm(
                f"Remove the descriptions, and the passages of them that searches have read, from the index "
                f"of {folder}? Building them again may take hours.",
                abort=True,
            )
        with front.working() as task:
            dropped = drop_descriptions(found, task, load_settings(front))
    if front.events:
        front.line({"event": "descriptions_dropped", **plain(dropped)})
    front.say(_tell_dropped(dropped))


def _tell_dropped(dropped: DroppedDescriptions) -> str:
    whole, partly = plural(dropped.documents, "document"), plural(dropped.partly, "document")
    if not dropped.bytes:
        return (
            "No description was indexed apart from its claims, and searches had read no passage of one; "
            "nothing was removed."
        )
    if not dropped.documents and not dropped.partly:
        return (
            "What interrupted runs and removed documents had left of descriptions is removed; "
            f"{_megabytes(dropped.bytes)} are free again."
        )
    if not dropped.partly:
        gone = f"The descriptions of {whole} are removed from the index"
    elif not dropped.documents:
        gone = (
            f"The passages that searches had read of the descriptions of {partly} are removed from the index"
        )
    else:
        gone = (
            f"The descriptions of {whole}, and the passages that searches had read of "
            f"{plural(dropped.partly, 'other document')}, are removed from the index"
        )
    return (
        f"{gone}; {_megabytes(dropped.bytes)} are free again. `claimlight index` indexes descriptions again, "
        "with --quick it does not."
    )
