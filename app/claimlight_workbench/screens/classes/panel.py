"""The panel *Classes*: pages to browse, to suggest, and to count."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.classes.accepted import AcceptedStrip
from claimlight_workbench.screens.classes.statistics_view import StatisticsView
from claimlight_workbench.screens.classes.suggest_view import SuggestView
from claimlight_workbench.screens.classes.view import ClassesView


class Page(IntEnum):
    """The pages in their order."""

    BROWSE = 0
    SUGGEST = 1
    STATISTICS = 2


_NAMES = (tr("Browse"), tr("Suggest"), tr("Statistics"))


class ClassPanel(QWidget):
    """One page at a time; below all of them the accepted classes."""

    page_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.browse = ClassesView()
        self.suggest = SuggestView()
        self.statistics = StatisticsView()
        self.accepted = AcceptedStrip()
        self.bar = QTabBar()
        self.bar.setObjectName("pages")
        self.bar.setAccessibleName(tr("Pages of the panel"))
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.stack = QStackedWidget()
        pages = (self.browse, self.suggest, self.statistics)
        for name, page in zip(_NAMES, pages, strict=True):
            self.bar.addTab(name)
            self.stack.addWidget(page)
        head = QHBoxLayout()
        head.setSpacing(design.NEAR)
        head.addWidget(self.bar)
        # Beside the pages: a line of its own would cost a row of suggestions.
        head.addWidget(self.suggest.classifier, 1)
        head.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        column.addWidget(self.accepted)
        self.bar.currentChanged.connect(self.stack.setCurrentIndex)
        self.bar.currentChanged.connect(self._show_head)
        self.bar.currentChanged.connect(self.page_changed)
        self._show_head()

    @property
    def page(self) -> Page:
        """The page in front."""
        return Page(self.bar.currentIndex())

    @property
    def first_focus(self) -> QWidget:
        """What takes the keys when a command goes to the panel."""
        focused: dict[Page, QWidget] = {
            Page.BROWSE: self.browse.line,
            Page.SUGGEST: self.suggest.first_focus,
            Page.STATISTICS: self.statistics.chart,
        }
        return focused[self.page]

    def show_page(self, page: Page) -> None:
        """Bring a page to the front."""
        self.bar.setCurrentIndex(page)

    def _show_head(self, *_: object) -> None:
        self.suggest.classifier.setVisible(self.page is Page.SUGGEST)
