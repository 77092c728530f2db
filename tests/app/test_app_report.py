"""Exporting the report and the search strategy of the open case."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from claimlight.errors import InputError
from claimlight.types import Category, Mark, PublicationNumber, ReportFormat, ReportKind
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.report.view import ReportDialog
from tests.app.fake_reports import WARNING
from tests.app.fake_services import FakeServices


@pytest.fixture
def choose(monkeypatch):
    """The next file that the user chooses, and what the dialogs for files were asked with."""
    asked: list[tuple[str, str]] = []

    def answer(name: object, chosen: str = "") -> list[tuple[str, str]]:
        def save(_parent, _title, proposed, filters):
            asked.append((proposed, filters))
            return str(name), chosen

        monkeypatch.setattr(QFileDialog, "getSaveFileName", save)
        return asked

    return answer


@pytest.fixture
def dialog(qtbot, window: MainWindow):
    window.acts.actions["Export report…"].trigger()
    made = window.findChild(ReportDialog)
    qtbot.waitUntil(made.export_button.isEnabled)
    yield made
    made.close()


def choose_format(dialog: ReportDialog, written_as: ReportFormat) -> None:
    dialog.format.setCurrentIndex(dialog.format.findData(written_as.value))


def test_warnings_are_shown_before_anything_is_written(dialog: ReportDialog, services: FakeServices):
    assert dialog.contents.text() == "1 document with a category, 1 confirmed passage, 0 sets."
    assert dialog.count.text() == "1 warning:"
    assert [dialog.warnings.item(row).text() for row in range(dialog.warnings.count())] == [WARNING.text]
    assert (services.reports, services.written) == ([False], [])


def test_a_report_is_written_and_the_place_named(qtbot, window, dialog, services, choose, tmp_path):
    asked = choose(tmp_path / "r.docx")
    dialog.export_button.click()
    qtbot.waitUntil(lambda: bool(services.written))
    assert services.written == [(tmp_path / "r.docx", ReportKind.WHOLE, False)]
    told = f"Written: {tmp_path / 'r.docx'} 1 character has no font."
    qtbot.waitUntil(lambda: dialog.state.text() == told)
    assert window.notices.status.currentMessage() == told
    proposed, filters = asked[0]
    assert (Path(proposed).name.endswith("-report.docx"), filters) == (True, "Word (*.docx)")
    assert dialog.isVisible(), "another format may follow"


def test_notes_are_included_on_request(qtbot, dialog, services):
    dialog.notes.click()
    qtbot.waitUntil(lambda: services.reports == [False, True])


@pytest.mark.parametrize(
    ("written_as", "chosen", "enabled"),
    [
        (ReportFormat.XML, ReportKind.SEARCH_REPORT, [False, True, False]),
        (ReportFormat.CSV, ReportKind.CHART, [False, True, True]),
        (ReportFormat.PDF, ReportKind.WHOLE, [True, True, True]),
    ],
)
def test_a_format_offers_what_it_can_hold(dialog: ReportDialog, written_as, chosen, enabled):
    choose_format(dialog, written_as)
    assert dialog.chosen_kind is chosen
    assert [dialog.kind.model().item(row).isEnabled() for row in range(3)] == enabled


def test_only_a_file_that_was_asked_about_is_replaced(qtbot, dialog, services, choose, tmp_path):
    (tmp_path / "old.pdf").write_text("mine")
    choose_format(dialog, ReportFormat.PDF)
    for name in ("old.pdf", "old", "new.pdf"):
        choose(tmp_path / name)
        dialog.export_button.click()
        qtbot.waitUntil(dialog.export_button.isEnabled)
    assert [(path.name, replace) for path, _, replace in services.written] == [
        ("old.pdf", True),
        ("old.pdf", False),
        ("new.pdf", False),
    ]


def test_nothing_is_written_without_a_file(dialog: ReportDialog, services: FakeServices, choose):
    choose("")
    dialog.export_button.click()
    assert (services.written, dialog.export_button.isEnabled()) == ([], True)


def test_a_refusal_is_shown(qtbot, window, dialog, services, choose, tmp_path):
    services.report_fault = InputError("r.docx exists already and was not changed.")
    choose(tmp_path / "r.docx")
    dialog.export_button.click()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None)
    box = window.findChild(QMessageBox)
    assert "exists already" in f"{box.text()} {box.informativeText()}"
    box.close()
    assert dialog.export_button.isEnabled()


def test_the_search_strategy_is_written(qtbot, window, services, choose, tmp_path):
    asked = choose(tmp_path / "s", "JSON (*.json)")
    window.acts.actions["Export search strategy…"].trigger()
    qtbot.waitUntil(lambda: bool(services.written))
    assert services.written == [(tmp_path / "s.json", None, False)]
    assert asked[0][0].endswith("-search-strategy.docx")
    qtbot.waitUntil(lambda: window.notices.status.currentMessage() == f"Written: {tmp_path / 's.json'}")


def test_the_real_engine_reports_the_open_case(tmp_path):
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext
    from claimlight_workbench.engine import Engine
    from tests.fakes import library, patent, stack

    context, folder = TaskContext(), tmp_path / "L"
    library(folder, [patent("1000001", "Damper", paragraphs=["A viscous damper."])]).close()
    engine = Engine(Settings(), stack=lambda _settings: stack(()))
    try:
        engine.open_library(folder, context)
        engine.open_case(0, engine.claims_of_text("1. A damper; and a brake.", "text", context), context)
        number = PublicationNumber("EP", "1000001", "A1")
        engine.mark(Mark(number, Category.X, "mine", 1), context)
        report = engine.report(context, notes=False)
        assert [(item.title, item.held) for item in report.documents] == [("Damper", True)]
        written = engine.write_report(report, tmp_path / "r.pdf", ReportKind.WHOLE, context, replace=False)
        assert Path(written.path).read_bytes().startswith(b"%PDF-")
        engine.write_strategy(tmp_path / "s.csv", context, replace=False)
        assert (tmp_path / "s.csv").exists()
    finally:
        engine.close()
