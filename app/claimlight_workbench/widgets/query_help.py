"""The help of the query line: examples to insert, operators, fields."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.sets.query_help import CALL_ROWS, EXAMPLE_ROWS, FIELD_ROWS, OPERATOR_ROWS
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.key_sheet import fits
from claimlight_workbench.widgets.tab_order import OrderedDialog

_GROUPS = (
    (tr("Examples"), EXAMPLE_ROWS),
    (tr("Operators"), OPERATOR_ROWS),
    (tr("Similar documents, citations, families"), CALL_ROWS),
    (tr("Fields"), FIELD_ROWS),
)
_WIDEST, _HEIGHT, _EDGES = 1000, 620, 110


class QueryHelp(OrderedDialog):
    """What can be written in the query line; typing filters it, Enter inserts an example."""

    chosen = Signal(str)
    """An example."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Query help"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = QLineEdit()
        self.line.setAccessibleName(tr("Find in the query help"))
        self.line.setPlaceholderText(tr("Find an operator, a field or an example"))
        make_clearable(self.line)
        self.table = QTreeWidget()
        self.table.setAccessibleName(tr("Examples, operators and fields"))
        self.table.setHeaderLabels([tr("In the query line"), tr("Finds")])
        self.table.setRootIsDecorated(False)
        self.table.setWordWrap(True)
        self.table.setAlternatingRowColors(True)
        self.table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.table.header().setStretchLastSection(True)
        self._groups: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        for name, rows in _GROUPS:
            head = QTreeWidgetItem([name])
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            font = head.font(0)
            font.setBold(True)
            head.setFont(0, font)
            items = [QTreeWidgetItem([row.text, tr(row.help)]) for row in rows]
            head.addChildren(items)
            self.table.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
            head.setExpanded(True)
            self._groups.append((head, items))

        self.table.setCurrentItem(self._groups[0][1][0])
        self.hint = QLabel(tr("Enter inserts the chosen example in the query line  ·  Esc closes this"))
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        column = QVBoxLayout(self)
        column.addWidget(self.line)
        column.addWidget(self.table)
        column.addWidget(self.hint)
        # Wide enough for the longest line beside what it finds, at any size of the text.
        wide = self.fontMetrics().horizontalAdvance
        lines, told = (
            max(wide(item.text(place)) for _, items in self._groups for item in items) for place in (0, 1)
        )
        self.resize(min(lines + told + _EDGES, _WIDEST), _HEIGHT)
        self.line.textChanged.connect(self._filter)
        self.line.returnPressed.connect(lambda: self._take(self.table.currentItem()))
        self.table.itemActivated.connect(self._take)

    def _take(self, item: QTreeWidgetItem | None) -> None:
        head, _ = self._groups[0]
        if item is not None and item.parent() is head and not item.isHidden():
            self.accept()
            self.chosen.emit(item.text(0))

    def _filter(self, text: str) -> None:
        shown: list[QTreeWidgetItem] = []
        for head, items in self._groups:
            for item in items:
                item.setHidden(not fits(text, f"{head.text(0)} {item.text(0)} {item.text(1)}"))
            visible = [item for item in items if not item.isHidden()]
            head.setHidden(not visible)
            shown += visible
        if shown:
            # Enter takes the first one that is left.
            self.table.setCurrentItem(shown[0])
        else:
            self.table.setCurrentIndex(QModelIndex())
