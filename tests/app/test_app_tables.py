"""The tables of the window: one more row is one more column or category, everywhere it is to be seen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton

from claimlight.types import Category
from claimlight_workbench import bootstrap
from claimlight_workbench.main_window import panels
from claimlight_workbench.models import categories
from claimlight_workbench.models.categories import CategoryRow
from claimlight_workbench.models.columns import COLUMNS, Column
from claimlight_workbench.screens.results.view import ResultsView
from tests.app.driving import press

COUNTRY = Column(
    key="country",
    heading="Ctry",
    name="Country",
    help="Country of the office",
    sample="WO",
    text=lambda row: row.hit.patent.publication.country,
    tip=lambda row: f"published by {row.hit.patent.publication.country}",
)


@pytest.mark.styled
def test_a_row_of_the_table_is_a_column(qtbot, window):
    view = ResultsView(columns=(*COLUMNS[:4], COUNTRY, *COLUMNS[4:]))
    qtbot.addWidget(view)
    view.show_results(window.see.results.model.results)
    model, cell = view.model, view.model.index(0, 4)
    header = Qt.Orientation.Horizontal
    assert model.headerData(4, header) == "Ctry"
    assert model.headerData(4, header, Qt.ItemDataRole.ToolTipRole) == "Country of the office"
    assert cell.data() == "EP"
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == "published by EP"
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "EP"
    assert model.index(0, 5).data() == window.see.results.model.index(0, 4).data()
    assert view.table.columnWidth(4) >= view.table.fontMetrics().horizontalAdvance("WO")
    view.columns.set_hidden(("country",))
    assert view.table.isColumnHidden(4)
    assert view.columns.names() == ("country",)
    view.columns.toggle(COUNTRY)
    assert not view.table.isColumnHidden(4)


def test_keys_of_columns_are_those_of_earlier_sessions():
    assert [column.key for column in COLUMNS] == [
        "rank",
        "seen",
        "mark",
        "publication",
        "depth",
        "date",
        "zone",
        "coverage",
        "gain",
        "title",
        "family",
        "priority",
        "filed",
        "ranks",
        "applicant",
    ]


def test_a_row_of_the_table_is_a_category(qtbot, monkeypatch, open_window):
    row = CategoryRow(Category.P, "intermediate document", key="Ctrl+Alt+P")
    others = tuple(each for each in categories.CATEGORIES if each.category is not Category.P)
    monkeypatch.setattr(categories, "CATEGORIES", (*others, row))
    window = open_window()
    window.acts.run()
    qtbot.waitUntil(lambda: window.do.case.state is not None and len(window.do.case.state.sets) == 1)
    action = window.acts.actions["Category P"]
    assert action.shortcuts() == [QKeySequence("Ctrl+Alt+P")]
    [button] = [each for each in window.see.case.findChildren(QPushButton) if each.text() == "P"]
    assert button.toolTip() == "P: intermediate document (key Ctrl+Alt+P)"
    assert button.accessibleName() == "Category P: intermediate document"
    publication = str(window.do.reader.view.summary.publication)
    press(
        window.see.reader.text,
        Qt.Key.Key_P,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier,
    )
    qtbot.waitUntil(lambda: window.do.case.categories.get(publication) is Category.P)
    assert window.see.results.model.given(window.see.results.current_hit()).category is Category.P


def test_a_row_of_the_table_is_a_panel(qtbot, monkeypatch, open_window):
    row = panels.Panel(
        name="drawings",
        title="Drawings",
        manual="guide/library.md",
        area=panels.BELOW,
        make_view=lambda _board: QLineEdit(),
        behind="evidence",
        hidden=True,
        go=panels.Go("&Go", "To the drawings", ("Ctrl+Alt+D",)),
        focus=lambda view: view,
    )
    monkeypatch.setattr(panels, "PANELS", (*panels.PANELS, row))
    window = open_window()
    dock = window.panels.docks["drawings"]
    assert dock.windowTitle() == "Drawings"
    assert dock.isHidden()
    assert "Drawings" in window.acts.actions
    assert window.acts.actions["To the drawings"].shortcuts() == [QKeySequence("Ctrl+Alt+D")]
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    press(window.see.reader.text, Qt.Key.Key_D, modifiers)
    qtbot.waitUntil(lambda: not dock.isHidden() and window.focusWidget() is dock.widget())
    assert dock in window.tabifiedDockWidgets(window.panels.docks["evidence"])
    window.panels.reset()
    assert dock.isHidden()
    window.acts.actions["Drawings"].trigger()
    assert not dock.isHidden()
    assert bootstrap.parse(["--panel", "drawings"]).panel == "drawings"


def test_names_of_panels_are_those_of_saved_arrangements():
    assert [panel.name for panel in panels.PANELS] == [
        "claim",
        "library",
        "evidence",
        "matrix",
        "pairs",
        "center",
        "sets",
        "case",
        "progress",
        "family",
        "citations",
        "classes",
        "map",
        "evaluation",
        "adapting",
        "training",
        "models",
        "classifiers",
        "jobs",
        "reader",
    ]
    assert [panel.name for panel in panels.PANELS if panel.administration] == [
        "evaluation",
        "adapting",
        "training",
        "models",
        "classifiers",
        "jobs",
    ]


def test_home_and_end_go_to_the_first_and_the_last_result(qtbot, window, services):
    table = window.see.results.table
    last = table.model().rowCount() - 1
    assert last > 1
    for key, row in ((Qt.Key.Key_End, last), (Qt.Key.Key_Home, 0)):
        QTest.keyClick(table, key)
        assert table.currentIndex().row() == row
