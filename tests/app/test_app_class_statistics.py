"""Statistics of classes: chart, query lines, pictures and tables."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from claimlight.types import ClassLevel, CountBy
from claimlight_workbench import errors
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.classes.chart import share_text
from claimlight_workbench.screens.classes.panel import Page
from claimlight_workbench.widgets.bars import SHARE
from tests.app.driving import press, settle


def open_page(qtbot, window: MainWindow) -> None:
    window.panels.raise_panel("classes")
    window.see.class_panel.show_page(Page.STATISTICS)
    settle(qtbot, window)


def choose(box, data) -> None:
    """As the user does: `activated` follows a choice, not a change from the program."""
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


def symbols(window: MainWindow) -> list[str]:
    chart = window.see.class_statistics.chart
    return [chart.topLevelItem(row).text(0) for row in range(chart.topLevelItemCount())]


def test_classes_of_the_library_by_level(qtbot, window: MainWindow):
    open_page(qtbot, window)
    view = window.see.class_statistics
    assert symbols(window) == ["F16F", "B62K", "B60G"]
    first = view.chart.topLevelItem(0)
    assert (first.text(1), first.text(2), first.data(1, SHARE)) == ("8", "80.0 %", 1.0)
    assert view.state.text() == "10 documents, 9 of them with a class of the CPC."
    words = first.data(0, Qt.ItemDataRole.AccessibleTextRole)
    assert words == "F16F, 8 documents, 80.0 %, Title of F16F"
    choose(view.level, ClassLevel.SECTION)
    settle(qtbot, window)
    assert symbols(window) == ["F", "B"]
    choose(view.level, ClassLevel.SUBGROUP)
    settle(qtbot, window)
    assert view.state.text() == "None of 10 documents has a class of the CPC at this level."
    assert not view.export_button.isEnabled()


def test_a_click_on_a_class_of_a_set_runs_its_line_once(qtbot, window: MainWindow):
    open_page(qtbot, window)
    view, editor = window.see.class_statistics, window.see.expression.editor
    assert [view.of.itemText(row) for row in range(view.of.count())] == [
        "Whole library",
        "L1: 3 documents",
    ]
    choose(view.of, 1)
    settle(qtbot, window)
    runs = []
    view.line_wanted.connect(runs.append)
    place = view.chart.visualItemRect(view.chart.topLevelItem(1)).center()
    QTest.mouseClick(view.chart.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
    settle(qtbot, window)
    assert editor.text() == "L1 AND CPC=B62K"
    assert runs == ["L1 AND CPC=B62K"]
    press(view.chart, Qt.Key.Key_Down)
    press(view.chart, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert runs == ["L1 AND CPC=B62K", "L1 AND CPC=B60G"]


def test_a_double_click_runs_the_line_once(qtbot, window: MainWindow):
    open_page(qtbot, window)
    view = window.see.class_statistics
    runs = []
    view.line_wanted.connect(runs.append)
    place = view.chart.visualItemRect(view.chart.topLevelItem(0)).center()
    viewport = view.chart.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    settle(qtbot, window)
    assert runs == ["CPC=F16F"]


@pytest.mark.styled
def test_chart_and_table_are_exported(qtbot, window: MainWindow, tmp_path):
    open_page(qtbot, window)
    view = window.see.class_statistics
    for name in ("a.png", "a.svg"):
        view.export_picture(tmp_path / name)
    view.export_table(tmp_path / "a.csv")
    settle(qtbot, window)
    picture = QImage(str(tmp_path / "a.png"))
    assert picture.width() == 2000
    colours = {picture.pixelColor(x, y).name() for x in range(0, 2000, 7) for y in range(0, 240, 5)}
    assert {"#ffffff", "#1d5fa8"} <= colours, "bars on white, in a dark window too"
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn
    assert "Title of F16F" in drawn
    assert "Whole library: documents by subclass, CPC, shipped titles" in drawn
    table = (tmp_path / "a.csv").read_text(encoding="utf-8-sig").splitlines()
    assert table[:2] == ["class,title,documents,percent", "F16F,Title of F16F,8,80.00"]
    assert "a.csv" in window.notices.status.currentMessage()


def test_a_file_that_cannot_be_written_is_reported(qtbot, window: MainWindow, tmp_path, monkeypatch):
    open_page(qtbot, window)
    told = []
    monkeypatch.setattr(errors, "show", lambda _window, _error, doing: told.append(doing))
    (tmp_path / "file").write_text("x")
    window.see.class_statistics.export_table(tmp_path / "file" / "a.csv")
    settle(qtbot, window)
    assert told == ["a.csv could not be written"]


def test_counts_end_with_their_library_and_sets_with_their_case(qtbot, window: MainWindow):
    open_page(qtbot, window)
    view = window.see.class_statistics
    window.wiring.leave(Left.CASE)
    settle(qtbot, window)
    assert view.of.count() == 1
    window.wiring.leave(Left.LIBRARY)
    settle(qtbot, window)
    assert symbols(window) == []
    assert view.found is None


def test_a_share_is_never_a_false_zero():
    assert share_text(0.0001) == "<0.1 %"
    assert share_text(0.25) == "25.0 %"


def test_documents_are_counted_by_year_office_and_applicant(qtbot, window: MainWindow, tmp_path):
    window.acts.actions["Statistics of documents"].trigger()
    settle(qtbot, window)
    view = window.see.class_statistics
    assert window.see.class_panel.page is Page.STATISTICS
    choose(view.by, CountBy.YEAR)
    settle(qtbot, window)
    assert symbols(window) == ["2001", "2003"]
    assert view.state.text() == "3 documents, 2 of them with a publication date."
    assert view.chart.headerItem().text(0) == "Year"
    assert view.scheme.isHidden()
    assert view.level.isHidden()
    first = view.chart.topLevelItem(0)
    assert first.data(0, Qt.ItemDataRole.AccessibleTextRole) == "2001, 1 document, 33.3 %"
    view.export_picture(tmp_path / "years.svg")
    view.export_table(tmp_path / "years.csv")
    settle(qtbot, window)
    assert "Whole library: documents by year" in (tmp_path / "years.svg").read_text(encoding="utf-8")
    table = (tmp_path / "years.csv").read_text(encoding="utf-8-sig").splitlines()
    assert table[:2] == ["year,title,documents,percent", "2001,,1,33.33"]
    choose(view.by, CountBy.APPLICANT)
    settle(qtbot, window)
    assert view.state.text() == "None of 3 documents has an applicant."
    choose(view.by, CountBy.CLASS)
    settle(qtbot, window)
    assert symbols(window) == ["F16F", "B62K", "B60G"]
    assert not view.scheme.isHidden()
