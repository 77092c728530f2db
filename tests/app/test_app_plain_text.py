"""Text of patents is shown as it is: nothing of it is taken for HTML, which would open files it names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QPlainTextEdit,
    QTextEdit,
    QToolTip,
    QWidget,
)

from claimlight.errors import InputError
from claimlight.tasks import TaskContext
from claimlight.types import DocumentView, PatentId, PatentSummary, SearchRequest, SearchResults
from claimlight_workbench import errors
from tests.app.driving import settle
from tests.app.fake_services import FakeServices, summary

pytestmark = pytest.mark.styled

HOSTILE = '<img src="/etc/hostname"><b>Damper</b>'


def hostile(patent: PatentId) -> PatentSummary:
    return replace(summary(patent), title=HOSTILE, applicant=HOSTILE)


class Hostile(FakeServices):
    """Titles and applicants look like HTML."""

    def search(self, request: SearchRequest, context: TaskContext) -> SearchResults:
        found = super().search(request, context)
        return replace(found, hits=tuple(replace(hit, patent=hostile(hit.patent.id)) for hit in found.hits))

    def document(self, patent: PatentId | str, context: TaskContext) -> DocumentView:
        view = super().document(patent, context)
        return replace(view, summary=hostile(view.summary.id))

    def summary_of(self, number: int) -> PatentSummary:
        return hostile(PatentId(number))


@pytest.fixture
def services(tmp_path: Path) -> Hostile:
    return Hostile(tmp_path)


def tips_of(model: QAbstractItemModel, parent: QModelIndex) -> list[str]:
    tips = []
    for row in range(model.rowCount(parent)):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)):
            index = model.index(row, column, parent)
            tips.append(model.data(index, Qt.ItemDataRole.ToolTipRole))
        tips += tips_of(model, model.index(row, 0, parent))
    return [each for each in tips if isinstance(each, str)]


def shown_tip() -> QLabel:
    (tip,) = [each for each in QApplication.topLevelWidgets() if each.inherits("QTipLabel")]
    assert isinstance(tip, QLabel)
    return tip


def assert_plain(tip: str, widget: QWidget) -> None:
    QToolTip.showText(QPoint(5, 5), tip, widget)
    assert shown_tip().text() == tip
    assert shown_tip().textFormat() == Qt.TextFormat.PlainText


def test_no_label_tip_or_box_takes_a_title_for_html(qtbot, window):
    for name in window.panels.docks:
        window.panels.raise_panel(name)
    settle(qtbot, window)
    errors.show(window, InputError(HOSTILE))
    QApplication.processEvents()
    widgets = window.findChildren(QWidget)
    labels = [each for each in widgets if isinstance(each, QLabel)]
    for label in labels:
        label.ensurePolished()
        assert label.textFormat() == Qt.TextFormat.PlainText, label.text()
    assert any("<img" in label.text() for label in labels)
    tips = {each.toolTip(): each for each in widgets if each.toolTip()}
    models = {view: view.model() for view in widgets if isinstance(view, QAbstractItemView)}
    for view, model in models.items():
        if model is not None:
            tips |= dict.fromkeys(tips_of(model, QModelIndex()), view)
    assert sum("<img" in tip for tip in tips) >= 3
    for tip, widget in tips.items():
        if "<" in tip:
            assert_plain(tip, widget)
    for text in widgets:
        if isinstance(text, QTextEdit | QPlainTextEdit):
            assert "\ufffc" not in text.toPlainText()


def test_the_tool_tip_that_the_mouse_brings_up_is_plain(qtbot, window):
    label = window.see.reader.heading
    assert HOSTILE in label.toolTip()
    place = QPoint(3, 3)
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, place, label.mapToGlobal(place)))
    assert shown_tip().textFormat() == Qt.TextFormat.PlainText
    assert HOSTILE in shown_tip().text()
