"""``cases confirm``, ``reject``, ``withdraw``, ``confirmations``, ``export-cells``: decisions on cells."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from claimlight.cli.case_options import case_book
from claimlight.cli.cases_command import Number
from claimlight.cli.commands import STANDARD_INPUT, AsJson, LibraryPlace, front_of, open_library
from claimlight.cli.front import plain
from claimlight.cli.search_input import read_publication
from claimlight.codec import encode
from claimlight.errors import InputError
from claimlight.files import Access, open_text_atomically
from claimlight.services.library.documents import identify
from claimlight.services.library.library import Library
from claimlight.types import Case, CaseId, Confirmation, Decision, plural

Publication = Annotated[str, typer.Argument(metavar="PUBLICATION", help="The document, such as EP1000000A1.")]
FeatureLabel = Annotated[
    str, typer.Option("--feature", metavar="LABEL", help="Label of the feature, such as F2.")
]
PassageLabel = Annotated[
    str,
    typer.Option(
        "--passage", metavar="CITATION", help="How the passage is cited, such as [0042] or claim 3."
    ),
]
Comment = Annotated[
    str, typer.Option("--comment", metavar="TEXT", help="Why, in a few words.", show_default=False)
]


def confirm_command(
    context: typer.Context,
    number: Number,
    publication: Publication,
    feature: FeatureLabel,
    passage: PassageLabel,
    library: LibraryPlace,
    comment: Comment = "",
) -> None:
    """Confirm that a passage discloses a feature of the claim of a case."""
    front = front_of(context)
    with case_book() as book, open_library(library) as found:
        case = book.case(CaseId(number))
        made = _make(case, found, publication, feature, passage, Decision.CONFIRMED, comment)
        book.decide(case.id, made)
    front.say(_describe(made))


def reject_command(
    context: typer.Context,
    number: Number,
    publication: Publication,
    feature: FeatureLabel,
    passage: PassageLabel,
    library: LibraryPlace,
    comment: Comment = "",
) -> None:
    """Reject a passage for a feature of the claim of a case: it is not offered for it again."""
    front = front_of(context)
    with case_book() as book, open_library(library) as found:
        case = book.case(CaseId(number))
        made = _make(case, found, publication, feature, passage, Decision.REJECTED, comment)
        book.decide(case.id, made)
    front.say(_describe(made))


def withdraw_command(
    context: typer.Context,
    number: Number,
    publication: Publication,
    feature: FeatureLabel,
    passage: PassageLabel,
) -> None:
    """Withdraw a confirmation or rejection; feature and passage are named as when it was decided."""
    from claimlight.services.search.confirmations import same_citation

    document = read_publication(publication)
    with case_book() as book:
        case = book.case(CaseId(number))
        found = [
            item
            for item in book.confirmations(case.id)
            if item.publication == document
            and item.feature_label == feature.strip().upper()
            and same_citation(item.label, passage)
        ]
        if not found:
            raise InputError(
                f"Case {case.id} has no decision on {document} {passage} for {feature}; "
                f"`claimlight cases confirmations {case.id}` lists them."
            )
        for item in found:
            book.withdraw(case.id, item)
    front_of(context).say(f"{document} {found[0].label} is undecided for {found[0].feature_label}.")


def confirmations_command(context: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """List the passages confirmed and rejected in a case, by document."""
    front = front_of(context)
    with case_book() as book:
        case = book.case(CaseId(number))
        found = book.confirmations(case.id)
    earlier = _list_earlier(case, found)
    if as_json:
        listed = [{**plain(item), "earlier_wording": item in earlier} for item in found]
        front.line({"case": number, "confirmations": listed})
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for item in found:
        told = ", ".join(filter(None, ("for an earlier wording" if item in earlier else "", item.comment)))
        table.add_row(
            str(item.publication),
            Text(item.label),
            item.decision.value,
            item.feature_label,
            Text(" ".join(item.feature.split())),
            Text(f"{item.at:%Y-%m-%d %H:%M}", style="dim"),
            Text(told),
        )
    front.out.print(table)
    if not found:
        front.say("Nothing is confirmed or rejected in this case yet.")


def export_cells_command(
    context: typer.Context,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="File to write; - for standard output.")],
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="CASE", min=1, help="Numbers of the cases (`claimlight cases list`)."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All cases, archived ones too, but not deleted ones.")
    ] = False,
) -> None:
    """Export the confirmed and rejected passages of cases as training cells, one JSON object per line.

    A line has subject, feature, passage, disclosed, publication and label (docs/reference/export.md). It
    contains the words of your claims.
    """
    from claimlight.services.search.confirmations import decided_cells

    front = front_of(context)
    if bool(numbers) == everything:
        raise typer.BadParameter("Give numbers of cases, or --all.")
    with case_book() as book:
        cases = book.cases(archived=True) if everything else [book.case(CaseId(n)) for n in numbers or ()]
        cells = [cell for case in cases for cell in decided_cells(book.confirmations(case.id))]
    lines = [f"{encode(cell)}\n" for cell in cells]
    if to == STANDARD_INPUT:
        sys.stdout.writelines(lines)
        return
    with open_text_atomically(to, Access.AS_BEFORE) as stream:
        stream.writelines(lines)
    front.say(f"Wrote {plural(len(cells), 'cell')} to {to}.")


def _make(
    case: Case,
    library: Library,
    publication: str,
    feature: str,
    passage: str,
    decision: Decision,
    comment: str,
) -> Confirmation:
    from claimlight.services.search.confirmations import find_passage, make_confirmation
    from claimlight.services.search.search_input import input_from_case

    about = input_from_case(case)
    return make_confirmation(
        library,
        about.query,
        feature,
        find_passage(library, identify(library, publication), passage),
        decision,
        at=datetime.now(UTC),
        claim=about.claim,
        comment=comment,
    )


def _describe(item: Confirmation) -> str:
    about = " ".join(item.feature.split())
    return f"{item.publication} {item.label} is {item.decision.value} for {item.feature_label} ({about})."


def _list_earlier(case: Case, confirmations: Sequence[Confirmation]) -> list[Confirmation]:
    """Those for features of the case's claim that were edited since."""
    from claimlight.services.search.confirmations import feature_digest

    digests = {feature_digest(text) for text in case.features}
    return [
        item
        for item in confirmations
        if case.features and item.claim == case.claim and item.feature_digest not in digests
    ]
