"""A second start of the program: it hands over what it opens and ends, or opens a window of its own."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog

from claimlight import paths
from claimlight.store import Store
from claimlight_workbench import joining
from claimlight_workbench.joining import Door, Reception, Request, find_door
from tests import network_watch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks at the sockets of Unix")
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "claimlight_workbench"]
START_SECONDS = 60


@pytest.fixture(autouse=True)
def meeting(monkeypatch) -> Iterator[Path]:
    """Where these starts meet; the path of a socket must be short."""
    base = Path(tempfile.mkdtemp(prefix="meet"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base))
    for name in ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"):
        monkeypatch.delenv(name, raising=False)
    yield base / f"claimlight-{os.getuid()}"
    shutil.rmtree(base)


@pytest.fixture
def reception(owner) -> Iterator[Reception]:
    """That of a window that is open."""
    made = Reception(Door(paths.data_dir(), None), owner)
    made.open()
    assert made.listening
    yield made
    made.close()


class Start:
    """What `main` does first, in a process of its own."""

    CODE = (
        "import sys; from claimlight_workbench.joining import find_door; "
        "sys.exit(0 if find_door(sys.argv[1:]).pass_on() else 3)"
    )

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", self.CODE, *arguments])

    @property
    def over(self) -> bool:
        return self._process.poll() is not None

    @property
    def passed_on(self) -> bool:
        assert self._process.returncode in {0, 3}
        return self._process.returncode == 0


def passed_on(qtbot, *arguments: str) -> bool:
    """Whether a start with these arguments is over when it has asked the window that is there."""
    start = Start(*arguments)
    qtbot.waitUntil(lambda: start.over)
    return start.passed_on


def test_a_second_start_hands_over_absolute_paths_and_ends(reception, qtbot, tmp_path, monkeypatch):
    taken = []
    reception.requested.connect(taken.append)
    folder = tmp_path / "Dämpfer %20"
    Store.create(folder).close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "of the desktop")
    for arguments in ([], [folder.name], ["--library", folder.name, "--like", "EP1A1"]):
        assert passed_on(qtbot, *arguments)
    token = "of the desktop"
    assert taken == [
        Request(token=token),
        Request(str(folder), token=token),
        Request(str(folder), "EP1A1", token),
    ]


@pytest.mark.parametrize("option", ["--new-window", "--theme=dark", "--line=damper", "--like=EP1A1"])
def test_other_options_take_a_window_of_their_own(reception, qtbot, option):
    taken = []
    reception.requested.connect(taken.append)
    assert not passed_on(qtbot, option)
    assert not taken


def test_pictures_errors_and_starts_without_a_screen_meet_nobody(monkeypatch, tmp_path):
    assert find_door(["--screenshot", "window.png"]) is None
    assert find_door([str(tmp_path / "gone")]) is None
    assert find_door(["--library"]) is None
    assert find_door(["--library", os.fsdecode(b"caf\xe9")]) is None
    assert find_door([]) is not None
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert find_door([]) is None


def test_another_data_folder_is_another_window(reception, tmp_path):
    other = Door(tmp_path / "other", Request())
    assert not other.pass_on()
    assert other.take()
    other.leave()


def test_a_window_that_hangs_lets_the_next_start(reception, qtbot, monkeypatch):
    monkeypatch.setattr(joining, "ANSWER_SECONDS", 0.1)
    taken = []
    reception.requested.connect(taken.append)
    # In this thread: the event loop of the window stands still meanwhile.
    assert not Door(paths.data_dir(), Request("/library")).pass_on()
    # When it goes on it does not do what nobody waits for any more.
    qtbot.wait(50)
    assert not taken
    assert reception.listening


def test_a_start_waits_for_a_window_that_is_being_opened(qtbot, owner):
    first = Door(paths.data_dir(), None)
    assert first.take()
    second = Start()
    qtbot.wait(1000)
    assert not second.over
    opened = Reception(first, owner)
    opened.open()
    qtbot.waitUntil(lambda: second.over)
    opened.close()
    assert second.passed_on


def test_a_start_takes_the_place_of_a_window_that_closes(qtbot):
    first = Door(paths.data_dir(), None)
    assert first.take()
    second = Start()
    first.leave()
    qtbot.waitUntil(lambda: second.over)
    assert not second.passed_on


def test_a_window_beside_the_first_takes_its_place(reception, qtbot, owner, monkeypatch):
    monkeypatch.setattr(joining, "TAKE_OVER_MS", 20)
    beside = Reception(Door(paths.data_dir(), None), owner)
    beside.open()
    assert not beside.listening
    reception.close()
    qtbot.waitUntil(lambda: beside.listening)
    assert passed_on(qtbot)
    beside.close()


def test_the_place_is_the_users_alone(reception, meeting, tmp_path, monkeypatch):
    assert stat.S_IMODE(meeting.stat().st_mode) == 0o700
    (found,) = meeting.glob("*.socket")
    assert not found.stat().st_mode & 0o077
    open_to_all = tmp_path / f"claimlight-{os.getuid()}"
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    door = Door(paths.data_dir(), Request())
    assert not door.pass_on()
    assert not door.take()
    assert not list(open_to_all.iterdir())


@pytest.mark.parametrize(
    "sent",
    [b"\xff\n", b"[]\n", b'{"library": 1}\n', b'{"line": "damper"}\n', b"x" * (joining.LONGEST * 3)],
    ids=["no text", "no object", "no path", "more than is known", "without end"],
)
def test_what_is_no_request_is_refused(reception, qtbot, sent):
    taken = []
    reception.requested.connect(taken.append)

    def say() -> bytes:
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(reception._door.name)
            other.recv(100)
            try:
                other.sendall(sent)
                return other.recv(100)
            except ConnectionError:
                return b""

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(say)
        qtbot.waitUntil(answer.done)
    assert answer.result() == b""
    assert not taken
    assert passed_on(qtbot)


def test_the_window_comes_to_the_front_and_opens_the_library(open_window, qtbot, services, tmp_path):
    window = open_window()
    window.showMinimized()
    folder = tmp_path / "handed over"
    dialog = QDialog(window)
    dialog.open()
    window.wiring.handed_over.take(str(folder), "", "token")
    assert not window.isMinimized()
    assert "XDG_ACTIVATION_TOKEN" not in os.environ
    qtbot.wait(50)
    assert Path(window.do.library.info.folder) != folder, "a dialog about the open library was still there"
    dialog.close()
    qtbot.waitUntil(lambda: Path(window.do.library.info.folder) == folder)
    qtbot.waitUntil(lambda: window._runner.busy == 0)


def test_the_document_of_the_open_library_is_examined(open_window, qtbot):
    window = open_window()
    opened = []
    window.do.library.opening.connect(lambda: opened.append(1))
    with qtbot.waitSignal(window.do.query.claims_read):
        window.wiring.handed_over.take(window.do.library.info.folder, "EP1000001A1", "")
    assert not opened
    qtbot.waitUntil(lambda: window._runner.busy == 0)


@pytest.mark.skipif("filter" not in network_watch.ways(), reason="needs a filter of the kernel")
def test_the_program_itself_without_the_internet_and_after_a_kill(meeting, tmp_path, owner):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), *sys.path)))}

    def start(name: str) -> network_watch.Watched:
        return network_watch.start(PROGRAM, tmp_path, name, way="filter", environment=environment)

    first = start("first")
    try:
        until = time.monotonic() + START_SECONDS
        while not list(meeting.glob("*.socket")) and time.monotonic() < until:
            assert first.process.poll() is None, first.output.read_text()
            time.sleep(0.05)
        second = start("second")
        assert second.ended(START_SECONDS)[0] == 0
        assert second.reached() == []
        assert first.process.poll() is None
    finally:
        first.stop()
    assert list(meeting.glob("*.socket")), "what a kill leaves"
    after = Reception(Door(paths.data_dir(), None), owner)
    after.open()
    assert after.listening
    after.close()
