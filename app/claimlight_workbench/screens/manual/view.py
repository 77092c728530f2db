"""The manual: contents and search on the left, the page on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QImage, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight import paths
from claimlight.services.manual import ManualPage, find, follow
from claimlight_workbench import design, language
from claimlight_workbench.language import tr, trn
from claimlight_workbench.screens.manual.page import PageView
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.icons import IconButton
from claimlight_workbench.widgets.tab_order import OrderedDialog

_GROUPS = {"guide": tr("Guide"), "reference": tr("Reference")}
_DEEPEST = 3
"""Headings below this level are not in the contents."""
_SIZE = QSize(1080, 680)
_SHARES = (300, 780)
_MOST_KEPT = 200
_SEARCH_MS = 120
_PLACE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class _Visit:
    """A place that was shown, to go back to."""

    page: str
    anchor: str
    scroll: int | None = None


class ManualDialog(OrderedDialog):
    """A window beside the main one; it asks nothing of the network."""

    picture_wanted = Signal(str, QSize)
    """A picture's file, and the size in which it is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Manual"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self._pages: dict[str, ManualPage] = {}
        self._items: dict[tuple[str, str], QTreeWidgetItem] = {}
        self._shown = _Visit("", "")
        self._before: list[_Visit] = []
        self._after: list[_Visit] = []
        self.line = QLineEdit()
        self.line.setAccessibleName(tr("Find in the manual"))
        self.line.setPlaceholderText(tr("Find in the manual"))
        make_clearable(self.line)
        self.contents = QTreeWidget()
        self.contents.setAccessibleName(tr("Contents of the manual"))
        self.contents.setHeaderHidden(True)
        self.found = QListWidget()
        self.found.setAccessibleName(tr("Sections found"))
        self.found.setWordWrap(True)
        self.found.setSpacing(design.TIGHT)
        self.found.setAlternatingRowColors(True)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.back = self._button(
            "previous", tr("Back"), tr("Back to the page before (Alt+Left)"), self.go_back
        )
        self.forward = self._button("next", tr("Forward"), tr("Forward again (Alt+Right)"), self.go_forward)
        self.page = PageView()
        self.page.setAccessibleName(tr("Page of the manual"))
        self.english = QLabel(tr("The manual is in English."))
        self.english.setObjectName("muted")
        self.english.setVisible(language.current() != language.ENGLISH)
        self._make_outside()
        self._lay_out()
        self._searching = QTimer(self)
        self._searching.setSingleShot(True)
        self._searching.setInterval(_SEARCH_MS)
        self._searching.timeout.connect(self._find)
        self.line.textChanged.connect(lambda _: self._searching.start())
        self.line.returnPressed.connect(self._open_first)
        self.contents.itemActivated.connect(self._open_item)
        self.contents.itemClicked.connect(self._open_item)
        self.found.itemActivated.connect(self._open_found)
        self.found.itemClicked.connect(self._open_found)
        self.page.link_clicked.connect(self.follow)
        self.page.picture_wanted.connect(self.picture_wanted)
        for keys, act in (
            ("Ctrl+F", self._to_line),
            ("Alt+Left", self.go_back),
            ("Alt+Right", self.go_forward),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        self._tell_history()

    def show_pages(self, pages: Sequence[ManualPage]) -> None:
        """Take the pages and list their sections."""
        if self._pages:
            return
        self._pages = {page.name: page for page in pages}
        heads = {}
        for group, title in _GROUPS.items():
            head = heads[group] = QTreeWidgetItem([title])
            font = design.sized(self.contents.font(), design.BODY, bold=True)
            head.setFont(0, font)
            self.contents.addTopLevelItem(head)
        for page in pages:
            item = QTreeWidgetItem([page.title])
            item.setToolTip(0, page.title)
            item.setData(0, _PLACE, (page.name, ""))
            self._items[page.name, ""] = item
            heads[page.name.partition("/")[0]].addChild(item)
            for section in page.sections[1:]:
                if section.level > _DEEPEST:
                    continue
                below = QTreeWidgetItem([section.title])
                below.setToolTip(0, section.title)
                below.setData(0, _PLACE, (page.name, section.anchor))
                self._items[page.name, section.anchor] = below
                item.addChild(below)
        for head in heads.values():
            head.setExpanded(True)

    def open_place(self, place: str) -> None:
        """Go to a place such as ``guide/dates.md#read-the-status``; empty: stay, or show the first page."""
        if not place and self._shown.page:
            return
        name, _, anchor = (place or next(iter(self._pages), "")).partition("#")
        self.go(name, anchor)

    def go(self, name: str, anchor: str = "") -> None:
        """Show a section, and remember where the reader was."""
        wanted = _Visit(name, anchor)
        if name not in self._pages or wanted == replace(self._shown, scroll=None):
            self._show(wanted)
            return
        self._remember(self._before)
        self._after.clear()
        self._show(wanted)

    def go_back(self) -> None:
        """Show what was shown before."""
        if self._before:
            self._remember(self._after)
            self._show(self._before.pop())

    def go_forward(self) -> None:
        """Show what *Back* left."""
        if self._after:
            self._remember(self._before)
            self._show(self._after.pop())

    def follow(self, link: str) -> None:
        """Go to a page that a link names; an address outside is shown to be copied, never opened."""
        target = follow(self._shown.page, link, tuple(self._pages.values()))
        self._outside.setVisible(bool(target.outside))
        if target.outside:
            self.address.setText(target.outside)
        else:
            self.go(target.page, target.anchor)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._searching.stop()

    def show_picture(self, path: str, image: QImage) -> None:
        """Put a picture in its place on the page."""
        self.page.show_picture(path, image)

    def _show(self, visit: _Visit) -> None:
        page = self._pages.get(visit.page)
        if page is None:
            return
        self._outside.hide()
        self._shown = visit
        words = self.line.text() if self._listing.currentWidget() is self._results else ""
        self.page.show_page(page, paths.manual(), visit.anchor, at=visit.scroll, words=words)
        if visit.scroll is None and not visit.anchor:
            self.page.verticalScrollBar().setValue(0)
        self._choose(visit)
        self._tell_history()

    def _choose(self, visit: _Visit) -> None:
        """Choose the entry of the contents."""
        item = self._items.get((visit.page, visit.anchor)) or self._items.get((visit.page, ""))
        if item is not None:
            self.contents.setCurrentItem(item)

    def _remember(self, where: list[_Visit]) -> None:
        if self._shown.page:
            where.append(replace(self._shown, scroll=self.page.verticalScrollBar().value()))
            del where[:-_MOST_KEPT]

    def _tell_history(self) -> None:
        self.back.setEnabled(bool(self._before))
        self.forward.setEnabled(bool(self._after))

    def _find(self) -> None:
        typed = self.line.text().strip()
        self._listing.setCurrentWidget(self._results if typed else self.contents)
        self.found.clear()
        sections = find(tuple(self._pages.values()), typed)
        for section in sections:
            item = QListWidgetItem(f"{section.title}\n{section.excerpt}")
            item.setData(_PLACE, (section.page, section.anchor))
            self.found.addItem(item)
        self.count.setText(trn("{n:,} section", "{n:,} sections", len(sections)))

    def _open_first(self) -> None:
        self._searching.stop()
        self._find()
        if (first := self.found.item(0)) is not None:
            self.found.setCurrentItem(first)
            self._open_found(first)

    def _open_found(self, item: QListWidgetItem) -> None:
        name, anchor = item.data(_PLACE)
        self.go(name, anchor)

    def _open_item(self, item: QTreeWidgetItem) -> None:
        if (place := item.data(0, _PLACE)) is not None:
            self.go(*place)

    def _to_line(self) -> None:
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def _button(self, icon: str, name: str, tip: str, act: Callable[[], None]) -> QToolButton:
        button = IconButton(icon, name, tip=tip)
        button.clicked.connect(act)
        return button

    def _make_outside(self) -> None:
        self.address = QLineEdit()
        self.address.setReadOnly(True)
        self.address.setAccessibleName(tr("Address outside of the manual"))
        self.copy = QToolButton()
        self.copy.setText(tr("Copy address"))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.address.text()))
        self._outside = QFrame()
        self._outside.setObjectName("strip")
        row = QHBoxLayout(self._outside)
        row.setContentsMargins(*design.STRIP)
        row.addWidget(QLabel(tr("Not in the manual, and not opened:")))
        row.addWidget(self.address, 1)
        row.addWidget(self.copy)
        self._outside.hide()

    def _lay_out(self) -> None:
        self._results = QWidget()
        results = QVBoxLayout(self._results)
        results.setContentsMargins(0, 0, 0, 0)
        results.addWidget(self.count)
        results.addWidget(self.found, 1)
        self._listing = QStackedWidget()
        self._listing.addWidget(self.contents)
        self._listing.addWidget(self._results)
        left, right = QWidget(), QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        head = QHBoxLayout()
        head.addWidget(self.back)
        head.addWidget(self.forward)
        head.addWidget(self.line, 1)
        column.addLayout(head)
        column.addWidget(self._listing, 1)
        column.addWidget(self.english)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._outside)
        column.addWidget(self.page, 1)
        parts = QSplitter()
        parts.addWidget(left)
        parts.addWidget(right)
        parts.setStretchFactor(1, 1)
        parts.setSizes(list(_SHARES))
        whole = QVBoxLayout(self)
        whole.addWidget(parts)
        self.resize(_SIZE)
