"""Fixtures of the window: a runner, a board, a window over the fake engine; leaks fail."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from claimlight_workbench import theme, ui_state
from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.main_window.session import FIRST_SIZE
from claimlight_workbench.ui_state import Session
from tests.app.fake_services import FakeServices

PATIENCE_MS = 60_000
"""A machine that does other things too is waited for; what is wrong fails by what is asserted."""


class PatientBot(QtBot):
    """As the plugin's, with patience where a test says none."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **more: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **more)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    return PatientBot(request)


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith(("read", "write"))]
    assert not left, f"threads are left: {left}"


@pytest.fixture
def colours(qapp: QApplication, request: pytest.FixtureRequest) -> theme.Theme:
    """The light theme; its style sheet is for tests that measure or draw, marked as ``styled``.

    With a style sheet, of any length, Qt takes three times as long for a window.
    """
    theme.apply(qapp, theme.LIGHT)
    if request.node.get_closest_marker("styled") is None:
        qapp.setStyleSheet("")
    return theme.LIGHT


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    made = JobRunner()
    yield made
    made.shutdown()
    qapp.processEvents()
    # Left to Python's collector it could end in the thread of a later test's worker, with all its jobs.
    delete(made)


@pytest.fixture
def owner(runner: JobRunner) -> Iterator[QObject]:
    """Its objects end here, in the thread of the window, and not wherever Python collects garbage."""
    made = QObject()
    yield made
    delete(made)


@pytest.fixture
def services(tmp_path: Path) -> FakeServices:
    return FakeServices(tmp_path)


OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def open_window(
    qapp: QApplication, qtbot, services: FakeServices, colours: theme.Theme
) -> Iterator[OpenWindow]:
    """Opens windows over the fake engine; all of them are closed in the end."""
    made: list[MainWindow] = []

    def open_one(
        *,
        session: Session | None = None,
        engine: object = None,
        wait: bool = True,
        library: Path | None = None,
        like: str = "",
        line: str = "",
    ) -> MainWindow:
        path = ui_state.session_path()
        window = MainWindow(
            engine or services, JobRunner(qapp), session=session or ui_state.load(path), path=path
        )
        made.append(window)
        window.restorer.restore(library=library, like=like, line=line)
        if not window.state.session.geometry:
            window.resize(FIRST_SIZE)  # the screen of the tests is smaller than any desktop's
        window.show()
        if wait:
            qtbot.waitUntil(lambda: window.board.links is not None and window.see.reader.complete)
            qtbot.waitUntil(lambda: window._runner.busy == 0)
        return window

    yield open_one
    for window in made:
        timers = [timer for timer in window.findChildren(QTimer) if timer.interval() > 0]
        window.close()
        qapp.processEvents()
        running = [timer for timer in timers if isValid(timer) and timer.isActive()]
        assert not running, f"timers run on after the end: {[timer.interval() for timer in running]}"
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))


@pytest.fixture
def window(qtbot, open_window: OpenWindow) -> MainWindow:
    """The window after its first start, the claim searched as L1, with the first result open."""
    made = open_window()
    made.acts.run()
    qtbot.waitUntil(lambda: made.do.case.state is not None and len(made.do.case.state.sets) == 1)
    # The chosen row opens a moment after it was chosen.
    qtbot.waitUntil(lambda: not made.see.results._opening.isActive())
    qtbot.waitUntil(lambda: made._runner.busy == 0 and made.board.links is not None)
    qtbot.waitUntil(lambda: made.see.reader.complete)
    return made
