"""Documents cut out of a stream, and each of them parsed by the dialect that knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from core.errors import ParseError
from core.formats import aps, jsonl, tables
from core.formats.base import HEAD_BYTES, SURE, Format, root_name
from core.formats.columns import Assigned, ColumnMapping
from core.formats.containers import Bounded
from core.formats.kinds import DEFINITION, is_definition, skip_reason, skipped_root
from core.formats.registry import FORMATS, LINES, ROOTS
from core.formats.splitter import CHUNK, MAX_DOCUMENT, Piece, Readable, Splitter, split_lines
from core.types import Patent, Quarantined, Record, Skipped, Source

_MAPPED: dict[str, Callable[[bytes, Source, ColumnMapping], Patent]] = {
    jsonl.FORMAT.name: jsonl.read_mapped,
    tables.FORMAT.name: tables.read_mapped,
}
"""Dialects whose fields a column mapping can name."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A document cut out of its file and not parsed yet; may be read in another process."""

    piece: Piece
    source: Source
    form: Format | None = None
    """The dialect, where the file has told it; else it is told by the document."""
    columns: ColumnMapping | None = None

    def read(self) -> Record:
        """Parse it."""
        return _record(self)


@dataclass(frozen=True, slots=True)
class Cut:
    """A document, and the dialect of its file where that is one for all."""

    piece: Piece
    form: Format | None = None


def pieces(
    stream: Bounded, *, packed: bool, name: str, columns: ColumnMapping | None, told: Callable[[str], None]
) -> Iterator[Cut]:
    """The documents of a stream; ``told`` hears what its columns leave open."""
    head = stream.peek()
    begin = head[:HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
    given = columns or ColumnMapping()
    if begin.startswith(b"{") and (LINES.sniff(head) or (columns and jsonl.sniff_mapped(head, columns))):
        for place, piece in enumerate(split_lines(stream)):
            if place == 0:
                _tell(jsonl.columns_of(piece.data, given), told)
            yield Cut(piece, LINES)
    elif is_definition(head):
        yield Cut(Piece(b"", DEFINITION, 0, 1, 0))
    elif begin.startswith(b"<"):
        for piece in Splitter(stream, ROOTS):
            yield Cut(piece)
    elif aps.starts(begin):
        for piece in aps.split_grants(stream, limit=MAX_DOCUMENT):
            yield Cut(piece)
    elif head[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"<\x00?\x00" in head[:8] or b"\x00<\x00?" in head[:8]:
        begin = head[: 2 * HEAD_BYTES].decode("utf-16", errors="replace").encode()
        if tables.sniff(begin) or (columns and tables.sniff_mapped(begin, columns)):
            plain = replace(given, encoding=ColumnMapping().encoding)
            yield from _rows(tables.Narrow(stream), begin, plain, told)
        else:
            yield Cut(_whole(stream))
    elif tables.sniff(head) or (columns and tables.sniff_mapped(head, columns)):
        yield from _rows(stream, begin, given, told)
    elif head:
        while packed and stream.read(CHUNK):
            pass  # a patent whose packing is damaged looks foreign too: the checksum comes last
        if fault := tables.untold(head, name):
            told(fault)
        yield Cut(Piece(b"", head[:HEAD_BYTES], 0, 1, 0))


def _rows(
    stream: Readable, begin: bytes, columns: ColumnMapping, told: Callable[[str], None]
) -> Iterator[Cut]:
    _tell(tables.columns_of(begin.split(b"\n", 1)[0], columns), told)
    for piece in tables.split_rows(stream, columns):
        yield Cut(piece, tables.FORMAT)


def _tell(found: Assigned, told: Callable[[str], None]) -> None:
    if found.unused:
        told(f"columns that are not taken: {', '.join(found.unused)}")
    if found.missing:
        told(f"columns of the mapping that are not there: {', '.join(found.missing)}")


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


def _record(item: Unread) -> Record:
    piece, source, form = item.piece, item.source, item.form
    root = "" if form else root_name(piece.head)
    if reason := skipped_root(root):
        return Skipped(source, reason)
    form = form or _format_of(piece.head)
    if form is None:
        return _foreign(piece, source, root)
    source = replace(source, dialect=form.name)
    if not piece.data:
        return Quarantined(
            source, f"document of {piece.size:,} bytes; at most {MAX_DOCUMENT:,} are read", piece.line
        )
    try:
        if item.columns is not None and form.name in _MAPPED:
            return _MAPPED[form.name](piece.data, source, item.columns)
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
    best, most = None, 0
    for form in FORMATS:
        score = form.sniff(head)
        if score > most:
            best, most = form, score
        if score >= SURE:
            break
    return best
