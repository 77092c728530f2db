"""From a part of a query line to queries of the full text: exact where possible, else a superset to check.

The full text knows words, phrases, columns and nearness of plain words, but neither the order of words that
are near nor sentences. Each field is planned separately, because AND combines rows, not columns, and title
and abstract share a row.
"""

from __future__ import annotations

from dataclasses import dataclass

from claimlight.retrieval.boolean.fields import NAMES, TEXT, Field
from claimlight.retrieval.boolean.nodes import Junction, Nearness, Node, Phrase, Proximity
from claimlight.retrieval.boolean.positions import SENTENCED, Vocabulary
from claimlight.retrieval.boolean.wildcards import is_wild, spell_head
from claimlight.store.text_query import (
    NEVER,
    Held,
    Near,
    Run,
    TextQuery,
    TextTable,
    Words,
    all_of,
    any_of,
    without,
)

MAX_PAIRS = 64
"""Maximum number of queries of two near words, one for each pair."""
MAX_WORDS = 64
"""Maximum number of words in one OR."""
_COLUMNS = {
    Field.TITLE: "ti",
    Field.ABSTRACT: "ab",
    Field.CLAIMS: "clm",
    Field.DESCRIPTION: "de",
    Field.APPLICANT: "aa",
    Field.INVENTOR: "inv",
}
_GROUPS = ((Field.CLAIMS,), (Field.DESCRIPTION,), (Field.TITLE,), (Field.ABSTRACT,))


@dataclass(frozen=True, slots=True)
class TextPlan:
    """Queries of a full text: rows that match, and candidate rows that must be checked."""

    table: TextTable
    sure: tuple[TextQuery, ...]
    """The union of their rows matches."""
    candidates: TextQuery | None
    """Candidates; None if a pattern matches too many words for one query: then `write_pieces` is used."""
    fields: tuple[Field, ...] = ()
    """Fields in which candidates may match."""


def make_plans(node: Node, vocabulary: Vocabulary) -> tuple[TextPlan, ...]:
    """One plan for passages and one for names; plans that can't match are omitted."""
    made = (
        _make_plan(node, vocabulary, table=TextTable.PASSAGES, groups=_GROUPS, fields=TEXT),
        _make_plan(
            node, vocabulary, table=TextTable.NAMES, groups=tuple((field,) for field in NAMES), fields=NAMES
        ),
    )
    return tuple(plan for plan in made if plan.sure or plan.candidates != NEVER)


def _make_plan(
    node: Node,
    vocabulary: Vocabulary,
    *,
    table: TextTable,
    groups: tuple[tuple[Field, ...], ...],
    fields: tuple[Field, ...],
) -> TextPlan:
    if isinstance(node, Phrase):
        pieces = _write_word_pieces(node, vocabulary, fields)
        return TextPlan(
            table, pieces, NEVER if pieces else write_candidates(node, vocabulary, fields), fields
        )
    exact = [(group, write_native(node, vocabulary, group)) for group in groups]
    sure = any_of(found for _, found in exact if found is not None)
    open_fields = tuple(field for group, found in exact if found is None for field in group)
    if isinstance(node, Proximity) and node.negated:
        lefts = [write_native(node.left, vocabulary, group) for group, found in exact if found is None]
        right = write_candidates(node.right, vocabulary, open_fields)
        left = _any_known(lefts)
        if left is not None and right is not None:  # without a right part nothing can be near it
            # Rows without the right part match; those with both have to be read.
            alone = without(left, right)
            return TextPlan(table, _mean_rows(sure, alone), all_of((left, right)))
    checked = write_candidates(node, vocabulary, open_fields) if open_fields else NEVER
    return TextPlan(table, _mean_rows(sure), checked, open_fields)


def _mean_rows(*queries: TextQuery) -> tuple[TextQuery, ...]:
    """The queries that mean any rows."""
    return tuple(query for query in queries if query != NEVER)


def _any_known(parts: list[TextQuery | None]) -> TextQuery | None:
    """The union of the parts; None if one of them can't be asked."""
    known = [part for part in parts if part is not None]
    return any_of(known) if len(known) == len(parts) else None


def _write_word_pieces(
    node: Phrase, vocabulary: Vocabulary, fields: tuple[Field, ...]
) -> tuple[TextQuery, ...]:
    """Queries for all rows of a word or phrase; empty if it can't be asked or nothing matches."""
    found = _write_words(node, vocabulary, fields)
    if found is not None or len(node.patterns) > 1:
        return () if found is None else _mean_rows(found)
    return write_pieces(node, node.patterns[0], vocabulary, fields)


def write_pieces(
    node: Phrase, pattern: str, vocabulary: Vocabulary, fields: tuple[Field, ...]
) -> tuple[TextQuery, ...]:
    """Queries whose rows together are those with a word that matches a pattern.

    FTS5 evaluates all words of an OR for each row, so a large number of words is split into several queries.
    """
    spelt = _spell_pattern(pattern, vocabulary)
    if spelt is not None:
        return _mean_rows(_held(node, fields, spelt))
    words = sorted(vocabulary[pattern])
    starts = range(0, len(words), MAX_WORDS)
    return _mean_rows(
        *(_held(node, fields, Words(tuple(words[start : start + MAX_WORDS]))) for start in starts)
    )


