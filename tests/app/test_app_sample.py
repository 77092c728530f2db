"""The window over the real services: the sample's patents, a real library, a real index, a real case book.

The model is the foretellable one of the suite, so that this stays quick.
"""

from __future__ import annotations

import shutil
from functools import lru_cache
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from claimlight.services import sample
from claimlight.services.cases.cases import CaseBook
from claimlight.services.indexing import indexing
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.library.library import Library, import_paths
from claimlight.services.search.date_words import LABELS
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words
from claimlight.types import Category, CellVerdict, ExportKind
from claimlight_workbench import ui_state
from claimlight_workbench.engine.engine import Engine
from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.screens.sets.model import Column as SetColumn
from claimlight_workbench.ui_state import Session
from tests import fakes
from tests.app.driving import Column

DOCUMENTS = 68


@pytest.fixture(scope="module")
def model():
    words = set()
    for claim in sample.read_application(TaskContext()).claims:
        words |= set(content_words(claim.text))
    # The same few thousand words come again and again.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fakes, "word_vector", lru_cache(maxsize=None)(fakes.word_vector))
        yield fakes.stack(sorted(word for word in words if word.isalpha()))


@pytest.fixture(scope="module")
def indexed(tmp_path_factory, model) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "Sample"
    with Library.open_or_create(folder) as library:
        import_paths(library, [sample.source_folder()], TaskContext(), Settings())
        indexing.build_index(
            indexing.index_folder(folder),
            LibraryCorpus(library.store),
            stack=model,
            settings=Settings(),
            context=TaskContext(),
        )
    return folder


@pytest.fixture
def library_folder(tmp_path: Path, indexed: Path) -> Path:
    return Path(shutil.copytree(indexed, tmp_path / "Sample"))


@pytest.fixture
def workbench(qapp, qtbot, colours, library_folder: Path, model, monkeypatch):
    monkeypatch.setattr(sample, "library_folder", lambda: library_folder)
    opened: list[MainWindow] = []

    def start() -> MainWindow:
        path = ui_state.session_path()
        engine = Engine(Settings(), stack=lambda _settings: model)
        window = MainWindow(engine, JobRunner(qapp), session=ui_state.load(path), path=path)
        opened.append(window)
        window.restorer.restore()
        window.show()
        qtbot.waitUntil(lambda: window.board.links is not None and window._runner.busy == 0)
        return window

    yield start
    for window in opened:
        window.close()
        window.deleteLater()
        qapp.processEvents()


def test_the_first_start_ends_with_linked_words(qtbot, workbench):
    window = workbench()
    results = window.see.results.model
    assert results.rowCount() == 50
    assert window.notices.status.library.text().startswith(f"Sample: {DOCUMENTS} documents, all indexed")
    assert window.do.query.before is None
    assert window.do.query.dates.priority.isoformat() == "2020-03-12"
    query = window.board.query
    assert query.features[0].text.startswith("A shock absorber")
    hit = window.board.hit
    assert sum(item.contribution for item in hit.evidence) == pytest.approx(hit.score, rel=1e-4)
    for item in hit.evidence:
        assert query.text[item.query.start : item.query.end].strip()
        assert hit.text[item.passage.start : item.passage.end].strip()
    painted = [each.cursor.selectedText() for each in window.see.reader.text.extraSelections()]
    assert painted


def test_every_painted_word_is_the_word_that_met(qtbot, workbench):
    window = workbench()
    reader = window.see.reader
    qtbot.waitUntil(lambda: reader.complete)
    for placed in reader._text.placed:
        for run in window.board.links.runs(placed.passage.id, frozenset()):
            cursor = reader.text.textCursor()
            cursor.setPosition(placed.offset(run.start))
            cursor.setPosition(placed.offset(run.end), cursor.MoveMode.KeepAnchor)
            assert cursor.selectedText() == placed.passage.text[run.start : run.end]


def test_marks_notes_and_searches_are_in_the_case_book(qtbot, workbench):
    window = workbench()
    # What the program has searched by itself is no set of the case; what the user asks for is.
    assert window.do.case.state.sets == ()
    first = window.do.reader.view.summary.publication
    ask(qtbot, window)
    QTest.keyClick(window.see.results.table, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: window._runner.busy == 0)
    window.do.case.annotate(first, "all of claim 1")
    qtbot.waitUntil(lambda: window._runner.busy == 0)
    window.close()
    with CaseBook.open() as book:
        (case,) = book.cases()
        marks = {(mark.publication, mark.claim, mark.category, mark.note) for mark in book.marks(case.id)}
        # A category is given for the claim that was searched; the note is on the document.
        assert marks == {(first, 1, Category.X, ""), (first, 0, Category.NONE, "all of claim 1")}
        assert [each.label for each in book.sets(case.id)] == ["L1"]
        assert case.claim == 1


