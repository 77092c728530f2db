"""The same question in the window and on the command line: the same request, the same list, row by row."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from claimlight.cli.__main__ import run
from claimlight.cli.front import plain
from claimlight.services import sample
from claimlight.types import AcceptedClass, ClassFilter, RuleSet, Scheme
from claimlight_workbench import ui_state
from claimlight_workbench.main_window import MainWindow
from tests.app.driving import Column
from tests.app.test_app_sample import ended, indexed, library_folder, model, workbench

__all__ = ["indexed", "library_folder", "model", "workbench"]

ANTICIPATION = "EP9072284A1"
"""Filed before the priority of the sample's application, published before its filing; reads on claim 1."""


def shown_in(window: MainWindow) -> list[tuple[str, str, str]]:
    """What the window lists: publication, date status, score."""
    results = window.see.results.model.results
    assert results is not None
    return [(str(hit.patent.publication), hit.dates.status, f"{hit.score:.9f}") for hit in results.hits]


def printed_by(capsys, *options: str) -> dict:
    capsys.readouterr()
    command = ["search", "--library", str(sample.library_folder()), *options, "--json"]
    assert run(command) == 0
    return json.loads(capsys.readouterr().out)


def listed_in(answer: dict) -> list[tuple[str, str, str]]:
    return [
        (hit["patent"]["publication"], hit["dates"]["status"], f"{hit['score']:.9f}")
        for hit in answer["hits"]
    ]


@pytest.fixture
def window(qtbot, workbench, model, monkeypatch) -> MainWindow:
    monkeypatch.setattr(
        "claimlight.services.models.encoding_stack.open_encoding_stack", lambda _settings: model
    )
    return workbench()


def test_claim_1_of_the_sample_gives_one_list_and_the_anticipation_leads_it(window: MainWindow, capsys):
    answer = printed_by(capsys, "--claims", str(sample.application_file()))
    assert listed_in(answer) == shown_in(window)
    assert answer["hits"][0]["patent"]["publication"] == ANTICIPATION
    assert answer["hits"][0]["dates"]["status"] == "epc 54(2) unless priority valid, then 54(3)"
    assert answer["request"] == plain(window.see.results.model.results.request)
    assert answer["request"]["before"] is None
    assert len(answer["hits"]) == 50


def test_another_claim_with_a_limit_and_another_law_is_one_list_too(qtbot, window: MainWindow, capsys):
    bar = window.see.bar
    window.wiring.asking.choose_claim(2)
    ended(qtbot, window)
    bar.dates.panel.rules.setCurrentIndex(1)
    bar.dates.panel.rules.activated.emit(1)
    bar.dates.panel.verified.setChecked(True)
    bar.dated.setChecked(True)
    window.acts.run()
    ended(qtbot, window)
    options = ("--claim", "2", "--rules", "us", "--priority-valid", "--before", "2020-03-12")
    answer = printed_by(capsys, "--claims", str(sample.application_file()), *options)
    assert listed_in(answer) == shown_in(window)
    results = window.see.results.model.results
    assert answer["hidden"] == plain(results.hidden)
    assert sum(item["documents"] for item in answer["hidden"]) > 0
    assert answer["request"] == plain(results.request)


def test_a_search_within_accepted_classes_is_one_list_and_comes_back_with_the_case(
    qtbot, window: MainWindow, workbench, capsys
):
    window.acts.run()
    ended(qtbot, window)
    window.wiring.accepted.accept(AcceptedClass(Scheme.CPC, "F16F", "Springs and dampers"))
    ended(qtbot, window)
    window.see.accepted.only.click()
    ended(qtbot, window)
    answer = printed_by(capsys, "--claims", str(sample.application_file()), "--class", "F16F")
    assert listed_in(answer) == shown_in(window)
    assert 0 < len(answer["hits"]) < 50
    assert answer["request"] == plain(window.see.results.model.results.request)
    window.close()
    ui_state.session_path().unlink()
    again = workbench()
    ended(qtbot, again)
    assert again.do.query.within == (ClassFilter(Scheme.CPC, "F16F"),)
    assert again.see.accepted.only.isChecked()
    again.do.case.undo()
    ended(qtbot, again)
    assert again.do.query.within == ()
    assert not again.see.bar.within.isVisible()
    again.do.case.undo()
    ended(qtbot, again)
    assert again.do.case.classes == ()
    assert not again.see.accepted.isVisible()


def test_a_document_of_the_library_gives_one_list_without_its_family(qtbot, window: MainWindow, capsys):
    window.do.query.take_from("US 99,104,417 B2")
    qtbot.waitUntil(lambda: window.see.bar.source.text() == "US99104417B2")
    ended(qtbot, window)
    answer = printed_by(capsys, "--like", "US99104417B2")
    assert listed_in(answer) == shown_in(window)
    assert "US99104417B2" not in {row[0] for row in listed_in(answer)}
    assert answer["request"] == plain(window.see.results.model.results.request)


def test_dates_and_law_of_a_case_come_back_from_the_case_book(qtbot, window: MainWindow, workbench):
    """The session that has been lost in between held nothing of them."""
    panel = window.see.bar.dates.panel
    panel.rules.setCurrentIndex(1)
    panel.rules.activated.emit(1)
    panel.verified.setChecked(True)
    ended(qtbot, window)
    chosen = window.do.query.dates
    assert (chosen.verified, chosen.rules, chosen.confirmed) == (True, RuleSet.US, True)
    window.close()
    ui_state.session_path().unlink()
    again = workbench()
    ended(qtbot, again)
    assert again.do.query.dates == chosen
    assert again.see.bar.dates.panel.verified.isChecked()
    assert again.do.query.before is None
    QTest.keyClick(again.see.results.table, Qt.Key.Key_R)
    ended(qtbot, again)
    results = again.see.results.model
    assert ANTICIPATION not in {str(hit.patent.publication) for hit in results.results.hits}
    assert results.index(0, Column.GAIN).data().startswith("+")
    assert not again.see.results.table.isColumnHidden(Column.GAIN)
