"""Cells and headings as painted: colour, shape and sign give the same information.

A verdict has a plate of its own look: *disclosed* is solid in the feature's colour, *candidate* a grey box
half filled, or pale and empty if only the first passages were read, *nothing near* bare. A match strength
without a verdict has a grey box too. What the examiner decided replaces both.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from claimlight.services.search.cell_words import LAMP_SIGN, matrix_cell_text
from claimlight.types import ByHand, CellVerdict, ChartVerdict, MatrixCell, Unjudged
from claimlight_workbench import theme
from claimlight_workbench.language import tr
from claimlight_workbench.screens.matrix.model import ALL, CELL_ROLE, FIRST_ROLE, STATUS, WAITING_ROLE
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_width, paint_chip
from claimlight_workbench.widgets.lamps import LAMP_SIZE, paint_lamp

LABELS_ROLE = CELL_ROLE + 3
"""Labels of features that a cell shows as chips."""
_GAP = 3
_Index = QModelIndex | QPersistentModelIndex
_FILLED = {CellVerdict.STRONG, CellVerdict.MEDIUM}
_DECIDED = {ByHand.CONFIRMED, ByHand.REJECTED}
_PLAIN = {CellVerdict.BELOW, CellVerdict.NONE}
"""No box: no suggestion."""


class CellDelegate(QStyledItemDelegate):
    """Verdicts; without one a full box is a strong match, a half one a medium one, a bare figure is below."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(option.font)
        cell: MatrixCell | None = index.data(CELL_ROLE)
        if cell is None:
            colours = theme.active()
            pale = index.column() == ALL and index.data(FIRST_ROLE)
            painter.setPen(QColor(colours.muted if pale else colours.text))
            painter.drawText(option.rect, Qt.AlignmentFlag.AlignCenter, str(index.data()))
        else:
            box = QRect(option.rect).adjusted(3, 3, -3, -3)
            if cell.by_hand in _DECIDED:
                _paint_decision(painter, box, cell)
            elif index.data(WAITING_ROLE):
                _paint_text(painter, box, str(index.data()), theme.active().muted)
            elif cell.ruling is not None:
                _paint_verdict(painter, box, cell, cell.ruling.verdict, pale=bool(index.data(FIRST_ROLE)))
            else:
                _paint_strength(painter, box, cell)
        if option.state & QStyle.StateFlag.State_HasFocus:
            pen = QPen(QColor(theme.active().accent))
            pen.setWidth(2)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRect(option.rect).adjusted(1, 1, -2, -2))
        painter.restore()


def _paint_verdict(
    painter: QPainter, box: QRect, cell: MatrixCell, verdict: ChartVerdict, *, pale: bool
) -> None:
    colours = theme.active()
    colour = QColor(theme.feature_colour(colours, cell.feature))
    text = colours.text
    match verdict:
        case ChartVerdict.DISCLOSED:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(box, 3, 3)
            text = colours.chip_text
            painter.setFont(_bold(painter.font()))
        case ChartVerdict.CANDIDATE:
            if pale:
                text = colours.muted
            else:
                lower = QRect(box)
                lower.setTop(box.center().y() + 1)
                painter.fillRect(lower, QColor(theme.unproven(colours)))
            painter.setPen(QPen(QColor(colours.line)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 3, 3)
        case ChartVerdict.NOTHING:
            text = colours.muted
    _paint_text(painter, _paint_lamp(painter, box, cell), matrix_cell_text(cell), text)


def _paint_strength(painter: QPainter, box: QRect, cell: MatrixCell) -> None:
    colours = theme.active()
    plain = cell.verdict in _PLAIN
    if cell.verdict in _FILLED:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.unproven(colours)))
        part = QRect(box)
        if cell.verdict is CellVerdict.MEDIUM:
            part.setTop(box.center().y())
        painter.drawRoundedRect(part, 3, 3)
    if not plain:
        pen = QPen(QColor(colours.line if cell.cause is Unjudged.NONE else colours.muted))
        pen.setStyle(Qt.PenStyle.DotLine if cell.cause is not Unjudged.NONE else Qt.PenStyle.SolidLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 3, 3)
    words = _paint_lamp(painter, box, cell)
    _paint_text(painter, words, matrix_cell_text(cell), colours.muted if plain else colours.text)


