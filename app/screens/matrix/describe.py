"""Cells, rows and pairs in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.models.columns import printed_publication
from app.models.lamps import LAMP_HELP, LAMP_SIGN, LAMP_WORDS
from app.wording import counted
from core.types import CellVerdict

if TYPE_CHECKING:
    from app.models.coverage import Compared
    from core.types import CoverageMatrix, DocumentPair, MatrixCell, MatrixRow

VERDICT_WORDS = {
    CellVerdict.COVERED: "covered",
    CellVerdict.PARTIAL: "in part",
    CellVerdict.NOTHING: "nothing found",
    CellVerdict.UNCALIBRATED: "not judged",
}
VERDICT_SIGN = {
    CellVerdict.COVERED: "●",
    CellVerdict.PARTIAL: "◐",
    CellVerdict.NOTHING: "–",
    CellVerdict.UNCALIBRATED: "○",
}


def percent(share: float) -> str:
    """Without decimals, and never a false 100."""
    return f"{min(99, round(share * 100)) if share < 1 else 100}"


def cell_text(cell: MatrixCell) -> str:
    """Sign and figure of a cell."""
    sign = VERDICT_SIGN[cell.verdict]
    return sign if cell.verdict is CellVerdict.NOTHING else f"{sign} {percent(cell.shown)}"


def cell_spoken(cell: MatrixCell) -> str:
    """A cell for the ear."""
    parts = [f"{cell.feature} {VERDICT_WORDS[cell.verdict]}"]
    if cell.verdict is not CellVerdict.NOTHING:
        parts.append(f"{percent(cell.shown)} percent")
    if cell.label and cell.passage is not None:
        parts.append(cell.label)
    if cell.lamp in LAMP_WORDS:
        parts.append(LAMP_WORDS[cell.lamp])
    return ", ".join(parts)


def cell_sentence(row: MatrixRow, cell: MatrixCell, matrix: CoverageMatrix) -> str:
    """Everything about a cell in one line."""
    feature = next((each.text for each in matrix.features if each.label == cell.feature), "")
    name = printed_publication(str(row.patent.publication))
    parts = [f"{name}  ·  {cell.feature} {VERDICT_WORDS[cell.verdict]}"]
    if cell.passage is None:
        parts.append("no passage carries any of it")
    else:
        judged = matrix.calibration and cell.verdict is not CellVerdict.UNCALIBRATED
        likely = f", likely to {percent(cell.probability)} %" if judged else ""
        parts.append(f"best passage {cell.label} carries {percent(cell.coverage)} % of its weight{likely}")
    if cell.lamp in LAMP_WORDS:
        parts.append(LAMP_WORDS[cell.lamp])
    parts.append(" ".join(feature.split()))
    return "  ·  ".join(parts)


def cell_tip(row: MatrixRow, cell: MatrixCell, matrix: CoverageMatrix) -> str:
    """The same on several lines, with what a lamp means."""
    lines = cell_sentence(row, cell, matrix).split("  ·  ")
    if cell.lamp in LAMP_HELP:
        lines.append(LAMP_HELP[cell.lamp])
    return "\n".join(lines)


def matrix_title(compared: Compared) -> str:
    """How many documents are compared of how many."""
    matrix = compared.matrix
    count, only = len(compared.rows), len(matrix.abstracts_only)
    cut = compared.listed > count
    documents = f"the first {count:,} of {compared.listed:,} documents" if cut else counted(count, "document")
    abstracts = f", {only:,} with no more than an abstract" if only else ""
    return f"{counted(len(matrix.features), 'feature')} × {documents}{abstracts}"


def legend(matrix: CoverageMatrix) -> str:
    """The signs of this matrix and what they mean."""
    cells = [cell for row in (*matrix.rows, *matrix.abstracts_only) for cell in row.cells]
    verdicts, lamps = {cell.verdict for cell in cells}, {cell.lamp for cell in cells}
    signs = [f"{VERDICT_SIGN[each]} {words}" for each, words in VERDICT_WORDS.items() if each in verdicts]
    signs += [f"{LAMP_SIGN[each]} {words}" for each, words in LAMP_WORDS.items() if each in lamps]
    return f"{'   '.join(signs)}; candidates until you have read them" if signs else ""


def pair_title(compared: Compared) -> str:
    """What the pairs were chosen from."""
    count = len(compared.rows)
    if not compared.pairs:
        return f"No two of {counted(count, 'document')} cover more together than the better one alone"
    return f"Best pairs of {counted(count, 'document')}, by what they cover together"


def pair_spoken(pair: DocumentPair, names: tuple[str, str]) -> str:
    """A pair for the ear."""
    first, second = names
    return (
        f"{first} with {second}: together {percent(pair.covered)} percent; "
        f"only the first covers {_list(pair.first_adds)}; only the second {_list(pair.second_adds)}; "
        f"both {_list(pair.both)}; missing {_list(pair.missing)}"
    )


def _list(labels: tuple[str, ...]) -> str:
    return ", ".join(labels) or "nothing"
