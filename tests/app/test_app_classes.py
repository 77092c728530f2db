"""The panel of the classes: tree, counts, search, query lines, import."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem

from claimlight.services.classes.schemes import Schemes
from claimlight.tasks import TaskContext
from claimlight.types import ClassSymbol, Edition, EditionReport, Scheme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.classes.describe import SHIPPED
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices
from tests.core.classes import invented


def open_panel(qtbot, window: MainWindow) -> None:
    window.panels.raise_panel("classes")
    settle(qtbot, window)


def row(window: MainWindow, symbol: str) -> QTreeWidgetItem:
    found = window.see.classes.tree.findItems(
        symbol, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive, 0
    )
    assert len(found) == 1
    return found[0]


@pytest.fixture
def imported(tmp_path) -> EditionReport:
    return Schemes().import_files(invented.write_lists(tmp_path / "lists"), TaskContext())


def test_without_an_edition_the_shipped_titles_are_shown(qtbot, window: MainWindow):
    open_panel(qtbot, window)
    view = window.see.classes
    assert [view.editions.itemText(place) for place in range(view.editions.count())] == [
        "CPC, shipped titles",
        "IPC, shipped titles",
    ]
    assert view.state.text() == SHIPPED
    assert view.tree.topLevelItem(0).text(0) == "A"


def test_entries_are_read_when_the_one_above_is_opened(qtbot, window: MainWindow, imported):
    open_panel(qtbot, window)
    tree = window.see.classes.tree
    section = row(window, "B")
    assert window.see.classes.edition == imported.info.edition
    assert section.childCount() == 0
    tree.setCurrentItem(section)
    press(tree, Qt.Key.Key_Right)
    settle(qtbot, window)
    assert [section.child(place).text(0) for place in range(section.childCount())] == ["B62"]
    assert not window.see.classes.state.isVisible()


def test_classes_without_documents_are_grey_and_can_be_hidden(
    qtbot, window: MainWindow, services: FakeServices, imported
):
    services.counted = {"B": 1200}
    open_panel(qtbot, window)
    held, empty = row(window, "B"), row(window, "H")
    assert (held.text(1), empty.text(1)) == ("1,200", "0")
    assert held.foreground(0) != empty.foreground(0)
    assert held.data(1, Qt.ItemDataRole.AccessibleTextRole) == "1,200 documents"
    window.see.classes.only.click()
    assert (held.isHidden(), empty.isHidden()) == (False, True)
    window.see.classes.only.click()
    assert not empty.isHidden()


@pytest.mark.parametrize("text", ["b62k25/04", "springs frame wheel"])
def test_a_symbol_and_words_find_classes(qtbot, window: MainWindow, imported, text: str):
    open_panel(qtbot, window)
    view = window.see.classes
    view.line.setText(text)
    qtbot.waitUntil(lambda: view.stack.currentWidget() is view.hits)
    assert view.hits.topLevelItem(0).text(0) == "B62K 25/04"
    view.line.clear()
    assert view.stack.currentWidget() is view.tree


def test_counts_end_with_their_library(qtbot, window: MainWindow, services: FakeServices):
    services.counted = {"B": 3}
    open_panel(qtbot, window)
    assert row(window, "B").text(1) == "3"
    window.wiring.leave(Left.LIBRARY)
    settle(qtbot, window)
    assert row(window, "B").text(1) == ""
    assert not window.see.classes.only.isEnabled()


def test_a_class_becomes_a_query_line(qtbot, window: MainWindow, imported):
    open_panel(qtbot, window)
    window.do.classes.reveal("B62K 25/04", Scheme.CPC)
    settle(qtbot, window)
    view, editor = window.see.classes, window.see.expression.editor
    assert view.tree.currentItem() is row(window, "B62K 25/04")
    assert "springs between wheel and frame" in view.text.toPlainText()
    assert "for side-cars" in view.text.toPlainText()
    editor.show_text("spring")
    view.add_button.click()
    assert editor.text() == "spring AND CPC=B62K25/04+"
    press(view.tree, Qt.Key.Key_Return)
    assert editor.text() == "CPC=B62K25/04+"
    settle(qtbot, window)


def test_a_class_of_the_document_is_shown_in_the_tree(qtbot, window: MainWindow, services: FakeServices):
    services.classes = (ClassSymbol(Scheme.IPC, "B62K 25/04"),)
    window.do.reader.open_publication("EP1000002A1")
    settle(qtbot, window)
    block = window.see.reader.classes
    block.toggle.setChecked(True)
    block.make_menu(block.buttons[0].label).actions()[0].trigger()
    settle(qtbot, window)
    view = window.see.classes
    assert view.isVisible()
    # Groups have no shipped title: the nearest class that has one is shown.
    assert view.edition == Edition(Scheme.IPC, "")
    assert view.tree.currentItem().text(0) == "B62K"
    assert view.list_button.toolTip() == "Runs IPC=B62K (Enter)"


def test_an_import_ends_with_the_new_version(qtbot, window: MainWindow, imported):
    open_panel(qtbot, window)
    view, presenter = window.see.classes, window.do.classes
    view.show_started("Importing…")
    assert view.cancel_button.isVisibleTo(view)
    assert not view.import_button.isVisibleTo(view)
    presenter.job.succeeded.emit(imported)
    settle(qtbot, window)
    assert view.import_button.isVisibleTo(view)
    assert view.edition == imported.info.edition
