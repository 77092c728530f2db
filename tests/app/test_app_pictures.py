"""Drawing the window for a picture, with nobody there to look at it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMessageBox

from app import errors
from app.bootstrap import Photographer
from app.jobs.runner import JobRunner
from app.main_window import MainWindow
from core.errors import InputError
from tests.app.conftest import PATIENCE_MS


def test_a_picture_is_drawn_when_all_is_on_view(qtbot, window: MainWindow, runner: JobRunner, tmp_path: Path):
    photographer = Photographer(window, runner, tmp_path / "made" / "window.png")
    photographer.start()
    qtbot.waitUntil((tmp_path / "made" / "window.png").exists, timeout=PATIENCE_MS)
    assert QImage(str(tmp_path / "made" / "window.png")).width() == window.width()
    assert photographer.code == 0
    assert not window.isVisible()


def test_a_box_that_nobody_can_read_ends_the_program_with_its_text(
    qtbot, window: MainWindow, runner: JobRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    errors.show(window, InputError("EP1 is not in the library."), doing="The claims could not be read")
    photographer = Photographer(window, runner, tmp_path / "window.png")
    photographer.start()
    qtbot.waitUntil(lambda: photographer.code == 1, timeout=PATIENCE_MS)
    assert capsys.readouterr().err == "The claims could not be read: EP1 is not in the library.\n"
    assert not (tmp_path / "window.png").exists()
    assert not window.isVisible()
    assert not [box for box in window.findChildren(QMessageBox) if box.isVisible()]
