"""The settings dialog: everything that is declared, changed together, saved at once."""

from __future__ import annotations

import errno
import os
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialogButtonBox, QDoubleSpinBox, QLineEdit, QPushButton

from claimlight import paths
from claimlight import settings as settings_module
from claimlight.errors import InputError, ResourceError
from claimlight.settings import Settings, change, list_declared
from claimlight.tasks import TaskContext
from claimlight_workbench.engine.engine import Engine
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.settings.view import SettingsDialog, listed_settings, takes_effect
from tests.app.fake_services import FakeServices

BM25 = "search.weight_bm25"
HITS = "search.passages_per_hit"
LEVEL = "index.section_level"
"""An advanced setting."""


@pytest.fixture
def dialog(qtbot, colours) -> SettingsDialog:
    made = SettingsDialog(change(Settings(), BM25, 0.5))
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(made)
    made.show()
    return made


def button(dialog: SettingsDialog, which: QDialogButtonBox.StandardButton) -> QPushButton:
    return dialog.buttons.button(which)


def save_of(dialog: SettingsDialog) -> QPushButton:
    return button(dialog, QDialogButtonBox.StandardButton.Save)


def number(dialog: SettingsDialog, key: str) -> QDoubleSpinBox:
    editor = dialog.rows[key].editor
    assert isinstance(editor, QDoubleSpinBox)
    return editor


def test_the_window_shows_no_more_than_fifteen_settings():
    shown = {item.key for item in listed_settings()}
    assert len(listed_settings()) == len(shown)
    plain = {item.key for item in list_declared() if not item.advanced}
    assert plain - shown == {"encoder.package", "window.theme", "window.text_scale"}
    assert len(shown) <= 15


def test_the_dialog_says_where_the_advanced_settings_are(dialog: SettingsDialog):
    assert LEVEL not in dialog.rows
    assert "claimlight settings set KEY VALUE" in dialog.advanced.text()
    assert str(paths.config_dir() / "settings.json") in dialog.advanced.text()


def test_advanced_settings_survive_saving_the_dialog(qtbot, window: MainWindow, services: FakeServices):
    services.saved = change(Settings(), LEVEL, 0.75)
    with qtbot.waitSignal(window.do.settings.read):
        window.acts.actions["Settings…"].trigger()
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    QTest.mouseClick(
        button(dialog, QDialogButtonBox.StandardButton.RestoreDefaults), Qt.MouseButton.LeftButton
    )
    number(dialog, HITS).setValue(5)
    with qtbot.waitSignal(window.do.library.opened):
        QTest.mouseClick(save_of(dialog), Qt.MouseButton.LeftButton)
    assert services.saved == change(change(Settings(), LEVEL, 0.75), HITS, 5)
    qtbot.waitUntil(lambda: window._runner.busy == 0)


def test_each_editor_holds_what_its_setting_may_hold(dialog: SettingsDialog):
    for key, row in dialog.rows.items():
        expected = 0.5 if key == BM25 else row.item.default
        assert (row.value, type(row.value)) == (expected, row.item.type), key
        if row.item.choices:
            assert isinstance(row.editor, QComboBox)
            assert tuple(row.editor.itemText(n) for n in range(row.editor.count())) == row.item.names
            assert len(row.item.names) == len(row.item.choices)
        elif row.item.type is bool:
            assert isinstance(row.editor, QCheckBox)
        elif row.item.type is not str:
            editor = number(dialog, key)
            scale = 100 if row.item.points else 1
            assert (editor.minimum(), editor.maximum()) == (
                row.item.minimum * scale,
                row.item.maximum * scale,
            ), key
            editor.setValue(editor.maximum())
            assert row.value == row.item.maximum, key
        assert row.editor.accessibleName() == row.item.label


def test_settings_speak_as_the_rest_of_the_window_does(dialog: SettingsDialog):
    threshold = dialog.rows["search.least_match"]
    assert number(dialog, "search.least_match").text() == "35 of 100"
    assert number(dialog, "search.strong_match").text() == "50 of 100"
    number(dialog, "search.least_match").setValue(40)
    assert threshold.value == pytest.approx(0.4)
    assert threshold.default.toolTip() == "Restore 35 of 100"
    labels = {row.item.key: row.item.label for row in dialog.rows.values()}
    assert [labels[f"search.weight_{leg}"] for leg in ("bm25", "dense", "centers")] == [
        "Weight of keyword search",
        "Weight of semantic search",
        "Weight of concept search",
    ]
    assert not [item.key for item in list_declared() if re.search(r"\blegs?\b", f"{item.label} {item.help}")]


def test_only_what_was_changed_is_saved(qtbot, dialog: SettingsDialog):
    assert not save_of(dialog).isEnabled()
    number(dialog, HITS).setValue(5)
    line = dialog.rows["search.representative"].editor
    assert isinstance(line, QLineEdit)
    line.setText(" EP,US ")
    assert save_of(dialog).isEnabled()
    with qtbot.waitSignal(dialog.saved) as told:
        QTest.mouseClick(save_of(dialog), Qt.MouseButton.LeftButton)
    assert told.args == [{HITS: 5, "search.representative": "EP,US"}]
    assert not dialog.isVisible()


