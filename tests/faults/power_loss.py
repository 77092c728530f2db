"""Disks as a power loss could leave them, made from a record of what a process really wrote.

`record` runs a program with `recorder.c` in front of the C library. `Recording.lose_power` then stops the
disk at any moment and keeps what the system has promised to keep, and a random part of the rest:

* Bytes that were synced are there. Of every later write to a file each may be there, missing or torn: then
  each of its sectors of 512 bytes is the new one, the old one or garbage.
* A name that was made, changed or removed is durable once its folder was synced. Of later changes either the
  first few are there, as file systems with a journal do it, or any.
* Power that fails loses nothing that the program acknowledged before: the acknowledgements are in the same
  record.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
_HEAD = struct.Struct("<IIIIQq")
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the journal: ``kind`` is the letter that `recorder.c` gives it."""

    kind: str
    inode: int
    offset: int
    first: str
    second: str
    data: bytes


@dataclass
class _File:
    """A file: what is durable of it, and what was written since its last sync."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Offset and bytes; None sets the length to the offset."""
    live: bytearray = field(default_factory=bytearray)
    names: int = 0

    def do(self, offset: int, data: bytes | None) -> None:
        self.pending.append((offset, data))
        _apply(self.live, offset, data)

    def sync(self) -> None:
        for offset, data in self.pending:
            _apply(self.durable, offset, data)
        self.pending.clear()

    def lost(self, rng: random.Random, share: float, torn: float) -> bytes:
        """The content after a power loss, in which ``share`` of what was not synced is kept."""
        body = bytearray(self.durable)
        for offset, data in self.pending:
            if rng.random() >= share:
                continue
            if data is None or rng.random() >= torn:
                _apply(body, offset, data)
                continue
            for start, sector in _sectors(offset, data):
                fate = rng.random()
                if fate < 0.5:
                    _apply(body, start, sector)
                elif fate < 0.55:
                    _apply(body, start, rng.randbytes(len(sector)))
        return bytes(body)


@dataclass
class _Change:
    """Names that change together: each is taken by a file or folder, or by nothing."""

    names: list[tuple[int, str, int | None]]
    """Folder, name in it, and what the name leads to."""
    durable: bool = False


@dataclass(frozen=True, slots=True)
class Loss:
    """A disk after a power loss; ``acknowledged`` is what the program had said before."""

    folder: Path
    moment: int
    acknowledged: list[str]
    under_way: str
    """The acknowledgement that came next, had the power stayed; empty at the end."""


class Recording:
    """The steps of a program, and the folder they began with."""

    def __init__(self, root: Path, steps: list[Step], before: dict[str, bytes | None]) -> None:
        self.root, self.steps, self._before = root, steps, before

    def lose_power(
        self, place: Path, rounds: int, seed: int, *, deaf: bool = False, killed: bool = False
    ) -> Iterator[Loss]:
        """``rounds`` disks, one after the other in a folder ``disk`` in ``place``, each at a random moment.

        A third of the moments directly follow an acknowledgement, a third a change of a name. With ``deaf``
        the disk only says that it has synced: the same program then has to lose something, or the simulation
        would prove nothing. With ``killed`` the power stays and the program is killed: nothing that it wrote
        is lost.
        """
        rng = random.Random(seed)
        acks = [n for n, step in enumerate(self.steps, 1) if step.kind == "A"]
        names = [n for n, step in enumerate(self.steps, 1) if step.kind in "CRLUMD"]
        kinds = [moments for moments in (acks, names, range(1, len(self.steps) + 1)) if moments]
        moments = sorted(rng.choice(kinds[n % len(kinds)]) for n in range(rounds))
        disk, done = _Disk(self._before, self.root, deaf=deaf), 0
        for moment in moments:
            for step in self.steps[done:moment]:
                disk.do(step)
            done = moment
            folder = place / "disk"
            shutil.rmtree(folder, ignore_errors=True)
            disk.write(folder, random.Random(rng.random()), whole=killed)
            said = [self.steps[n - 1].data.decode().strip() for n in acks if n <= moment]
            later = next((self.steps[n - 1].data.decode().strip() for n in acks if n > moment), "")
            yield Loss(folder, moment, said, later)


