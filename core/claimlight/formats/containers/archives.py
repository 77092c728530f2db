"""Opens archives as untrusted input: checks every size, name and ratio before it uses a byte.

Members are streamed and never written under their own names. An archive may hold archives one level
deep; a zip among them is spooled, because a zip must be read from its end. Every refusal gives its
reason. A member may be as large as the whole archive may be, because a weekly file of an office is one
member of a gigabyte. A document or a spooled archive, which is held whole, may have 200 MB.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, cast

from claimlight.errors import ParseError
from claimlight.formats.containers.splitter import CHUNK, Readable

MAX_MEMBERS = 20_000
MAX_TOTAL = 4 << 30
"""Unpacked bytes of one archive; a weekly file of an office is about one gigabyte."""
MAX_NESTED = 200 << 20
"""Bytes of an archive inside an archive, packed."""
MAX_RATIO = 200
RATIO_GRACE = 1 << 20
"""Unpacked bytes below which the ratio is not checked: tiny files compress well."""
PEEK = 1 << 16
MAX_DICTIONARY = 160 << 20
"""Bytes of memory an xz file may require: enough for the highest preset of xz."""

_LOCAL_HEADER = 30
# Device names of Windows, with any extension: opening such a file there opens the device.
_RESERVED = re.compile(r"(?i)(?:^|/)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.[^/]*)?(?:/|$)")
# The second begins an empty archive: its directory is all there is.
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP, _BZIP, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
_TAR_BLOCK = 512


class Allowance:
    """The bytes that one file on disk may unpack to, over all its members and the archives among them.

    Without it, nested archives would multiply: each member within its own ratio, together its square.
    """

    def __init__(self, packed: int) -> None:
        # One for the whole file on disk, shared by the streams inside it.
        self._left = max(RATIO_GRACE, min(MAX_TOTAL, MAX_RATIO * packed))

    def spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise ParseError("the archive unpacks to too much with all that is in it; refused as a bomb")


class Bounded:
    """A stream that raises `ParseError` when it exceeds its limits; counts the bytes it returned."""

    def __init__(
        self, stream: Readable, *, packed: int, limit: int = MAX_TOTAL, allowance: Allowance | None = None
    ) -> None:
        self._stream = stream
        self._packed = max(1, packed)
        self._limit = limit
        self._allowance = allowance
        self._ahead = b""
        self.given = 0

    def peek(self) -> bytes:
        """The first bytes, without consuming them."""
        if not self._ahead:
            self._ahead = self._pull(PEEK)
        return self._ahead

    def read(self, size: int, /) -> bytes:
        if self._ahead:
            ahead, self._ahead = self._ahead[:size], self._ahead[size:]
            return ahead
        return self._pull(size)

    def _pull(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.given += len(data)
        if self._allowance is not None:
            self._allowance.spend(len(data))
        if self.given > self._limit:
            raise ParseError(f"unpacks to more than {self._limit >> 20} MB; refused")
        if self.given > RATIO_GRACE and self.given > MAX_RATIO * self._packed:
            raise ParseError(f"unpacks to more than {MAX_RATIO} times its size; refused as a bomb")
        return data


class _Blocks:
    """Unpacks one or more concatenated bzip2 or xz streams, block by block."""

    def __init__(self, stream: Readable, *, bzip: bool) -> None:
        self._stream = stream
        self._bzip = bzip
        self._unpacker = self._start()

    def _start(self) -> bz2.BZ2Decompressor | lzma.LZMADecompressor:
        if self._bzip:
            return bz2.BZ2Decompressor()
        # Only xz: the older .lzma has no magic number and no checksum.
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY)

    def read(self, size: int, /) -> bytes:
        while True:
            packed = b""
            if self._unpacker.eof:
                # xz allows zero bytes as padding between streams; pbzip2 writes many streams.
                packed = self._unpacker.unused_data.lstrip(b"\0") or self._stream.read(CHUNK).lstrip(b"\0")
                if not packed:
                    return b""
                self._unpacker = self._start()
            elif self._unpacker.needs_input:
                packed = self._stream.read(CHUNK)
                if not packed:
                    raise ParseError("ends too soon")
            try:
                # At most ``size`` bytes at once, so a bomb is met by the bounds before it is in memory.
                data = self._unpacker.decompress(packed, size)
            except (OSError, ValueError, lzma.LZMAError) as error:
                raise ParseError(f"is damaged: {error}") from error
            if data:
                return data


def is_zip(head: bytes) -> bool:
    """Whether these are the first bytes of a zip."""
    return head[:4] in _ZIP


def is_tar(head: bytes) -> bool:
    """Whether these are the first bytes of a tar, including old ones without the ``ustar`` mark."""
    if len(head) < _TAR_BLOCK or not head[:_TAR_BLOCK].strip(b"\0"):
        return False
    try:
        tarfile.TarInfo.frombuf(head[:_TAR_BLOCK], "utf-8", "replace")
    except tarfile.HeaderError:
        # A damaged header is still a tar's: it is reported as damaged, not as an unknown file.
        return head[257:262] == b"ustar"
    return True


def unpack(stream: Bounded, head: bytes) -> Readable | None:
    """The unpacked content of a compressed stream; None if it is not compressed."""
    if head[:2] == _GZIP:
        return gzip.GzipFile(fileobj=cast("IO[bytes]", stream), mode="rb")  # reads, and asks for nothing else
    # The mark of the first block as well (digits of pi): three letters alone could begin a text.
    if head[:3] == _BZIP and head[4:10] == b"1AY&SY":
        return _Blocks(stream, bzip=True)
    return _Blocks(stream, bzip=False) if head[:6] == _XZ else None


def check_archive(archive: zipfile.ZipFile) -> None:
    """Raise `ParseError` for a directory with impossible sizes or overlapping members."""
    infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        raise ParseError(f"archive of {len(infos)} members; at most {MAX_MEMBERS} are read")
    if sum(info.file_size for info in infos) > MAX_TOTAL:
        raise ParseError(f"archive unpacks to more than {MAX_TOTAL >> 20} MB; refused")
    end = 0
    for info in sorted(infos, key=lambda item: item.header_offset):
        if info.header_offset < end:
            raise ParseError(f"archive members overlap at {info.filename!r}; refused as a bomb")
        # At least: a local header may have extra fields. A bomb of overlapping members is found all the same.
        end = info.header_offset + _LOCAL_HEADER + len(info.filename) + info.compress_size


def find_name_fault(name: str) -> str:
    """Why a member of this name is refused; empty if it is accepted."""
    parts = re.split(r"[/\\]", name)
    if ".." in parts or name.startswith("/") or "\\" in name or re.match(r"[A-Za-z]:", name):
        return "member name leaves its folder; refused"
    if not name:
        return "member has no name; refused"
    if "\x00" in name or _RESERVED.search(name):
        return "member name is reserved; refused"
    return ""


def find_member_fault(info: zipfile.ZipInfo) -> str:
    """Why a member of a zip is refused; empty if it is accepted."""
    # As stored: zipfile cuts ``filename`` at a zero byte and turns backslashes on Windows.
    if fault := find_name_fault(info.orig_filename):
        return fault
    # The upper half is the Unix mode; archives made on DOS and Windows have 0 there.
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "member is a link or a device; refused"
    # Bit 0 of the general purpose flags.
    if info.flag_bits & 0x1:
        return "member is encrypted; unpack it first"
    # By the directory, before a byte is unpacked; `Bounded` checks what really comes.
    if info.file_size > RATIO_GRACE and info.file_size > MAX_RATIO * max(1, info.compress_size):
        return f"unpacks to more than {MAX_RATIO} times its size; refused as a bomb"
    return ""


def spool(stream: Readable, what: str = "archive") -> IO[bytes]:
    """A seekable temporary copy of a stream whose format must be read from its end."""
    # In memory up to 16 MB, then in a temporary file that goes with the process.
    copy = tempfile.SpooledTemporaryFile(max_size=16 << 20)  # noqa: SIM115 - the caller closes it
    size = 0
    while chunk := stream.read(CHUNK):
        size += len(chunk)
        if size > MAX_NESTED:
            copy.close()
            raise ParseError(f"{what} in an archive of more than {MAX_NESTED >> 20} MB; unpack it first")
        copy.write(chunk)
    copy.seek(0)
    return copy


def list_members(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The members that are files, in directory order."""
    for info in archive.infolist():
        # Not ``is_dir``, which fails for a member without a name.
        if not info.filename.endswith("/"):
            yield info
