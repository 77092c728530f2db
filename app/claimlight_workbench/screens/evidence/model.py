"""The matches of one passage as rows, strongest first; the last rows are sums of what is not listed."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from claimlight.services.search.cell_words import LAMP_WORDS
from claimlight.types import Lamp
from claimlight_workbench import theme
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.models.lamps import LAMP_HELP
from claimlight_workbench.widgets.lamps import lamp_icon
from claimlight_workbench.wording import round_parts, score_text

if TYPE_CHECKING:
    from claimlight.types import PassageHit
    from claimlight_workbench.models.links import Link, LinkBoard

_Index = QModelIndex | QPersistentModelIndex
LINK_ROLE = int(Qt.ItemDataRole.UserRole)
SHARE_ROLE = LINK_ROLE + 1
"""Length of the bar, 0 to 1; None for sums."""
CONTRIBUTION_ROLE = LINK_ROLE + 2
_ANSWERED = frozenset(
    {
        LINK_ROLE,
        SHARE_ROLE,
        CONTRIBUTION_ROLE,
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.DecorationRole,
    }
)


class Column(IntEnum):
    """Columns in order."""

    FEATURE = 0
    CLAIM = 1
    PASSAGE = 2
    CENTER = 3
    CONTRIBUTION = 4
    SHARED = 5


_COLUMNS = tuple(Column)
_HEADINGS = ("", tr("Claim term"), tr("Passage term"), tr("Concept"), tr("Contribution"), tr("Shared words"))


class EvidenceModel(QAbstractTableModel):
    """The matches of one passage, and the contribution of words without a match."""

    def __init__(self, board: LinkBoard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._links: tuple[Link, ...] = ()
        self._folded: tuple[Link, ...] = ()
        self._rest: tuple[tuple[str, float], ...] = ()
        """Last rows: sums of what is not listed singly."""

    @property
    def links(self) -> tuple[Link, ...]:
        """Every match, the listed ones first, each part strongest first."""
        return (*self._links, *self._folded)

    @property
    def listed(self) -> int:
        """Matches that have a row of their own."""
        return len(self._links)

    @property
    def folded(self) -> tuple[Link, ...]:
        """The weak matches that one row sums up."""
        return self._folded

    def reload(self) -> None:
        """Read the board."""
        self.beginResetModel()
        shown = self._board.shown_links
        self._links = self._board.strong_links
        self._folded = tuple(link for link in shown if link.match.weak and not self._board.weak)
        self._rest = tuple(self._rests())
        self.endResetModel()

    def _rests(self) -> Iterator[tuple[str, float]]:
        hit = self._board.hit
        if self._folded:
            many = trn("{n:,} match", "{n:,} matches", len(self._folded))
            yield tr("{value} below threshold  (W shows them)", value=many), self._folded_sum(hit)
        if hit is not None and hit.other_words > 0:
            yield tr("Other words (of, one, claim, numbers, units)"), hit.other_words

    def _folded_sum(self, hit: PassageHit | None) -> float:
        """If it stands for every match, the figure is that of the line below the table."""
        if hit is None or len(self._folded) < len(hit.matches):
            return _sum(self._folded)
        return round_parts(hit.score, _sum(self._folded), hit.other_words)[0]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._links) + len(self._rest)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.AccessibleTextRole:
            return _HEADINGS[section] or tr("Feature")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # A cell that is painted is asked for many roles, by every view, each time.
        if role not in _ANSWERED:
            return None
        column = _COLUMNS[index.column()]
        if index.row() >= len(self._links):
            return self._rest_data(*self._rest[index.row() - len(self._links)], column, role)
        link = self._links[index.row()]
        if role == LINK_ROLE:
            return link
        if role == CONTRIBUTION_ROLE:
            return link.match.contribution
        if role == SHARE_ROLE:
            # The strongest match may contribute nothing.
            return link.match.contribution / max(self._links[0].match.contribution, 1e-12)
        if role == Qt.ItemDataRole.DisplayRole:
            # Painted columns: the delegate paints what the accessible text says.
            painted = column in {Column.FEATURE, Column.CONTRIBUTION}
            return "" if painted else self._text(link, column)
        if role == Qt.ItemDataRole.ToolTipRole and column is Column.SHARED and not link.match.shared:
            return LAMP_HELP[Lamp.NO_SHARED_WORD]
        if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self._text(link, column)
        if column is Column.SHARED and not link.match.shared:
            if role == Qt.ItemDataRole.ForegroundRole:
                return QColor(theme.active().warning)
            if role == Qt.ItemDataRole.DecorationRole:
                return lamp_icon(Lamp.NO_SHARED_WORD)
        return None

    def _rest_data(self, words: str, added: float, column: Column, role: int) -> Any:
        if role == CONTRIBUTION_ROLE:
            return added
        if column is Column.CLAIM and role in {
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ToolTipRole,
        }:
            spoken = role == Qt.ItemDataRole.AccessibleTextRole
            return tr("{words}, total {added}", words=words, added=score_text(added)) if spoken else words
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.active().muted)
        return None

    def _text(self, link: Link, column: Column) -> str:
        item, query, hit = link.match, self._board.query, self._board.hit
        match column:
            case Column.FEATURE:
                return item.feature or tr("outside all features")
            case Column.CLAIM:
                return _flat(query.text[item.query.start : item.query.end]) if query is not None else ""
            case Column.PASSAGE:
                return _flat(hit.text[item.passage.start : item.passage.end]) if hit is not None else ""
            case Column.CENTER:
                more = len(item.evidence) - 1
                return tr("{anchor}, +{more} more", anchor=link.anchor, more=more) if more else link.anchor
            case Column.CONTRIBUTION:
                return score_text(item.contribution)
            case _:
                return ", ".join(item.shared) if item.shared else tell(LAMP_WORDS[Lamp.NO_SHARED_WORD])


def _sum(links: tuple[Link, ...]) -> float:
    return sum(link.match.contribution for link in links)


def _flat(text: str) -> str:
    return " ".join(text.split())
