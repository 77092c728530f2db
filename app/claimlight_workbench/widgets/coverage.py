"""The strip of a result row: one box for each feature, for its verdict, else for its match strength.

A box that waits for the judge has a narrow bar, which can't be taken for a verdict. As in the matrix, a
candidate is pale and empty where the judge has read the first passages only.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from claimlight.services.search.cell_words import BY_HAND_SIGN, LAMP_SIGN, VERDICT_SIGN
from claimlight.types import ByHand, ChartVerdict, Lamp, MatrixCell, Unjudged
from claimlight_workbench import theme
from claimlight_workbench.models.lamps import NO_LAMPS
from claimlight_workbench.models.results_model import COVERAGE_ROLE, FIRST_ROLE, JUDGING_ROLE, LAMPS_ROLE
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.widgets.chips import chip_font
from claimlight_workbench.widgets.stamps import Stamps
from claimlight_workbench.wording import SUGGESTED

if TYPE_CHECKING:
    from claimlight.types import FeatureCoverage

_BOX = QSize(16, 17)
GAP = 2
_WIDEST = 14 * (_BOX.width() + GAP)
"""Total width of the boxes: the title needs its room too."""
_NARROWEST = 4
_BAR = 3
"""Width of the bar of a box that waits for the judge."""
_NOTCH = 4
"""Half the height of the diamond at the corner of a box."""
_Index = QModelIndex | QPersistentModelIndex


def box_size() -> QSize:
    """A box with its figure, which follows the size of the text."""
    return QSize(scale_pixels(_BOX.width()), scale_pixels(_BOX.height()))


def box_width(features: int) -> int:
    """Width of a box: with many features the boxes are narrow, without figures."""
    return max(_NARROWEST, min(box_size().width(), scale_pixels(_WIDEST) // max(1, features) - GAP))


def strip_width(features: int) -> int:
    """Width of a strip with its margins."""
    return features * (box_width(features) + GAP) + 10


class CoverageDelegate(QStyledItemDelegate):
    """Paints the strip; its words are the model's accessible text."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        coverage = index.data(COVERAGE_ROLE) or ()
        return QSize(strip_width(len(coverage)), box_size().height() + 8)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        place: QRect = option.rect
        painter.save()
        painter.setFont(chip_font(option.font))
        left = place.left() + 5
        size = box_size()
        top = place.top() + (place.height() - size.height()) // 2
        coverage = index.data(COVERAGE_ROLE) or ()
        wide = box_width(len(coverage))
        lamps = index.data(LAMPS_ROLE) or NO_LAMPS
        judging, pale = bool(index.data(JUDGING_ROLE)), bool(index.data(FIRST_ROLE))
        stamps = Stamps(painter)
        stamp = QSize(wide + 2 * _NOTCH + 2, size.height() + 2 * _NOTCH + 2)
        for item in coverage:
            # Qt hands an enumeration of strings on as a plain string.
            lamp = Lamp(lamps.get(item.feature, Lamp.NONE))
            found = item.passage is not None
            filled = round(size.height() * min(1.0, item.strength))
            ruled, decided = _verdict_of(item), _decision_of(item)
            key = (item.feature, found, item.verdict, filled, item.cause, lamp, ruled, decided, judging, pale)
            stamps.draw(
                QPoint(left - _NOTCH - 1, top - _NOTCH - 1),
                stamp,
                key,
                partial(
                    _paint_stamp,
                    item=item,
                    lamp=lamp,
                    judging=judging,
                    pale=pale,
                    figure=wide == size.width(),
                ),
            )
            left += wide + GAP
        painter.restore()


def _verdict_of(item: FeatureCoverage) -> ChartVerdict | None:
    """The verdict of a judge; None if there is none."""
    ruling = item.ruling if isinstance(item, MatrixCell) else None
    return ruling.verdict if ruling is not None else None


def _decision_of(item: FeatureCoverage) -> ByHand:
    """What the examiner decided, where it replaces the suggestion."""
    by_hand = item.by_hand if isinstance(item, MatrixCell) else ByHand.NONE
    return by_hand if by_hand in {ByHand.CONFIRMED, ByHand.REJECTED} else ByHand.NONE


