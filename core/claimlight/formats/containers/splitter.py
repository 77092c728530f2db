"""Splits concatenated documents in one pass over a stream, one document in memory at a time.

A document starts at an XML declaration, a document type or a root element, and ends with the end tag
of its root. If the end tag is missing, the next declaration of a known root ends it, so a truncated
document does not affect its neighbours. Text between documents is a piece of its own. A root element
that only wraps documents (see `bundles`) is opened: its documents are the pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from claimlight.formats.base import HEAD_BYTES, root_name
from claimlight.formats.containers.bundles import BUNDLES, ITEMS, cut_wrapper, find_cut, is_wrapper
from claimlight.formats.containers.byte_window import CHUNK as CHUNK
from claimlight.formats.containers.byte_window import ByteWindow
from claimlight.formats.containers.byte_window import Piece as Piece
from claimlight.formats.containers.byte_window import Readable as Readable

MAX_DOCUMENT = 200 << 20
MAX_HEAD = 4 << 20
"""Most bytes of declarations before a root element; real ones have far fewer."""

_RESTARTING = ITEMS | {"PATDOC", "patdoc"}
"""Documents that may follow one another without a declaration: a second start tag ends a truncated one."""
# Files joined by copying may have byte-order marks and the end mark of DOS between documents.
_SPACE = b" \t\r\n\x1a\xef\xbb\xbf"
_DECLARATION = re.compile(rb"<\?xml[ \t\r\n]")
_ROOT_TAG = re.compile(rb"<(?:[\w.-]+:)?[A-Za-z_][\w.-]*[\s>/]")
_NOISE = re.compile(rb"(?:\s+|<!--.*?-->|<\?(?!xml\s).*?\?>)*", re.DOTALL)


class Splitter:
    """The documents of one stream; ``roots`` are the names of root elements that start a document."""

    def __init__(self, stream: Readable, roots: frozenset[str], *, limit: int = MAX_DOCUMENT) -> None:
        self._window = ByteWindow(stream, roots, limit)
        self._roots = roots
        self._limit = limit

    def __iter__(self) -> Iterator[Piece]:
        window = self._window
        while self._to_start():
            offset, line, head = window.offset, window.line, self._head()
            if root_name(head) in BUNDLES and is_wrapper(head):
                yield from cut_wrapper(window, head, self._limit)
                continue
            end = self._end(head)
            head = head[:end]
            if end > self._limit:
                yield Piece(b"", head, offset, line, window.drop())
            else:
                yield Piece(window.take(end), head, offset, line, end)

    def _head(self) -> bytes:
        """The start of the document up to its root element, or its first `MAX_HEAD` bytes."""
        size = HEAD_BYTES
        head = self._window.head()
        # Internal declarations can be longer than the head; most documents need one round.
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
        """Offset of the end of the document that starts here; limit + 1 if it exceeds the limit."""
        root = root_name(head) if head.startswith(b"<") else ""
        if not root:
            return self._next_start(1)
        match = re.search(rb"<(?:[\w.-]+:)?" + re.escape(root.encode()) + rb"[\s>/]", head)
        if match is None:
            # A comment or declaration within a tag, which `root_name` leaves out: no root element of ours.
            return self._next_start(1)
        begin = match.end() - 1
        prefix = match.group()[1 : -1 - len(root)]
        closing = b"</" + prefix + root.encode()
        opened = self._window.tag_end(begin)
        if opened > 0 and self._window.head(opened - 2, 2) == b"/>":
            return opened
        end = self._window.close(closing, begin)
        return find_cut(self._window, closing, opened, end) if root in _RESTARTING else end

    def _next_start(self, begin: int) -> int:
        """Offset of the end of text between documents: a declaration or a known root element."""
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
            # A start tag may be cut in two by the read.
            begin = max(1, len(window) - 256)
            window.more()


def cut_lines(stream: Readable, *, limit: int = MAX_DOCUMENT) -> Iterator[Piece]:
    """Yields each non-blank line of a stream as a piece; too long ones without data."""
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
        # A line over the limit is counted and dropped while it is read.
        if len(rest) > limit:
            dropped += len(rest)
            rest.clear()
        if not chunk:
            return
