"""``cases progress``, ``sample``, ``estimate``: what reading still brings, and what is left unread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from claimlight.cli.case_options import case_book, find_set
from claimlight.cli.cases_command import Number
from claimlight.cli.commands import AsJson, front_of, load_settings, open_library
from claimlight.cli.front import Front, plain
from claimlight.errors import InputError
from claimlight.files import Access, write_atomically
from claimlight.types import BLOCK, CITED, RELEVANT, CaseId, Category, ReadingHistory, UnreadEstimate, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.services.cases.cases import CaseBook
    from claimlight.types import Case, Confirmation, DocumentRead, PublicationNumber, ReadingSample

Relevant = Annotated[
    str,
    typer.Option(
        "--relevant",
        metavar="LETTERS",
        help="Categories that make a document relevant, such as XY.",
    ),
]
_ALL = "".join(category.value for category in RELEVANT)
_LETTERS = "".join(category.value for category in CITED)


def progress_command(
    context: typer.Context,
    number: Number,
    block: Annotated[
        int, typer.Option("--block", metavar="N", min=1, help="Documents read per row.")
    ] = BLOCK,
    relevant: Relevant = _ALL,
    evidence: Annotated[
        str | None,
        typer.Option(
            "--evidence",
            metavar="LIBRARY",
            help="Folder or address of a library: compare the documents read with the features there, and "
            "count what the evidence discloses too.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the coverage curve as CSV: a row for each document read.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was new in each 20 documents read: confirmed passages by feature, relevant documents.

    The coverage curve counts, after each document read, the features with a confirmed passage, those
    disclosed by the evidence (--evidence) and the relevant documents.
    """
    from claimlight.services.stopping.curves import curve_table, draw_curve
    from claimlight.services.stopping.history import count_new
    from claimlight.services.stopping.words import describe_curve

    front, categories = front_of(context), _categories(relevant)
    with case_book() as book:
        case = book.case(CaseId(number))
        reading, marks = book.reading(case.id), book.marks(case.id)
        confirmations = book.confirmations(case.id)
    found = count_new(case, reading, marks, confirmations, size=block, relevant=categories)
    covered = _compare(front, evidence, case, reading, confirmations) if evidence and reading else None
    curve = draw_curve(case, reading, marks, confirmations, covered=covered, relevant=categories)
    if out is not None:
        # With the mark at the beginning spreadsheets read the file as UTF-8.
        write_atomically(out, curve_table(curve).encode("utf-8-sig"), Access.AS_BEFORE)
    if as_json:
        front.line(
            {
                "schema": "claimlight.progress.1",
                "case": number,
                "relevant": [item.value for item in categories],
                **plain(found),
                "curve": plain(curve),
            }
        )
        return
    _print_history(front, found)
    for sentence in describe_curve(curve):
        front.say(sentence)
    if out is not None:
        front.say(f"Written: {out}.")


