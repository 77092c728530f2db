"""The links of one passage as rows, strongest first; behind the last row those that are folded."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from app import theme
from app.models.lamps import LAMP_HELP, LAMP_WORDS
from app.widgets.lamps import lamp_icon
from core.types import Lamp

if TYPE_CHECKING:
    from app.models.links import Link, LinkBoard

_Index = QModelIndex | QPersistentModelIndex
LINK_ROLE = int(Qt.ItemDataRole.UserRole)
SHARE_ROLE = LINK_ROLE + 1
"""Length of the bar, 0 to 1; none for the row of what is folded, which no single link stands behind."""
CONTRIBUTION_ROLE = LINK_ROLE + 2


class Column(IntEnum):
    """Columns in order."""

    FEATURE = 0
    CLAIM = 1
    PASSAGE = 2
    CENTER = 3
    CONTRIBUTION = 4
    SHARED = 5


_HEADINGS = ("", "Claim says", "Passage says", "Center", "Contribution", "Shared words")


class EvidenceModel(QAbstractTableModel):
    """The links of one passage."""

    def __init__(self, board: LinkBoard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._links: tuple[Link, ...] = ()
        self._folded: tuple[Link, ...] = ()

    @property
    def links(self) -> tuple[Link, ...]:
        """Every link, strongest first: the rows, and behind the last of them what is folded."""
        return (*self._links, *self._folded)

    @property
    def folded(self) -> tuple[Link, ...]:
        """The weak links that the last row stands for."""
        return self._folded

    def reload(self) -> None:
        """Read the board."""
        self.beginResetModel()
        self._links = self._board.strong_links
        self._folded = self._board.shown_links[len(self._links) :]
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._links) + bool(self._folded)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = Column(index.column())
        if index.row() == len(self._links):
            return self._fold_data(column, role)
        link = self._links[index.row()]
        if role == LINK_ROLE:
            return link
        if role == CONTRIBUTION_ROLE:
            return link.evidence.contribution
        if role == SHARE_ROLE:
            return link.evidence.contribution / max(self._links[0].evidence.contribution, 1e-12)
        if role == Qt.ItemDataRole.DisplayRole:
            # Painted columns: the delegate paints what the accessible text says.
            painted = column in {Column.FEATURE, Column.CONTRIBUTION}
            return "" if painted else self._text(link, column)
        if role == Qt.ItemDataRole.ToolTipRole and column is Column.SHARED and not link.evidence.shared:
            return LAMP_HELP[Lamp.NO_SHARED_WORD]
        if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self._text(link, column)
        if column is Column.SHARED and not link.evidence.shared:
            if role == Qt.ItemDataRole.ForegroundRole:
                return QColor(theme.active().warning)
            if role == Qt.ItemDataRole.DecorationRole:
                return lamp_icon(Lamp.NO_SHARED_WORD)
        return None

    def _fold_data(self, column: Column, role: int) -> Any:
        added = sum(link.evidence.contribution for link in self._folded)
        if role == CONTRIBUTION_ROLE:
            return added
        if column is Column.CLAIM and role in {
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ToolTipRole,
        }:
            return f"{len(self._folded)} weaker links, together {added:.4f}  (W shows them)"
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.active().muted)
        return None

    def _text(self, link: Link, column: Column) -> str:
        item, query, hit = link.evidence, self._board.query, self._board.hit
        match column:
            case Column.FEATURE:
                return item.feature or "outside all features"
            case Column.CLAIM:
                return _flat(query.text[item.query.start : item.query.end]) if query is not None else ""
            case Column.PASSAGE:
                return _flat(hit.text[item.passage.start : item.passage.end]) if hit is not None else ""
            case Column.CENTER:
                return item.anchor
            case Column.CONTRIBUTION:
                return f"{item.contribution:.4f}"
            case _:
                return ", ".join(item.shared) if item.shared else LAMP_WORDS[Lamp.NO_SHARED_WORD]


def _flat(text: str) -> str:
    return " ".join(text.split())
