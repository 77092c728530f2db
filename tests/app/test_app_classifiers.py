"""The page of the classifiers: the list, the one in use, training with progress, cancel and report."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt

from claimlight.types import ClassFigures, ClassifierReport, ClassLevel, Progress, Scheme
from claimlight_workbench.jobs import process
from claimlight_workbench.main_window import MainWindow
from tests.app.driving import press, settle
from tests.app.fake_classes import classifier
from tests.app.fake_services import FakeServices

OWN = classifier(
    name="boats",
    folder="/classifiers/boats",
    model="boats 1",
    shipped=False,
    in_use=False,
    levels=(ClassLevel.SUBCLASS,),
    trained_on="612 documents of Boats",
)
OTHER = classifier(
    name="old", folder="/classifiers/old", model="old 1", shipped=False, in_use=False, usable=False,
    fault="It belongs to another encoder.",
)  # fmt: skip
REPORT = ClassifierReport(
    "boats 1",
    "/classifiers/boats",
    Scheme.CPC,
    "small 4",
    612,
    90,
    (ClassFigures(ClassLevel.SUBCLASS, 60, 120, 0.71, (0.62, 0.78), (0.71, 0.3, 0.2), 0.61, 0.4, 0.6, 0.03),),
    "120 documents of families that were left out",
    1000,
    23.4,
)


@pytest.fixture
def page(qtbot, window: MainWindow, services: FakeServices):
    services.installed = (classifier(), OWN, OTHER)
    window.acts.actions["Classifiers…"].trigger()
    settle(qtbot, window)
    return window.see.classifiers


def rows(page) -> list[list[str]]:
    tree = page.tree
    return [
        [tree.topLevelItem(row).text(column) for column in range(3)]
        for row in range(tree.topLevelItemCount())
    ]


def test_the_classifiers_are_listed_with_the_one_in_use(page):
    assert page.tree.hasFocus()
    assert rows(page) == [
        ["cpc-small 1", "in use", "section to subclass"],
        ["boats 1", "", "subclass"],
        ["old 1", "other encoder", "section to subclass"],
    ]
    assert page.current.name == "cpc-small"
    assert not page.use_button.isEnabled()
    assert page.use_button.toolTip() == "It is in use"


def test_another_classifier_is_used_by_key_and_the_suggestions_know(qtbot, window: MainWindow, page):
    page.tree.setFocus()
    press(page.tree, Qt.Key.Key_Down)
    press(page.tree, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert [row[1] for row in rows(page)] == ["", "in use", "other encoder"]
    suggest = window.see.suggest
    assert suggest.classifier.text().startswith("CPC classifier boats 1, trained on 612 documents of Boats")
    assert not suggest.level.model().item(0).isEnabled(), "it does not know sections"


def test_a_classifier_of_another_encoder_cannot_be_used(page):
    page.tree.setCurrentItem(page.tree.topLevelItem(2))
    assert not page.use_button.isEnabled()
    assert page.use_button.toolTip() == "It belongs to another encoder."


class Child:
    """Stands for the child process of `SingleJob`."""

    def __init__(self, started: list[tuple[str, ...]]) -> None:
        self.started = started

    def __call__(self, arguments, parent):
        self.started.append(tuple(arguments))
        return process.ProcessJob(arguments, parent)


def test_training_runs_the_command_on_the_open_library(qtbot, window: MainWindow, page, monkeypatch):
    started: list[tuple[str, ...]] = []
    window.do.classifiers.job.process = Child(started)
    monkeypatch.setattr(process, "command", lambda _arguments: [sys.executable, "-c", CHILD])
    page.name.setText("boats")
    page.scheme.setCurrentIndex(page.scheme.findData(Scheme.IPC))
    with qtbot.waitSignal(window.do.classifiers.trained):
        page.train_button.click()
        assert page.cancel_button.isVisibleTo(page)
        assert not page.train_button.isVisibleTo(page)
    settle(qtbot, window)
    folder = str(window.do.library.info.folder)
    assert started == [
        ("classify", "train", "--library", folder, "--kind", "ipc", "--name", "boats"),
    ]
    assert page.train_button.isVisibleTo(page)
    told = page.state.text()
    assert told.startswith("boats 1: 90 classes of the CPC, trained on 612 documents in 23 s.")
    assert "Subclass: the first suggestion is right for 71 % of 120 documents" in told


def test_progress_is_shown_here_and_in_the_status_line(qtbot, window: MainWindow, page):
    page.show_started()
    window.do.classifiers.progressed.emit(Progress("encoding", 3, 12, "classifiers", 0.0, None))
    assert page.state.text() == "Encoding 3 of 12…"
    assert (page.bar.value(), page.bar.maximum()) == (3, 12)
    page.show_ended("Training cancelled; nothing was installed")
    assert page.state.text() == "Training cancelled; nothing was installed."


def test_a_training_is_cancelled(qtbot, window: MainWindow, page, monkeypatch):
    child = [sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit(3)"]
    monkeypatch.setattr(process, "command", lambda _arguments: child)
    page.train_button.click()
    qtbot.waitUntil(lambda: window.do.classifiers.working)
    with qtbot.waitSignal(window.do.classifiers.ended):
        page.cancel_button.click()
    assert page.state.text() == "Training cancelled; nothing was installed."


def test_the_first_classifier_is_used_at_once(qtbot, window: MainWindow, services: FakeServices):
    services.installed = ()
    window.acts.actions["Classifiers…"].trigger()
    settle(qtbot, window)
    assert "No classifier is installed." in window.see.classifiers.state.text()
    services.installed = (OWN,)
    window.do.classifiers.job.succeeded.emit(REPORT)
    settle(qtbot, window)
    assert rows(window.see.classifiers) == [["boats 1", "in use", "subclass"]]


CHILD = """
import json
from claimlight.codec import plain
from claimlight.types import *
from tests.app.test_app_classifiers import REPORT
print(json.dumps({"event": "classifier_report", "schema": "x", **plain(REPORT)}))
"""
