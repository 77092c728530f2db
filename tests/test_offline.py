"""The offline promise, as the kernel sees it: import, index, search, window and training reach nothing.

Each runs for a minute, all at the same time, in an environment that tells libraries nothing (onnxruntime
keeps silent where it believes to be tested). Watched by strace, or else by a filter in the kernel.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from network_watch import Watched, outside, start, ways
from offline_work import LOADS_THE_MODEL, WORK

from claimlight.services.library.library import Library, import_paths
from claimlight.services.sample import source_folder
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.opening import open_shared
from claimlight.services.sharing.push import push
from claimlight.settings import Settings
from claimlight.tasks import TaskContext

ROOT = Path(__file__).resolve().parents[1]
WAYS = ways()
LONGEST_SECONDS = 600
SAMPLES = 4
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not WAYS,
        reason="THE OFFLINE PROMISE IS NOT TESTED: neither strace nor a filter of the kernel can be had here",
    ),
]
ASKS = "import socket\ntry: socket.getaddrinfo('claimlight.invalid', 443)\nexcept OSError: pass"
CONNECTS = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
    it.connect(('192.0.2.1', 443))
"""
IN_A_CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def environment(home: Path) -> dict[str, str]:
    """Nothing of this process that could keep a library silent."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "CLAIMLIGHT_CONFIG_DIR": str(home / "config"),
        "CLAIMLIGHT_DATA_DIR": str(home / "data"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *(path for path in sys.path if path)]),
        "QT_QPA_PLATFORM": "offscreen",
        "OMP_NUM_THREADS": "1",
    }


def can(work: str) -> bool:
    """Whether what the work needs is installed."""
    needed = {"window": ("PySide6",), "training": ("torch", "transformers", "accelerate", "onnxscript")}
    return all(find_spec(name) for name in needed.get(work, ()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A few patent files, and the library that search and window use."""
    base = tmp_path_factory.mktemp("offline")
    (base / "xml").mkdir()
    for path in sorted(source_folder().glob("*.xml"))[:SAMPLES]:
        shutil.copy(path, base / "xml")
    (base / "like").write_text(min(path.stem for path in (base / "xml").iterdir()))
    for name in ("library", "unindexed"):
        with Library.create(base / name) as made:
            import_paths(made, [base / "xml"], TaskContext(), Settings())
    from claimlight.services.indexing import indexing

    with Library.open(base / "library") as made:
        indexing.build(made, TaskContext(), Settings())
    return base


@pytest.fixture(scope="module")
def running(folder) -> Iterator[dict[str, Watched]]:
    """All of the work, started at once."""
    started: dict[str, Watched] = {}
    try:
        for work in filter(can, WORK):
            home = folder / f"home-{work}"
            home.mkdir()
            command = [sys.executable, str(ROOT / "tests" / "offline_work.py"), work, str(folder)]
            started[work] = start(command, folder, work, way=WAYS[0], environment=environment(home))
        yield started
    finally:
        for item in started.values():
            item.stop()


@pytest.mark.parametrize("work", WORK)
def test_it_reaches_nothing(running, folder, work):
    if work not in running:
        pytest.skip(f"{work} needs packages that are not installed")
    code, said = running[work].ended(LONGEST_SECONDS)
    assert running[work].reached() == [], said
    assert code == 0, said
    assert "done, onnxruntime " + ("loaded" if work in LOADS_THE_MODEL else "not loaded") in said
    left = [path for path in (folder / f"home-{work}").rglob("*") if "onnxruntime" in path.name]
    assert left == []  # neither an identifier of the machine nor events that wait to be sent


@pytest.mark.loopback
@pytest.mark.skipif("strace" not in WAYS, reason="the filter forbids every connection")
def test_a_search_of_a_shared_library_reaches_its_server_and_nothing_else(folder, postgres_server, tmp_path):
    """Under strace, with a name that has to be looked up: the resolver of the system is not asked for it."""
    address = SharedAddress.parse(postgres_server.empty_library(tmp_path))
    with Library.open(folder / "library") as made, open_shared(address, writable=True) as shared:
        push(made, SharedTarget.of(shared), TaskContext(), Settings())
    named = str(address).replace("127.0.0.1", "localhost")
    command = ["search", "--library", named, "--text", "a damper with a valve"]
    (tmp_path / "home").mkdir()
    watched = start(
        [sys.executable, "-m", "claimlight.cli", *command],
        tmp_path,
        "shared",
        way="strace",
        environment=environment(tmp_path / "home"),
    )
    code, said = watched.ended(LONGEST_SECONDS)
    assert code == 0, said
    assert "damper" in said
    # By either family: to learn which of two addresses to prefer, the resolver opens both sockets.
    assert watched.places() <= {("127.0.0.1", address.port), ("::1", address.port)}
    assert ("127.0.0.1", address.port) in watched.places()
    assert watched.reached() == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("code", [ASKS, CONNECTS], ids=["look-up", "connection"])
def test_the_watch_sees_what_must_not_be(tmp_path, way, code):
    watched = start([sys.executable, "-c", code], tmp_path, "bad", way=way, environment=environment(tmp_path))
    watched.ended(LONGEST_SECONDS)
    assert watched.reached()


@pytest.mark.skipif("strace" not in WAYS, reason="the filter sees the first process only")
def test_the_watch_sees_what_a_child_does(tmp_path):
    command = [sys.executable, "-c", IN_A_CHILD, CONNECTS]
    watched = start(command, tmp_path, "bad", way="strace", environment=environment(tmp_path))
    watched.ended(LONGEST_SECONDS)
    assert watched.reached()


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ('connect(3, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT', False),
        ('connect(3, {sa_family=AF_UNIX, sun_path="/run/systemd/resolve/io.systemd.Resolve"}, 1) = 0', True),
        (
            'connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
            False,
        ),
        (
            'connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0',
            True,
        ),
        (
            'connect(3, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("10.0.0.1")}, 16) = 0',
            True,
        ),
        (
            'sendto(8, ""..., 50, 0, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), '
            'inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = 50',
            True,
        ),
        ('sendto(3, ""..., 20, 0, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 20', False),
    ],
)
def test_what_counts_as_outside(line, bad):
    assert list(outside([line])) == ([line] if bad else [])
