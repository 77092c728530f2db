"""The classes of the open document in the reader."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from claimlight.services.classes.labels import ClassLabel
from claimlight.types import ClassSymbol, Scheme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.reader.class_words import NO_CLASSES, class_rows, rows_line
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices

CLASSES = (
    ClassSymbol(Scheme.CPC, "B62K 25/04", inventive=True),
    ClassSymbol(Scheme.IPC, "B62K 25/04", inventive=True, first=True, version="2006.01"),
    ClassSymbol(Scheme.CPC, "F16F 9/32", inventive=True, first=True),
    ClassSymbol(Scheme.CPC, "B62K 2025/041", inventive=False),
    ClassSymbol(Scheme.OTHER, "USPC 280/276"),
)


def open_with(qtbot, window: MainWindow, services: FakeServices, classes: tuple[ClassSymbol, ...]) -> None:
    services.classes = classes
    window.do.reader.open_publication("EP1000002A1")
    settle(qtbot, window)


def test_schemes_and_kinds_are_apart_and_the_first_class_comes_first():
    rows = class_rows(ClassLabel(each) for each in CLASSES)
    assert [(row.name, [each.symbol.symbol for each in row.labels]) for row in rows] == [
        ("CPC inventive", ["F16F 9/32", "B62K 25/04"]),
        ("CPC additional", ["B62K 2025/041"]),
        ("IPC inventive", ["B62K 25/04"]),
        ("Other", ["USPC 280/276"]),
    ]
    assert rows_line(rows).startswith("CPC inventive: F16F 9/32, B62K 25/04   ·   CPC additional:")


def test_the_block_is_one_line_that_opens(qtbot, window: MainWindow, services: FakeServices):
    block = window.see.reader.classes
    open_with(qtbot, window, services, CLASSES)
    assert block.isVisible()
    assert block.line.isVisible()
    assert not block.buttons
    block.toggle.setFocus()
    press(block.toggle, Qt.Key.Key_Space)
    assert not block.line.isVisible()
    first = block.buttons[0]
    assert [each.text() for each in block.buttons[:2]] == ["F16F 9/32", "B62K 25/04"]
    assert first.isVisible()
    assert first.font().bold()
    assert first.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert first.accessibleName() == "CPC inventive F16F 9/32, first"


def test_a_symbol_has_the_titles_above_it(qtbot, window: MainWindow, services: FakeServices):
    block = window.see.reader.classes
    open_with(qtbot, window, services, CLASSES)
    block.toggle.setChecked(True)
    spoken = block.buttons[1].accessibleDescription().splitlines()
    assert spoken[0] == "CPC B62K 25/04 (inventive)"
    assert [line.split()[0] for line in spoken[1:4]] == ["B", "B62", "B62K"]
    assert spoken[4] == "CPC (shipped titles) has no title of B62K 25/04 itself"


def test_a_symbol_becomes_a_query_line(qtbot, window: MainWindow, services: FakeServices):
    block, editor = window.see.reader.classes, window.see.expression.editor
    open_with(qtbot, window, services, CLASSES)
    block.toggle.setChecked(True)
    offered = {each.text(): each for each in block.make_menu(block.buttons[1].label).actions()}
    editor.show_text("spring")
    # Without an imported edition nothing is known of what is below a group.
    offered["Add CPC=B62K25/04 to the query line"].trigger()
    assert editor.text() == "spring AND CPC=B62K25/04"
    offered["Copy B62K 25/04"].trigger()
    assert QGuiApplication.clipboard().text() == "B62K 25/04"
    offered["Search CPC=B62K25/04"].trigger()
    assert editor.text() == "CPC=B62K25/04"
    settle(qtbot, window)


def test_a_document_without_classes_says_so(qtbot, window: MainWindow, services: FakeServices):
    open_with(qtbot, window, services, ())
    block = window.see.reader.classes
    assert block.line.text() == NO_CLASSES
    assert not block.toggle.isEnabled()
