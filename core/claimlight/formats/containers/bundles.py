"""Cuts wrappers, which hold documents in one root element, into a piece for each document.

A file of the exchange format holds ten thousand documents in one root, a reply of a web service up to a
hundred. Only one of them is in memory at a time. A damaged document does not affect its neighbours; one
without an end tag ends where the next begins. A wrapper without documents is one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from claimlight.formats.base import HEAD_BYTES, root_name
from claimlight.formats.containers.byte_window import ByteWindow, Piece

BUNDLES = {
    "exchange-documents": frozenset({"exchange-document"}),
    "world-patent-data": frozenset({"exchange-document", "fulltext-document", "family-member"}),
}
"""The document elements of each wrapper root element."""

ITEMS = frozenset[str]().union(*BUNDLES.values())

_OVERLAP = 512
"""Bytes searched again after each read; no tag name with its prefix is longer."""
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["'][^>]*\?>""")
_SUBSET = re.compile(rb"<!DOCTYPE[^<>\[\]]*\[.*?\]\s*>", re.DOTALL)
_PLAIN = frozenset({b"utf-8", b"utf8", b"us-ascii", b"ascii"})


def cut_wrapper(window: ByteWindow, head: bytes, limit: int) -> Iterator[Piece]:
    """The documents of the wrapper at the start of ``window``; ``head`` holds its root element."""
    yield from _Wrapper(window, head, limit).pieces()


def is_wrapper(head: bytes) -> bool:
    """Whether the tag of the wrapper is whole: no comment or declaration is inside it."""
    return _find_root(head, root_name(head)) is not None


def _find_root(head: bytes, root: str) -> re.Match[bytes] | None:
    return re.search(rb"<((?:[\w.-]+:)?" + root.encode() + rb")[\s>/]", head)


def find_cut(window: ByteWindow, closing: bytes, opened: int, end: int, *others: bytes) -> int:
    """``end`` of the document that ``closing`` closes, or where another of its kind begins before that.

    ``others`` are end tags that neither document can contain.
    """
    again = b"<" + closing[2:]
    pattern = re.compile(b"(?:%s)(?=[\\s>/])" % b"|".join(map(re.escape, (again, *others))))
    # From 1 where the file ends within the start tag: at 0 is that tag, and a piece of 0 bytes never ends.
    found = window.search(pattern, max(opened, 1), min(end, len(window)))
    return found if found >= 0 else end


