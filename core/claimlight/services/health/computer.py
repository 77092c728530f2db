"""Checks of this computer: whether processor, memory, disks, clock, fonts and screen suit the work."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psutil

import claimlight
from claimlight import paths
from claimlight.errors import AppError
from claimlight.index import manifest
from claimlight.machine import instructions
from claimlight.services.health import words
from claimlight.types import LibraryInfo
from claimlight.types.health import Finding, Subject, WindowFacts
from claimlight.types.languages import names_of

GIB = 1 << 30
LITTLE_SPACE = 2 * GIB
"""Less free space is a warning: an import and the merge of segments need room beside what is there."""
NO_SPACE = 200 << 20
"""Less is a fault: a case book, its backup and the log of a database still fit."""
PROGRAM = 768 << 20
"""Memory of the window with the sample open and the shipped models loaded, as measured; other index files are
mapped, and need none of their own."""
FOR_OTHERS = 2 * GIB
"""Memory for the system, the window and one other program, beside what the library needs."""
SMALLEST = (1366, 768)
"""Logical pixels of the smallest screen the window is made for."""
_DAY = 86_400
_INSTRUCTIONS = {"avx2": "AVX2", "fma": "FMA3"}
"""Names, and what numpy calls them."""
_X86 = {"x86_64", "amd64"}
_PROCESSORS = Path("/proc/cpuinfo")
_NETWORK = frozenset(
    (
        *(
            "9p",
            "afpfs",
            "afs",
            "beegfs",
            "ceph",
            "cifs",
            "davfs",
            "fuse.davfs2",
            "fuse.rclone",
            "fuse.sshfs",
        ),
        *("gfs2", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs", "virtiofs", "webdav"),
    )
)
_REMOTE_DRIVE = 4
"""DRIVE_REMOTE of Windows."""


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system that a folder is on."""

    kind: str
    """Its name in the system, such as ``ext4``; empty if not known."""
    network: bool = False
    read_only: bool = False


def examine(
    folder: Path | None, info: LibraryInfo | None = None, *, window: WindowFacts | None = None
) -> Iterator[Finding]:
    """Check the computer for work on the library in ``folder``; None: one in the default place.

    ``info``: of the open library, whose sizes and languages count then. ``window``: None on the command line.
    """
    place = folder or paths.libraries_dir()
    yield check_processor(*processor())
    yield check_memory(memory_needed(folder))
    yield check_space(Subject.LIBRARY_SPACE, place)
    yield check_space(Subject.CASES_SPACE, paths.cases_dir())
    yield check_writing(Subject.LIBRARY, place, fault=False)
    yield check_writing(Subject.CASES, paths.cases_dir(), fault=True)
    yield check_disk(find_disk(nearest(place)))
    yield check_clock(_own_files(folder), time.time())
    if window is None:
        yield check_parts(missing_part())
    else:
        languages = () if info is None else tuple(name for name, _ in info.languages)
        yield check_fonts(languages, window)
        yield check_screen(window)


def processor() -> tuple[str, frozenset[str]]:
    """Name of the processor and, on x86, which of the encoder's instructions it lacks."""
    machine = platform.machine()
    if machine.lower() not in _X86:
        return machine, frozenset()
    features = instructions()
    lacking = frozenset(name for name, known in _INSTRUCTIONS.items() if not features.get(known, False))
    return _model() or platform.processor() or machine, lacking


def _model() -> str:
    """What Linux calls the processor; empty elsewhere."""
    with suppress(OSError):
        for line in _PROCESSORS.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return ""


def check_processor(name: str, lacking: frozenset[str]) -> Finding:
    """Without AVX2 the encoder works, but more slowly."""
    if not lacking:
        return Finding(Subject.PROCESSOR, words.has_instructions(name))
    missing = ", ".join(sorted(each.upper() for each in lacking))
    return Finding(
        Subject.PROCESSOR,
        words.lacks_instructions(name, missing),
        why=words.SLOW_WHY,
        advice=words.SLOW_ADVICE,
        figures={"lacking": len(lacking)},
    )


def memory_needed(folder: Path | None) -> int:
    """Bytes that the window holds while it searches a library: the program, and the graph of the index."""
    if folder is None:
        return PROGRAM
    try:
        index = folder / "index"
        pointer = manifest.read_pointer(index)
        live = None if pointer is None else manifest.read(index, pointer)
    except (AppError, OSError):
        return PROGRAM  # a damaged index is reported where it is opened
    return PROGRAM + (live.graph.file.bytes if live is not None and live.graph is not None else 0)


def check_memory(needed: int) -> Finding:
    """Whether the memory of the computer is enough, and enough of it free."""
    found = psutil.virtual_memory()
    # What this process holds may be the library already.
    free = int(found.available) + int(psutil.Process().memory_info().rss)
    state = words.memory(size(min(free, found.total)), size(found.total), size(needed))
    figures = {"free_bytes": free, "total_bytes": int(found.total), "needed_bytes": needed}
    if free >= needed and found.total >= needed + FOR_OTHERS:
        return Finding(Subject.MEMORY, state, figures=figures)
    return Finding(Subject.MEMORY, state, why=words.MEMORY_WHY, advice=words.MEMORY_ADVICE, figures=figures)


def check_space(subject: str, folder: Path) -> Finding:
    """Whether there is room on the disk of a folder, which need not exist yet."""
    free = shutil.disk_usage(nearest(folder)).free
    state = words.space(size(free), str(folder))
    if free >= LITTLE_SPACE:
        return Finding(subject, state, figures={"free_bytes": free})
    return Finding(
        subject,
        state,
        free >= NO_SPACE,
        why=words.SPACE_WHY,
        advice=words.SPACE_ADVICE,
        figures={"free_bytes": free},
    )


