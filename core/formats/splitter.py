"""Concatenated documents apart, in one pass over a stream and in memory that one document needs.

A document starts at an XML declaration, a document type or a root element, and ends with the end tag
of its root. Where the end tag is missing the next declaration of a known root ends it, so a truncated
document costs itself and not its neighbours. Text between documents comes as a piece of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from core.formats.base import HEAD_BYTES, root_name

CHUNK = 1 << 20
MAX_DOCUMENT = 200 << 20
MAX_HEAD = 4 << 20
"""Declarations before the root element longer than this are no patent's."""

_SPACE = b" \t\r\n\x1a\xef\xbb\xbf"
_DECLARATION = re.compile(rb"<\?xml[ \t\r\n]")
_ROOT_TAG = re.compile(rb"<(?:[\w.-]+:)?[A-Za-z_][\w.-]*[\s>/]")
_NOISE = re.compile(rb"(?:\s+|<!--.*?-->|<\?(?!xml\s).*?\?>)*", re.DOTALL)


class Readable(Protocol):
    """All that is asked of a stream."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """One document, or what stands where one should be; ``data`` is empty where it is too large."""

    data: bytes
    head: bytes
    offset: int
    line: int
    """1-based line of its first byte."""
    size: int


class _Window:
    """The part of a stream in memory; positions are counted from ``start``, the current document."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._start = 0
        self.offset = 0
        self.line = 1
        self.ended = False

    def __len__(self) -> int:
        return len(self._buffer) - self._start

    def more(self) -> bool:
        """Read on; False at the end of the stream."""
        if self._start:
            del self._buffer[: self._start]
            self._start = 0
        chunk = self._stream.read(CHUNK)
        self._buffer += chunk
        self.ended = not chunk
        return not self.ended

    def need(self, size: int) -> None:
        while len(self) < size and not self.ended:
            self.more()

    def head(self, at: int = 0, size: int = HEAD_BYTES) -> bytes:
        self.need(at + size)
        begin = self._start + at
        return bytes(self._buffer[begin : begin + size])

    def find(self, text: bytes, begin: int) -> int:
        found = self._buffer.find(text, self._start + begin)
        return found - self._start if found >= 0 else -1

    def search(self, pattern: re.Pattern[bytes], begin: int, end: int | None = None) -> int:
        stop = len(self._buffer) if end is None else self._start + end
        match = pattern.search(self._buffer, self._start + begin, stop)
        return match.start() - self._start if match else -1

    def start(self, begin: int, end: int | None) -> int:
        """The next XML declaration or document type, or -1; twice a plain search beats one pattern."""
        stop = len(self._buffer) if end is None else self._start + end
        first = self._buffer.find(b"<?xml ", self._start + begin, stop)
        second = self._buffer.find(b"<!DOCTYPE", self._start + begin, first if first >= 0 else stop)
        found = second if second >= 0 else first
        return found - self._start if found >= 0 else -1

    def take(self, size: int) -> bytes:
        """Hand out ``size`` bytes and move behind them."""
        end = self._start + size
        with memoryview(self._buffer) as view, view[self._start : end] as part:
            data = bytes(part)
        self.line += data.count(b"\n")
        self.offset += size
        self._start = end
        return data


