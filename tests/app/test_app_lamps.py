"""Lamps: warnings at a feature, painted, told and heard in the list, the reader and the evidence."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from claimlight.services.search.cell_words import LAMP_SIGN, LAMP_WORDS
from claimlight.types import Lamp
from claimlight_workbench import theme
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.lamps import LAMP_HELP
from claimlight_workbench.screens.evidence.model import Column as EvidenceColumn
from claimlight_workbench.widgets.lamps import LAMP_SIZE, paint_lamp
from tests.app.driving import Column, press, settle
from tests.app.fake_services import FakeServices, publication

KEY = Qt.Key
SPOKEN = Qt.ItemDataRole.AccessibleTextRole


def test_no_lamp_is_told_by_colour_alone():
    warning = set(Lamp) - {Lamp.NONE}
    assert set(LAMP_SIGN) == set(LAMP_WORDS) == set(LAMP_HELP) == warning
    for table in (LAMP_SIGN, LAMP_WORDS, LAMP_HELP):
        assert len(set(table.values())) == len(warning)


@pytest.mark.styled
@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
def test_lamps_have_shapes_of_their_own(qapp: QApplication, colours):
    theme.apply(qapp, colours)
    drawn = []
    for lamp in Lamp:
        picture = QImage(LAMP_SIZE, LAMP_SIZE, QImage.Format.Format_RGB32)
        picture.fill(Qt.GlobalColor.white)
        painter = QPainter(picture)
        paint_lamp(painter, QRect(0, 0, LAMP_SIZE, LAMP_SIZE), lamp)
        painter.end()
        drawn.append(picture.convertToFormat(QImage.Format.Format_Mono))
    assert all(a != b for at, a in enumerate(drawn) for b in drawn[:at])


@pytest.fixture
def lit(open_window, services: FakeServices) -> MainWindow:
    services.lamps = {(1, "F1"): Lamp.NO_SHARED_WORD, (1, "F3"): Lamp.WORDS_ONLY, (2, "F2"): Lamp.WORDS_ONLY}
    return open_window()


@pytest.mark.styled
def test_the_lamps_of_a_hit_are_painted_told_and_heard(qtbot, lit: MainWindow):
    model = lit.see.results.model
    index = model.index(0, Column.COVERAGE)
    assert index.data(SPOKEN) == (
        "F1 match strength 20 (below threshold), best passage abstract (no shared word), F2 no match, "
        "F3 no match (all words, below threshold)"
    )
    assert index.data(Qt.ItemDataRole.ToolTipRole).splitlines()[:2] == [
        "F1 match strength 20 (below threshold), best passage abstract (no",
        "shared word)",
    ]
    table = lit.see.results.table
    place = table.visualRect(index)
    with_lamps = table.viewport().grab(place).toImage()
    model.set_lamps({})
    assert table.viewport().grab(place).toImage() != with_lamps


def test_the_reader_shows_the_lamps_of_its_document(qtbot, lit: MainWindow):
    first, _, third = lit.see.reader.features.buttons
    assert first.text().endswith("≠")
    assert "no shared word, highlights on" in first.accessibleName()
    assert third.text().endswith("w")
    assert lit.see.evidence.silent.isVisible()
    assert lit.see.evidence.silent.text() == "w F3: all words, below threshold in this document"
    lit.see.results.table.setFocus()
    press(lit.see.results.table, KEY.Key_Down)
    qtbot.waitUntil(lambda: lit.do.reader.view.summary.publication == publication(2))
    settle(qtbot, lit)
    assert lit.see.evidence.silent.text() == "w F2: all words, below threshold in this document"
    press(lit.see.results.table, KEY.Key_Down)
    qtbot.waitUntil(lambda: lit.do.reader.view.summary.publication == publication(3))
    settle(qtbot, lit)
    assert not lit.see.evidence.silent.isVisible()


def test_a_document_outside_the_list_has_lamps_too(qtbot, lit: MainWindow, services: FakeServices):
    services.lamps[(8, "F2")] = Lamp.WORDS_ONLY
    lit.do.reader.open_publication(str(publication(8)))
    settle(qtbot, lit)
    assert services.compared[-1] == ((8,), None)
    assert lit.board.lamps == {"F2": Lamp.WORDS_ONLY}


def test_the_evidence_says_where_no_word_is_shared(lit: MainWindow):
    evidence = lit.see.evidence
    model, link = evidence.model, evidence.model.links[0]
    assert link.match.shared == ()
    shared = model.index(0, EvidenceColumn.SHARED)
    assert shared.data() == "no shared word"
    assert not shared.data(Qt.ItemDataRole.DecorationRole).isNull()
    assert shared.data(Qt.ItemDataRole.ToolTipRole) == LAMP_HELP[Lamp.NO_SHARED_WORD]
    unshared = {each.match.feature for each in model.links if not each.match.shared}
    assert set(lit.board.passage_lamps()) == unshared
    for label in unshared:
        assert f"{label} match strength" in evidence.head.accessibleName()
    assert evidence.head.accessibleName().count("no shared word") == len(unshared)
