"""Makes damaged inputs from good ones; the same seed gives the same inputs on every computer.

Bytes are flipped, cut, doubled, moved, spliced from two seeds, nested and replaced by words of the format.
JSON is changed as a tree, XML also by whole elements, lists by whole lines: damage that keeps the rest
readable gets past the first check.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

LARGEST = 200_000
"""Bytes of an input; what is larger is cut, so that no input is slow because of its size alone."""
XML = (
    b"<", b">", b"</", b"/>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?xml version='1.0'?>", b"&", b"&amp;",
    b"&#0;", b"&#x110000;", b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<!DOCTYPE a SYSTEM 'file://SECRET'>",
    b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file://SECRET'>]>", b"xmlns='u'", b"encoding='UTF-16'", b"<p>&x;</p>",
    b"<claim num='99999999999'>", b"<table><row><entry namest='9' nameend='1'/>", b"<math><mi/></math>",
)  # fmt: skip
JSON = (
    b"{", b"}", b"[", b"]", b":", b",", b'"', b"\\u0000", b"\\ud800", b"null", b"true", b"-1",
    b"1e999", b"NaN",
    b"Infinity", b'"schema"', b'""',
)  # fmt: skip
QUERY = (
    b" AND ", b" OR ", b" XOR ", b" NOT ", b" ADJ", b" NEAR3 ", b" SAME ", b" WITH ", b"(", b")", b'"', b"$",
    b"?", b".clm.", b".ti,ab.", b"TI:", b"PD>=2010", b"PD<20101332", b"CPC=B62K25/04/low", b"L1",
    b"L0", b'~"',
    b"LIKE(", b"COVERS(", b"citing(", b"$9", b"\xe2\x80\x9c", b"\xc3\xa9", b"A61K/", b"..", b"*", b"@", b"~~",
)  # fmt: skip
ZIP = (
    b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00",
    b"ustar", b"../../x", b"/etc/x", b"NUL.txt", b"\xff\xff\xff\xff", b"\x00" * 512,
)  # fmt: skip
TABLE = (b"\t", b"\n", b"\r\n", b";", b",", b'"', b'""', b"|", b"\x00", b"\xef\xbb\xbf")
_NUMBERS = (b"0", b"-1", b"1", b"255", b"65536", b"2147483648", b"9" * 30, b"9" * 5000, b"1e309", b"\xd9\xa3")
_BYTES = (b"\x00", b"\xff", b"\xfe\xff", b"\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\x1a")
_DIGITS = re.compile(rb"\d+")
_ELEMENT = re.compile(rb"<([A-Za-z][\w:.-]*)[^<>]*?(?:/>|>)")
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, -(10**19), 0.5, float("nan"), float("inf"), "", " ",
    "x", "\0", "\ud800", "../x", "/etc/passwd", "1", "nan", "2024-13-45", [], {}, [[]], [None],
    {"": None}, {"a": 1},
    "€" * 300,
)  # fmt: skip


class Mutator:
    """Gives one damaged input after the other."""

    def __init__(self, seed: str, seeds: Sequence[bytes], words: Sequence[bytes] = ()) -> None:
        self._random = random.Random(seed)
        self._seeds = list(seeds)
        self._words = (*words, *_BYTES)
        self._ways: tuple[Callable[[bytes], bytes], ...] = (
            self._flip, self._put, self._cut, self._double, self._move, self._splice, self._word, self._word,
            self._over, self._number, self._number, self._nest, self._element, self._element, self._line,
            self._end,
        )  # fmt: skip

    def next(self) -> bytes:
        """A seed with one to six changes."""
        data = self._random.choice(self._seeds)
        if self._random.random() < 0.4 and (changed := self._tree(data)) is not None:
            data = changed
            if self._random.random() < 0.7:
                return data[:LARGEST]
        for _ in range(self._random.choice((1, 1, 1, 2, 3, 6))):
            data = self._random.choice(self._ways)(data)[:LARGEST]
        return data

    def _range(self, data: bytes, most: int = 4096) -> tuple[int, int]:
        begin = self._random.randrange(len(data) + 1)
        size = int(most ** self._random.random())
        return begin, min(len(data), begin + size)

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return b"\x00"
        body = bytearray(data)
        for _ in range(self._random.choice((1, 1, 2, 8))):
            body[self._random.randrange(len(body))] ^= 1 << self._random.randrange(8)
        return bytes(body)

    def _put(self, data: bytes) -> bytes:
        begin, end = self._range(data, 8)
        return data[:begin] + self._random.randbytes(end - begin) + data[end:]

    def _cut(self, data: bytes) -> bytes:
        begin, end = self._range(data)
        return data[:begin] + data[end:]

    def _end(self, data: bytes) -> bytes:
        return data[: self._random.randrange(len(data) + 1)]

    def _double(self, data: bytes) -> bytes:
        begin, end = self._range(data)
        return data[:end] + data[begin:end] * self._random.choice((1, 1, 2, 50)) + data[end:]

    def _move(self, data: bytes) -> bytes:
        begin, end = self._range(data)
        rest = data[:begin] + data[end:]
        place = self._random.randrange(len(rest) + 1)
        return rest[:place] + data[begin:end] + rest[place:]

    def _splice(self, data: bytes) -> bytes:
        other = self._random.choice(self._seeds)
        begin, end = self._range(other, 20_000)
        place, after = self._range(data, 64)
        return data[:place] + other[begin:end] + data[after:]

    def _word(self, data: bytes) -> bytes:
        place = self._random.randrange(len(data) + 1)
        return data[:place] + self._random.choice(self._words) + data[place:]

    def _over(self, data: bytes) -> bytes:
        word = self._random.choice(self._words)
        place = self._random.randrange(len(data) + 1)
        return data[:place] + word + data[place + len(word) :]

    def _number(self, data: bytes) -> bytes:
        found = list(_DIGITS.finditer(data[:LARGEST]))
        if not found:
            return self._word(data)
        match = self._random.choice(found)
        return data[: match.start()] + self._random.choice(_NUMBERS) + data[match.end() :]

    def _nest(self, data: bytes) -> bytes:
        """Brackets or elements around a range, to a depth at which careless readers recurse too far."""
        depth = self._random.choice((2, 20, 300, 3000))
        begin, end = self._range(data)
        left, right = self._random.choice(
            (
                (b"(", b")"),
                (b"[", b"]"),
                (b'{"a":', b"}"),
                (b"<b>", b"</b>"),
                (b"<p>", b"</p>"),
                (b"NOT ", b""),
            )
        )
        return data[:begin] + left * depth + data[begin:end] + right * depth + data[end:]

    def _element(self, data: bytes) -> bytes:
        """A whole element is removed, doubled, moved or put inside another; a tag gets another's name."""
        tags = list(_ELEMENT.finditer(data))
        if not tags:
            return self._double(data)
        tag = self._random.choice(tags)
        close = data.find(b"</" + tag[1] + b">", tag.end())
        end = tag.end() if tag[0].endswith(b"/>") or close < 0 else close + len(tag[1]) + 3
        element = data[tag.start() : end]
        place = self._random.choice(tags).start()
        way = self._random.randrange(5)
        if way == 0:
            return data[: tag.start()] + data[end:]
        if way == 1:
            return data[:end] + element * self._random.choice((1, 3, 40)) + data[end:]
        if way == 2:
            return data[:place] + element + data[place:]
        if way == 3 and close >= 0:
            return data[: tag.end()] + data[close:]
        name = self._random.choice(tags)[1]
        return data[: tag.start(1)] + name + data[tag.end(1) :]

    def _line(self, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        if len(lines) < 2:
            return self._flip(data)
        one, two = (self._random.randrange(len(lines)) for _ in "12")
        way = self._random.randrange(3)
        if way == 0:
            del lines[one]
        elif way == 1:
            lines.insert(two, lines[one])
        else:
            lines[one], lines[two] = lines[two], lines[one]
        return b"".join(lines)

    def _tree(self, data: bytes) -> bytes | None:
        """JSON, or a line of JSON, with some of its values changed; None for anything else."""
        if data.lstrip()[:1] not in (b"{", b"["):
            return None
        lines = [data]
        try:
            json.loads(data)
        except (ValueError, RecursionError):
            lines = data.splitlines(keepends=True)
        number = self._random.randrange(len(lines))
        try:
            tree = json.loads(lines[number])
        except (ValueError, RecursionError):
            return None
        for _ in range(self._random.choice((1, 1, 2, 4))):
            tree = self._changed(tree)
        end = b"\n" if lines[number].endswith(b"\n") else b""
        lines[number] = json.dumps(tree, ensure_ascii=True).encode() + end
        return b"".join(lines)

    def _changed(self, tree: Any) -> Any:
        if isinstance(tree, dict) and tree and self._random.random() < 0.9:
            key = self._random.choice(list(tree))
            way = self._random.random()
            if way < 0.15:
                return {name: value for name, value in tree.items() if name != key}
            if way < 0.25:
                return tree | {self._random.choice(("x", "", "\ud800", *tree)): tree[key]}
            return tree | {key: self._changed(tree[key])}
        if isinstance(tree, list) and tree and self._random.random() < 0.9:
            place = self._random.randrange(len(tree))
            way = self._random.random()
            if way < 0.15:
                return tree[:place] + tree[place + 1 :]
            if way < 0.3:
                return tree + [tree[place]] * self._random.choice((1, 3, 100))
            return [*tree[:place], self._changed(tree[place]), *tree[place + 1 :]]
        way = self._random.random()
        if way < 0.1:
            return {"a": tree}
        if way < 0.2:
            return [tree]
        if way < 0.3:
            return str(tree)
        return self._random.choice(_VALUES)
