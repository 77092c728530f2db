"""Searches restricted to the accepted classes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt

from claimlight.types import AcceptedClass, ClassFilter, Scheme
from claimlight_workbench import ui_state
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.main_window.session import classes_of
from tests.app.driving import press, settle
from tests.app.fake_services import FakeServices

DAMPERS = AcceptedClass(Scheme.CPC, "F16F", "Springs and dampers")
BICYCLES = AcceptedClass(Scheme.CPC, "B62K", "Bicycles")


def accept(qtbot, window: MainWindow, *classes: AcceptedClass) -> None:
    window.panels.raise_panel("classes")
    for each in classes:
        window.wiring.accepted.accept(each)
        settle(qtbot, window)


def restrict(qtbot, window: MainWindow) -> None:
    only = window.see.accepted.only
    only.setFocus()
    press(only, Qt.Key.Key_Space)
    settle(qtbot, window)


def test_only_documents_of_the_accepted_classes_are_searched(
    qtbot, window: MainWindow, services: FakeServices
):
    accept(qtbot, window, DAMPERS, BICYCLES)
    assert services.asked[-1].classes == ()
    restrict(qtbot, window)
    wanted = (ClassFilter(Scheme.CPC, "F16F"), ClassFilter(Scheme.CPC, "B62K"))
    assert services.asked[-1].classes == wanted
    assert services.within == wanted, "kept with the case"
    button = window.see.bar.within
    assert button.isVisible()
    assert button.text() == "Only F16F +1 ✕"
    assert button.accessibleName() == "Only documents of CPC F16F or CPC B62K"
    assert "only F16F +1" in window.see.expression.limits.text()
    button.click()
    settle(qtbot, window)
    assert services.asked[-1].classes == services.within == ()
    assert not button.isVisible()
    assert not window.see.accepted.only.isChecked()


def test_the_filter_follows_what_is_accepted(qtbot, window: MainWindow, services: FakeServices):
    accept(qtbot, window, DAMPERS)
    restrict(qtbot, window)
    accept(qtbot, window, BICYCLES)
    assert [each.symbol for each in services.asked[-1].classes] == ["F16F", "B62K"]
    assert window.see.accepted.only.isChecked()
    window.wiring.accepted.withdraw(DAMPERS)
    settle(qtbot, window)
    assert [each.symbol for each in services.asked[-1].classes] == ["B62K"]
    assert window.see.accepted.only.isChecked()


def test_query_lines_are_restricted_too(qtbot, window: MainWindow, services: FakeServices):
    accept(qtbot, window, DAMPERS)
    restrict(qtbot, window)
    assert window.do.query.scope.classes == (ClassFilter(Scheme.CPC, "F16F"),)
    window.see.expression.editor.show_text("damper")
    window.see.expression.editor.enter()
    settle(qtbot, window)
    assert window.see.results.model.found.request.classes == (ClassFilter(Scheme.CPC, "F16F"),)


def test_the_filter_comes_back_at_the_next_start(qtbot, window: MainWindow, services: FakeServices):
    accept(qtbot, window, DAMPERS)
    restrict(qtbot, window)
    session = window.collect()
    assert session.classes == ("cpc F16F",)
    assert classes_of(session) == (ClassFilter(Scheme.CPC, "F16F"),)
    ui_state.save(session, ui_state.session_path())
    assert ui_state.load(ui_state.session_path()).classes == ("cpc F16F",)


def test_a_session_with_an_odd_filter_is_read(qtbot, window: MainWindow):
    session = replace(window.collect(), classes=("xyz B62K", "cpc", "ipc B62K 25/04"))
    assert classes_of(session) == (ClassFilter(Scheme.IPC, "B62K 25/04"),)


def test_without_a_case_nothing_is_accepted(qtbot, window: MainWindow, services: FakeServices):
    window.do.case.state = None
    window.wiring.accepted.accept(DAMPERS)
    settle(qtbot, window)
    assert services.accepted == [()]
    assert "No case is open" in window.notices.status.currentMessage()
