"""Passages and names as PostgreSQL indexes them: the words of a row, their places, as a ``tsvector``.

The words are ours (`claimlight.text.folding`), the same as those of a library's file; of PostgreSQL's text
search only its index and its matching are used. Rows of different columns are of different kinds, each with
an index of its own: a line that asks for claims reads the lists of claims. Title and abstract share a row, as
they do in SQLite, and the places of their words have the weights A and B.

PostgreSQL limits what a ``tsvector`` holds. No word is lost by that:

* A row with too many words has its words without their places (`Vector.placed`).
* A row with too many different words has no ``tsvector``; its texts are read for each line.
* A very long word is shortened, and told apart by a digest (`make_key`).

Most terms of a line are single words, and ask for documents, not for passages. For them the words of a
document are kept again (`gather_words`): a common word is in a hundred passages of each document, and
PostgreSQL reads every row that it finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from claimlight.digests import sha256
from claimlight.store.text_query import TextTable
from claimlight.text.folding import fold_to_words
from claimlight.types import Role, Section

KEY_LETTERS = 200
"""Letters of a very long word that its key begins with."""
_MOST_KEY_BYTES = 1_000
_MOST_PLACES = 255
_LAST_PLACE = 16_383
_MOST_BYTES = 1_000_000


class RowKind(IntEnum):
    """What a row holds."""

    FRONT = 1
    """Title and abstract."""
    CLAIM = 2
    DESCRIPTION = 3
    APPLICANT = 4
    INVENTOR = 5


KINDS: Mapping[TextTable, tuple[RowKind, ...]] = {
    TextTable.PASSAGES: (RowKind.FRONT, RowKind.CLAIM, RowKind.DESCRIPTION),
    TextTable.NAMES: (RowKind.APPLICANT, RowKind.INVENTOR),
}
COLUMNS: Mapping[RowKind, Mapping[str, str]] = {
    RowKind.FRONT: {"ti": "A", "ab": "B"},
    RowKind.CLAIM: {"clm": ""},
    RowKind.DESCRIPTION: {"de": ""},
    RowKind.APPLICANT: {"aa": ""},
    RowKind.INVENTOR: {"inv": ""},
}
"""The columns of each kind, with the weight of their words."""
_NAMED = {
    Role.APPLICANT: RowKind.APPLICANT,
    Role.ASSIGNEE: RowKind.APPLICANT,
    Role.INVENTOR: RowKind.INVENTOR,
}


@dataclass(frozen=True, slots=True)
class Vector:
    """One row of the full text."""

    row: int
    kind: RowKind
    words: str | None
    """Written as a ``tsvector``; None for too many different words."""
    placed: bool
    """Whether the places of all words are in it."""
    counts: Counter[str]
    """How often each word occurs."""
    weights: Mapping[str, str]
    """The weights of each word, of rows with several columns."""

    @property
    def length(self) -> int:
        """Number of words."""
        return self.counts.total()


def make_passage(row: int, section: str, text: str) -> Vector:
    """The row of a passage."""
    found = Section(section)
    if found.front:
        title, _, abstract = text.partition("\n")
        return _make(row, RowKind.FRONT, (("A", fold_to_words(title)), ("B", fold_to_words(abstract))))
    kind = RowKind.CLAIM if found is Section.CLAIMS else RowKind.DESCRIPTION
    return _make(row, kind, (("", fold_to_words(text)),))


def make_name(row: int, role: str, name: str) -> Vector | None:
    """The row of a name; None for a role that is not searched."""
    kind = _NAMED.get(Role(role))
    return None if kind is None else _make(row, kind, (("", fold_to_words(name)),))


def make_key(word: str) -> str:
    """A word as it is indexed, or what stands for it if it is too long for an index; keeps its beginning."""
    if len(word) <= KEY_LETTERS or len(word.encode()) <= _MOST_KEY_BYTES:
        return word
    # No word has a blank.
    return f"{word[:KEY_LETTERS]} {sha256(word)}"


def _make(row: int, kind: RowKind, columns: Sequence[tuple[str, list[str]]]) -> Vector:
    counts = Counter(word for _, words in columns for word in words)
    weights: dict[str, str] = {}
    for weight, words in columns if len(columns) > 1 else ():
        for word in set(words):
            weights[word] = weights.get(word, "") + weight
    placed = counts.total() <= _LAST_PLACE and max(counts.values(), default=0) <= _MOST_PLACES
    if placed:
        places: dict[str, list[str]] = {}
        first = 1
        for weight, words in columns:
            for place, word in enumerate(words, first):
                places.setdefault(word, []).append(f"{place}{weight}")
            first += len(words)
        written = _write(((word, ",".join(at)) for word, at in places.items()), counts.total())
        if written is not None:
            return Vector(row, kind, written, placed, counts, weights)
    return Vector(row, kind, _write_weighed(counts, weights), placed=False, counts=counts, weights=weights)


def gather_words(vectors: Iterable[Vector]) -> Iterator[tuple[RowKind, str]]:
    """The different words of the passages of a document, by kind, without their places.

    Of very many words, a kind has several rows: a document has a word if one of its rows has it.
    """
    gathered: dict[RowKind, dict[str, str]] = {}
    for vector in vectors:
        known = gathered.setdefault(vector.kind, {})
        if not vector.weights:
            known.update(dict.fromkeys(vector.counts, ""))
        for word, weights in vector.weights.items():
            known[word] = "".join(sorted({*known.get(word, ""), *weights}))
    for kind, known in gathered.items():
        for written in _write_pieces(list(known), known):
            yield kind, written


def _write_pieces(words: list[str], weights: Mapping[str, str]) -> Iterator[str]:
    written = _write_weighed(words, weights)
    if written is not None:
        yield written
        return
    half = len(words) // 2
    assert half  # a row has room for any word
    yield from _write_pieces(words[:half], weights)
    yield from _write_pieces(words[half:], weights)


def _write_weighed(words: Collection[str], weights: Mapping[str, str]) -> str | None:
    """Words with their weights only; None if there are too many."""
    # A place can have one weight only.
    marks = (
        (word, [f"{place}{weight}" for place, weight in enumerate(weights.get(word, ""), 1)])
        for word in words
    )
    return _write(((word, ",".join(at)) for word, at in marks), 2 * len(words))


def _write(words: Iterable[tuple[str, str]], places: int) -> str | None:
    """Words with their places as a ``tsvector``; None if it would be too large."""
    parts = []
    size = 2 * places
    for word, at in words:
        key = make_key(word)
        # With its bytes, the number of its places, and a byte that aligns them.
        size += len(key.encode()) + 3
        parts.append(f"{quote(key)}:{at}" if at else quote(key))
    return " ".join(parts) if size <= _MOST_BYTES else None


def quote(key: str) -> str:
    """A word as PostgreSQL reads it in a ``tsvector`` or ``tsquery``."""
    return "'" + key.replace("\\", "\\\\").replace("'", "''") + "'"
