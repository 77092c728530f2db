"""The user gives commands other keys: they work at once, survive a restart and never mean two things."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest

from claimlight_workbench.main_window.keys import Keys, keys_path
from claimlight_workbench.main_window.window import MainWindow
from claimlight_workbench.widgets.key_dialog import KeyDialog
from claimlight_workbench.widgets.key_sheet import KeySheet
from tests.app.driving import press

KEY = Qt.Key


def shown(*keys: str) -> list[QKeySequence]:
    return [QKeySequence(key) for key in keys]


@pytest.fixture
def actions(qapp):
    made = {}
    for name, keys in (
        ("Next document…", ("J", "Alt+Down")),
        ("Export &set", ("Ctrl+E",)),
        ("Rebuild index", ()),
    ):
        made[name] = QAction(name, qapp)
        made[name].setShortcuts(shown(*keys))
    return made


def test_a_key_is_taken_from_the_command_that_had_it(actions, tmp_path):
    following, export, rebuild = actions.values()
    path = tmp_path / "own" / "keys.json"
    keys = Keys(actions.values(), path)
    assert keys.holder(QKeySequence("J"), rebuild) is following
    keys.change(rebuild, shown("J", "J", "Ctrl+9"))
    assert rebuild.shortcuts() == shown("J", "Ctrl+9")
    assert following.shortcuts() == shown("Alt+Down")
    assert json.loads(path.read_text()) == {"Next document": ["Alt+Down"], "Rebuild index": ["J", "Ctrl+9"]}
    keys.change(export, ())
    assert export.shortcuts() == []
    assert keys.default(export) == tuple(shown("Ctrl+E"))
    keys.restore_all()
    assert following.shortcuts() == shown("J", "Alt+Down")
    assert json.loads(path.read_text()) == {}


def test_keys_come_back_and_those_of_unknown_commands_stay(actions, tmp_path):
    following, export, _ = actions.values()
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"Export set": ["Ctrl+Shift+E"], "Fly": ["F2"]}), encoding="utf-8")
    keys = Keys(actions.values(), path)
    keys.load()
    assert export.shortcuts() == shown("Ctrl+Shift+E")
    keys.change(following, shown("J"))
    assert json.loads(path.read_text()) == {
        "Export set": ["Ctrl+Shift+E"], "Fly": ["F2"], "Next document": ["J"],
    }  # fmt: skip
    # What is as the program has it is not kept.
    keys.change(export, shown("Ctrl+E"))
    assert "Export set" not in json.loads(path.read_text())


@pytest.mark.parametrize("text", ["{", "[]", '{"Export set": "Ctrl+E"}', '{"Export set": [3]}'])
def test_a_damaged_file_is_told_and_left(actions, tmp_path, qtbot, text):
    path = tmp_path / "keys.json"
    path.write_text(text, encoding="utf-8")
    keys = Keys(actions.values(), path)
    with qtbot.waitSignal(keys.failed) as told:
        keys.load()
    assert str(path) in str(told.args[0])
    assert path.read_text() == text
    assert actions["Export &set"].shortcuts() == shown("Ctrl+E")


def test_the_dialog_says_what_the_key_takes_from_another_command(qtbot):
    dialog = KeyDialog(
        "Export set",
        shown("Ctrl+E"),
        shown("Ctrl+E"),
        holder=lambda key: "Next document" if key == QKeySequence("J") else "",
    )
    qtbot.addWidget(dialog)
    assert "press the key" in dialog.note.text()
    dialog.fields[0].setKeySequence(QKeySequence("J"))
    assert dialog.note.text() == "J is a key of “Next document”, which loses it."
    dialog.fields[1].setKeySequence(QKeySequence("J"))
    assert dialog.keys == tuple(shown("J"))
    dialog.fields[0].clear()
    dialog.fields[1].clear()
    assert dialog.keys == ()
    dialog.buttons.button(dialog.buttons.StandardButton.RestoreDefaults).click()
    assert dialog.keys == tuple(shown("Ctrl+E"))


def test_keys_are_changed_in_the_sheet_and_work_at_once(qtbot, window: MainWindow):
    press(window, KEY.Key_Question)
    (sheet,) = window.findChildren(KeySheet)
    assert not sheet.change.isEnabled()
    QTest.keyClicks(sheet.line, "rebuild")
    row = next(
        row
        for place in range(sheet.table.topLevelItemCount())
        for number in range(sheet.table.topLevelItem(place).childCount())
        if not (row := sheet.table.topLevelItem(place).child(number)).isHidden()
    )
    assert row.text(0) == "Rebuild index"
    assert row.text(1) == ""
    sheet.table.setCurrentItem(row)
    sheet.change.click()
    (dialog,) = window.findChildren(KeyDialog)
    dialog.fields[0].setKeySequence(QKeySequence("F12"))
    dialog.accept()
    assert row.text(1) == "F12"
    assert window.acts.actions["Rebuild index"].shortcuts() == shown("F12")
    assert json.loads(keys_path().read_text()) == {"Rebuild index": ["F12"]}
    sheet.restore.click()
    assert row.text(1) == ""
    assert window.acts.actions["Rebuild index"].shortcuts() == []
