"""The window on a shared library whose network fails: it says so, stays usable, and works again by itself.

The server is real; `tests.faults.network` stands before it. How long the GUI thread is deaf is compared with
the same window on a healthy network, and with how long the server was waited for.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import pytest
from PySide6.QtWidgets import QMessageBox

pytest.importorskip("psycopg")

from claimlight.services.sharing.filling import SharedTarget
from claimlight_workbench.engine import Engine
from claimlight_workbench.main_window import MainWindow
from tests.app.driving import settle
from tests.app.test_app_stalls import Heart, _collector_as_in_the_program  # noqa: F401 - a fixture
from tests.core.services.indexing.small_library import make_stack
from tests.core.services.sharing.network_office import SETTINGS, Office, check_sentence
from tests.core.services.sharing.pushing_fakes import fill, make, patents

pytestmark = pytest.mark.loopback
CLAIM = "1. A brake with a spring, comprising a wheel and a lamp."
LOST = "No connection"
TIMES = 5.0
FLOOR = 1.0
"""Seconds. Where the network fails, the GUI thread may be deaf `TIMES` as long as where it is sound."""


@pytest.fixture(scope="module")
def office(postgres_server, tmp_path_factory):
    """A shared library of 12 documents with their index in the database."""
    folder = tmp_path_factory.mktemp("shared")
    made = Office(postgres_server, None, folder / "made")
    with made.open(writable=True) as shared, make(folder / "L", patents(range(1, 13))) as source:
        fill(source, SharedTarget.of(shared))
    yield made
    made.close()


@pytest.fixture
def window(qtbot, open_window, office) -> MainWindow:
    """A search of the shared library, with the first result open."""
    opened = open_window(
        engine=Engine(SETTINGS, stack=lambda _: make_stack()), library=office.address, wait=False
    )
    qtbot.waitUntil(lambda: opened.do.library.info is not None)
    settle(qtbot, opened)
    opened.do.query.paste(CLAIM)
    qtbot.waitUntil(lambda: opened.do.query.query is not None)
    settle(qtbot, opened)
    search(qtbot, opened)
    return opened


def search(qtbot, window: MainWindow) -> tuple[str, ...]:
    """Search; the publications that are found."""
    with qtbot.waitSignal(window.do.results.found):
        window.acts.run()
    qtbot.waitUntil(lambda: window.do.matrix.answer is not None)
    settle(qtbot, window)
    return tuple(str(hit.patent.publication) for hit in window.do.results.results.hits)


def open_another(window: MainWindow) -> None:
    """Open a document that is not in the memory of the reader."""
    window.do.reader.forget()
    window.do.reader.open(window.do.results.results.hits[5].patent.id)


ASKED: dict[str, Callable[[MainWindow], None]] = {
    "search": lambda window: window.acts.run(),
    "document": open_another,
    "matrix": lambda window: window.do.matrix.compare_again(),
}


def measure(qtbot, window: MainWindow, name: str) -> tuple[Heart, float]:
    """Ask, and wait until nothing is under way: the pauses of the event loop, and the seconds."""
    heart, begun = Heart(), perf_counter()
    heart.start()
    ASKED[name](window)
    settle(qtbot, window)
    heart.stop(name)
    return heart, perf_counter() - begun


@pytest.mark.parametrize("fault", ["gone", pytest.param("silent", marks=pytest.mark.slow)])
def test_a_network_that_fails_is_told_and_does_not_stop_the_window(qtbot, window, office, fault):
    expected = search(qtbot, window)
    status = window.notices.status
    connected = status.offline.text()
    assert len(expected) == 12
    assert connected != LOST
    healthy = {name: measure(qtbot, window, name)[0] for name in ASKED}
    worked = max(FLOOR, TIMES * max(each.worked for each in healthy.values()))
    deaf = max(FLOOR, TIMES * max(each.longest for each in healthy.values()))
    with office.networks["database"].failing(fault):
        for name in ASKED:
            window.notices.forget_loss()
            assert (status.offline.text(), status.currentMessage()) == (connected, "")
            heart, seconds = measure(qtbot, window, name)
            told = status.currentMessage()
            print(f"{fault} {name}: {seconds:.1f} s, {told}")
            assert told.startswith("The next search tries again. "), name
            check_sentence(told)
            assert status.offline.text() == LOST
            assert heart.worked < worked
            # A GUI thread that waits for a silent server itself is deaf for nearly all of the time.
            assert heart.longest < (seconds / 2 if fault == "silent" else deaf)
        assert told.removeprefix("The next search tries again. ") in window.see.matrix.notes.text()
    # Nothing tries again by itself, and nothing has to be started anew.
    assert status.offline.text() == LOST
    assert search(qtbot, window) == expected
    assert (status.offline.text(), status.currentMessage()) == (connected, "")
    assert window.see.matrix.notes.text() == ""
    open_another(window)
    settle(qtbot, window)
    assert window.do.reader.view.summary.publication == window.do.results.results.hits[5].patent.publication
    assert not window.findChildren(QMessageBox)
