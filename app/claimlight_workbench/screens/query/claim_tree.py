"""The claim that is searched, chosen from the tree of the claims: what depends on what, dates, documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tr, trn
from claimlight_workbench.screens.query.claim_list import list_branches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claimlight.types import Claim, ReferenceDates

_NUMBER = Qt.ItemDataRole.UserRole
_ROWS = 14
"""Claims that are visible at once at most."""


class ClaimPicker(QComboBox):
    """Shows the claim; opened, it shows the tree, which has the keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._claims: Sequence[Claim] = ()
        self._missing: Mapping[int, tuple[int, ...]] = {}
        self._dates: ReferenceDates | None = None
        self._documents: Mapping[int, int] = {}
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Claims, those that depend on another below it"))
        self.tree.setHeaderLabels((tr("Claim"), tr("Relevant date"), tr("Documents")))
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            self.tree.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemClicked.connect(lambda _item: self._take())
        self._popup = QFrame(self, Qt.WindowType.Popup)
        self._popup.setFrameShape(QFrame.Shape.StyledPanel)
        column_of_all = QVBoxLayout(self._popup)
        column_of_all.setContentsMargins(design.HAIR, design.HAIR, design.HAIR, design.HAIR)
        column_of_all.addWidget(self.tree)
        self.tree.installEventFilter(self)

    def show_claims(self, claims: Sequence[Claim], missing: Mapping[int, tuple[int, ...]]) -> None:
        """The claims to choose from."""
        self._claims, self._missing = claims, missing

    def show_dates(self, dates: ReferenceDates | None) -> None:
        """The dates of the application, which give each claim its relevant date."""
        self._dates = dates

    def show_documents(self, documents: Mapping[int, int]) -> None:
        """How many documents have a category for each claim."""
        self._documents = documents

    def showPopup(self) -> None:
        """Open the tree below the line."""
        self._fill()
        room = self.screen().availableGeometry() if self.screen() is not None else self.rect()
        line = self.tree.sizeHintForRow(0) if self.count() else self.fontMetrics().height()
        height = (min(max(self.count(), 1), _ROWS) + 2) * max(line, self.fontMetrics().height())
        width = max(self.width(), self.fontMetrics().averageCharWidth() * 90)
        place = self.mapToGlobal(QPoint(0, self.height()))
        left = max(room.left(), min(place.x(), room.right() - width))
        self._popup.setGeometry(left, place.y(), min(width, room.width()), height)
        self._popup.show()
        self.tree.setFocus(Qt.FocusReason.PopupFocusReason)

    def hidePopup(self) -> None:
        """Close the tree."""
        self._popup.hide()
        super().hidePopup()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.tree and event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self._take()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.hidePopup()
                return True
        return super().eventFilter(watched, event)

    def _fill(self) -> None:
        self.tree.clear()
        items: dict[int, QTreeWidgetItem] = {}
        for branch in list_branches(self._claims, self._missing):
            above = items.get(branch.below, self.tree.invisibleRootItem())
            day = self._dates.relevant(branch.number) if self._dates is not None else None
            count = self._documents.get(branch.number, 0)
            item = QTreeWidgetItem(
                above, [branch.text, day.isoformat() if day is not None else "", str(count or "")]
            )
            item.setData(0, _NUMBER, branch.number)
            item.setToolTip(0, branch.text)
            if count:
                spoken = trn("{n:,} document with a category", "{n:,} documents with a category", count)
                item.setToolTip(2, spoken)
                item.setData(2, Qt.ItemDataRole.AccessibleTextRole, spoken)
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            items[branch.number] = item
        self.tree.expandAll()
        current = items.get(self.currentData())
        if current is not None:
            self.tree.setCurrentItem(current)
            self.tree.scrollToItem(current)

    def _take(self) -> None:
        item = self.tree.currentItem()
        self.hidePopup()
        if item is not None:
            row = self.findData(item.data(0, _NUMBER))
            self.setCurrentIndex(row)
            # The popup must be gone before what follows may take the keys.
            QApplication.sendPostedEvents(self._popup)
            self.activated.emit(row)
