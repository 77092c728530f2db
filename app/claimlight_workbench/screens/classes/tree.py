"""The tree of a scheme: entries are read when the one above is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QTreeWidgetItem

from claimlight_workbench import theme
from claimlight_workbench.language import number, tr
from claimlight_workbench.screens.classes.describe import count_words, entry_tip
from claimlight_workbench.widgets.enter_tree import EnterTree
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claimlight.types import ClassEntry, ClassView

DOCUMENTS, _TITLE = 1, 2
_HEADINGS = (tr("Class"), tr("Documents"), tr("Title"))


def title_column() -> int:
    """The column of the titles, which takes the remaining width."""
    return _TITLE


def make_item(entry: ClassEntry, title: str) -> QTreeWidgetItem:
    """A row without its count."""
    item = QTreeWidgetItem([entry.symbol, "", title])
    item.setTextAlignment(DOCUMENTS, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    tip = wrap_tip(entry_tip(entry))
    for column in range(len(_HEADINGS)):
        item.setToolTip(column, tip)
    return item


class ClassTree(EnterTree):
    """Knows the entries that were read so far."""

    open_wanted = Signal(str)
    """What is below a symbol is to be read."""

    def __init__(self) -> None:
        super().__init__(tr("Classes"), _HEADINGS, stretched=_TITLE)
        self._items: dict[str, QTreeWidgetItem] = {}
        self._read: set[str] = set()
        self._counts: Mapping[str, int] | None = None
        self._only = False
        # Symbols keep their place however deep the tree is.
        self.setTreePosition(_TITLE)
        self.setIndentation(10)
        self.itemExpanded.connect(self._expanded)

    def show_sections(self, entries: tuple[ClassEntry, ...]) -> None:
        """Show another tree, closed."""
        self.clear()
        self._items.clear()
        self._read.clear()
        for entry in entries:
            self.addTopLevelItem(self._make(entry))
        for entry in entries:
            self.show_count(self._items[entry.symbol])

    def show_children(self, view: ClassView) -> None:
        """Show what is directly below an entry."""
        above = self._items.get(view.entry.symbol)
        if above is None or view.entry.symbol in self._read:
            return
        self._read.add(view.entry.symbol)
        above.addChildren([self._make(entry) for entry in view.children])
        for entry in view.children:
            self.show_count(self._items[entry.symbol])

    def reveal(self, views: tuple[ClassView, ...]) -> None:
        """Open the tree down to the last of these entries and select it."""
        with QSignalBlocker(self):
            for view in views[:-1]:
                self.show_children(view)
                if (above := self._items.get(view.entry.symbol)) is not None:
                    above.setExpanded(True)
            item = self._items.get(views[-1].entry.symbol)
            if item is not None:
                item.setHidden(False)
                self.setCurrentItem(item)
        if item is not None:
            self.scrollToItem(item, self.ScrollHint.PositionAtCenter)

    def show_counts(self, counts: Mapping[str, int] | None) -> None:
        """Show the documents of each entry; None while they are counted."""
        self._counts = counts
        for item in self._items.values():
            self.show_count(item)

    def show_only(self, only: bool) -> None:  # noqa: FBT001 - a slot
        """Hide the entries without documents, or don't."""
        self._only = only
        for item in self._items.values():
            self.show_count(item)

    def show_count(self, item: QTreeWidgetItem) -> None:
        """Show the documents of a row, also of one of another list."""
        symbol = item.text(0)
        count = None if self._counts is None else self._counts.get(symbol, 0)
        item.setText(DOCUMENTS, "" if count is None else number(count, ","))
        item.setData(DOCUMENTS, Qt.ItemDataRole.AccessibleTextRole, count_words(count))
        brush = QBrush(QColor(theme.active().muted)) if count == 0 else QBrush()
        for column in range(len(_HEADINGS)):
            item.setForeground(column, brush)
        if self._items.get(symbol) is item:
            item.setHidden(self._only and count == 0)

    def _make(self, entry: ClassEntry) -> QTreeWidgetItem:
        item = make_item(entry, entry.short or entry.title)
        if entry.children:
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        self._items[entry.symbol] = item
        return item

    def _expanded(self, item: QTreeWidgetItem) -> None:
        if item.text(0) not in self._read:
            self.open_wanted.emit(item.text(0))
