"""*Help → Check this computer* and *Diagnostic report*, and the quiet check at the first start."""

from __future__ import annotations

import json
from dataclasses import replace
from zipfile import ZipFile

from PySide6.QtWidgets import QFileDialog, QLabel

from claimlight import journal
from claimlight_workbench import errors
from claimlight_workbench.jobs.registry import Controls
from claimlight_workbench.main_window.wiring import health
from tests.app.fake_help import REPORT, SLOW, WELL
from tests.app.test_app_accessibility import faults, walk


def test_the_first_start_checks_quietly_and_a_new_version_only_speaks_of_what_is_not_well(
    qtbot, open_window, services, monkeypatch
):
    window = open_window()
    wired = window.wiring.health
    said = []
    monkeypatch.setattr(window.notices, "say", said.append)

    def start(*, seen=True):
        wired._timer.setInterval(0)
        if not seen:
            wired.check_first()
        else:
            with qtbot.waitSignal(window.do.health.checked):
                wired.check_first()
        assert wired._timer.isActive() is False

    start()
    assert said == ["This computer was checked: all is well"]
    assert wired.dialog is None
    assert window.collect().checked == window.state.checked
    assert json.dumps(window.state.checked).count("=") == 1
    start(seen=False)
    # After an update it is checked again, and all being well nothing is said.
    monkeypatch.setattr(health, "program_version", lambda: "9.9")
    start()
    assert len(said) == 1
    assert wired.dialog is None
    monkeypatch.setattr(health, "program_version", lambda: "9.10")
    services.findings = (WELL, SLOW)
    start()
    assert wired.dialog.isVisible()
    assert wired.dialog.summary.text() == "1 warning; 1 check is well."
    shown = [label.text() for label in wired.dialog.problems.findChildren(QLabel)]
    assert shown[:3] == ["Warning: Memory", f"{SLOW.state}.", SLOW.why]
    assert shown[3] == f"What to do: {SLOW.advice}"
    assert not faults(wired.dialog)
    assert walk(wired.dialog)[0] is wired.dialog.problems
    assert SLOW.why in wired.dialog.problems.accessibleDescription()
    assert len(window.state.checked) == 1
    services.findings = (WELL,)
    with qtbot.waitSignal(window.do.health.checked):
        wired.dialog.again.click()
    assert "all is well" in wired.dialog.summary.text()
    assert wired.dialog.problems.isHidden()
    wired.dialog.close()


def test_the_report_is_shown_before_it_is_written(qtbot, open_window, services, tmp_path, monkeypatch):
    window = open_window()
    wired = window.wiring.health
    job = window._runner.jobs
    listed = job.wait("export", "secret title", Controls())
    job.drop(listed)
    with qtbot.waitSignal(window.do.health.gathered):
        window.acts.actions["Diagnostic report…"].trigger()
        assert not wired.report_dialog.save.isEnabled()
    dialog = wired.report_dialog
    assert [dialog.list.item(row).text() for row in range(2)] == ["README.txt", "jobs.json"]
    assert dialog.text.toPlainText() == "what it is"
    dialog.list.setCurrentRow(1)
    assert dialog.text.toPlainText() == REPORT[1].text
    assert [(each.kind, each.outcome.value) for each in services.jobs] == [("export", "cancelled")]
    assert not faults(dialog)
    assert walk(dialog)[:2] == [dialog.list, dialog.text]
    assert list(tmp_path.glob("*.zip")) == []
    target = tmp_path / "out"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    with qtbot.waitSignal(window.do.health.written):
        dialog.save.click()
    assert ZipFile(f"{target}.zip").read("jobs.json").decode() == REPORT[1].text
    assert "out.zip" in dialog.state.text()
    dialog.close()


def test_a_defect_is_kept_without_its_message(qtbot, open_window):
    window = open_window(wait=False)
    try:
        replace(WELL, nothing_of_this_name=1)
    except TypeError as error:
        box = errors.show(window, error)
    box.close()
    (kept,) = journal.read().defects
    assert kept.error == "TypeError"
    assert b"nothing_of_this_name" not in journal.journal_path().read_bytes()


def test_a_quiet_check_that_fails_is_kept_for_the_report(qtbot, open_window, services, monkeypatch):
    def fail(window, context):
        raise ZeroDivisionError

    monkeypatch.setattr(services, "check_computer", fail)
    window = open_window()
    wired = window.wiring.health
    wired._timer.setInterval(0)
    with qtbot.waitSignal(window.do.health.check_failed):
        wired.check_first()
    assert wired.dialog is None
    assert not window.state.checked
    assert journal.read().defects[-1].error == "ZeroDivisionError"
