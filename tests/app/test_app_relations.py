"""Dates, date statuses and the date limit, the columns of the results, family and citation panels."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from claimlight.services.search.date_words import TEXTS
from claimlight.tasks import TaskContext
from claimlight.types import (
    CitationLink,
    CitationView,
    ClaimPriority,
    DateFinding,
    DateStatus,
    Origin,
    PatentId,
    PublicationNumber,
    ReferenceDates,
    Related,
    Relation,
    RuleSet,
    Zone,
    ZoneCount,
)
from claimlight_workbench import theme, ui_state
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.main_window.session import claim_texts, dates_of, limit_of
from claimlight_workbench.models.columns import COLUMNS, Needs
from claimlight_workbench.screens.query.dates import dates_text
from claimlight_workbench.screens.reader.describe import front_page
from claimlight_workbench.screens.relations.describe import citation_title, groups
from claimlight_workbench.ui_state import Session
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, publication, summary
from tests.app.test_app_query_line import run_line

KEY = Qt.Key


def cell(window: MainWindow, row: int, column: Column, role: int = int(Qt.ItemDataRole.DisplayRole)) -> str:
    return str(window.see.results.model.index(row, column).data(role))


def statuses(window: MainWindow) -> list[str]:
    return [cell(window, row, Column.ZONE) for row in range(3)]


def test_rows_carry_three_dates_and_their_status(window: MainWindow, services: FakeServices):
    assert services.asked[-1].reference == ReferenceDates(date(2013, 3, 4), date(2012, 3, 4))
    assert services.asked[-1].claim == 1
    assert statuses(window) == ["Full prior art", "Full prior art", "Full prior art"]
    dates = [cell(window, 0, column) for column in (Column.DATE, Column.PRIORITY, Column.FILED)]
    assert dates == ["2001-03-04", "1999-03-04", "2000-03-04"]
    tip = cell(window, 0, Column.ZONE, int(Qt.ItemDataRole.ToolTipRole))
    assert max(map(len, tip.splitlines())) <= 70
    assert " ".join(tip.splitlines()[:-3]) == TEXTS[DateStatus.EPC_PUBLISHED]
    assert tip.splitlines()[-3:] == [
        "published 2001-03-04",
        "filed 2000-03-04",
        "priority 1999-03-04",
    ]
    spoken = cell(window, 0, Column.ZONE, int(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken == TEXTS[DateStatus.EPC_PUBLISHED]
    assert services.asked[-1].before is None


@pytest.mark.styled
def test_every_zone_looks_different(window: MainWindow):
    table = window.see.results.table
    cell_place = table.visualRect(window.see.results.model.index(0, Column.ZONE))
    patent = window.see.results.model.hit(0).patent.id
    pictures = []
    for status in (
        DateStatus.EPC_PUBLISHED,
        DateStatus.EPC_P,
        DateStatus.EPC_E,
        DateStatus.EPC_LATER,
        DateStatus.UNKNOWN,
    ):
        window.see.results.show_zones({patent: DateFinding(status, "same")}, all_new=True)
        pictures.append(table.viewport().grab(cell_place).toImage())
    shapes = pictures[:4]
    assert all(a != b for at, a in enumerate(shapes) for b in shapes[:at])
    assert pictures[3] == pictures[4], "these two are told apart by their words"


def test_a_row_that_is_no_prior_art_is_grey_in_searches_and_sets(qtbot, window: MainWindow, services):
    def colours(row: int) -> list[str]:
        model = window.see.results.model
        roles = [model.index(row, column).data(int(Qt.ItemDataRole.ForegroundRole)) for column in Column]
        return [each.name() if each is not None else "" for each in roles]

    assert set(colours(0)) == {""}
    window.do.query.set_dates(ReferenceDates(date(1990, 1, 1)))
    settle(qtbot, window)
    assert set(colours(0)) == {theme.LIGHT.muted}
    run_line(qtbot, window, "everything")
    qtbot.waitUntil(lambda: window.see.results.model.hit(0) is not None)
    assert statuses(window)[0] == "Not prior art (later)"
    assert set(colours(0)) == {theme.LIGHT.muted}


def test_the_dates_of_the_application_are_edited(qtbot, window: MainWindow, services: FakeServices):
    bar = window.see.bar
    assert bar.dates.text() == "EPC · Filed 2013-03-04 · Priority 2012-03-04 (validity not checked)"
    panel = bar.dates.panel
    panel.priority.day.setDate(QDate(2002, 1, 1))
    settle(qtbot, window)
    asked = ReferenceDates(date(2013, 3, 4), date(2002, 1, 1), confirmed=True)
    assert services.zones_asked[-1] == (asked, 1)
    assert statuses(window) == ["Full prior art", "P, 54(3)", "P, 54(3)"]
    panel.verified.setChecked(True)
    settle(qtbot, window)
    assert statuses(window) == ["Full prior art", "P, 54(3) only", "P, 54(3) only"]
    assert bar.dates.text() == "EPC · Filed 2013-03-04 · Priority 2002-01-01 (valid)"
    panel.filed.box.setChecked(False)
    panel.priority.box.setChecked(False)
    settle(qtbot, window)
    assert bar.dates.text() == "Dates…"
    assert window.see.results.table.isColumnHidden(Column.ZONE)
    assert statuses(window) == ["", "", ""]


def test_the_law_is_chosen_and_every_row_follows(qtbot, window: MainWindow, services: FakeServices):
    panel = window.see.bar.dates.panel
    panel.priority.day.setDate(QDate(2002, 1, 1))
    panel.rules.setCurrentIndex(panel.rules.findData(RuleSet.US.value))
    panel.rules.activated.emit(panel.rules.currentIndex())
    settle(qtbot, window)
    assert statuses(window) == ["102(a)(1), grace?", "P", "P"]
    assert "102(b)(1)" in cell(window, 0, Column.ZONE, int(Qt.ItemDataRole.ToolTipRole))
    assert window.see.bar.dates.text().startswith("US · Filed 2013-03-04")
    assert services.kept_dates[0].rules is RuleSet.US


def test_proposed_dates_are_proposed_until_somebody_confirms_them(qtbot, window: MainWindow, services):
    panel = window.see.bar.dates.panel
    assert not panel.verified.isChecked()
    assert not panel.confirm.isHidden()
    assert not panel.proposal.isHidden()
    assert panel.relevant.text() == "Relevant date: 2013-03-04"
    assert panel.own.day.date() == QDate(2012, 3, 4), "what is off begins with a day of the application"
    panel.confirm.click()
    settle(qtbot, window)
    assert panel.confirm.isHidden()
    assert panel.proposal.isHidden()
    kept, limit = services.kept_dates
    assert kept == ReferenceDates(date(2013, 3, 4), date(2012, 3, 4), confirmed=True)
    assert limit is None
    panel.verified.setChecked(True)
    settle(qtbot, window)
    assert panel.relevant.text() == "Relevant date: 2012-03-04"


def test_the_status_follows_the_claim(qtbot, window: MainWindow, services: FakeServices):
    bar = window.see.bar
    window.wiring.asking.choose_claim(2)
    settle(qtbot, window)
    panel = bar.dates.panel
    assert panel.own.box.text() == "Different priority date for claim 2"
    panel.own.box.setChecked(True)
    panel.own.day.setDate(QDate(2002, 1, 1))
    settle(qtbot, window)
    assert statuses(window) == ["Full prior art", "P, 54(3)", "P, 54(3)"]
    window.wiring.asking.choose_claim(1)
    settle(qtbot, window)
    assert statuses(window) == ["Full prior art", "Full prior art", "Full prior art"]
    assert not panel.own.box.isChecked()
    window.wiring.asking.choose_claim(2)
    settle(qtbot, window)
    assert statuses(window) == ["Full prior art", "P, 54(3)", "P, 54(3)"]
    panel.none.setChecked(True)
    settle(qtbot, window)
    assert not panel.own.box.isChecked()
    assert window.do.query.dates.claims == (ClaimPriority(2, None),)
    assert bar.dates.text() == "EPC · Filed 2013-03-04 · No priority"
    assert not panel.verified.isEnabled()


def test_rows_of_a_set_have_statuses_too(qtbot, window: MainWindow, services: FakeServices):
    services.many = 500
    run_line(qtbot, window, "everything")
    qtbot.waitUntil(lambda: window.see.results.model.hit(0) is not None)
    assert cell(window, 0, Column.ZONE) == "Full prior art"
    window.do.query.set_dates(ReferenceDates(date(2001, 1, 1)))
    settle(qtbot, window)
    assert cell(window, 0, Column.ZONE) == "E"
    window.see.results.go_to(480)
    qtbot.waitUntil(lambda: window.see.results.model.hit(480) is not None)
    assert [cell(window, row, Column.ZONE) for row in (479, 480)] == ["Full prior art", "E"]


# The date limit


def test_the_limit_is_off_and_begins_with_the_relevant_date(qtbot, open_window, services: FakeServices):
    window = open_window()
    bar = window.see.bar
    assert not bar.dated.isChecked()
    assert bar.date.date() == QDate(2013, 3, 4)
    bar.dates.panel.verified.setChecked(True)
    settle(qtbot, window)
    assert bar.date.date() == QDate(2012, 3, 4)
    assert bar.date.accessibleName() == "Published before"
    session = window.collect()
    assert session.limit == ""
    second = open_window(session=session)
    assert not second.see.bar.dated.isChecked()
    assert second.see.bar.date.date() == QDate(2012, 3, 4)
    assert second.do.query.before is None
    second.see.bar.dated.setChecked(True)
    assert second.do.query.before == date(2012, 3, 4)
    assert second.collect().limit == "2012-03-04"


def test_what_the_limit_hides_is_said_and_shown_by_one_click(qtbot, window: MainWindow, services):
    services.hidden = (ZoneCount(Zone.P, 3), ZoneCount(Zone.E, 6))
    bar, results = window.see.bar, window.see.results
    bar.dated.setChecked(True)
    assert "Ctrl+Enter searches again" in results.count.text(), "these rows were found without the limit"
    window.acts.run()
    settle(qtbot, window)
    assert "Ctrl+Enter searches again" not in results.count.text()
    assert results.hidden.isVisible()
    assert results.hidden.text.text() == "9 documents hidden by the date limit: 3 P, 6 E"
    services.hidden = ()
    QTest.mouseClick(results.hidden.button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert services.asked[-1].before is None
    assert not bar.dated.isChecked()
    assert not results.hidden.isVisible()


def test_the_limit_of_a_line_is_lifted_for_that_line(qtbot, window: MainWindow, services: FakeServices):
    services.hidden = (ZoneCount(Zone.LATER, 1),)
    window.see.bar.dated.setChecked(True)
    run_line(qtbot, window, "damper")
    assert window.see.results.hidden.text.text() == (
        "1 document hidden by the date limit: 1 not prior art (later)"
    )
    services.hidden = ()
    QTest.mouseClick(window.see.results.hidden.button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert window.see.results.model.found.request.before is None
    assert window.see.results.model.found.line == "damper"


def test_a_list_without_a_row_says_why(qtbot, window: MainWindow, services: FakeServices):
    services.cause = "The library is empty: import documents."
    window.acts.run()
    settle(qtbot, window)
    assert window.see.results.count.text() == "Nothing found. The library is empty: import documents."


def test_dates_law_and_limit_of_the_case_come_back_with_it(qtbot, open_window, services: FakeServices):
    kept = ReferenceDates(date(2012, 1, 1), date(2011, 1, 1), True, rules=RuleSet.US, confirmed=True)
    services.kept_dates = (kept, date(2010, 1, 1))
    window = open_window()
    settle(qtbot, window)
    assert window.do.query.dates == kept
    assert window.do.query.before == date(2010, 1, 1)
    assert window.see.bar.dates.panel.verified.isChecked()


@pytest.mark.parametrize(
    "dates",
    [
        None,
        ReferenceDates(date(2019, 5, 2), date(2018, 5, 3)),
        ReferenceDates(
            date(2019, 5, 2), None, verified=True, rules=RuleSet.US, applicant="ACME", confirmed=True
        ),
        ReferenceDates(
            None, date(2018, 5, 3), claims=(ClaimPriority(3, date(2018, 7, 8)), ClaimPriority(12, None))
        ),
    ],
)
def test_dates_come_back_with_the_session(qtbot, open_window, dates):
    window = open_window()
    window.do.query.set_dates(dates)
    settle(qtbot, window)
    assert dates_of(window.collect()) == dates


def test_a_damaged_date_of_a_session_counts_as_missing():
    session = Session(filed="yesterday", priority="2018-05-03", claim_priorities=("3=never", "x=1", "4="))
    found = dates_of(session)
    assert found == ReferenceDates(
        None, date(2018, 5, 3), claims=(ClaimPriority(3, None), ClaimPriority(4, None))
    )
    assert claim_texts(found) == ("3=", "4=")


def test_the_button_says_what_counts():
    claims = (ClaimPriority(2, date(2018, 9, 9)),)
    dates = ReferenceDates(date(2019, 5, 2), date(2018, 5, 3), verified=True, claims=claims)
    assert dates_text(dates, 1) == "EPC · Filed 2019-05-02 · Priority 2018-05-03 (valid)"
    assert dates_text(dates, 2) == "EPC · Filed 2019-05-02 · Priority 2018-09-09 (valid)"
    assert dates_text(None, 1) == "Dates…"


def test_a_session_of_an_earlier_version_has_nothing_verified_and_no_limit(tmp_path):
    """It kept both as they were ticked at the start, whoever had looked at them."""
    path = tmp_path / "session.json"
    path.write_text(
        json.dumps(
            {
                "schema": 1,
                "filed": "2019-05-02",
                "priority": "2018-05-03",
                "priority_verified": True,
                "before": "2018-05-03",
            }
        )
    )
    session = ui_state.load(path)
    assert dates_of(session) == ReferenceDates(date(2019, 5, 2), date(2018, 5, 3))
    assert not dates_of(session).verified
    assert limit_of(session) is None


@pytest.mark.styled
def test_the_dates_leave_room_in_a_narrow_window(qtbot, window: MainWindow):
    texts, bar = [], window.see.bar.parentWidget()
    for wide in (2000, 1260, 1150):
        window.resize(wide, 800)
        QApplication.processEvents()
        # What a shorter text leaves can be given up when the layout of the window has heard of it.
        qtbot.waitUntil(lambda: window.minimumWidth() <= bar.minimumSizeHint().width())
        texts.append(window.see.bar.dates.text())
    short = "Priority 2012-03-04 ?"
    assert texts == ["EPC · Filed 2013-03-04 · Priority 2012-03-04 (validity not checked)", short, short]
    assert window.width() == 1150
    assert "Filed 2013-03-04" in window.see.bar.dates.accessibleName()


def test_a_document_that_is_cited_twice_is_counted_once_and_listed_twice():
    def link(kind="", origin=Origin.SEARCH, held=0, text=""):
        number = PublicationNumber("EP", "1000003", kind) if kind else None
        return CitationLink(number, summary(held) if held else None, text, "X", origin)

    twice = CitationView(
        (
            link("A1", held=3),
            link("A1", Origin.APPLICANT, held=3),
            link("B1"),
            link(text="Smith, On  dampers"),
            link(text="smith, On dampers"),
        ),
        (link("A1", held=3),),
    )
    assert citation_title(twice) == "Cites 2 documents, cited by 1  ·  1 in this library"
    made = groups(twice)
    assert [each.title for each in made] == [
        "Cites – search report (2 documents, 4 citations)",
        "Cites – applicant (1)",
        "Cited by – search report (1)",
    ]
    assert [len(each.links) for each in made] == [4, 1, 1]


# Columns


def test_columns_are_hidden_by_the_header_and_stay_hidden(qtbot, open_window, services: FakeServices):
    window = open_window()
    header = window.see.results.table.horizontalHeader()
    header.customContextMenuRequested.emit(header.rect().center())
    (menu,) = header.findChildren(QMenu)
    named = {action.text(): action for action in menu.actions()}
    assert "Title" not in named
    assert named["Date status"].isChecked()
    named["Date status"].trigger()
    menu.close()
    window.acts.actions["Column Published"].trigger()
    table = window.see.results.table
    assert table.isColumnHidden(Column.ZONE)
    assert table.isColumnHidden(Column.DATE)
    session = window.collect()
    assert session.hidden_columns == ("date", "zone")
    second = open_window(session=session)
    assert second.see.results.table.isColumnHidden(Column.DATE)
    second.acts.actions["Column Date status"].trigger()
    assert not second.see.results.table.isColumnHidden(Column.ZONE)


@pytest.mark.styled
def test_columns_give_way_in_a_narrow_window(qtbot, window: MainWindow):
    table = window.see.results.table
    shown = []
    for wide in (2600, 1600, 1366):
        window.resize(wide, 900)
        settle(qtbot, window)
        shown.append([column for column in Column if not table.isColumnHidden(column)])
        assert table.columnWidth(Column.TITLE) >= table.fontMetrics().averageCharWidth() * 10
    assert {Column.FILED, Column.PRIORITY, Column.APPLICANT, Column.RANKS} <= set(shown[0])
    assert set(shown[0]) > set(shown[1]) > set(shown[2])
    assert {Column.PUBLICATION, Column.ZONE, Column.TITLE} <= set(shown[2])


@pytest.mark.styled
def test_the_title_can_be_read_on_a_small_screen_and_nothing_is_off_it(qtbot, window, services):
    table = window.see.results.table
    window.resize(1366, 768)
    window.panels.reset()
    for word in re.finditer(r"\w+", window.do.query.query.text):
        window.do.query.mark(*word.span())
    window.acts.run()
    settle(qtbot, window)
    assert len(window.see.results.model.results.request.query.features) == 12
    shown = [column for column in Column if not table.isColumnHidden(column)]
    assert table.columnWidth(Column.TITLE) >= table.fontMetrics().averageCharWidth() * 16
    assert sum(table.columnWidth(column) for column in shown) <= table.viewport().width()
    assert Column.DATE not in shown


@pytest.mark.styled
def test_the_gain_does_not_push_the_title_off_a_small_screen(qtbot, window: MainWindow):
    table = window.see.results.table
    window.resize(1250, 768)
    window.panels.reset()
    settle(qtbot, window)
    window.see.results.columns.show_kind(has=Needs, ranks=50)
    shown = [column for column in Column if not table.isColumnHidden(column)]
    assert Column.GAIN in shown
    assert table.columnWidth(Column.TITLE) >= table.fontMetrics().averageCharWidth() * 16
    assert sum(table.columnWidth(column) for column in shown) <= table.viewport().width()


def test_the_date_stays_where_no_status_stands_for_it(qtbot, window: MainWindow):
    table = window.see.results.table
    window.see.results.columns.toggle(COLUMNS[Column.ZONE])
    window.resize(1100, 768)
    settle(qtbot, window)
    assert not table.isColumnHidden(Column.DATE)


# Family and citations


def test_b_shows_the_family_and_enter_opens_a_member(qtbot, window: MainWindow):
    press(window.see.results.table, KEY.Key_B)
    settle(qtbot, window)
    panel = window.see.family
    assert panel.list.hasFocus()
    assert panel.title.text() == "Family of 2 members in this library  ·  priority DE 102001 2001-01-02"
    rows = [
        [panel.list.topLevelItem(row).text(column) for column in range(6)]
        for row in range(panel.list.topLevelItemCount())
    ]
    assert rows == [
        ["●", "EP 1 000 001 A1", "Application with search report", "2001-03-04", "2000-03-04", "1999-03-04"],
        ["", "EP 1 000 002 A1", "Application with search report", "2002-03-04", "2001-03-04", "2000-03-04"],
        ["Filing history (2, 1 in this library)", "", "", "", "", ""],
        ["", "US 12/345,678", "continuation of", "", "", ""],
        ["", "EP 1 000 003 A1", "US 12345678: division of", "2003-03-04", "2002-03-04", "2001-03-04"],
    ]
    assert panel.list.topLevelItem(3).text(6) == "of 2000-05-06"
    spoken = int(Qt.ItemDataRole.AccessibleTextRole)
    said = panel.list.topLevelItem(3).data(0, spoken)
    assert said == "continuation of US 12/345,678 of 2000-05-06, not in this library"
    assert panel.list.currentItem().text(1) == "EP 1 000 001 A1"
    press(panel.list, KEY.Key_Down)
    press(panel.list, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    assert panel.list.currentItem().text(1) == "EP 1 000 002 A1"


def test_a_document_of_the_filing_history_opens_where_it_is_held(qtbot, window: MainWindow):
    press(window.see.results.table, KEY.Key_B)
    settle(qtbot, window)
    panel = window.see.family
    panel.list.setCurrentItem(panel.list.topLevelItem(3))
    press(panel.list, KEY.Key_Return)
    settle(qtbot, window)
    assert window.do.reader.view.summary.publication == publication(1)
    panel.list.setCurrentItem(panel.list.topLevelItem(4))
    press(panel.list, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(3))


def test_the_line_of_the_reader_names_near_relations_only(window: MainWindow):
    near, far = PublicationNumber("US", "12345678"), PublicationNumber("US", "11345678")
    told = (
        Related(Relation.CONTINUATION, near, date(2000, 5, 6)),
        Related(Relation.DIVISION, far, of=near),
    )
    line = front_page(replace(window.do.reader.view, relations=told))
    assert "continuation of US 12/345,678 of 2000-05-06" in line
    assert "US11345678" not in line


def test_c_shows_citations_both_ways_and_those_held_open(qtbot, window: MainWindow):
    press(window.see.results.table, KEY.Key_C)
    settle(qtbot, window)
    panel = window.see.citations
    assert panel.list.hasFocus()
    assert panel.title.text() == "Cites 3 documents, cited by 1  ·  2 in this library"
    heads = [panel.list.topLevelItem(row) for row in range(panel.list.topLevelItemCount())]
    assert [head.text(0) for head in heads] == [
        "Cites – search report (1)",
        "Cites – applicant (2)",
        "Cited by – examiner (1)",
    ]
    held, elsewhere = heads[0].child(0), heads[1].child(0)
    assert [held.text(column) for column in range(5)] == [
        "EP 1 000 003 A1",
        "X",
        "2003-03-04",
        "Damper number 3",
        "claims 1-3; p. 4",
    ]
    grey = QColor(theme.active().muted)
    assert elsewhere.foreground(0).color() == grey
    assert held.foreground(0).color() != grey
    assert heads[1].child(1).text(3) == "Smith, On dampers, 1999"
    spoken = elsewhere.data(0, Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "US 5,000,000 A, category A, not in this library"
    panel.list.setCurrentItem(elsewhere)
    press(panel.list, KEY.Key_Return)
    settle(qtbot, window)
    assert window.do.reader.view.summary.publication == publication(1)
    panel.list.setCurrentItem(held)
    press(panel.list, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(3))


@pytest.mark.styled
def test_columns_without_content_leave_their_room_to_the_title(qtbot, window, services, monkeypatch):
    real = services.citations

    def bare(patent, context):
        view = real(patent, context)
        return replace(view, cites=view.cites[:1], cited_by=())

    monkeypatch.setattr(services, "citations", bare)
    window.resize(1100, 800)
    press(window.see.results.table, KEY.Key_C)
    settle(qtbot, window)
    tree = window.see.citations.list
    assert [tree.isColumnHidden(column) for column in range(5)] == [False, False, True, False, True]
    assert tree.columnWidth(3) >= tree.fontMetrics().averageCharWidth() * 16
    monkeypatch.setattr(services, "citations", real)
    window.do.relations.forget()
    settle(qtbot, window)
    assert not any(tree.isColumnHidden(column) for column in range(5))


def test_what_nobody_looks_at_is_not_read(qtbot, window: MainWindow, services: FakeServices, monkeypatch):
    asked, real = [], services.citations

    def remembered(patent, context):
        asked.append(patent)
        return real(patent, context)

    monkeypatch.setattr(services, "citations", remembered)
    window.see.results.table.setFocus()
    press(window.see.results.table, KEY.Key_Down)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.publication == publication(2))
    settle(qtbot, window)
    assert asked == []
    press(window.see.results.table, KEY.Key_C)
    settle(qtbot, window)
    assert asked == [2]
    window.see.results.table.setFocus()
    QTest.keyClick(window.see.results.table, KEY.Key_Down)
    qtbot.waitUntil(lambda: asked == [2, 3])


def test_the_reader_says_in_which_language_a_document_is(qtbot, window: MainWindow, services: FakeServices):
    reader = window.see.reader
    assert "  ·  in English  ·  published 2001-03-04" in reader.front.line.text()
    view = services.document(PatentId(1), TaskContext())
    reader.show_document(replace(view, summary=replace(view.summary, language="de")))
    assert "in German" in reader.front.line.text()
    reader.show_document(replace(view, summary=replace(view.summary, language="")))
    assert " in " not in reader.front.line.text()
