"""The evidence: every link of the passage on view, strongest first; their sum is the passage's score."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.widgets.chips import CHIP_HEIGHT, chip_font, chip_width, paint_chip
from app.widgets.shares import ShareLine

if TYPE_CHECKING:
    from app.models.links import Link, LinkBoard

_Index = QModelIndex | QPersistentModelIndex
LINK_ROLE = int(Qt.ItemDataRole.UserRole)
SHARE_ROLE = LINK_ROLE + 1
"""Length of the bar, 0 to 1; none for the row of what is folded, which no single link stands behind."""
CONTRIBUTION_ROLE = LINK_ROLE + 2
NO_SHARED_WORD = "no shared word"


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
        if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self._text(link, column)
        if role == Qt.ItemDataRole.ForegroundRole and column is Column.SHARED and not link.evidence.shared:
            return QColor(theme.active().warning)
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
                return ", ".join(item.shared) if item.shared else NO_SHARED_WORD


class EvidenceView(QWidget):
    """Going through the rows lights each link in the claim and in the document."""

    def __init__(self, board: LinkBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self.model = EvidenceModel(board, self)
        self.table = QTableView()
        self.head = ShareLine()
        self.sum = QLabel()
        self.sum.setObjectName("muted")
        self._prepare()
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 2, 2, 6)
        column.setSpacing(4)
        column.addWidget(self.head)
        column.addWidget(self.table)
        column.addWidget(self.sum)
        board.passage_changed.connect(self.reload)
        board.document_changed.connect(self.reload)
        board.hidden_changed.connect(self.reload)
        board.lit_changed.connect(self._follow)
        self.table.selectionModel().currentRowChanged.connect(self._picked)
        self.table.clicked.connect(self._unfold)
        self.table.activated.connect(self._unfold)
        self.reload()

    def reload(self) -> None:
        """Show the links of the passage on view."""
        with QSignalBlocker(self.table.selectionModel()):
            self.model.reload()
            self.table.clearSelection()
            self.table.clearSpans()
            if self.model.folded:
                last = self.model.rowCount() - 1
                self.table.setSpan(last, Column.CLAIM, 1, Column.CONTRIBUTION - Column.CLAIM)
        hit = self._board.hit
        if hit is None:
            self.head.show_shares("No passage chosen", ())
            self.sum.setText("")
            return
        shares = self._board.links.shares(hit.passage) if self._board.links is not None else ()
        self.head.show_shares(hit.label, shares)
        self.sum.setText(self._sum_sentence())

    def _sum_sentence(self) -> str:
        hit = self._board.hit
        assert hit is not None
        total = sum(item.contribution for item in hit.evidence)
        shown = sum(link.evidence.contribution for link in self.model.links)
        text = f"{len(hit.evidence)} links sum to {total:.4f} = center score of the passage {hit.score:.4f}"
        if len(self.model.links) < len(hit.evidence):
            text += f";  shown {shown:.4f}, the rest is of features whose marks are off"
        return text

    def _picked(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self._board.pick(current.data(LINK_ROLE))

    def _unfold(self, index: QModelIndex) -> None:
        if index.data(LINK_ROLE) is None:
            self._board.set_folded(folded=False)

    def _follow(self) -> None:
        """Choose the row of what the mouse has lit, without lighting it again."""
        # Only those of the passage on view have a row here; they come first, strongest first.
        links = self.model.links
        lit = next((link for link in self._board.lit if link.passage == self._board.passage), None)
        row = links.index(lit) if lit is not None and lit in links else -1
        # A folded link has the last row, which it shares with the others.
        row = min(row, self.model.rowCount() - 1)
        if row == self.table.currentIndex().row() and row >= 0:
            return
        with QSignalBlocker(self.table.selectionModel()):
            if row < 0:
                self.table.clearSelection()
            else:
                index = self.model.index(row, 0)
                flags = QItemSelectionModel.SelectionFlag
                self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
                self.table.scrollTo(index)
        self.table.viewport().update()

    def _prepare(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setAccessibleName("Evidence of the passage")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setAlternatingRowColors(True)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(24)
        table.setItemDelegateForColumn(Column.FEATURE, _ChipDelegate(table))
        table.setItemDelegateForColumn(Column.CONTRIBUTION, _BarDelegate(table))
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(34)
        for column in (Column.CLAIM, Column.PASSAGE, Column.CENTER, Column.SHARED):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(Column.FEATURE, 38)
        table.setColumnWidth(Column.CONTRIBUTION, 130)


class _ChipDelegate(QStyledItemDelegate):
    """The feature of a link."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        link: Link | None = index.data(LINK_ROLE)
        if link is None or not link.evidence.feature:
            return
        place: QRect = option.rect
        font = chip_font(option.font)
        chip = QRect(0, 0, chip_width(font, link.evidence.feature), CHIP_HEIGHT)
        chip.moveCenter(place.center())
        painter.save()
        painter.setFont(option.font)
        paint_chip(painter, chip, link.evidence.feature)
        painter.restore()


class _BarDelegate(QStyledItemDelegate):
    """A contribution as bar and figure; the longest bar is the strongest link of the passage."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(130, 24)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        link: Link | None = index.data(LINK_ROLE)
        colours = theme.active()
        place: QRect = option.rect
        figure = f"{index.data(CONTRIBUTION_ROLE):.4f}"
        text_width = option.fontMetrics.horizontalAdvance(figure) + 12
        room = max(0, place.width() - text_width - 6)
        painter.save()
        if link is not None:
            length = round(room * float(index.data(SHARE_ROLE)))
            bar = QRect(place.left() + 4, place.center().y() - 4, max(2, length), 8)
            painter.fillRect(bar, QColor(theme.feature_colour(colours, link.evidence.feature)))
        painter.setPen(QColor(colours.text if link is not None else colours.muted))
        where = place.adjusted(0, 0, -6, 0)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(where, flags, figure)
        painter.restore()


def _flat(text: str) -> str:
    return " ".join(text.split())
