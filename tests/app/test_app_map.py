"""The map of the library: what is drawn, opened, selected and kept as a set."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from claimlight.types import Category, SetRequest
from claimlight_workbench import theme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.map.canvas import MapCanvas, section_colours
from tests.app.driving import press, settle


@pytest.fixture
def panel(qtbot, window: MainWindow):
    window.panels.raise_panel("map")
    settle(qtbot, window)
    panel = window.see.map
    panel.canvas.resize(500, 300)
    return panel


def drag(canvas: MapCanvas, line: list[QPoint], modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, modifiers, line[0])
    for place in line[1:]:
        QTest.mouseMove(canvas, place)
        QApplication.processEvents()
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, modifiers, line[-1])


def around(canvas: MapCanvas, first: int, last: int) -> list[QPoint]:
    one, other = canvas.place_of(first), canvas.place_of(last)
    left, right = one.x() - 12, other.x() + 12
    top, low = min(one.y(), other.y()) - 14, max(one.y(), other.y()) + 14
    return [QPoint(left, top), QPoint(right, top), QPoint(right, low), QPoint(left, low), QPoint(left, top)]


@pytest.mark.styled
def test_points_have_the_colours_of_their_sections_in_both_themes(panel):
    canvas = panel.canvas
    for name in ("light", "dark"):
        theme.apply(QApplication.instance(), theme.find_theme(name))
        canvas.show_hits(())
        picture = canvas.grab().toImage()
        colours = section_colours(dark=name == "dark")
        # The legend is F, B and no class: places 5, 1 and the last.
        for row, place in ((3, 5), (1, 1), (2, -1)):
            assert picture.pixelColor(canvas.place_of(row)) == QColor(colours[place])
    assert "3 in section F" in canvas.accessibleDescription()
    assert panel.legend.accessibleDescription() == "Documents by section: B: 1, F: 3, –: 1."
    assert panel.state.text().startswith("5 documents by the section of their first class.")
    assert "2 documents not indexed" in panel.state.text()


def test_a_hidden_panel_makes_no_map(qtbot, window: MainWindow):
    assert window._services.maps == []
    window.panels.raise_panel("map")
    settle(qtbot, window)
    window.panels.raise_panel("sets")
    window.panels.raise_panel("map")
    settle(qtbot, window)
    assert window._services.maps == [False]


def test_documents_of_the_list_are_ringed_and_categories_are_lettered(qtbot, window: MainWindow, panel):
    assert [panel.canvas.plane.points[row].publication for row in sorted(panel.canvas.hits)] == [
        "EP1000001A1",
        "EP1000002A1",
        "EP1000003A1",
    ]
    window.do.case.judge(window.do.reader.view.summary.publication, Category.X, claim=1)
    settle(qtbot, window)
    (row,) = panel.canvas.marks
    assert panel.canvas.marks[row] is Category.X
    assert "category X, in the list" in panel.canvas.tip(row)
    assert panel.model.index(row, 2).data() == "X"
    window.see.map.clear_out(Left.CASE)
    assert (panel.canvas.marks, panel.canvas.hits) == ({}, ())


def test_a_click_opens_the_document_in_the_reader(qtbot, window: MainWindow, panel):
    QTest.mouseClick(panel.canvas, Qt.MouseButton.LeftButton, pos=panel.canvas.place_of(2))
    qtbot.waitUntil(lambda: str(window.do.reader.view.summary.publication) == "EP1000003A1")
    settle(qtbot, window)
    assert panel.canvas.current == 2


@pytest.mark.parametrize("by_button", [True, False])
def test_a_line_around_documents_selects_them_and_they_become_a_set(
    qtbot, window: MainWindow, panel, by_button
):
    canvas = panel.canvas
    panel.select_button.setChecked(by_button)
    shift = Qt.KeyboardModifier.NoModifier if by_button else Qt.KeyboardModifier.ShiftModifier
    drag(canvas, around(canvas, 1, 2), shift)
    assert canvas.selected == {1, 2}
    chosen = {index.row() for index in panel.table.selectionModel().selectedRows()}
    assert chosen == {1, 2}
    assert panel.state.text().startswith("2 documents selected.")
    panel.keep_button.click()
    settle(qtbot, window)
    recorded = window._services.recorded[-1]
    assert isinstance(recorded.request, SetRequest)
    assert recorded.request.chosen
    assert recorded.request.expression == "Selected on the map: EP 1 000 002 A1 and 1 more"
    assert window.see.results.model.rowCount() == 2
    assert sorted(canvas.hits) == [1, 2]


@pytest.mark.styled
def test_dragging_moves_and_the_wheel_zooms_where_it_points(panel):
    canvas = panel.canvas
    before = canvas.place_of(3)
    drag(canvas, [QPoint(20, 20), QPoint(30, 25), QPoint(50, 45)])
    assert canvas.place_of(3) - before == QPoint(30, 25)
    at = QPointF(canvas.place_of(1))
    wheel = QWheelEvent(
        at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 240),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    apart = canvas.place_of(3).x() - canvas.place_of(1).x()
    canvas.wheelEvent(wheel)
    assert (QPointF(canvas.place_of(1)) - at).manhattanLength() <= 2
    assert canvas.place_of(3).x() - canvas.place_of(1).x() > 1.4 * apart
    press(canvas, Qt.Key.Key_Home)
    assert canvas.place_of(3) == before


def test_keys_move_and_zoom_and_the_table_selects_and_opens(qtbot, window: MainWindow, panel):
    canvas = panel.canvas
    before = canvas.place_of(0)
    press(canvas, Qt.Key.Key_Right)
    assert canvas.place_of(0).x() < before.x()
    press(canvas, Qt.Key.Key_Home)
    press(canvas, Qt.Key.Key_Plus)
    assert canvas.place_of(0).x() < before.x(), "larger around the middle"
    canvas.setFocus()
    panel._to_table()
    assert panel.table_button.isChecked()
    down = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    panel.table.selectionModel().setCurrentIndex(panel.model.index(1, 0), down)
    assert canvas.selected == {1}
    assert panel.keep_button.isEnabled()
    press(panel.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: str(window.do.reader.view.summary.publication) == "EP1000002A1")
    settle(qtbot, window)


def test_without_an_index_the_panel_says_what_to_do(qtbot, window: MainWindow):
    window._services.no_index = True
    window.panels.raise_panel("map")
    settle(qtbot, window)
    assert "Index new documents" in window.see.map.state.text()
    assert not window.see.map.select_button.isEnabled()


def test_laying_out_can_be_cancelled_and_begun_again(qtbot, window: MainWindow):
    services = window._services
    services.slow = True
    window.panels.raise_panel("map")
    panel = window.see.map
    qtbot.waitUntil(lambda: panel.state.text() == "Laying out the documents: 40 %, 6 s left. Esc cancels.")
    window.acts.cancel()
    settle(qtbot, window)
    assert "Draw map" in panel.state.text()
    services.slow = False
    panel.draw_button.click()
    settle(qtbot, window)
    assert len(panel.canvas.plane.points) == 5


def test_the_map_is_exported(qtbot, window: MainWindow, panel, tmp_path):
    for name in ("map.png", "map.svg", "map.csv"):
        panel.export(tmp_path / name)
        settle(qtbot, window)
        assert (tmp_path / name).stat().st_size > 100
    assert "map.csv" in window.notices.status.currentMessage()
