"""What `claimlight.files` promises of files that are replaced, and that nobody replaces them another way."""

from __future__ import annotations

import ast
import errno
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from claimlight import files
from claimlight.files import Access

ROOT = Path(__file__).parents[2]
OLD, NEW = b"old " * 5000, b"new " * 9000

# Where a name is changed in another way, and why.
ELSEWHERE = {
    "core/claimlight/files.py": "the one way",
    "core/claimlight/settings.py": "a damaged file is kept under another name",
    "app/claimlight_workbench/ui_state.py": "a damaged file is kept under another name",
    "core/claimlight/index/writer.py": "the pointer of a rebuild, already on disk, becomes the live one",
    "core/claimlight/services/models/model_packages.py": "packages move between folders",
    "core/claimlight/evaluation/judge_adaptation.py": "a package gets its name once it is measured",
    "core/claimlight/evaluation/classification/training.py": "a package gets its name once it is complete",
    "core/claimlight/services/training/adapted.py": "a package moves between folders",
    "core/claimlight/services/sample.py": "of two programs the first one wins, nothing is replaced",
    "core/claimlight/store/store.py": "of two programs the first one wins, nothing is replaced",
    "core/claimlight/store/picture_store.py": "of two programs the first one wins, nothing is replaced",
    "core/claimlight/index/mending.py": "damaged files are kept under another name",
    "core/claimlight/store/backup.py": "the previous case book is kept under another name",
    "bench/lab/effect_active.py": "vectors of a benchmark, made again where they are not whole",
    "bench/lab/effect_vectors.py": "vectors of a benchmark, made again where they are not whole",
}


def _renames(path: Path) -> bool:
    """Whether a module gives a path another name: ``a.replace(b)``, ``a.rename(b)``, or a function of os."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner, name = node.func.value, node.func.attr
        if (
            isinstance(owner, ast.Name)
            and owner.id in ("os", "shutil")
            and name in ("replace", "rename", "move")
        ):
            return True
        # str.replace takes two arguments, date.replace named ones; a model of the window takes its rows.
        path_like = name in ("replace", "rename") and len(node.args) == 1 and not node.keywords
        if path_like and not (isinstance(owner, ast.Attribute) and owner.attr == "model"):
            return True
    return False


def test_files_are_replaced_in_one_place():
    modules = [path for top in ("core", "app", "bench") for path in sorted((ROOT / top).rglob("*.py"))]
    found = {path.relative_to(ROOT).as_posix() for path in modules if _renames(path)}
    assert found == set(ELSEWHERE)


def test_the_search_for_other_ways_finds_them(tmp_path: Path):
    path = tmp_path / "module.py"
    for line, expected in (
        ("temporary.replace(path)", True),
        ("Path(name).rename(path)", True),
        ("os.replace(a, b)", True),
        ("shutil.move(a, b)", True),
        ("text.replace('a', 'b')", False),
        ("day.replace(year=1)", False),
        ("replace(value, a=1)", False),
    ):
        path.write_text(line)
        assert _renames(path) is expected, line


@pytest.mark.parametrize("body", ["ä\n", b"\x00\r\n"])
@pytest.mark.parametrize("access", Access)
def test_what_is_written_can_be_read(tmp_path: Path, body: bytes | str, access: Access):
    path = tmp_path / "file"
    for _ in range(2):
        files.write_atomically(path, body, access)
        assert path.read_bytes() == (body.encode() if isinstance(body, str) else body)
    assert list(tmp_path.iterdir()) == [path]


def test_text_keeps_its_ends_of_lines(tmp_path: Path):
    with files.open_text_atomically(tmp_path / "file") as stream:
        stream.write("ä\nb\r\n")
    assert (tmp_path / "file").read_bytes() == "ä\nb\r\n".encode()


@pytest.mark.skipif(sys.platform == "win32", reason="rights of another kind")
def test_who_may_read_it(tmp_path: Path):
    former = os.umask(0o022)
    try:
        tmp_path.chmod(0o750)
        found = {}
        for access in Access:
            path = tmp_path / access.value
            files.write_atomically(path, "new", access)
            first = path.stat().st_mode & 0o777
            path.chmod(0o604)
            files.write_atomically(path, "newer", access)
            found[access] = first, path.stat().st_mode & 0o777
    finally:
        os.umask(former)
    assert found == {
        Access.OWNER: (0o600, 0o600),
        Access.AS_BEFORE: (0o600, 0o604),
        Access.FOLDER: (0o640, 0o640),
        Access.USUAL: (0o644, 0o644),
    }


# What is traced or killed: every write, sync and rename, by the functions of the system that do them.
STEPS = """
import os, signal, sys
from pathlib import Path
from claimlight import files
path, fatal, steps = Path(sys.argv[1]), int(sys.argv[2]), []
def traced(name, real):
    def step(*given, **named):
        steps.append(name(*given))
        if len(steps) == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)
    return step
