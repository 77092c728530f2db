"""The docks of the panels: their places, tabs and titles, and how the window goes to one of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QTabBar, QTabWidget, QWidget

from claimlight_workbench.language import tr
from claimlight_workbench.main_window.panels import BELOW, LEFT, RIGHT, Panel

if TYPE_CHECKING:
    from claimlight_workbench.main_window.screens import Views

_HIGH = 900
"""Pixels from which two documents have room above the panels below."""
_WIDE = 1500
"""Pixels across from which claim and document have the room they are good for."""


class Panels(QObject):
    """Opens, raises and hides panels."""

    entered = Signal(str)
    """A command went to the panel of this name."""

    def __init__(self, window: QMainWindow, views: Views) -> None:
        super().__init__(window)
        self._window = window
        self._views = views.panels
        self.rows: tuple[Panel[Any], ...] = tuple(views.panels)
        self._comparing = False
        self._alone: QByteArray | None = None
        """The arrangement from before two documents were compared; None while they are not."""
        self._sizes: tuple[list[int], int] = ([], 0)
        """Widths of claim and document, and height of the panels below, from then."""
        self._cleared: list[QDockWidget] = []
        """Panels that made way for two documents."""
        self.docks: dict[str, QDockWidget] = {}
        """By the name of the panel."""
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        window.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AnimatedDocks
        )
        for panel in self.rows:
            self._add(panel)
        for panel in self.rows:
            if any(each.behind == panel.name for each in self.rows):
                self.docks[panel.name].raise_()
            if panel.hidden:
                self.docks[panel.name].hide()
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)

    def _add(self, panel: Panel[Any]) -> None:
        dock = QDockWidget(panel.title, self._window)
        # By these names Qt finds the docks of a saved arrangement.
        dock.setObjectName(panel.name)
        dock.setWidget(self._views[panel])
        self._window.addDockWidget(panel.area, dock)
        self.docks[panel.name] = dock
        # At once: panels side by side, be it for a moment, make the window as wide as all of them.
        if panel.behind:
            self._window.tabifyDockWidget(self.docks[panel.behind], dock)

    def raise_panel(self, name: str) -> None:
        """Show a panel, in front of those it shares its place with."""
        self.docks[name].show()
        self.docks[name].raise_()

    def go_to(self, panel: Panel[Any]) -> None:
        """Raise a panel and give it the keys."""
        self.raise_panel(panel.name)
        self.entered.emit(panel.name)
        if panel.focus is not None:
            panel.focus(self._views[panel]).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle(self, name: str) -> None:
        """Open a panel, or close it."""
        dock = self.docks[name]
        dock.setVisible(not dock.isVisible())
        if dock.isVisible():
            dock.raise_()

    def reset(self) -> None:
        """Put every panel back in its place."""
        for panel in self.rows:
            self.docks[panel.name].setFloating(False)
            self.docks[panel.name].setVisible(not panel.hidden)
        self._alone, self._cleared = None, []
        self.share_room()

    def share_room(self) -> None:
        """Give the claim and the document their shares of the window."""
        if self._comparing:
            halves(self._window, self.docks, self._window.size())
        else:
            proportions(self._window, self.docks, self._window.size())

    def compare(self, *, comparing: bool) -> None:
        """Give two documents the same room; afterwards the panels are as they were.

        In a low window the panels below make way until one is asked for.
        """
        docks, low = [self.docks[name] for name in ("claim", "reader")], self.docks["evidence"]
        if comparing:
            self._alone = self._window.saveState()
            self._sizes = ([each.width() for each in docks], low.height())
            self._cleared = self._below() if self._window.height() < _HIGH else []
            for each in self._cleared:
                each.hide()
        self._comparing = comparing
        if comparing or self._alone is None:
            self.share_room()
            return
        self._alone = None
        for each in self._cleared:
            each.show()
        for each in self._cleared[:1]:
            each.raise_()
        widths, height = self._sizes
        self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)
        self._window.resizeDocks([low], [height], Qt.Orientation.Vertical)

    def arrangement(self) -> QByteArray:
        """What Qt saves of the panels: as they are when no two documents are compared."""
        return self._alone or self._window.saveState()

    def _below(self) -> list[QDockWidget]:
        """The open panels below the results, that in front first."""
        docks = [
            each
            for each in self.docks.values()
            if not each.isHidden() and not each.isFloating() and self._window.dockWidgetArea(each) == BELOW
        ]
        return sorted(docks, key=lambda each: each.visibleRegion().isEmpty())

    def hide_administration(self) -> None:
        """Close the panels that are not about a case."""
        for panel in self.rows:
            if panel.administration:
                self.docks[panel.name].hide()

    def prepare_tabs(self) -> None:
        """Before the window is shown: name the bars of tabs, and hide those that Qt left behind."""
        # Qt makes these bars itself, and gives no other access to them.
        for bar in self._window.findChildren(QTabBar):
            bar.setAccessibleName(tr("Panels"))
            # Cut to "P…" a name says nothing: in a narrow window the bar is scrolled instead.
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
        hide_strays(self._window)
        self.tidy()

    def tidy(self, *_: object) -> None:
        """Titles and menus of the tabs follow which panels are tabs by now."""
        quiet_titles(self._window, self.docks)
        tab_menus(self._window, self.docks)


def quiet_titles(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """A dock under a tab has its name on the tab; a title of its own would say it twice and cost a row.

    What the title offers besides, the menu of the tab does.
    """
    for dock in docks.values():
        tabbed = not dock.isFloating() and any(
            not each.isHidden() for each in window.tabifiedDockWidgets(dock)
        )
        if tabbed != (dock.titleBarWidget() is not None):
            former = dock.titleBarWidget()
            # An empty widget is Qt's way of having no title bar.
            dock.setTitleBarWidget(QWidget(dock) if tabbed else None)  # type: ignore[arg-type]  # None: Qt's own
            if former is not None:
                former.deleteLater()


def tab_menus(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """Give every bar of tabs a menu to float or close a panel."""
    for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        # Qt makes new bars as panels move; those with the menu have been here before.
        if bar.contextMenuPolicy() != Qt.ContextMenuPolicy.CustomContextMenu:
            bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            bar.customContextMenuRequested.connect(partial(_tab_menu, bar, docks))


def _tab_menu(bar: QTabBar, docks: dict[str, QDockWidget], place: QPoint) -> None:
    title = bar.tabText(bar.tabAt(place))
    dock = next((each for each in docks.values() if each.windowTitle() == title), None)
    if dock is None:
        return
    menu = QMenu(bar)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction(tr("Float {title}", title=title), lambda: dock.setFloating(True))
    menu.addAction(tr("Close {title}", title=title), dock.close)
    menu.popup(bar.mapToGlobal(place))


def hide_strays(window: QMainWindow) -> None:
    """Qt leaves tab bars behind from when panels were put behind each other one by one; gaps show them."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    bars = window.findChildren(QTabBar, options=direct)
    docks = window.findChildren(QDockWidget, options=direct)
    groups = [
        {each.windowTitle() for each in (dock, *window.tabifiedDockWidgets(dock)) if not each.isHidden()}
        for dock in docks
    ]
    for bar in bars:
        if {bar.tabText(place) for place in range(bar.count())} not in groups:
            bar.hide()


