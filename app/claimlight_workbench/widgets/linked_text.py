"""Read-only text whose words can be highlighted and pointed at, with feature chips in the margin.

Positions are UTF-16 offsets into the QTextDocument. Highlights are asked for only for the visible part: a
document may have thousands of matches, the screen shows a few dozen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QTextEdit, QToolTip, QWidget

from claimlight_workbench import theme
from claimlight_workbench.language import tr
from claimlight_workbench.widgets import motion
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_width, paint_chip
from claimlight_workbench.widgets.outlines import Outline, paint_outlines


@dataclass(frozen=True, slots=True)
class Mark:
    """One painted range; colours are ``#rrggbb``, empty for none."""

    start: int
    end: int
    background: str = ""
    foreground: str = ""
    """Given for the highlighted match, which is inverted, so that it stands out in any colour."""
    underline: str = ""
    line: QTextCharFormat.UnderlineStyle = QTextCharFormat.UnderlineStyle.SingleUnderline


@dataclass(frozen=True, slots=True)
class MarginChips:
    """Labels in the margin beside a position."""

    position: int
    labels: tuple[str, ...]


EMPHASIS_MS = 900
_EMPHASIS = 0.28
"""Opacity of the tint at its beginning; the text is painted over it."""
_BAR = 9
"""Room for the bar beside the current passage."""

OutlineSource = Callable[[int, int], Sequence[Outline]]
MarkSource = Callable[[int, int], Sequence[Mark]]
CurrentSource = Callable[[], tuple[int, int] | None]
ChipSource = Callable[[int, int], Sequence[MarginChips]]
TipSource = Callable[[int], str]