def test_what_is_not_as_by_default_stands_out_and_goes_back(dialog: SettingsDialog):
    row = dialog.rows[BM25]
    assert row.name.font().bold()
    assert row.default.toolTip() == "Restore 0.3"
    QTest.mouseClick(row.default, Qt.MouseButton.LeftButton)
    assert dialog.changes == {BM25: 0.3}
    assert not row.name.font().bold()
    assert not row.default.isEnabled()


def test_all_defaults_and_cancel(qtbot, dialog: SettingsDialog):
    number(dialog, HITS).setValue(10)
    QTest.mouseClick(
        button(dialog, QDialogButtonBox.StandardButton.RestoreDefaults), Qt.MouseButton.LeftButton
    )
    assert dialog.changes == {BM25: 0.3}
    with qtbot.assertNotEmitted(dialog.saved):
        QTest.mouseClick(button(dialog, QDialogButtonBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)


def test_enter_in_a_field_saves_nothing(qtbot, dialog: SettingsDialog):
    number(dialog, HITS).setValue(10)
    with qtbot.assertNotEmitted(dialog.saved):
        QTest.keyClick(number(dialog, HITS), Qt.Key.Key_Return)
        QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    assert dialog.isVisible()


def test_words_find_settings(dialog: SettingsDialog):
    QTest.keyClicks(dialog.search, "HIT passages")
    assert [key for key, row in dialog.rows.items() if row.editor.isVisible()] == [HITS]
    assert dialog.none.isHidden()
    dialog.search.setText("no such words")
    assert dialog.none.isVisible()
    dialog.search.clear()
    assert all(row.help.isVisible() or row.editor.isVisible() for row in dialog.rows.values())


def test_when_a_change_takes_effect_is_said_before_it_is_saved(dialog: SettingsDialog):
    assert dialog.hint.isHidden()
    number(dialog, "imports.workers").setValue(2)
    assert "next import" in dialog.hint.text()
    assert takes_effect([BM25]) == ""


def test_the_window_saves_and_opens_the_library_again(qtbot, window: MainWindow, services: FakeServices):
    with qtbot.waitSignal(window.do.settings.read):
        window.acts.actions["Settings…"].trigger()
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    number(dialog, BM25).setValue(0.7)
    with qtbot.waitSignal(window.do.library.opened):
        QTest.mouseClick(save_of(dialog), Qt.MouseButton.LeftButton)
    assert services.saved == change(Settings(), BM25, 0.7)
    qtbot.waitUntil(lambda: window._runner.busy == 0)


def test_a_value_that_is_refused_is_told(qtbot, window: MainWindow, services: FakeServices):
    with qtbot.waitSignal(window.do.settings.failed) as told:
        window.do.settings.save({BM25: 99.0})
    assert isinstance(told.args[0], InputError)
    assert services.saved == Settings()
    qtbot.waitUntil(lambda: window._runner.busy == 0)


def test_the_engine_writes_the_file_and_keeps_what_others_wrote():
    engine = Engine(Settings())
    settings_module.save(change(Settings(), "hub.proxy", "none"))
    engine.change_settings({BM25: 0.7, LEVEL: 0.25}, TaskContext())
    found = settings_module.load().settings
    assert (found.search.weight_bm25, found.index.section_level, found.hub.proxy) == (0.7, 0.25, "none")
    assert engine.settings(TaskContext()) == found
    with pytest.raises(InputError, match="at most"):
        engine.change_settings({LEVEL: 0.5, BM25: 99.0}, TaskContext())
    assert settings_module.load().settings == found


def test_a_value_finer_than_the_editor_shows_is_left_alone(qtbot, colours):
    exact = change(change(Settings(), BM25, 0.123456789), "search.representative", " EP")
    dialog = SettingsDialog(exact)
    qtbot.addWidget(dialog)
    assert dialog.changes == {}
    assert not save_of(dialog).isEnabled()
    number(dialog, "search.least_match").setValue(1.25)
    assert dialog.changes == {"search.least_match": 0.0125}


def test_a_file_that_can_not_be_read_is_told_and_not_written_over():
    settings_module.save(change(Settings(), BM25, 0.7))
    path = paths.config_dir() / "settings.json"
    path.write_text("{ damaged")
    engine = Engine(Settings())
    with pytest.raises(ResourceError, match="kept as"):
        engine.change_settings({LEVEL: 0.25}, TaskContext())
    assert path.with_suffix(".json.bad").read_text() == "{ damaged"
    assert not path.exists()
    assert engine.settings(TaskContext()) == Settings()


def test_settings_that_can_not_be_written_are_told(monkeypatch):
    def full(_handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    settings_module.save(change(Settings(), BM25, 0.7))
    engine = Engine(Settings())
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResourceError, match="could not be saved"):
        engine.change_settings({BM25: 0.9}, TaskContext())
    assert settings_module.load().settings.search.weight_bm25 == 0.7
