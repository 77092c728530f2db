"""From parse result to syntax tree: fields are applied to the words in their scope."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from claimlight.errors import QueryError
from claimlight.retrieval.boolean.field_values import parse_class, parse_comparison, parse_days
from claimlight.retrieval.boolean.fields import (
    BY_NAME,
    CLASSES,
    DATES,
    EVERY_NAME,
    NAMES,
    NUMBERS,
    TEXT,
    WORDS,
    Field,
)
from claimlight.retrieval.boolean.nodes import (
    Complement,
    Covers,
    Joint,
    Junction,
    Leaf,
    Like,
    Nearness,
    Node,
    Number,
    Phrase,
    Proximity,
    RelatedTo,
    RelationOperator,
    SemanticText,
    SetNumber,
)
from claimlight.retrieval.boolean.raw import DateComparison, FieldedPart, Operand, Operation, Raw
from claimlight.retrieval.boolean.wildcards import parse_patterns

MAX_DISTANCE = 1000
_PROXIMITY = re.compile(r"(NOT )?(ADJ|NEAR|WITH|SAME)(\d*)")
_SET = re.compile(r"L(\d+)")
_QUOTED_END = re.compile(r'["“]([^"“”]*)["”]\s*\)$')
_LAST_NAME = re.compile(r"\.([A-Za-z]+)$")
_NOT_ALNUM = re.compile(r"[^0-9A-Z]")
_Value = TypeVar("_Value")


def interpret(raw: Raw) -> Node:
    """The syntax tree of a line."""
    return _interpret_part(raw, ())


def _interpret_part(raw: Raw, fields: tuple[Field, ...]) -> Node:
    """The tree of a part; ``fields`` are those of the innermost enclosing brackets."""
    if isinstance(raw, Operand):
        return _interpret_operand(raw, fields)
    if isinstance(raw, FieldedPart):
        return _interpret_part(raw.part, _resolve_fields(raw.fields, raw.column))
    if isinstance(raw, DateComparison):
        return _interpret_comparison(raw)
    parts = tuple(_interpret_part(part, fields) for part in raw.parts)
    found = _PROXIMITY.fullmatch(raw.operator)
    if found is not None:
        return _interpret_proximity(raw, parts, found)
    if raw.operator == "NOT" and len(parts) == 1:
        return Complement(parts[0], raw.column)
    return Junction(Joint(raw.operator), parts, raw.column)


def _resolve_fields(names: tuple[str, ...], column: int) -> tuple[Field, ...]:
    """Fields of a list in canonical order; text fields may be combined, others not."""
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise QueryError(
            f'There is no field "{unknown[0]}". The fields are {EVERY_NAME}. If it is part of a text, put '
            "the text in quotes.",
            column=column,
        )
    found = {BY_NAME[name] for name in names}
    if len(found) > 1 and not found <= set(WORDS):
        other = next(field for field in found if field not in WORDS)
        raise QueryError(
            f"The field {other} can't be in a list with others, as it contains no words. Write the parts "
            "separately, joined by OR.",
            column=column,
        )
    return tuple(field for field in Field if field in found)


def _interpret_operand(raw: Operand, fields: tuple[Field, ...]) -> Leaf:
    inner = raw.text[raw.text.find("(") + 1 : -1].strip().upper()
    if raw.kind not in {"WORD", "QUOTED"} and fields:
        raise QueryError(f"{raw.text} is not a word and can't have a field ({fields[0]}).", column=raw.column)
    if raw.kind == "SET":
        return SetNumber(int(raw.text[1:]), raw.column, raw.text)
    if raw.kind == "MEANING":
        query = " ".join(raw.text.lstrip("~").strip().strip('"“”').split())
        return SemanticText(_require_text(query, raw, '~"damping of a wheel"'), raw.column, raw.text)
    if raw.kind == "LIKE":
        return _interpret_like(raw)
    if raw.kind == "COVERS":
        return Covers(_require_text(inner, raw, "COVERS(F3)"), raw.column, raw.text)
    if raw.kind == "RELATED":
        relation = RelationOperator(raw.text.partition("(")[0].upper())
        _require_text(inner, raw, f"{relation}(EP1000000A1) or {relation}(L3)")
        found = _SET.fullmatch(inner)
        if found is not None:
            return RelatedTo(relation, "", int(found[1]), raw.column, raw.text)
        return RelatedTo(relation, inner, 0, raw.column, raw.text)
    return _interpret_text(raw, fields)


def _interpret_like(raw: Operand) -> Like:
    """A publication, and the words of a passage behind a comma if they are given."""
    found = _QUOTED_END.search(raw.text)
    before = raw.text[: found.start()].rstrip().removesuffix(",") if found is not None else raw.text[:-1]
    example = "LIKE(EP1000000A1)" if found is None else 'LIKE(EP1000000A1, "a passage of it")'
    publication = _require_text(before.partition("(")[2].strip().upper(), raw, example)
    passage = "" if found is None else _require_text(" ".join(found[1].split()), raw, example)
    return Like(publication, passage, raw.column, raw.text)


def _require_text(given: str, raw: Operand, example: str) -> str:
    if not given:
        raise QueryError(f"The argument is empty; write {example}.", column=raw.column)
    return given


def _interpret_text(raw: Operand, fields: tuple[Field, ...]) -> Leaf:
    """A word or quoted text, by the kind of its fields."""
    quoted = raw.kind == "QUOTED"
    second = _LAST_NAME.search(raw.text)
    if not quoted and fields and second is not None and second[1].lower() in BY_NAME:
        raise QueryError(
            f"{raw.text} has two lists of fields. Write them as one, as in damper.ti,ab.", column=raw.column
        )
    text = raw.text[1:-1] if quoted else raw.text
    if not fields or fields[0] in WORDS:
        patterns = _add_column(raw, lambda: parse_patterns(text))
        return Phrase(patterns, fields or TEXT, raw.column, raw.text)
    (field,) = fields
    if field in CLASSES:
        return _add_column(
            raw, lambda: parse_class(field, text, exact=quoted, column=raw.column, shown=raw.text)
        )
    if field in DATES:
        return _add_column(raw, lambda: parse_days(field, text, column=raw.column, shown=raw.text))
    assert field in NUMBERS
    return _interpret_number(raw, field, text)


def _add_column(raw: Operand, read: Callable[[], _Value]) -> _Value:
    """Call ``read``; its `ValueError` becomes a `QueryError` with the column."""
    try:
        return read()
    except ValueError as error:
        raise QueryError(str(error), column=raw.column) from None


def _interpret_number(raw: Operand, field: Field, text: str) -> Number:
    truncated = text.endswith(("$", "*"))
    value = _NOT_ALNUM.sub("", text.upper())
    if not value or "$" in text[:-1] or "?" in text:
        raise QueryError(
            f"{raw.text} is not a number. Write EP1000000A1.{field}., or EP10$.{field}. for a prefix.",
            column=raw.column,
        )
    return Number(field, value, truncated, raw.column, raw.text)


def _interpret_comparison(raw: DateComparison) -> Node:
    fields = _resolve_fields(raw.fields, raw.column)
    if len(fields) != 1 or fields[0] not in DATES:
        raise QueryError(
            f"The field {fields[0]} can't be compared; only the dates pd, fd and prad can. "
            f"Write {fields[0].upper()}: instead.",
            column=raw.column,
        )
    bounds = [(sign, value.text.strip('"“”')) for sign, value in raw.bounds]
    shown = f"{fields[0].upper()}" + "".join(f"{sign}{value}" for sign, value in bounds)
    last = raw.bounds[-1][1]
    return _add_column(last, lambda: parse_comparison(fields[0], bounds, column=raw.column, shown=shown))


def _interpret_proximity(raw: Operation, parts: tuple[Node, ...], found: re.Match[str]) -> Proximity:
    nearness = Nearness(found[2])
    distance = int(found[3] or 1)
    if not 1 <= distance <= MAX_DISTANCE:
        raise QueryError(f"The number after {found[2]} goes from 1 to {MAX_DISTANCE}.", column=raw.column)
    if nearness is Nearness.SAME and distance > 1:
        raise QueryError("SAME means one paragraph and takes no number. Write SAME.", column=raw.column)
    left, right = parts
    for part in parts:
        _check_operand(part, raw)
    if not set(common_fields(left)) & set(common_fields(right)):
        raise QueryError(
            f"The two sides of {raw.operator} are searched in different fields, so they are never in one "
            "paragraph. Use AND, or give both the same field.",
            column=raw.column,
        )
    return Proximity(nearness, distance, left, right, found[1] is not None, raw.column)


def common_fields(node: Node) -> tuple[Field, ...]:
    """The fields in which a part of a proximity can match."""
    if isinstance(node, Phrase):
        return node.fields
    if isinstance(node, Proximity):
        # What must not be near may be in any field.
        right = common_fields(node.left) if node.negated else common_fields(node.right)
        return tuple(field for field in common_fields(node.left) if field in right)
    assert isinstance(node, Junction)
    found = {field for part in node.parts for field in common_fields(part)}
    return tuple(field for field in (*TEXT, *NAMES) if field in found)


def _check_operand(part: Node, raw: Operation) -> None:
    """Raise `QueryError` for operands of a proximity that have no position in a text."""
    if isinstance(part, Phrase | Proximity):
        return
    if isinstance(part, Junction) and part.joint is Joint.OR:
        for inner in part.parts:
            _check_operand(inner, raw)
        return
    if isinstance(part, Junction | Complement):
        name = part.joint.value if isinstance(part, Junction) else "NOT"
        raise QueryError(
            f"{name} combines documents, which have no position in a text, so it can't be used inside "
            f"{raw.operator}. Use SAME or WITH instead, or move it out of the brackets.",
            column=part.column,
        )
    raise QueryError(
        f"{part.text} has no position in a text, so it can't be near anything. Use AND instead of "
        f"{raw.operator}.",
        column=part.column,
    )
