"""Suggested classes: asked for, explained, accepted, marked in the reader; and what to do without any."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextCharFormat
from PySide6.QtTest import QTest

from claimlight.types import AcceptedClass, ClassLevel, PatentId, Scheme, Section
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.main_window.panels import Place
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.classes.panel import Page
from claimlight_workbench.screens.classes.suggest_presenter import Source
from claimlight_workbench.widgets.bars import MUTED, SHARE
from tests.app.driving import press, settle
from tests.app.fake_classes import classifier
from tests.app.fake_services import FakeServices

SHIFT = Qt.KeyboardModifier.ShiftModifier


def open_page(qtbot, window: MainWindow) -> None:
    window.panels.raise_panel("classes")
    window.see.class_panel.show_page(Page.SUGGEST)
    settle(qtbot, window)


def ask(qtbot, window: MainWindow, source: Source = Source.CLAIMS) -> None:
    open_page(qtbot, window)
    view = window.see.suggest
    view.source.setCurrentIndex(view.source.findData(source))
    view.suggest_button.click()
    settle(qtbot, window)


def arrive(qtbot, window: MainWindow) -> None:
    """The chosen row of the results opens a moment after it was chosen."""
    qtbot.waitUntil(lambda: not window.see.results._opening.isActive())
    settle(qtbot, window)


def rows(window: MainWindow) -> list[list[str]]:
    tree = window.see.suggest.tree
    return [
        [tree.topLevelItem(row).text(column) for column in range(3)]
        for row in range(tree.topLevelItemCount())
    ]


def test_one_key_suggests_classes_for_the_claims_and_enter_accepts(
    qtbot, window: MainWindow, services: FakeServices
):
    press(window.see.results.table, Qt.Key.Key_H, SHIFT)
    settle(qtbot, window)
    [question] = services.questions
    assert question.texts[0].section is Section.CLAIMS
    assert "crown wheel" in question.texts[0].text
    assert rows(window)[:2] == [["F16F", "91", "1,234"], ["B62K", "55", "1,234"]]
    press(window.see.suggest.tree, Qt.Key.Key_Return)
    settle(qtbot, window)
    accepted = services.accepted[-1]
    assert [(each.symbol, each.probability, each.classifier) for each in accepted] == [
        ("F16F", 0.91, "cpc-small 1")
    ]
    assert rows(window)[0][0] == "✓ F16F"
    assert window.see.suggest.accept_button.text() == "Accepted"
    press(window.see.suggest.tree, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert len(services.accepted[-1]) == 1, "once is enough"


def test_rows_below_the_confidence_are_dimmed(qtbot, window: MainWindow):
    ask(qtbot, window)
    view = window.see.suggest
    items = [view.tree.topLevelItem(row) for row in range(3)]

    def dimmed() -> list[bool]:
        return [bool(item.data(1, MUTED)) for item in items]

    assert dimmed() == [False, True, True], "by the threshold of each class"
    assert (
        items[1]
        .data(0, Qt.ItemDataRole.AccessibleTextRole)
        .startswith("B62K, probability 55, below the confidence")
    )
    assert items[0].data(1, SHARE) == 0.91
    view.confidence.setValue(50)
    assert dimmed() == [False, False, True]
    assert view.state.text() == "Sample application: 2 subclasses at or above the confidence."
    view.confidence.setValue(95)
    assert dimmed() == [True, True, True]
    assert "the likeliest are shown dimmed" in view.state.text()


def test_levels_that_the_classifier_does_not_know_cannot_be_chosen(qtbot, window: MainWindow):
    open_page(qtbot, window)
    level = window.see.suggest.level
    names = [level.itemText(row) for row in range(level.count())]
    assert names[2:] == ["Subclass", "Main group (not known)", "Subgroup (not known)"]
    assert not level.model().item(3).isEnabled()
    assert level.itemData(3, Qt.ItemDataRole.ToolTipRole) == "cpc-small 1 does not know it"


def test_another_level_asks_again(qtbot, window: MainWindow, services: FakeServices):
    ask(qtbot, window)
    level = window.see.suggest.level
    level.setFocus()
    press(level, Qt.Key.Key_Up)
    press(level, Qt.Key.Key_Up)
    settle(qtbot, window)
    assert [each.level for each in services.questions] == [
        ClassLevel.SUBCLASS,
        ClassLevel.CLASS,
        ClassLevel.SECTION,
    ]


def test_the_reasons_of_the_chosen_row_are_read(qtbot, window: MainWindow, services: FakeServices):
    ask(qtbot, window)
    assert services.explained == ["F16F"]
    press(window.see.suggest.tree, Qt.Key.Key_Down)
    settle(qtbot, window)
    assert services.explained == ["F16F", "B62K"]
    text = window.see.suggest.why.toPlainText().replace("\xa0", " ")
    assert "Section 63 › B62 Class 59" in text
    assert "the probability falls from 91 to 43" in text
    assert "spring −25" in text
    assert "2 of the 10 nearest documents of the training have the class" in text
    assert "EP 1 000 002 A1" in text
    assert "not in this library" in text
    assert "a spring1 that is preloaded" in text, "the text that was read, with numbered marks"


def test_a_neighbour_in_the_library_opens(qtbot, window: MainWindow):
    ask(qtbot, window)
    window.see.suggest.why.anchorClicked.emit(QUrl("EP1000002A1"))
    arrive(qtbot, window)
    assert str(window.do.reader.view.summary.publication) == "EP1000002A1"


def test_titles_with_markup_stay_text(qtbot, window: MainWindow, services: FakeServices):
    services.suggested = tuple(
        replace(each, parents=tuple(replace(above, title="<b>x</b>") for above in each.parents))
        for each in services.suggested
    )
    ask(qtbot, window)
    assert "<b>x</b>" in window.see.suggest.why.toPlainText()


def test_a_pasted_text_is_classified(qtbot, window: MainWindow, services: FakeServices):
    open_page(qtbot, window)
    view = window.see.suggest
    view.source.setCurrentIndex(view.source.findData(Source.TEXT))
    assert not view.suggest_button.isEnabled()
    assert view.suggest_button.toolTip() == "Enter a text first"
    QTest.keyClicks(view.text, "A damper with a spring")
    view.suggest_button.click()
    settle(qtbot, window)
    assert services.questions[-1].texts[0].text == "A damper with a spring"
    assert not view.mark_button.isVisibleTo(view), "a text is in no document"


def test_words_that_speak_for_a_class_are_marked_until_another_document_opens(
    qtbot, window: MainWindow, services: FakeServices
):
    ask(qtbot, window, Source.DOCUMENT)
    patent = window.do.reader.view.summary.id
    assert services.questions[-1].patent == patent
    view, reader = window.see.suggest, window.see.reader
    view.mark_button.click()
    settle(qtbot, window)
    reader.text.paint_marks()
    marked = [each.cursor.selectedText() for each in reader.text.extraSelections()]
    assert sorted(marked) == ["biased coil", "toothed ring"]
    wave = QTextCharFormat.UnderlineStyle.WaveUnderline
    assert {each.format.underlineStyle() for each in reader.text.extraSelections()} == {wave}
    tints = {
        each.cursor.selectedText(): each.format.background().color().name()
        for each in reader.text.extraSelections()
    }
    assert tints["biased coil"] != tints["toothed ring"], "the heavier is darker"
    assert reader.class_marks.isVisible()
    assert reader.class_marks.text() == "CPC F16F ✕"
    window.see.results.step(1)
    arrive(qtbot, window)
    assert window.board.classes.shown is None
    assert not view.mark_button.isChecked()
    assert not view.mark_button.isEnabled()
    assert not reader.class_marks.isVisible()


def test_a_click_in_the_reader_removes_the_marks(qtbot, window: MainWindow):
    ask(qtbot, window, Source.DOCUMENT)
    window.see.suggest.mark_button.click()
    settle(qtbot, window)
    window.see.reader.class_marks.click()
    assert window.board.classes.shown is None
    assert not window.see.suggest.mark_button.isChecked()


def test_marks_follow_the_chosen_class(qtbot, window: MainWindow):
    ask(qtbot, window, Source.DOCUMENT)
    window.see.suggest.mark_button.click()
    press(window.see.suggest.tree, Qt.Key.Key_Down)
    settle(qtbot, window)
    assert window.board.classes.shown.name == "CPC B62K"


def test_a_suggestion_becomes_a_query_line(qtbot, window: MainWindow):
    ask(qtbot, window)
    editor = window.see.expression.editor
    editor.show_text("spring")
    window.see.suggest.add_button.click()
    assert editor.text() == "spring AND CPC=F16F"
    window.see.suggest.list_button.click()
    settle(qtbot, window)
    assert editor.text() == "CPC=F16F"


@pytest.mark.parametrize(
    ("installed", "said"),
    [
        ((), "No classifier is installed. If the documents of this library have classes, train one"),
        ((classifier(in_use=False),), "No classifier is in use. Press Classifiers… to choose one"),
        (
            (classifier(usable=False, fault="It belongs to the encoder small-3."),),
            "The classifier cpc-small 1 is not for this encoder. Press Classifiers…",
        ),
        (
            (classifier(usable=False, model="", fault="manifest.json is missing."),),
            "The classifier cpc-small can't be used. manifest.json is missing.",
        ),
    ],
)
def test_without_a_classifier_the_page_says_what_to_do(
    qtbot, window: MainWindow, services: FakeServices, installed, said
):
    services.installed = installed
    open_page(qtbot, window)
    view = window.see.suggest
    assert view.state.text().startswith(said)
    assert not view.suggest_button.isEnabled()
    view.train_button.click()
    assert window.panels.place is Place.ADMINISTER
    assert window.see.classifiers.isVisible()


def test_answers_end_with_their_library(qtbot, window: MainWindow):
    ask(qtbot, window)
    window.wiring.leave(Left.LIBRARY)
    settle(qtbot, window)
    assert rows(window) == []
    assert window.do.suggest.shown is None


def test_accepted_classes_are_shown_with_the_case_and_removed(
    qtbot, window: MainWindow, services: FakeServices
):
    ask(qtbot, window)
    window.see.suggest.accept_button.click()
    settle(qtbot, window)
    strip = window.see.accepted
    assert strip.isVisible()
    assert [button.text() for button in strip.buttons] == ["CPC F16F"]
    assert window.see.case.classes.text() == "Classes: CPC F16F"
    menu = strip.make_menu(strip.classes[0])
    assert [action.text() for action in menu.actions()] == [
        "Show in the tree",
        "Remove CPC F16F from the case",
    ]
    menu.actions()[1].trigger()
    settle(qtbot, window)
    assert services.accepted[-1] == ()
    assert not strip.isVisible()
    assert not window.see.case.classes.isVisibleTo(window.see.case)


def test_a_class_found_by_browsing_is_accepted_without_a_probability(
    qtbot, window: MainWindow, services: FakeServices
):
    window.panels.raise_panel("classes")
    settle(qtbot, window)
    window.do.classes.reveal("B62K", Scheme.CPC)
    settle(qtbot, window)
    window.see.classes.accept_button.click()
    settle(qtbot, window)
    [accepted] = services.accepted[-1]
    assert accepted == AcceptedClass(Scheme.CPC, "B62K", accepted.title)
    assert window.see.classes.accept_button.text() == "Accepted"


def test_a_class_of_a_document_opens_the_page_to_browse(qtbot, window: MainWindow, services: FakeServices):
    open_page(qtbot, window)
    window.wiring.classes._panel.show_page(Page.SUGGEST)
    assert window.do.reader.view.summary.id == PatentId(1)
    window.see.accepted.show_classes((AcceptedClass(Scheme.CPC, "B62K"),))
    menu = window.see.accepted.make_menu(window.see.accepted.classes[0])
    menu.actions()[0].trigger()
    settle(qtbot, window)
    assert window.see.class_panel.page is Page.BROWSE
    assert window.see.classes.tree.currentItem().text(0) == "B62K"


def test_words_that_weigh_more_alone_than_together_are_not_added_up(
    qtbot, window: MainWindow, services: FakeServices
):
    services.without = 0.9
    ask(qtbot, window)
    text = window.see.suggest.why.toPlainText()
    assert "Without one of these words the probability falls by:" in text
    assert "falls from" not in text


@pytest.mark.styled
def test_counts_give_way_to_titles_in_a_narrow_panel(qtbot, window: MainWindow):
    ask(qtbot, window)
    tree = window.see.suggest.tree
    narrow = tree.fontMetrics().averageCharWidth() * 36
    tree.resize(narrow, tree.height())
    assert tree.isColumnHidden(2)
    assert "1,234 documents of this library" in tree.topLevelItem(0).toolTip(0)
    tree.resize(narrow * 3, tree.height())
    assert not tree.isColumnHidden(2)


def test_without_claims_the_page_says_what_is_missing(qtbot, window: MainWindow):
    open_page(qtbot, window)
    window.do.query.unload()
    settle(qtbot, window)
    view = window.see.suggest
    assert not view.ready
    assert view.state.text() == "The case has no claims: enter them first, or choose the open document."
    view.choose_source()
    assert view.wish.source is Source.DOCUMENT
    assert view.ready


def test_more_neighbours_than_one_text_asked_for_are_not_counted_wrong(qtbot, window: MainWindow):
    ask(qtbot, window)
    view = window.see.suggest
    view.show_evidence(replace(view.evidence, asked=1))
    text = view.why.toPlainText()
    assert "Of the nearest documents of the training these have the class:" in text
    assert "2 of the 1" not in text
