"""The disk under an import: writes and syncs that fail one by one, a full disk, flipped bits, no descriptors.

The failing writes are real: a small library is put in front of the C library of a child process and lets
the n-th write to the database fail.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from importing_fakes import digest, grant, settings, source, take

from claimlight.errors import AppError, ResourceError
from claimlight.services.indexing import maintenance
from claimlight.services.library.library import Library, import_paths
from claimlight.store import migrate
from claimlight.store.database import Database
from claimlight.tasks import TaskContext

FAKES = Path(__file__).with_name("importing_fakes.py")
COUNT = 24
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX limits, signals or mounts")
CONTENT = ("document", "passage", "class_symbol", "citation", "party", "priority", "related")

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long seen, at = -1; static int lasting, sync_too, code;
static void ready(void) {
    if (at >= 0) return;
    at = atol(getenv("FAIL_AT")); lasting = !!getenv("FAIL_LASTING");
    sync_too = !!getenv("FAIL_SYNC"); code = atoi(getenv("FAIL_CODE"));
}
static int fails(int fd, int sync) {
    char link[64], path[4096]; ready();
    if (sync != sync_too) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long n = readlink(link, path, sizeof path - 1); if (n <= 0) return 0;
    path[n] = 0; if (!strstr(path, "library.db") || strstr(path, "-shm")) return 0;
    seen++; if (seen != at && !(lasting && seen > at)) return 0;
    FILE *mark = fopen(getenv("FAIL_MARK"), "w"); if (mark) fclose(mark);
    errno = code; return 1;
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define SIZES const void *b, size_t n
ssize_t pwrite64(int fd, SIZES, off64_t o) { return fails(fd, 0) ? -1 : REAL(pwrite64)(fd, b, n, o); }
ssize_t pwrite(int fd, SIZES, off_t o) { return fails(fd, 0) ? -1 : REAL(pwrite)(fd, b, n, o); }
int fsync(int fd) { return fails(fd, 1) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails(fd, 1) ? -1 : REAL(fdatasync)(fd); }
"""
CHILD = """
import sys
from pathlib import Path
from importing_fakes import take
from claimlight.errors import ResourceError
from claimlight.tasks import TaskContext
from claimlight.types import Committed
seen = [0]
tell = lambda e: seen.append(e.documents) if isinstance(e, Committed) else None
try:
    take(Path(sys.argv[1]), Path(sys.argv[2]), context=TaskContext(tell))
    print(seen[-1], "done")
except ResourceError as error:
    print(seen[-1], error)
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs Linux and a C compiler")
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    library = folder / "shim.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, folder / "shim.c", "-ldl"],
        check=True,
        capture_output=True,
    )
    return library


@pytest.fixture
def week(tmp_path):
    return source(tmp_path / "week.xml", COUNT)


@pytest.fixture
def undisturbed(tmp_path, week):
    take(tmp_path / "undisturbed", week)
    return digest(tmp_path / "undisturbed")


def child(program, *arguments, **environment):
    path = os.pathsep.join([str(FAKES.parent), *sys.path])
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sync", "lasting", "code"),
    [
        pytest.param(sync, lasting, code, marks=marks, id=f"{name}-{sync}-{lasting}")
        for name, code, first in (("EIO", 5, 0), ("ENOSPC", 28, 1))
        for sync, lasting in product((0, 1), repeat=2)
        for marks in [() if lasting == first else (pytest.mark.variants,)]
    ],
)
def test_a_write_or_sync_that_fails(tmp_path, week, undisturbed, shim, sync, lasting, code):
    """The n-th fails, n growing until the import passes untouched; once only, or from there on."""
    base = tmp_path / "base"
    Library.create(base).close()
    failed, n, step = 0, 1, 1
    while True:
        folder, mark = tmp_path / f"L{n}", tmp_path / f"mark{n}"
        shutil.copytree(base, folder)
        wanted = {"FAIL_AT": str(n), "FAIL_MARK": str(mark), "FAIL_CODE": str(code), "LD_PRELOAD": str(shim)}
        if sync:
            wanted["FAIL_SYNC"] = "1"
        if lasting:
            wanted["FAIL_LASTING"] = "1"
        done = child(CHILD, folder, week, **wanted)
        committed, message = done.stdout.strip().split(" ", 1)
        if not mark.exists():
            assert message == "done"
            break
        failed += 1
        assert message == "done" or "library.db" in message, done.stderr
        with Library.open(folder) as library:
            assert int(committed) <= library.info().documents
        digest(folder)  # every check of SQLite and FTS5 passes
        take(folder, week)
        assert digest(folder) == undisturbed
        shutil.rmtree(folder)
        n, step = n + step, 2 * step
    assert failed >= 4


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts a file system of its own")
def test_a_disk_that_is_full_for_real(tmp_path, undisturbed, week):
    """Eight megabytes: the import ends with advice, reading and searching go on, space makes it go on."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.decode().strip()}")
    try:
        ballast = disk / "ballast"
        take(disk / "L", source(tmp_path / "first.xml", 3))
        free = shutil.disk_usage(disk).free
        ballast.write_bytes(b"x" * (free - 100_000))
        with pytest.raises(ResourceError, match=r"disk is full.*free some space and start it again"):
            take(disk / "L", week)
        with Library.open(disk / "L") as library:
            assert library.info().documents >= 3
            maintenance.verify(library, TaskContext())
        ballast.unlink()
        take(disk / "L", week)
        assert digest(disk / "L") != ""
        with Library.open(disk / "L") as library:
            assert library.info().documents == COUNT
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


