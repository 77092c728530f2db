"""The evidence: every match of the current passage; with other words they add up to its score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.search.cell_words import LAMP_SIGN, LAMP_WORDS, ruling_words
from claimlight.types import Lamp
from claimlight_workbench import design, theme
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.screens.evidence.model import (
    CONTRIBUTION_ROLE,
    LINK_ROLE,
    SHARE_ROLE,
    Column,
    EvidenceModel,
)
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_width, paint_chip
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.empty_state import EmptyState, Offer
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.shares import StrengthLine
from claimlight_workbench.wording import score_text, sum_parts

if TYPE_CHECKING:
    from claimlight.types import PassageHit
    from claimlight_workbench.models.links import Link, LinkBoard

_Index = QModelIndex | QPersistentModelIndex


class EvidenceView(QWidget):
    """Moving through the rows highlights each match in claim and document; Enter shows its concept."""

    inspected = Signal(object)
    """`Link` whose concept is to be shown."""

    def __init__(self, board: LinkBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self.model = EvidenceModel(board, self)
        self.table = QTableView()
        self.head = StrengthLine()
        self.alone = _Alone()
        self.alone.all_wanted.connect(board.leave_focus)
        self.ruling = ElidedLabel()
        self.ruling.hide()
        self.sum = QLabel()
        self.sum.setObjectName("muted")
        self.silent = ElidedLabel()
        self.silent.setObjectName("warning")
        self._prepare()
        self.empty = EmptyState(
            tr("The matches of a passage are listed here, with what each adds to its score."),
            Offer(tr("Next passage with a match"), tr("Go to the next passage with a match")),
            over=self.table,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addWidget(self.alone)
        column.addWidget(self.head)
        column.addWidget(self.ruling)
        column.addWidget(self.table)
        last = QHBoxLayout()
        last.setSpacing(design.APART)
        last.addWidget(self.sum)
        last.addWidget(self.silent, 1)
        column.addLayout(last)
        board.passage_changed.connect(self.reload)
        board.document_changed.connect(self.reload)
        board.hidden_changed.connect(self.reload)
        board.lamps_changed.connect(self._say_silent)
        board.lit_changed.connect(self._follow)
        board.focus_changed.connect(self.reload)
        for signal in (board.focus_changed, board.cells_changed, board.document_changed):
            signal.connect(self._say_ruling)
        self.table.selectionModel().currentRowChanged.connect(self._picked)
        self.table.clicked.connect(self._unfold)
        self.table.activated.connect(self._activated)
        self.reload()

    def reload(self) -> None:
        """Show the matches of the current passage."""
        with QSignalBlocker(self.table.selectionModel()):
            self.model.reload()
            self.table.clearSelection()
            self.table.clearSpans()
            for row in range(self.model.listed, self.model.rowCount()):
                self.table.setSpan(row, Column.CLAIM, 1, Column.CONTRIBUTION - Column.CLAIM)
        self.alone.show_feature(self._board.focus)
        hit = self._board.hit
        self.empty.set_empty(hit is None)
        if hit is None:
            none = self._board.passage is None
            self.head.show_strengths(
                tr("No passage selected") if none else tr("No match in this passage"), ()
            )
            self.sum.setText("")
            self.silent.hide()
            return
        strengths = self._board.links.strengths(hit.passage) if self._board.links is not None else ()
        if self._board.focus:
            strengths = tuple(each for each in strengths if each.feature == self._board.focus)
        self.head.show_strengths(tell(hit.label), strengths, self._board.passage_lamps())
        self._say_silent()
        self.sum.setText(self._sum_sentence())

    def _sum_sentence(self) -> str:
        """The score as a complete sum."""
        hit = self._board.hit
        assert hit is not None
        focus = self._board.focus
        matched, other = sum_parts(hit.score, _sum(hit), hit.other_words)
        parts = [f"{trn('{n:,} match', '{n:,} matches', len(hit.matches))} {matched}"]
        if hit.other_words > 0:
            parts.append(tr("other words {other}", other=other))
        score = tr("score of {focus} in the passage", focus=focus) if focus else tr("passage score")
        text = f"{' + '.join(parts)} = {score} {score_text(hit.score)}"
        if focus:
            text += tr("  ·  other features are not listed")
        elif len(self.model.links) < len(hit.matches):
            shown = sum(link.match.contribution for link in self.model.links)
            text += tr(
                "  ·  listed {shown}, the rest belongs to features whose highlights are off",
                shown=score_text(shown),
            )
        return text

    def _say_ruling(self) -> None:
        """Show the ruling on the feature in focus: beside the score, and no part of it."""
        ruling, query = self._board.ruling(self._board.focus), self._board.query
        said = ruling is not None and query is not None
        if ruling is not None and query is not None:
            words = tell(ruling_words(ruling, query))
            self.ruling.setText(
                tr(
                    "{feature} {words}  ·  judge {judge}, not part of the score",
                    feature=ruling.feature,
                    words=words,
                    judge=ruling.judge,
                )
            )
        self.ruling.setVisible(said)

    def _say_silent(self) -> None:
        """Name the features whose words all occur, without a match at the threshold."""
        labels = [label for label, lamp in self._board.lamps.items() if lamp is Lamp.WORDS_ONLY]
        sign, words = LAMP_SIGN[Lamp.WORDS_ONLY], tell(LAMP_WORDS[Lamp.WORDS_ONLY])
        self.silent.setText(
            tr("{sign} {labels}: {words} in this document", sign=sign, labels=", ".join(labels), words=words)
            if labels
            else ""
        )
        self.silent.setVisible(bool(labels) and self._board.hit is not None)

    def _picked(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self._board.pick(current.data(LINK_ROLE))

    def _activated(self, index: QModelIndex) -> None:
        link: Link | None = index.data(LINK_ROLE)
        if link is None:
            self._unfold(index)
        else:
            self.inspected.emit(link)

    def _unfold(self, index: QModelIndex) -> None:
        if index.data(LINK_ROLE) is None and self.model.folded and index.row() == self.model.listed:
            self._board.set_weak(shown=True)

    def _follow(self) -> None:
        """Select the row of the match under the pointer, without highlighting it again."""
        # Only those of the passage on view have a row here; they come first, strongest first.
        links = self.model.links
        lit = next((link for link in self._board.lit if link.passage == self._board.passage), None)
        row = links.index(lit) if lit is not None and lit in links else -1
        # A match that is not listed has the row behind the last one that is, which it shares.
        row = min(row, self.model.listed)
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
        # The table repaints a changed row upon the signal that was blocked.
        self.table.viewport().update()

    def _prepare(self) -> None:
        table = self.table
        table.setModel(self.model)
        prepare_rows(table, tr("Evidence of the passage"))
        table.setItemDelegateForColumn(Column.FEATURE, _ChipDelegate(table))
        table.setItemDelegateForColumn(Column.CONTRIBUTION, _BarDelegate(table))
        header = table.horizontalHeader()
        header.setMinimumSectionSize(34)
        for column in (Column.CLAIM, Column.PASSAGE, Column.CENTER, Column.SHARED):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(Column.FEATURE, 38)
        table.setColumnWidth(Column.CONTRIBUTION, 110)


class _Alone(QFrame):
    """Shown while only the matches of one feature are listed: says so, and lists all again."""

    all_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self.text = ElidedLabel()
        self.button = QToolButton()
        self.button.setObjectName("words")
        self.button.setText(tr("Show all features"))
        self.button.setToolTip(tr("List the matches of every feature in this passage (Esc)"))
        self.button.clicked.connect(self.all_wanted)
        line = QHBoxLayout(self)
        line.setContentsMargins(*design.STRIP)
        line.addWidget(self.text, 1)
        line.addWidget(self.button)
        self.hide()

    def show_feature(self, label: str) -> None:
        """The feature that is listed alone; empty for all of them."""
        self.text.setText(tr("Only the matches of {label} in this passage", label=label) if label else "")
        self.setVisible(bool(label))


def _sum(hit: PassageHit) -> float:
    return sum(match.contribution for match in hit.matches)


class _ChipDelegate(QStyledItemDelegate):
    """The feature of a match."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        link: Link | None = index.data(LINK_ROLE)
        if link is None or not link.match.feature:
            return
        place: QRect = option.rect
        font = chip_font(option.font)
        chip = QRect(0, 0, chip_width(font, link.match.feature), chip_height())
        chip.moveCenter(place.center())
        painter.save()
        painter.setFont(option.font)
        paint_chip(painter, chip, link.match.feature)
        painter.restore()


class _BarDelegate(QStyledItemDelegate):
    """A contribution as bar and figure; the longest bar is the strongest match of the passage."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(110, 24)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        link: Link | None = index.data(LINK_ROLE)
        colours = theme.active()
        place: QRect = option.rect
        figure = score_text(index.data(CONTRIBUTION_ROLE))
        text_width = option.fontMetrics.horizontalAdvance(figure) + 12
        room = max(0, place.width() - text_width - 6)
        painter.save()
        if link is not None:
            length = round(room * float(index.data(SHARE_ROLE)))
            bar = QRect(place.left() + 4, place.center().y() - 4, max(2, length), 8)
            painter.fillRect(bar, QColor(theme.feature_colour(colours, link.match.feature)))
        painter.setPen(QColor(colours.text if link is not None else colours.muted))
        where = place.adjusted(0, 0, -6, 0)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(where, flags, figure)
        painter.restore()
