"""Fixtures of the whole suite: real data where they are available, and no sockets."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import claimlight  # noqa: F401 - before anything that could import onnxruntime: it closes the network to it

# isort: split
import pytest
import setuptools  # noqa: F401 - before anything imports distutils, which it replaces
from hypothesis import HealthCheck, settings

from claimlight import paths
from claimlight.judging import package as judges
from tests.fewer_examples import limit_examples
from tests.postgres_server import postgres_server  # noqa: F401 - a fixture

_FIND_SHIPPED = judges.find_shipped_folder
_FIND_SECOND = judges.find_shipped_second
_SHIPPED_MODELS = paths.shipped_models_dir()

# How long an example takes depends on what else the machine does; no test asserts times.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

SHARED = Path(
    os.environ.get("CLAIMLIGHT_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real patents; only tests marked ``data`` may ask for it."""
    return SHARED


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--examples", type=int, default=0, help="most examples of a property; 0: as it says")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if most := config.getoption("--examples"):
        limit_examples(items, most)
    if SHARED.is_dir():
        return
    marker = pytest.mark.skip(reason=f"real patents are not at {SHARED}; set CLAIMLIGHT_SHARED_DATA")
    for item in items:
        if item.get_closest_marker("data"):
            item.add_marker(marker)


@pytest.fixture(autouse=True)
def _no_sockets(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything must work with the network off: an internet socket is a failed test."""
    if request.node.get_closest_marker("loopback"):
        return
    real = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family != socket.AF_UNIX:
            pytest.fail(f"a socket was opened to {address!r}")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    if driver := sys.modules.get("psycopg"):  # whose sockets are made in C

        def refused(*_: object, **__: object) -> None:
            pytest.fail("a connection to a PostgreSQL server was opened")

        monkeypatch.setattr(driver.Connection, "connect", refused)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's settings, cases or libraries."""
    base = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("CLAIMLIGHT_CONFIG_DIR", str(base / "config"))
    monkeypatch.setenv("CLAIMLIGHT_DATA_DIR", str(base / "data"))


def _find_other(find: Callable[[], Path | None]) -> Path | None:
    """The judge of another folder of resources, which a test has made."""
    found = find()
    return None if found is not None and found.parent == _SHIPPED_MODELS else found


@pytest.fixture(scope="session", autouse=True)
def _no_shipped_judges() -> Iterator[None]:
    """Charts without judges, faster and whatever the shipped ones say; `shipped_judge` brings them back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judges, "find_shipped_folder", lambda: _find_other(_FIND_SHIPPED))
        patch.setattr(judges, "find_shipped_second", lambda: _find_other(_FIND_SECOND))
        yield


@pytest.fixture
def shipped_judge(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the judge that ships, which the settings name as for a user, with its second one."""
    monkeypatch.setattr(judges, "find_shipped_folder", _FIND_SHIPPED)
    monkeypatch.setattr(judges, "find_shipped_second", _FIND_SECOND)
    folder = _FIND_SHIPPED()
    assert folder is not None
    return folder