class Splitter:
    """The documents of one stream; ``roots`` are the names of root elements that start a document."""

    def __init__(self, stream: Readable, roots: frozenset[str], *, limit: int = MAX_DOCUMENT) -> None:
        self._window = _Window(stream)
        self._roots = roots
        self._limit = limit

    def __iter__(self) -> Iterator[Piece]:
        window = self._window
        while self._to_start():
            offset, line, head = window.offset, window.line, self._head()
            end = self._end(head)
            head = head[:end]
            if end > self._limit:
                yield Piece(b"", head, offset, line, self._drop(end))
            else:
                yield Piece(window.take(end), head, offset, line, end)

    def _head(self) -> bytes:
        """Enough of the document to hold its root element, unless its declarations are endless."""
        size = HEAD_BYTES
        head = self._window.head()
        while head.startswith(b"<") and len(head) == size < MAX_HEAD and not root_name(head):
            size *= 8
            head = self._window.head(0, size)
        return head

    def _to_start(self) -> bool:
        """Move to the next document; False at the end."""
        window = self._window
        while True:
            head = window.head()
            blank = len(head) - len(head.lstrip(_SPACE))
            if blank:
                window.take(blank)
            elif not head:
                return False
            else:
                break
        declaration = window.search(_DECLARATION, 0, min(len(window), HEAD_BYTES))
        noise = _NOISE.match(head)
        if noise is not None:
            if declaration > 0 and noise.end() == declaration:
                window.take(declaration)
            elif noise.end() == len(head) and window.ended:
                return False
        return True

    def _end(self, head: bytes) -> int:
        """Where the document that starts here ends; beyond the limit the answer is limit + 1."""
        root = root_name(head) if head.startswith(b"<") else ""
        if not root:
            return self._next_start(1)
        match = re.search(rb"<(?:[\w.-]+:)?" + re.escape(root.encode()) + rb"[\s>/]", head)
        assert match is not None
        begin = match.end() - 1
        prefix = match.group()[1 : -1 - len(root)]
        closing = b"</" + prefix + root.encode()
        opened = self._tag_end(begin)
        if opened > 0 and self._window.head(opened - 2, 2) == b"/>":
            return opened
        return self._close(closing, begin)

    def _tag_end(self, begin: int) -> int:
        found = self._window.find(b">", begin)
        while found < 0 and not self._window.ended:
            self._window.more()
            found = self._window.find(b">", begin)
        return found + 1

    def _close(self, closing: bytes, begin: int) -> int:
        window = self._window
        close_from = start_from = begin
        while True:
            close = window.find(closing, close_from)
            while close >= 0 and window.head(close + len(closing), 1) not in {
                b">",
                b" ",
                b"\t",
                b"\r",
                b"\n",
            }:
                close = window.find(closing, close + 1)
            start = self._boundary(start_from, close if close >= 0 else None)
            if start >= 0:
                return start
            if close >= 0:
                end = self._tag_end(close)
                return end if end > 0 else len(window)
            if window.ended:
                return len(window)
            if len(window) > self._limit:
                return self._limit + 1
            close_from = max(begin, len(window) - len(closing))
            start_from = max(begin, len(window) - 16)
            window.more()

    def _boundary(self, begin: int, end: int | None) -> int:
        """The first declaration in the range that a known root follows, or -1."""
        window = self._window
        found = window.start(begin, end)
        while found >= 0:
            if root_name(window.head(found)) in self._roots:
                return found
            found = window.start(found + 1, end)
        return -1

    def _next_start(self, begin: int) -> int:
        """Where the text that is no document ends: at a declaration or a known root element."""
        window = self._window
        while True:
            found = window.start(begin, None)
            tag = window.search(_ROOT_TAG, begin, found if found >= 0 else None)
            while tag >= 0 and root_name(window.head(tag, 256)) not in self._roots:
                tag = window.search(_ROOT_TAG, tag + 1, found if found >= 0 else None)
            if tag >= 0 or found >= 0:
                return tag if tag >= 0 else found
            if window.ended:
                return len(window)
            if len(window) > self._limit:
                return self._limit + 1
            begin = max(1, len(window) - 256)
            window.more()

    def _drop(self, size: int) -> int:
        """Pass over a document that is too large, keeping nothing of it; its size."""
        window = self._window
        dropped = 0
        while True:
            start = self._boundary(1 if dropped == 0 else 0, None)
            if start >= 0 or window.ended:
                rest = start if start >= 0 else len(window)
                window.take(rest)
                return dropped + rest
            rest = max(0, len(window) - 64)
            window.take(rest)
            dropped += rest
            window.more()


def split_lines(stream: Readable, *, limit: int = MAX_DOCUMENT) -> Iterator[Piece]:
    """The lines of a stream that are not blank, each a piece; too long ones without their data."""
    rest = bytearray()
    offset, line, dropped = 0, 1, 0
    while True:
        chunk = stream.read(CHUNK)
        rest += chunk
        begin = 0
        while (end := rest.find(b"\n", begin)) >= 0 or (not chunk and begin < len(rest)):
            end = end if end >= 0 else len(rest)
            data, size = bytes(rest[begin:end]), dropped + end - begin
            if dropped or size > limit:
                yield Piece(b"", data[:HEAD_BYTES], offset, line, size)
            elif data.strip():
                yield Piece(data, data[:HEAD_BYTES], offset, line, size)
            offset += size + 1
            line += 1
            dropped = 0
            begin = end + 1
        del rest[:begin]
        if len(rest) > limit:
            dropped += len(rest)
            rest.clear()
        if not chunk:
            return
