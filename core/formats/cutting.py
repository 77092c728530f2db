"""Documents cut out of a stream, and each of them parsed by the dialect that knows it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.errors import ParseError
from core.formats.base import HEAD_BYTES, Format, root_name
from core.formats.containers import Bounded
from core.formats.kinds import skip_reason, skipped_root
from core.formats.registry import FORMATS, LINES, ROOTS
from core.formats.splitter import CHUNK, MAX_DOCUMENT, Piece, Splitter, split_lines
from core.types import Quarantined, Record, Skipped, Source


@dataclass(frozen=True, slots=True)
class Unread:
    """A document cut out of its file and not parsed yet; may be read in another process."""

    piece: Piece
    source: Source
    lines: bool

    def read(self) -> Record:
        """Parse it."""
        return _record(self.piece, self.source, lines=self.lines)


def pieces(stream: Bounded, *, packed: bool) -> Iterator[tuple[Piece, bool]]:
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
        while packed and stream.read(CHUNK):
            pass  # a patent whose packing is damaged looks foreign too: the checksum comes last
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
