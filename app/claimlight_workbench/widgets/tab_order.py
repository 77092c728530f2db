"""What Tab goes through in a window: everything on the screen, as it is read.

Qt's own order is that in which widgets were made: it goes through the panels that are behind others too, and
puts what was made later, such as the button of a feature, at its end.
"""

from __future__ import annotations

from functools import cmp_to_key

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QMainWindow, QTabBar, QWidget


def tab_stops(within: QWidget) -> list[QWidget]:
    """The widgets on the screen that take Tab, top to bottom, and left to right in what is side by side.

    What belongs together stays together: the order is that of the parts of the window, then of their parts.
    """
    stops = [within] if _takes_tab(within) else []
    parts = [each for each in within.children() if isinstance(each, QWidget) and _on_screen(each)]
    parts.sort(key=cmp_to_key(lambda one, other: _compare(one.geometry(), other.geometry())))
    return stops + [stop for part in parts for stop in tab_stops(part)]


def step(within: QWidget, *, forward: bool) -> bool:
    """Give the keys to the next or previous widget, cyclic; False if there is none."""
    stops = tab_stops(within)
    if not stops:
        return False
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    stops[_next(stops, QApplication.focusWidget(), forward=forward)].setFocus(reason)
    return True


def _next(stops: list[QWidget], at: QWidget | None, *, forward: bool) -> int:
    while at is not None and at not in stops:
        # What takes no Tab itself, such as a cell that is edited, is part of something that does.
        at = at.parentWidget()
    if at is None:
        return 0 if forward else len(stops) - 1
    return (stops.index(at) + (1 if forward else -1)) % len(stops)


def _on_screen(widget: QWidget) -> bool:
    if widget.isWindow() or not widget.isVisible():
        return False
    # Qt keeps a panel behind another one visible, and a bar of tabs without use: it moves them away.
    parked = isinstance(widget, (QDockWidget, QTabBar)) and isinstance(widget.parentWidget(), QMainWindow)
    return not (parked and widget.visibleRegion().isEmpty())


def _takes_tab(widget: QWidget) -> bool:
    every = QGuiApplication.styleHints().tabFocusBehavior() == Qt.TabFocusBehavior.TabFocusAllControls
    # On macOS the user chooses whether Tab goes to buttons.
    wanted = Qt.FocusPolicy.TabFocus if every else Qt.FocusPolicy.StrongFocus
    return (
        not widget.isWindow()
        and widget.isEnabled()
        and widget.focusPolicy() & wanted == wanted
        and widget.focusProxy() is None
    )


def _compare(one: QRect, other: QRect) -> int:
    """Negative if one part is read before another: on one line that on the left, else the upper one."""
    shared = min(one.bottom(), other.bottom()) - max(one.top(), other.top())
    if shared > min(one.height(), other.height()) / 2:
        return one.left() - other.left()
    return one.top() - other.top()


class OrderedDialog(QDialog):
    """A dialog in which Tab goes through everything as it is read.

    With a style sheet, Qt passes over some buttons of a button box.
    """

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001 - as Qt declares it
        return step(self, forward=forward)
