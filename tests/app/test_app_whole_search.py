"""A whole search by keys only, over the real engine and the shipped model."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from claimlight.services import sample
from claimlight.services.indexing import indexing
from claimlight.services.library.library import Library, import_paths
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight_workbench import bootstrap, ui_state
from claimlight_workbench.engine import Engine
from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.widgets.key_sheet import KeySheet
from tests.app.search_script import STEPS, Hand, Words, check_reopened, walk, write_page

pytestmark = pytest.mark.styled

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def start(qapp, colours):
    opened: list[MainWindow] = []

    def one(library: Path) -> MainWindow:
        path = ui_state.session_path()
        window = MainWindow(Engine(Settings()), JobRunner(qapp), session=ui_state.load(path), path=path)
        opened.append(window)
        window.restorer.restore(library=library)
        window.resize(1366, 768)
        window.show()
        window.activateWindow()
        return window

    yield one
    for window in opened:
        window.close()
        window.deleteLater()
    qapp.processEvents()


def keep_picture(hand: Hand, name: str) -> None:
    """The window and what is open over it, where `make tour` wants the pictures."""
    folder = os.environ.get("CLAIMLIGHT_TOUR", "")
    if folder:
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        active = QApplication.activeWindow()
        top = top or (active if isinstance(active, KeySheet) else hand.window)
        picture = bootstrap._of_few_colours(top.grab().toImage())
        assert picture.save(str(Path(folder) / f"tour-{name}.png"))


def search_and_return(start, library: Path, words: Words, folder: Path) -> None:
    hand = Hand(start(library), words, folder)
    hand.rest()
    walk(hand, keep_picture)
    hand.window.close()
    hand.window = start(library)
    hand.rest()
    check_reopened(hand)


def test_the_tour_of_the_guide_has_these_steps_and_pictures():
    """`make tour` writes the page and draws its pictures."""
    page = ROOT / "docs" / "guide" / "tour.md"
    assert page.read_text("utf-8") == write_page()
    for step in STEPS:
        assert not step.picture or (ROOT / "docs" / "images" / f"tour-{step.picture}.png").is_file()


@pytest.mark.slow
def test_a_whole_search_by_keys_only(start, tmp_path: Path):
    library = tmp_path / "Sample"
    sample.provide(library)
    words = Words(sample.application_file(), "valve", "(damper OR absorber) SAME valve$1")
    search_and_return(start, library, words, tmp_path)


@pytest.mark.slow
@pytest.mark.data
def test_a_whole_search_of_real_patents(start, tmp_path: Path, shared_data: Path):
    library = tmp_path / "Grants"
    files = sorted((shared_data / "xml" / "us-grant-v4").glob("20*_*.xml"))
    with Library.open_or_create(library) as made:
        import_paths(made, files, TaskContext(), Settings())
        indexing.build(made, TaskContext(), Settings())
    begun = time.monotonic()
    words = Words(
        shared_data / "xml" / "us-application-v4" / "v4-5-A1.xml", "the", "device OR system OR method"
    )
    search_and_return(start, library, words, tmp_path)
    print(f"\nsearch of {len(files)} files: {time.monotonic() - begun:.0f} s")
