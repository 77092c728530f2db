"""What one document lacks of a claim: the features that a further search asks with."""

from __future__ import annotations

from core.types import CellVerdict, MatrixRow


def lacking(row: MatrixRow, threshold: float) -> tuple[str, ...]:
    """Labels of the features a document does not cover, in order."""
    return tuple(
        cell.feature
        for cell in row.cells
        if (
            cell.probability < threshold
            if cell.verdict is CellVerdict.UNCALIBRATED
            else cell.verdict is not CellVerdict.COVERED
        )
    )
