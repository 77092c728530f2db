"""Completions of a query line: fields after a full stop, operators, words of the library."""

from __future__ import annotations

import re
from collections.abc import Iterator

from claimlight.retrieval.boolean.fields import DATES, FIELDS, WORDS
from claimlight.retrieval.boolean.operators import OPERATORS, RELATED, SEMANTIC
from claimlight.store.store import Store
from claimlight.store.text_index import open_text_index
from claimlight.store.text_query import TextTable
from claimlight.tasks import TaskContext
from claimlight.text.folding import fold_to_words as folded_words
from claimlight.types import Completion

MOST = 20
_LEAST_LETTERS = 3
"""Letters before words of the library are offered; with fewer, a large part of the vocabulary would be
read."""
_SUFFIX = re.compile(r'(?:[\w$?*)"”])(\.)((?:[A-Za-z]+,)*)([A-Za-z]*)$')
_DAYS = re.compile(r"@([A-Za-z]*)$")
_FRAGMENT = re.compile(r'[^\s()"“”~.:=<>@,]*$')
_AFTER_OPERAND = re.compile(r'[\w$?*)"”.]\s+$')
_AFTER_OPERATOR = re.compile(r"\b(?:and|or|xor|not|(?:adj|near|with|same)\d*)\s+$", re.IGNORECASE)


def complete(
    store: Store, text: str, place: int, *, context: TaskContext | None = None
) -> tuple[Completion, ...]:
    """Completions that replace ``text[start:place]``; ``place`` is the 0-based position of the cursor.

    Inside quotes only words are offered.
    """
    before = text[:place]
    quoted = len(re.findall('["“”]', before)) % 2 == 1
    if not quoted:
        suffix = _SUFFIX.search(before)
        if suffix is not None:
            return tuple(_complete_fields(suffix))
        days = _DAYS.search(before)
        if days is not None:
            return tuple(_complete_days(days))
    found = _FRAGMENT.search(before)
    assert found is not None
    fragment, start = found.group(), found.start()
    offered = [] if quoted else list(_complete_operators(before, fragment, start))
    offered += _complete_words(store, fragment, start, context)
    return tuple(offered[:MOST])


def _complete_fields(found: re.Match[str]) -> Iterator[Completion]:
    """Fields that begin with the text after the full stop or the last comma."""
    listed, begun = found[2].lower(), found[3].lower()
    for item in FIELDS:
        name = item.field.value
        used = name in listed.split(",")
        if name.startswith(begun) and not used and (not listed or item.field in WORDS):
            yield Completion(f".{listed}{name}.", found.start(1), item.help)


def _complete_days(found: re.Match[str]) -> Iterator[Completion]:
    begun = found[1].lower()
    for item in FIELDS:
        if item.field in DATES and item.field.startswith(begun):
            yield Completion(
                f"@{item.field.upper()}>=", found.start(), f"{item.help}: 20100131, 2010-01, 2010"
            )


def _complete_operators(before: str, fragment: str, start: int) -> Iterator[Completion]:
    """Operators that begin with the fragment, after an operand; semantic operators and fields otherwise."""
    upper = fragment.upper()
    if _AFTER_OPERAND.search(before[:start]) and not _AFTER_OPERATOR.search(before[:start]):
        for name, told in OPERATORS:
            if name.startswith(upper):
                yield Completion(name, start, told)
    for name, told in (*SEMANTIC, *RELATED):
        if name.startswith(upper) and (upper or not before.strip()):
            yield Completion(name, start, told)
    if fragment:
        for item in FIELDS:
            name = f"{item.field.upper()}:"
            if name.startswith(upper):
                yield Completion(name, start, item.help)


def _complete_words(store: Store, fragment: str, start: int, context: TaskContext | None) -> list[Completion]:
    """Words of the library that begin with the fragment, most frequent first."""
    folded = folded_words(fragment)
    if len(folded) != 1 or len(folded[0]) < _LEAST_LETTERS:
        return []
    begin = folded[0]
    with store.read(context) as connection:
        found = open_text_index(connection).words_from(TextTable.PASSAGES, begin, MOST)
    return [
        Completion(item.word, start, f"in {item.rows:,} passage{'s' * (item.rows > 1)}") for item in found
    ]