# --- bits that changed where nobody wrote ---------------------------------------------------------


def _content(folder):
    """Every row of the tables that hold documents, without where, when and by which reader each was read."""
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        rows = [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in CONTENT]
        words = connection.execute("SELECT term, doc, cnt FROM passage_vocab ORDER BY term").fetchall()
    placed = {"source_id", "modified", "member", "ordinal", "offset", "dialect", "reading", "family_key"}
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(document)")]
    keep = [place for place, name in enumerate(names) if name not in placed]
    rows[0] = [tuple(row[place] for place in keep) for row in rows[0]]
    return rows, words


@pytest.mark.slow
def test_a_flipped_bit_is_found_or_changes_nothing(tmp_path, week):
    take(tmp_path / "L", week)
    whole = (tmp_path / "L" / "library.db").read_bytes()
    before = _content(tmp_path / "L")
    rng = random.Random(8)
    found = 0
    (tmp_path / "F").mkdir()
    for _ in range(200):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        for path in (tmp_path / "F").iterdir():
            path.unlink()
        (tmp_path / "F" / "library.db").write_bytes(data)
        try:
            with Library.open(tmp_path / "F") as library:
                maintenance.verify(library, TaskContext())
        except AppError as error:
            found += "library.db" in str(error)
        else:
            assert _content(tmp_path / "F") == before
    assert found > 15, "of a small library most pages are empty"


def test_verify_names_a_changed_document_and_leaves_the_file(tmp_path, week):
    take(tmp_path / "L", week)
    path = tmp_path / "L" / "library.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE party SET name = name || 'x'")
        connection.execute("UPDATE passage SET label = 'claim 2' WHERE label = 'claim 1' AND document_id = 7")
        connection.commit()
    before = path.read_bytes()
    with (
        Library.open(tmp_path / "L") as library,
        pytest.raises(ResourceError, match=r"have changed: US9000006B2\. Run `claimlight doctor --repair"),
    ):
        maintenance.verify(library, TaskContext())
    assert path.read_bytes() == before


def test_verify_finds_words_that_are_not_those_of_the_texts(tmp_path, week):
    take(tmp_path / "L", week)
    with closing(sqlite3.connect(tmp_path / "L" / "library.db")) as connection:
        connection.execute("INSERT INTO passage_fts (passage_fts) VALUES ('delete-all')")
        connection.commit()
    with (
        Library.open(tmp_path / "L") as library,
        pytest.raises(ResourceError, match=r"library\.db is damaged"),
    ):
        maintenance.verify(library, TaskContext())


def test_text_that_is_no_text_is_told_as_damage(tmp_path, week):
    take(tmp_path / "L", week)
    with closing(sqlite3.connect(tmp_path / "L" / "library.db")) as connection:
        connection.execute("UPDATE document SET title = CAST(x'ff41' AS TEXT) WHERE id = 3")
        connection.commit()
    with Library.open(tmp_path / "L") as library, pytest.raises(ResourceError, match="Could not decode"):
        maintenance.verify(library, TaskContext())


# --- migrations, descriptors, lost files ----------------------------------------------------------


