"""Cells, rows and pairs in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from claimlight.services.search.cell_words import (
    BY_HAND_SIGN,
    BY_HAND_WORDS,
    CHART_SIGN,
    FIRST_ONLY_WORDS,
    LAMP_SIGN,
    LAMP_WORDS,
    VERDICT_SIGN,
    VERDICT_WORDS,
    matrix_cell_words,
    read_words,
)
from claimlight.services.search.pair_words import (
    combined_words,
    disclosed_words,
    format_combined,
    no_pair_text,
    parts_of,
)
from claimlight.services.search.verdict_words import PROBABILITY, PROMISES
from claimlight.types import (
    ByHand,
    CellVerdict,
    ChartVerdict,
    IndexDepth,
    format_publication,
    strength_figure,
)
from claimlight_workbench.language import begin, tell, tr, trn
from claimlight_workbench.models.lamps import LAMP_HELP
from claimlight_workbench.wording import DEPTH_WORDS, WAITING_SIGN, WAITING_WORDS, waiting_words

if TYPE_CHECKING:
    from claimlight.types import CoverageMatrix, DocumentPair, MatrixCell, MatrixRow, Pairs, Query
    from claimlight_workbench.values import Compared, Comparing, Judged

_Each = TypeVar("_Each")
_PALE = tr(
    "Pale: the judge has read the first passages of the document only. When it has ruled on all it reads on "
    "in the best ones, then in the open document and in the rows that stay in view here."
)
_NO_VERDICT = tr("match strength, no verdict")


def cell_spoken(cell: MatrixCell, query: Query, *, waiting: bool = False) -> str:
    """Screen-reader text of a cell; ``waiting``: the judge has yet to rule on it."""
    if waiting and cell.by_hand is ByHand.NONE:
        return f"{cell.feature} {waiting_words(cell)}"
    lamp = f", {tell(LAMP_WORDS[cell.lamp])}" if cell.lamp in LAMP_WORDS else ""
    return f"{cell.feature} {tell(matrix_cell_words(cell, query))}{lamp}"


def cell_sentence(row: MatrixRow, cell: MatrixCell, matrix: CoverageMatrix, *, waiting: bool = False) -> str:
    """A cell in one line."""
    return "  ·  ".join(_cell_parts(row, cell, matrix, waiting=waiting))


def cell_tip(row: MatrixRow, cell: MatrixCell, matrix: CoverageMatrix, *, waiting: bool = False) -> str:
    """The same on several lines, with the meaning of a warning."""
    lines = list(_cell_parts(row, cell, matrix, waiting=waiting))
    if cell.lamp in LAMP_HELP:
        lines.append(LAMP_HELP[cell.lamp])
    return "\n".join(lines)


def _cell_parts(row: MatrixRow, cell: MatrixCell, matrix: CoverageMatrix, *, waiting: bool) -> Iterator[str]:
    """What document and cell are, its warning, the judge, and the words of the feature."""
    feature = next((each.text for each in matrix.features if each.label == cell.feature), "")
    open_one = waiting and cell.by_hand is ByHand.NONE
    said = waiting_words(cell) if open_one else tell(matrix_cell_words(cell, matrix.query))
    yield f"{format_publication(str(row.patent.publication))}  ·  {cell.feature} {said}"
    if cell.lamp in LAMP_WORDS:
        yield tell(LAMP_WORDS[cell.lamp])
    yield " ".join(feature.split())
    if cell.ruling is not None:
        yield tr(
            "judge {judge}, {read_words}", judge=cell.ruling.judge, read_words=tell(read_words(cell.ruling))
        )


def matrix_title(compared: Compared | Comparing) -> str:
    """How many documents of the list are compared."""
    matrix = compared.matrix
    count, only = len(matrix.every_row), len(matrix.abstracts_only)
    cut = compared.listed > count
    documents = (
        tr("the first {count:,} of {listed:,} documents", count=count, listed=compared.listed)
        if cut
        else trn("{n:,} document", "{n:,} documents", count)
    )
    abstracts = tr(", {only:,} with an abstract only", only=only) if only else ""
    return f"{trn('{n:,} feature', '{n:,} features', len(matrix.features))} × {documents}{abstracts}"


def judged_words(judged: Judged) -> str:
    """How far the judge is: ``12 of 50 judged``, ``reading on in the best documents: 2 of 4 read``."""
    done, total = judged.done, judged.total
    if not judged.reading_on:
        return tr("{done:,} of {total:,} judged", done=done, total=total)
    return tr("reading on in the best documents: {done:,} of {total:,} read", done=done, total=total)


def legend(matrix: CoverageMatrix, *, waiting: bool = False) -> str:
    """The signs in this matrix and their meaning, short enough for one line."""
    cells = [cell for row in matrix.every_row for cell in row.cells]
    ruled = {cell.ruling.verdict for cell in cells if cell.ruling is not None}
    verdicts = {cell.verdict for cell in cells if cell.ruling is None}
    lamps = {cell.lamp for cell in cells}
    shown = [each for each in ChartVerdict if waiting or each in ruled]
    groups = [_join_signs(CHART_SIGN, {each: tell(each.value) for each in shown})]
    if waiting:
        groups.append(f"{WAITING_SIGN} {WAITING_WORDS}")
    else:
        words = {each: tell(text).removesuffix(tr(" match")) for each, text in VERDICT_WORDS.items()} | {
            CellVerdict.NONE: tell(VERDICT_WORDS[CellVerdict.NONE])
        }
        plain = _join_signs(VERDICT_SIGN, {each: words[each] for each in words if each in verdicts})
        groups.append(f"{_NO_VERDICT}:  {plain}" if plain else "")
    if _has_pale(matrix, waiting=waiting):
        groups.append(tr("pale: {words}", words=tell(FIRST_ONLY_WORDS)))
    groups.append(
        "   ".join(f"{LAMP_SIGN[each]} {tell(text)}" for each, text in LAMP_WORDS.items() if each in lamps)
    )
    signs = "   ".join(group for group in groups if group)
    decided = {cell.by_hand for cell in cells}
    own = _join_signs(BY_HAND_SIGN, {each: BY_HAND_WORDS[each] for each in BY_HAND_WORDS if each in decided})
    return "   ".join(
        filter(None, (tr("Suggestions – not confirmed:  {signs}", signs=signs) if signs else "", own))
    )


def _has_pale(matrix: CoverageMatrix, *, waiting: bool) -> bool:
    """Whether rows are pale, or will be as soon as they are judged."""
    return matrix.reads_on if waiting else bool(matrix.first_only)


def _join_signs(signs: Mapping[_Each, str], words: Mapping[_Each, str]) -> str:
    return "   ".join(f"{signs[each]} {text}" for each, text in words.items())


def legend_tip(matrix: CoverageMatrix, *, waiting: bool = False) -> str:
    """The legend with the meaning of verdicts and figures."""
    least, strong = (strength_figure(each) for each in (matrix.thresholds.least, matrix.thresholds.strong))
    ruled = any(cell.ruling is not None for row in matrix.every_row for cell in row.cells)
    verdicts = [f"{CHART_SIGN[each]} {tell(each.value)}: {tell(PROMISES[each])}" for each in ChartVerdict]
    said = (
        [*verdicts, tr("The figure is the {probability}.", probability=tell(PROBABILITY))]
        if ruled or waiting
        else []
    )
    if _has_pale(matrix, waiting=waiting):
        said.append(_PALE)
    return "\n".join(
        (
            legend(matrix, waiting=waiting),
            *said,
            tr(
                "Match strength, 0 to 100: the share of a feature's weight that the best passage of "
                "the document matches. It is no verdict."
            ),
            tr(
                "Strong from {strong}, medium from {least}; less is below threshold.",
                strong=strong,
                least=least,
            ),
        )
    )


def pair_title(compared: Compared, pairs: Pairs) -> str:
    """What the pairs were chosen from."""
    documents = trn("{n:,} document", "{n:,} documents", pairs.chosen_from)
    if not pairs.pairs:
        return f"{tell(no_pair_text(compared.matrix, pairs))} ({documents})"
    return tr(
        "Best pairs of {documents}, by their {combined_words}",
        documents=documents,
        combined_words=tell(combined_words(compared.matrix)),
    )


def pair_spoken(pair: DocumentPair, *rows: MatrixRow, matrix: CoverageMatrix) -> str:
    """Screen-reader text of a pair; ``rows`` are those of its documents."""
    first, second = map(_describe_document, rows)
    parts = "; ".join(f"{tell(said)} {', '.join(features)}" for said, features in parts_of(pair))
    figures = (
        f"{tell(combined_words(matrix))} {format_combined(pair)}; {tell(disclosed_words(matrix))}: {parts}"
    )
    return tr("D1 {first} with D2 {second}: {figures}", first=first, second=second, figures=figures)


def pair_tip(pair: DocumentPair) -> str:
    """What either document of a pair has, and what neither has, on a line each."""
    return "\n".join(begin(f"{tell(said)} {', '.join(features)}") for said, features in parts_of(pair))


def _describe_document(row: MatrixRow) -> str:
    name = format_publication(str(row.patent.publication))
    partly = DEPTH_WORDS if row.depth is IndexDepth.CLAIMS else ""
    more = ", ".join(filter(None, (tell(row.dates.label), partly)))
    return f"{name} ({more})" if more else name