def synced(handle):
    found = Path(os.readlink(f"/proc/self/fd/{handle}"))
    return "sync folder" if found.is_dir() else "sync file"
os.fsync = traced(synced, os.fsync)
os.replace = traced(lambda a, b: "rename", os.replace)
Path.replace = lambda self, other: os.replace(self, other)
class Raw:
    def __init__(self, stream): self.stream = stream
    def write(self, data): return wrote(self.stream, data)
    def __getattr__(self, name): return getattr(self.stream, name)
    def __enter__(self): return self
    def __exit__(self, *_): self.stream.close()
wrote = traced(lambda *_: "write", lambda stream, data: stream.write(data))
owner = files.Access.OWNER
real_open = files._OPENERS[owner]
files._OPENERS[owner] = lambda target, mode: Raw(real_open(target, mode, buffering=0))
"""


def _child(program: str, *given: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, *map(str, given)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@linux
def test_a_kill_at_any_step_leaves_the_old_file_or_the_new(tmp_path: Path):
    path, seen = tmp_path / "file", []
    body = STEPS + "files.write_atomically(path, b'new ' * 9000)"
    for step in count(1):
        path.write_bytes(OLD)
        done = _child(body, path, step)
        seen.append(path.read_bytes())
        assert seen[-1] in (OLD, NEW)
        left = [item for item in tmp_path.iterdir() if item != path]
        assert all(item.suffix == files.TEMPORARY for item in left)
        for item in left:
            item.unlink()
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert seen == [OLD] * 3 + [NEW] * 2


@linux
def test_content_is_on_disk_before_its_name_and_the_name_before_the_end(tmp_path: Path):
    """What a power cut can't undo: the order of writes, syncs and renames."""
    done = _child(
        STEPS + "files.write_atomically(path, 'new'); print(*steps, sep=', ')", tmp_path / "file", 0
    )
    assert done.stdout.strip() == "write, sync file, rename, sync folder", done.stderr


@linux
def test_the_files_of_a_folder_are_on_disk_before_its_name(tmp_path: Path):
    body = STEPS + (
        "with files.make_folder_atomically(path) as made:\n"
        "    (made / 'inner').mkdir(parents=True)\n"
        "    (made / 'inner' / 'a').write_text('a')\n"
        "print(*steps, sep=', ')"
    )
    done = _child(body, tmp_path / "folder", 0)
    expected = "sync folder, sync file, sync folder, sync folder, rename, sync folder"
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="limits as POSIX has them")
def test_a_disk_that_is_full_leaves_the_old_file_alone(tmp_path: Path):
    """The kernel refuses to let the file grow past a limit, as it does on a full disk."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    body = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from claimlight import files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\n"
        "for write in (lambda: files.write_atomically(Path(sys.argv[1]), 'x' * 1000), text):\n"
        "    try: write()\n"
        "    except OSError as error: print(files.is_full(error))\n"
    ).replace(
        "signal.signal",
        "def text():\n"
        "    with files.open_text_atomically(Path(sys.argv[1])) as stream: stream.write('x' * 1000)\n"
        "signal.signal",
        1,
    )
    done = _child(body, path)
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert path.read_bytes() == OLD
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path):
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_bytes(OLD)
    folder.mkdir()
    (folder / "kept").write_text("kept")
    for opened in (files.open_atomically, files.open_text_atomically):
        with pytest.raises(TypeError), opened(file) as stream:
            stream.writelines([b"new", "new"])
    with pytest.raises(FileNotFoundError), files.make_folder_atomically(folder) as made:
        (made / "missing" / "inner").mkdir()
    assert file.read_bytes() == OLD
    assert [item.name for item in folder.iterdir()] == ["kept"]
    assert sorted(tmp_path.iterdir()) == [file, folder]


def test_a_folder_is_replaced_and_what_a_kill_left_of_it_is_gone(tmp_path: Path):
    folder = tmp_path / "folder"
    for name in ("folder", "folder.tmp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "former").touch()
    with files.make_folder_atomically(folder) as made:
        made.mkdir()
        (made / "new").touch()
    assert [item.name for item in folder.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [folder]


def test_writers_at_the_same_time_never_mix(tmp_path: Path):
    path = tmp_path / "file"
    bodies = [bytes([number]) * 200_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda body: files.write_atomically(path, body), bodies * 4))
    assert path.read_bytes() in bodies
    assert list(tmp_path.iterdir()) == [path]


def test_which_errors_mean_that_there_is_no_room():
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EACCES)
    assert [files.is_full(OSError(number, "")) for number in numbers] == [True, True, True, False, False]