def sample_command(
    context: typer.Context,
    number: Number,
    size: Annotated[int, typer.Option("--size", metavar="N", min=1, help="Documents to draw.")] = 20,
    label: Annotated[
        str,
        typer.Option(
            "--set",
            metavar="SET",
            help="Set to draw from, such as L3; default: the last one.",
            show_default=False,
        ),
    ] = "",
    rest_of: Annotated[
        str | None,
        typer.Option(
            "--rest-of",
            metavar="LIBRARY",
            help="Folder or address of a library whose documents that are not in the set are drawn from too.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="N", min=0, help="Seed of the draw; default: random.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a random sample of the unread documents of a set and record it in the case."""
    from claimlight.services.stopping.samples import take_sample

    front = front_of(context)
    with case_book() as book:
        case = book.case(CaseId(number))
        sets = book.sets(case.id)
        if not sets:
            raise InputError(f"Case {case.id} ({case.name}) has no set to draw from: search first.")
        record = find_set(sets, label, case) if label else sets[-1]
        if rest_of is None:
            take_sample(book, case.id, record, size=size, seed=seed)
        else:
            with open_library(rest_of) as library:
                take_sample(book, case.id, record, size=size, seed=seed, library=library)
        found = _estimate(book, case, book.samples(case.id)[-1], RELEVANT)
    _show(front, number, found, as_json=as_json)


def estimate_command(
    context: typer.Context,
    number: Number,
    label: Annotated[
        str,
        typer.Option(
            "--sample",
            metavar="SAMPLE",
            help="Sample, such as S1; default: the last one.",
            show_default=False,
        ),
    ] = "",
    relevant: Relevant = _ALL,
    as_json: AsJson = False,
) -> None:
    """Estimate by a sample how many relevant documents are left unread, with a 95 % interval."""
    front, categories = front_of(context), _categories(relevant)
    with case_book() as book:
        case = book.case(CaseId(number))
        found = _estimate(book, case, _find_sample(book.samples(case.id), label, case), categories)
    _show(front, number, found, as_json=as_json)


def _compare(
    front: Front,
    place: str,
    case: Case,
    reading: Sequence[DocumentRead],
    confirmations: Sequence[Confirmation],
) -> dict[PublicationNumber, frozenset[str]]:
    from claimlight.services.search.search import SearchEngine
    from claimlight.services.stopping.curves import compare_documents_read

    settings = load_settings(front)
    with open_library(place) as library, front.working() as task:
        engine = SearchEngine.open(library, settings)
        return compare_documents_read(engine, library, settings, case, reading, confirmations, task)


def _estimate(
    book: CaseBook, case: Case, sample: ReadingSample, categories: Sequence[Category]
) -> UnreadEstimate:
    from claimlight.services.stopping.estimates import estimate_unread

    record = next(item for item in book.sets(case.id) if item.number == sample.set_number)
    listed = [hit.publication for hit in record.hits]
    return estimate_unread(sample, listed, book.reading(case.id), book.marks(case.id), relevant=categories)


def _find_sample(samples: Sequence[ReadingSample], label: str, case: Case) -> ReadingSample:
    if not samples:
        raise InputError(
            f"Case {case.id} ({case.name}) has no sample: `claimlight cases sample {case.id}` draws one."
        )
    if not label:
        return samples[-1]
    found = next((item for item in samples if item.label == label.strip().upper()), None)
    if found is None:
        known = ", ".join(item.label for item in samples)
        raise InputError(f"There is no sample {label} in case {case.id} ({case.name}); it has {known}.")
    return found


def _categories(letters: str) -> tuple[Category, ...]:
    wanted = {letter.upper() for letter in letters if letter not in ", "}
    if not wanted or wanted - set(_LETTERS):
        raise typer.BadParameter(f"{letters!r}: give some of the letters {_LETTERS}, such as XY.")
    return tuple(category for category in dict.fromkeys((*RELEVANT, *CITED)) if category.value in wanted)


def _print_history(front: Front, found: ReadingHistory) -> None:
    from claimlight.services.stopping.words import describe_since

    if not found.blocks:
        front.say("No document is read in this case yet.")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("Documents read")
    for feature in found.features:
        table.add_column(feature.label, justify="right")
    table.add_column("Relevant", justify="right")
    for block in found.blocks:
        counts = (*block.passages, block.relevant)
        table.add_row(f"{block.first:,}–{block.last:,}", *(f"{count:,}" for count in counts))
    totals = (*(item.passages for item in found.features), sum(block.relevant for block in found.blocks))
    table.add_row("All", *(f"{count:,}" for count in totals), style="bold")
    front.out.print(table)
    front.say("Under each feature: new confirmed passages. Relevant: documents with a relevant category.")
    for feature in found.features:
        # Not markup: a claim may have square brackets.
        words = " ".join(feature.text.split())
        front.out.print(Text(f"{feature.label} ({words}): {describe_since(feature)}"))
    if found.other:
        front.say(f"{plural(found.other, 'confirmed passage')} of earlier wordings of features left out.")


def _show(front: Front, number: int, found: UnreadEstimate, *, as_json: bool) -> None:
    from claimlight.services.stopping import words

    if as_json:
        body = plain(found)
        body |= {
            "counted": found.counted,
            "positive": found.positive,
            "assumption": words.describe_assumption(found),
        }
        front.line({"schema": "claimlight.estimate.1", "case": number, **body})
        return
    front.say(words.describe_sample(found))
    table = Table(show_header=False, box=None, pad_edge=False)
    for place, item in enumerate(found.documents, 1):
        state = ("relevant" if item.relevant else "not relevant") if item.read else "unread"
        turn = "" if item.counted or not item.read else "read out of turn"
        rank = f"{item.rank:,} of L{found.sample.set_number}" if item.rank else "not in the set"
        table.add_row(f"{place}", str(item.publication), Text(rank, style="dim"), state, turn)
    front.out.print(table)
    for sentence in (words.describe_left(found), words.describe_recall(found)):
        if sentence:
            front.say(sentence)
    front.say(words.describe_assumption(found))
