"""The drawings of the open document: a list of pages, the page, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.reader.drawing_words import (
    NONE_OPEN,
    READING,
    SIDEWAYS,
    caption_words,
    missing_words,
    none_words,
    page_words,
)
from claimlight_workbench.screens.reader.figure_strip import FigureStrip
from claimlight_workbench.screens.reader.page_canvas import SHEET, ZOOM_STEP, PageCanvas
from claimlight_workbench.screens.reader.sign_list import SignList
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.icons import IconButton
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent, QShowEvent

    from claimlight_workbench.models.drawings import DrawingBoard

_SIGNS = tr("Reference signs")
_SIGNS_BESIDE = 90
"""Letters: in a view as wide as that, the list of signs is beside the page, else below it."""
NEXT, PREVIOUS = tr("Next page of drawings"), tr("Previous page of drawings")


class DrawingView(QWidget):
    """Follows the board, and steps, turns and sizes its pages."""

    def __init__(self, board: DrawingBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self.pages = QComboBox()
        name_box(self.pages, tr("Pages of drawings"))
        self.pages.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.pages.setMinimumContentsLength(8)
        # Letters and digits are commands of the window; the list is opened with Alt+Down.
        self.pages.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.previous = IconButton("previous", PREVIOUS, command=PREVIOUS)
        self.next = IconButton("next", NEXT, command=NEXT)
        self.smaller = IconButton("zoom-out", tr("Smaller (-, Ctrl+wheel)"))
        self.fitted = IconButton("fit", tr("Fit to width"))
        self.larger = IconButton("zoom-in", tr("Larger (+, Ctrl+wheel)"))
        self.turned = IconButton("turn", tr("Turn by a quarter"))
        self.caption = ElidedLabel()
        self.caption.setObjectName("muted")
        self.sign_button = IconButton("signs", _SIGNS, command=_SIGNS, checkable=True)
        self.signs = SignList(board.signs)
        self.signs.hide()
        self.sideways = QToolButton()
        self.sideways.setText(tr("Turn the text upright"))
        self.sideways.setToolTip(SIDEWAYS)
        self.sideways.hide()
        self.canvas = PageCanvas()
        self.strip = FigureStrip(board)
        bar = QHBoxLayout()
        bar.setSpacing(design.TIGHT)
        for each in (self.previous, self.next):
            bar.addWidget(each)
        bar.addWidget(self.pages, 1)
        for each in (self.smaller, self.fitted, self.larger, self.turned, self.sign_button):
            bar.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.TIGHT)
        column.addLayout(bar)
        said = QHBoxLayout()
        said.setSpacing(design.TIGHT)
        said.addWidget(self.caption, 1)
        said.addStretch()
        said.addWidget(self.sideways)
        column.addLayout(said)
        self._arranging = QTimer(self)
        self._arranging.setSingleShot(True)
        self._arranging.setInterval(0)
        self._arranging.timeout.connect(self._arrange)
        self._page = QWidget()
        self._sheet = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._page)
        self._sheet.setContentsMargins(0, 0, 0, 0)
        self._sheet.setSpacing(design.TIGHT)
        self._sheet.addWidget(self.strip)
        self._sheet.addWidget(self.canvas, 1)
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._parts.setChildrenCollapsible(False)
        self._parts.addWidget(self._page)
        self._parts.addWidget(self.signs)
        self._parts.setStretchFactor(0, 3)
        self._parts.setStretchFactor(1, 2)
        self._parts.splitterMoved.connect(self._arranging.start)
        column.addWidget(self._parts, 1)
        self.previous.clicked.connect(lambda: board.step(-1))
        self.next.clicked.connect(lambda: board.step(1))
        self.smaller.clicked.connect(lambda: self.canvas.zoom_by(1 / ZOOM_STEP))
        self.larger.clicked.connect(lambda: self.canvas.zoom_by(ZOOM_STEP))
        self.fitted.clicked.connect(self.canvas.fit)
        self.turned.clicked.connect(board.turn)
        self.sideways.clicked.connect(board.turn)
        self.strip.chosen.connect(board.go_to)
        self.sign_button.clicked.connect(lambda listing: board.signs.set_listing(listing=listing))
        self.signs.left.connect(self._leave_signs)
        board.signs.listing_changed.connect(self._show_signs)
        self.pages.currentIndexChanged.connect(board.go_to)
        self.canvas.sized.connect(board.set_longest)
        self.canvas.stepped.connect(board.step)
        board.listed.connect(self._list)
        board.page_changed.connect(self._say_page)
        board.pictured.connect(self._picture)
        self._list()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._list()

    def _list(self) -> None:
        # Documents that are only read as text must not wait for what nobody sees.
        if self.isHidden():
            return
        board = self._board
        with QSignalBlocker(self.pages):
            self.pages.clear()
            if board.found is not None:
                drawings = board.found.drawings
                for place, page in enumerate(board.pages):
                    self.pages.addItem(page_words(drawings, page))
                    caption = wrap_tip(caption_words(drawings, page))
                    self.pages.setItemData(place, caption, Qt.ItemDataRole.ToolTipRole)
        self._say_page()
        self._picture()

    def _say_page(self) -> None:
        if self.isHidden():
            return
        board, page = self._board, self._board.page
        with QSignalBlocker(self.pages):
            self.pages.setCurrentIndex(board.at if page is not None else -1)
        count = len(board.pages)
        self.previous.setEnabled(board.at > 0)
        self.next.setEnabled(board.at + 1 < count)
        for each in (self.pages, self.smaller, self.fitted, self.larger, self.turned):
            each.setEnabled(page is not None)
        said = caption = ""
        if page is not None and board.found is not None:
            caption = caption_words(board.found.drawings, page)
            said = page_words(board.found.drawings, page)
        self.caption.setText(caption)
        self.caption.setToolTip(wrap_tip(caption))
        self.caption.setVisible(bool(caption))
        self.canvas.setAccessibleName(tr("Drawing, page {said} of {count}", said=said, count=count))
        self._describe()

    def _picture(self) -> None:
        if self.isHidden():
            return
        board = self._board
        message = ""
        if not board.opened:
            message = NONE_OPEN
        elif board.fault or board.reason:
            message = none_words(board.fault or board.reason)
        elif board.found is None:
            message = READING
        elif board.picture_fault:
            message = missing_words(board.picture_fault)
        self.canvas.say(message)
        self._describe()
        self.canvas.show_image(board.image)
        self.sideways.setVisible(board.is_sideways)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Not now: what is shown or hidden while Qt lays the view out keeps its old place.
        self._arranging.start()

    def _show_signs(self) -> None:
        listing = self._board.signs.listing
        self.signs.setVisible(listing)
        self.sign_button.setChecked(listing)
        self._arranging.start()

    def _leave_signs(self) -> None:
        self._board.signs.set_listing(listing=False)
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _arrange(self) -> None:
        wide = self.width() >= design.letters(self, _SIGNS_BESIDE)
        self._parts.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        # Below a page fitted to the width, if that leaves room; else beside it, where it takes less.
        size = self._page.size()
        below = size.height() >= size.width() * SHEET + self.strip.height_below()
        direction = QBoxLayout.Direction.BottomToTop if below else QBoxLayout.Direction.LeftToRight
        self.strip.set_room(below or size.height() > self.strip.least_height)
        if direction is not self._sheet.direction():
            self._sheet.setDirection(direction)
            self.strip.set_upright(upright=not below)

    def _describe(self) -> None:
        """Say what is on the page: the captions of its figures, or why there is no picture."""
        told = self.canvas.message.text() or self.caption.text()
        self.canvas.setAccessibleDescription(told or tr("The document has no caption for this page"))