class _Disk:
    """Replays steps, and knows of each whether it is durable."""

    def __init__(self, before: dict[str, bytes | None], root: Path, *, deaf: bool) -> None:
        self._root, self._deaf = str(root), deaf
        self._files: dict[int, _File] = {}
        self._folders: dict[int, dict[str, int]] = {0: {}}
        self._by_inode: dict[int, int] = {}
        self._changes: list[_Change] = []
        self._next = 1
        for path, body in before.items():
            if body is None:
                self._make_folder(path)
            else:
                self._new_file(path).do(0, body)
        for file in self._files.values():
            file.sync()
        for change in self._changes:
            change.durable = True

    def do(self, step: Step) -> None:
        getattr(self, f"_do_{step.kind}")(step)

    # Content

    def _do_A(self, step: Step) -> None:
        pass

    def _do_C(self, step: Step) -> None:
        self._new_file(step.first, step.inode)

    def _do_W(self, step: Step) -> None:
        if file := self._file(step):
            file.do(step.offset, step.data)

    def _do_T(self, step: Step) -> None:
        if (file := self._file(step)) and len(file.live) != step.offset:
            file.do(step.offset, None)

    def _do_S(self, step: Step) -> None:
        if (file := self._file(step)) and bytes(file.live) != step.data:
            file.do(0, step.data)
            if len(file.live) > len(step.data):
                file.do(len(step.data), None)

    def _do_F(self, step: Step) -> None:
        if (file := self._file(step)) and not self._deaf:
            file.sync()

    def _file(self, step: Step) -> _File | None:
        if step.first.endswith(" (deleted)"):
            return None
        number = self._by_inode.get(step.inode)
        # One that the C library opened by itself is met at its first write.
        return self._new_file(step.first, step.inode) if number is None else self._files[number]

    def _new_file(self, path: str, inode: int | None = None) -> _File:
        known = self._find(path)
        number = known if known in self._files else self._number()
        file = self._files.setdefault(number, _File())
        if inode is not None:
            self._by_inode[inode] = number
        if number != known:
            self._change((*self._place(path), number))
        return file

    # Names

    def _do_D(self, step: Step) -> None:
        folder = self._find(step.first)
        for change in self._changes:
            if not self._deaf and any(place == folder for place, _, _ in change.names):
                change.durable = True

    def _do_M(self, step: Step) -> None:
        self._make_folder(step.first)

    def _do_U(self, step: Step) -> None:
        self._change((*self._place(step.first), None))

    def _do_L(self, step: Step) -> None:
        self._change((*self._place(step.second), self._find(step.first)))

    def _do_R(self, step: Step) -> None:
        moved = self._find(step.first)
        self._change((*self._place(step.first), None), (*self._place(step.second), moved))

    def _make_folder(self, path: str) -> None:
        number = self._number()
        self._folders[number] = {}
        self._change((*self._place(path), number))

    def _change(self, *names: tuple[int, str, int | None]) -> None:
        for folder, name, target in names:
            entries = self._folders[folder]
            if (file := self._files.get(entries.pop(name, -1))) is not None:
                file.names -= 1
            if target is not None:
                entries[name] = target
                if target in self._files:
                    self._files[target].names += 1
        # The system may give the number of a file that has no name any more to the next one.
        gone = {number for number, file in self._files.items() if not file.names}
        self._by_inode = {inode: number for inode, number in self._by_inode.items() if number not in gone}
        self._changes.append(_Change(list(names)))

    def _number(self) -> int:
        self._next += 1
        return self._next

    def _place(self, path: str) -> tuple[int, str]:
        parent, _, name = path.rpartition("/")
        folder = self._find(parent)
        assert folder in self._folders, f"{parent} is not known"
        return folder, name

    def _find(self, path: str) -> int | None:
        found: int | None = 0
        for part in path[len(self._root) :].strip("/").split("/"):
            if part:
                found = self._folders.get(found, {}).get(part) if found is not None else None
        return found

    # The loss

    def write(self, folder: Path, rng: random.Random, *, whole: bool) -> None:
        """Write the disk as a power loss at this moment could leave it; ``whole`` loses nothing."""
        share = 1.0 if whole else rng.choice((0.0, 0.3, 0.7, 1.0))
        torn = 0.0 if whole else rng.choice((0.0, 0.15, 0.5))
        open_ = [change for change in self._changes if not change.durable]
        if not whole and rng.random() < 0.6:
            lost = set(map(id, open_[rng.randint(0, len(open_)) :]))
        else:
            lost = {id(change) for change in open_ if rng.random() >= share}
        entries: dict[int, dict[str, int]] = {number: {} for number in self._folders}
        for change in self._changes:
            if id(change) not in lost:
                for place, name, target in change.names:
                    entries[place].pop(name, None)
                    if target is not None:
                        entries[place][name] = target
        self._write(folder, 0, entries, lambda file: file.lost(rng, share, torn))

    def _write(
        self, folder: Path, number: int, entries: dict[int, dict[str, int]], content: Callable[[_File], bytes]
    ) -> None:
        folder.mkdir(mode=0o700)
        for name, target in entries[number].items():
            if target in self._folders:
                self._write(folder / name, target, entries, content)
            else:
                (folder / name).write_bytes(content(self._files[target]))


