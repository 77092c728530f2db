"""What one document lacks of a claim: the features that a further search asks with."""

from __future__ import annotations

from claimlight.types import CellVerdict, MatrixRow


def lacking(row: MatrixRow) -> tuple[str, ...]:
    """Labels of the features without a strong match in a document, in order."""
    return tuple(cell.feature for cell in row.cells if cell.verdict is not CellVerdict.STRONG)
