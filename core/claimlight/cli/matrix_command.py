"""``matrix``: features of a claim against documents, and pairs of documents that match it together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from claimlight.cli import render
from claimlight.cli.case_options import case_book, find_case
from claimlight.cli.commands import AsJson, LibraryPlace, front_of, load_settings, open_library, to_day
from claimlight.cli.front import plain
from claimlight.cli.search_input import (
    ClaimNumber,
    ClaimsFile,
    ClaimText,
    Filed,
    LikeDocument,
    NoPriority,
    PriorityDate,
    PriorityValid,
    Rules,
    WithoutFamily,
    merge_dates,
    read_input,
    read_publication,
)
from claimlight.services.library.documents import identify
from claimlight.services.library.library import Library
from claimlight.services.search import combining
from claimlight.services.search import matrix as matrices
from claimlight.services.search.cell_words import (
    BY_HAND_SIGN,
    BY_HAND_WORDS,
    CHART_SIGN,
    DEPTH_SIGN,
    FIRST_ONLY_WORDS,
    LAMP_SIGN,
    LAMP_WORDS,
    VERDICT_SIGN,
    VERDICT_WORDS,
    by_hand_words,
    depth_words,
    matrix_cell_text,
    matrix_cell_words,
    notes_of_decisions,
    read_words,
)
from claimlight.services.search.confirmations import (
    apply_confirmations,
    place_confirmations,
    rejected_passages,
)
from claimlight.services.search.pair_words import format_combined, left_out_text, no_pair_text, parts_of
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.search.search_input import input_from_case
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import (
    ByHand,
    Case,
    CellVerdict,
    Confirmation,
    CoverageMatrix,
    IndexDepth,
    MatrixCell,
    MatrixRow,
    Pairs,
    PatentId,
    Residual,
    SearchRequest,
    SearchResults,
    strength_figure,
)

SCHEMA = "claimlight.matrix.3"
_CELL = 6


def matrix_command(
    context: typer.Context,
    library: LibraryPlace,
    claims: ClaimsFile = None,
    text: ClaimText = None,
    like: LikeDocument = None,
    claim: ClaimNumber = None,
    documents: Annotated[
        str | None,
        typer.Option(
            "--documents",
            metavar="PUBLICATION,...",
            help="The documents to compare; default: the first hits of a search.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", min=1, help="Without --documents: how many hits of a search to compare.")
    ] = 10,
    pairs: Annotated[int, typer.Option("--pairs", min=0, help="How many pairs of documents to list.")] = 5,
    all_pairs: Annotated[
        bool,
        typer.Option(
            "--all-pairs",
            help="Pair documents of every date status, even if they do not count for inventive step.",
        ),
    ] = False,
    residual: Annotated[
        str | None,
        typer.Option(
            "--residual",
            metavar="PUBLICATION",
            help="Also search for the features missing from this document (D1): those that it does not "
            "likely disclose, or without a verdict those without a strong match.",
        ),
    ] = None,
    filed: Filed = None,
    priority: PriorityDate = None,
    priority_valid: PriorityValid = False,
    no_priority: NoPriority = False,
    rules: Rules = None,
    exclude_family_of: WithoutFamily = None,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="Plug-in that rules on the cells; none: match strengths alone. "
            "Default: the judge of the settings.",
        ),
    ] = "",
    case: Annotated[
        int | None,
        typer.Option(
            "--case",
            metavar="CASE",
            min=1,
            help="Show which cells were confirmed or rejected in this case; without another claim, compare "
            "its claim with the features last searched.",
            show_default=False,
        ),
    ] = None,
    cells: Annotated[
        bool,
        typer.Option(
            "--cells",
            help="Also list every cell in words: verdict, best passage, missing words and quantities.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show which document discloses which feature of a claim, and which pairs disclose it together."""
    front = front_of(context)
    settings = load_settings(front)
    sources = sum(source is not None for source in (claims, text, like))
    if sources > 1 or (not sources and case is None):
        raise typer.BadParameter("Give exactly one of --claims, --text or --like, or a --case.")
    if not sources and claim is not None:
        raise typer.BadParameter("Without another claim, --case compares the claim of the case.")
    chosen, confirmations = _read_case(case)
    with open_library(library) as found, front.working() as task:
        about = (
            read_input(front, found, task, claims=claims, text=text, like=like, claim=claim)
            if sources or chosen is None
            else input_from_case(chosen)
        )
        reference = merge_dates(
            about.dates,
            filed=to_day(filed),
            priority=to_day(priority),
            valid=priority_valid,
            none=no_priority,
            rules=rules,
        )
        engine = SearchEngine.open(found, settings)
        request = claim_search(
            about.query,
            claim=about.claim,
            dates=reference,
            own_family=read_publication(exclude_family_of) or about.own,
            top=top,
        )
        asked = _Asked(engine, found, settings, request, judge, confirmations)
        matrix = asked.matrix(_documents(found, documents) if documents else asked.best(task), task)
        made = combining.pairs(matrix, limit=pairs, every_status=all_pairs) if pairs else None
        lacking = asked.residual(identify(found, residual), task) if residual else None
        results = engine.run(lacking.request, task) if lacking and lacking.request else None
    if as_json or front.events:
        front.line({"event": "matrix", "schema": SCHEMA, **_body(matrix, made, results)})
        return
    print_matrix(front.out, matrix, made)
    for line in cell_lines(matrix) if cells else ():
        front.out.print(line, soft_wrap=True)
    if results is not None:
        render.print_results(front.out, results)
    elif lacking is not None:
        front.out.print(
            f"{residual} lacks no feature: each is likely disclosed, or has a strong match. There is nothing "
            "left to search for."
        )