def test_the_next_start_goes_on_where_the_last_one_was(qtbot, workbench):
    window = workbench()
    window.do.query.merge(0)
    qtbot.waitUntil(lambda: window._runner.busy == 0)
    lines = window.do.query.feature_lines
    window.acts.run()
    qtbot.waitUntil(lambda: window._runner.busy == 0 and window.board.links is not None)
    QTest.keyClick(window.see.results.table, Qt.Key.Key_Y)
    QTest.keyClick(window.see.results.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.see.results.model.unseen == 50 - 2)
    qtbot.waitUntil(lambda: window._runner.busy == 0 and window.board.links is not None)
    second = window.do.reader.view.summary.publication
    window.close()
    again = workbench()
    assert again.do.query.feature_lines == lines
    qtbot.waitUntil(lambda: again.do.reader.view.summary.publication == second)
    assert Category.Y in again.do.case.categories.values()
    assert again.see.results.model.unseen == 50 - 2


def test_a_document_of_the_library_gives_its_claims(qtbot, workbench):
    window = workbench()
    window.do.query.take_from("US 99,104,417 B2")
    qtbot.waitUntil(lambda: window.see.bar.source.text() == "US99104417B2")
    qtbot.waitUntil(lambda: window._runner.busy == 0 and window.board.links is not None)
    found = {
        str(window.see.results.model.hit(row).patent.publication)
        for row in range(window.see.results.model.rowCount())
    }
    assert "US99104417B2" not in found
    assert window.do.query.dates.priority is not None


def test_a_library_that_has_gone_is_said_and_nothing_is_lost(qtbot, workbench, tmp_path: Path):
    window = workbench()
    failures: list[str] = []
    window.do.library.failed.connect(lambda error, doing: failures.append(f"{doing}: {error}"))
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    window.do.library.open(blocked / "library")
    qtbot.waitUntil(lambda: bool(failures))
    assert window.see.results.model.rowCount() == 50
    session: Session = window.collect()
    assert session.claims_text


def ask(qtbot, window: MainWindow) -> None:
    before = len(window.do.case.state.sets)
    window.acts.run()
    qtbot.waitUntil(lambda: len(window.do.case.state.sets) == before + 1)
    ended(qtbot, window)


def ended(qtbot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window._runner.busy == 0 and window.see.reader.complete)


def run_line(qtbot, window: MainWindow, line: str) -> None:
    before = len(window.do.case.state.sets)
    editor = window.see.expression.editor
    editor.setFocus()
    editor.show_text(line)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(window.do.case.state.sets) == before + 1)
    qtbot.waitUntil(lambda: window.see.results.current_hit() is not None)
    qtbot.waitUntil(lambda: window.do.reader.view.summary.id == window.see.results.current_hit().patent.id)
    ended(qtbot, window)


def test_a_line_of_words_is_run_marked_kept_and_rerun(qtbot, workbench):
    window = workbench()
    window.do.query.set_before(None)
    ask(qtbot, window)
    # A claim search ranks every family and shows the best 50; a query line finds all that match.
    assert window.see.results.count.text().startswith("L1  1 / best 50, ")
    run_line(qtbot, window, "damper$2 SAME bypass")
    results, words = window.see.results.model, window.board.words
    sets = window.see.sets.model
    assert [sets.index(row, SetColumn.DOCUMENTS).data() for row in (0, 1)] == [
        "best 50",
        str(results.rowCount()),
    ]
    assert window.see.results.count.text().startswith("L2  1 / ")
    qtbot.waitUntil(lambda: words.found is not None)
    passages = {each.id: each.text for each in window.do.reader.view.passages}
    marked = {passages[m.passage][m.span.start : m.span.end].casefold() for m in words.marks}
    assert marked
    assert all(each.startswith("damper") or each == "bypass" for each in marked)
    run_line(qtbot, window, '~"a valve that opens by inertia" AND L2')
    assert results.rowCount() > 0
    assert results.found.scores
    window.do.sets.rerun(2)
    ended(qtbot, window)
    assert "no change" in window.see.sets.told.text()
    window.see.sets.opened.emit(2)
    qtbot.waitUntil(lambda: results.found.number == 2)
    with CaseBook.open() as book:
        (case,) = book.cases()
        assert [each.label for each in book.sets(case.id)] == ["L1", "L2", "L3"]


