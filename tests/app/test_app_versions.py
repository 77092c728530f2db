"""Versions of the claims in the window: compared side by side, added, searched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest

from claimlight.services.cases.claim_versions import compare_claims, compare_words
from claimlight.services.search.queries import claims_of_text
from claimlight.types import Case, CaseId, Change, ClaimVersion
from claimlight_workbench.engine.cases import CaseQuestions
from claimlight_workbench.screens.case.versions import AddVersionDialog, VersionsDialog, piece_html
from claimlight_workbench.screens.query.feature_list import FeatureList
from tests.app.fake_services import query_of

FILED = "1. A damper with a piston and a valve.\n\n2. The damper of claim 1, wherein the valve is of brass."
AMENDED = "1. A damper with a hollow piston and a valve."


@pytest.fixture
def case():
    from datetime import UTC, datetime

    at = datetime(2026, 1, 1, tzinfo=UTC)
    versions = (ClaimVersion("as filed", FILED), ClaimVersion("amended", AMENDED))
    return Case(CaseId(1), "Damper", at, at, AMENDED, versions=versions, version=1)


def test_two_versions_are_shown_side_by_side_and_one_is_chosen(qtbot, case):
    dialog = VersionsDialog(case)
    qtbot.addWidget(dialog)
    asked, used = [], []
    dialog.compare_wanted.connect(lambda *places: asked.append(places))
    dialog.use_wanted.connect(used.append)
    dialog.compare()
    assert asked == [(0, 1)]
    assert not dialog.use.isEnabled(), "it is searched already"
    dialog.show_comparison(compare_claims(claims_of_text(FILED), claims_of_text(AMENDED)))
    rows = [dialog.claims.item(row).text() for row in range(dialog.claims.count())]
    assert rows == ["Claim 1: 1 word inserted", "Claim 2: deleted"]
    assert dialog.left.toPlainText() == "A damper with a piston and a valve."
    assert dialog.right.toPlainText() == "A damper with a {+hollow+} piston and a valve."
    dialog.claims.setCurrentRow(1)
    assert dialog.left.toPlainText().startswith("[-The damper of claim 1")
    assert dialog.right.toPlainText() == ""
    dialog.second.setCurrentIndex(0)
    assert asked[-1] == (0, 0)
    dialog.use.click()
    assert used == ["as filed"]


def test_no_blank_is_left_where_the_other_side_has_words():
    pieces = compare_words("a damper, comprising: a rod", "a damper, comprising a lever and: a rod")
    assert ">" not in piece_html(pieces, Change.DELETED).removeprefix("<p>").removesuffix("</p>")
    assert "comprising: a rod" in piece_html(pieces, Change.DELETED)


def test_an_amended_version_is_entered(qtbot):
    dialog = AddVersionDialog()
    qtbot.addWidget(dialog)
    added = []
    dialog.added.connect(lambda *given: added.append(given))
    dialog.add()
    assert added == [], "without claims nothing is added"
    dialog.text.setPlainText(AMENDED)
    dialog.name.setText(" after R. 161 ")
    dialog.add()
    assert added == [(AMENDED, "after R. 161", None)]


def test_an_amended_version_is_read_from_a_file(qtbot, tmp_path):
    dialog = AddVersionDialog()
    qtbot.addWidget(dialog)
    wanted, added = [], []
    dialog.file_wanted.connect(wanted.append)
    dialog.added.connect(lambda *given: added.append(given))
    path = tmp_path / "amended.xml"
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    drop = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    dialog.dropEvent(drop)
    assert wanted == [path]
    assert "amended.xml" in dialog.told.text()
    dialog.show_unreadable(path, "it has no claims")
    assert dialog.fault.text() == "amended.xml could not be read: it has no claims"
    assert dialog.told.isHidden()
    assert dialog.open_button.isEnabled()
    dialog.read_file(path)
    dialog.show_claims(path, AMENDED)
    dialog.add()
    assert added == [(AMENDED, "", None)]


def test_features_with_new_words_are_marked(qtbot):
    features = FeatureList()
    qtbot.addWidget(features)
    features.show_features(query_of(["a damper", "a hollow piston"]).features)
    features.show_new(lambda text: "hollow" in text)
    first, second = (features.list.item(row) for row in range(2))
    assert (first.font().bold(), second.font().bold()) == (False, True)
    assert "search it again" in second.toolTip()
    features.show_new(lambda _text: False)
    assert not features.list.item(1).font().bold()


def test_the_engine_loads_the_version_that_is_searched(tmp_path: Path):
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext
    from claimlight_workbench.engine.engine import Engine
    from claimlight_workbench.values import ClaimSet

    context = TaskContext()
    engine = Engine(Settings())
    assert isinstance(engine, CaseQuestions)
    try:
        engine.open_case(0, ClaimSet(claims_of_text(FILED), "one", text=FILED), context)
        claims, state = engine.add_version(AMENDED, "", None, context)
        assert claims is not None
        assert (claims.text, state.case.version_label) == (AMENDED, "amended")
        (changed, gone) = engine.compare_versions(0, 1, context)
        assert (changed.new, gone.new) == (1, None)
        claims, state = engine.use_version("as filed", context)
        assert claims is not None
        assert claims.text == FILED
    finally:
        engine.close()


def test_one_version_is_not_compared_with_itself_but_the_next_step_is_said(qtbot, case):
    dialog = VersionsDialog(replace(case, versions=(), version=0))
    qtbot.addWidget(dialog)
    asked, added = [], []
    dialog.compare_wanted.connect(lambda *places: asked.append(places))
    dialog.add_wanted.connect(lambda: added.append(True))
    dialog.show()
    dialog.compare()
    assert asked == []
    assert "add the amended claims" in dialog.next_step.text()
    shown = [each for each in (dialog.first, dialog.left, dialog.right, dialog.use) if each.isVisible()]
    assert shown == []
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert added == [True], "Enter leads on"