def halves(window: QMainWindow, docks: dict[str, QDockWidget], size: QSize) -> None:
    """Share the room out for two documents: each has half of what the claim leaves."""
    share = round(size.width() * (0.19 if size.width() >= _WIDE else 0.17))
    # A panel that needs more takes it, and would take it from one document alone.
    claim = max(share, docks["claim"].minimumSizeHint().width()) if not docks["claim"].isHidden() else 0
    window.resizeDocks(
        [docks["claim"], docks["reader"]],
        [claim, (size.width() - claim) // 2],
        Qt.Orientation.Horizontal,
    )
    window.resizeDocks([docks["evidence"]], [round(size.height() * 0.24)], Qt.Orientation.Vertical)


def proportions(window: QMainWindow, docks: dict[str, QDockWidget], size: QSize) -> None:
    """Share the room out: a fifth for the claim, a third for the document; of a small screen less.

    What both leave is for lists, whose columns need the same number of pixels on every screen.
    """
    claim, reader = (0.205, 0.32) if size.width() >= _WIDE else (0.19, 0.28)
    window.resizeDocks(
        [docks["claim"], docks["reader"]],
        [round(size.width() * claim), round(size.width() * reader)],
        Qt.Orientation.Horizontal,
    )
    window.resizeDocks([docks["evidence"]], [round(size.height() * 0.34)], Qt.Orientation.Vertical)