def write_native(node: Node, vocabulary: Vocabulary, fields: tuple[Field, ...]) -> TextQuery | None:
    """A query for exactly the rows that match in one of ``fields``; None if it can't be asked.

    Except for single words, ``fields`` must be one field.
    """
    if isinstance(node, Phrase):
        return _write_words(node, vocabulary, fields)
    if isinstance(node, Junction):
        return _any_known([write_native(part, vocabulary, fields) for part in node.parts])
    assert isinstance(node, Proximity)
    (field,) = fields
    one_sentence = field not in SENTENCED
    if node.nearness is Nearness.SAME or (node.nearness is Nearness.WITH and one_sentence):
        left, right = (write_native(part, vocabulary, fields) for part in (node.left, node.right))
        if left is None or right is None:
            return None
        # SAME asks for one row, and so does WITH in fields of one sentence: AND and NOT of rows are exact.
        return without(left, right) if node.negated else all_of((left, right))
    if one_sentence and not node.negated and node.nearness in (Nearness.ADJ, Nearness.NEAR):
        return _write_near(node, vocabulary, fields, limit=1)
    return None


def write_candidates(node: Node, vocabulary: Vocabulary, fields: tuple[Field, ...]) -> TextQuery | None:
    """A query for a superset of the rows that match in ``fields``; None for too many words."""
    if isinstance(node, Phrase):
        found = _write_words(node, vocabulary, fields)
        if found is not None:
            return found
        parts = [_spell_pattern(pattern, vocabulary) for pattern in node.patterns]
        known = tuple(part for part in parts if part is not None)
        return _run(node, fields, known) if len(known) == len(parts) else None
    if isinstance(node, Junction):
        return _any_known([write_candidates(part, vocabulary, fields) for part in node.parts])
    assert isinstance(node, Proximity)
    left = write_candidates(node.left, vocabulary, fields)
    if node.negated:
        return left
    if node.nearness in (Nearness.ADJ, Nearness.NEAR):
        near = _write_near(node, vocabulary, fields, limit=MAX_PAIRS)
        if near is not None:
            return near
    right = write_candidates(node.right, vocabulary, fields)
    return None if left is None or right is None else all_of((left, right))


def _write_words(node: Phrase, vocabulary: Vocabulary, fields: tuple[Field, ...]) -> TextQuery | None:
    if len(node.patterns) == 1:
        spelt = _spell_pattern(node.patterns[0], vocabulary)
        return None if spelt is None else _held(node, fields, spelt)
    known = [vocabulary[pattern] for pattern in node.patterns]
    if any(not words for words in known):
        return NEVER
    if any(len(words) > 1 for words in known):
        return None
    return _run(node, fields, tuple(Words(tuple(words)) for words in known))


def _write_near(
    node: Proximity, vocabulary: Vocabulary, fields: tuple[Field, ...], *, limit: int
) -> TextQuery | None:
    """Nearness of all pairs of words; None if a side is not single words, or for too many pairs.

    With a limit of 1 the result is exact, otherwise a superset.
    """
    left, right = _find_lone_words(node.left, vocabulary), _find_lone_words(node.right, vocabulary)
    if left is None or right is None or len(left[0]) * len(right[0]) > limit:
        return None
    follows = node.nearness is Nearness.ADJ and node.distance == 1
    if limit == 1:
        lone = isinstance(node.left, Phrase) and isinstance(node.right, Phrase)
        # A single occurrence is near itself: the same word on both sides must be checked.
        apart = node.nearness is Nearness.NEAR and not left[0] & right[0]
        if not lone or not (follows or apart):
            return None
    allowed = [field for field in fields if field in left[1] and field in right[1]]
    if not left[0] or not right[0] or not allowed:
        return NEVER
    columns = tuple(_COLUMNS[field] for field in allowed)
    pairs = [(one, other) for one in sorted(left[0]) for other in sorted(right[0])]
    if follows:
        return any_of(Run((Words((one,)), Words((other,))), columns) for one, other in pairs)
    # The full text counts the words between two others, the query language the steps from one to the other.
    return any_of(Near(one, other, node.distance - 1, columns) for one, other in pairs)


def _find_lone_words(node: Node, vocabulary: Vocabulary) -> tuple[frozenset[str], frozenset[Field]] | None:
    """The single words that a part matches, and their fields; None if it can match more than a word."""
    if isinstance(node, Phrase):
        return (vocabulary[node.patterns[0]], frozenset(node.fields)) if len(node.patterns) == 1 else None
    if not isinstance(node, Junction):
        return None
    parts = [_find_lone_words(part, vocabulary) for part in node.parts]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return frozenset().union(*(part[0] for part in known)), frozenset().union(*(part[1] for part in known))


def _spell_pattern(pattern: str, vocabulary: Vocabulary) -> Words | None:
    """The words of a pattern, which may be none; beginnings for ``word$``. None for too many words."""
    known = vocabulary[pattern]
    if known and pattern.endswith("$") and not is_wild(pattern[:-1]):
        begins = (begin for begin in spell_head(pattern) if any(word.startswith(begin) for word in known))
        return Words(tuple(begins), begins=True)
    return Words(tuple(sorted(known))) if len(known) <= MAX_WORDS else None


def _held(node: Phrase, fields: tuple[Field, ...], words: Words) -> TextQuery:
    columns = _columns(node, fields)
    return Held(words, columns) if columns and words.words else NEVER


def _run(node: Phrase, fields: tuple[Field, ...], parts: tuple[Words, ...]) -> TextQuery:
    if len(parts) == 1:
        return _held(node, fields, parts[0])
    columns = _columns(node, fields)
    return Run(parts, columns) if columns and all(part.words for part in parts) else NEVER


def _columns(node: Phrase, fields: tuple[Field, ...]) -> tuple[str, ...]:
    """Columns of the fields that a phrase is searched in."""
    return tuple(_COLUMNS[field] for field in fields if field in node.fields)
