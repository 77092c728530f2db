"""The result of an import as rows: files, quarantined documents, reasons for skipping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from claimlight_workbench.language import number, tr

if TYPE_CHECKING:
    from claimlight.types import ImportRun

_Index = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Part(StrEnum):
    """The tables of a report."""

    FILES = "files"
    QUARANTINED = "quarantined"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Table:
    """Headings and rows of one part."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: frozenset[int] = frozenset()
    """Right-aligned columns."""


def table_of(run: ImportRun, part: Part) -> Table:
    """The rows of one part of a report."""
    if part is Part.FILES:
        rows = tuple(
            (
                item.path,
                number(item.taken, ","),
                number(item.merged, ","),
                number(item.reread, ","),
                number(item.unchanged, ","),
                number(item.skipped, ","),
                number(item.quarantined, ","),
            )
            for item in run.files
        )
        headings = (
            tr("File"),
            tr("Imported"),
            tr("Merged"),
            tr("Read again"),
            tr("Already in library"),
            tr("Skipped"),
            tr("Quarantined"),
        )
        return Table(headings, rows, frozenset(range(1, 7)))
    if part is Part.QUARANTINED:
        quarantined = tuple(
            (
                item.reason,
                item.source.path,
                item.source.member,
                f"{item.source.ordinal + 1}",
                f"{item.line}" if item.line else "",
            )
            for item in run.quarantined
        )
        return Table(
            (tr("Reason"), tr("File"), tr("In archive"), tr("Document"), tr("Line")),
            quarantined,
            frozenset((3, 4)),
        )
    skipped = tuple((reason, number(count, ",")) for reason, count in run.skipped)
    return Table((tr("Reason"), tr("Documents")), skipped, frozenset((1,)))


class ReportModel(QAbstractTableModel):
    """The rows of one part that contain certain words."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = Table((), ())
        self._found: tuple[str, ...] = ()
        self._rows: Sequence[int] = ()

    def show(self, table: Table, words: str) -> None:
        """Show the rows of a table that contain all of the words."""
        self.beginResetModel()
        if table is not self._table:
            self._table = table
            self._found = tuple("\t".join(row).casefold() for row in table.rows)
        wanted = words.casefold().split()
        self._rows = [place for place, text in enumerate(self._found) if all(word in text for word in wanted)]
        self.endResetModel()

    def text(self, rows: Sequence[int]) -> str:
        """Rows for the clipboard, with their headings, tab-separated."""
        lines = [self._table.headings, *(self._table.rows[self._rows[row]] for row in rows)]
        return "\n".join("\t".join(line) for line in lines)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._table.headings)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._table.headings[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return self._table.rows[self._rows[index.row()]][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self._table.figures:
            return _RIGHT
        return None
