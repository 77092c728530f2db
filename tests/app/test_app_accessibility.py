"""What a screen reader announces, and where Tab goes: panels, dialogs, texts with marked words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QWidget

import claimlight_workbench
from claimlight.types import Backup, BackupContents, Case, CaseId, ClaimVersion
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.main_window.panels import PANELS, Place
from claimlight_workbench.models.drawings import Showing
from claimlight_workbench.screens.case.versions import AddVersionDialog, VersionsDialog
from claimlight_workbench.screens.cases.backups import BackupsDialog
from claimlight_workbench.screens.cases.encryption import EncryptionDialog, PassphraseDialog
from claimlight_workbench.screens.cases.view import CasesDialog, HistoryDialog
from claimlight_workbench.screens.classes.panel import Page
from claimlight_workbench.widgets.key_dialog import KeyDialog
from claimlight_workbench.widgets.tab_order import tab_stops
from tests.app import accessible
from tests.app.driving import press, settle

pytestmark = pytest.mark.styled

KEY = Qt.Key
ROOT = Path(claimlight_workbench.__file__).parent


def faults(root: QWidget) -> list[str]:
    """What a screen reader user would stumble over in a panel or a dialog."""
    return [
        *(f"no name: {each}" for each in accessible.nameless(root)),
        *(f"no name: {each}" for each in accessible.nameless_columns(root)),
        *(f"not told apart: {each}" for each in accessible.doubles(root)),
        *(f"painted without words: {each}" for each in accessible.silent(root)),
    ]


def walk(root: QWidget) -> list[QWidget]:
    """All stops of Tab, from the first one on; none is left out and none is gone to twice."""
    stops = tab_stops(root)
    if len(stops) == 1:
        return stops
    found = accessible.walk_by_tab(stops[0])
    missed = [accessible.told(each) for each in stops if each not in found]
    assert not missed
    assert len(found) == len({id(each) for each in found})
    return found


def test_every_panel_is_announced_and_read_in_the_order_of_its_layout(qtbot, window: MainWindow):
    window.resize(1366, 768)
    see, found = window.see, []
    for panel in PANELS:
        window.panels.raise_panel(panel.name)
        settle(qtbot, window)
        view = see.panels[panel]
        for page in Page if view is see.class_panel else (None,):
            if page is not None:
                see.class_panel.show_page(page)
                settle(qtbot, window)
            found += [f"{panel.name}: {each}" for each in faults(view)]
            stops = [each for each in walk(window) if view.isAncestorOf(each)]
            assert stops, panel.name
            found += [f"{panel.name}: {each}" for each in accessible.out_of_order(stops, view)]
    assert not found


def test_tab_goes_through_what_is_on_the_screen_and_no_panel_behind(qtbot, window: MainWindow):
    window.resize(1366, 768)
    see, behind = window.see, []
    for place in Place:
        window.panels.show_place(place)
        settle(qtbot, window)
        assert not accessible.nameless(window)
        assert not accessible.silent(window)
        stops = walk(window)
        docks = [dock for dock in window.panels.docks.values() if dock.visibleRegion().isEmpty()]
        behind += docks
        assert not [accessible.told(each) for each in stops if any(d.isAncestorOf(each) for d in docks)]
        kept = [each for each in (see.bar, see.claim, see.results, see.reader) if each.isVisible()]
        firsts = [next(at for at, each in enumerate(stops) if part.isAncestorOf(each)) for part in kept]
        assert firsts == sorted(firsts)
    assert behind
    assert not kept, "Administer has no query, no results, no reader"


def test_the_other_states_of_claim_and_document_are_announced_too(qtbot, window: MainWindow):
    see = window.see
    see.reader.find_bar.show()
    see.reader.find_bar.line.setText("x")
    window.board.drawings.show(Showing.BOTH)
    see.claim.enter_claims()
    settle(qtbot, window)
    assert not faults(see.reader) + faults(see.claim) + faults(see.results)
    see.claim.leave_entry()
    window.acts.actions["Keep document beside"].trigger()
    qtbot.waitUntil(see.beside.isVisible)
    settle(qtbot, window)
    assert not faults(see.beside) + faults(see.reader)
    stops = walk(window)
    assert not accessible.out_of_order(stops, see.beside)
    window.acts.actions["Dates of the application"].trigger()
    panel = see.bar.dates.panel
    qtbot.waitUntil(panel.isVisible)
    assert not faults(panel)
    assert panel.rules in walk(panel)
    panel.window().close()


def test_every_dialog_has_the_order_of_its_layout():
    source = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    assert [path.name for path, text in source.items() if "(QDialog):" in text] == ["tab_order.py"]


COMMANDS = (
    "About Claimlight", "All letters of the category…", "Commands…", "Export report…", "Index…",
    "Keyboard shortcuts", "Manual", "Note on passage…", "Query help", "Settings…",
)  # fmt: skip


def test_every_dialog_is_announced_and_left_by_tab(qtbot, window: MainWindow):
    found = []

    def shown() -> list[QDialog]:
        return [each for each in window.findChildren(QDialog) if each.isVisible()]

    def check(dialog: QDialog) -> None:
        nonlocal found
        name = type(dialog).__name__
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        found += [f"{name}: {each}" for each in faults(dialog)]
        found += [f"{name}: {each}" for each in accessible.out_of_order(walk(dialog), dialog)]
        dialog.close()
        QApplication.processEvents()

    for command in COMMANDS:
        window.acts.actions[command].trigger()
        qtbot.waitUntil(lambda: len(shown()) == 1 and window._runner.busy == 0)
        check(*shown())
    window.acts.actions["Import history"].trigger()
    press(window.see.library.runs, KEY.Key_Return)
    qtbot.waitUntil(lambda: bool(shown()))
    check(*shown())
    window.panels.raise_panel("matrix")
    window.see.matrix.worth.click()
    qtbot.waitUntil(lambda: bool(shown()))
    check(*shown())
    at = datetime(2026, 1, 1, tzinfo=UTC)
    versions = (ClaimVersion("as filed", "1. A damper."), ClaimVersion("amended", "1. A hollow damper."))
    case = Case(CaseId(1), "Damper", at, at, "1. A damper.", versions=versions, version=1)
    backup = BackupContents(replace(Backup("/b/cases-1.db", date(2026, 1, 2), 1), number=3), 1, 2, 3)
    keys = [QKeySequence("Ctrl+E")]
    for dialog in (
        CasesDialog(1, window),
        HistoryDialog("Damper", (), window),
        BackupsDialog((backup,), window),
        VersionsDialog(case, window),
        AddVersionDialog(window),
        PassphraseDialog(window),
        EncryptionDialog(window, encrypted=False),
        EncryptionDialog(window, encrypted=True),
        KeyDialog("Export set", keys, keys, holder=lambda _key: "", parent=window),
    ):
        dialog.show()
        check(dialog)
    assert not found


def test_the_marked_words_are_described_and_announced(qtbot, window: MainWindow, monkeypatch):
    said = []
    monkeypatch.setattr(
        "claimlight_workbench.screens.reader.view.announce", lambda _widget, text: said.append(text)
    )
    reader, claim = window.see.reader.text, window.see.claim.text
    words = "Highlighted in this passage: F1: “absorber”; F2: “toothed ring”; F3: “biased coil”."
    assert reader.accessibleDescription() == f"all features: 1 of 3, abstract. {words}"
    assert claim.accessibleDescription() == (
        "Highlighted for the current passage: F1: “damper”; F2: “crown wheel”; F3: “spring”"
    )
    window.board.toggle_feature("F2")
    assert "toothed ring" not in said[-1]
    assert "crown wheel" not in claim.accessibleDescription()
    window.board.toggle_feature("F2")
    window.acts.jump(2)
    settle(qtbot, window)
    assert said[-1].startswith("F2: 1 of ")
    assert "passage: F2: “toothed ring”; F1: " in said[-1], "the feature in focus comes first"
    before = len(said)
    window.acts.actions["Next passage with a match"].trigger()
    settle(qtbot, window)
    assert len(said) == before + 1
    assert said[-1] == reader.accessibleDescription()
    assert said[-1].startswith("F2: 2 of ")
    window.see.reader.show_nothing()
    window.board.set_document(None)
    assert reader.accessibleDescription() == ""
