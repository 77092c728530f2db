"""Numbered sets: the L-list, and what a line matched in the reader."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu

from claimlight.types import ExportKind, PatentId
from claimlight_workbench.engine.sets import from_record
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.sets.presenter import rerun_text
from claimlight_workbench.values import Rerun
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, publication
from tests.app.test_app_query_line import run_line

KEY = Qt.Key


@pytest.fixture
def sets(qtbot, window: MainWindow) -> MainWindow:
    """L1 is the claim search, L2 and L3 are query lines; L3 is on show."""
    run_line(qtbot, window, "toothed")
    run_line(qtbot, window, "coil SAME toothed")
    press(window.see.results.table, KEY.Key_L)
    assert window.see.sets.table.hasFocus()
    return window


def cells(window: MainWindow, row: int) -> list[str]:
    model = window.see.sets.model
    return [model.index(row, column).data() for column in range(model.columnCount())]


def test_the_list_shows_every_search(sets: MainWindow):
    model = sets.see.sets.model
    assert model.rowCount() == 3
    assert cells(sets, 0)[:3] == [
        "L1",
        "claim 1 search: A 𝛼-damper (10) a crown wheel a spring that is preloaded",
        "3",
    ]
    assert cells(sets, 2)[:3] == ["L3", "coil SAME toothed", "3"]
    assert cells(sets, 2)[3].startswith("2024-05-0")
    assert cells(sets, 2)[4] == "general-small-1, index g1"
    tip = model.index(2, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "parsed as: (coil AND toothed)" in tip
    assert "published before" not in tip
    spoken = model.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "L3, shown"


@pytest.mark.styled
def test_a_click_opens_a_set_from_the_record(qtbot, sets: MainWindow, services: FakeServices):
    table = sets.see.sets.table
    run = len(services.lines_run)
    place = table.visualRect(sets.see.sets.model.index(1, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: sets.see.sets.model.current == 2)
    settle(qtbot, sets)
    assert sets.see.results.count.text().startswith("L2  1 / 3")
    assert sets.see.expression.editor.text() == "toothed"
    assert sets.see.expression.terms.text().startswith("L2: 3 documents, newest first")
    assert len(services.lines_run) == run
    assert len(services.sets) == 3
    press(table, KEY.Key_Up)
    press(table, KEY.Key_Return)
    qtbot.waitUntil(lambda: sets.see.sets.model.current == 1)
    # The hits of the last claim search are at hand with their evidence.
    assert sets.see.results.model.results is not None
    assert not sets.see.results.table.isColumnHidden(Column.COVERAGE)


def test_what_the_library_lost_is_said(services: FakeServices, sets: MainWindow):
    found = from_record(services.sets[1], [PatentId(1), None, PatentId(3)])
    assert found.patents == (1, 3)
    assert found.names == (str(publication(1)), str(publication(3)))
    assert found.notes == ("1 of the documents of L2 are not in this library.",)


def test_a_set_is_inserted_run_again_and_copied(qtbot, sets: MainWindow, services: FakeServices):
    view, editor = sets.see.sets, sets.see.expression.editor
    view.choose(2)
    editor.show_text("coil AND")
    view.table.setFocus()
    press(view.table, KEY.Key_Insert)
    assert editor.text() == "coil AND L2"
    assert editor.hasFocus()
    view.table.setFocus()
    press(view.table, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("L2\ttoothed\t3\t2024-05-06T07:00:02")
    QTest.mouseClick(view.rerun_button, Qt.MouseButton.LeftButton)
    settle(qtbot, sets)
    assert view.told.text() == "L2 re-run: no change, the same 3 documents in the same order."
    assert len(services.sets) == 3


@pytest.mark.parametrize(
    ("rerun", "text"),
    [
        (
            Rerun(4, 9, equal=False, differences=("The model is another one.",), added=2, missing=1),
            "L4 re-run: changed: 2 new, 1 no longer found; The model is another one.",
        ),
        (Rerun(4, 9, equal=False), "L4 re-run: changed: the same documents in another order."),
        (
            Rerun(4, 9, equal=True, differences=("The library has grown.",)),
            "L4 re-run: the same documents in the same order; The library has grown.",
        ),
    ],
)
def test_a_rerun_says_what_differs(rerun: Rerun, text: str):
    assert rerun_text(rerun) == text


def test_a_set_is_exported(qtbot, sets: MainWindow, services: FakeServices, tmp_path: Path, monkeypatch):
    names = iter([str(tmp_path / "out.parquet"), str(tmp_path / "plain"), ""])
    filters = iter(["CSV (*.csv)", "JSON lines (*.jsonl)", ""])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (next(names), next(filters)))
    sets.see.sets.choose(2)
    press(sets.see.sets.table, KEY.Key_E, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, sets)
    assert sets.see.sets.told.text() == f"L2: 3 rows written to {tmp_path / 'out.parquet'}"
    sets.acts.actions["Export library…"].trigger()
    settle(qtbot, sets)
    sets.acts.actions["Export set…"].trigger()
    settle(qtbot, sets)
    assert services.exported == [
        (2, tmp_path / "out.parquet", ExportKind.PARQUET),
        (0, tmp_path / "plain.jsonl", ExportKind.JSONL),
    ]


def test_the_list_gives_its_room_to_the_query(sets: MainWindow):
    view = sets.see.sets
    view.resize(1100, 200)
    assert not view.table.isColumnHidden(4)
    view.resize(360, 200)
    assert view.table.isColumnHidden(4)
    assert view.table.isColumnHidden(3)
    assert view.table.columnWidth(1) > 150


@pytest.mark.styled
def test_the_menu_of_a_set(qtbot, sets: MainWindow):
    table = sets.see.sets.table
    table.customContextMenuRequested.emit(table.visualRect(sets.see.sets.model.index(1, 0)).center())
    (menu,) = [each for each in sets.see.sets.findChildren(QMenu) if each.actions()]
    words = [action.text() for action in menu.actions()]
    assert words == [
        "Show this set",
        "Insert in query",
        "Re-run and compare",
        "Export…",
        "Copy",
    ]
    menu.close()
    table.customContextMenuRequested.emit(QPoint(5, table.height() - 5))
    assert len([each for each in sets.see.sets.findChildren(QMenu) if each.isVisible()]) == 0


@pytest.mark.styled
def test_the_title_keeps_to_its_room_when_the_strip_comes_back(qtbot, sets: MainWindow):
    for word in re.finditer(r"\w+", sets.do.query.query.text):
        sets.do.query.mark(*word.span())
    settle(qtbot, sets)
    sets.do.query.run()
    settle(qtbot, sets)
    run_line(qtbot, sets, "coil")
    sets.see.sets.opened.emit(4)
    qtbot.waitUntil(lambda: sets.see.results.model.results is not None)
    table = sets.see.results.table
    assert len(sets.see.results.model.results.request.query.features) == 12
    shown = [column for column in Column if not table.isColumnHidden(column)]
    assert Column.COVERAGE in shown
    assert sum(table.columnWidth(column) for column in shown) <= table.viewport().width()


def test_another_library_takes_the_rows_of_the_former_away(qtbot, sets: MainWindow, tmp_path: Path):
    sets.see.claim.enter_claims()
    sets.do.query.claims = None
    sets.do.query.query = None
    sets.do.library.open(tmp_path / "Other")
    settle(qtbot, sets)
    assert sets.see.results.model.rowCount() == 0


def test_a_set_that_is_shown_is_not_numbered_by_an_older_answer(qtbot, sets: MainWindow, services):
    """The record of a line may come when another set is on show already."""
    found = sets.see.results.model.found
    run = replace(found, number=0)
    sets.wiring.searching._number_new(sets.do.case.state, _result_like(run, services))
    assert sets.state.shown_set == 3


def _result_like(found, services):
    from claimlight.tasks import TaskContext

    return services.run_query(replace(found.request, expression="other"), TaskContext())


# What a line matched


def outlined(window: MainWindow) -> list[tuple[str, bool]]:
    text = window.see.reader.text
    text.paint_marks()
    words = []
    for item in text.outlined:
        cursor = text.textCursor()
        cursor.setPosition(item.start)
        cursor.setPosition(item.end, cursor.MoveMode.KeepAnchor)
        words.append((cursor.selectedText(), item.current))
    return words


def test_the_reader_marks_what_the_line_matched_and_nothing_else(qtbot, window: MainWindow):
    assert outlined(window) == []
    assert not window.see.reader.words.isVisible()
    run_line(qtbot, window, "toothed AND coil")
    qtbot.waitUntil(lambda: window.board.words.found is not None)
    assert [word for word, _ in outlined(window)] == ["toothed", "coil", "toothed", "toothed", "coil"]
    legend = window.see.reader.words
    assert legend.text() == "query words 5"
    assert "5 matches" in legend.accessibleName()
    # The feature's own marks are still there, below.
    assert window.see.reader.text.extraSelections()


def test_n_and_p_go_through_the_matches(qtbot, window: MainWindow):
    run_line(qtbot, window, "toothed AND coil")
    qtbot.waitUntil(lambda: window.board.words.found is not None)
    label = window.see.reader.hit_label
    assert label.text() == "query words: 1 of 5 · abstract"
    seen = []
    for key in (KEY.Key_N, KEY.Key_N, KEY.Key_P, KEY.Key_P, KEY.Key_P):
        press(window.see.results.table, key)
        seen.append(next(place for place, (_, current) in enumerate(outlined(window)) if current))
    assert seen == [1, 2, 1, 0, 4]
    assert label.text() == "query words: 5 of 5 · [0001]"


def test_q_switches_the_matches_off_and_n_goes_to_hits_again(qtbot, window: MainWindow):
    run_line(qtbot, window, "toothed AND coil")
    qtbot.waitUntil(lambda: window.board.words.found is not None)
    press(window.see.results.table, KEY.Key_Q)
    assert outlined(window) == []
    assert not window.see.reader.words.isChecked()
    here = window.board.passage
    press(window.see.results.table, KEY.Key_N)
    assert window.board.passage != here
    QTest.mouseClick(window.see.reader.words, Qt.MouseButton.LeftButton)
    assert len(outlined(window)) == 5


def test_a_claim_search_has_no_query_words(qtbot, sets: MainWindow):
    press(sets.see.results.table, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, sets)
    assert outlined(sets) == []
    assert not sets.see.reader.words.isVisible()
    assert sets.see.reader.hit_label.text().startswith("all features: 1 of 3")


@pytest.mark.styled
def test_outlines_are_painted_around_the_words(qtbot, window: MainWindow):
    run_line(qtbot, window, "toothed")
    qtbot.waitUntil(lambda: bool(outlined(window)))
    with_lines = window.see.reader.text.viewport().grab().toImage()
    window.board.words.set_on(False)
    window.see.reader.text.paint_marks()
    assert window.see.reader.text.viewport().grab().toImage() != with_lines