def _read_case(number: int | None) -> tuple[Case | None, Sequence[Confirmation]]:
    if number is None:
        return None, ()
    with case_book() as book:
        case = find_case(book, number)
        return case, book.confirmations(case.id)


def _body(matrix: CoverageMatrix, pairs: Pairs | None, results: SearchResults | None) -> dict[str, Any]:
    """The answer as JSON."""
    shown = pairs or Pairs(())
    notes = [*matrix.notes, *notes_of_decisions(matrix), *shown.notes]
    residual = {"residual": plain(results)} if results else {}
    return {**plain(matrix), **plain(shown), "notes": notes, **residual}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What all matrices of one call share."""

    engine: SearchEngine
    library: Library
    settings: Settings
    request: SearchRequest
    judge: str
    confirmations: Sequence[Confirmation]

    def matrix(self, patents: list[PatentId], context: TaskContext) -> CoverageMatrix:
        made = matrices.coverage_matrix(
            self.engine,
            self.library,
            self.settings,
            self.request.query,
            patents,
            context,
            exclude_family_of=self.request.exclude_family_of,
            reference=self.request.reference,
            claim=self.request.claim,
            judge=self.judge,
            rejected=rejected_passages(self.request.query.features, self.confirmations),
            reading=self.settings.search.reading_seconds,
        )
        return apply_confirmations(made, place_confirmations(self.library, self.confirmations))

    def best(self, context: TaskContext) -> list[PatentId]:
        """The documents a search finds."""
        return [hit.patent.id for hit in self.engine.run(self.request, context).hits]

    def residual(self, patent: PatentId, context: TaskContext) -> Residual:
        """The features a document lacks; D1 may also be a member of the own family."""
        own = replace(self, request=replace(self.request, exclude_family_of=None))
        return combining.residual(own.matrix([patent], context), patent, self.request)


def _documents(library: Library, publications: str) -> list[PatentId]:
    return [identify(library, item.strip()) for item in publications.split(",") if item.strip()]


def print_matrix(console: Console, matrix: CoverageMatrix, pairs: Pairs | None) -> None:
    """Print claim, notes, matrix, legend and pairs."""
    console.print(render.claim(matrix.query))
    paired = pairs.notes if pairs is not None else ()
    for note in (*matrix.notes, *notes_of_decisions(matrix), *paired):
        console.print(Text(f"Note: {note}", style="bold yellow"))
    for title, rows in (("", matrix.rows), ("Title and abstract only", matrix.abstracts_only)):
        if rows:
            for line in _lines(title, matrix, rows):
                console.print(line, soft_wrap=True)
    if not matrix.every_row:
        console.print("There are no documents to show.")
    for line in _by_hand_lines(matrix):
        console.print(line, soft_wrap=True)
    console.print(Text(_legend(matrix, pairs), style="dim"))
    if pairs is not None:
        for line in _pair_lines(matrix, pairs):
            console.print(line, soft_wrap=True)
    for line in render.status_legend(row.dates for row in matrix.every_row):
        console.print(line)


def _legend(matrix: CoverageMatrix, pairs: Pairs | None) -> str:
    """The signs in use: verdicts of the judge, and match strengths without one."""
    cells = [cell for row in matrix.every_row for cell in row.cells]
    said: list[str] = []
    if any(cell.ruling is not None for cell in cells):
        signs = "; ".join(f"{sign} {each.value}" for each, sign in CHART_SIGN.items())
        said.append(f"Probability of disclosure, 0 to 100: {signs}.")
    if matrix.first_only:
        said.append(f"Pale: {FIRST_ONLY_WORDS}.")
    if any(cell.ruling is None for cell in cells) or not cells:
        least, strong = (
            strength_figure(each) for each in (matrix.thresholds.least, matrix.thresholds.strong)
        )
        since = {CellVerdict.STRONG: f", from {strong}", CellVerdict.MEDIUM: f", from {least}"}
        signs = "; ".join(
            f"{sign} {VERDICT_WORDS[each]}{since.get(each, '')}" for each, sign in VERDICT_SIGN.items()
        )
        said.append(f"Match strength 0 to 100: {signs}.")
    lamps = "; ".join(f"{sign} {LAMP_WORDS[each]}" for each, sign in LAMP_SIGN.items())
    used = {cell.by_hand for cell in cells}
    decided = "; ".join(
        f"{sign} {BY_HAND_WORDS[each]}" for each, sign in BY_HAND_SIGN.items() if each in used
    )
    said.append(f"{lamps}.")
    if decided:
        said.append(f"{decided}.")
    paired = {each for pair in pairs.pairs for each in (pair.first, pair.second)} if pairs is not None else ()
    if any(row.depth is IndexDepth.CLAIMS and row.patent.id in paired for row in matrix.every_row):
        said.append(f"{DEPTH_SIGN} description not indexed, or only in part.")
    told = "except for the cells confirmed by you" if ByHand.CONFIRMED in used else "not confirmed"
    return f"{' '.join(said)} Suggestions, {told}."


def _by_hand_lines(matrix: CoverageMatrix) -> Iterator[Text]:
    """One line for each cell with a decision of the examiner: document, feature, decision, passage."""
    for row in matrix.every_row:
        for cell in row.cells:
            if words := by_hand_words(cell):
                line = Text(f"{row.patent.publication}  ", style="bold")
                line.append(f"{cell.feature}  ", style=f"bold {render.colour(cell.feature)}")
                yield line.append(words, style="not bold")


def cell_lines(matrix: CoverageMatrix) -> Iterator[Text]:
    """One line for each cell, as its tool tip in the window; below the name of its document."""
    first_only = matrix.first_only
    for row in matrix.every_row:
        yield Text(f"{row.patent.publication}  {row.patent.title}", style="bold")
        for cell in row.cells:
            line = Text("  ")
            line.append(f"{cell.feature}  ", style=f"bold {render.colour(cell.feature)}")
            line.append(matrix_cell_words(cell, matrix.query))
            if cell.ruling is not None:
                partly = f", {FIRST_ONLY_WORDS}" if row.patent.id in first_only else ""
                line.append(f"; judge {cell.ruling.judge}, {read_words(cell.ruling)}{partly}", style="dim")
            yield line


def _lines(title: str, matrix: CoverageMatrix, rows: Sequence[MatrixRow]) -> Iterator[Text]:
    """A heading and one line per document; columns of equal width, never wrapped."""
    width = max(len(str(row.patent.publication)) for row in rows) + 2
    if title:
        yield Text(title, style="bold")
    head = Text(" " * width)
    for feature in matrix.features:
        head.append(f"{feature.label:<{_CELL}}", style=f"bold {render.colour(feature.label)}")
    yield head
    first_only = matrix.first_only
    for row in rows:
        line = Text(f"{row.patent.publication!s:<{width}}", style="bold")
        for cell in row.cells:
            pale = row.patent.id in first_only and cell.by_hand is ByHand.NONE
            line.append(f"{_cell(cell):<{_CELL}}", style="dim" if pale else render.colour(cell.feature))
        line.append(_status(row, depth_words(row.depth, row.read)))
        if row.patent.id in first_only:
            line.append(f"  {FIRST_ONLY_WORDS}", style="dim")
        yield line


def _cell(cell: MatrixCell) -> str:
    return matrix_cell_text(cell).replace(" ", "") + LAMP_SIGN.get(cell.lamp, "")


def _status(row: MatrixRow, depth: str) -> str:
    """The date status of a document, as in a list of results, and how much of it was compared."""
    dates = f" [{row.dates.label}]" if row.dates.label else ""
    return f"{dates} {depth}".rstrip()


def _pair_lines(matrix: CoverageMatrix, pairs: Pairs) -> Iterator[Text]:
    """The documents left out of pairs, then the pairs."""
    if left_out := left_out_text(pairs.left_out):
        yield Text(f"{left_out}; --all-pairs shows them.", style="bold yellow")
    if not pairs.pairs:
        yield Text(f"{no_pair_text(matrix, pairs)}.")
    rows = {row.patent.id: row for row in matrix.every_row}
    for pair in pairs.pairs:
        text = Text(f"{format_combined(pair):>8}  ", style="bold")
        for name, patent in (("D1", pair.first), ("D2", pair.second)):
            text.append(f"{name} {rows[patent].patent.publication}", style="bold")
            partly = rows[patent].depth is IndexDepth.CLAIMS
            text.append(f"{_status(rows[patent], DEPTH_SIGN if partly else '')}  ")
        for said, features in parts_of(pair):
            text.append(f"{said} {' '.join(features)}  ", style="dim")
        text.rstrip()
        yield text