def _paint_lamp(painter: QPainter, box: QRect, cell: MatrixCell) -> QRect:
    """Paint the warning of a cell; returns the room that is left for its text."""
    words = QRect(box)
    if cell.lamp in LAMP_SIGN:
        words.setRight(box.right() - LAMP_SIZE - 1)
        lamp = QRect(0, 0, LAMP_SIZE, LAMP_SIZE)
        lamp.moveCenter(box.center())
        lamp.moveRight(box.right() - 1)
        paint_lamp(painter, lamp, cell.lamp)
    return words


def _paint_text(painter: QPainter, place: QRect, text: str, colour: str) -> None:
    painter.setPen(QColor(colour))
    if painter.fontMetrics().horizontalAdvance(text) > place.width():
        # The fill of the box says what the sign does; the figure alone fits a narrow column.
        text = text.rpartition(" ")[2]
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _paint_decision(painter: QPainter, box: QRect, cell: MatrixCell) -> None:
    """A confirmed cell is a full box with a thick frame; a rejected one has a broken frame and no fill."""
    colours = theme.active()
    confirmed = cell.by_hand is ByHand.CONFIRMED
    pen = QPen(QColor(theme.feature_colour(colours, cell.feature) if confirmed else colours.muted))
    pen.setWidth(2 if confirmed else 1)
    pen.setStyle(Qt.PenStyle.SolidLine if confirmed else Qt.PenStyle.DashLine)
    painter.setPen(pen)
    fill = QColor(theme.tint(colours, cell.feature, 1.0))
    painter.setBrush(fill if confirmed else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(colours.text if confirmed else colours.muted))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, matrix_cell_text(cell))


class FeatureHeader(QHeaderView):
    """The features as chips."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setAccessibleName(tr("Features"))

    def sizeHint(self) -> QSize:
        # Qt's own asks for every heading; it is asked for each time that a column gets its width.
        return QSize(0, max(self.fontMetrics().height(), chip_height()) + 8)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803 - Qt's
        painter.save()
        colours = theme.active()
        painter.fillRect(rect, QColor(colours.base))
        label = str(self.model().headerData(logicalIndex, Qt.Orientation.Horizontal))
        painter.setFont(self.font())
        if logicalIndex in {ALL, STATUS}:
            painter.setPen(QColor(colours.muted))
            painter.setFont(chip_font(self.font()))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)
        else:
            chip = QRect(0, 0, chip_width(chip_font(self.font()), label), chip_height())
            chip.moveCenter(rect.center())
            paint_chip(painter, chip, label)
        if getattr(self.model(), "ordered_by", None) == logicalIndex:
            painter.setPen(QColor(colours.text))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(rect.adjusted(0, 0, -4, 0), right, "▾")
        painter.setPen(QColor(colours.line))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.restore()


class ChipsDelegate(QStyledItemDelegate):
    """Features as a row of chips; hollow ones are not likely disclosed."""

    def __init__(self, parent: QWidget | None = None, *, hollow: bool = False) -> None:
        super().__init__(parent)
        self._hollow = hollow

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        labels: Sequence[str] = index.data(LABELS_ROLE) or ()
        place = QRect(option.rect)
        left = place.left() + _GAP
        painter.save()
        painter.setClipRect(place)
        painter.setFont(option.font)
        for label in labels:
            wide = chip_width(chip_font(option.font), label)
            top = place.top() + (place.height() - chip_height()) // 2
            paint_chip(painter, QRect(left, top, wide, chip_height()), label, hollow=self._hollow)
            left += wide + _GAP
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        labels: Sequence[str] = index.data(LABELS_ROLE) or ()
        font = chip_font(option.font)
        return QSize(sum(chip_width(font, label) + _GAP for label in labels) + 2 * _GAP, chip_height() + 8)
