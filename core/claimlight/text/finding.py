"""Finds typed words in a text: literally, and by default in any case, accent and spelling of an umlaut."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from claimlight.text.spelling import MARKED, is_long, make_pattern
from claimlight.types import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claimlight.types import FindRequest

_DASH, _QUOTE = "[-‐‑‒–—−]", "['’‘`´]"
_PART = re.compile(
    rf"(?P<letters>[^\W\d_]+)|(?P<blank>\s+)|(?P<dash>{_DASH})|(?P<quote>{_QUOTE})|.", re.DOTALL
)


class _Plain(dict[int, str]):
    """Each character in lower case without accent, if that is one character; filled when needed."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        base = unicodedata.normalize("NFKD", char)
        # The marks of a decomposed letter come behind it.
        letters = "".join(each for each in base if not unicodedata.combining(each)).lower()
        plain = letters if len(letters) == 1 else char
        self[code] = plain
        return plain


_PLAIN = _Plain()


class Finder:
    """Finds one wanted text. Blanks match any blanks and line breaks, dashes and apostrophes each other."""

    def __init__(self, request: FindRequest) -> None:
        self._exact = request.match_case
        words = request.words.strip()
        if not self._exact:
            words = "".join(map(_spell, words))
        pattern = "".join(map(self._write, _PART.finditer(words)))
        if request.whole_words and words:
            before, behind = words[0].isalnum(), words[-1].isalnum()
            pattern = (r"(?<!\w)" if before else "") + pattern + (r"(?!\w)" if behind else "")
        self._pattern = re.compile(pattern) if pattern else None

    def find(self, text: str) -> Iterator[Span]:
        """Every place in a text, in order, without overlaps; none for blank words."""
        if self._pattern is None:
            return
        searched = text if self._exact else text.lower() if text.isascii() else text.translate(_PLAIN)
        for match in self._pattern.finditer(searched):
            yield Span(match.start(), match.end())

    def _write(self, part: re.Match[str]) -> str:
        if part["blank"]:
            return r"\s+"
        if part["dash"]:
            return _DASH
        if part["quote"]:
            return _QUOTE
        letters = part["letters"]
        if not letters or self._exact:
            return re.escape(part.group())
        return make_pattern(letters, long=is_long(letters))


def _spell(char: str) -> str:
    """A letter as `make_pattern` takes it: umlauts and the like as they are, others without accents."""
    return char.lower() if char.lower() in MARKED + "æœøß" else _PLAIN[ord(char)]
