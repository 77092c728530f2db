"""One file in, its records out: folders listed, archives opened, documents split and handed to dialects."""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from core.errors import InputError, ParseError, ResourceError
from core.formats import containers
from core.formats.base import HEAD_BYTES, Format, root_name
from core.formats.containers import Bounded
from core.formats.kinds import skip_reason, skipped_root
from core.formats.registry import FORMATS, LINES, ROOTS
from core.formats.splitter import MAX_DOCUMENT, Piece, Splitter, split_lines
from core.tasks import TaskContext
from core.types import Quarantined, Record, Skipped, Source

_ARCHIVE_FAULTS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    gzip.BadGzipFile,
    NotImplementedError,
)
"""What the standard library raises for damaged, truncated or exotic archives."""

_DIRECTORY_FAULTS = (*_ARCHIVE_FAULTS, ParseError, ValueError, OSError, struct.error)
"""And for a directory of an archive that points anywhere."""


def list_sources(paths: Sequence[Path]) -> list[Path]:
    """The files under ``paths``: folders recursively, sorted, links to folders not followed."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            for folder, folders, names in os.walk(path):
                folders.sort()
                found.update((Path(folder, name), None) for name in sorted(names))
        elif path.exists():
            found[path] = None
        else:
            raise InputError(f"{path}: no such file or folder")
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Unread:
    """A document cut out of its file and not parsed yet; may be read in another process."""

    piece: Piece
    source: Source
    lines: bool

    def read(self) -> Record:
        """Parse it."""
        return _record(self.piece, self.source, lines=self.lines)


class SourceReader:
    """Iterates over the records of one file; see the package for how a caller uses it."""

    def __init__(self, path: Path, context: TaskContext, *, skip_until: int = 0) -> None:
        self.path = path
        self.position = 0
        """Records handed out or skipped so far."""
        self._context = context
        self._skip_until = skip_until
        self._raw: IO[bytes] | None = None
        try:
            self.bytes_total = path.stat().st_size
        except OSError as error:
            raise ResourceError(f"{path}: {error.strerror or error}") from error
        self._done = 0
        self._allowance = containers.Allowance(self.bytes_total)

    @property
    def bytes_done(self) -> int:
        """Bytes of the file read so far."""
        if self._raw is not None and not self._raw.closed:
            self._done = max(self._done, self._raw.tell())
        return min(self._done, self.bytes_total)

    def __iter__(self) -> Iterator[Record]:
        for item in self.unread():
            yield item.read() if isinstance(item, Unread) else item

    def unread(self) -> Iterator[Unread | Quarantined | Skipped]:
        """The same records in the same order, documents not parsed."""
        try:
            raw = self.path.open("rb")
        except OSError as error:
            raise ResourceError(f"{self.path}: {error.strerror or error}") from error
        with raw:
            self._raw = raw
            yield from self._container(raw, packed=self.bytes_total)
            self._done = self.bytes_total

    def _container(
        self, raw: IO[bytes], *, packed: int, member: str = "", depth: int = 0
    ) -> Iterator[Unread | Quarantined | Skipped]:
        head = raw.read(4)
        raw.seek(0)
        if head[:4] in {b"PK\x03\x04", b"PK\x05\x06"}:
            yield from self._zip(raw, member, depth)
        elif head[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield from self._stream(Bounded(unpacked, packed=packed, allowance=self._allowance), member)
        else:
            yield from self._stream(Bounded(raw, packed=packed, limit=1 << 62), member)

    def _zip(self, raw: IO[bytes], member: str, depth: int) -> Iterator[Unread | Quarantined | Skipped]:
        try:
            archive = zipfile.ZipFile(raw)
            containers.check_archive(archive)
        except _DIRECTORY_FAULTS as error:
            yield from self._fault(member, f"archive can't be read: {error}")
            return
        with archive:
            for info in containers.members(archive):
                name = f"{member}!{info.filename}" if member else info.filename
                fault = containers.member_fault(info)
                if fault:
                    yield from self._fault(name, fault)
                else:
                    yield from self._member(archive, info, name, depth)

    def _member(
        self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, depth: int
    ) -> Iterator[Unread | Quarantined | Skipped]:
        try:
            with archive.open(info) as packed:
                stream = Bounded(packed, packed=info.compress_size, allowance=self._allowance)
                head = stream.peek()[:4]
                if head not in {b"PK\x03\x04", b"PK\x05\x06"} and head[:2] != b"\x1f\x8b":
                    yield from self._stream(stream, name)
                elif depth > 0:
                    yield from self._fault(name, "archive in an archive in an archive; unpack it first")
                else:
                    with containers.spool(stream) as copy:
                        yield from self._container(copy, packed=info.file_size, member=name, depth=depth + 1)
        except (*_ARCHIVE_FAULTS, ParseError) as error:
            yield from self._fault(name, f"archive member can't be read: {error}")

    def _stream(self, stream: Bounded, member: str) -> Iterator[Unread | Quarantined | Skipped]:
        ordinal = 0
        try:
            for piece, lines in _pieces(stream):
                self._context.check()
                source = Source(str(self.path), member, ordinal, piece.offset)
                ordinal += 1
                self.position += 1
                if self.position > self._skip_until:
                    yield Unread(piece, source, lines)
        except (*_ARCHIVE_FAULTS, ParseError) as error:
            yield from self._fault(member, f"can't be read to its end: {error}", ordinal=ordinal)
        except OSError as error:
            raise ResourceError(f"{self.path}: {error.strerror or error}") from error
        else:
            if ordinal == 0:
                yield from self._skip(member, "empty file")

    def _fault(
        self, member: str, reason: str, *, ordinal: int = 0
    ) -> Iterator[Unread | Quarantined | Skipped]:
        self.position += 1
        if self.position > self._skip_until:
            yield Quarantined(Source(str(self.path), member, ordinal), reason)

    def _skip(self, member: str, reason: str) -> Iterator[Unread | Quarantined | Skipped]:
        self.position += 1
        if self.position > self._skip_until:
            yield Skipped(Source(str(self.path), member), reason)


def _pieces(stream: Bounded) -> Iterator[tuple[Piece, bool]]:
    """The documents of a stream, and whether it is a file of lines."""
    head = stream.peek()
    begin = head[:HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
    if begin.startswith(b"{") and LINES.sniff(head):
        for piece in split_lines(stream):
            yield piece, True
    elif begin.startswith(b"<"):
        for piece in Splitter(stream, ROOTS):
            yield piece, False
    elif head[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"<\x00?\x00" in head[:8] or b"\x00<\x00?" in head[:8]:
        yield _whole(stream), False
    elif head:
        yield Piece(b"", head[:HEAD_BYTES], 0, 1, 0), False


def _whole(stream: Bounded) -> Piece:
    """A file in sixteen-bit characters, where no byte pattern can be searched: one document."""
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(1 << 20):
        size += len(chunk)
        if size > MAX_DOCUMENT:
            return Piece(b"", b"", 0, 1, size)
        parts.append(chunk)
    data = b"".join(parts)
    head = data[: 2 * HEAD_BYTES].decode("utf-16", errors="replace").encode("utf-8")
    return Piece(data, head, 0, 1, size)


def _record(piece: Piece, source: Source, *, lines: bool) -> Record:
    root = "" if lines else root_name(piece.head)
    if reason := skipped_root(root):
        return Skipped(source, reason)
    form = LINES if lines else _format_of(piece.head)
    if form is None:
        return _foreign(piece, source, root)
    digest = hashlib.sha256(piece.data).hexdigest() if piece.data else ""
    source = replace(source, dialect=form.name, digest=digest)
    if not piece.data:
        return Quarantined(
            source, f"document of {piece.size:,} bytes; at most {MAX_DOCUMENT:,} are read", piece.line
        )
    try:
        return form.read(piece.data, source)
    except ParseError as error:
        line = piece.line - 1 + error.line if error.line else piece.line
        return Quarantined(source, str(error), line)


def _foreign(piece: Piece, source: Source, root: str) -> Record:
    if piece.data and source.ordinal:
        reason = f"<{root}> document" if root else f"{piece.size:,} bytes that belong to no document"
        return Skipped(source, f"{reason} of no format known here")
    if root:
        return Skipped(source, f"root element <{root}> is of no format known here")
    return Skipped(source, skip_reason(piece.head))


def _format_of(head: bytes) -> Format | None:
    score, best = max(((form.sniff(head), form) for form in FORMATS), key=lambda pair: pair[0])
    return best if score > 0 else None
