"""``matrix``: features of a claim against documents, and the documents that cover it together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from core.cli import render
from core.cli.asked import (
    ClaimNumber,
    ClaimsFile,
    ClaimText,
    LikeDocument,
    WithoutFamily,
    asked_of,
    publication,
)
from core.cli.commands import AsJson, LibraryFolder, front_of, load_settings, opened
from core.cli.front import plain
from core.services import matrix as matrices
from core.services.documents import identify
from core.services.library import Library
from core.services.requests import claim_search
from core.services.search import SearchEngine
from core.settings import Settings
from core.tasks import TaskContext
from core.types import (
    CoverageMatrix,
    DocumentPair,
    Lamp,
    MatrixCell,
    MatrixRow,
    PatentId,
    PublicationNumber,
    Query,
    SearchRequest,
    SearchResults,
    strength_figure,
)

SCHEMA = "claimlight.matrix.2"
LAMPS = {Lamp.NONE: "", Lamp.NO_SHARED_WORD: "≠", Lamp.WORDS_ONLY: "w"}
_CELL = 6


def _legend(matrix: CoverageMatrix) -> str:
    least, strong = (strength_figure(each) for each in (matrix.thresholds.least, matrix.thresholds.strong))
    return (
        f"Match strength 0 to 100: ● strong, from {strong}; ◐ medium, from {least}; · below threshold; "
        "– no match; ○ not judged; ≠ no shared word; w all words there, below threshold. "
        "Suggestions, not confirmed."
    )


def matrix_command(
    context: typer.Context,
    library: LibraryFolder,
    claims: ClaimsFile = None,
    text: ClaimText = None,
    like: LikeDocument = None,
    claim: ClaimNumber = None,
    documents: Annotated[
        str | None,
        typer.Option(
            "--documents",
            metavar="PUBLICATION,...",
            help="The documents to compare; default: the best of a search.",
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Without --documents: how many of a search.")] = 10,
    pairs: Annotated[int, typer.Option("--pairs", min=0, help="How many pairs of documents to list.")] = 5,
    residual: Annotated[
        str | None,
        typer.Option(
            "--residual",
            metavar="PUBLICATION",
            help="Also search for the features that this document (D1) lacks.",
        ),
    ] = None,
    exclude_family_of: WithoutFamily = None,
    as_json: AsJson = False,
) -> None:
    """Show how well each document matches each feature, and which documents cover the claim together."""
    front = front_of(context)
    settings = load_settings(front)
    if sum(source is not None for source in (claims, text, like)) != 1:
        raise typer.BadParameter("Give one of --claims FILE, --text TEXT and --like PUBLICATION.")
    with opened(library) as found, front.working() as task:
        about = asked_of(front, found, task, claims=claims, text=text, like=like, claim=claim)
        left_out = publication(exclude_family_of) or about.own
        engine = SearchEngine.open(found, settings)
        request = claim_search(
            about.query, claim=about.claim, dates=about.dates, own_family=left_out, top=top
        )
        shown = _documents(found, documents) if documents else _best(engine, request, task)
        asked = _Asked(engine, found, settings, about.query, left_out)
        matrix = asked.matrix(shown, task)
        made = matrices.pairs(matrix, limit=pairs) if pairs else ()
        lacking = asked.residual(residual, request, task) if residual else None
    if as_json or front.events:
        more = {"residual": plain(lacking)} if lacking else {}
        body = {"event": "matrix", "schema": SCHEMA, **plain(matrix), "pairs": plain(made), **more}
        front.line(body)
        return
    print_matrix(front.out, matrix, made)
    if lacking is not None:
        render.print_results(front.out, lacking)


class _Asked:
    """What every matrix of one call shares."""

    def __init__(
        self,
        engine: SearchEngine,
        library: Library,
        settings: Settings,
        query: Query,
        own: PublicationNumber | None,
    ) -> None:
        self._engine, self._library, self._settings = engine, library, settings
        self._query, self._own = query, own

    def matrix(self, patents: list[PatentId], context: TaskContext) -> CoverageMatrix:
        return matrices.coverage_matrix(
            self._engine,
            self._library,
            self._settings,
            self._query,
            patents,
            context,
            exclude_family_of=self._own,
        )

    def residual(self, document: str, request: SearchRequest, context: TaskContext) -> SearchResults | None:
        """What is found for the features a document lacks; None where it lacks none."""
        patent = identify(self._library, document)
        lacking = matrices.residual(self.matrix([patent], context), patent, request)
        return self._engine.run(lacking.request, context) if lacking.request else None


def _documents(library: Library, publications: str) -> list[PatentId]:
    return [identify(library, item.strip()) for item in publications.split(",") if item.strip()]


def _best(engine: SearchEngine, request: SearchRequest, context: TaskContext) -> list[PatentId]:
    return [hit.patent.id for hit in engine.run(request, context).hits]


def print_matrix(console: Console, matrix: CoverageMatrix, pairs: tuple[DocumentPair, ...]) -> None:
    """Everything a person wants of a matrix."""
    console.print(render.claim(matrix.query))
    for note in matrix.notes:
        console.print(Text(f"Note: {note}", style="bold yellow"))
    for title, rows in (("", matrix.rows), ("Title and abstract only", matrix.abstracts_only)):
        if rows:
            for line in _lines(title, matrix, rows):
                console.print(line, soft_wrap=True)
    if not matrix.rows and not matrix.abstracts_only:
        console.print("There is no document to show.")
    console.print(Text(_legend(matrix), style="dim"))
    names = {row.patent.id: str(row.patent.publication) for row in (*matrix.rows, *matrix.abstracts_only)}
    for pair in pairs:
        console.print(_pair(pair, names))


def _lines(title: str, matrix: CoverageMatrix, rows: tuple[MatrixRow, ...]) -> Iterator[Text]:
    """A heading and one line for each document; columns of equal width, never folded."""
    width = max(len(str(row.patent.publication)) for row in rows) + 2
    if title:
        yield Text(title, style="bold")
    head = Text(" " * width)
    for feature in matrix.features:
        head.append(f"{feature.label:<{_CELL}}", style=f"bold {render.colour(feature.label)}")
    yield head
    for row in rows:
        line = Text(f"{row.patent.publication!s:<{width}}", style="bold")
        for cell in row.cells:
            line.append(f"{_cell(cell):<{_CELL}}", style=render.colour(cell.feature))
        yield line


def _cell(cell: MatrixCell) -> str:
    return render.figure(cell) + LAMPS[cell.lamp]


def _pair(pair: DocumentPair, names: dict[PatentId, str]) -> Text:
    text = Text(f"{strength_figure(pair.strength):3d}  ", style="bold")
    text.append(f"{names[pair.first]} + {names[pair.second]}", style="bold")
    for label, features in (
        ("both", pair.both),
        ("first adds", pair.first_adds),
        ("second adds", pair.second_adds),
        ("missing", pair.missing),
    ):
        if features:
            text.append(f"  {label} {' '.join(features)}", style="dim")
    return text
