"""Small pictures of all pages of drawings, with the figures on each; one chooses the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from claimlight_workbench import design, theme
from claimlight_workbench.language import tr
from claimlight_workbench.screens.reader.drawing_words import caption_words, figures_on, page_words
from claimlight_workbench.screens.reader.page_image import turned_image
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

    from claimlight_workbench.models.drawings import DrawingBoard

_Index = QModelIndex | QPersistentModelIndex
_LETTERS = 10
"""Width of a picture."""
_SHEET = 1.3
"""Height of the room for a picture, as a part of its width."""
_LEAST = 2.5
"""Pages that a strip beside the page has room for at least."""
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class _Pages(QAbstractListModel):
    """A row for each page of the open document."""

    def __init__(self, board: DrawingBoard, parent: QWidget) -> None:
        super().__init__(parent)
        self._board = board
        self._count = 0

    def renew(self) -> bool:
        """Another document; False for one without pages after another one: nothing is to be done."""
        count = len(self._board.pages)
        if not count and not self._count:
            return False
        self.beginResetModel()
        self._count = count
        self.endResetModel()
        return True

    def change(self, index: int) -> None:
        """The picture of a page is there, or is turned."""
        if 0 <= index < self._count:
            self.dataChanged.emit(self.index(index), self.index(index))

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else self._count

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        board = self._board
        if not index.isValid() or board.found is None or index.row() >= len(board.pages):
            return None
        drawings, page = board.found.drawings, board.pages[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return figures_on(drawings, page) or str(page.number)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return page_words(drawings, page)
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = (page_words(drawings, page), caption_words(drawings, page))
            return wrap_tip("\n".join(filter(None, lines)))
        if role == Qt.ItemDataRole.DecorationRole:
            image = board.thumbnails.of(drawings, index.row())
            return turned_image(image, board.turns_of(index.row())) if image is not None else None
        return None


class _Delegate(QStyledItemDelegate):
    """The page on white with its figures below; a frame around the current one."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        colours = theme.active()
        metrics, rect = option.fontMetrics, QRect(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        room = rect.adjusted(design.TIGHT, design.TIGHT, -design.TIGHT, -metrics.lineSpacing() - design.HAIR)
        image = index.data(Qt.ItemDataRole.DecorationRole)
        sheet = QRectF(room)
        if image is not None and not image.isNull():
            ratio = painter.device().devicePixelRatioF()
            size = image.size().scaled(room.size() * ratio, Qt.AspectRatioMode.KeepAspectRatio) / ratio
            sheet = QRectF(QPointF(), size.toSizeF())
            sheet.moveCenter(QRectF(room).center())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if image is not None and not image.isNull():
            painter.drawImage(sheet, image)
        else:
            painter.fillRect(sheet, QColor(colours.raised))
        wide = design.FOCUS if chosen else design.LINE
        painter.setPen(QPen(QColor(colours.accent if chosen else colours.line), wide))
        painter.drawRect(sheet)
        label = QRect(rect.left(), room.bottom() + design.HAIR, rect.width(), metrics.lineSpacing())
        painter.setPen(QColor(colours.text if chosen else colours.muted))
        text = metrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, label.width() - 2 * design.HAIR)
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        strip = option.widget
        return strip.cell if isinstance(strip, FigureStrip) else QSize()


class FigureStrip(QListView):
    """Follows the board; the arrow keys and a click choose a page.

    It is hidden for a single page, and in a view that is too low.
    """

    chosen = Signal(int)

    def __init__(self, board: DrawingBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._pages = _Pages(board, self)
        self._upright, self._room = True, True
        self.setAccessibleName(tr("Pages of drawings, small"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setItemDelegate(_Delegate(self))
        self.setModel(self._pages)
        self._look = QTimer(self)
        self._look.setSingleShot(True)
        self._look.setInterval(0)
        self._look.timeout.connect(self._want)
        palette = self.palette()
        palette.setBrush(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.setPalette(palette)
        self.set_upright(upright=True)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(self._look.start)
            bar.rangeChanged.connect(self._look.start)
        board.listed.connect(self._list)
        board.page_changed.connect(self._mark)
        board.thumbnails.arrived.connect(self._pages.change)
        self.hide()

    @property
    def cell(self) -> QSize:
        """Size of a page with its label."""
        wide = design.letters(self, _LETTERS)
        return QSize(
            wide + 2 * design.TIGHT,
            round(wide * _SHEET) + design.lines(self, 1) + design.TIGHT + design.HAIR,
        )

    @property
    def least_height(self) -> int:
        """Height of a view below which a strip beside the page shows too little."""
        return round(_LEAST * self.cell.height())

    def set_room(self, room: bool) -> None:  # noqa: FBT001 - a state
        """Whether there is room for the strip."""
        self._room = room
        self._show()

    def _show(self) -> None:
        self.setVisible(self._room and len(self._board.pages) > 1)

    @property
    def thickness(self) -> int:
        """Width of the strip beside a page, or its height below one."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        return (self.cell.width() if self._upright else self.cell.height()) + bar + design.HAIR

    def height_below(self) -> int:
        """Height that the strip takes below a page."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        return self.cell.height() + bar + design.HAIR

    def set_upright(self, *, upright: bool) -> None:
        """Go beside the page, or below it."""
        self._upright = upright
        off, needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setFlow(QListView.Flow.TopToBottom if upright else QListView.Flow.LeftToRight)
        self.setVerticalScrollBarPolicy(needed if upright else off)
        self.setHorizontalScrollBarPolicy(off if upright else needed)
        self._fit()

    def _fit(self) -> None:
        fixed, free = QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding
        self.setSizePolicy(fixed if self._upright else free, free if self._upright else fixed)
        most = 16_777_215  # Qt's "no limit"
        thick = self.thickness
        self.setMaximumSize(thick if self._upright else most, most if self._upright else thick)
        self.setMinimumSize(thick if self._upright else 0, 0 if self._upright else thick)
        self.scheduleDelayedItemsLayout()
        self._mark()
        self._look.start()

    def _list(self) -> None:
        if self._pages.renew():
            self._show()
            self._mark()
            self._look.start()

    def _mark(self) -> None:
        at = self._board.at
        if 0 <= at < self._pages.rowCount():
            index = self._pages.index(at)
            with QSignalBlocker(self):
                self.setCurrentIndex(index)
            self._pages.change(at)
            self.scrollTo(index)

    def _want(self) -> None:
        """Ask for the pages in view."""
        count = self._pages.rowCount()
        if not self.isVisible() or count < 2:
            return
        bar = self.verticalScrollBar() if self._upright else self.horizontalScrollBar()
        step = max(1, self.cell.height() if self._upright else self.cell.width())
        room = self.viewport().height() if self._upright else self.viewport().width()
        first, last = bar.value() // step, (bar.value() + room) // step
        longest = max(self.cell.width(), self.cell.height()) * self.devicePixelRatioF()
        self._board.thumbnails.want(range(first, min(last + 1, count)), round(longest))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self._board.step(step)

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self.signalsBlocked():
            self.chosen.emit(current.row())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._mark()
        self._look.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._mark()
        self._look.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt sends events of changes from the constructor, when there are no pages yet.
        kinds = {QEvent.Type.FontChange, QEvent.Type.StyleChange}
        if event.type() in kinds and hasattr(self, "_look"):
            self._fit()
