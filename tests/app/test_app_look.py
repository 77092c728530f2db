"""The look: measures from one place, icons, tool tips with the keys as they are, a layout for each task."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QTabBar, QToolBar, QWidget

import claimlight_workbench
from claimlight_workbench import design, theme
from claimlight_workbench.main_window.panels import Place
from claimlight_workbench.models.columns import COLUMNS
from claimlight_workbench.widgets import icons
from claimlight_workbench.widgets.key_tips import follow_keys, set_tip
from tests.app.driving import press, settle

pytestmark = pytest.mark.styled

ROOT = Path(claimlight_workbench.__file__).parent
MEASURED = {
    "setContentsMargins",
    "setSpacing",
    "setHorizontalSpacing",
    "setVerticalSpacing",
    "addSpacing",
    "setPointSize",
    "setPointSizeF",
    "setPixelSize",
    "setFixedWidth",
    "setFixedHeight",
    "setMinimumWidth",
    "setMaximumWidth",
    "setMinimumHeight",
    "setMaximumHeight",
}


def literals(tree):
    """Numbers that a screen gives to Qt as a distance or a size."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MEASURED:
            for given in node.args:
                number = isinstance(given, ast.Constant) and isinstance(given.value, int | float)
                if number and given.value:
                    yield node.func.attr, given.value, node.lineno


def test_no_screen_has_distances_or_sizes_of_its_own():
    found = [
        (path.name, *each)
        for path in ROOT.rglob("*.py")
        for each in literals(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found
    assert list(literals(ast.parse("column.setSpacing(5)")))


def test_the_style_sheet_takes_its_pixels_from_the_scales():
    source = (ROOT / "theme.py").read_text(encoding="utf-8")
    assert not re.findall(r"[1-9]\d*px", source)


@pytest.mark.parametrize("name", sorted(path.stem for path in icons.folder().glob("*.svg")))
def test_an_icon_has_the_colour_of_the_text_and_is_sharp_on_every_screen(name, qapp):
    theme.apply(qapp, theme.LIGHT)
    drawn = icons.icon(name, ratio=2.0).pixmap(64).toImage()
    assert drawn.width() >= 2 * design.ICON
    inks = {
        drawn.pixelColor(x, y).name()
        for x in range(drawn.width())
        for y in range(drawn.height())
        if drawn.pixelColor(x, y).alpha() == 255
    }
    assert theme.LIGHT.text in inks
    assert "currentColor" in (icons.folder() / f"{name}.svg").read_text(encoding="utf-8")


def test_the_icons_have_a_licence():
    assert "ISC" in (icons.folder() / "LICENSE").read_text(encoding="utf-8")


def test_a_tool_tip_names_the_keys_that_the_user_chose(qtbot):
    root = QWidget()
    qtbot.addWidget(root)
    action = QAction("Find in document", root)
    action.setShortcut(QKeySequence("Ctrl+F"))
    button = icons.IconButton("find", "Find in document", command="Find in document")
    button.setParent(root)
    plain = QWidget(root)
    set_tip(plain, "No command")
    follow_keys(root, {"Find in document": action})
    assert button.toolTip() == "Find in document (Ctrl+F)"
    assert plain.toolTip() == "No command"
    action.setShortcut(QKeySequence("Ctrl+J"))
    assert button.toolTip() == "Find in document (Ctrl+J)"
    action.setShortcut(QKeySequence())
    assert button.toolTip() == button.accessibleName() == "Find in document"


def opened(window):
    return {name for name, dock in window.panels.docks.items() if not dock.isHidden()}


def tabs(window):
    """Names on the bars of tabs that are on the screen."""
    bars = [bar for bar in window.findChildren(QTabBar) if bar.parent() is window and bar.isVisible()]
    return {bar.tabText(at) for bar in bars for at in range(bar.count())}


def test_each_task_has_a_layout_that_is_remembered(qtbot, open_window):
    first = open_window()
    first.resize(1366, 768)
    settle(qtbot, first)
    before = opened(first)
    press(first.see.results.table, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: first.panels.place is Place.READ)
    assert opened(first) == {"claim", "reader"}
    qtbot.waitUntil(lambda: first.see.reader.width() > first.width() / 2.2)
    first.panels.toggle("sets")
    # A panel of administration is never among those of the examiner.
    first.panels.raise_panel("models")
    assert first.panels.place is Place.ADMINISTER
    assert opened(first) == {"library", "evaluation", "adapting", "training", "models", "classifiers", "jobs"}
    assert first.centralWidget().isHidden()
    assert all(bar.isHidden() for bar in first.findChildren(QToolBar))
    first.panels.toggle("adapting")
    first.panels.raise_panel("claim")
    assert first.panels.place is Place.READ
    assert opened(first) == {"claim", "reader", "sets"}
    qtbot.waitUntil(lambda: not tabs(first) & {"Models", "Train"})
    second = open_window(session=first.collect())
    assert second.panels.place is Place.READ
    assert opened(second) == {"claim", "reader", "sets"}
    second.panels.show_place(Place.ADMINISTER)
    assert opened(second) == {"library", "evaluation", "training", "models", "classifiers", "jobs"}
    second.panels.reset()
    assert "adapting" in opened(second)
    second.panels.show_place(Place.SEARCH)
    assert opened(second) == before


def test_the_arrangement_of_an_earlier_version_opens_without_its_administration(qtbot, open_window):
    first = open_window()
    first.panels.docks["family"].hide()
    first.panels.docks["models"].show()
    session = first.collect()
    second = open_window(session=replace(session, layout="none", layouts=("old=", "bad")))
    assert second.panels.place is Place.SEARCH
    assert second.panels.docks["family"].isHidden()
    assert second.panels.docks["models"].isHidden()


def test_panels_have_titles_only_if_asked(qtbot, window):
    docks = [window.panels.docks[name] for name in ("claim", "reader", "evidence")]
    assert all(dock.titleBarWidget() is not None for dock in docks)
    window.acts.actions["Show or hide panel titles"].trigger()
    assert all(dock.titleBarWidget() is None for dock in docks)
    assert window.collect().panel_titles


def test_a_small_screen_shows_ten_results_with_their_titles(qtbot, window):
    window.resize(1366, 768)
    settle(qtbot, window)
    window.panels.share_room()
    settle(qtbot, window)
    table = window.see.results.table
    assert table.viewport().height() >= 10 * table.verticalHeader().defaultSectionSize()
    assert not table.horizontalScrollBar().isVisible()
    window.panels.show_place(Place.READ)
    settle(qtbot, window)
    assert not table.horizontalScrollBar().isVisible()
    title = next(at for at, column in enumerate(COLUMNS) if column.key == "title")
    assert table.columnWidth(title) > table.fontMetrics().averageCharWidth() * 9


def test_a_button_draws_its_icon_again_only_for_other_colours(qtbot, qapp, colours, monkeypatch):
    """Every part of the window that gets its place tells its buttons of a new style."""
    drawn = []
    real = icons.icon
    monkeypatch.setattr(icons, "icon", lambda name, **more: drawn.append(name) or real(name, **more))
    button = icons.IconButton("find", "Find")
    qtbot.addWidget(button)
    for _ in range(3):
        QApplication.sendEvent(button, QEvent(QEvent.Type.StyleChange))
    assert drawn == ["find"]
    button.set_icon("more")
    assert drawn == ["find", "more"]
    theme.apply(qapp, theme.DARK)
    qtbot.waitUntil(lambda: drawn[2:] == ["more"])