class LinkedText(QTextEdit):
    """The text view of the claim panel and of the reader."""

    pointed = Signal(int)
    """Position of the word under the pointer; -1 over none."""
    clicked = Signal(int)
    scrolled = Signal()
    resized = Signal()
    """The text has another width or height."""

    def __init__(self, parent: QWidget | None = None, *, columns: int = 1) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._marks: MarkSource = _nothing_marked
        self._chips: ChipSource = _no_chips
        self._outlines: OutlineSource = _no_outlines
        self._tips: TipSource = lambda _position: ""
        self._current: CurrentSource = lambda: None
        self._widest = "F9"
        self._outlined: Sequence[Outline] = ()
        self._columns = columns
        self._pointed = -1
        self.with_ctrl = False
        """Whether Ctrl was held at the last click."""
        self._emphasised: tuple[int, int] | None = None
        self._emphasis = QVariantAnimation(self)
        self._emphasis.setDuration(EMPHASIS_MS)
        self._emphasis.valueChanged.connect(lambda _value: self.viewport().update())
        self._emphasis.finished.connect(self._end_emphasis)
        self._margin = _Margin(self)
        self._fit_margin()
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(0)
        self._refresh.timeout.connect(self.paint_marks)
        self.verticalScrollBar().valueChanged.connect(self._moved)

    def set_sources(self, marks: MarkSource, chips: ChipSource) -> None:
        """Set what provides highlights and chips for a range of positions."""
        self._marks, self._chips = marks, chips
        self.refresh()

    def set_tips(self, tips: TipSource) -> None:
        """Set what gives the tool tip for a position."""
        self._tips = tips

    def set_outlines(self, outlines: OutlineSource) -> None:
        """Set what provides the boxes."""
        self._outlines = outlines
        self.refresh()

    @property
    def outlined(self) -> Sequence[Outline]:
        """The visible boxes."""
        return self._outlined

    def show_document(self, document: QTextDocument) -> None:
        """Show another text."""
        # Selections point into the previous document, which may be gone before they are replaced.
        self.setExtraSelections([])
        self._outlined = ()
        self._end_emphasis()
        self._margin.set_chips(())
        document.setTextWidth(self.viewport().width())
        self.setDocument(document)
        self._pointed = -1
        self.refresh()

    def refresh(self) -> None:
        """Ask for the visible highlights again, once the event loop is free."""
        self._refresh.start()

    def stop(self) -> None:
        """Emit nothing more: the window is closing, and receivers may be deleted first."""
        self._refresh.stop()
        self._end_emphasis()
        self.blockSignals(True)

    def visible_range(self) -> tuple[int, int]:
        """First and last visible position."""
        corner = QPoint(self.viewport().width() - 1, self.viewport().height() - 1)
        first = self.cursorForPosition(QPoint(0, 0)).position()
        return first, self.cursorForPosition(corner).position()

    def paint_marks(self) -> None:
        """Paint the highlights of the visible text."""
        first, last = self.visible_range()
        # Extra selections leave the document alone: formats in it would lay the text out again.
        self.setExtraSelections([self._selection(mark) for mark in self._marks(first, last)])
        self._margin.set_chips(self._chips(first, last))
        outlined = self._outlines(first, last)
        if outlined or self._outlined:
            self._outlined = outlined
            self.viewport().update()

    def emphasise(self, start: int, end: int) -> None:
        """Show for a moment where a jump has arrived: a tint that fades, or stays if motion is reduced."""
        self._end_emphasis()
        self._emphasised = start, end
        self._emphasis.setStartValue(1.0)
        self._emphasis.setEndValue(1.0 if motion.is_reduced() else 0.0)
        self._emphasis.start()

    @property
    def emphasised(self) -> tuple[int, int] | None:
        """The range that is emphasised now."""
        return self._emphasised

    def _end_emphasis(self) -> None:
        self._emphasis.stop()
        self._emphasised = None
        self.viewport().update()

    def _paint_emphasis(self) -> None:
        if self._emphasised is None:
            return
        last = max(0, self.document().characterCount() - 1)
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(self._emphasised[0], last))
        top = self.cursorRect(cursor).top()
        cursor.setPosition(min(self._emphasised[1], last))
        bottom = self.cursorRect(cursor).bottom()
        colour = QColor(theme.active().accent)
        colour.setAlphaF(_EMPHASIS * float(self._emphasis.currentValue() or 0.0))
        painter = QPainter(self.viewport())
        painter.fillRect(QRect(0, top - 3, self.viewport().width(), bottom - top + 6), colour)
        painter.end()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._paint_emphasis()
        super().paintEvent(event)
        if self._outlined:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            origin = QPointF(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())
            paint_outlines(painter, self.document(), self._outlined, origin)
            painter.end()

    def show_position(self, position: int, *, top: bool = False) -> None:
        """Scroll to make a position visible, at the top third if asked to or if it was not visible."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(position, max(0, self.document().characterCount() - 1)))
        place = self.cursorRect(cursor)
        height = self.viewport().height()
        if top or place.top() < 0 or place.bottom() > height:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + place.top() - (12 if top else height // 3))
        self.refresh()

    def scroll_to(self, share: float) -> None:
        """Bring a place of the text, 0 to 1, to the middle of what is visible."""
        bar = self.verticalScrollBar()
        bar.setValue(round(share * (bar.maximum() + bar.pageStep()) - bar.pageStep() / 2))

    def choose(self, start: int, end: int) -> None:
        """Select a range of the text, as the mouse would."""
        last = max(0, self.document().characterCount() - 1)
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(start, last))
        cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def position_at(self, point: QPointF) -> int:
        """Position of the character under a point of the viewport; -1 if there is none."""
        place = point + QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        # `cursorForPosition` would give the nearest character, beside the text too.
        return self.document().documentLayout().hitTest(place, Qt.HitTestAccuracy.ExactHit)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        # With a button pressed the mouse selects text.
        if not event.buttons():
            self._point(self.position_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.with_ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self.clicked.emit(self.position_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point(-1)

    def event(self, event: QEvent) -> bool:
        # The margin lets the mouse through to here: its tips are those of the line beside it.
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return self._show_tip(event, QPoint(0, event.pos().y() - self.viewport().y()))
        return super().event(event)

    def _show_tip(self, event: QHelpEvent, at: QPoint) -> bool:
        words = self._tips(self.cursorForPosition(at).position())
        if words:
            QToolTip.showText(event.globalPos(), words, self)
        else:
            QToolTip.hideText()
        return True

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._point(-1)
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return self._show_tip(event, event.pos())
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._margin.setGeometry(area.left(), area.top(), self._margin.width_needed(), area.height())
        self.refresh()
        self.resized.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange}:
            self._fit_margin()
            self.refresh()

    def _fit_margin(self) -> None:
        # Qt sends events of changes from the constructor, when there is no margin yet.
        if hasattr(self, "_margin"):
            self.setViewportMargins(self._margin.width_needed(), 0, 0, 0)

    def _point(self, position: int) -> None:
        if position != self._pointed:
            self._pointed = position
            self.pointed.emit(position)

    def _moved(self) -> None:
        self._margin.update()
        self.refresh()
        self.scrolled.emit()

    def _selection(self, mark: Mark) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        # The last character is Qt's own end of the document.
        last = max(0, self.document().characterCount() - 1)
        cursor.setPosition(min(mark.start, last))
        cursor.setPosition(min(mark.end, last), QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        if mark.background:
            form.setBackground(QBrush(QColor(mark.background)))
        if mark.underline:
            form.setUnderlineStyle(mark.line)
            form.setUnderlineColor(QColor(mark.underline))
        if mark.foreground:
            form.setForeground(QBrush(QColor(mark.foreground)))
        selection.cursor = cursor
        selection.format = form
        return selection

    def set_current(self, current: CurrentSource) -> None:
        """Set the range that the bar in the margin marks."""
        self._current = current

    def set_widest_chip(self, label: str) -> None:
        """The longest label that the margin must have room for."""
        if label != self._widest:
            self._widest = label
            self._fit_margin()
            area = self.contentsRect()
            self._margin.setGeometry(area.left(), area.top(), self._margin.width_needed(), area.height())

    @property
    def chip_column(self) -> int:
        """Width of one column of chips with the gap behind it."""
        return chip_width(chip_font(self.font()), self._widest) + 2

    @property
    def current(self) -> tuple[int, int] | None:
        """The range marked by the bar."""
        return self._current()

    @property
    def columns(self) -> int:
        """Chips side by side in the margin."""
        return self._columns


class _Margin(QWidget):
    """The chips left of the text; the evidence panel has the same information as text."""

    def __init__(self, owner: LinkedText) -> None:
        super().__init__(owner)
        self._owner = owner
        self.set_chips(())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def width_needed(self) -> int:
        return self._owner.columns * self._owner.chip_column + 4 + _BAR

    def sizeHint(self) -> QSize:
        return QSize(self.width_needed(), 0)

    def set_chips(self, chips: Sequence[MarginChips]) -> None:
        self._chips = chips
        labels = dict.fromkeys(label for each in chips for label in each.labels)
        self.setAccessibleName(
            tr("Beside the visible text: {labels}", labels=", ".join(labels))
            if labels
            else tr("Nothing beside the visible text")
        )
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(theme.active().base))
        cursor = QTextCursor(self._owner.document())
        end = max(0, self._owner.document().characterCount() - 1)
        lines: dict[int, tuple[str, ...]] = {}
        for item in self._chips:
            if item.position <= end:
                cursor.setPosition(item.position)
                top = self._owner.cursorRect(cursor).top()
                lines[top] = (*lines.get(top, ()), *item.labels)
        for top, labels in lines.items():  # several that begin on one line stand side by side
            self._paint_labels(painter, top, labels)
        self._paint_bar(painter, cursor, end)
        painter.end()

    def _paint_bar(self, painter: QPainter, cursor: QTextCursor, end: int) -> None:
        """A bar with a pointed head beside the current passage: visible without seeing colours."""
        current = self._owner.current
        if current is None or current[0] > end:
            return
        cursor.setPosition(current[0])
        top = self._owner.cursorRect(cursor).top()
        cursor.setPosition(min(current[1], end))
        bottom = self._owner.cursorRect(cursor).bottom()
        colour = QColor(theme.active().outline)
        left = self.width() - _BAR
        painter.fillRect(QRect(left + 2, top, 3, max(bottom - top, 8)), colour)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        middle = top + chip_height() // 2
        head = [QPoint(left + 2, middle - 5), QPoint(left + _BAR, middle), QPoint(left + 2, middle + 5)]
        painter.drawPolygon(head)

    def _paint_labels(self, painter: QPainter, top: int, labels: Sequence[str]) -> None:
        font = chip_font(self.font())
        for number, label in enumerate(labels):
            row, column = divmod(number, self._owner.columns)
            wide = chip_width(font, label)
            left = 2 + column * self._owner.chip_column
            place = QRect(left, top + 1 + row * (chip_height() + 2), wide, chip_height())
            paint_chip(painter, place, label)


def _nothing_marked(_first: int, _last: int) -> Sequence[Mark]:
    return ()


def _no_outlines(_first: int, _last: int) -> Sequence[Outline]:
    return ()


def _no_chips(_first: int, _last: int) -> Sequence[MarginChips]:
    return ()