def _paint_decision(painter: QPainter, box: QRect, feature: str, decided: ByHand, *, figure: bool) -> None:
    """A confirmed feature has a full box with a thick frame, a rejected one a broken frame."""
    colours = theme.active()
    confirmed = decided is ByHand.CONFIRMED
    if confirmed:
        painter.fillRect(box, QColor(theme.tint(colours, feature, 1.0)))
    pen = QPen(QColor(theme.feature_colour(colours, feature) if confirmed else colours.muted))
    pen.setWidth(2 if confirmed else 1)
    pen.setStyle(Qt.PenStyle.SolidLine if confirmed else Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    edge = 1 if confirmed else 0
    painter.drawRect(box.adjusted(edge, edge, -1, -1))
    if figure:
        _write(painter, box, BY_HAND_SIGN[decided], colours.text if confirmed else colours.muted)


def _paint_stamp(
    painter: QPainter,
    place: QRect,
    *,
    item: FeatureCoverage,
    lamp: Lamp,
    judging: bool,
    pale: bool,
    figure: bool,
) -> None:
    margin = _NOTCH + 1
    box = place.adjusted(margin, margin, -margin, -margin)
    verdict, decided = _verdict_of(item), _decision_of(item)
    if decided is not ByHand.NONE:
        _paint_decision(painter, box, item.feature, decided, figure=figure)
    elif judging:
        _paint_waiting(painter, box, item, figure=figure)
    elif verdict is not None:
        _paint_verdict(painter, box, item.feature, verdict, pale=pale, figure=figure)
        _paint_unshared(painter, box, lamp, figure=figure)
    else:
        _paint_box(painter, box, item, lamp, figure=figure)
        _paint_unshared(painter, box, lamp, figure=figure)


def _paint_waiting(painter: QPainter, box: QRect, item: FeatureCoverage, *, figure: bool) -> None:
    """A bar at the left as high as the match strength, and the figure of the feature."""
    colours = theme.active()
    height = round((box.height() - 2) * min(1.0, item.strength))
    painter.fillRect(box.left() + 1, box.bottom() - height, _BAR, height, QColor(colours.muted))
    painter.setPen(QPen(QColor(colours.line)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box.adjusted(0, 0, -1, -1))
    if figure:
        _write(painter, box.adjusted(_BAR, 0, 0, 0), item.feature.lstrip("Ff"), colours.muted)


def _paint_verdict(
    painter: QPainter, box: QRect, feature: str, verdict: ChartVerdict, *, pale: bool, figure: bool
) -> None:
    """Solid for disclosed, half filled in a frame for a candidate, empty for nothing near.

    A pale candidate has the frame alone.
    """
    colours = theme.active()
    colour, edge, text = (
        QColor(theme.feature_colour(colours, feature)),
        box.adjusted(0, 0, -1, -1),
        colours.text,
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    match verdict:
        case ChartVerdict.DISCLOSED:
            painter.fillRect(box, colour)
            text = colours.chip_text
        case ChartVerdict.CANDIDATE:
            painter.fillRect(box, QColor(colours.base))
            if pale:
                text = colours.muted
            else:
                half = QRect(box)
                half.setTop(box.center().y() + 1)
                painter.fillRect(half, QColor(theme.unproven(colours)))
            painter.setPen(QPen(QColor(colours.line)))
            painter.drawRect(edge)
        case ChartVerdict.NOTHING:
            text = colours.muted
    if figure:
        _write(painter, box, feature.lstrip("Ff"), text)


def _write(painter: QPainter, box: QRect, text: str, colour: str) -> None:
    painter.setPen(QColor(colour))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _paint_box(painter: QPainter, box: QRect, item: FeatureCoverage, lamp: Lamp, *, figure: bool) -> None:
    colours = theme.active()
    colour = QColor(theme.feature_colour(colours, item.feature))
    found = item.passage is not None
    suggested = found and item.verdict in SUGGESTED
    if suggested:
        painter.fillRect(box, QColor(colours.base))
        height = round(box.height() * min(1.0, item.strength))
        # Light, so that the figure on it stays readable.
        filled = QColor(theme.unproven(colours))
        # `QRect.bottom` is the last row of pixels, not the edge below it.
        painter.fillRect(box.left(), box.bottom() + 1 - height, box.width(), height, filled)
    pen = QPen(QColor(colours.line))
    if item.cause is not Unjudged.NONE:
        pen = QPen(colour, 1, Qt.PenStyle.DotLine)
    if lamp is Lamp.WORDS_ONLY:
        pen = QPen(QColor(colours.warning), 1, Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # A line is drawn one pixel beyond the rectangle, to the right and below.
    painter.drawRect(box.adjusted(0, 0, -1, -1))
    if not figure:
        return
    number = item.feature.lstrip("Ff") if found else VERDICT_SIGN[item.verdict]
    text = LAMP_SIGN[lamp] if lamp is Lamp.WORDS_ONLY else number
    _write(painter, box, text, colours.text if suggested else colours.muted)


def _paint_unshared(painter: QPainter, box: QRect, lamp: Lamp, *, figure: bool) -> None:
    """A diamond over the corner, as the lamp itself is one; its sign would hide the figure."""
    if lamp is not Lamp.NO_SHARED_WORD or not figure:
        return
    colours = theme.active()
    corner = QPointF(box.right(), box.top() + 1)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colours.base), 1))
    painter.setBrush(QColor(colours.warning))
    painter.drawPolygon(
        QPolygonF([corner + QPointF(x, y) * _NOTCH for x, y in ((0, -1), (1, 0), (0, 1), (-1, 0))])
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
