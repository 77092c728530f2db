"""Statistics of classes as a chart: painted bars in a list, and the same as a picture for a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QTreeWidgetItem

from claimlight_workbench import theme
from claimlight_workbench.language import number, tr, trn
from claimlight_workbench.widgets.bars import SHARE, BarDelegate, paint_bar
from claimlight_workbench.widgets.enter_tree import EnterTree
from claimlight_workbench.widgets.pictures import draw_picture
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types import ClassStatistics, DocumentStatistics

_SYMBOL, _DOCUMENTS, _SHARE, _TITLE = range(4)
_HEADINGS = (tr("Class"), tr("Documents"), tr("Share"), tr("Title"))
_WIDE, _EDGE, _GAP = 1000, 24, 10


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of the chart."""

    name: str
    """Symbol of a class, year, office or applicant."""
    title: str
    documents: int
    share: float
    line: str
    """Query line of the documents."""


def bars_of(found: ClassStatistics | DocumentStatistics) -> tuple[Bar, ...]:
    """A bar for each count."""
    # One of the two kinds has symbols, the other names.
    return tuple(
        Bar(
            getattr(each, "symbol", "") or getattr(each, "name", ""),
            each.title,
            each.documents,
            each.share,
            each.line,
        )
        for each in found.counts
    )


def share_text(share: float) -> str:
    """``12.5 %``; never a zero that hides a document."""
    return "<0.1 %" if 0.0 < share < 0.0005 else f"{number(100 * share, '.1f')} %"


class ChartList(EnterTree):
    """A row for each class; a click or Enter runs its query line."""

    line_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__(tr("Classes by number of documents"), _HEADINGS, stretched=_TITLE)
        self.setRootIsDecorated(False)
        self.setMouseTracking(True)
        self._delegate = BarDelegate("00,000", self)
        self.setItemDelegateForColumn(_DOCUMENTS, self._delegate)
        self._twice = False
        self._narrow = 0
        """Width of the first column for classes."""
        self.itemActivated.connect(lambda item, _column: self._run(item))
        # A double click is two clicks, and its line is to be run once.
        self.setExpandsOnDoubleClick(False)

    def show_bars(self, bars: Sequence[Bar], heading: str = _HEADINGS[_SYMBOL]) -> None:
        """Show these counts; ``heading`` names what is counted."""
        self.clear()
        self.headerItem().setText(_SYMBOL, heading)
        self.setColumnHidden(_TITLE, bool(bars) and not any(each.title for each in bars))
        most = max((each.documents for each in bars), default=1)
        for each in bars:
            self.addTopLevelItem(self._make(each, most))
        if bars:
            widest = max(self.fontMetrics().horizontalAdvance(f"{each.name} mm") for each in bars)
            self.setColumnWidth(_SYMBOL, max(self._narrow, min(widest, 3 * self._narrow)))

    def fit_columns(self) -> None:
        """Columns as wide as their contents need in the present size of text."""
        metrics = self.fontMetrics()
        self._narrow = metrics.horizontalAdvance("H04W 2209/00000")
        self.setColumnWidth(_SYMBOL, self._narrow)
        self.setColumnWidth(_DOCUMENTS, metrics.horizontalAdvance("00,000") + metrics.averageCharWidth() * 26)
        self.setColumnWidth(_SHARE, metrics.horizontalAdvance("100.0 % mm"))

    def _make(self, each: Bar, most: int) -> QTreeWidgetItem:
        item = QTreeWidgetItem([each.name, number(each.documents, ","), share_text(each.share), each.title])
        item.setData(_SYMBOL, Qt.ItemDataRole.UserRole, each.line)
        item.setData(_DOCUMENTS, SHARE, each.documents / most)
        item.setTextAlignment(_SHARE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        tip = wrap_tip(
            tr(
                "{name}  {title}\nClick or Enter: runs {line}",
                name=each.name,
                title=each.title,
                line=each.line,
            )
        )
        for column in range(len(_HEADINGS)):
            item.setToolTip(column, tip)
        counted = trn("{n:,} document", "{n:,} documents", each.documents)
        words = f"{each.name}, {counted}, {share_text(each.share)}"
        words += f", {each.title}" if each.title else ""
        item.setData(_SYMBOL, Qt.ItemDataRole.AccessibleTextRole, words)
        return item

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        item = self.itemAt(event.position().toPoint())
        twice, self._twice = self._twice, False
        if event.button() == Qt.MouseButton.LeftButton and item is not None and not twice:
            self._run(item)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._twice = True
        event.accept()

    def _run(self, item: QTreeWidgetItem) -> None:
        self.line_wanted.emit(str(item.data(_SYMBOL, Qt.ItemDataRole.UserRole)))


def picture(bars: Sequence[Bar], title: str, *, svg: bool) -> bytes:
    """The chart as PNG or SVG, dark on white whatever the colours of the window are."""
    size = _size(bars)
    return draw_picture(size, title, lambda painter: _draw(painter, bars, title, size), svg=svg)


_PICTURE_TYPE = 14
"""Pixels: the picture of a report has its own scale."""


def _font() -> QFont:
    font = QFont()
    font.setPixelSize(_PICTURE_TYPE)
    return font


def _row() -> float:
    return QFontMetricsF(_font()).height() + 8


def _size(found: Sequence[Bar]) -> QSize:
    return QSize(_WIDE, round(2 * _EDGE + _row() * (len(found) + 2)))


def _draw(painter: QPainter, found: Sequence[Bar], title: str, size: QSize) -> None:
    colours, row = theme.LIGHT, _row()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(colours.base))
    bold = _font()
    bold.setBold(True)
    painter.setFont(bold)
    painter.setPen(QColor(colours.text))
    middle = Qt.AlignmentFlag.AlignVCenter
    room = size.width() - 2 * _EDGE
    painter.drawText(QRectF(_EDGE, _EDGE, room, row), middle, title)
    painter.setFont(_font())
    metrics = QFontMetricsF(_font())
    symbol = max((metrics.horizontalAdvance(each.name) for each in found), default=0.0) + _GAP
    # A long name is cut rather than the bars.
    symbol = min(symbol, room * 0.4)
    figure = (
        metrics.horizontalAdvance(
            f"{number(max((each.documents for each in found), default=0), ',')}  100.0 %"
        )
        + _GAP
    )
    most = max((each.documents for each in found), default=1)
    bars = room * 0.32
    top = _EDGE + row * 1.5
    for each in found:
        left = float(_EDGE)
        painter.setPen(QColor(colours.text))
        shown = metrics.elidedText(each.name, Qt.TextElideMode.ElideRight, symbol)
        painter.drawText(QRectF(left, top, symbol, row), middle, shown)
        left += symbol
        paint_bar(
            painter, QRectF(left, top + row * 0.2, bars, row * 0.6), each.documents / most, colours=colours
        )
        left += bars + _GAP
        painter.setPen(QColor(colours.text))
        said = f"{number(each.documents, ',')}  {share_text(each.share)}"
        painter.drawText(QRectF(left, top, figure, row), middle, said)
        left += figure
        wide = size.width() - _EDGE - left
        painter.drawText(
            QRectF(left, top, wide, row),
            middle,
            metrics.elidedText(each.title, Qt.TextElideMode.ElideRight, wide),
        )
        top += row
