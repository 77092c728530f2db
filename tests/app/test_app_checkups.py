"""The regular check beside the work: quiet when all is sound, and out of the way."""

from __future__ import annotations

from datetime import date

import pytest
from PySide6.QtWidgets import QApplication

from claimlight.services.repair import check_dates
from claimlight.services.repair.book_repair import BookState
from claimlight.services.repair.words import book_state, library_damaged, library_sound
from claimlight.types.repairs import Checkup
from claimlight_workbench.jobs.process import decode
from claimlight_workbench.jobs.registry import Controls
from claimlight_workbench.main_window.wiring import checkups
from tests.app.fake_child import Child
from tests.app.test_app_accessibility import faults

BAD_BOOK = BookState(path=None, pages="cases.db is damaged: page 3", backups=2)


@pytest.fixture
def wired(open_window, monkeypatch):
    """The check of a window whose children are watched; it looks at once."""
    Child.made = []
    window = open_window()
    wired = window.wiring.checkups
    wired.job.process = Child
    wired._timer.setInterval(0)
    monkeypatch.setattr(checkups, "_on_battery", lambda: False)
    return wired


def run_one(wired, qtbot):
    wired.begin(7)
    qtbot.waitUntil(lambda: len(Child.made) == 1)
    return Child.made[0]


def test_it_checks_what_is_open_and_says_nothing_if_all_is_sound(wired, qtbot):
    folder = wired._library.info.folder
    child = run_one(wired, qtbot)
    assert child.arguments == ("doctor", "--due", "7", "--library", folder)
    assert [job.title for job in wired._registry.running] == ["Check for damage"]
    child.succeeded.emit(Checkup((library_sound(3, thorough=True),)))
    assert wired.box is None
    wired._library.opened.emit(wired._library.info)
    qtbot.wait(20)
    assert len(Child.made) == 1, "once in a session"


@pytest.mark.parametrize("days", [0, 7])
def test_what_is_not_due_starts_nothing(wired, qtbot, days):
    if days:
        names = (check_dates.BOOK, check_dates.name_library(checkups.Path(wired._library.info.folder)))
        check_dates.remember(names, date.today())  # noqa: DTZ011 - the user's day
    wired.begin(days)
    qtbot.wait(20)
    assert not Child.made
    assert not wired._timer.isActive()


def test_it_waits_for_mains_and_for_the_work_and_makes_room(wired, qtbot, monkeypatch):
    registry = wired._registry
    monkeypatch.setattr(checkups, "_on_battery", lambda: True)
    wired.begin(7)
    qtbot.wait(20)
    assert not Child.made
    first = registry.wait("import", "Import", Controls())
    monkeypatch.setattr(checkups, "_on_battery", lambda: False)
    qtbot.wait(20)
    assert not Child.made
    registry.drop(first)
    qtbot.waitUntil(lambda: len(Child.made) == 1)
    second = registry.wait("import", "Import", Controls())
    qtbot.waitUntil(lambda: Child.made[0].asked)
    Child.made[0].cancelled.emit()
    qtbot.wait(20)
    assert len(Child.made) == 1
    registry.drop(second)
    qtbot.waitUntil(lambda: len(Child.made) == 2)


def test_damage_is_said_beside_the_work_with_what_to_do(wired, qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(wired, "_show_backups", lambda: opened.append(1))
    child = run_one(wired, qtbot)
    found = (library_damaged("pages are damaged"), book_state(BAD_BOOK))
    child.succeeded.emit(Checkup(found, date(2026, 2, 28)))
    box = wired.box
    assert box.isVisible()
    assert QApplication.activeModalWidget() is None
    folder = wired._library.info.folder
    assert box.text() == f"The library {checkups.Path(folder).name} is damaged.\nThe case book is damaged."
    assert f'claimlight doctor --repair --library "{folder}"' in box.informativeText()
    assert "database of the library: pages are damaged" in box.detailedText()
    assert "case book: cases.db is damaged: page 3" in box.detailedText()
    assert not faults(box)
    (restore,) = (each for each in box.buttons() if "2026-02-28" in each.text())
    assert restore.text() == "Restore backup of 2026-02-28…"
    restore.click()
    assert opened == [1]


def test_without_damage_to_the_case_book_no_backup_is_offered(wired, qtbot):
    run_one(wired, qtbot).succeeded.emit(Checkup((library_damaged("pages"),), date(2026, 2, 28)))
    assert "case book" not in wired.box.text()
    assert not [each for each in wired.box.buttons() if "2026" in each.text()]
    wired.box.close()


def test_the_end_of_the_window_ends_it(wired, qtbot):
    child = run_one(wired, qtbot)
    wired._window.close()
    assert child.waited
    child.cancelled.emit()
    assert not wired._timer.isActive()


def test_the_event_of_the_child_is_read():
    line = (
        '{"event": "checkup", "backup": "2026-02-28", "findings": [{"subject": "case book", '
        '"state": "damaged", "ok": false, "why": "", "advice": "", "figures": {"rows": 1}, "error": ""}]}'
    )
    found = decode(line)
    assert isinstance(found, Checkup)
    assert found.backup == date(2026, 2, 28)
    assert found.faults[0].figures == {"rows": 1}
