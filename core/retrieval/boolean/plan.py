"""From a part of a query line to FTS5 expressions: exact where FTS5 can say it, else what may match.

FTS5 knows words, phrases, columns and nearness of plain words, but neither the order of words that are
near one another nor sentences. Each field is planned for itself, because FTS5's AND joins rows, not
columns, and a title and an abstract share a row.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.retrieval.boolean.fields import NAMES, TEXT, Field
from core.retrieval.boolean.nodes import Junction, Nearness, Node, Proximity, Words
from core.retrieval.boolean.positions import SENTENCED, Vocabulary

MAX_PAIRS = 64
"""Pairs of words that are asked for as near one another, one by one."""
_COLUMNS = {
    Field.TITLE: "ti",
    Field.ABSTRACT: "ab",
    Field.CLAIMS: "clm",
    Field.DESCRIPTION: "de",
    Field.APPLICANT: "aa",
    Field.INVENTOR: "inv",
}
_GROUPS = ((Field.CLAIMS,), (Field.DESCRIPTION,), (Field.TITLE,), (Field.ABSTRACT,))
_NEVER = ""
"""Of a part that can't stand in the fields, or whose words the library doesn't have."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask a full-text table: rows that match, and rows that have to be looked at."""

    table: str
    exact: str
    """Empty for none."""
    candidates: str


def plans(node: Node, vocabulary: Vocabulary) -> tuple[Plan, ...]:
    """One for the passages, one for the names; those without a row are left out."""
    made = (
        _plan(node, vocabulary, table="passage_words", groups=_GROUPS, fields=TEXT),
        _plan(node, vocabulary, table="party_words", groups=tuple((field,) for field in NAMES), fields=NAMES),
    )
    return tuple(plan for plan in made if plan.exact or plan.candidates)


def _plan(
    node: Node,
    vocabulary: Vocabulary,
    *,
    table: str,
    groups: tuple[tuple[Field, ...], ...],
    fields: tuple[Field, ...],
) -> Plan:
    whole = native(node, vocabulary, fields) if isinstance(node, Words) else None
    if whole is not None:
        return Plan(table, whole, "")
    exact = [(group, native(node, vocabulary, group)) for group in groups]
    open_fields = tuple(field for group, found in exact if found is None for field in group)
    return Plan(
        table,
        _any([found for _, found in exact if found]),
        candidates(node, vocabulary, open_fields) if open_fields else _NEVER,
    )


def native(node: Node, vocabulary: Vocabulary, fields: tuple[Field, ...]) -> str | None:
    """An expression for exactly the rows that match in one of ``fields``; None where FTS5 has none.

    But for lone words, ``fields`` must be one field.
    """
    if isinstance(node, Words):
        return _native_words(node, vocabulary, fields)
    if isinstance(node, Junction):
        parts = [native(part, vocabulary, fields) for part in node.parts]
        return None if None in parts else _any([part for part in parts if part])
    assert isinstance(node, Proximity)
    if node.negated:
        return None
    (field,) = fields
    one_sentence = field not in SENTENCED
    if node.nearness is Nearness.SAME or (node.nearness is Nearness.WITH and one_sentence):
        left, right = (native(part, vocabulary, fields) for part in (node.left, node.right))
        return None if left is None or right is None else _both(left, right)
    if node.nearness is Nearness.NEAR and one_sentence:
        return _near(node, vocabulary, fields, limit=1)
    return None


def candidates(node: Node, vocabulary: Vocabulary, fields: tuple[Field, ...]) -> str:
    """An expression for rows among which are all that match in one of ``fields``."""
    if isinstance(node, Words):
        found = _native_words(node, vocabulary, fields)
        if found is not None:
            return found
        parts = [_spelt(pattern, vocabulary) for pattern in node.patterns]
        return _NEVER if _NEVER in parts else _in(node, fields, " AND ".join(parts))
    if isinstance(node, Junction):
        return _any([found for part in node.parts if (found := candidates(part, vocabulary, fields))])
    assert isinstance(node, Proximity)
    left = candidates(node.left, vocabulary, fields)
    if node.negated:
        return left
    if node.nearness in (Nearness.ADJ, Nearness.NEAR):
        near = _near(node, vocabulary, fields, limit=MAX_PAIRS)
        if near is not None:
            return near
    return _both(left, candidates(node.right, vocabulary, fields))


def _native_words(node: Words, vocabulary: Vocabulary, fields: tuple[Field, ...]) -> str | None:
    if len(node.patterns) == 1:
        return _in(node, fields, _spelt(node.patterns[0], vocabulary))
    known = [vocabulary[pattern] for pattern in node.patterns]
    if any(not words for words in known):
        return _NEVER
    if any(len(words) > 1 for words in known):
        return None
    return _in(node, fields, '"' + " ".join(next(iter(words)) for words in known) + '"')


def _near(node: Proximity, vocabulary: Vocabulary, fields: tuple[Field, ...], *, limit: int) -> str | None:
    """Both sides as pairs of words; None where they aren't words, share one, or make too many pairs."""
    left, right = node.left, node.right
    if not (isinstance(left, Words) and isinstance(right, Words)):
        return None
    if len(left.patterns) > 1 or len(right.patterns) > 1:
        return None
    ones, others = vocabulary[left.patterns[0]], vocabulary[right.patterns[0]]
    if ones & others or len(ones) * len(others) > limit:
        return None
    allowed = [field for field in fields if field in left.fields and field in right.fields]
    if not ones or not others or not allowed:
        return _NEVER
    columns = " ".join(_COLUMNS[field] for field in allowed)
    found = [
        f'NEAR("{one}" "{other}", {node.distance - 1})' for one in sorted(ones) for other in sorted(others)
    ]
    return f"({{{columns}}} : ({' OR '.join(found)}))"


def _spelt(pattern: str, vocabulary: Vocabulary) -> str:
    """The words of a pattern; one that ends in ``$`` and is plain before is FTS5's own prefix."""
    known = vocabulary[pattern]
    if not known:
        return _NEVER
    if pattern.endswith("$") and "$" not in pattern[:-1] and "?" not in pattern:
        return f'("{pattern[:-1]}" *)'
    return "(" + " OR ".join(f'"{word}"' for word in sorted(known)) + ")"


def _in(node: Words, fields: tuple[Field, ...], expression: str) -> str:
    allowed = [field for field in fields if field in node.fields]
    if not allowed or not expression:
        return _NEVER
    columns = " ".join(_COLUMNS[field] for field in allowed)
    every = (len(allowed) == len(TEXT) and allowed[0] in TEXT) or (
        len(allowed) == len(NAMES) == 2 and (allowed[0] in NAMES)
    )
    return expression if every else f"({{{columns}}} : {_bracketed(expression)})"


def _bracketed(expression: str) -> str:
    return expression if expression.startswith("(") else f"({expression})"


def _both(left: str, right: str) -> str:
    return f"({left} AND {right})" if left and right else _NEVER


def _any(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else "(" + " OR ".join(parts) + ")" if parts else _NEVER
