"""``show``: print whole documents of a library as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.markup import escape

from claimlight.cli.commands import (
    STANDARD_INPUT,
    AsJson,
    LibraryPlace,
    front_of,
    open_library,
    standard_text,
)
from claimlight.cli.front import Front, plain
from claimlight.errors import InputError
from claimlight.services.library import documents
from claimlight.text.kind_codes import explain_kind
from claimlight.types import DocumentView, PassageView, PatentSummary, Priority, Scheme, relation_words

SCHEMA = "claimlight.document.1"
_RELATION = ("relation", "date", "of")


def show_command(
    context: typer.Context,
    publications: Annotated[
        list[str],
        typer.Argument(
            metavar="PUBLICATION",
            help="Publication numbers, such as EP1000000A1; - reads them from standard input, one per line.",
        ),
    ],
    library: LibraryPlace,
    as_json: AsJson = False,
) -> None:
    """Print documents of the library.

    With --json each document is one line (docs/schemas/document.schema.json). If a publication is not in the
    library, that is reported, the others are printed, and the exit code is 1.
    """
    front = front_of(context)
    missing = False
    with open_library(library) as found:
        for number, publication in enumerate(_read_publications(front, publications)):
            try:
                view = documents.view(found, publication)
            except InputError as error:
                front.fail(error)
                missing = True
                continue
            if as_json:
                front.line(_body(view))
                continue
            if number:
                front.out.print()
            _print_document(front, view)
    if missing:
        raise typer.Exit(1)


def _read_publications(front: Front, publications: list[str]) -> Iterator[str]:
    """The arguments; ``-`` is replaced by the lines of standard input."""
    for publication in publications:
        if publication == str(STANDARD_INPUT):
            yield from filter(None, (line.strip() for line in standard_text(front).split("\n")))
        else:
            yield publication


def _body(view: DocumentView) -> dict[str, Any]:
    relations = [
        {"publication": plain(item.number), **{name: plain(getattr(item, name)) for name in _RELATION}}
        for item in view.relations
    ]
    return {"schema": SCHEMA, **plain(view), "relations": relations}


def _origins(view: DocumentView) -> dict[str, str]:
    """The parts taken from each record, if the document was merged from several."""
    records: dict[str, list[str]] = {}
    for item in view.origins:
        place = f"{item.path}!{item.member}" if item.member else item.path
        records.setdefault(f"{place} ({item.dialect})", []).append(item.part.value)
    if len(records) < 2:
        return {}
    return {"parts": "; ".join(f"{', '.join(parts)} from {record}" for record, parts in records.items())}


def _classes(view: DocumentView) -> list[str]:
    """``CPC A01B 1/00, A01B 3/00`` for each scheme; symbols of other schemes contain its name."""
    symbols: dict[Scheme, list[str]] = {}
    for item in view.classes:
        symbols.setdefault(item.scheme, []).append(item.symbol)
    names = {Scheme.CPC: "CPC ", Scheme.IPC: "IPC "}
    return [f"{names.get(each, '')}{', '.join(dict.fromkeys(found))}" for each, found in symbols.items()]


def _priority(item: Priority) -> str:
    """``SE 2750123-4 of 2027-02-10 (national)``."""
    day = f"of {item.date}" if item.date else ""
    kind = f"({item.kind})" if item.kind else ""
    return " ".join(filter(None, (item.country, item.number, day, kind)))


def _print_document(front: Front, view: DocumentView) -> None:
    summary, out = view.summary, front.out
    out.print(f"[bold]{summary.publication}[/]  {escape(summary.title)}")
    parties = "; ".join(f"{party.name} ({party.role.value})" for party in view.parties)
    publication = summary.publication
    facts = {
        "kind": explain_kind(publication.country, publication.kind, summary.published).words,
        "published": summary.published,
        "filed": summary.filed,
        "priority": summary.priority,
        "parties": parties,
        "classes": "; ".join(_classes(view)),
        "family": ", ".join(map(str, view.family_members)),
        "cites": ", ".join(
            " ".join(filter(None, (str(item.publication or item.text), item.category, item.date)))
            for item in view.citations
        ),
        "cited by": ", ".join(map(str, view.cited_by)),
        "priorities": "; ".join(map(_priority, view.priorities)),
        "related": "; ".join(map(relation_words, view.relations)),
        "source": view.source,
        **_origins(view),
    }
    for name, value in facts.items():
        if value:
            out.print(f"[dim]{name:>10}[/]  {escape(str(value))}", soft_wrap=True)
    heading = ""
    for passage in view.passages:
        if passage.heading and passage.heading != heading:
            heading = passage.heading
            out.print(f"\n[bold]{escape(heading)}[/]")
        for label, text in _texts(passage, summary):
            out.print(f"\n[cyan]{escape(label)}[/]  {escape(text)}", soft_wrap=True)


def _texts(passage: PassageView, summary: PatentSummary) -> Iterator[tuple[str, str]]:
    """Label and text of a passage; title and abstract, which are one passage, separately."""
    if not passage.section.front:
        yield passage.label, passage.text
        return
    title, _, abstract = passage.text.partition("\n")
    language = "" if passage.language == summary.language else f" ({passage.language})"
    if title and title != summary.title:
        yield f"title{language}", title
    if abstract:
        yield f"abstract{language}", abstract
