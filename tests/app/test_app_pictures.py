"""Drawing the window for a picture, with nobody there to look at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMessageBox

from claimlight.errors import InputError
from claimlight.services.library.library import Library
from claimlight_workbench import bootstrap, errors
from claimlight_workbench.bootstrap import NO_DISPLAY, Photographer
from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.styled
def test_a_picture_is_drawn_when_all_is_on_view(qtbot, window: MainWindow, runner: JobRunner, tmp_path: Path):
    photographer = Photographer(window, runner, tmp_path / "made" / "window.png")
    photographer.start()
    qtbot.waitUntil((tmp_path / "made" / "window.png").exists)
    assert QImage(str(tmp_path / "made" / "window.png")).width() == window.width()
    assert photographer.code == 0
    assert not window.isVisible()


def test_a_box_that_nobody_can_read_ends_the_program_with_its_text(
    qtbot, window: MainWindow, runner: JobRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    errors.show(window, InputError("EP1 is not in the library."), doing="The claims could not be read")
    photographer = Photographer(window, runner, tmp_path / "window.png")
    photographer.start()
    qtbot.waitUntil(lambda: photographer.code == 1)
    assert capsys.readouterr().err == "The claims could not be read: EP1 is not in the library.\n"
    assert not (tmp_path / "window.png").exists()
    assert not window.isVisible()
    assert not [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def started(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The program as on a machine without a display."""
    hidden = {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    command = [sys.executable, "-m", "claimlight_workbench", *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_without_a_display_it_says_what_to_do_instead_of_dying(tmp_path: Path):
    done = started(folder=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (1, NO_DISPLAY)


@pytest.mark.styled
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_a_picture_needs_no_display(tmp_path: Path):
    Library.create(tmp_path / "L").close()
    picture = tmp_path / "window.png"
    wanted = ("--library", str(tmp_path / "L"), "--screenshot", str(picture), "--size", "1200x800")
    done = started(*wanted, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (QImage(str(picture)).width(), QImage(str(picture)).height()) == (1200, 800)


def test_an_argument_that_is_not_utf8_is_said_before_a_window_opens(capsys):
    """Else the folder would go into the session, which is UTF-8."""
    with pytest.raises(SystemExit) as ended:
        bootstrap.parse(["--library", os.fsdecode(b"caf\xe9")])
    assert ended.value.code == 2
    assert "caf\\xe9 is not UTF-8" in capsys.readouterr().err