def check_writing(subject: str, folder: Path, *, fault: bool) -> Finding:
    """Whether a file can be made in a folder, or where it will be; ``fault``: nothing works without."""
    try:
        # The right to write says little on Windows and on shares; only trying tells.
        with tempfile.TemporaryFile(dir=nearest(folder)):
            return Finding(subject, words.writable(str(folder)))
    except OSError as error:
        return Finding(
            subject,
            words.not_writable(str(folder)),
            not fault,
            why=words.CASES_WHY if fault else words.WRITE_WHY,
            advice=words.CASES_ADVICE if fault else words.WRITE_ADVICE,
            error=type(error).__name__,
        )


def find_disk(folder: Path) -> Disk:
    """The file system of a folder that exists."""
    where = folder.resolve()
    if os.name == "nt":
        return _windows_disk(where)
    mounts = [item for item in psutil.disk_partitions(all=True) if where.is_relative_to(item.mountpoint)]
    # Of several mounts at one place the last one is seen.
    best = max(enumerate(mounts), key=lambda item: (len(item[1].mountpoint), item[0]), default=None)
    if best is None:
        return Disk("")
    kind = best[1].fstype
    return Disk(kind, kind in _NETWORK, "ro" in best[1].opts.split(","))


def check_disk(disk: Disk) -> Finding:
    """SQLite's write-ahead log needs memory that is shared, which network drives don't give."""
    kind = disk.kind or "?"
    if disk.network:
        return Finding(
            Subject.LIBRARY_DISK, words.network_disk(kind), why=words.SHARED_WHY, advice=words.SHARED_ADVICE
        )
    if disk.read_only:
        return Finding(
            Subject.LIBRARY_DISK,
            words.locked_disk(kind),
            why=words.READ_ONLY_WHY,
            advice=words.READ_ONLY_ADVICE,
        )
    return Finding(Subject.LIBRARY_DISK, words.local_disk(kind))


def check_clock(dated: Iterable[tuple[float, bool]], now: float) -> Finding:
    """``dated``: times of files, and whether each is one of the program; a day of difference is let pass."""
    ahead = [own for at, own in dated if at > now + _DAY]
    if not ahead:
        return Finding(Subject.CLOCK, words.clock_right())
    state = words.clock_early() if any(ahead) else words.file_ahead()
    return Finding(Subject.CLOCK, state, why=words.CLOCK_WHY, advice=words.CLOCK_ADVICE)


def check_parts(missing: str) -> Finding:
    """``missing``: a library of the system that Qt needs; empty if all are there."""
    if not missing:
        return Finding(Subject.WINDOW_PARTS, words.parts_found())
    return Finding(
        Subject.WINDOW_PARTS, words.part_missing(missing), why=words.PARTS_WHY, advice=words.PARTS_ADVICE
    )


def missing_part() -> str:
    """File name of a system library that Qt's usual window system lacks; empty if none is missing or known.

    Linux alone: elsewhere Qt brings all it needs.
    """
    found = find_spec("PySide6") if sys.platform.startswith("linux") else None
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        plugin = Path(folder) / "Qt" / "plugins" / "platforms" / "libqxcb.so"
        if plugin.is_file():
            return _fault_of(plugin)
    return ""


def check_fonts(languages: Iterable[str], window: WindowFacts) -> Finding:
    """Whether the languages of the library have fonts."""
    missing = sorted(set(languages) & set(window.unreadable))
    if not missing:
        return Finding(Subject.FONTS, words.fonts_found())
    return Finding(
        Subject.FONTS,
        words.fonts_missing(names_of(missing)),
        why=words.FONTS_WHY,
        advice=words.FONTS_ADVICE,
        figures={"languages": len(missing)},
    )


def check_screen(window: WindowFacts) -> Finding:
    """Whether the largest screen is as large as the window is made for."""
    best = max(window.screens, key=lambda each: each.width * each.height, default=None)
    if best is None:
        return Finding(Subject.SCREEN, "?")
    state = words.screen(str(best.width), str(best.height))
    if best.width >= SMALLEST[0] and best.height >= SMALLEST[1]:
        return Finding(Subject.SCREEN, state)
    return Finding(Subject.SCREEN, state, why=words.SCREEN_WHY, advice=words.SCREEN_ADVICE)


def nearest(folder: Path) -> Path:
    """A folder, or the first above it that exists: the program makes its folders when it needs them."""
    return next((item for item in (folder, *folder.parents) if item.exists()), folder)


def size(count: float) -> str:
    """Bytes as gigabytes: ``3.4``."""
    return f"{count / GIB:,.1f}"


def _own_files(folder: Path | None) -> Iterator[tuple[float, bool]]:
    program = (Path(claimlight.__file__), paths.shipped_models_dir() / "DEFAULT")
    users = [*paths.cases_dir().glob("*.db"), *(() if folder is None else folder.glob("*.db"))]
    for own, group in ((True, program), (False, users)):
        for path in group:
            try:
                yield path.stat().st_mtime, own
            except OSError:
                continue


def _windows_disk(folder: Path) -> Disk:
    import ctypes

    remote = folder.drive.startswith("\\\\")
    if not remote:
        kernel = getattr(ctypes, "WinDLL")("kernel32")  # noqa: B009 - unknown to POSIX
        remote = kernel.GetDriveTypeW(f"{folder.drive}\\") == _REMOTE_DRIVE
    return Disk("share" if remote else "local", network=remote)


def _fault_of(plugin: Path) -> str:
    """The library that a plug-in of Qt could not be loaded for."""
    import ctypes

    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        # The loader says "libxcb-cursor.so.0: cannot open shared object file: …"
        name = str(error).partition(":")[0]
        return name if "/" not in name and ".so" in name else ""
    return ""
