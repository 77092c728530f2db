"""The plane with its points: drawn, moved, pointed at, and selected with a line around documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from claimlight.types import NO_SECTION, Category
from claimlight_workbench import theme
from claimlight_workbench.language import tr
from claimlight_workbench.screens.map.describe import point_text
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from claimlight.services.maps.plane import Lens, Plane

_LIGHT = "#d1495b #2f6db5 #2a8f4f #8c510a #1b1f24 #d9820b #8e5bd0 #0f94a8 #c2257a #8f98a1"
_DARK = "#ff8378 #6cb6f5 #7bd389 #cf9f80 #ffffff #f5a35c #d19cf2 #3fd0c4 #ff86c4 #7d8791"
"""By the order of sections, no section last."""
_STEP = 1.25
_PAN = 60
"""Pixels that an arrow key moves the plane."""
_CLICK = 4
"""Pixels within which a press and a release are a click."""
_FEW, _MANY = 400, 20_000
"""Up to that number of documents points are 7 and 5 pixels wide."""


def section_colours(*, dark: bool) -> tuple[str, ...]:
    """A colour for each of the sections, in the order of legends."""
    return tuple((_DARK if dark else _LIGHT).split())


class _Drawn(NamedTuple):
    """What the picture in store was drawn for."""

    lens: Lens
    theme: str
    signs: int
    """Changes of what is ringed and framed."""


class MapCanvas(QWidget):
    """Drag moves, wheel and pinch zoom, a click opens, Shift and drag selects."""

    opened = Signal(str)
    """Publication that was clicked on."""
    selection_changed = Signal(object)
    """Rows that are selected, by the user."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plane: Plane | None = None
        self.lens: Lens | None = None
        self.selecting = False
        """Dragging selects without Shift too."""
        self.selected: frozenset[int] = frozenset()
        self.hits: tuple[int, ...] = ()
        self.marks: dict[int, Category] = {}
        self.current = -1
        """Row of the open document."""
        self._image: QImage | None = None
        self._drawn: _Drawn | None = None
        self._drawn_signs = 0
        self._press: QPointF | None = None
        self._last = QPointF()
        self._lasso: list[QPointF] | None = None
        self._pointed = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)
        self.setAccessibleName(tr("Map of the library"))
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(600, 400)

    # What is shown

    def show_plane(self, plane: Plane | None) -> None:
        """Show another map, all of it; one of the same library keeps what is seen."""
        former, self.plane = self.plane, plane
        self.selected, self.hits, self.marks, self.current, self._pointed = frozenset(), (), {}, -1, -1
        if plane is None or former is None or plane.points != former.points:
            self.lens = None
        self._renew()
        self._describe()

    def show_hits(self, publications: Iterable[str]) -> None:
        """Ring the documents of the list on the screen."""
        rows = self.plane.rows if self.plane is not None else {}
        self.hits = tuple(rows[each] for each in publications if each in rows)
        self._drawn_signs += 1
        self._renew()

    def show_marks(self, marks: Mapping[str, Category]) -> None:
        """Letter the documents that have a category."""
        rows = self.plane.rows if self.plane is not None else {}
        self.marks = {rows[name]: category for name, category in marks.items() if name in rows}
        self.update()

    def show_current(self, publication: str) -> None:
        """Cross the open document."""
        self.current = self.plane.rows.get(publication, -1) if self.plane is not None else -1
        self.update()

    def select(self, rows: Iterable[int]) -> None:
        """Select documents, chosen in another view."""
        self.selected = frozenset(rows)
        self._drawn_signs += 1
        self._describe()
        self._renew()

    def whole(self) -> None:
        """See all of the map."""
        self.lens = None
        self._renew()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom by a factor; what is under ``at`` stays there, by default the middle."""
        lens = self._view()
        if lens is None or self.plane is None:
            return
        ratio = self.devicePixelRatioF()
        middle = QPointF(self.width() / 2, self.height() / 2) if at is None else at
        self.lens = self.plane.zoomed(lens, factor, middle.x() * ratio, middle.y() * ratio)
        self._renew()

    def pan(self, right: float, down: float) -> None:
        """Move the plane by pixels."""
        lens = self._view()
        if lens is not None:
            ratio = self.devicePixelRatioF()
            self.lens = lens.moved(right * ratio, down * ratio)
            self._renew()

    def go_to(self, row: int) -> None:
        """Bring a document into the picture, if it is outside."""
        place = self.place_of(row)
        if place is not None and not self.rect().adjusted(12, 12, -12, -12).contains(place):
            middle = self.rect().center()
            self.pan(middle.x() - place.x(), middle.y() - place.y())

    def place_of(self, row: int) -> QPoint | None:
        """Where a document is drawn; None without a map."""
        lens = self._view()
        if lens is None or self.plane is None:
            return None
        ratio = self.devicePixelRatioF()
        x, y = self.plane.pixels(lens, [row])[0].tolist()
        return QPoint(round(x / ratio), round(y / ratio))

    # Drawing

    def _view(self) -> Lens | None:
        """What is seen; the whole map until the user has moved or zoomed."""
        if self.plane is None:
            return None
        ratio = self.devicePixelRatioF()
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        if self.lens is None:
            return self.plane.whole(width, height)
        if (self.lens.width, self.lens.height) != (width, height):
            self.lens = replace(self.lens, width=width, height=height)
        return self.lens

    def _renew(self) -> None:
        self._drawn = None
        self.update()

    def _dot(self) -> int:
        count = len(self.plane.points) if self.plane is not None else 0
        wide = 7 if count <= _FEW else 5 if count <= _MANY else 3
        return wide if self.devicePixelRatioF() < 1.5 else 2 * wide - 1

    def _picture(self, lens: Lens) -> QImage:
        """All points; kept until something of it changes."""
        colours = theme.active()
        wanted = _Drawn(lens, colours.name, self._drawn_signs)
        if self._image is None or wanted != self._drawn:
            assert self.plane is not None
            body = self.plane.draw(
                lens,
                colours=[int(each[1:], 16) for each in section_colours(dark=colours.dark)],
                background=int(colours.base[1:], 16),
                dot=self._dot(),
                ringed=self.hits,
                ring=int(colours.text[1:], 16),
                framed=tuple(self.selected),
                frame=int(colours.accent[1:], 16),
            )
            image = QImage(body, lens.width, lens.height, 4 * lens.width, QImage.Format.Format_RGB32)
            # A copy: the pixels belong to Python.
            self._image = image.copy()
            self._image.setDevicePixelRatio(self.devicePixelRatioF())
            self._drawn = wanted
        return self._image

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.active()
        painter = QPainter(self)
        lens = self._view()
        if lens is None:
            painter.fillRect(self.rect(), QColor(colours.base))
        else:
            painter.drawImage(0, 0, self._picture(lens))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_over(painter, lens)
        painter.setPen(QPen(QColor(colours.accent if self.hasFocus() else colours.line)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_over(self, painter: QPainter, lens: Lens) -> None:
        """Categories, the open document and the line that is being drawn."""
        colours = theme.active()
        accent = QColor(colours.accent)
        font = QFont(self.font())
        font.setBold(True)
        painter.setFont(font)
        side = QFontMetrics(font).height() + 2
        rows = tuple(self.marks)
        for row, place in zip(rows, self._places(lens, rows, all_of_them=True), strict=True):
            box = QRectF(place.x() - side / 2, place.y() - side / 2, side, side)
            painter.setPen(QPen(QColor(colours.text), 1))
            painter.setBrush(QColor(colours.raised))
            painter.drawRect(box)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.marks[row].value)
        if self.current >= 0:
            for place in self._places(lens, (self.current,)):
                painter.setPen(QPen(QColor(colours.text), 2))
                for right, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    begin = place + QPointF(right * 7, down * 7)
                    painter.drawLine(begin, place + QPointF(right * 16, down * 16))
        if self._lasso:
            painter.setPen(QPen(accent, 1.5, Qt.PenStyle.DashLine))
            fill = QColor(accent)
            fill.setAlpha(40)
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF(self._lasso))

    def _places(self, lens: Lens, rows: Iterable[int], *, all_of_them: bool = False) -> list[QPointF]:
        """Where documents are; only those in the picture, unless ``all_of_them``."""
        listed = list(rows)
        if self.plane is None or not listed:
            return []
        ratio = self.devicePixelRatioF()
        places = [QPointF(x / ratio, y / ratio) for x, y in self.plane.pixels(lens, listed).tolist()]
        if all_of_them:
            return places
        seen = QRectF(self.rect()).adjusted(-20, -20, 20, 20)
        return [place for place in places if seen.contains(place)]

    # Mouse, keys, gestures

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.plane is None:
            return
        self._press = self._last = event.position()
        lasso = self.selecting or bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._lasso = [event.position()] if lasso else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.position()
        if self._press is None:
            self._point(here, event.globalPosition().toPoint())
            return
        if self._lasso is not None:
            self._lasso.append(here)
            self.update()
        else:
            moved = here - self._last
            self.pan(moved.x(), moved.y())
        self._last = here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._press is None:
            return
        moved = (event.position() - self._press).manhattanLength()
        lasso, self._lasso, self._press = self._lasso, None, None
        if moved <= _CLICK and (lasso is None or len(lasso) <= 3):
            self._click(event.position())
        elif lasso is not None and len(lasso) > 2:
            add = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._select_within(lasso, add=add)
        self.update()

    def _click(self, place: QPointF) -> None:
        row = self._row_at(place)
        if row >= 0 and self.plane is not None:
            self.opened.emit(self.plane.points[row].publication)
        elif self.selected:
            self.select(())
            self.selection_changed.emit([])

    def _row_at(self, place: QPointF) -> int:
        lens = self._view()
        if lens is None or self.plane is None:
            return -1
        ratio = self.devicePixelRatioF()
        return self.plane.nearest(lens, place.x() * ratio, place.y() * ratio)

    def _point(self, place: QPointF, at: QPoint) -> None:
        row = self._row_at(place)
        if row == self._pointed:
            return
        self._pointed = row
        self.setCursor(Qt.CursorShape.PointingHandCursor if row >= 0 else Qt.CursorShape.ArrowCursor)
        if row >= 0:
            QToolTip.showText(at, wrap_tip(self.tip(row)), self)
        else:
            QToolTip.hideText()

    def tip(self, row: int) -> str:
        """Number, title, section, category of a document."""
        assert self.plane is not None
        category = self.marks.get(row)
        return point_text(
            self.plane.points[row], category=category.value if category else "", hit=row in set(self.hits)
        )

    def _select_within(self, line: Sequence[QPointF], *, add: bool) -> None:
        lens = self._view()
        if lens is None or self.plane is None:
            return
        # A line of a hundred corners around a hundred thousand points: drawn, it needs one look for each.
        mask = QImage(lens.width, lens.height, QImage.Format.Format_Grayscale8)
        mask.fill(0)
        ratio = self.devicePixelRatioF()
        painter = QPainter(mask)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor("white"))
        painter.drawPolygon(QPolygonF([each * ratio for each in line]))
        painter.end()
        rows = self.plane.inside(lens, bytes(mask.constBits()), mask.bytesPerLine())
        self.select(self.selected.union(rows) if add else rows)
        self.selection_changed.emit(sorted(self.selected))

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        if steps:
            self.zoom(_STEP**steps, event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        zooms = Qt.NativeGestureType.ZoomNativeGesture
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == zooms:
            self.zoom(1.0 + event.value(), event.position())
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: (_PAN, 0),
            Qt.Key.Key_Right: (-_PAN, 0),
            Qt.Key.Key_Up: (0, _PAN),
            Qt.Key.Key_Down: (0, -_PAN),
        }
        key = Qt.Key(event.key())
        if key in moves:
            self.pan(*moves[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _STEP)
        elif key == Qt.Key.Key_Home:
            self.whole()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._renew()

    def _describe(self) -> None:
        """Describe the picture for screen readers."""
        if self.plane is None:
            self.setAccessibleDescription(tr("No map yet."))
            return
        sections = ", ".join(
            tr("{count:,} without a class", count=count)
            if section == NO_SECTION
            else tr("{count:,} in section {section}", count=count, section=section)
            for section, count in self.plane.legend
        )
        self.setAccessibleDescription(
            tr(
                "{points:,} documents: {sections}. {selected:,} selected. The table beside the map "
                "lists them.",
                points=len(self.plane.points),
                sections=sections,
                selected=len(self.selected),
            )
        )
