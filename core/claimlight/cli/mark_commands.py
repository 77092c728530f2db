"""``cases mark``, ``cases note``: the category of a document with its passages, and notes on passages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from claimlight.cli.case_options import case_book
from claimlight.cli.cases_command import Number
from claimlight.cli.commands import LibraryPlace, front_of, open_library
from claimlight.cli.confirmation_commands import PassageLabel, Publication
from claimlight.cli.search_input import read_publication
from claimlight.errors import InputError
from claimlight.tasks import TaskContext
from claimlight.types import (
    CITED,
    CaseId,
    Mark,
    MarkedPassage,
    PublicationNumber,
    Span,
    read_letters,
)


def mark_command(
    context: typer.Context,
    number: Number,
    publication: Publication,
    letters: Annotated[
        str,
        typer.Argument(
            metavar="LETTERS",
            help="One of X, Y and A, with O, P, E, T, L and D before it where they apply: P,X. 0: not "
            "relevant; -: no category.",
        ),
    ],
    claim: Annotated[
        int | None,
        typer.Option(
            "--claim",
            metavar="N",
            min=0,
            help="The claim; 0: the whole application. Default: the claim that is searched in the case.",
            show_default=False,
        ),
    ] = None,
    passages: Annotated[
        list[str] | None,
        typer.Option(
            "--passage",
            metavar="CITATION",
            help="A passage or figure ('figure 3') that the category is given for, besides the passages "
            "confirmed for the claim; needs --library. May be repeated. What is cited already is removed.",
            show_default=False,
        ),
    ] = None,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            metavar="DIR|ADDRESS",
            help="Folder of the library, or address of a shared one.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Give a document a category for a claim, with the letters of a search report."""
    front = front_of(context)
    document = _read(publication)
    try:
        category, kinds = read_letters("" if letters.strip() == "-" else letters)
    except ValueError as error:
        raise InputError(str(error)) from error
    if passages and library is None:
        raise InputError("Name the library of the passages with --library.")
    with case_book() as book:
        case = book.case(CaseId(number))
        about = case.claim if claim is None else claim
        known = _find_mark(book.marks(case.id), document, about)
        chosen = [_chosen(library, document, label) for label in passages or () if library is not None]
        given = replace(known, category=category, kinds=kinds)
        if category not in CITED:
            given = replace(given, passages=(), left_out=())
        book.mark(case.id, given)
        cited = [(item.label, book.cite(case.id, given, item)) for item in chosen]
    told = f"{document} is marked {given.letters}" if given.letters else f"{document} has no category"
    front.say(f"{told} for {f'claim {about}' if about else 'the whole application'}.")
    for label, is_cited in cited:
        front.say(f"{label}: {'cited' if is_cited else 'no longer cited'} with it.")


def note_command(
    context: typer.Context,
    number: Number,
    publication: Publication,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The note; an empty one removes it.")],
    passage: PassageLabel,
    library: LibraryPlace,
    words: Annotated[
        str,
        typer.Option(
            "--words",
            metavar="WORDS",
            help="Words of the passage that the note is on; default: the whole passage.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """Write a note on a passage of a document, or on words of it."""
    from claimlight.services.library.documents import identify
    from claimlight.services.search.chosen_passages import make_passage_note
    from claimlight.services.search.confirmations import find_passage

    document = _read(publication)
    with case_book() as book, open_library(library) as found:
        case = book.case(CaseId(number))
        stored = find_passage(found, identify(found, document), passage)
        at = stored.text.find(words) if words else 0
        if at < 0:
            raise InputError(f"{document} {stored.label} does not contain {words!r}.")
        span = Span(at, at + len(words)) if words else None
        note = make_passage_note(found, stored, text, at=datetime.now(UTC), words=span)
        book.note_passage(case.id, note)
    done = "Note written on" if text.strip() else "No note any more on"
    front_of(context).say(f"{done} {document} {stored.label}.")


def _read(publication: str) -> PublicationNumber:
    document = read_publication(publication)
    if document is None:
        raise InputError("Name the document, such as EP1000000A1.")
    return document


def _find_mark(marks: list[Mark], document: PublicationNumber, claim: int) -> Mark:
    own = (item for item in marks if (item.publication, item.claim, item.feature) == (document, claim, ""))
    return next(own, Mark(document, claim=claim))


def _chosen(library: str, document: PublicationNumber, label: str) -> MarkedPassage:
    from claimlight.services.library.documents import identify
    from claimlight.services.search.chosen_passages import choose_figure, choose_passage
    from claimlight.services.search.confirmations import find_passage
    from claimlight.text.figures import find_figures

    with open_library(library) as found:
        patent = identify(found, document)
        figures = find_figures(label)
        if len(figures) == 1 and len(figures[0].labels) == 1 and figures[0].end == len(label.rstrip()):
            return choose_figure(found, patent, figures[0].labels[0], TaskContext())
        return choose_passage(found, find_passage(found, patent, label))