def test_a_real_fault_has_its_column_and_words_are_completed(qtbot, workbench):
    window = workbench()
    ask(qtbot, window)
    view, editor = window.see.expression, window.see.expression.editor
    editor.setFocus()
    QTest.keyClicks(editor, "damper AND (val")
    qtbot.waitUntil(lambda: view.reading.text().startswith("Column 12:"))
    qtbot.waitUntil(lambda: editor.popup.isVisible())
    offered = [editor.popup.list.topLevelItem(row).text(0) for row in range(3)]
    assert "valve" in offered
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    QTest.keyClicks(editor, " OR L")
    qtbot.waitUntil(lambda: editor.popup.isVisible())
    assert editor.popup.list.topLevelItem(0).text(0) == "L1"


def test_real_zones_relations_and_exports(qtbot, workbench, tmp_path: Path):
    window = workbench()
    window.do.query.set_before(None)
    window.acts.run()
    ended(qtbot, window)
    results = window.see.results.model
    shown = {results.index(row, Column.ZONE).data() for row in range(results.rowCount())}
    assert {"Full prior art", "P, 54(3)", "E"} <= shown
    assert shown <= set(LABELS.values())
    window.do.reader.open_publication("US 99,118,236 B2")
    ended(qtbot, window)
    QTest.keyClick(window.see.results.table, Qt.Key.Key_C)
    ended(qtbot, window)
    assert "cited by" in window.see.citations.title.text()
    QTest.keyClick(window.see.citations.list, Qt.Key.Key_B)
    ended(qtbot, window)
    assert window.see.family.list.topLevelItemCount() >= 1
    for kind in (ExportKind.CSV, ExportKind.JSONL):
        window.do.sets.export(0, tmp_path / f"all.{kind}", kind)
        ended(qtbot, window)
        assert window.see.sets.told.text().startswith(f"The library: {DOCUMENTS} rows written")
    assert len((tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()) == DOCUMENTS


def test_a_real_import_is_on_record(qtbot, workbench):
    window = workbench()
    qtbot.waitUntil(lambda: window.see.library.runs.count() == 1)
    dialog = window.see.library.open_report(0)
    assert dialog is not None
    assert sum(each.taken for each in dialog.run.files) == DOCUMENTS
    assert dialog.model.rowCount() == len(dialog.run.files)


def test_matrix_pairs_center_and_residual_search_on_the_real_services(qtbot, workbench):
    window = workbench()
    ended(qtbot, window)
    matrix, query = window.see.matrix, window.board.query
    compared = window.do.matrix.answer
    assert len(compared.rows) == 50
    window.panels.raise_panel("pairs")
    window.panels.raise_panel("matrix")
    assert matrix.model.columnCount() == len(query.features) + len(("document", "date status"))
    assert window.see.pairs.model.rowCount() == len(compared.pairs.pairs) > 0
    assert matrix.notes.text() == ""
    on_view = window.board.links.evidence
    for hit in window.see.results.model.results.hits:
        row = compared.rows[hit.patent.id]
        shown = [(cell.strength, cell.verdict, cell.passage, cell.label) for cell in row.cells]
        assert [(c.strength, c.verdict, c.passage, c.label) for c in hit.coverage] == shown
        if hit.patent.id == on_view.patent:
            assert [(e.strength, e.verdict) for e in on_view.features] == [each[:2] for each in shown]
    QTest.keyClick(window.see.results.table, Qt.Key.Key_I)
    ended(qtbot, window)
    seen = window.do.inspector.seen
    assert seen.center == window.board.strong_links[0].center
    assert window.see.inspector.list.topLevelItemCount() == len(seen.spans) > 0
    results, document = window.see.results.model.results, window.do.reader.view.summary
    QTest.keyClick(window.see.results.table, Qt.Key.Key_R)
    ended(qtbot, window)
    request = window.see.results.model.results.request
    row = compared.rows[document.id]
    lacking = [cell.feature for cell in row.cells if cell.verdict is not CellVerdict.STRONG]
    assert request.only == tuple(lacking)
    assert request.query == query
    assert window.see.residual.isVisible()
    QTest.keyClick(window.see.results.table, Qt.Key.Key_Backspace)
    ended(qtbot, window)
    assert window.see.results.model.results is results