def _apply(body: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del body[offset:]
        body.extend(bytes(max(0, offset - len(body))))
        return
    body.extend(bytes(max(0, offset - len(body))))
    body[offset : offset + len(data)] = data


def _sectors(offset: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of a write that lie in one sector each."""
    at = 0
    while at < len(data):
        size = min(SECTOR - (offset + at) % SECTOR, len(data) - at)
        yield offset + at, data[at : at + size]
        at += size


def find_compiler() -> str | None:
    """A C compiler on Linux, which the recorder needs; None elsewhere."""
    return shutil.which("cc") if sys.platform == "linux" else None


def build_shim(name: str, folder: Path) -> Path:
    """Compile ``name.c`` of this folder; `CalledProcessError` where it cannot be."""
    library = folder / f"{name}.so"
    command = [str(find_compiler()), "-O1", "-shared", "-fPIC", "-o", str(library)]
    subprocess.run([*command, str(_HERE / f"{name}.c"), "-ldl"], check=True, capture_output=True)
    return library


def record(recorder: Path, root: Path, module: str, *arguments: str) -> Recording:
    """Run ``module`` and record what it does below ``root``, a folder that is there and may have files.

    The program acknowledges with `acknowledge`. It must end without an error.
    """
    root = root.resolve()
    before = {str(path): None if path.is_dir() else path.read_bytes() for path in sorted(root.rglob("*"))}
    journal = root.parent / f"{root.name}.journal"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LD_PRELOAD": str(recorder),
        "POWER_ROOT": str(root),
        "POWER_JOURNAL": str(journal),
        "POWER_ACKS": str(root.parent / f"{root.name}.acks"),
    }
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return Recording(root, _read(journal.read_bytes()), before)


def acknowledge(text: str) -> None:
    """Say, in the program that is recorded, that something is saved."""
    with Path(os.environ["POWER_ACKS"]).open("ab", buffering=0) as stream:
        stream.write(f"{text}\n".encode())


def _read(body: bytes) -> list[Step]:
    steps, at = [], 0
    while at < len(body):
        kind, first, second, length, inode, offset = _HEAD.unpack_from(body, at)
        at += _HEAD.size
        parts = []
        for size in (first, second, length):
            parts.append(body[at : at + size])
            at += size
        steps.append(Step(chr(kind), inode, offset, os.fsdecode(parts[0]), os.fsdecode(parts[1]), parts[2]))
    return steps
