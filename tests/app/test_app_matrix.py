"""The matrix of features and documents, and the pairs that cover most together."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from claimlight.errors import BugError, ResourceError
from claimlight.services.search.cell_words import VERDICT_SIGN, VERDICT_WORDS
from claimlight.services.search.date_words import EARLIER_PUBLICATION
from claimlight.types import CellVerdict, PatentId, ReferenceDates, RuleSet, strength_figure
from claimlight_workbench import theme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.matrix.model import ALL, FIRST_FEATURE, STATUS
from claimlight_workbench.screens.matrix.pairs import Column as PairColumn
from claimlight_workbench.screens.matrix.presenter import COMPARED
from claimlight_workbench.screens.matrix.view import ROW_HEIGHT
from tests.app.driving import Column, inverted, lit_pairs, press, settle
from tests.app.fake_services import FakeServices, publication
from tests.app.test_app_query_line import run_line

KEY = Qt.Key
F1, F2, F3 = range(FIRST_FEATURE, FIRST_FEATURE + 3)
SPOKEN = Qt.ItemDataRole.AccessibleTextRole


def front(window: MainWindow, panel: str) -> None:
    """Raise a panel: behind others it waits with what it shows."""
    window.panels.raise_panel(panel)
    QApplication.processEvents()


def texts(window: MainWindow, *, abstracts: bool = False) -> list[list[str]]:
    front(window, "matrix")
    model = window.see.matrix.abstracts_model if abstracts else window.see.matrix.model
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def names(window: MainWindow) -> list[str]:
    front(window, "matrix")
    model = window.see.matrix.model
    return [model.headerData(row, Qt.Orientation.Vertical) for row in range(model.rowCount())]


def go_to(window: MainWindow, row: int, column: int) -> None:
    table = window.see.matrix.table
    table.setCurrentIndex(table.model().index(row, column))


# Matrix


def test_the_matrix_shows_the_documents_of_the_list(qtbot, window: MainWindow, services: FakeServices):
    view = window.see.matrix
    assert services.compared[-1] == ((1, 2, 3), None)
    assert names(window) == ["EP 1 000 001 A1", "EP 1 000 002 A1", "EP 1 000 003 A1"]
    assert texts(window) == [
        ["43", "Full prior art", "● 90", "◐ 40", "–"],
        ["43", "Full prior art", "◐ 40", "–", "● 90"],
        ["43", "Full prior art", "–", "● 90", "◐ 40"],
    ]
    assert [view.model.headerData(c, Qt.Orientation.Horizontal) for c in range(5)] == [
        "Mean",
        "Date status",
        "F1",
        "F2",
        "F3",
    ]
    assert view.model.index(0, F2).data(SPOKEN) == (
        "EP 1 000 001 A1, F2 match strength 40 (medium match), best passage claim 1"
    )
    assert view.title.text() == "3 features × 3 documents"
    assert not view.abstracts.isVisibleTo(view)
    assert "Strong from 50, medium from 35" in view.legend.toolTip()
    assert view.legend.text() == (
        "Suggestions – not confirmed:  match strength, no verdict:  ● strong   ◐ medium   – no match"
    )


def test_g_and_the_arrows_reach_every_cell_and_enter_goes_there(qtbot, window: MainWindow):
    table = window.see.matrix.table
    press(window.see.results.table, KEY.Key_G)
    assert table.hasFocus()
    assert window.panels.docks["matrix"].isVisible()
    assert (table.currentIndex().row(), table.currentIndex().column()) == (0, F1)
    press(table, KEY.Key_Down)
    press(table, KEY.Key_Right)
    press(table, KEY.Key_Right)
    assert window.see.matrix.sentence.text().startswith(
        "EP 1 000 002 A1  ·  F3 match strength 90 (strong match), best passage [0001]"
    )
    press(table, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    assert window.board.passage == 20_002
    assert lit_pairs(window) == {("spring", "biased coil")}
    assert inverted(window.see.claim.text) == {"spring"}
    assert inverted(window.see.reader.text) == {"biased coil"}
    assert window.see.results.current_hit().patent.publication == publication(2)
    assert table.currentIndex().row() == 1


@pytest.mark.styled
def test_a_click_on_a_cell_of_the_open_document_goes_to_its_passage(qtbot, window: MainWindow):
    window.panels.docks["matrix"].show()
    window.panels.docks["matrix"].raise_()
    QApplication.processEvents()
    table = window.see.matrix.table
    window.board.set_passage(None)
    place = table.visualRect(table.model().index(0, F1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(qtbot, window)
    assert window.do.reader.view.summary.publication == publication(1)
    assert window.board.passage == 10_000
    assert window.board.pinned


def test_a_cell_with_nothing_opens_the_document_alone(qtbot, window: MainWindow):
    press(window.see.results.table, KEY.Key_G)
    go_to(window, 1, F2)
    press(window.see.matrix.table, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    assert window.board.lit == ()
    assert "F2 no match" in window.see.matrix.sentence.text()


@pytest.mark.styled
def test_a_low_panel_shows_one_list_and_switches_to_the_other(qtbot, open_window, services: FakeServices):
    services.abstracts = frozenset({1, 2})
    window = open_window()
    window.panels.raise_panel("matrix")
    view = window.see.matrix
    view.setFixedHeight(500)
    settle(qtbot, window)
    assert view.abstracts.height() >= 2 * ROW_HEIGHT
    assert not view.switch.isVisibleTo(view)
    view.setFixedHeight(220)
    settle(qtbot, window)
    assert view.table.isVisibleTo(view)
    assert not view.abstracts.isVisibleTo(view)
    assert view.switch.text() == "Abstracts only (2)"
    view.switch.click()
    assert not view.table.isVisibleTo(view)
    assert view.abstracts.isVisibleTo(view)
    assert view.abstracts.horizontalHeader().isVisibleTo(view.abstracts), "the features are named here too"
    view.setFixedHeight(500)
    settle(qtbot, window)
    assert view.table.isVisibleTo(view)
    assert view.abstracts.isVisibleTo(view)


def test_both_lists_keep_their_features_below_one_another(qtbot, open_window, services: FakeServices):
    services.abstracts = frozenset({2})  # one list needs a bar for its rows, the other does not
    window = open_window()
    window.panels.docks["matrix"].raise_()
    tables = (window.see.matrix.table, window.see.matrix.abstracts)
    tables[0].setFixedHeight(60)
    for table in tables:
        table.setColumnWidth(1, 5000)
    upper, lower = (table.horizontalScrollBar() for table in tables)
    qtbot.waitUntil(lambda: upper.maximum() > 0 and lower.maximum() > 0)
    for moved, follows, to in ((upper, lower, 700), (lower, upper, 300), (upper, lower, upper.maximum())):
        moved.setValue(to)
        assert moved.value() == follows.value() == to


def test_abstracts_have_a_list_of_their_own(qtbot, open_window, services: FakeServices):
    services.abstracts = frozenset({2})
    window = open_window()
    view = window.see.matrix
    window.panels.docks["matrix"].raise_()
    assert names(window) == ["EP 1 000 001 A1", "EP 1 000 003 A1"]
    assert texts(window, abstracts=True) == [["43", "Full prior art", "◐ 40", "–", "● 90"]]
    if view.switch.isVisibleTo(view):
        view.switch.click()
    assert view.abstracts.isVisibleTo(view)
    assert view.title.text() == "3 features × 3 documents, 1 with an abstract only"
    press(view.abstracts, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))


@pytest.mark.styled
def test_space_and_a_heading_order_the_rows(qtbot, window: MainWindow):
    press(window.see.results.table, KEY.Key_G)
    table = window.see.matrix.table
    go_to(window, 0, F2)
    press(table, KEY.Key_Space)
    assert names(window)[0] == "EP 1 000 003 A1"
    assert [row[F2] for row in texts(window)] == ["● 90", "◐ 40", "–"]
    press(table, KEY.Key_Space)
    assert names(window) == ["EP 1 000 001 A1", "EP 1 000 002 A1", "EP 1 000 003 A1"]
    header = table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(F3) + 10, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [row[F3] for row in texts(window)] == ["● 90", "◐ 40", "–"]


class Always:
    """Thresholds that say one thing of everything."""

    least, strong = 0.35, 0.5

    def __init__(self, said: CellVerdict) -> None:
        self.said = said

    def verdict(self, _strength: float) -> CellVerdict:
        return self.said


@pytest.mark.styled
def test_every_verdict_has_a_sign_of_its_own_and_looks_different(qtbot, open_window, services, monkeypatch):
    assert set(VERDICT_SIGN) == set(VERDICT_WORDS) == set(CellVerdict)
    assert len(set(VERDICT_SIGN.values())) == len(CellVerdict)
    window = open_window()
    window.panels.docks["matrix"].raise_()
    table = window.see.matrix.table
    pictures = []
    for each in CellVerdict:
        monkeypatch.setattr("tests.app.fake_coverage.THRESHOLDS", Always(each))
        window.do.matrix.compare_again()
        settle(qtbot, window)
        place = table.visualRect(table.model().index(1, F1))
        pictures.append(table.viewport().grab(place).toImage().convertToFormat(QImage.Format.Format_Mono))
    assert all(a != b for at, a in enumerate(pictures) for b in pictures[:at])


def test_what_is_not_indexed_is_not_compared_and_says_why(qtbot, open_window, services: FakeServices):
    services.unindexed = frozenset({1})
    window = open_window()
    said = "not compared: not indexed yet"
    assert texts(window)[0] == ["–", "Full prior art", "?", "?", "?"]
    assert window.see.matrix.model.index(0, F2).data(SPOKEN) == f"EP 1 000 001 A1, F2 {said}"
    assert "? not compared" in window.see.matrix.legend.text()
    model = window.see.results.model
    assert model.index(0, Column.COVERAGE).data(SPOKEN) == f"F1 {said}, F2 {said}, F3 {said}"
    assert said not in model.index(1, Column.COVERAGE).data(SPOKEN)
    assert window.see.results.current_name() == "EP1000001A1"
    assert window.see.reader.hit_label.text() == said
    buttons = window.see.reader.features.buttons
    assert [button.text() for button in buttons] == ["?", "?", "?"]
    assert all(f": {said}," in button.accessibleName() for button in buttons)


def test_a_set_is_compared_by_its_first_documents(qtbot, window: MainWindow, services: FakeServices):
    run_line(qtbot, window, "everything")
    settle(qtbot, window)
    patents, _ = services.compared[-1]
    assert len(patents) == COMPARED
    front(window, "matrix")
    title = f"3 features × the first {COMPARED} of {services.many:,} documents"
    assert window.see.matrix.title.text() == title


def test_another_order_is_no_other_list(qtbot, window: MainWindow, services: FakeServices):
    before = len(services.compared)
    window.acts.actions["Order by date"].trigger()
    settle(qtbot, window)
    assert len(services.compared) == before
    window.acts.run()
    settle(qtbot, window)
    assert len(services.compared) == before


def test_features_edited_are_compared_anew_and_nothing_old_stays(qtbot, window, services: FakeServices):
    services.gate.clear()
    window.do.query.leave_out(0)
    qtbot.waitUntil(lambda: window.see.matrix.title.text().startswith("Comparing"))
    assert texts(window) == []
    assert window.see.results.model.index(0, Column.COVERAGE).data(SPOKEN)
    services.gate.set()
    settle(qtbot, window)
    front(window, "matrix")
    assert window.see.matrix.title.text() == "2 features × 3 documents"


def test_a_superseded_matrix_never_arrives(qtbot, window: MainWindow, services: FakeServices):
    services.gate.clear()
    shown = []
    window.do.matrix.compared.connect(lambda compared: shown.append(tuple(compared.rows)))
    window.do.matrix.set_documents([PatentId(5)], listed=1, own=None)
    window.do.matrix.set_documents([PatentId(6)], listed=1, own=publication(9))
    services.gate.set()
    settle(qtbot, window)
    assert shown == [(6,)]
    assert ((6,), publication(9)) in services.compared


def test_comparing_is_stopped_by_esc(qtbot, window: MainWindow, services: FakeServices):
    services.gate.clear()
    window.do.matrix.compare_again()
    press(window.see.results.table, KEY.Key_Escape)
    settle(qtbot, window)
    services.gate.set()
    assert window.see.matrix.title.text() == "The documents were not compared"
    assert window.see.pairs.title.text() == "The documents were not compared"


def test_a_library_without_an_index_is_said_in_the_panels(qtbot, open_window, services: FakeServices):
    services.fail_matrix = ResourceError("There is no matrix without an index.")
    window = open_window()
    assert window.see.matrix.notes.text() == "There is no matrix without an index."
    assert window.see.pairs.title.text().endswith("There is no matrix without an index.")
    assert not window.findChildren(QMessageBox)
    services.fail_matrix = BugError("impossible")
    window.do.matrix.compare_again()
    settle(qtbot, window)
    (box,) = window.findChildren(QMessageBox)
    assert box.windowTitle() == "Defect in Claimlight"
    box.close()


def test_another_library_forgets_the_documents_at_once(qtbot, window, services: FakeServices, tmp_path):
    services.gate.clear()
    with qtbot.waitSignal(window.do.library.opened):
        window.do.library.open(tmp_path / "Other")
    assert texts(window) == []
    services.gate.set()
    settle(qtbot, window)


def test_no_false_hundred():
    assert [strength_figure(share) for share in (0.0, 0.004, 0.996, 1.0)] == [0, 0, 99, 100]


@pytest.mark.styled
@pytest.mark.parametrize("name", ["dark", "light"])
def test_the_panels_are_drawn_in_both_themes(qtbot, window: MainWindow, name: str):
    window.appearance.set_theme(name)
    settle(qtbot, window)
    colours = theme.active()
    window.panels.docks["matrix"].raise_()
    QApplication.processEvents()
    table = window.see.matrix.table
    picture = table.viewport().grab(table.visualRect(table.model().index(0, F1))).toImage()
    assert picture.pixelColor(8, 8).name() == theme.unproven(colours)
    assert table.model().index(0, ALL).data() == "43"


# Pairs


def pair_texts(window: MainWindow) -> list[str]:
    front(window, "pairs")
    model = window.see.pairs.model
    return [model.index(row, 0).data(SPOKEN) for row in range(model.rowCount())]


def test_pairs_say_what_each_adds_and_what_is_missing(qtbot, window: MainWindow):
    front(window, "pairs")
    assert window.see.pairs.title.text() == "Best pairs of 3 documents, by their combined match strength"
    assert pair_texts(window) == [
        "D1 EP 1 000 001 A1 (Full prior art) with D2 EP 1 000 002 A1 (Full prior art): "
        "combined match strength 80 (+30); strong matches: only in D1 F1; only in D2 F3; in neither F2",
        "D1 EP 1 000 002 A1 (Full prior art) with D2 EP 1 000 003 A1 (Full prior art): "
        "combined match strength 80 (+30); strong matches: only in D1 F3; only in D2 F2; in neither F1",
    ]
    model = window.see.pairs.model
    assert [model.index(0, column).data() for column in PairColumn][:5] == [
        "80 (+30)",
        "EP 1 000 001 A1",
        "Full prior art",
        "EP 1 000 002 A1",
        "Full prior art",
    ]
    tip = model.index(0, PairColumn.COMBINED).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.splitlines() == [
        "Only in D1 F1",
        "Only in D2 F3",
        "In neither F2",
        "Enter opens both side by side",
    ]
    assert not window.see.pairs.left_out.isVisibleTo(window.see.pairs)
    assert not window.see.pairs.every.isVisibleTo(window.see.pairs)


LATE = ReferenceDates(filed=date(2002, 6, 1))
"""Document 1 is full prior art; 2 is, too; 3, filed in March 2002, is an earlier European application."""


def test_pairs_leave_out_what_is_for_novelty_only_until_it_is_asked_for(qtbot, window: MainWindow):
    compared = []
    window.do.matrix.compared.connect(compared.append)
    window.do.query.set_dates(LATE)
    settle(qtbot, window)
    assert [row[STATUS] for row in texts(window)] == ["Full prior art", "Full prior art", "E"]
    assert len(compared) == 1
    view = window.see.pairs
    window.panels.raise_panel("pairs")
    assert view.left_out.text() == "1 document left out of pairs: novelty only (Art. 54(3) EPC)"
    assert view.title.text() == "Best pairs of 2 documents, by their combined match strength"
    assert len(pair_texts(window)) == 1
    QTest.mouseClick(view.every, Qt.MouseButton.LeftButton)
    assert view.left_out.text() == (
        "1 document shown in pairs, though not to be combined: novelty only (Art. 54(3) EPC)"
    )
    assert len(pair_texts(window)) == 2
    assert view.model.index(1, PairColumn.SECOND_STATUS).data() == "E"
    tip = view.model.index(1, PairColumn.SECOND_STATUS).data(Qt.ItemDataRole.ToolTipRole)
    assert "Not for inventive step" in " ".join(tip.split())
    assert max(map(len, tip.splitlines())) <= 70
    window.do.query.set_dates(replace(LATE, rules=RuleSet.US))
    settle(qtbot, window)
    assert view.left_out.text() == "1 document left out of pairs: not prior art", "102(a)(2) is not for EP"
    assert not view.every.isChecked()


def test_pairs_name_the_patents_left_out_that_were_published_in_time(qtbot, window: MainWindow):
    compared = []
    window.do.matrix.compared.connect(compared.append)
    window.do.query.set_dates(LATE)
    settle(qtbot, window)
    (shown,) = compared
    rows = tuple(
        replace(row, dates=replace(row.dates, words=f"{row.dates.words} {EARLIER_PUBLICATION}"))
        for row in shown.matrix.rows
    )
    view = window.see.pairs
    front(window, "pairs")
    view.show_compared(replace(shown, matrix=replace(shown.matrix, rows=rows)))
    assert view.left_out.text() == (
        "1 document left out of pairs: novelty only (Art. 54(3) EPC). EP 1 000 003 A1: its application was "
        "probably published before the relevant date; if so, that publication is full prior art. Look for "
        "the earlier publication in the family."
    )


def test_without_dates_of_the_application_there_is_no_status(qtbot, window: MainWindow):
    window.do.query.set_dates(None)
    settle(qtbot, window)
    front(window, "matrix")
    assert window.see.matrix.table.isColumnHidden(STATUS)
    front(window, "pairs")
    assert window.see.pairs.table.isColumnHidden(PairColumn.FIRST_STATUS)
    assert window.see.pairs.notes.text().startswith("The dates of the application are unknown")


def test_the_date_status_orders_the_rows_and_is_said(qtbot, window: MainWindow):
    window.do.query.set_dates(replace(LATE, filed=date(2000, 6, 1)))
    settle(qtbot, window)
    model = window.see.matrix.model
    assert [row[STATUS] for row in texts(window)] == ["E", "E", "Not prior art (later)"]
    window.do.query.set_dates(replace(LATE, filed=date(2001, 3, 4)))
    settle(qtbot, window)
    assert [row[STATUS] for row in texts(window)] == ["E", "E", "Not prior art (later)"]
    press(window.see.results.table, KEY.Key_G)
    go_to(window, 2, STATUS)
    assert "neither published (Art. 54(2) EPC) nor filed" in window.see.matrix.sentence.text()
    assert model.index(0, STATUS).data(SPOKEN).startswith("EP 1 000 001 A1, date status E: E: prior art for")
    press(window.see.matrix.table, KEY.Key_Space)
    assert [row[STATUS] for row in texts(window)][-1] == "Not prior art (later)"


@pytest.mark.styled
def test_panels_behind_another_one_are_filled_when_they_are_seen(qtbot, window: MainWindow, monkeypatch):
    window.panels.raise_panel("evidence")
    QApplication.processEvents()
    measured = []
    for view in (window.see.pairs, window.see.matrix):
        real = view._fit
        monkeypatch.setattr(view, "_fit", lambda view=view, real=real: (measured.append(view), real()))
    window.do.matrix.compare_again()
    settle(qtbot, window)
    assert measured == []
    assert window.see.pairs.model.rowCount() == window.see.matrix.model.rowCount() == 0
    assert pair_texts(window)
    assert set(measured) == {window.see.pairs}
    table = window.see.pairs.table
    assert table.columnWidth(PairColumn.FIRST) >= table.sizeHintForColumn(PairColumn.FIRST)
    assert table.currentIndex().column() == PairColumn.FIRST
    window.panels.raise_panel("matrix")
    QApplication.processEvents()
    assert window.see.matrix in measured


def test_enter_opens_either_document_of_a_pair(qtbot, window: MainWindow):
    table = window.see.pairs.table
    press(window.see.results.table, KEY.Key_G, Qt.KeyboardModifier.ShiftModifier)
    assert table.hasFocus()
    assert table.currentIndex().column() == PairColumn.FIRST
    # In a narrow panel the date status between them has no column.
    while table.currentIndex().column() < PairColumn.SECOND:
        press(table, KEY.Key_Right)
    press(table, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    while table.currentIndex().column() > PairColumn.FIRST:
        press(table, KEY.Key_Left)
    press(table, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(1))


def test_pairs_fit_a_narrow_panel_and_keep_their_date_status(qtbot, window: MainWindow):
    window.do.query.set_dates(LATE)
    settle(qtbot, window)
    window.panels.raise_panel("pairs")
    view = window.see.pairs
    QTest.mouseClick(view.every, Qt.MouseButton.LeftButton)
    view.resize(1600, 300)
    assert not view.table.isColumnHidden(PairColumn.SECOND_STATUS)
    assert view.model.index(1, PairColumn.SECOND).data() == "EP 1 000 003 A1"
    view.resize(560, 300)
    assert view.table.isColumnHidden(PairColumn.SECOND_STATUS)
    assert view.model.index(1, PairColumn.SECOND).data() == "EP 1 000 003 A1 · E"
    assert "· " not in view.model.index(1, PairColumn.FIRST).data(), "full prior art is not repeated"
