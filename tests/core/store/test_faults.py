"""What the world does to a database: each fault ends in a message, and nothing is lost or made up."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from claimlight.errors import ResourceError
from claimlight.store import Store, repository
from claimlight.store import store as store_module
from tests.core.store.invented import patent, week, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Store.create(tmp_path / "library") as store:
        write(store, *week(20))
    return tmp_path / "library"


@pytest.mark.parametrize("damage", [b"", b"\x00" * 4096, b"PK\x03\x04 no database"])
def test_a_destroyed_header_is_never_a_new_library(folder: Path, damage: bytes) -> None:
    path = folder / "library.db"
    path.write_bytes(damage)
    with pytest.raises(ResourceError, match=r"library\.db is damaged.*doctor --repair --library DIR`"):
        Store.open(folder)
    assert path.read_bytes() == damage


def test_a_destroyed_schema_page(folder: Path) -> None:
    path = folder / "library.db"
    data = bytearray(path.read_bytes())
    data[100:4096] = b"\xff" * 3996
    path.write_bytes(data)
    with pytest.raises(ResourceError, match=r"library\.db is damaged"):
        Store.open(folder)


def test_a_destroyed_page_is_said_when_it_is_met(folder: Path) -> None:
    path = folder / "library.db"
    data = bytearray(path.read_bytes())
    for start in range(4096 * 2, len(data), 4096):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)
    with pytest.raises(ResourceError, match=r"damaged.*left as it is"), Store.open(folder) as store:
        repository.read_documents_after(store, 0, 100)


def test_a_locked_library_says_so_and_stays_whole(folder: Path) -> None:
    with Store.open(folder, timeout=0.05) as store:
        with closing(sqlite3.connect(folder / "library.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(ResourceError, match=r"locked by another program for over 0\.05 seconds"):
                write(store, patent())
            assert repository.count_documents(store) == 20, "reading goes on"
            other.execute("ROLLBACK")
        assert write(store, patent()).taken == 1


def test_read_only_on_request(folder: Path) -> None:
    with Store.open(folder, read_only=True) as store:
        assert store.read_only
        assert repository.count_documents(store) == 20
        with pytest.raises(ResourceError, match="for reading only"):
            write(store, patent())


def test_a_folder_that_cannot_be_written_opens_read_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    monkeypatch.setattr(store_module, "_is_readable_live", lambda path: False)
    with Store.open(folder) as store:
        assert store.read_only
        assert repository.count_documents(store) == 20
    assert sorted(item.name for item in folder.iterdir()) == ["library.db"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives up rights it must have")
def test_a_read_only_folder_for_real(folder: Path) -> None:
    child = (
        "import os, sys; from pathlib import Path; from claimlight.store import Store, repository\n"
        "os.setuid(65534); store = Store.open(Path(sys.argv[1]))\n"
        "print(store.read_only, repository.count_documents(store))"
    )
    with tempfile.TemporaryDirectory() as place:
        public = Path(shutil.copytree(folder, Path(place, "library")))
        Path(place).chmod(0o755)
        (public / "library.db").chmod(0o444)
        public.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", child, str(public)], capture_output=True, text=True, check=False
        )
    assert done.stdout.split() == ["True", "20"], done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX does")
def test_a_full_disk(folder: Path) -> None:
    """No file of the child may grow past 400 kB: writes fail as on a full disk."""
    child = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from claimlight.errors import ResourceError\n"
        "from claimlight.store import Store, repository\n"
        "from tests.core.store.invented import week, write\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "store = Store.open(Path(sys.argv[1]))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n"
        "done = 20\n"
        "try:\n"
        "    for seed in range(100):\n"
        "        write(store, *week(60 * seed + 80)[60 * seed + 20:]); done += 60\n"
        "except ResourceError as error:\n"
        "    print(done, repository.count_documents(store), error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", child, str(folder)], capture_output=True, text=True, check=False
    )
    reported, counted, message = done.stdout.split(" ", 2)
    assert int(reported) == int(counted), done.stderr
    assert "library.db" in message
    with Store.open(folder) as store, closing(sqlite3.connect(folder / "library.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert repository.count_documents(store) == int(reported)
        assert write(store, patent()).taken == 1
