"""The window as a whole: its start and its session, commands and keys, messages, themes, room for panels."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QMessageBox, QTabBar, QWidget

from claimlight.errors import BugError, ResourceError
from claimlight_workbench import theme, ui_state
from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.drawings import Showing
from claimlight_workbench.models.results_model import Order
from claimlight_workbench.ui_state import IndexPlan, IndexState, Session
from claimlight_workbench.widgets.chips import chip_height
from claimlight_workbench.widgets.key_sheet import CommandPalette, KeySheet
from tests.app.driving import press, settle
from tests.app.fake_services import LINES, FakeServices, publication

KEY = Qt.Key


def test_the_first_start_shows_linked_words_at_once(window: MainWindow):
    assert window.see.results.model.rowCount() == 3
    assert window.see.welcome.isVisible()
    assert window.board.links is not None
    assert window.board.query_marks()
    assert window.see.bar.source.text() == "Sample application"
    assert window.notices.status.offline.text() == "Offline"
    assert "3 documents" in window.notices.status.library.text()
    assert "01234567" in window.notices.status.model.text()


def test_single_letters_are_text_where_text_is_written(qtbot, window: MainWindow, services: FakeServices):
    window.panels.docks["case"].raise_()
    note = window.see.case.note
    press(window, KEY.Key_M)
    assert note.hasFocus()
    QTest.keyClicks(note, "xylophone 1")
    assert note.toPlainText() == "xylophone 1"
    assert services.marks == {}
    window.see.case.flush()
    settle(qtbot, window)
    assert services.marks[publication(1), 0].note == "xylophone 1"


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


def test_every_command_is_in_a_menu_and_keys_are_unique(window: MainWindow):
    keys: dict[str, str] = {}
    for text, action in window.acts.actions.items():
        assert action.associatedObjects(), text
        for each in action.shortcuts():
            name = each.toString()
            assert keys.setdefault(name, text) == text, f"{name} means {text} and {keys[name]}"


def test_the_key_sheet_and_the_palette(qtbot, window: MainWindow):
    press(window, KEY.Key_Question)
    (sheet,) = window.findChildren(KeySheet)
    groups = [sheet.table.topLevelItem(place) for place in range(sheet.table.topLevelItemCount())]
    names = [group.text(0) for group in groups]
    assert names == [
        *("Library", "Query", "Sets", "Go", "Case", "View", "Help"),
        "In the list of features",
        "In lists and tables",
    ]
    rows = [group.child(row) for group in groups for row in range(group.childCount())]
    assert {
        "Search claim",
        "Next passage with a match",
        "Best passage of feature 4",
        "Category X",
        "Split feature",
    } <= {row.text(0) for row in rows}
    assert {"Down, Up", "Home, End", "Enter", "Ins"} <= {row.text(1) for row in rows}
    QTest.keyClicks(sheet.line, "category")
    assert {row.text(0) for row in rows if not row.isHidden()} >= {"Category X", "Category Y"}
    assert [group.text(0) for group in groups if not group.isHidden()] == ["Query", "Case", "View"]
    sheet.close()
    press(window, KEY.Key_K, Qt.KeyboardModifier.ControlModifier)
    (palette,) = window.findChildren(CommandPalette)
    QTest.keyClicks(palette.line, "ex")
    first = [palette.list.item(row).text().split("   ")[0] for row in range(palette.list.count())]
    begun = [any(word.startswith("ex") for word in name.casefold().split()) for name in first]
    assert begun == sorted(begun, reverse=True)
    assert begun[0]
    assert not begun[-1]
    palette.line.clear()
    QTest.keyClicks(palette.line, "next passage")
    assert palette.list.count() == 1
    here = window.board.passage
    press(palette.line, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.board.passage != here)


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
    first.do.query.set_before(date(2012, 3, 4))
    first.do.query.merge(0)
    settle(qtbot, first)
    press(first, KEY.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, first)
    first.see.results.table.setFocus()
    press(first.see.results.table, KEY.Key_Down)
    qtbot.waitUntil(lambda: first.do.reader.view.summary.publication == publication(2))
    settle(qtbot, first)
    first.board.toggle_feature("F2")
    first.see.reader.show_parts(Showing.BOTH)
    first.see.welcome.close_button.click()
    first.panels.docks["case"].setFloating(True)
    # Nobody closes the window: what the debounced save wrote is what a crash leaves.
    path = ui_state.session_path()
    qtbot.waitUntil(lambda: path.exists() and ui_state.load(path) == first.collect())
    second = open_window(session=ui_state.load(path))
    assert second.do.query.feature_lines == (f"{LINES[0]}\n{LINES[1]}", LINES[2])
    assert second.do.query.before.isoformat() == "2012-03-04"
    assert second.board.hidden == {"F2"}
    assert (second.see.reader.wanted, second.see.beside.reader.wanted) == (Showing.BOTH, Showing.TEXT)
    assert second.panels.docks["case"].isFloating()
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
    assert again.see.expression.limits.text().endswith("own family excluded")


def test_a_library_without_the_own_family_does_not_make_the_next_start_forget_it(
    qtbot, open_window, services: FakeServices, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    window = open_window()
    window.do.query.read_file(tmp_path / "application.xml")
    qtbot.waitUntil(lambda: services.asked[-1].exclude_family_of == publication(9))
    settle(qtbot, window)
    found = services.search

    def without_relative(request, *rest):
        return found(replace(request, exclude_family_of=None), *rest)

    monkeypatch.setattr(services, "search", without_relative)
    window.do.library.open(tmp_path / "Another")
    qtbot.waitUntil(lambda: services.asked[-1].exclude_family_of is None)
    settle(qtbot, window)
    assert window.collect().own_family == ("EP", "1000009", "A1")


def test_a_document_named_at_the_start_is_examined(open_window, services: FakeServices, tmp_path: Path):
    session = Session(claims_text="1. A damper.", claims_source="yesterday", library=str(tmp_path / "Old"))
    window = open_window(session=session, library=tmp_path / "L", like="EP1000009A1")
    assert window.do.query.claims is not None
    assert window.do.query.claims.source == "EP1000009A1"
    assert services.folder == tmp_path / "L"
    assert [request.reference.filed for request in services.asked] == [date(2011, 1, 2)]


def test_both_themes_and_larger_text(qtbot, window: MainWindow):
    size = window.see.reader.text.document().defaultFont().pointSizeF()
    for name in ("dark", "light"):
        window.appearance.set_theme(name)
        settle(qtbot, window)
        assert theme.active().name == name
    press(window, KEY.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.see.reader.text.document().defaultFont().pointSizeF() > size


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
    assert told == ["The session could not be saved"]


def test_a_bar_that_qt_left_behind_is_not_seen(qtbot, window: MainWindow):
    """They come and go with the order in which panels are laid out; their names show in the gaps."""
    stray = QTabBar(window)
    stray.addTab("Evidence")
    stray.addTab("Matrix")
    stray.show()
    window.hide()
    window.show()
    settle(qtbot, window)
    assert not stray.isVisible()
    seen = [bar for bar in window.findChildren(QTabBar) if bar.isVisible() and bar.tabText(0) == "Evidence"]
    assert [bar.count() for bar in seen] == [9]
    window.panels.raise_panel("library")
    settle(qtbot, window)
    both = {"Claim", "Library"}
    assert any(
        {bar.tabText(0), bar.tabText(1)} == both and bar.isVisible() for bar in window.findChildren(QTabBar)
    )
    stray.deleteLater()


@pytest.mark.styled
def test_names_of_panels_are_whole_in_a_narrow_window(qtbot, window: MainWindow):
    window.resize(1000, 700)
    settle(qtbot, window)
    (bar,) = [bar for bar in window.findChildren(QTabBar) if bar.count() and bar.tabText(0) == "Evidence"]
    widths = [bar.tabRect(place).width() for place in range(bar.count())]
    assert sum(widths) > bar.width()
    for place, width in enumerate(widths):
        assert width > bar.fontMetrics().horizontalAdvance(bar.tabText(place))


@pytest.mark.styled
def test_a_panel_that_appears_leaves_claim_and_reader_their_room(qtbot, window: MainWindow):
    window.resize(1600, 1000)
    settle(qtbot, window)
    window.resizeDocks(
        [window.panels.docks["claim"], window.panels.docks["reader"]], [330, 500], Qt.Orientation.Horizontal
    )
    settle(qtbot, window)
    before = [window.panels.docks[name].width() for name in ("claim", "reader")]
    assert before[1] >= 480
    window.panels.raise_panel("training")
    settle(qtbot, window)
    assert [window.panels.docks[name].width() for name in ("claim", "reader")] == before


def test_after_a_query_line_the_keys_are_those_of_the_results(qtbot, window: MainWindow):
    editor = window.see.expression.editor
    editor.setFocus()
    QTest.keyClicks(editor, "toothed")
    press(editor, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.see.results.model.found is not None)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.see.results.table)
    settle(qtbot, window)
    press(QApplication.focusWidget(), KEY.Key_B)
    assert window.panels.docks["family"].isVisible()
    assert editor.text() == "toothed"


@pytest.mark.styled
def test_tabbed_panels_have_no_title_of_their_own_and_a_menu_instead(qtbot, window: MainWindow):
    matrix = window.panels.docks["matrix"]
    assert matrix.titleBarWidget() is not None
    assert matrix.titleBarWidget().height() <= 1 or not matrix.titleBarWidget().isVisible()
    assert window.panels.docks["claim"].titleBarWidget() is not None
    bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
    (bar,) = [each for each in bars if "Matrix" in {each.tabText(at) for at in range(each.count())}]
    place = next(at for at in range(bar.count()) if bar.tabText(at) == "Matrix")
    bar.customContextMenuRequested.emit(bar.tabRect(place).center())
    menu = next(each for each in bar.findChildren(QMenu) if each.isVisible())
    assert [action.text() for action in menu.actions()] == ["Float Matrix", "Close Matrix"]
    menu.actions()[1].trigger()
    menu.close()
    assert not matrix.isVisible()


def test_panels_of_administrators_are_closed_at_the_next_start(qtbot, open_window):
    first = open_window()
    for name in ("models", "training", "sets"):
        first.panels.raise_panel(name)
    session = first.collect()
    second = open_window(session=session)
    assert second.panels.docks["models"].isHidden()
    assert second.panels.docks["training"].isHidden()
    assert not second.panels.docks["sets"].isHidden()


def test_the_hint_of_the_first_start_goes_after_a_few_documents(qtbot, open_window):
    window = open_window()
    assert window.see.welcome.isVisible()
    for row in (1, 2, 0, 1):
        window.see.results.go_to(row)
        with qtbot.waitSignal(window.do.reader.shown):
            pass
    qtbot.waitUntil(window.see.welcome.isHidden)
    assert window.collect().welcomed


@pytest.mark.styled
def test_larger_text_is_larger_everywhere_and_the_document_stays(qtbot, window: MainWindow):
    table, evidence = window.see.results.table, window.see.evidence.table

    def sizes() -> tuple[float, ...]:
        fonts = (table.fontMetrics().height(), window.menuBar().fontMetrics().height())
        text = window.see.reader.text.document().defaultFont().pointSizeF()
        return (*fonts, text, table.rowHeight(0), evidence.rowHeight(0), chip_height())

    before, shown = sizes(), window.do.reader.view
    for _ in range(4):
        press(window, KEY.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    after = sizes()
    assert all(large > small * 1.25 for small, large in zip(before, after, strict=True)), (before, after)
    assert window.do.reader.view is shown
    for _ in range(4):
        press(window, KEY.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert sizes() == pytest.approx(before)


def test_the_place_that_is_read_stays_when_the_text_is_made_larger(qtbot, open_window, tmp_path: Path):
    window = open_window(engine=FakeServices(tmp_path, paragraphs=400))
    reader = window.see.reader
    reader.text.show_position(reader._text.placed[200].offset(0), top=True)
    QApplication.processEvents()
    label = reader._text.between(*reader.text.visible_range())[0].passage.label
    for _ in range(3):
        press(window, KEY.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: reader._restore == 0)
    here = reader._text.between(*reader.text.visible_range())[0].passage.label
    assert abs(int(here.strip("[]")) - int(label.strip("[]"))) <= 1
    window.appearance.scale_by(1 / 1.1**3)


def test_a_window_closed_before_anything_is_opened_keeps_the_session(open_window, services: FakeServices):
    """The window is painted before library and case are opened: what is saved then loses nothing."""
    first = open_window()
    plan = IndexPlan("/a/library", IndexState.PAUSED, ("--quick",))
    session = replace(first.collect(), index_plans=(plan,))
    second = MainWindow(
        services, JobRunner(QApplication.instance()), session=session, path=ui_state.session_path()
    )
    second.restorer.arrange()
    kept = second.collect()
    second.close()
    of_the_screen = {"geometry": session.geometry, "docks": session.docks, "layouts": session.layouts}
    assert replace(kept, **of_the_screen) == session
    assert session.claims_text
    assert session.library