class _Wrapper:
    def __init__(self, window: ByteWindow, head: bytes, limit: int) -> None:
        self._window = window
        self._limit = limit
        self._head = head
        root = root_name(head)
        match = _find_root(head, root)
        assert match is not None
        self._root = match.start()
        self._closing = b"</" + match.group(1)
        names = b"|".join(name.encode() for name in sorted(BUNDLES[root]))
        self._marks = re.compile(
            rb"(?P<comment><!--)|(?P<item><(?:[\w.-]+:)?(?:%(names)s))(?=[\s>/])"
            rb"|(?P<stray></(?:[\w.-]+:)?(?:%(names)s)\s*>)|(?P<close>%(close)s)(?=[\s>])"
            rb"|(?P<start><\?xml[ \t\r\n]|<!DOCTYPE)" % {b"names": names, b"close": re.escape(self._closing)}
        )
        self._taken = False
        """Whether a document was yielded; a wrapper without one is itself a piece."""
        self._whole = True
        """Whether the last document had its end."""

    def pieces(self) -> Iterator[Piece]:
        window = self._window
        offset, line = window.offset, window.line
        opened = window.tag_end(self._root)
        if opened == 0 or window.head(opened - 2, 2) == b"/>":
            yield self._rest(opened or len(window), offset, line)
            return
        opening = window.head(0, opened)
        context, tag = _keep_declarations(opening[: self._root]), opening[self._root :]
        at = opened
        while True:
            kind, at = self._next(at)
            if kind == "item":
                window.take(at)
                yield self._item(context, tag)
                at = 0
            elif kind == "stray":
                yield self._stray(at, opened if not self._taken else 0, tag)
                at = 0
            elif not self._taken and kind == "large":
                # No document within the limit: a wrapper of another kind, passed over as one.
                yield Piece(b"", self._head, offset, line, window.drop())
                return
            elif not self._taken:
                yield self._rest(window.tag_end(at) if kind == "close" else at, offset, line)
                return
            else:
                window.take(window.tag_end(at) or len(window) if kind == "close" else at)
                # The start tag alone: its reader reports the missing end (`exchange.check_whole`).
                # A document that was cut off reports it itself.
                if kind == "end" and self._whole:
                    yield Piece(context + tag, tag, window.offset, window.line, len(tag))
                return

    def _next(self, at: int) -> tuple[str, int]:
        """Kind and offset of the next mark: a document, an end tag or the end of the wrapper."""
        window = self._window
        while True:
            found = window.search(self._marks, at)
            match = self._marks.match(window.head(found, _OVERLAP)) if found >= 0 else None
            if match is None:
                if window.ended:
                    return "end", len(window)
                if not self._taken and len(window) > self._limit:
                    return "large", at
                at = max(at, len(window) - _OVERLAP)
                if self._taken:
                    # After the first document nothing before a mark is needed: memory stays small.
                    window.take(at)
                    at = 0
                window.more()
            elif match.lastgroup == "comment":
                at = self._behind_comment(found)
            elif match.lastgroup != "start":
                return match.lastgroup or "", found
            # A declaration before a known root: another file was appended. Any other is inside CDATA or text.
            elif window.boundary(found, found + 16) == found:
                return "end", found
            else:
                at = found + 2

    def _behind_comment(self, at: int) -> int:
        window = self._window
        end = window.find(b"-->", at + 4)
        while end < 0 and not window.ended and len(window) <= self._limit:
            window.more()
            end = window.find(b"-->", at + 4)
        return end + 3 if end >= 0 else at + 4

    def _item(self, context: bytes, tag: bytes) -> Piece:
        window = self._window
        self._taken = True
        offset, line, head = window.offset, window.line, window.head()
        match = re.match(rb"<([\w.:-]+)", head)
        assert match is not None
        closing = b"</" + match.group(1)
        opened = window.tag_end(0)
        if opened > 0 and window.head(opened - 2, 2) == b"/>":
            end = opened
        else:
            end = find_cut(window, closing, opened, window.close(closing, opened), self._closing)
            self._whole = window.find(closing, max(opened, end - _OVERLAP)) >= 0
        if end > self._limit:
            return Piece(b"", tag + head, offset, line, self._pass_over())
        # The head begins with the wrapper's start tag, by which dialects recognise their documents.
        return Piece(context + window.take(end), tag + head[:end], offset, line, end)

    def _pass_over(self) -> int:
        """Skip a document that is too large, keeping nothing in memory; returns its size."""
        window = self._window
        # Past the bracket, or the search would find this document again.
        size = len(window.take(1))
        while True:
            found = window.search(self._marks, 0)
            match = self._marks.match(window.head(found, _OVERLAP)) if found >= 0 else None
            if match is not None and match.lastgroup == "comment":
                size += len(window.take(found + match.end()))
            elif match is not None:
                end = found + match.end() if match.lastgroup == "stray" else found
                return size + len(window.take(end))
            elif window.ended:
                return size + len(window.take(len(window)))
            else:
                size += len(window.take(max(0, len(window) - _OVERLAP)))
                window.more()

    def _stray(self, at: int, skip: int, tag: bytes) -> Piece:
        """A piece that ends with an end tag without a start tag: the rest of a damaged document."""
        window = self._window
        self._taken = True
        before = window.take(skip)
        text = window.head(0, window.tag_end(at - len(before)))
        window.take(len(text) - len(text.lstrip()))
        offset, line = window.offset, window.line
        data = window.take(len(text.lstrip()))
        return Piece(data, tag + data[:HEAD_BYTES], offset, line, len(data))

    def _rest(self, end: int, offset: int, line: int) -> Piece:
        """The wrapper itself."""
        end = end or len(self._window)
        return Piece(self._window.take(end), self._head[:end], offset, line, end)


def _keep_declarations(prolog: bytes) -> bytes:
    """The declarations before the wrapper that its documents need (encoding, entities), on one line.

    One line keeps the line numbers of faults those of the file.
    """
    encoding = _ENCODING.search(prolog)
    subset = _SUBSET.search(prolog)
    kept = b""
    # UTF-8 is what XML assumes without a declaration.
    if encoding is not None and encoding.group(1).lower() not in _PLAIN:
        kept += encoding.group()
    if subset is not None:
        kept += subset.group()
    return kept.replace(b"\r", b" ").replace(b"\n", b" ")
