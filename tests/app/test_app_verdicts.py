"""The verdicts of a judge: in the matrix row by row, in the results, in the reader and in the claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QTextCharFormat
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from claimlight.errors import ResourceError
from claimlight.judging.calibration import Bounds
from claimlight.services.models.judges import JudgeFacts
from claimlight.services.search.verdict_words import (
    ABSTENTION,
    NO_JUDGE,
    PROMISES,
    reliability_sentences,
    wording_rows,
)
from claimlight.types import (
    ByHand,
    ChartVerdict,
    PatentId,
    Reliability,
    ReliabilityBin,
    TermState,
    WordingFigures,
)
from claimlight_workbench import theme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.results_model import COVERAGE_ROLE, JUDGING_ROLE
from claimlight_workbench.models.results_model import FIRST_ROLE as RESULT_FIRST_ROLE
from claimlight_workbench.screens.matrix import worth
from claimlight_workbench.screens.matrix.model import ALL, FIRST_FEATURE, FIRST_ROLE, WAITING_ROLE
from claimlight_workbench.screens.matrix.worth import JudgeFigures, VerdictSheet
from claimlight_workbench.widgets.reliability_diagram import ReliabilityDiagram
from claimlight_workbench.wording import WAITING_SIGN
from tests.app.driving import Column, press, settle
from tests.app.fake_services import CLAIMS, FakeServices, publication
from tests.app.test_app_matrix import front, go_to, texts

KEY = Qt.Key
F1, F2, F3 = range(FIRST_FEATURE, FIRST_FEATURE + 3)
SPOKEN, TIP = Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole
JUDGED = [
    ["45", "Full prior art", "● 91", "◐ 40", "– 5"],
    ["45", "Full prior art", "◐ 40", "– 5", "● 91"],
    ["45", "Full prior art", "– 5", "● 91", "◐ 40"],
]


@pytest.fixture
def judged(open_window, services: FakeServices) -> MainWindow:
    services.judge = "words 1"
    return open_window()


def plain_tip(text: str) -> str:
    return " ".join(text.split())


def test_the_matrix_shows_verdict_probability_and_what_is_missing(qtbot, judged: MainWindow):
    assert texts(judged) == JUDGED
    view = judged.see.matrix
    said = "F1 disclosed (probability 91), best passage claim 1"
    assert view.model.index(0, F1).data(SPOKEN) == f"EP 1 000 001 A1, {said}"
    third = view.model.index(0, F3)
    assert third.data(SPOKEN) == (
        "EP 1 000 001 A1, F3 nothing near (probability 5), best passage abstract; missing: preloaded"
    )
    tip = third.data(TIP).splitlines()
    assert tip[-2:] == ["a spring that is preloaded", "judge words 1, 3 of 4 passages read"]
    assert view.model.index(0, 0).data(SPOKEN).endswith("all features: mean probability 45")
    go_to(judged, 0, F3)
    assert "missing: preloaded" in view.sentence.text()
    assert "judge words 1" in view.sentence.text()
    assert view.legend.text() == "Suggestions – not confirmed:  ● disclosed   ◐ candidate   – nothing near"
    for words in PROMISES.values():
        assert words in plain_tip(view.legend.toolTip())


def test_a_document_without_a_ruling_says_that_it_has_no_verdict(qtbot, open_window, services):
    services.judge, services.unread = "words 1", frozenset({2})
    window = open_window()
    assert texts(window)[1] == ["43", "Full prior art", "◐ 40", "–", "● 90"]
    assert "match strength, no verdict:  ● strong   ◐ medium   – no match" in window.see.matrix.legend.text()
    assert "– nothing near" in window.see.matrix.legend.text()
    spoken = window.see.results.model.index(1, Column.COVERAGE).data(SPOKEN)
    assert spoken.startswith("F1 match strength 40 (medium match)")


@pytest.mark.styled
def test_every_verdict_looks_different_in_both_themes(qtbot, open_window, services: FakeServices):
    """Also without colours, also from a match strength, also while the judge is at it."""
    window = open_window()
    pictures: dict[str, list[QImage]] = {}
    for name in ("light", "dark"):
        window.appearance.set_theme(name)
        for judge in ("", "words 1"):
            services.judge = judge
            window.do.matrix.compare_again()
            settle(qtbot, window)
            front(window, "matrix")
            table = window.see.matrix.table
            for column in (F1, F2, F3):
                window.see.matrix.table.setCurrentIndex(table.model().index(2, 0))
                place = table.visualRect(table.model().index(0, column))
                grey = table.viewport().grab(place).toImage().convertToFormat(QImage.Format.Format_Grayscale8)
                pictures.setdefault(name, []).append(grey)
    for found in pictures.values():
        assert all(a != b for at, a in enumerate(found) for b in found[:at])


@pytest.mark.styled
def test_disclosed_is_solid_and_its_words_are_readable(qtbot, judged: MainWindow):
    for name in ("light", "dark"):
        judged.appearance.set_theme(name)
        front(judged, "matrix")
        table = judged.see.matrix.table
        picture = table.viewport().grab(table.visualRect(table.model().index(0, F1))).toImage()
        assert picture.pixelColor(8, 8).name() == theme.feature_colour(theme.active(), "F1")


# Row by row


def test_rows_come_one_by_one_and_those_not_ruled_on_say_so(qtbot, open_window, services: FakeServices):
    services.judge, services.thinking = "words 1", {2}
    window = open_window(wait=False)
    qtbot.waitUntil(lambda: window.do.matrix.row_of(PatentId(1)) is not None)
    front(window, "matrix")
    view = window.see.matrix
    qtbot.waitUntil(lambda: view.model.index(0, F1).data() == "● 91")
    assert view.model.index(1, F1).data() == WAITING_SIGN
    assert view.model.index(1, F1).data(WAITING_ROLE)
    assert view.model.index(1, F1).data(SPOKEN) == "EP 1 000 002 A1, F1 being judged; match strength 40"
    assert "… being judged" in view.legend.text()
    assert view.title.text().endswith("1 of 3 judged (Esc stops)")
    jobs = window.notices.status.jobs
    qtbot.waitUntil(lambda: jobs.text().startswith("Jobs: Compare features with documents, 33 %"))
    results = window.see.results.model
    assert results.index(1, Column.COVERAGE).data(JUDGING_ROLE)
    assert results.index(1, Column.COVERAGE).data(SPOKEN).startswith("F1 being judged; match strength 40")
    assert not results.index(0, Column.COVERAGE).data(JUDGING_ROLE)
    go_to(window, 0, F3)
    view.order_by(F3)
    services.thinking.clear()
    settle(qtbot, window)
    assert [row[F3] for row in texts(window)] == ["● 91", "◐ 40", "– 5"], "the order stays"
    qtbot.waitUntil(lambda: jobs.text() == "Jobs: none")
    assert view.title.text() == "3 features × 3 documents"
    assert not results.index(1, Column.COVERAGE).data(JUDGING_ROLE)


def test_esc_stops_the_judge_and_keeps_what_it_has_said(qtbot, open_window, services: FakeServices):
    services.judge, services.thinking = "words 1", {2}
    window = open_window(wait=False)
    qtbot.waitUntil(lambda: window.do.matrix.row_of(PatentId(1)) is not None)
    press(window.see.results.table, KEY.Key_Escape)
    settle(qtbot, window)
    assert texts(window) == [JUDGED[0], ["43", "Full prior art", "◐ 40", "–", "● 90"], texts(window)[2]]
    assert "2 documents have match strengths only" in window.see.matrix.notes.text()
    front(window, "pairs")
    assert window.see.pairs.model.rowCount()
    assert not window.see.results.model.index(1, Column.COVERAGE).data(JUDGING_ROLE)
    services.thinking.clear()
    window.acts.run()
    settle(qtbot, window)
    assert texts(window) == JUDGED, "another search has the rest judged"


def test_the_judge_reads_on_in_the_best_documents_and_can_be_stopped(
    qtbot, open_window, services: FakeServices
):
    services.judge, services.reads_on, services.thinking_on = "words 1", {1}, {1}
    window = open_window(wait=False)
    qtbot.waitUntil(lambda: window.do.matrix.row_of(PatentId(3)) is not None)
    front(window, "matrix")
    view = window.see.matrix
    reading = "reading on in the best documents: 0 of 1 read"
    qtbot.waitUntil(lambda: view.title.text() == f"{reading.capitalize()} (Esc stops)")
    assert texts(window) == JUDGED, "what the first passages say is shown meanwhile"
    assert window.see.pairs.title.text() == f"Pairs come when the judge has ended: {reading} (Esc stops)"
    qtbot.waitUntil(lambda: window.notices.status.jobs.text().endswith("documents, 0 %"))
    press(window.see.results.table, KEY.Key_Escape)
    settle(qtbot, window)
    assert texts(window) == JUDGED
    assert "it has not read on in all of the best documents" in view.notes.text()
    services.thinking_on = set()
    window.acts.run()
    settle(qtbot, window)
    assert texts(window)[0][F1:] == ["● 97", "● 97", "● 97"]
    assert texts(window)[1:] == JUDGED[1:]
    assert view.title.text() == "3 features × 3 documents"


def test_rows_are_pale_as_soon_as_they_are_ruled_on_by_a_judge_that_reads_on(
    qtbot, open_window, services: FakeServices
):
    services.judge, services.reads_on, services.thinking = "words 1", {1}, {3}
    window = open_window(wait=False)
    qtbot.waitUntil(lambda: window.do.matrix.row_of(PatentId(2)) is not None)
    front(window, "matrix")
    view, results = window.see.matrix, window.see.results.model

    def pale() -> list[bool]:
        return [view.model.index(row, F1).data(FIRST_ROLE) for row in range(3)]

    def pale_in_results() -> list[bool]:
        return [results.index(row, Column.COVERAGE).data(RESULT_FIRST_ROLE) for row in range(3)]

    assert pale() == pale_in_results() == [True, True, False], "the last waits for the judge"
    button = window.see.reader.features.buttons[0]
    assert "partly read" in button.accessibleName()
    assert button.palette().buttonText().color().name() == theme.active().muted
    assert "left" not in window.notices.status.jobs.text(), "it will read on, nobody knows how long"
    assert "pale: partly read" in view.legend.text()
    assert results.index(0, Column.COVERAGE).data(SPOKEN).startswith("partly read, F1 disclosed")
    assert results.index(2, Column.COVERAGE).data(SPOKEN).startswith("F1 being judged")
    assert window.see.pairs.title.text().endswith("2 of 3 judged (Esc stops)")
    view.order_by(F1)
    assert view.model.shown[0].patent.id == 1, "all are of one kind so far"
    view.order_by(F1)
    services.thinking.clear()
    settle(qtbot, window)
    assert pale() == pale_in_results() == [False, True, True]
    assert "partly read" not in button.accessibleName()
    assert button.palette().buttonText().color().name() == theme.active().text
    assert results.index(0, Column.COVERAGE).data(SPOKEN).startswith("F1 disclosed")
    front(window, "pairs")
    assert "Best pairs" in window.see.pairs.title.text()
    window.do.matrix.compare_again()
    assert window.see.pairs.title.text() == "Finding pairs of documents…"
    settle(qtbot, window)


def test_where_the_best_passage_is_another_since_it_was_opened_the_matrix_says_so(qtbot, judged: MainWindow):
    view = judged.see.matrix
    front(judged, "matrix")
    go_to(judged, 0, F1)
    press(view.table, KEY.Key_Return)
    settle(qtbot, judged)
    nearer = "The best passage is now another one: Enter opens it"
    assert nearer not in view.sentence.text()
    row = view.model.row(0)
    cell = row.cells[0]
    other = next(each for each in cell.ruling.candidates if each != cell.passage)
    view.show_row(replace(row, cells=(replace(cell, passage=other), *row.cells[1:]), read_on=True))
    assert view.sentence.text().startswith(nearer)
    go_to(judged, 0, F2)
    assert nearer not in view.sentence.text()
    go_to(judged, 0, F1)
    press(view.table, KEY.Key_Return)
    settle(qtbot, judged)
    view._say(view.table.currentIndex())
    assert nearer not in view.sentence.text()


def test_a_row_that_is_computed_again_is_read_on_in_if_it_was_before(
    qtbot, open_window, services: FakeServices
):
    services.judge, services.reads_on = "words 1", {1}
    window = open_window()
    settle(qtbot, window)
    rows = window.do.matrix.answer.rows
    assert [patent for patent, row in rows.items() if row.read_on] == [1]
    services.reads_on = {1, 2, 3}  # as the engine: of rows asked for alone each is the best
    window.do.matrix.renew({rows[number].patent.publication for number in (1, 2)})
    settle(qtbot, window)
    assert services.compared[-1][0] == (1, 2)
    assert texts(window)[0][F1:] == ["● 97", "● 97", "● 97"]
    assert texts(window)[1:] == JUDGED[1:]
    assert [patent for patent, row in window.do.matrix.answer.rows.items() if row.read_on] == [1]


def open_read_on(qtbot, open_window, services: FakeServices) -> MainWindow:
    """A window whose judge has read on in the first document, and in others as soon as they are shown."""
    services.judge, services.reads_on = "words 1", {1}
    window = open_window()
    settle(qtbot, window)
    window.do.matrix.on_screen.dwell.setInterval(1)
    return window


def test_rows_of_first_passages_do_not_push_down_those_that_were_read_on(
    qtbot, open_window, services: FakeServices
):
    """Figures of the two readings are not of one kind: a row falls where it is read on in."""
    window = open_read_on(qtbot, open_window, services)
    front(window, "matrix")
    model = window.see.matrix.model
    read, *pale = model.matrix.rows
    low = replace(
        read, cells=tuple(replace(cell, ruling=replace(cell.ruling, probability=0.01)) for cell in read.cells)
    )
    rows = (*pale, low)
    model.show(replace(model.matrix, rows=rows), rows)
    for column in (ALL, F1, F2):
        model.order_by(column)
        assert model.shown[0].patent.id == read.patent.id
    confirmed = replace(
        pale[1], cells=(replace(pale[1].cells[0], by_hand=ByHand.CONFIRMED), *pale[1].cells[1:])
    )
    rows = (pale[0], confirmed, low)
    model.show(replace(model.matrix, rows=rows), rows)
    model.order_by(F1)
    assert [row.patent.id for row in model.shown][:2] == [confirmed.patent.id, read.patent.id]


def test_the_judge_reads_on_in_the_document_that_stays_on_the_screen(
    qtbot, open_window, services: FakeServices
):
    window = open_read_on(qtbot, open_window, services)
    presenter = window.do.matrix
    services.reads_on, services.thinking_on = {1, 2, 3}, {2, 3}
    front(window, "matrix")
    view = window.see.matrix
    view.order_by(F2)
    assert [row.patent.id for row in view.model.shown] == [1, 3, 2]
    go_to(window, 2, F2)
    press(view.table, KEY.Key_Return)
    qtbot.waitUntil(lambda: view.title.text().endswith("Reading on in the open document (Esc stops)"))
    services.thinking_on = set()
    qtbot.waitUntil(lambda: presenter.answer.rows[PatentId(2)].read_on)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: presenter.answer.rows[PatentId(3)].read_on)
    settle(qtbot, window)
    assert [patents for patents, _own in services.compared[-2:]] == [(2,), (3,)], "then the rows in view"
    assert [row.patent.id for row in view.model.shown] == [1, 3, 2], "the order stays until it is asked for"
    assert [view.model.index(2, column).data() for column in (F1, F2, F3)] == ["● 97"] * 3
    assert window.see.reader.features.buttons[0].text() == "● 97"
    assert view.title.text() == "3 features × 3 documents"
    asked = len(services.compared)
    # It is not read on in once more.
    with qtbot.waitSignal(presenter.on_screen.dwell.timeout):
        presenter.ask_row(PatentId(2))
    settle(qtbot, window)
    assert len(services.compared) == asked


def test_a_judge_that_can_not_read_on_in_the_documents_on_the_screen_is_noted_once(
    qtbot, open_window, services: FakeServices
):
    services.judge, services.reads_on, services.failing_on = "words 1", {1}, {2, 3}
    window = open_window()
    settle(qtbot, window)
    presenter = window.do.matrix
    presenter.on_screen.dwell.setInterval(1)
    services.reads_on = {1, 2, 3}
    before, asked = presenter.answer.matrix.notes, len(services.compared)
    presenter.ask_row(PatentId(2))
    front(window, "matrix")
    qtbot.waitUntil(lambda: len(services.compared) == asked + 2)
    settle(qtbot, window)
    assert presenter.answer.matrix.notes == (*before, "The judge failed.")
    assert window.see.matrix.notes.text().count("The judge failed.") == 1
    assert texts(window)[1:] == JUDGED[1:], "the verdicts on the first passages stay"
    with qtbot.waitSignal(presenter.on_screen.dwell.timeout):
        presenter.ask_row(PatentId(3))
    settle(qtbot, window)
    assert len(services.compared) == asked + 2, "where it failed it is not asked again"


def test_the_judge_reads_on_in_the_rows_in_view_while_the_matrix_is_seen(
    qtbot, open_window, services: FakeServices
):
    window = open_read_on(qtbot, open_window, services)
    presenter, view = window.do.matrix, window.see.matrix
    services.reads_on, services.thinking_on = {1, 2, 3}, {2}
    asked = len(services.compared)
    with qtbot.waitSignal(presenter.on_screen.dwell.timeout):
        presenter.on_screen.watch()
    settle(qtbot, window)
    assert len(services.compared) == asked, "nobody looks at the matrix"
    front(window, "matrix")
    qtbot.waitUntil(lambda: view.title.text() == "Reading on in the rows in view (Esc stops)")
    # The open document comes before them, and a row that was cut off comes again.
    presenter.ask_row(PatentId(3))
    qtbot.waitUntil(lambda: presenter.answer.rows[PatentId(3)].read_on)
    qtbot.waitUntil(lambda: view.title.text() == "Reading on in the rows in view (Esc stops)")
    assert [patents for patents, _own in services.compared[asked:]] == [(2,), (3,), (2,)]
    # Other rows in view leave the one that is read to its end.
    with qtbot.waitSignal(presenter.on_screen.dwell.timeout):
        presenter.on_screen.watch()
    assert len(services.compared) == asked + 3
    press(window.see.results.table, KEY.Key_Escape)
    settle(qtbot, window)
    services.thinking_on = set()
    with qtbot.waitSignal(presenter.on_screen.dwell.timeout):
        view.moved.emit()
    settle(qtbot, window)
    assert len(services.compared) == asked + 3, "Esc stops it for this matrix"
    assert not presenter.answer.rows[PatentId(2)].read_on
    window.acts.run()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: all(row.read_on for row in presenter.answer.rows.values()))


@pytest.mark.styled
def test_rows_that_were_not_read_on_in_are_pale_beside_others(qtbot, open_window, services: FakeServices):
    services.judge, services.reads_on = "words 1", {1}
    window = open_window()
    settle(qtbot, window)
    front(window, "matrix")
    view, presenter = window.see.matrix, window.do.matrix
    model = view.model
    assert "pale: partly read" in view.legend.text()
    assert [model.index(row, F1).data(FIRST_ROLE) for row in range(3)] == [False, True, True]
    candidate = model.index(1, F1)
    assert candidate.data().startswith("◐")
    assert candidate.data(SPOKEN).endswith("; partly read")
    assert not model.index(0, F1).data(SPOKEN).endswith("partly read")
    pale = view.table.viewport().grab(view.table.visualRect(candidate)).toImage()
    presenter.on_screen.dwell.setInterval(1)
    services.reads_on = {1, 2, 3}
    presenter.ask_row(PatentId(2))
    qtbot.waitUntil(lambda: all(row.read_on for row in presenter.answer.rows.values()))
    assert not any(model.index(row, F1).data(FIRST_ROLE) for row in range(3))
    assert not presenter.answer.matrix.first_only
    read = view.table.viewport().grab(view.table.visualRect(candidate)).toImage()
    assert read != pale
    qtbot.waitUntil(lambda: "pale" not in view.legend.text())


def test_a_search_stops_reading_on_in_the_rows_in_view(qtbot, open_window, services: FakeServices):
    window = open_read_on(qtbot, open_window, services)
    presenter, view = window.do.matrix, window.see.matrix
    services.reads_on, services.thinking_on = {1, 2, 3}, {2}
    front(window, "matrix")
    qtbot.waitUntil(lambda: view.title.text() == "Reading on in the rows in view (Esc stops)")
    services.gate.clear()
    window.acts.run()
    qtbot.waitUntil(lambda: view.title.text() != "Reading on in the rows in view (Esc stops)")
    services.thinking_on = set()
    services.gate.set()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: all(row.read_on for row in presenter.answer.rows.values()))


def test_esc_or_another_document_ends_reading_on_in_the_open_one(qtbot, open_window, services: FakeServices):
    window = open_read_on(qtbot, open_window, services)
    presenter = window.do.matrix
    services.reads_on, services.thinking_on = {1, 2, 3}, {2, 3}
    front(window, "matrix")
    table, title = window.see.matrix.table, window.see.matrix.title
    for row in (1, 2):
        go_to(window, row, F1)
        press(table, KEY.Key_Return)
        qtbot.waitUntil(lambda: title.text().endswith("Reading on in the open document (Esc stops)"))
    press(window.see.results.table, KEY.Key_Escape)
    settle(qtbot, window)
    assert title.text() == "3 features × 3 documents"
    assert [patent for patent, row in presenter.answer.rows.items() if row.read_on] == [1]
    assert texts(window)[1:] == JUDGED[1:]
    services.thinking_on = set()
    asked = len(services.compared)
    with qtbot.waitSignal(presenter.on_screen.dwell.timeout):
        presenter.ask_row(PatentId(3))
    settle(qtbot, window)
    assert len(services.compared) == asked, "stopped by Esc, it is left"


def test_a_fault_of_reading_on_in_the_open_document_is_said_once(qtbot, open_window, services: FakeServices):
    window = open_read_on(qtbot, open_window, services)
    presenter = window.do.matrix
    told = []
    presenter.failed.disconnect()
    presenter.failed.connect(lambda error, words: told.append((str(error), words)))
    services.fail_matrix = ResourceError("No memory is left.")
    presenter.ask_row(PatentId(2))
    qtbot.waitUntil(lambda: bool(told))
    for _ in range(2):
        with qtbot.waitSignal(presenter.on_screen.dwell.timeout):
            presenter.ask_row(PatentId(2))
        settle(qtbot, window)
    assert told == [("No memory is left.", "The judge could not read on in the documents on the screen")]
    assert texts(window)[1:] == JUDGED[1:]


def test_where_the_judge_reads_on_in_none_the_open_document_is_left_as_it_is(
    qtbot, judged: MainWindow, services: FakeServices
):
    judged.do.matrix.on_screen.dwell.setInterval(1)
    services.reads_on = {1, 2, 3}
    asked = len(services.compared)
    with qtbot.waitSignal(judged.do.matrix.on_screen.dwell.timeout):
        judged.do.matrix.ask_row(PatentId(2))
    settle(qtbot, judged)
    assert len(services.compared) == asked
    assert texts(judged) == JUDGED


def test_pairs_keep_their_place_when_the_open_document_is_read_on_in(
    qtbot, open_window, services: FakeServices
):
    services.judge, services.reads_on = "words 1", {1}
    window = open_window()
    settle(qtbot, window)
    window.do.matrix.on_screen.dwell.setInterval(1)
    services.reads_on = {1, 2, 3}
    front(window, "pairs")
    pairs = window.see.pairs
    last = pairs.model.rowCount() - 1
    assert last > 0
    pairs.table.setCurrentIndex(pairs.model.index(last, 1))
    shown = []
    window.do.matrix.renewed.connect(shown.append)
    window.do.matrix.ask_row(PatentId(2))
    qtbot.waitUntil(lambda: bool(shown))
    assert shown[0].rows[PatentId(2)].read_on
    assert pairs.table.currentIndex().row() == last
    # Behind another panel they are filled when they are seen.
    front(window, "matrix")
    window.do.matrix.ask_row(PatentId(3))
    qtbot.waitUntil(lambda: len(shown) == 2)
    front(window, "pairs")
    assert pairs.model.pair(0) == shown[1].pairs.pairs[0]


def test_a_passage_is_confirmed_while_the_judge_is_at_the_others(qtbot, open_window, services: FakeServices):
    services.judge, services.thinking = "words 1", {2}
    window = open_window(wait=False)
    qtbot.waitUntil(lambda: window.do.matrix.row_of(PatentId(1)) is not None)
    front(window, "matrix")
    table = window.see.matrix.table
    go_to(window, 0, F1)
    press(table, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.board.passage == 10_001)
    press(table, KEY.Key_Return)
    qtbot.waitUntil(lambda: table.model().index(0, F1).data() == "✓")
    assert window.do.matrix.judging is not None
    assert table.model().index(1, F1).data() == WAITING_SIGN
    assert window.see.reader.features.buttons[0].text() == "✓"
    services.thinking.clear()
    settle(qtbot, window)
    assert texts(window)[0][F1] == "✓"
    assert texts(window)[1:] == JUDGED[1:]


def test_another_claim_ends_the_judge(qtbot, open_window, services: FakeServices):
    services.judge, services.thinking = "words 1", {2}
    window = open_window(wait=False)
    qtbot.waitUntil(lambda: window.do.matrix.row_of(PatentId(1)) is not None)
    window.wiring.asking.choose_claim(2)
    qtbot.waitUntil(lambda: len(window.board.query.features) == len(CLAIMS) + 2)
    services.thinking.clear()
    settle(qtbot, window)
    assert all(len(row) == FIRST_FEATURE + 4 for row in texts(window))


def test_the_open_document_and_those_in_view_come_first(qtbot, open_window, services: FakeServices):
    services.judge = "words 1"
    window = open_window()
    presenter = window.do.matrix
    services.ruled.clear()
    services.gate.clear()
    presenter.compare_again()
    presenter.prefer([PatentId(2)], [])
    presenter.ask_row(PatentId(3))
    services.gate.set()
    settle(qtbot, window)
    assert services.ruled[-3:] == [3, 2, 1]


def test_the_panel_behind_others_fills_itself_when_it_is_seen(qtbot, open_window, services: FakeServices):
    services.judge, services.thinking = "words 1", {3}
    window = open_window(wait=False)
    window.panels.raise_panel("evidence")
    qtbot.waitUntil(lambda: window.do.matrix.row_of(PatentId(2)) is not None)
    front(window, "matrix")
    shown = texts(window)
    assert shown[0][F1] == "● 91"
    assert shown[2][F1] == WAITING_SIGN
    services.thinking.clear()
    settle(qtbot, window)
    assert texts(window) == JUDGED


# Results


def test_the_results_show_verdicts_and_are_ordered_by_them(qtbot, judged: MainWindow):
    model = judged.see.results.model
    index = model.index(0, Column.COVERAGE)
    assert index.data(SPOKEN).startswith("F1 disclosed (probability 91), best passage claim 1, F2 candidate ")
    assert index.data(SPOKEN).endswith("best passage abstract; missing: preloaded")
    assert [cell.ruling.verdict for cell in index.data(COVERAGE_ROLE)] == [
        ChartVerdict.DISCLOSED,
        ChartVerdict.CANDIDATE,
        ChartVerdict.NOTHING,
    ]
    judged.acts.actions["Order by matched features"].trigger()
    settle(qtbot, judged)
    assert [model.hit(row).patent.id for row in range(3)] == [1, 2, 3], (
        "all disclose one: ties keep the order"
    )


# Reader and claim


def test_a_feature_goes_to_the_passage_of_the_ruling_then_to_the_other_candidates(qtbot, judged: MainWindow):
    buttons = judged.see.reader.features.buttons
    assert [button.text() for button in buttons] == ["● 91", "◐ 40", "– 5"]
    assert (
        "F1: disclosed (probability 91), best passage claim 1; judge words 1" in buttons[0].accessibleName()
    )
    reader, board = judged.see.reader, judged.board
    press(judged.see.results.table, KEY.Key_1)
    assert board.passage == 10_001
    assert reader.strip.text().startswith("F1: disclosed (probability 91), best passage claim 1")
    press(judged.see.results.table, KEY.Key_1)
    assert board.passage == 10_000
    assert "passage 2 of 3 that the judge read" in reader.strip.text()
    press(judged.see.results.table, KEY.Key_1)
    assert board.passage == 10_002


def lines(window: MainWindow) -> dict[str, QTextCharFormat.UnderlineStyle]:
    """The last line below each text of the claim."""
    window.see.claim.text.paint_marks()
    return {
        each.cursor.selectedText(): each.format.underlineStyle()
        for each in window.see.claim.text.extraSelections()
        if each.format.underlineStyle() != QTextCharFormat.UnderlineStyle.NoUnderline
    }


def test_the_words_of_the_feature_are_literal_by_meaning_or_missing(qtbot, judged: MainWindow):
    claim = judged.see.claim
    assert not claim.terms.isVisibleTo(claim)
    press(judged.see.results.table, KEY.Key_3)
    found = lines(judged)
    style = QTextCharFormat.UnderlineStyle
    assert found["spring"] == style.SingleUnderline
    assert found["that"] == style.DashUnderline
    assert found["preloaded"] == style.WaveUnderline
    assert claim.terms.isVisibleTo(claim)
    assert claim.terms.accessibleName() == (
        "Words of F3 in abstract: literal: spring; by meaning: that; missing: preloaded"
    )
    evidence = judged.see.evidence
    assert evidence.ruling.text().startswith("F3 nothing near (probability 5)")
    assert evidence.ruling.text().endswith("judge words 1, not part of the score")
    press(judged.see.results.table, KEY.Key_3)  # another candidate: the words are those of the first
    assert not claim.terms.isVisibleTo(claim)
    press(judged.see.results.table, KEY.Key_Escape)
    assert not evidence.ruling.isVisibleTo(evidence)


def test_a_document_outside_the_list_is_judged_when_it_is_open(qtbot, judged: MainWindow):
    judged.wiring.reading.open_publication(str(publication(7)))
    qtbot.waitUntil(lambda: judged.do.reader.view.summary.id == 7)
    settle(qtbot, judged)
    assert judged.board.ruling("F1") is not None
    assert judged.see.reader.features.buttons[0].text() == "● 91"


# What a verdict is worth


def test_what_a_verdict_is_worth_is_one_click_away(qtbot, judged: MainWindow):
    front(judged, "matrix")
    judged.see.matrix.worth.click()
    settle(qtbot, judged)
    (sheet,) = judged.findChildren(VerdictSheet)
    said = "\n".join(label.text() for label in sheet.findChildren(QLabel))
    for words in (*PROMISES.values(), *ABSTENTION):
        assert words in said
    assert "words 1; reads English. Disclosed from 80, candidate from 30." in said
    assert "The probabilities were fitted on invented charts." in said
    assert "Measured on 20 charts:\n88 of 100 cells called disclosed were right" in said
    assert not sheet.findChildren(ReliabilityDiagram), "its package keeps none"
    sheet.close()


FOUND = Reliability(
    (ReliabilityBin(0.2, 0.3, 40, 0.25, 10), ReliabilityBin(0.8, 0.9, 20, 0.85, 18)),
    (WordingFigures("same", 12, 15, 1), WordingFigures("near_miss", 2, 22, 8)),
)


@pytest.mark.styled
def test_the_figures_by_wording_are_behind_a_click(qtbot, judged: MainWindow, services: FakeServices):
    services.reliability = FOUND
    judged.do.matrix.ask_judge()
    settle(qtbot, judged)
    (sheet,) = judged.findChildren(VerdictSheet)
    table, diagram = sheet.figures.table, sheet.figures.diagram
    assert not table.isVisible()
    sheet.more.click()
    assert table.isVisible()
    assert diagram.isVisible()
    shown = [
        [table.item(row, column).text() for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]
    assert shown == [list(row) for row in wording_rows(FOUND.wordings)]
    assert not table.verticalScrollBar().maximum()
    assert not table.horizontalScrollBar().maximum()
    assert diagram.accessibleDescription().splitlines() == list(reliability_sentences(FOUND))
    QApplication.processEvents()
    assert sheet.width() <= sheet.screen().availableGeometry().width()
    sheet.more.click()
    assert not table.isVisible()
    assert all(label.isVisible() for label in sheet.findChildren(QLabel) if label.text() in ABSTENTION)
    sheet.close()


@pytest.mark.styled
def test_the_sheet_has_the_figures_of_both_judges(qtbot, judged: MainWindow, services: FakeServices):
    services.reliability = FOUND
    services.second = JudgeFacts(
        "large & 1", 0.7, 0.2, measured={"precision": 0.95}, measured_on="9 charts", calibrated=True,
        reliability=FOUND, first=4, candidates=24,
    )  # fmt: skip
    services.second.measured.update(dict.fromkeys(("precision_low", "recall", "near", "silenced"), 0.5))
    judged.do.matrix.ask_judge()
    settle(qtbot, judged)
    (sheet,) = judged.findChildren(VerdictSheet)
    # The text is longer than this screen; the buttons stay on it.
    words = sheet.findChild(QScrollArea)
    assert words.verticalScrollBar().maximum() > 0
    assert not words.horizontalScrollBar().maximum()
    assert sheet.frameGeometry().height() <= sheet.screen().availableGeometry().height()
    said = [label.text() for label in sheet.findChildren(QLabel)]
    assert said.index("The judge") < said.index("Second judge")
    assert "large & 1; reads any language. Disclosed from 70, candidate from 20." in said
    sheet.more.click()
    tabs = sheet.figures
    assert tabs.isVisible()
    assert [tabs.tabText(at) for at in range(tabs.count())] == ["words 1", "large && 1"]
    assert "Figures with up to 24 passages of a document read" in [
        label.text() for label in tabs.widget(1).findChildren(QLabel)
    ]
    sheet.close()


def test_the_diagram_of_a_judge_with_a_second_has_the_bounds_of_its_figures(qtbot, monkeypatch):
    drawn = []

    class Recorded(ReliabilityDiagram):
        def __init__(self, found, **bounds):
            drawn.append(bounds)
            super().__init__(found, **bounds)

    monkeypatch.setattr(worth, "ReliabilityDiagram", Recorded)
    facts = JudgeFacts("words 1", 0.9, 0.4, reliability=FOUND, figures_bounds=Bounds(0.7, 0.2))
    for each in (facts, replace(facts, figures_bounds=None)):
        qtbot.addWidget(JudgeFigures(each, FOUND, deep=True))
    assert drawn == [{"disclosed": 0.7, "candidate": 0.2}, {"disclosed": 0.9, "candidate": 0.4}]


@pytest.mark.styled
@pytest.mark.parametrize("colours_of", [theme.LIGHT, theme.DARK])
def test_a_dot_stands_at_its_share_in_both_themes(qtbot, qapp: QApplication, colours_of: theme.Theme):
    theme.apply(qapp, colours_of)
    diagram = ReliabilityDiagram(FOUND, disclosed=2.0, candidate=0.5)
    qtbot.addWidget(diagram)
    diagram.resize(500, 300)
    picture = diagram.grab().toImage()
    accent = QColor(colours_of.accent).name()
    places = [(x, y) for x in range(500) for y in range(300) if picture.pixelColor(x, y).name() == accent]
    (left, low), (right, high) = (
        [sum(each) / len(half) for each in zip(*half, strict=True)]
        for half in (
            [place for place in places if place[0] < 250],
            [place for place in places if place[0] >= 250],
        )
    )
    assert left < 220 < 330 < right
    assert high < 110 < 190 < low, "9 of 10 stand above 1 of 4"


def test_without_a_judge_the_sheet_says_so(qtbot, window: MainWindow):
    window.do.matrix.ask_judge()
    settle(qtbot, window)
    (sheet,) = window.findChildren(VerdictSheet)
    assert any(label.text() == NO_JUDGE for label in sheet.findChildren(QLabel))
    sheet.close()
    QApplication.processEvents()


def test_every_state_of_a_term_has_a_line_of_its_own():
    from claimlight_workbench.widgets.terms import TERM_LINES

    assert set(TERM_LINES) == set(TermState)
    assert len(set(TERM_LINES.values())) == len(TermState)