@POSIX
def test_a_migration_that_is_killed_leaves_the_old_schema(tmp_path, week):
    """Killed at its last statement; the next start does it again from the beginning."""
    program = (
        "import os, signal, sys; from pathlib import Path; from sqlalchemy import event\n"
        "from claimlight.store import Store, migrate, store\n"
        "real = migrate.upgrade\n"
        "def upgrade(connection, schema):\n"
        "    real(connection, schema)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "migrate.upgrade = upgrade\n"
        "Store.open(Path(sys.argv[1]))\n"
    )
    path = _first_schema(tmp_path / "L")
    with closing(sqlite3.connect(path)) as connection:
        before = list(connection.iterdump())
    assert child(program, tmp_path / "L").returncode == -signal.SIGKILL
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert list(connection.iterdump()) == before
    take(tmp_path / "L", week)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (migrate.LIBRARY.version,)
    with Library.open(tmp_path / "L") as library:
        assert library.info().documents == COUNT


def _first_schema(folder):
    """An empty library as the first version made it."""
    folder.mkdir()
    path = folder / "library.db"
    path.touch()
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations" / "library"))
    database = Database(path, advice="", journal="DELETE")
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql(f"PRAGMA application_id = {migrate.LIBRARY.application_id}")
        connection.exec_driver_sql("PRAGMA user_version = 1")
    database.close()
    return path


@POSIX
def test_without_file_descriptors_it_says_so_and_recovers(tmp_path):
    """Sixty-four descriptors, all but a few taken: the import ends with a message, and works again."""
    folder = tmp_path / "in"
    folder.mkdir()
    for n in range(5):
        (folder / f"{n}.xml").write_bytes(grant(n))
    program = (
        "import os, resource, sys; from pathlib import Path\n"
        "from importing_fakes import settings, take\n"
        "from claimlight.errors import AppError\n"
        "from claimlight.services.library.library import Library, import_paths\n"
        "from claimlight.tasks import TaskContext\n"
        "with Library.open_or_create(Path(sys.argv[1])) as library:\n"
        "    library.info()\n"
        "    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "    held = []\n"
        "    while True:\n"
        "        try: held.append(os.open('/dev/null', os.O_RDONLY))\n"
        "        except OSError: break\n"
        "    try: import_paths(library, [Path(sys.argv[2])], TaskContext(), settings(2))\n"
        "    except AppError as error: print(error)\n"
        "    for one in held: os.close(one)\n"
        "    print(import_paths(library, [Path(sys.argv[2])], TaskContext(), settings(2)).taken)\n"
    )
    done = child(program, tmp_path / "L", folder)
    assert done.returncode == 0, done.stderr
    message, taken = done.stdout.strip().splitlines()
    assert "Too many open files" in message
    assert int(taken) == 5
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 64


@POSIX
def test_a_share_that_goes_away_while_it_is_read(tmp_path, monkeypatch):
    """Reading fails in the middle: what was committed stays, and the import goes on when it is back."""
    path = source(tmp_path / "week.xml", 4000)
    assert path.stat().st_size > 3 << 20
    real = Path.open

    class Broken:
        def __init__(self, stream):
            self._stream = stream

        def __getattr__(self, name):
            return getattr(self._stream, name)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self._stream.close()

        def read(self, size=-1):
            if self._stream.tell() > 2 << 20:
                raise OSError(5, "Input/output error")
            return self._stream.read(size)

    monkeypatch.setattr(
        Path,
        "open",
        lambda self, mode="r", *more: Broken(real(self, mode)) if self == path else real(self, mode, *more),
    )
    with Library.open_or_create(tmp_path / "L") as library:
        with pytest.raises(ResourceError, match=r"week\.xml: Input/output error"):
            import_paths(library, [path], TaskContext(), settings(100))
        kept = library.info().documents
        monkeypatch.undo()
        assert 0 < kept < 4000
        report = import_paths(library, [path], TaskContext(), settings(500))
        assert report.taken == 4000 - kept


def test_a_path_of_three_hundred_characters(tmp_path):
    folder = tmp_path
    for _ in range(3):
        folder = folder / ("x" * 100)
    folder.mkdir(parents=True)
    path = source(folder / "week.xml", 2)
    assert len(str(path)) > 300
    assert take(folder / "L", path).taken == 2
    assert digest(folder / "L")
