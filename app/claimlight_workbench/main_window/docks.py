"""The docks of the panels: their places, tabs and titles, and how the window goes to one of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QTabBar, QTabWidget, QToolBar, QWidget

from claimlight_workbench.language import tr
from claimlight_workbench.main_window.panels import BELOW, LEFT, RIGHT, Panel, Place

if TYPE_CHECKING:
    from claimlight_workbench.main_window.screens import Views

_HIGH = 900
"""Pixels from which two documents have room above the panels below."""
_LOW = 0.29
"""Share of the panels below in a low window: ten results must be visible."""
_READ = (0.19, 0.53)
"""Shares of claim and document in the layout *Read*."""
_LIBRARY = 0.3
"""Share of the library in the layout *Administer*."""
_WIDE = 1500
"""Pixels across from which claim and document have the room they are good for."""


class Panels(QObject):
    """Opens, raises and hides panels."""

    entered = Signal(str)
    """A command went to the panel of this name."""
    changed = Signal()
    """Another layout is shown, or the titles of panels are or are not."""

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
        self.place = Place.SEARCH
        """The layout that is shown."""
        self.worked = Place.SEARCH
        """The layout to return to from *Administer*."""
        self._left: dict[Place, QByteArray] = {}
        """The arrangement of each layout that was left."""
        self.titled = False
        """Whether panels have a row with their title, by which they can be dragged."""
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
        """Show a panel, in front of those it shares its place with; where needed in another layout."""
        self._go_where(name)
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
        self._go_where(name)
        dock = self.docks[name]
        dock.setVisible(not dock.isVisible())
        if dock.isVisible():
            dock.raise_()

    def reset(self) -> None:
        """Put every panel of the layout back in its place."""
        for panel in self.rows:
            dock = self.docks[panel.name]
            if panel.belongs(self.place):
                dock.setFloating(False)
            dock.setVisible(panel.opens(self.place))
        self._alone, self._cleared = None, []
        self._show_work()
        self.share_room()

    def show_place(self, place: Place) -> None:
        """Show another layout, as it was left; what was open in this one is open again on return."""
        if place is self.place:
            return
        # Two documents are compared in the next layout too; this one is left as it was before.
        self._left[self.place] = self._alone or self._window.saveState()
        self._alone, self._cleared = None, []
        self.place = place
        if place is not Place.ADMINISTER:
            self.worked = place
        if place in self._left and self._window.restoreState(self._left[place]):
            self._keep_apart()
        else:
            for panel in self.rows:
                self.docks[panel.name].setVisible(panel.opens(place))
            for name in ("models", "library") if place is Place.ADMINISTER else ():
                self.docks[name].raise_()
        self._show_work()
        self._settle()
        # Qt lays the panels out, and makes their bars of tabs, only after this.
        QTimer.singleShot(0, self, self._settle)
        self.changed.emit()

    def _settle(self) -> None:
        self.tidy()
        hide_strays(self._window)
        self.share_room()

    def show_titles(self) -> None:
        """Give the panels a row with their title, or take it away."""
        self.titled = not self.titled
        self.tidy()
        self.changed.emit()

    def _go_where(self, name: str) -> None:
        panel = next(each for each in self.rows if each.name == name)
        if not panel.belongs(self.place):
            self.show_place(Place.ADMINISTER if panel.administration else self.worked)

    def _show_work(self) -> None:
        """Query bars and results are for work on a case."""
        working = self.place is not Place.ADMINISTER
        middle = self._window.centralWidget()
        if middle is not None:
            middle.setVisible(working)
        for bar in self._window.findChildren(QToolBar):
            bar.setVisible(working)

    def _keep_apart(self) -> None:
        """Close what an arrangement of an earlier version may have open in the wrong layout."""
        for panel in self.rows:
            if not panel.belongs(self.place):
                self.docks[panel.name].hide()

    def share_room(self) -> None:
        """Give the claim and the document their shares of the window."""
        if self.place is Place.ADMINISTER:
            whole = self._window.width()
            library = round(whole * _LIBRARY)
            docks = [self.docks["library"], self.docks["models"]]
            self._window.resizeDocks(docks, [library, whole - library], Qt.Orientation.Horizontal)
        elif self._comparing:
            halves(self._window, self.docks, self._window.size())
        else:
            shares = _READ if self.place is Place.READ else None
            proportions(self._window, self.docks, self._window.size(), shares=shares)

    def compare(self, *, comparing: bool) -> None:
        """Give two documents the same room; afterwards the panels are as they were.

        In a low window the panels below make way until one is asked for.
        """
        if self.place is Place.ADMINISTER:
            self.show_place(self.worked)
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
        """What Qt saves of the panels for *Search*: as they are when no two documents are compared."""
        return self.arrangements()[Place.SEARCH]

    def arrangements(self) -> dict[Place, QByteArray]:
        """What Qt saves of each layout that was shown; *Search* is always in it."""
        now = {self.place: self._alone or self._window.saveState()}
        return {Place.SEARCH: QByteArray(), **self._left, **now}

    def restore(self, arrangements: Mapping[Place, QByteArray], place: Place, *, titled: bool) -> bool:
        """Restore the layouts of the last session; False if there is none to show."""
        self.titled = titled
        self._left = {each: saved for each, saved in arrangements.items() if not saved.isEmpty()}
        found = Place.SEARCH in self._left and self._window.restoreState(self._left[Place.SEARCH])
        self._keep_apart()
        self._show_work()
        if place is Place.READ:
            self.show_place(place)
        return found

    def _below(self) -> list[QDockWidget]:
        """The open panels below the results, that in front first."""
        docks = [
            each
            for each in self.docks.values()
            if not each.isHidden() and not each.isFloating() and self._window.dockWidgetArea(each) == BELOW
        ]
        return sorted(docks, key=lambda each: each.visibleRegion().isEmpty())

    def prepare_tabs(self) -> None:
        """Before the window is shown: name the bars of tabs, and hide those that Qt left behind."""
        # Qt makes these bars itself, and gives no other access to them.
        for bar in self._window.findChildren(QTabBar):
            # Cut to "P…" a name says nothing: in a narrow window the bar is scrolled instead.
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
        hide_strays(self._window)
        self.tidy()

    def tidy(self, *_: object) -> None:
        """Titles and menus of the tabs follow which panels are tabs by now."""
        quiet_titles(self.docks, titled=self.titled)
        tab_menus(self._window, self.docks)


def quiet_titles(docks: dict[str, QDockWidget], *, titled: bool) -> None:
    """A panel has its name on its tab or in its first line; a title of its own would cost a row.

    What the title offers besides, the menu of the tab and *View* do; dragging needs the titles.
    """
    for dock in docks.values():
        quiet = not dock.isFloating() and not titled
        if quiet != (dock.titleBarWidget() is not None):
            former = dock.titleBarWidget()
            # An empty widget is Qt's way of having no title bar.
            dock.setTitleBarWidget(QWidget(dock) if quiet else None)  # type: ignore[arg-type]  # None: Qt's own
            if former is not None:
                former.deleteLater()


def tab_menus(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """Give every bar of tabs a menu to float or close a panel."""
    for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        # Qt makes new bars as panels move; those with the menu have been here before.
        bar.setAccessibleName(tr("Panels"))
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


def proportions(
    window: QMainWindow,
    docks: dict[str, QDockWidget],
    size: QSize,
    *,
    shares: tuple[float, float] | None = None,
) -> None:
    """Share the room out: a fifth for the claim, a third for the document; of a small screen less.

    What both leave is for lists, whose columns need the same number of pixels on every screen. ``shares``
    are those of claim and document in another layout.
    """
    claim, reader = shares or ((0.205, 0.32) if size.width() >= _WIDE else (0.19, 0.295))
    window.resizeDocks(
        [docks["claim"], docks["reader"]],
        [round(size.width() * claim), round(size.width() * reader)],
        Qt.Orientation.Horizontal,
    )
    below = 0.34 if size.height() >= _HIGH else _LOW
    window.resizeDocks([docks["evidence"]], [round(size.height() * below)], Qt.Orientation.Vertical)
