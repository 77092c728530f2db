"""The manual in the window: every panel has its section, links stay inside, nothing is fetched."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage

from claimlight import paths
from claimlight.services.manual import find, follow, read_manual
from claimlight_workbench import theme
from claimlight_workbench.main_window.panels import PANELS
from claimlight_workbench.screens.manual.page import PageView
from tests.app.fake_help import pages

pytestmark = pytest.mark.styled

ROOT = Path(__file__).resolve().parents[2]


def test_every_panel_has_a_section_of_the_manual():
    places = {(page.name, section.anchor) for page in pages() for section in page.sections}
    named = [each.manual.partition("#") for each in PANELS]
    assert not [name for name, _, anchor in named if (name, anchor) not in places]


def test_words_find_sections_and_links_lead_to_pages_or_are_named_only():
    found = find(pages(), "date STATUS")
    assert ("guide/dates.md", "read-the-status") in {(each.page, each.anchor) for each in found}
    assert (found[0].page, found[0].anchor) == ("guide/dates.md", ""), "both words are in its title"
    assert not [each.excerpt for each in find(pages(), "status") if "---" in each.excerpt]
    assert find(pages(), "  ") == ()
    assert follow("guide/dates.md", "../reference/query.md#words", pages()).anchor == "words"
    assert follow("guide/dates.md", "#set-the-dates", pages()).page == "guide/dates.md"
    assert follow("guide/dates.md", "https://example.org/a", pages()).outside == "https://example.org/a"
    assert follow("guide/dates.md", "../adr/README.md", pages()).outside == "docs/adr/README.md"


def test_the_build_ships_every_page_and_picture(tmp_path, monkeypatch):
    hook = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    hook.BuildHookInterface = dict  # type: ignore[attr-defined] - only its name is needed
    monkeypatch.setitem(sys.modules, hook.__name__, hook)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "docs" / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for source, name in module.list_files(ROOT / "docs").items():
        target = tmp_path / "manual" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(Path(source).read_bytes())
    monkeypatch.setattr(paths, "resources", lambda: tmp_path)
    assert paths.manual() == tmp_path / "manual"
    assert [page.name for page in read_manual()] == [page.name for page in pages()]
    assert (tmp_path / "manual" / "images" / "tour-search.png").is_file()


def test_other_colours_are_given_to_the_page_that_is_shown(qtbot, qapp, colours):
    view = PageView()
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    page = next(each for each in pages() if each.name == "guide/dates.md")
    view.show_page(page, paths.manual())
    qtbot.waitUntil(lambda: view.complete)

    def borders():
        tables = view.document().rootFrame().childFrames()
        return {each.frameFormat().borderBrush().color().name() for each in tables}

    assert borders() == {QColor(theme.LIGHT.line).name()}
    theme.apply(qapp, theme.DARK)
    qtbot.waitUntil(lambda: borders() == {QColor(theme.DARK.line).name()} and view.complete)


def test_f1_opens_the_section_of_the_panel_and_links_stay_inside(qtbot, window):
    window.see.evidence.table.setFocus(Qt.FocusReason.OtherFocusReason)
    wiring = window.wiring.manual
    assert wiring.place_of(window.see.evidence.table) == "guide/evidence.md#evidence"
    assert wiring.place_of(window.see.results.table).startswith("guide/examiner.md#")
    wiring._open(wiring.place_of(window.see.evidence.table))
    qtbot.waitUntil(lambda: wiring.dialog is not None and wiring.dialog.page.complete)
    dialog = wiring.dialog
    assert "Evidence" in dialog.page.textCursor().block().text()
    assert dialog.contents.currentItem().text(0) == "Evidence"
    dialog.follow("dates.md#read-the-status")
    qtbot.waitUntil(lambda: dialog.page.complete)
    assert dialog.page.textCursor().block().text() == "Read the status"
    dialog.follow("https://example.org/")
    assert dialog.address.isVisible()
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == "https://example.org/"
    dialog.go_back()
    qtbot.waitUntil(lambda: dialog.page.complete)
    assert dialog.page.toPlainText().startswith("Match strength, matrix and pairs")
    dialog.go_forward()
    dialog.line.setText("applicants inventors")
    dialog._open_first()
    qtbot.waitUntil(lambda: dialog.page.complete)
    assert dialog.page.extraSelections()
    with qtbot.waitSignal(wiring._presenter.picture_read) as read:
        dialog.go("guide/tour.md")
    assert isinstance(read.args[1], QImage)
    assert not read.args[1].isNull()
    qtbot.waitUntil(lambda: window._runner.busy == 0 and dialog.page.complete)
    shown = dialog.page.document().resource(2, QUrl("../images/tour-search.png"))
    picture = shown if isinstance(shown, QImage) else shown.toImage()
    assert len({picture.pixel(x, y) for x in range(0, picture.width(), 9) for y in range(0, 200, 9)}) > 5
    dialog.close()
