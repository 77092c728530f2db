"""Passages confirmed and rejected in the matrix: by key, only what was read, and undone like the rest."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from claimlight.types import Action, ByHand, Decision
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.case_history import KINDS, change_words
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices, publication
from tests.app.test_app_matrix import F1, F2, front, go_to, texts

KEY = Qt.Key


def cell(window: MainWindow, row: int, column: int):
    model = window.see.matrix.model
    return model.cell(model.index(row, column))


@pytest.fixture
def opened(qtbot, window: MainWindow):
    """The matrix, with the best passage of document 2 for F1 on the screen."""
    front(window, "matrix")
    go_to(window, 1, F1)
    press(window.see.matrix.table, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    return window


def test_enter_opens_a_passage_then_confirms_it_then_takes_that_back(
    qtbot, opened: MainWindow, services: FakeServices
):
    table = opened.see.matrix.table
    assert not services.decided, "the first Enter only opens"
    press(table, KEY.Key_Return)
    settle(qtbot, opened)
    (said,) = services.decided
    assert (said.confirmation.publication, said.confirmation.feature_label) == (publication(2), "F1")
    assert said.confirmation.decision is Decision.CONFIRMED
    assert services.claims_decided == [opened.do.matrix.answer.matrix.claim] == [1]
    assert cell(opened, 1, F1).by_hand is ByHand.CONFIRMED
    assert texts(opened)[1][F1] == "✓"
    assert (table.currentIndex().row(), table.currentIndex().column()) == (1, F1)
    assert "confirmed by you" in opened.see.matrix.sentence.text()
    assert opened.see.matrix.legend.text().endswith("✓ confirmed by you")
    assert texts(opened)[1][0] != "43", "it counts as certain in the mean of the row"
    press(table, KEY.Key_Return)
    settle(qtbot, opened)
    assert not services.decided
    assert texts(opened)[1][F1] == "◐ 40"


def test_del_rejects_only_what_was_read_and_the_next_del_takes_it_back(
    qtbot, opened: MainWindow, services: FakeServices
):
    table = opened.see.matrix.table
    press(table, KEY.Key_Up)
    press(table, KEY.Key_Delete)
    settle(qtbot, opened)
    assert not services.decided, "the passage of document 1 was not open: it is now"
    assert opened.do.reader.view.summary.publication == publication(1)
    press(table, KEY.Key_Delete)
    settle(qtbot, opened)
    assert [item.confirmation.decision for item in services.decided] == [Decision.REJECTED]
    assert texts(opened)[0][F1] == "✗"
    assert "1 passage rejected by you, no other found" in opened.see.matrix.sentence.text()
    press(table, KEY.Key_Delete)
    settle(qtbot, opened)
    assert not services.decided
    assert texts(opened)[0][F1] == "● 90"


def test_after_del_the_next_passage_is_opened_and_can_be_rejected_too(
    qtbot, opened: MainWindow, services: FakeServices
):
    services.offers_next = True
    table = opened.see.matrix.table
    table.setFocus()
    first = cell(opened, 1, F1).passage
    press(table, KEY.Key_Delete)
    settle(qtbot, opened)
    second = cell(opened, 1, F1)
    assert second.passage != first
    assert (second.by_hand, second.rejected) == (ByHand.NONE, 1)
    assert opened.board.passage == second.passage, "it is on the screen"
    assert table.hasFocus()
    press(table, KEY.Key_Delete)
    settle(qtbot, opened)
    assert [item.passage for item in services.decided] == [first, second.passage]
    press(table, KEY.Key_Return)
    settle(qtbot, opened)
    assert services.decided[-1].confirmation.decision is Decision.CONFIRMED
    assert cell(opened, 1, F1).passage not in {first, second.passage}


@pytest.mark.styled
def test_a_click_never_confirms(qtbot, opened: MainWindow, services: FakeServices):
    table = opened.see.matrix.table
    place = table.visualRect(table.model().index(1, F1)).center()
    for _ in range(2):
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        settle(qtbot, opened)
    assert not services.decided


def go_by_list(qtbot, window: MainWindow, step: int, number: int) -> None:
    window.see.results.step(step)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(number))
    settle(qtbot, window)


def test_a_passage_left_for_another_document_is_opened_again_first(
    qtbot, opened: MainWindow, services: FakeServices
):
    table = opened.see.matrix.table
    go_by_list(qtbot, opened, 1, 3)
    go_by_list(qtbot, opened, -1, 2)
    go_to(opened, 1, F1)
    press(table, KEY.Key_Return)
    settle(qtbot, opened)
    assert not services.decided
    press(table, KEY.Key_Return)
    settle(qtbot, opened)
    assert len(services.decided) == 1


def test_the_menu_confirms_the_current_cell(qtbot, opened: MainWindow, services: FakeServices):
    opened.acts.actions["Confirm passage (Enter in the matrix)"].trigger()
    settle(qtbot, opened)
    assert [item.confirmation.decision for item in services.decided] == [Decision.CONFIRMED]
    opened.acts.actions["Reject passage (Del in the matrix)"].trigger()
    settle(qtbot, opened)
    assert [item.confirmation.decision for item in services.decided] == [Decision.REJECTED]


def test_columns_without_a_feature_and_cells_without_a_passage_decide_nothing(
    qtbot, opened: MainWindow, services: FakeServices
):
    table = opened.see.matrix.table
    for column in (0, 1, F2):
        go_to(opened, 1, column)
        for key in (KEY.Key_Delete, KEY.Key_Return, KEY.Key_Return):
            press(table, key)
            settle(qtbot, opened)
    assert not services.decided


def test_decisions_change_the_pairs(qtbot, opened: MainWindow):
    before = opened.do.matrix.answer
    press(opened.see.matrix.table, KEY.Key_Return)
    settle(qtbot, opened)
    after = opened.do.matrix.answer
    assert after is not before
    assert after.rows[2].strength == pytest.approx(before.rows[2].strength + (1 - 0.4) / 3)


@pytest.mark.styled
@pytest.mark.parametrize("name", ["light", "dark"])
def test_decided_cells_are_drawn_in_both_themes(qtbot, opened: MainWindow, name: str):
    table = opened.see.matrix.table

    def drawn() -> QImage:
        QApplication.processEvents()
        place = table.visualRect(table.model().index(1, F1))
        return table.viewport().grab(place).toImage()

    opened.appearance.set_theme(name)
    images = [drawn()]
    for key in (KEY.Key_Return, KEY.Key_Delete):
        press(table, key)
        settle(qtbot, opened)
        images.append(drawn())
    assert len({bytes(image.constBits()) for image in images}) == len(images)


def test_the_history_says_what_was_decided():
    assert set(KINDS) == set(Action)
    assert change_words("EP1000000A1 [0042]: confirmed for F2") == "EP 1 000 000 A1 [0042]: confirmed for F2"
    assert (
        change_words("EP1000000A1 claim 3: undecided for F2") == "EP 1 000 000 A1 claim 3: undecided for F2"
    )
