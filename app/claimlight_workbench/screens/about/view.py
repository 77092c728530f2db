"""The dialog *About Claimlight*: versions to copy, and the licences with their texts."""

from __future__ import annotations

import PySide6
from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSplitter,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.types.about import About, LicenceGroup, LicenceInfo
from claimlight_workbench.language import tr
from claimlight_workbench.screens.about.describe import Rows, plain_text, rows_of
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.tab_order import OrderedDialog

_GROUPS = {
    LicenceGroup.PROGRAM: tr("Program"),
    LicenceGroup.SHIPPED: tr("Fonts and icons"),
    LicenceGroup.MODEL: tr("Models"),
    LicenceGroup.LIBRARY: tr("Software libraries"),
    LicenceGroup.SYSTEM: tr("Libraries of the operating system"),
}
_SIZE = QSize(900, 560)
_SHARES = (400, 480)
_LICENCE = Qt.ItemDataRole.UserRole


class AboutDialog(OrderedDialog):
    """A window beside the main one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Claimlight"))
        self._rows: Rows = ()
        self._heads: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self.versions = QTreeWidget()
        self.versions.setAccessibleName(tr("Versions"))
        self.versions.setHeaderHidden(True)
        self.versions.setColumnCount(2)
        self.versions.setRootIsDecorated(False)
        self.versions.setAlternatingRowColors(True)
        self.versions.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.line = QLineEdit()
        self.line.setAccessibleName(tr("Find a licence"))
        self.line.setPlaceholderText(tr("Find by name or licence"))
        make_clearable(self.line)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("Licences"))
        self.list.setHeaderLabels([tr("Part"), tr("Licence")])
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Text of the licence"))
        self.nothing = QLabel(tr("No licence has these words."))
        self.nothing.setObjectName("muted")
        self.nothing.hide()
        buttons = QDialogButtonBox()
        self.copy = buttons.addButton(tr("Copy versions"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setToolTip(tr("Copy the versions as plain text, without any folder"))
        close = buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setDefault(True)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(tr("Versions and licences"))
        self.tabs.addTab(self.versions, tr("Versions"))
        self.tabs.addTab(self._licence_page(), tr("Licences"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs)
        layout.addWidget(buttons)
        self.resize(_SIZE)
        self.line.textChanged.connect(self._filter)
        self.list.currentItemChanged.connect(self._show_text)
        self.copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)

    def show_about(self, about: About) -> None:
        """Show what was read."""
        self._rows = rows_of(about, (("Qt", str(qVersion())), ("PySide6", PySide6.__version__)))
        self.versions.clear()
        items = [QTreeWidgetItem([name, value]) for name, value in self._rows]
        for item in items:
            item.setToolTip(1, item.text(1))
        self.versions.addTopLevelItems(items)
        self.versions.setCurrentItem(items[0])
        self._show_licences(about.licences)

    def _licence_page(self) -> QWidget:
        page = QWidget()
        parts = QSplitter()
        parts.addWidget(self.list)
        parts.addWidget(self.text)
        parts.setSizes(list(_SHARES))
        parts.setChildrenCollapsible(False)
        layout = QVBoxLayout(page)
        layout.addWidget(self.line)
        layout.addWidget(self.nothing)
        layout.addWidget(parts, 1)
        return page

    def _show_licences(self, licences: tuple[LicenceInfo, ...]) -> None:
        self.list.clear()
        self._heads = []
        for group, name in _GROUPS.items():
            head = QTreeWidgetItem([name])
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            items = [_item_of(each) for each in licences if each.group is group]
            if items:
                head.addChildren(items)
                self._heads.append((head, items))
                self.list.addTopLevelItem(head)
                head.setFirstColumnSpanned(True)
                head.setExpanded(True)
        self._filter()

    def _filter(self) -> None:
        words = self.line.text().casefold().split()
        found: list[QTreeWidgetItem] = []
        for head, items in self._heads:
            before = len(found)
            for item in items:
                said = f"{item.text(0)} {item.text(1)}".casefold()
                fits = all(word in said for word in words)
                item.setHidden(not fits)
                if fits:
                    found.append(item)
            head.setHidden(len(found) == before)
        self.nothing.setVisible(not found)
        if not found:
            self.list.clearSelection()
            self._show_text(None)
        elif self.list.currentItem() not in found:
            self.list.setCurrentItem(found[0])
        else:
            self._show_text(self.list.currentItem())

    def _show_text(self, item: QTreeWidgetItem | None) -> None:
        licence = item.data(0, _LICENCE) if item is not None else None
        if licence is None:
            self.text.clear()
            return
        self.text.setPlainText(licence.text or tr("This part comes without the text of its licence."))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(plain_text(self._rows))


def _item_of(licence: LicenceInfo) -> QTreeWidgetItem:
    item = QTreeWidgetItem([f"{licence.name} {licence.version}".strip(), licence.licence])
    item.setData(0, _LICENCE, licence)
    item.setToolTip(1, licence.licence)
    return item
