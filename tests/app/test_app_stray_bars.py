"""Bars of tabs that Qt leaves behind when panels are arranged anew."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from claimlight_workbench.main_window.docks import hide_strays

pytestmark = pytest.mark.styled


def test_a_bar_with_tabs_of_closed_panels_is_hidden(qtbot):
    """It has more tabs than the bar in use, not fewer: that of the arrangement before the kept one."""
    window = QMainWindow()
    qtbot.addWidget(window)
    docks = [QDockWidget(title, window) for title in ("Claim", "Library", "Evidence", "Matrix", "Models")]
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.tabifyDockWidget(docks[0], docks[1])
    for dock in docks[3:]:
        window.tabifyDockWidget(docks[2], dock)
    docks[1].hide()
    docks[4].hide()
    window.show()
    strays = []
    for titles in (("Claim", "Library"), ("Evidence", "Matrix", "Models"), ("Evidence",)):
        bar = QTabBar(window)
        for title in titles:
            bar.addTab(title)
        bar.show()
        strays.append(bar)
    hide_strays(window)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert all(bar.isHidden() for bar in strays)
    shown = [[bar.tabText(i) for i in range(bar.count())] for bar in bars if not bar.isHidden()]
    assert ["Evidence", "Matrix"] in shown
