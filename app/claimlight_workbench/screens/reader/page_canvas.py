"""A page of drawings: fitted to the width, zoomed at the pointer, dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from claimlight_workbench import design, theme
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QImage,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QShowEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget

ZOOM_STEP = 1.25
_LEAST, _MOST = 0.25, 8.0
"""Zoom, where 1 is the width of the view."""
SHEET = 2**0.5
"""Height of a page whose picture is not there yet, as a part of its width."""
_SMALLEST, _LARGEST, _BETWEEN = 600, 8000, 1.25
"""Pixels of the longer side that are asked for, by steps: not each width of the window is decoded again."""
_NOTCH = 120
"""Angle of one notch of a wheel."""


class PageCanvas(QAbstractScrollArea):
    """Left and Right go to other pages; where the page is wider than the view they move it."""

    sized = Signal(int)
    """Pixels that the longer side of the picture is to have."""
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image: QImage | None = None
        self._dragged: QPoint | None = None
        self.zoom = 1.0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Always there: a page fitted to the width must not change its width by its height.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
        # Over the page, so that the keys stay here while a page is awaited.
        self.message = make_wrapped_label(name="muted")
        self.message.setParent(self.viewport())
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setMargin(design.VAST)
        self.message.hide()

    def say(self, message: str) -> None:
        """Show a message in place of the page; empty for the page."""
        self.message.setText(message)
        self.message.setVisible(bool(message))

    def show_image(self, image: QImage | None) -> None:
        """Show a picture; None for an empty page, whose picture is shown from its top."""
        self._image = image
        if image is None:
            self.verticalScrollBar().setValue(0)
        self._measure()

    def fit(self) -> None:
        """Fit the page to the width."""
        self.zoom_by(1 / self.zoom)

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom; what is at a point of the view, or in its middle, stays there."""
        at = at or QPointF(self.viewport().rect().center())
        before = self._page()
        share = QPointF((at.x() - before.x()) / before.width(), (at.y() - before.y()) / before.height())
        self.zoom = min(max(self.zoom * factor, _LEAST), _MOST)
        self._measure()
        after = self._page()
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(round(across.value() + after.x() + share.x() * after.width() - at.x()))
        down.setValue(round(down.value() + after.y() + share.y() * after.height() - at.y()))

    def _size(self) -> tuple[float, float]:
        width = max(1, self.viewport().width()) * self.zoom
        image = self._image
        return width, width * (image.height() / image.width() if image is not None else SHEET)

    def _page(self) -> QRectF:
        """Where the page is in the view."""
        width, height = self._size()
        left = max(0.0, (self.viewport().width() - width) / 2) - self.horizontalScrollBar().value()
        return QRectF(left, -self.verticalScrollBar().value(), width, height)

    def _measure(self) -> None:
        width, height = self._size()
        view = self.viewport().size()
        for bar, size, seen in (
            (self.horizontalScrollBar(), width, view.width()),
            (self.verticalScrollBar(), height, view.height()),
        ):
            bar.setRange(0, max(0, round(size) - seen))
            bar.setPageStep(seen)
            bar.setSingleStep(self.fontMetrics().lineSpacing() * 2)
        wanted, longest = max(width, height) * self.devicePixelRatioF(), float(_SMALLEST)
        while longest < min(wanted, _LARGEST):
            longest *= _BETWEEN
        if self.isVisible():
            self.sized.emit(round(longest))
        self.viewport().update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(theme.active().window))
        if self._image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(self._page(), self._image)
        painter.end()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.message.setGeometry(self.viewport().rect())
        self._measure()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._measure()

    def scrollContentsBy(self, _across: int, _down: int) -> None:
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP ** (event.angleDelta().y() / _NOTCH), event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged = event.position().toPoint()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            return
        here = event.position().toPoint()
        moved, self._dragged = here - self._dragged, here
        for bar, by in ((self.horizontalScrollBar(), moved.x()), (self.verticalScrollBar(), moved.y())):
            bar.setValue(bar.value() - by)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragged = None
        self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, wide = event.key(), self.horizontalScrollBar().maximum() > 0
        if key in {Qt.Key.Key_Left, Qt.Key.Key_Right} and not wide:
            self.stepped.emit(1 if key == Qt.Key.Key_Right else -1)
        elif key in {Qt.Key.Key_Plus, Qt.Key.Key_Minus}:
            self.zoom_by(ZOOM_STEP if key == Qt.Key.Key_Plus else 1 / ZOOM_STEP)
        else:
            super().keyPressEvent(event)
