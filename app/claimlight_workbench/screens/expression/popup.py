"""The list of completions under the query line: it never takes the focus; Tab accepts one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHeaderView, QLabel, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.types import Completion

MOST_SHOWN = 12
_WIDTH = 430


class CompletionPopup(QFrame):
    """A child of the window above the other widgets, so that typing continues in the line."""

    taken = Signal(object)
    """A `Completion`."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._completions: Sequence[Completion] = ()
        self._row = -1
        """The line chosen by key; -1 for none."""
        self.setObjectName("popup")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("Completions of the query line"))
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setFont(owner.font())
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setStretchLastSection(True)
        self.hint = QLabel(tr("Tab accepts  ·  Enter runs the line as it is  ·  Esc closes this"))
        self.hint.setObjectName("muted")
        self.hint.setContentsMargins(design.TIGHT, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(design.TIGHT, design.TIGHT, design.TIGHT, design.TIGHT)
        column.setSpacing(design.HAIR)
        column.addWidget(self.list)
        column.addWidget(self.hint)
        self.list.itemClicked.connect(lambda item: self._take(self.list.indexOfTopLevelItem(item)))
        self.hide()

    @property
    def chosen(self) -> bool:
        """Whether a line was chosen by key."""
        return self._row >= 0

    def offer(self, completions: Sequence[Completion], place: QPoint) -> None:
        """Show completions at a place of the window; hidden if there are none."""
        self._fill(completions[:MOST_SHOWN])
        if not self._completions:
            return
        window = self._owner.window()
        if self.parent() is not window:
            self.setParent(window)
        self.move(max(0, min(place.x(), window.width() - self.width())), place.y())
        self.show()
        self._fit()
        self.raise_()

    def narrow(self, text: str, column: int) -> None:
        """More was typed: keep the completions that still match, until newer ones come."""
        if self.isVisible():
            written = column - 1
            self._fill(
                [
                    each
                    for each in self._completions
                    if len(each.text) > written - each.start > 0
                    and each.text.casefold().startswith(text[each.start : written].casefold())
                ]
            )
            self._fit()

    def step(self, by: int) -> None:
        """Move up or down the list; up from the first line selects none."""
        self._row = min(self._row + by, len(self._completions) - 1)
        self.list.clearSelection()
        item = self.list.topLevelItem(self._row)
        if item is not None:
            self.list.setCurrentItem(item)

    def take_current(self) -> None:
        """Accept the chosen completion, or the first one if none was chosen."""
        self._take(max(0, self._row))

    def _fill(self, completions: Sequence[Completion]) -> None:
        self._completions = completions
        self._row = -1
        self.list.clear()
        self.list.addTopLevelItems([QTreeWidgetItem([each.text, tr(each.help)]) for each in completions])
        self.list.clearSelection()
        if not completions:
            self.hide()

    def _fit(self) -> None:
        row_height = max(self.list.sizeHintForRow(0), self.fontMetrics().height() + 2)
        high = len(self._completions) * row_height + 2 * self.list.frameWidth() + 2
        self.list.setFixedHeight(high)
        self.resize(min(_WIDTH, self._owner.window().width()), high + self.hint.sizeHint().height() + 14)

    def _take(self, row: int) -> None:
        if 0 <= row < len(self._completions):
            self.taken.emit(self._completions[row])
