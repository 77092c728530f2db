"""How a judge reads a pair: the feature in its claim and the passage as one sequence of tokens.

    [first] preamble feature [last] passage [last]

Training and inference read in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.token_reader import cut_windows
from claimlight.errors import InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VERSION = "1"
"""Part of every judge's fingerprint: raise it when the tokens of any pair change."""
SUBJECT = 24
"""Most tokens of the preamble; its first words name the subject."""
FEATURE = 96
"""Most tokens of the feature."""
KEPT = 4096
"""Most texts whose tokens a reader keeps; a passage takes about 4 kB."""
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """One input of a judge's graph, not padded."""

    ids: Ids
    kinds: Ids
    """Token types: 0 for the first text of a pair, 1 for the second."""
    feature: tuple[int, int] = (0, 0)
    """Half-open range of the tokens of the feature."""


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """Token ids of one pair."""

    ids: Ids
    passage: int
    """Index of the first token of the passage."""
    feature: tuple[int, int]
    """Half-open range of the tokens of the feature."""
    offsets: tuple[tuple[int, int], ...]
    """Characters of the feature that each of its tokens covers."""

    @property
    def window(self) -> Window:
        """The pair as an input of the graph."""
        return Window(self.ids, (np.arange(len(self.ids)) >= self.passage).astype(np.int64), self.feature)


def pad(windows: Sequence[Window], width: int = 0) -> dict[str, Ids]:
    """The inputs of a graph for one batch, [n, tokens] each; ``width`` 0: that of the longest."""
    width = width or max(len(item.ids) for item in windows)
    names = ("input_ids", "attention_mask", "token_type_ids", "feature_mask")
    found = {name: np.zeros((len(windows), width), dtype=np.int64) for name in names}
    for row, item in enumerate(windows):
        size = len(item.ids)
        found["input_ids"][row, :size] = item.ids
        found["attention_mask"][row, :size] = 1
        found["token_type_ids"][row, :size] = item.kinds
        found["feature_mask"][row, item.feature[0] : item.feature[1]] = 1
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The tokens of a text, without special tokens."""

    ids: Ids
    offsets: NDArray[np.int32]
    """[n, 2], half-open code points of the text."""
    words: tuple[int | None, ...]
    """Number of the word of each token."""


class PieceReader:
    """Tokenizes texts; keeps the tokens of the last ones. Safe to share between threads."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        # Published tokenizers often pad and truncate by themselves; here windows are cut.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        # "[SEP]" in a document is text, not the end of a part.
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        self.read = lru_cache(maxsize=KEPT)(self._read)

    def _read(self, text: str) -> Pieces:
        found = self._tokenizer.encode(text, add_special_tokens=False)
        offsets = np.array(found.offsets, dtype=np.int32).reshape(-1, 2)
        return Pieces(np.array(found.ids, dtype=np.int64), offsets, tuple(found.word_ids))


class JudgeReader:
    """Turns texts into `JudgeInput`; keeps the parts that it has read last."""

    def __init__(self, tokenizer: Tokenizer, longest: int) -> None:
        self._pieces, self._longest = PieceReader(tokenizer), longest
        named = [("[CLS]", "[SEP]", "[MASK]"), ("<s>", "</s>", "<mask>")]
        # Tried out: some vocabularies hold the names of both families, and use one of them.
        if tokenizer.encode("a").tokens[:1] == ["<s>"]:
            named.reverse()
        firsts, lasts, masks = zip(*named, strict=True)
        self._first = _find_special(tokenizer, *firsts)
        self._last = _find_special(tokenizer, *lasts)
        known = (tokenizer.token_to_id(name) for name in masks)
        self.mask = next((found for found in known if found is not None), 0)
        """Id of the token that hides others in training."""

    def read(self, subject: str, feature: str, passage: str) -> JudgeInput:
        """[first] subject feature [last] passage [last], each part cut to its length."""
        lead, of, offsets = self._lead(subject, feature)
        return self._join(lead, of, offsets, self._pieces.read(passage).ids[: self._room(lead)])

    def read_windows(self, subject: str, feature: str, passage: str) -> Iterator[JudgeInput]:
        """As `read`, with a long passage in windows of about equal length."""
        lead, of, offsets = self._lead(subject, feature)
        text = self._pieces.read(passage)
        for begin, end in cut_windows(0, len(text.ids), room=self._room(lead), words=text.words):
            yield self._join(lead, of, offsets, text.ids[begin:end])

    def _lead(self, subject: str, feature: str) -> tuple[Ids, tuple[int, int], tuple[tuple[int, int], ...]]:
        """Tokens before those of the passage, the range of the feature in them, and its offsets."""
        about, of = self._pieces.read(subject).ids[:SUBJECT], self._pieces.read(feature)
        own = of.ids[:FEATURE]
        start = 1 + len(about)
        lead = np.concatenate(([self._first], about, own, [self._last])).astype(np.int64)
        offsets = tuple((int(begin), int(end)) for begin, end in of.offsets[:FEATURE])
        return lead, (start, start + len(own)), offsets

    def _room(self, lead: Ids) -> int:
        room = self._longest - len(lead) - 1
        if room < 1:
            raise InputError(f"windows of {self._longest} tokens have no room for a passage")
        return room

    def _join(
        self, lead: Ids, feature: tuple[int, int], offsets: tuple[tuple[int, int], ...], passage: Ids
    ) -> JudgeInput:
        ids = np.concatenate((lead, passage, [self._last])).astype(np.int64)
        return JudgeInput(ids, len(lead), feature, offsets)


def _find_special(tokenizer: Tokenizer, *names: str) -> int:
    for name in names:
        found = tokenizer.token_to_id(name)
        if found is not None:
            return found
    raise InputError(f"the tokenizer of a judge must have one of the tokens {', '.join(names)}")
