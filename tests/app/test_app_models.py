"""The panel of the model packages: what is shown, asked of the child, and done in the window."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QMessageBox

from claimlight.encoders.package import find_shipped_folder
from claimlight.errors import InputError
from claimlight.services.models.judges import JudgeInfo
from claimlight.settings import Settings, change
from claimlight.types import Note, Progress
from claimlight_workbench.jobs.process import LicenceNeeded, PackageCheck, decode
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.models.describe import (
    check_text,
    judge_choices,
    licence_of,
    row_of,
    second_choices,
    tip_of,
)
from claimlight_workbench.screens.models.presenter import ModelsPresenter
from claimlight_workbench.screens.models.view import ModelsView
from tests.app.conftest import PATIENCE_MS
from tests.app.fake_child import Child
from tests.app.fake_models import BARE, BROKEN, JUDGE, JUDGES, LIMITED, MODELS, SHIPPED, SPARSE
from tests.app.fake_services import FakeServices

CHECK = PackageCheck("general-small-v1", "cpu", "", True, ("files: 9 files", "model: runs on cpu"))


@pytest.fixture
def presenter(runner, owner: QObject, services: FakeServices) -> ModelsPresenter:
    Child.made = []
    return ModelsPresenter(services, runner, owner, process=Child)


@pytest.fixture
def view(qtbot, colours) -> ModelsView:
    made = ModelsView()
    qtbot.addWidget(made)
    made.resize(1000, 300)
    made.show()
    made.show_models(MODELS)
    return made


def answer(monkeypatch, yes: bool) -> list[str]:
    """Questions are answered; what was asked is kept."""
    asked: list[str] = []

    def question(_parent, _title, text, *_):
        asked.append(text)
        return QMessageBox.StandardButton.Yes if yes else QMessageBox.StandardButton.No

    monkeypatch.setattr(QMessageBox, "question", question)
    return asked


def test_a_package_is_told_in_words():
    assert row_of(SHIPPED) == (
        "●", "general-small-v1", "Apache-2.0", "", "yes", "26.0 MB", "384", "256",
        "all-MiniLM-L6-v2",
    )  # fmt: skip
    assert licence_of(LIMITED) == "CC-BY-NC-SA-4.0: not for commercial use, not accepted yet"
    assert licence_of(replace(LIMITED, accepted=True)).endswith("not for commercial use")
    assert "serves comparisons only" in tip_of(SPARSE)
    assert (row_of(BROKEN)[2], row_of(BROKEN)[-1]) == ("can't be used", "manifest.json is not valid JSON")
    assert "comes with the program" in tip_of(SHIPPED)
    assert "has no concepts (centers) yet" in tip_of(BARE)
    assert "Languages: English and German." in tip_of(replace(SHIPPED, languages=("en", "de")))
    assert row_of(replace(SHIPPED, languages=("en", "de")))[3] == "en, de"
    assert "Languages:" not in tip_of(SHIPPED)
    assert "Source: all-MiniLM-L6-v2." in tip_of(SHIPPED)
    assert "can't be used" in tip_of(BROKEN)


def test_the_check_and_a_licence_come_back_from_their_lines():
    line = {
        "event": "model_check", "name": "m", "folder": "/m", "device": "cpu", "note": "On the processor.",
        "findings": [
            {"subject": "files", "state": "9 files", "ok": True},
            {"subject": "model", "state": "no", "ok": False},
        ],
        "ok": False,
    }  # fmt: skip
    found = decode(json.dumps(line))
    assert found == PackageCheck(
        "m", "cpu", "On the processor.", False, ("files: 9 files", "FAULT: model: no")
    )
    assert check_text(found).splitlines() == [
        "m is damaged.", "files: 9 files", "FAULT: model: no", "On the processor.",
    ]  # fmt: skip
    error = decode(json.dumps({"event": "error", "kind": "InputError", "message": "NC", "licence": True}))
    assert isinstance(error, LicenceNeeded)


def test_what_is_wrong_with_a_package_is_said_without_a_mouse(view: ModelsView):
    at_first = view.state.text()
    view.table.selectRow(MODELS.index(BROKEN))
    assert view.state.text() == tip_of(BROKEN)
    view.table.selectRow(0)
    assert view.state.text() == at_first
    view.show_ended("Something is done")
    view.table.selectRow(1)
    assert view.state.text() == "Something is done."


def test_what_can_be_done_follows_the_choice(view: ModelsView):
    assert view.chosen is SHIPPED
    assert not view.use_button.isEnabled()
    assert not view.remove_button.isEnabled()
    assert not view.accept_button.isEnabled()
    assert view.check_button.isEnabled()
    view.table.selectRow(1)  # its licence is not accepted
    assert not view.use_button.isEnabled()
    assert view.remove_button.isEnabled()
    assert view.accept_button.isEnabled()
    view.table.selectRow(4)
    assert view.use_button.isEnabled()
    assert not view.accept_button.isEnabled()
    view.table.selectRow(5)  # for comparison only
    assert not view.use_button.isEnabled()
    view.table.selectRow(2)  # without centers
    assert not view.use_button.isEnabled()
    view.table.selectRow(3)  # damaged
    assert not view.use_button.isEnabled()
    assert view.remove_button.isEnabled()
    view.show_started("Checking…")
    assert not any(
        each.isEnabled()
        for each in (view.check_button, view.remove_button, view.add_button, view.archive_button)
    )
    assert view.bar.isVisible()
    view.show_event(Progress("Checking", 1, 4, "steps", 0.0, None))
    assert (view.bar.value(), view.bar.maximum()) == (1, 4)
    view.show_event(Note("Slow."))
    assert view.state.text() == "Slow."
    view.show_ended("Added")
    assert view.state.text() == "Added."
    assert not view.bar.isVisible()
    view.show_check(CHECK)
    assert view.state.text().startswith("general-small-v1 is intact.\nfiles:")


def test_keys_and_buttons_ask(qtbot, view: ModelsView, monkeypatch):
    view.table.selectRow(4)
    with qtbot.waitSignal(view.use_requested) as asked:
        QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert asked.args == ["other"]
    view.table.selectRow(1)
    with qtbot.waitSignal(view.check_requested) as asked:
        QTest.mouseClick(view.check_button, Qt.MouseButton.LeftButton)
    assert asked.args == ["patembed-base"]
    told = answer(monkeypatch, yes=True)
    with qtbot.waitSignal(view.remove_requested) as asked:
        QTest.mouseClick(view.remove_button, Qt.MouseButton.LeftButton)
    assert asked.args == ["patembed-base", False]
    with qtbot.waitSignal(view.accept_requested) as asked:
        QTest.mouseClick(view.accept_button, Qt.MouseButton.LeftButton)
    assert "not for commercial use" in told[-1]
    assert LIMITED.source in told[-1]
    with qtbot.waitSignal(view.add_requested) as asked:
        view.ask_licence(Path("/m"), "m is licensed under NC.")
    assert asked.args == [Path("/m"), True]
    answer(monkeypatch, yes=False)
    with qtbot.assertNotEmitted(view.remove_requested), qtbot.assertNotEmitted(view.add_requested):
        QTest.mouseClick(view.remove_button, Qt.MouseButton.LeftButton)
        view.ask_licence(Path("/m"), "m is licensed under NC.")


def test_the_child_is_asked_for_what_takes_long(qtbot, presenter: ModelsPresenter, runner):
    told: list[tuple[str, object]] = []
    presenter.ended.connect(lambda how: told.append(("ended", how)))
    presenter.checked.connect(lambda found: told.append(("checked", found)))
    presenter.failed.connect(lambda error, doing: told.append((doing, error)))
    presenter.licence_needed.connect(lambda path, text: told.append((str(path), text)))
    presenter.check("a")
    assert Child.made[0].arguments == ("models", "check", "a")
    presenter.add(Path("/m"))  # one at a time
    assert len(Child.made) == 1
    Child.made[0].succeeded.emit(CHECK)
    presenter.add(Path("/m"))
    assert Child.made[1].arguments == ("models", "add", "/m")
    needed = LicenceNeeded("m is licensed under NC.")
    Child.made[1].failed.emit(needed)
    presenter.add(Path("/m"), accepted=True)
    assert Child.made[2].arguments == ("models", "add", "/m", "--accept-licence")
    error = InputError("no package")
    Child.made[2].failed.emit(error)
    presenter.accept("a")
    assert Child.made[3].arguments == ("models", "accept", "a")
    presenter.cancel()
    assert Child.made[3].asked
    Child.made[3].cancelled.emit()
    assert told == [
        ("ended", ""), ("checked", CHECK),
        ("ended", ""), ("/m", "m is licensed under NC."),
        ("ended", ""), ("m could not be added", error),
        ("ended", "Stopped"),
    ]  # fmt: skip
    qtbot.waitUntil(lambda: runner.busy == 0)


def test_removing_the_one_in_use_reads_the_settings_again(
    qtbot, presenter: ModelsPresenter, services: FakeServices
):
    presenter.remove("a", used=True, library="/L")
    assert Child.made[0].arguments == ("models", "remove", "a", "--library", "/L", "--force")
    with qtbot.waitSignal(presenter.chosen) as told:
        Child.made[0].succeeded.emit(None)
    assert told.args == [""]
    assert services.settings_read == 1
    qtbot.waitUntil(lambda: not presenter.working)


def test_the_window_uses_another_model(qtbot, window: MainWindow, services: FakeServices):
    dock = window.panels.docks["models"]
    assert not dock.isVisible()
    window.acts.actions["Models…"].trigger()
    assert dock.isVisible()
    view = window.see.models
    qtbot.waitUntil(lambda: view.model.rowCount() == len(MODELS))
    view.table.selectRow(4)
    with qtbot.waitSignal(window.do.library.opened):
        QTest.mouseClick(view.use_button, Qt.MouseButton.LeftButton)
    assert services.used == ["other"]
    qtbot.waitUntil(lambda: view.model.models[4].in_use)
    assert view.chosen is not None
    assert view.chosen.name == "other"
    qtbot.waitUntil(lambda: window._runner.busy == 0)


def test_a_package_that_can_not_be_used_is_told(qtbot, presenter: ModelsPresenter):
    with qtbot.waitSignal(presenter.failed) as told:
        presenter.use("broken")
    assert told.args[1] == "broken could not be used"


def test_the_real_engine_checks_the_shipped_package(qtbot, runner, owner: QObject, services: FakeServices):
    made = ModelsPresenter(services, runner, owner)
    with qtbot.waitSignal(made.checked, timeout=PATIENCE_MS * 4) as told:
        made.check(find_shipped_folder().name)
    (found,) = told.args
    assert found.ok
    assert found.findings[0].startswith("files: ")
    qtbot.waitUntil(lambda: runner.busy == 0)
    made.stop()


def test_a_judge_is_named_with_what_keeps_it_from_use():
    assert [(choice.value, choice.text, bool(choice.fault)) for choice in judge_choices(JUDGES, "")] == [
        ("", "claim-judge 1, comes with the program", False),
        ("our-judge", "our-judge 1", False),
        ("limited", "limited 2, licence not accepted yet", True),
        ("none", "no judge: match strengths alone", False),
    ]
    broken = JudgeInfo("bad", "/data/Models/bad", False, False, fault="manifest.json is missing")
    assert judge_choices([broken], "")[0].text == "bad, can't be used"
    ours = JudgeInfo("ours", "/office/ours", False, True, "ours 1")
    assert judge_choices([ours], "/office/ours")[0].value == "/office/ours"
    assert [choice.value for choice in judge_choices(JUDGES, "none")].count("none") == 1


def test_the_second_judge_is_the_judge_itself_or_another():
    def choices(judges, named=""):
        return [(choice.value, choice.text) for choice in second_choices(judges, named)]

    itself = "the judge itself"
    assert choices(JUDGES)[:3] == [
        ("", itself),
        ("claim-judge-1", "claim-judge 1, comes with the program"),
        ("our-judge", "our-judge 1"),
    ]
    assert choices(JUDGES, "none")[0] == ("none", itself)
    assert choices(JUDGES, "/gone")[-1] == ("/gone", "/gone, can't be used")
    large = JudgeInfo("large", "/program/large", False, False, "large 1", reads_on=True, second=True)
    assert choices([JUDGE, large]) == [
        ("", "large 1, beside the judge that comes with the program"),
        ("none", itself),
        ("claim-judge-1", "claim-judge 1, comes with the program"),
        ("large", "large 1, comes with the program"),
    ]
    assert [choice.value for choice in judge_choices([JUDGE, large], "")] == ["", "large", "none"]
    alone = [(each.value, each.text) for each in second_choices([JUDGE, large], "", "our-judge")]
    assert alone[0] == ("", itself), "the one that ships reads on beside the judge that ships only"
    assert [value for value, _ in alone[1:]] == ["claim-judge-1", "large"]
    theirs = JudgeInfo("theirs", "/office/theirs", False, False, "theirs 1", reads_on=True)
    assert choices([theirs], "/office/theirs")[1] == ("/office/theirs", "theirs 1")
    assert judge_choices([theirs], "")[0].value == "/office/theirs"


def test_the_second_judge_is_chosen_and_its_fault_shown(qtbot, view: ModelsView):
    box = view.judge
    box.show_judges(JUDGES, change(Settings(), "judge.second", "/gone"))
    assert box.second.currentText() == "/gone, can't be used"
    assert box.fault.text() == "There is no judge /gone on this machine."
    box.second.setCurrentIndex(box.second.findData("our-judge"))
    assert not box.fault.isVisible()
    with qtbot.waitSignal(box.changed) as asked:
        QTest.mouseClick(box.apply_button, Qt.MouseButton.LeftButton)
    assert asked.args == [{"judge.second": "our-judge"}]


def test_what_no_second_judge_means_follows_the_judge(qtbot, view: ModelsView):
    box = view.judge
    large = JudgeInfo("large", "/program/large", False, False, "large 1", reads_on=True, second=True)
    box.show_judges((*JUDGES, large), change(Settings(), "judge.package", "our-judge"))
    assert (box.second.currentData(), box.second.currentText()) == ("", "the judge itself")
    box.package.setFocus()
    QTest.keyClick(box.package, Qt.Key.Key_Home)
    assert box.package.currentData() == ""
    assert box.second.currentText() == "large 1, beside the judge that comes with the program"
    assert box.changes == {"judge.package": ""}


def test_the_settings_of_the_judge_are_changed_together(qtbot, view: ModelsView):
    box = view.judge
    assert not box.isEnabled()
    box.show_judges(JUDGES, change(Settings(), "judge.read_on", 3))
    assert box.isEnabled()
    assert not box.apply_button.isEnabled()
    read_on, device = box.editors["judge.read_on"].widget, box.editors["judge.device"].widget
    assert isinstance(read_on, QDoubleSpinBox)
    assert isinstance(device, QComboBox)
    assert (read_on.value(), read_on.minimum(), read_on.maximum()) == (3, 0, 1000)
    read_on.setValue(12)
    device.setCurrentIndex(1)
    box.package.setCurrentIndex(1)
    with qtbot.waitSignal(box.changed) as asked:
        QTest.mouseClick(box.apply_button, Qt.MouseButton.LeftButton)
    assert asked.args == [{"judge.package": "our-judge", "judge.device": "cpu", "judge.read_on": 12}]
    for name in ("Judge", "Device of the judge", "Threads of the judge", "Documents the judge reads on in"):
        (editor,) = (
            each for each in (box.package, *(e.widget for e in box.editors.values()))
            if each.accessibleName() == name
        )  # fmt: skip
        assert editor.accessibleDescription()


def test_edits_of_the_judge_outlive_a_new_list_of_judges(view: ModelsView):
    box = view.judge
    box.show_judges(JUDGES, Settings())
    box.editors["judge.threads"].put(2)
    box.show_judges(JUDGES, Settings())
    assert box.changes == {"judge.threads": 2}
    box.show_judges(JUDGES, change(Settings(), "judge.threads", 2))
    assert box.changes == {}


def test_a_judge_that_cannot_be_used_cannot_be_chosen_but_is_shown_if_it_is_named(view: ModelsView):
    box = view.judge
    box.show_judges(JUDGES, Settings())
    model = box.package.model()
    assert [bool(model.flags(model.index(row, 0)) & Qt.ItemFlag.ItemIsEnabled) for row in range(4)] == [
        True, True, False, True,
    ]  # fmt: skip
    box.show_judges(JUDGES, change(Settings(), "judge.package", "/gone"))
    assert box.package.currentText() == "/gone, can't be used"
    assert box.fault.isVisible()
    assert box.fault.text() == "There is no judge /gone on this machine."
    box.package.setCurrentIndex(0)
    assert not box.fault.isVisible()


def test_another_judge_is_saved_and_the_library_opened_again(
    qtbot, presenter: ModelsPresenter, services: FakeServices
):
    with qtbot.waitSignal(presenter.judges_listed) as listed:
        presenter.refresh()
    assert listed.args[0] == JUDGES
    with qtbot.waitSignal(presenter.chosen), qtbot.waitSignal(presenter.judges_listed) as again:
        presenter.change_judge({"judge.package": "none", "judge.read_on": 0})
    assert (services.saved.judge.package, services.saved.judge.read_on) == ("none", 0)
    assert again.args[1] == services.saved
    with qtbot.waitSignal(presenter.failed) as failed:
        presenter.change_judge({"judge.read_on": -1})
    assert failed.args[1] == "The judge could not be changed"
