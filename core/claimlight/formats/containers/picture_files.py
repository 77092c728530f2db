"""Reads pictures beside a patent file or in its archive, as untrusted input.

The same limits hold as for documents (`claimlight.formats.containers.archives`): sizes, ratios, names,
archives one level deep. Nothing is written under a name from an archive.
"""

from __future__ import annotations

import gzip
import os
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from claimlight.errors import ParseError, ResourceError
from claimlight.formats.containers import archives, tarball
from claimlight.formats.containers.archives import Allowance, Bounded
from claimlight.formats.containers.splitter import CHUNK, Readable
from claimlight.tasks import TaskContext

MAX_PICTURE = 64 << 20
"""Bytes of one picture; a page of drawings has about 30 KB, a printed document as PDF a few MB."""
EXTENSIONS = frozenset({"tif", "tiff", "png", "jpg", "jpeg", "gif", "pdf"})
_DOCUMENTS = frozenset({"xml", "sgm", "sgml", "json"})
_BEGINNINGS = (
    (b"II*\0", "tiff"), (b"MM\0*", "tiff"), (b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"), (b"%PDF-", "pdf"),
)  # fmt: skip
_MOST_LISTED = 200_000
_FAULTS = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, gzip.BadGzipFile, NotImplementedError,
    ParseError, ValueError, OSError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a file: the archive within the archive, the folder in it, and the name."""

    container: str
    """Name of an archive in the archive; empty in the outer one, and on the disk."""
    folder: str
    name: str
    crowded: bool = False
    """Whether its folder has more than one document, so that a name like ``imgf0001.tif`` may be any's."""

    @property
    def stem(self) -> str:
        """The name without extension, in lower case."""
        return self.name.rpartition(".")[0].lower()

    @classmethod
    def of_member(cls, member: str) -> Place:
        """The place of a document by `Source.member`."""
        container, _, inner = member.rpartition("!")
        folder, _, name = inner.rpartition("/")
        return cls(container, folder, name)


Wanted = Callable[[Place], bool]


def picture_format(data: bytes) -> str:
    """``tiff``, ``png``, ``jpeg``, ``gif`` or ``pdf`` by the first bytes; empty if it is none of them."""
    return next((name for begin, name in _BEGINNINGS if data.startswith(begin)), "")


def is_archive(path: Path) -> bool:
    """Whether the file is an archive, or a compressed one."""
    try:
        with path.open("rb") as raw:
            head = raw.read(archives.PEEK)
    except OSError:
        return False
    if archives.is_zip(head) or archives.is_tar(head):
        return True
    return archives.unpack(Bounded(_Nothing(), packed=1), head) is not None


class _Nothing:
    def read(self, size: int, /) -> bytes:
        return b""


class Folders:
    """Finds pictures beside files; what was listed last is remembered, as many files are in one folder."""

    def __init__(self) -> None:
        self._parent: tuple[Path, _Listing] | None = None
        self._own: tuple[Path, _Listing] | None = None

    def find(self, path: Path, stem: str) -> Sequence[tuple[Place, Path]]:
        """The pictures of a name without extension, in lower case.

        They are in the folder of ``path``, or in a folder beside it that has the name of ``path``.
        """
        if self._parent is None or self._parent[0] != path.parent:
            self._parent = path.parent, _list_folder(path.parent, "")
        if self._own is None or self._own[0] != path:
            own = path.with_suffix("")
            self._own = path, _list_folder(own, own.name) if own != path else {}
        return [*self._parent[1].get(stem, ()), *self._own[1].get(stem, ())]


_Listing = dict[str, list[tuple[Place, Path]]]


def _list_folder(folder: Path, inner: str) -> _Listing:
    """The pictures in a folder by stem; empty if it can't be read."""
    try:
        with os.scandir(folder) as entries:
            listed = [entry for entry, _ in zip(entries, range(_MOST_LISTED), strict=False)]
    except OSError:
        return {}
    documents = sum(_extension(entry.name) in _DOCUMENTS for entry in listed)
    found: _Listing = {}
    for entry in listed:
        # No links: a picture is a file of the folder itself.
        if _extension(entry.name) in EXTENSIONS and entry.is_file(follow_symlinks=False):
            place = Place("", inner, entry.name, crowded=not inner and documents > 1)
            found.setdefault(place.stem, []).append((place, Path(entry.path)))
    return found


def read_file(path: Path) -> bytes:
    """The bytes of a picture; `ResourceError` if it can't be read or is too large."""
    try:
        with path.open("rb") as raw:
            if not stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
                raise ResourceError(f"{path} is no file.")
            data = raw.read(MAX_PICTURE + 1)
    except OSError as error:
        raise ResourceError(f"{path} can't be read: {error.strerror}.") from error
    if len(data) > MAX_PICTURE:
        raise ResourceError(f"{path} has more than {MAX_PICTURE >> 20} MB; such pictures are not shown.")
    return data


def read_archived(
    path: Path, wanted: Wanted, context: TaskContext, *, enter: Callable[[str], bool]
) -> Iterator[tuple[Place, bytes]]:
    """The wanted pictures of an archive, in its order; ``enter`` picks the archives in it that are opened.

    What is damaged, too large or refused is skipped. `ResourceError` if the file can't be opened.
    """
    try:
        size = path.stat().st_size
        raw = path.open("rb")
    except OSError as error:
        raise ResourceError(f"{path} can't be read: {error.strerror}.") from error
    with raw:
        walk = _Walk(wanted, enter, context, Allowance(size))
        yield from walk.container(Bounded(raw, packed=size, limit=1 << 62), "", size, raw)


@dataclass(frozen=True, slots=True)
class _Walk:
    wanted: Wanted
    enter: Callable[[str], bool]
    context: TaskContext
    allowance: Allowance

    def container(
        self, stream: Bounded, name: str, packed: int, raw: IO[bytes] | None, *, squeezed: bool = False
    ) -> Iterator[tuple[Place, bytes]]:
        try:
            head = stream.peek()
            inner = archives.unpack(stream, head)
            if inner is not None and not squeezed:
                unpacked = Bounded(inner, packed=packed, allowance=self.allowance)
                yield from self.container(unpacked, name, packed, None, squeezed=True)
            elif archives.is_tar(head):
                yield from self._tar(stream, name)
            elif archives.is_zip(head) and raw is not None:
                yield from self._zip(raw, name)
            elif archives.is_zip(head):
                with archives.spool(stream) as copy:
                    yield from self._zip(copy, name)
        except _FAULTS:
            return  # the import has reported the archive already

    def _zip(self, raw: IO[bytes], container: str) -> Iterator[tuple[Place, bytes]]:
        with zipfile.ZipFile(raw) as archive:
            archives.check_archive(archive)
            members = [
                info for info in archives.list_members(archive) if not archives.find_member_fault(info)
            ]
            documents = Counter(
                _folder(info.filename) for info in members if _extension(info.filename) in _DOCUMENTS
            )
            for info in members:
                self.context.check()
                place = _place(container, info.filename)
                place = replace(place, crowded=documents[place.folder] > 1)
                inside = not container and self.enter(info.filename)
                if not inside and not self._asks(place):
                    continue
                try:
                    with archive.open(info) as packed:
                        stream = Bounded(packed, packed=info.compress_size, allowance=self.allowance)
                        if inside:
                            yield from self.container(stream, info.filename, info.file_size, None)
                        elif data := _read_all(stream):
                            yield place, data
                except _FAULTS:
                    continue

    def _tar(self, stream: Readable, container: str) -> Iterator[tuple[Place, bytes]]:
        outer = tarball.TarStream(stream)
        documents: Counter[str] = Counter()
        for member in tarball.read_members(outer):
            self.context.check()
            if member.fault:
                continue
            place = _place(container, member.name)
            documents[place.folder] += _extension(member.name) in _DOCUMENTS
            place = replace(place, crowded=documents[place.folder] > 1)
            bounded = Bounded(member, packed=member.size)
            if not container and self.enter(member.name):
                yield from self.container(bounded, member.name, member.size, None)
            elif self._asks(place) and (data := _read_all(bounded)):
                yield place, data
            if outer.broken:
                return

    def _asks(self, place: Place) -> bool:
        return _extension(place.name) in EXTENSIONS and self.wanted(place)


def _place(container: str, name: str) -> Place:
    folder, _, own = name.rpartition("/")
    return Place(container, folder, own)


def _read_all(stream: Readable) -> bytes:
    """The bytes of a member; empty if there are too many."""
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(CHUNK):
        size += len(chunk)
        if size > MAX_PICTURE:
            return b""
        parts.append(chunk)
    return b"".join(parts)


def _extension(name: str) -> str:
    return name.rpartition(".")[2].lower()


def _folder(name: str) -> str:
    return name.rpartition("/")[0]
