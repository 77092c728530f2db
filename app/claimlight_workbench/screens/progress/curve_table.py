"""The coverage curve as a table: the same figures for the keyboard and for screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from claimlight.types import format_publication
from claimlight_workbench.language import number, tr
from claimlight_workbench.widgets.reading_curve import point_words

if TYPE_CHECKING:
    from claimlight.types import CoverageCurve

_HEADINGS = (
    tr("No."),
    tr("Document"),
    tr("Confirmed"),
    tr("Evidence"),
    tr("Relevant"),
    tr("First confirmed"),
)
_TIPS = (
    tr("Place in the order of reading"),
    "",
    tr("Features with a confirmed passage in the documents read so far"),
    tr("The same, or disclosed by the evidence: by the judge, without one by a strong match"),
    tr("Documents with a relevant category so far"),
    tr("Features whose first confirmed passage is in this document"),
)
_Index = QModelIndex | QPersistentModelIndex


class CurveTable(QAbstractTableModel):
    """A row for each document read, in the order of reading."""

    def __init__(self) -> None:
        super().__init__()
        self._found: CoverageCurve | None = None

    def show_curve(self, found: CoverageCurve | None) -> None:
        """Show another curve."""
        self.beginResetModel()
        self._found = found
        self.endResetModel()

    def publication(self, row: int) -> str:
        """The document of a row."""
        return str(self._found.points[row].publication) if self._found is not None else ""

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return len(self._found.points) if self._found is not None and not parent.isValid() else 0

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_HEADINGS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section]
        return _HEADINGS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._found is None:
            return None
        point = self._found.points[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return point_words(point, self._found)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        texts = (
            number(point.place, ","),
            format_publication(str(point.publication)),
            number(point.confirmed, ","),
            number(point.covered, ",") if self._found.compared else "–",
            number(point.relevant, ","),
            ", ".join(point.first_confirmed),
        )
        return texts[index.column()]
