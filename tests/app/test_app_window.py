from __future__ import annotations

import threading
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QTabBar, QWidget

from app import theme, ui_state
from app.main_window import MainWindow
from app.models.results_model import Column, Order
from app.ui_state import Session
from app.widgets.key_sheet import CommandPalette, KeySheet
from app.widgets.linked_text import LinkedText
from core.errors import BugError, ResourceError
from core.types import Category
from tests.app.conftest import PATIENCE_MS
from tests.app.fake_services import LINES, FakeServices, publication

KEY = Qt.Key


def press(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(widget, key, modifiers)


def settle(qtbot, window: MainWindow):
    qtbot.waitUntil(lambda: window._runner.busy == 0 and window.see.reader.complete, timeout=PATIENCE_MS)
    QApplication.processEvents()


def point_at(qtbot, view: LinkedText, position: int):
    """Move the mouse over the character at a document position."""
    view.show_position(position)
    cursor = view.textCursor()
    cursor.setPosition(position)
    here = view.cursorRect(cursor)
    cursor.setPosition(position + 1)
    there = view.cursorRect(cursor)
    middle = QPoint((here.left() + there.left()) // 2, here.center().y())
    QTest.mouseMove(view.viewport(), middle)
    view._point(view.position_at(QPointF(middle)))
    QApplication.processEvents()


def lit_pairs(window: MainWindow) -> set[tuple[str, str]]:
    query, links = window.board.query, window.board.links
    assert query is not None
    assert links is not None
    return {
        (
            query.text[link.evidence.query.start : link.evidence.query.end],
            links.passages[link.passage].text[link.evidence.passage.start : link.evidence.passage.end],
        )
        for link in window.board.lit
    }


def inverted(view: LinkedText) -> set[str]:
    """Texts that are painted as lit."""
    view.paint_marks()
    chip_text = theme.active().chip_text
    return {
        selection.cursor.selectedText()
        for selection in view.extraSelections()
        if selection.format.foreground().color().name() == chip_text
        and selection.format.foreground().style() != Qt.BrushStyle.NoBrush
    }


def test_the_first_start_shows_linked_words_at_once(window: MainWindow):
    assert window.see.results.model.rowCount() == 3
    assert window.see.welcome.isVisible()
    assert window.board.links is not None
    assert window.board.query_marks()
    assert window.see.bar.source.text() == "Sample application"
    assert window.status.offline.text() == "Offline"
    assert "3 documents" in window.status.library.text()
    assert "01234567" in window.status.model.text()


def test_pointing_at_the_claim_lights_the_document(qtbot, window: MainWindow):
    panel = window.see.claim
    text = window.board.query.text
    position = panel._map.offset(text.index("crown"))
    point_at(qtbot, panel.text, position)
    assert lit_pairs(window) == {("crown wheel", "toothed ring")}
    assert inverted(window.see.reader.text) == {"toothed ring"}
    assert inverted(panel.text) == {"crown wheel"}
    strip = window.see.reader.strip.text()
    for words in ("F2", "crown wheel", "toothed ring", "anchor 0", "0.500", "no shared word"):
        assert words in strip


def test_pointing_at_the_document_lights_the_claim(qtbot, window: MainWindow):
    reader = window.see.reader
    # Behind an astral letter, where counting code points would point at the wrong word.
    placed = next(each for each in reader._text.placed if "𝛾" in each.passage.text)
    offset = placed.offset(placed.passage.text.index("biased"))
    point_at(qtbot, reader.text, offset)
    assert lit_pairs(window) == {("spring", "biased coil")}
    assert inverted(window.see.claim.text) == {"spring"}
    assert inverted(reader.text) == {"biased coil"}
    point_at(qtbot, reader.text, placed.offset(placed.passage.text.index("next")))
    assert window.board.lit == ()
    assert inverted(window.see.claim.text) == set()


def test_the_arrows_go_through_the_evidence_and_light_both_sides(qtbot, window: MainWindow):
    table = window.see.evidence.table
    table.setFocus()
    table.selectRow(0)
    seen = [lit_pairs(window)]
    press(table, KEY.Key_Down)
    seen.append(lit_pairs(window))
    assert seen == [{("crown wheel", "toothed ring")}, {("spring", "biased coil")}]
    assert inverted(window.see.claim.text) == {"spring"}
    # What was lit by key stays lit when the mouse leaves a text.
    window.see.reader.text.pointed.emit(-1)
    assert lit_pairs(window) == {("spring", "biased coil")}
    press(window, KEY.Key_Escape)
    assert window.board.lit == ()


def test_what_the_evidence_shows_sums_to_the_score(window: MainWindow):
    hit = window.board.hit
    links = window.see.evidence.model.links
    assert sum(link.evidence.contribution for link in links) == pytest.approx(hit.score)
    assert f"= center score of the passage {hit.score:.4f}" in window.see.evidence.sum.text()


def test_digits_jump_to_the_best_passage_of_a_feature(qtbot, window: MainWindow):
    best = window.board.links.evidence.features[1].passages[0].passage
    other = next(hit for hit in window.board.links.hits if hit != best)
    window.board.set_passage(other)
    press(window, KEY.Key_2)
    assert window.board.passage == best
    press(window, KEY.Key_2)
    assert window.board.passage != best
    second = window.board.passage
    press(window, KEY.Key_3)
    press(window, KEY.Key_2)
    assert window.board.passage == best
    assert second != best
    press(window, KEY.Key_9)
    assert window.board.passage == best


def test_nothing_found_is_an_answer(qtbot, window: MainWindow):
    window.do.query.add(2, "a lamp")
    settle(qtbot, window)
    press(window, KEY.Key_4)
    assert window.see.reader.strip.text() == "F4: nothing found in this document."
    assert "nothing found" in window.see.reader.features.buttons[3].accessibleName()


def test_shift_and_digit_switch_marks(qtbot, window: MainWindow):
    press(window, KEY.Key_2, Qt.KeyboardModifier.ShiftModifier)
    assert window.board.hidden == {"F2"}
    assert all(link.evidence.feature != "F2" for link in window.see.evidence.model.links)
    assert "marks are off" in window.see.evidence.sum.text()
    assert "marks off" in window.see.reader.features.buttons[1].accessibleName()
    press(window, KEY.Key_2, Qt.KeyboardModifier.ShiftModifier)
    assert window.board.hidden == frozenset()


def test_n_and_p_go_through_the_hits(window: MainWindow):
    hits = window.board.links.hits
    seen = []
    for key in (KEY.Key_N, KEY.Key_N, KEY.Key_P):
        press(window, key)
        seen.append(window.board.passage)
    assert seen == [hits[1], hits[2], hits[1]]
    assert window.see.reader.hit_label.text().startswith(f"hit 2 of {len(hits)}")


def test_down_flips_documents_and_marks_them_seen(qtbot, window: MainWindow):
    table = window.see.results.table
    table.setFocus()
    press(table, KEY.Key_Down)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    model = window.see.results.model
    assert [model.is_seen(model.hit(row)) for row in range(3)] == [True, True, False]
    assert model.unseen == 1
    press(window, KEY.Key_S)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(3))


def test_neighbours_are_fetched_ahead(qtbot, window: MainWindow):
    assert {int(patent) for patent in window.do.reader._kept} == {1, 2, 3}


def test_categories_by_key_and_undo(qtbot, window: MainWindow, services: FakeServices):
    model = window.see.results.model
    table = window.see.results.table
    for key, category in ((KEY.Key_X, "X"), (KEY.Key_A, "A"), (KEY.Key_0, "0")):
        press(table, key)
        settle(qtbot, window)
        assert model.index(0, Column.MARK).data() == category
    assert services.marks[publication(1)].category is Category.IRRELEVANT
    for expected in ("A", "X", ""):
        press(table, KEY.Key_U)
        settle(qtbot, window)
        assert model.index(0, Column.MARK).data() == expected


def test_single_letters_are_text_where_text_is_written(qtbot, window: MainWindow, services: FakeServices):
    window.docks["case"].raise_()
    note = window.see.case.note
    press(window, KEY.Key_M)
    assert note.hasFocus()
    QTest.keyClicks(note, "xylophone 1")
    assert note.toPlainText() == "xylophone 1"
    assert services.marks == {}
    window.see.case.flush()
    settle(qtbot, window)
    assert services.marks[publication(1)].note == "xylophone 1"


def test_claims_are_pasted_and_run_by_key(qtbot, window: MainWindow, services: FakeServices):
    press(window, KEY.Key_N, Qt.KeyboardModifier.ControlModifier)
    editor = window.see.claim.editor
    assert editor.hasFocus()
    editor.setPlainText("1. A damper with a wheel.")
    before = len(services.asked)
    press(editor, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert not window.see.claim.entering
    assert len(services.asked) == before + 1
    assert window.see.bar.source.text() == "pasted text"


def test_choosing_a_claim_searches_it(qtbot, window: MainWindow, services: FakeServices):
    bar = window.see.bar
    bar.claim.setCurrentIndex(1)
    bar.claim.activated.emit(1)
    settle(qtbot, window)
    assert len(services.asked[-1].query.features) == 4


def test_the_query_bar_makes_the_request(qtbot, window: MainWindow, services: FakeServices):
    bar = window.see.bar
    assert services.asked[-1].before.isoformat() == "2012-03-04"
    QTest.mouseClick(bar.dated, Qt.MouseButton.LeftButton, pos=QPoint(8, bar.dated.height() // 2))
    for box in list(bar.legs.values())[1:]:
        QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    QTest.mouseClick(bar.run, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert services.asked[-1].before is None
    assert [leg.value for leg in services.asked[-1].legs] == ["bm25"]


def test_features_are_edited_by_key(qtbot, window: MainWindow):
    listed = window.see.claim.features.list
    press(window, KEY.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert listed.hasFocus()
    listed.setCurrentRow(0)
    press(listed, KEY.Key_J, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.do.query.feature_lines == (f"{LINES[0]} {LINES[1]}", LINES[2])
    assert "before its last change" in window.see.results.count.text()
    press(listed, KEY.Key_Delete)
    settle(qtbot, window)
    assert window.do.query.feature_lines == (LINES[2],)
    listed.setFocus()
    press(listed, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    press(listed, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.do.query.feature_lines == LINES


def test_a_feature_is_cut_where_the_cursor_stands(qtbot, window: MainWindow):
    listed = window.see.claim.features.list
    listed.setFocus()
    listed.setCurrentRow(0)
    press(listed, KEY.Key_F2)
    editor = QApplication.focusWidget()
    editor.setCursorPosition(len("A 𝛼-damper".encode("utf-16-le")) // 2)
    press(editor, KEY.Key_D, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.do.query.feature_lines == ("A 𝛼-damper", "(10)", *LINES[1:])


def test_a_feature_is_added_by_typing(qtbot, window: MainWindow):
    listed = window.see.claim.features.list
    listed.setFocus()
    listed.setCurrentRow(2)
    press(listed, KEY.Key_Insert)
    editor = QApplication.focusWidget()
    QTest.keyClicks(editor, "a lamp")
    press(editor, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.query.feature_lines == (*LINES, "a lamp"))


def test_a_search_can_be_cancelled(qtbot, window: MainWindow, services: FakeServices):
    services.gate.clear()
    press(window, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.see.bar.run.text() == "Running…"
    press(window, KEY.Key_Escape)
    assert window.see.bar.run.text() == "Run"
    settle(qtbot, window)
    services.gate.set()
    assert window.see.results.model.rowCount() == 3


def test_an_error_is_a_message_and_a_defect_says_so(qtbot, window: MainWindow, services: FakeServices):
    for error, title in (
        (ResourceError("The index is damaged."), "Something is missing"),
        (BugError("impossible"), "Defect in Claimlight"),
    ):
        services.fail_search = error
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        press(window, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
        (box,) = window.findChildren(QMessageBox)
        assert box.windowTitle() == title
        box.close()
        qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    services.fail_search = None


def test_copying_brings_the_citation(qtbot, window: MainWindow):
    reader = window.see.reader
    placed = reader._text.placed[2]
    cursor = reader.text.textCursor()
    cursor.setPosition(placed.offset(4))
    cursor.setPosition(placed.offset(12), cursor.MoveMode.KeepAnchor)
    reader.text.setTextCursor(cursor)
    reader.text.setFocus()
    press(reader.text, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "absorber\n(EP 1 000 001 A1, [0001])"


def test_the_table_can_be_ordered(qtbot, window: MainWindow):
    view = window.see.results

    def order() -> list[int]:
        return [int(view.model.hit(row).patent.id) for row in range(3)]

    assert order() == [1, 2, 3]
    view.set_order(Order.FEATURES)
    assert order() == [3, 2, 1]
    view.set_order(Order.DATE)
    assert order() == [3, 2, 1]
    assert view.current_hit().patent.id == 1


def test_a_coverage_strip_can_be_heard(window: MainWindow):
    index = window.see.results.model.index(0, Column.COVERAGE)
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "F1 20 percent, F2 nothing found, F3 nothing found"


def test_every_command_is_in_a_menu_and_keys_are_unique(window: MainWindow):
    keys: dict[str, str] = {}
    for text, action in window.actions_by_text.items():
        assert action.associatedObjects(), text
        for each in action.shortcuts():
            name = each.toString()
            assert keys.setdefault(name, text) == text, f"{name} means {text} and {keys[name]}"


def test_the_key_sheet_and_the_palette(qtbot, window: MainWindow):
    press(window, KEY.Key_Question)
    (sheet,) = window.findChildren(KeySheet)
    shown = {sheet.table.item(row, 1).text() for row in range(sheet.table.rowCount())}
    assert {"Run", "Next hit", "Feature 4", "Category X", "Split"} <= shown
    sheet.close()
    press(window, KEY.Key_K, Qt.KeyboardModifier.ControlModifier)
    (palette,) = window.findChildren(CommandPalette)
    QTest.keyClicks(palette.line, "next hit")
    assert palette.list.count() == 1
    here = window.board.passage
    press(palette.line, KEY.Key_Return)
    assert window.board.passage != here


def test_everything_that_takes_the_focus_has_a_name(window: MainWindow):
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", lambda: "")())
        and not widget.objectName().startswith("qt_")
        and not isinstance(widget, QLabel)
    ]
    assert not [f"{type(each).__name__} in {type(each.parent()).__name__}" for each in nameless]


def test_the_session_comes_back(qtbot, open_window, services: FakeServices):
    first = open_window()
    first.do.query.merge(0)
    settle(qtbot, first)
    press(first, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, first)
    first.see.results.table.setFocus()
    press(first.see.results.table, KEY.Key_Down)
    qtbot.waitUntil(lambda: first.do.reader.view.summary.publication == publication(2))
    settle(qtbot, first)
    first.board.toggle_feature("F2")
    first.see.welcome.close_button.click()
    first.docks["case"].setFloating(True)
    # Nobody closes the window: what the debounced save wrote is what a crash leaves.
    path = ui_state.session_path()
    qtbot.waitUntil(lambda: path.exists() and ui_state.load(path) == first.collect(), timeout=5000)
    second = open_window(session=ui_state.load(path))
    assert second.do.query.feature_lines == (f"{LINES[0]} {LINES[1]}", LINES[2])
    assert second.do.query.before.isoformat() == "2012-03-04"
    assert second.board.hidden == {"F2"}
    assert second.docks["case"].isFloating()
    assert not second.see.welcome.isVisible()
    qtbot.waitUntil(lambda: second.do.reader.view.summary.publication == publication(2))
    assert not second.see.results.model.is_seen(second.see.results.model.hit(2))
    assert second.see.results.model.is_seen(second.see.results.model.hit(0))


def test_the_own_family_stays_out_after_a_restart(qtbot, open_window, services: FakeServices, tmp_path: Path):
    window = open_window()
    assert window.collect().own_family == ()
    window.do.query.read_file(tmp_path / "application.xml")
    qtbot.waitUntil(lambda: services.asked[-1].exclude_family_of == publication(9))
    settle(qtbot, window)
    session = window.collect()
    assert session.own_family == ("EP", "1000009", "A1")
    again = open_window(session=session)
    assert services.asked[-1].exclude_family_of == publication(9)
    assert services.asked[-1].query == services.asked[-2].query
    assert again.see.expression.limits.text().endswith("without the own family")


def test_a_document_named_at_the_start_is_examined(open_window, services: FakeServices, tmp_path: Path):
    session = Session(claims_text="1. A damper.", claims_source="yesterday", library=str(tmp_path / "Old"))
    window = open_window(session=session, library=tmp_path / "L", like="EP1000009A1")
    assert window.do.query.claims is not None
    assert window.do.query.claims.source == "EP1000009A1"
    assert services.folder == tmp_path / "L"
    assert [request.before for request in services.asked] == [date(2011, 1, 2)]


def test_both_themes_and_larger_text(qtbot, window: MainWindow):
    size = window.see.reader.text.document().defaultFont().pointSizeF()
    for name in ("dark", "light"):
        window.set_theme(name)
        settle(qtbot, window)
        assert theme.active().name == name
    press(window, KEY.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.see.reader.text.document().defaultFont().pointSizeF() > size


def test_a_page_of_links_is_all_that_is_painted(qtbot, open_window, tmp_path):
    services = FakeServices(tmp_path, paragraphs=400)
    window = open_window(engine=services)
    assert window.see.reader.complete
    assert len(window.see.reader._text.placed) == 402
    assert 0 < len(window.see.reader.text.extraSelections()) < 200


def test_the_last_session_is_written_after_all_others(qtbot, open_window, monkeypatch):
    """Two writers of one file got in each other's way when the window was closed at the wrong moment."""
    writers = []
    real = ui_state.save

    def slow(session, path):
        writers.append(threading.current_thread().name)
        gate.wait(5)
        real(session, path)

    gate = threading.Event()
    window = open_window()
    monkeypatch.setattr(ui_state, "save", slow)
    window.see.results.set_order(Order.FEATURES)
    window.keeper._save()
    qtbot.waitUntil(lambda: bool(writers))
    window.see.results.set_order(Order.DATE)
    threading.Timer(0.2, gate.set).start()
    window.close()
    assert [name.partition("_")[0] for name in writers] == ["write", "MainThread"]
    assert ui_state.load(ui_state.session_path()).order == Order.DATE.value


def test_a_session_that_cannot_be_written_does_not_keep_the_window_from_closing(
    open_window, services: FakeServices, monkeypatch
):
    window = open_window()
    told = []
    window.keeper.failed.disconnect()
    window.keeper.failed.connect(lambda error, doing: told.append(doing))

    def full(session, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ui_state, "save", full)
    window.close()
    assert services.closed
    assert told == ["The session can't be saved"]


def test_names_of_panels_are_whole_in_a_narrow_window(qtbot, window: MainWindow):
    window.resize(1000, 700)
    settle(qtbot, window)
    (bar,) = [bar for bar in window.findChildren(QTabBar) if bar.count() and bar.tabText(0) == "Evidence"]
    widths = [bar.tabRect(place).width() for place in range(bar.count())]
    assert sum(widths) > bar.width()
    for place, width in enumerate(widths):
        assert width > bar.fontMetrics().horizontalAdvance(bar.tabText(place))


def test_a_panel_that_appears_leaves_claim_and_reader_their_room(qtbot, window: MainWindow):
    window.resize(1600, 1000)
    settle(qtbot, window)
    window.resizeDocks([window.docks["claim"], window.docks["reader"]], [330, 500], Qt.Orientation.Horizontal)
    settle(qtbot, window)
    before = [window.docks[name].width() for name in ("claim", "reader")]
    assert before[1] >= 480
    window.raise_panel("training")
    settle(qtbot, window)
    assert [window.docks[name].width() for name in ("claim", "reader")] == before
