"""The help of the query line: examples, operators and fields as the parser and completion know them."""

from __future__ import annotations

from dataclasses import dataclass

from claimlight.retrieval.boolean.fields import FIELDS
from claimlight.retrieval.boolean.operators import EXAMPLES, OPERATORS, RELATED, SEMANTIC


@dataclass(frozen=True, slots=True)
class QueryHelpRow:
    """What is written, and what it finds or holds."""

    text: str
    help: str


def _rows(table: tuple[tuple[str, str], ...], end: str = "") -> tuple[QueryHelpRow, ...]:
    return tuple(QueryHelpRow(f"{text}{end}", told) for text, told in table)


EXAMPLE_ROWS = _rows(EXAMPLES)
"""Whole lines."""
OPERATOR_ROWS = _rows(OPERATORS)
CALL_ROWS = _rows((*SEMANTIC, *RELATED), "…")
"""Semantic operators, and those on citations and families."""
FIELD_ROWS = tuple(
    QueryHelpRow(" ".join(f".{name}." for name in (item.field.value, *item.others)), item.help)
    for item in FIELDS
)
"""Each field with its other names."""
