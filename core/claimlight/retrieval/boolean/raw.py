"""The parse result of the grammar, before fields are applied to words."""

from __future__ import annotations

from dataclasses import dataclass

from lark import Token, Transformer

from claimlight.errors import QueryError

MAX_DEPTH = 120
"""Maximum nesting of brackets and operators; later steps recurse once per level."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A word, a quoted text, a set or a semantic operator, as written."""

    kind: str
    text: str
    column: int


@dataclass(frozen=True, slots=True)
class FieldedPart:
    """A part of the line with the fields given for it."""

    fields: tuple[str, ...]
    column: int
    part: Raw


@dataclass(frozen=True, slots=True)
class DateComparison:
    """``PD>=2010``, ``PD>=2010<=2015``."""

    fields: tuple[str, ...]
    column: int
    bounds: tuple[tuple[str, Operand], ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator (upper case, with number, and with ``NOT`` before a proximity) and its operands."""

    operator: str
    column: int
    parts: tuple[Raw, ...]


Raw = Operand | FieldedPart | DateComparison | Operation


@dataclass(frozen=True, slots=True)
class NestedPart:
    """A part and its nesting depth."""

    part: Raw
    depth: int


def _column(token: Token) -> int:
    return token.column or 1


def _split_fields(token: Token) -> tuple[str, ...]:
    listed = token.strip("@.").split(",")
    return tuple(name.strip().lower() for name in listed)


def _make_operation(operator: Token, parts: list[NestedPart]) -> NestedPart:
    depth = max(part.depth for part in parts) + 1
    if depth > MAX_DEPTH:
        raise QueryError(
            f"More than {MAX_DEPTH} operators and brackets are nested here. Run a part of the "
            "line as a separate set and use its number (L1).",
            column=_column(operator),
        )
    name = " ".join(operator.upper().split())
    if operator.type.startswith("IMPLIED_"):
        name = operator.type.removeprefix("IMPLIED_")
    # "AND NOT" is the same operator.
    elif operator.type == "NOT":
        name = "NOT"
    return NestedPart(Operation(name, _column(operator), tuple(part.part for part in parts)), depth)


class Builder(Transformer[Token, Raw]):
    """Called by the parser when a rule is complete, so that deep nesting can't overflow the stack."""

    def start(self, items: list[NestedPart]) -> Raw:
        return items[0].part

    def any_of(self, items: list[NestedPart | Token]) -> NestedPart:
        return _flatten_chain(items)

    one_of = both = any_of

    def without(self, items: list[NestedPart | Token]) -> NestedPart:
        return _flatten_chain(items)

    def proximity(self, items: list[NestedPart | Token]) -> NestedPart:
        left, operator, right = items
        assert isinstance(operator, Token)
        assert isinstance(left, NestedPart)
        assert isinstance(right, NestedPart)
        return _make_operation(operator, [left, right])

    def none_of(self, items: list[NestedPart | Token]) -> NestedPart:
        operator, part = items
        assert isinstance(operator, Token)
        assert isinstance(part, NestedPart)
        return _make_operation(operator, [part])

    def suffixed(self, items: list[NestedPart | Token]) -> NestedPart:
        part, token = items
        assert isinstance(token, Token)
        assert isinstance(part, NestedPart)
        return NestedPart(FieldedPart(_split_fields(token), _column(token), part.part), part.depth)

    def prefixed(self, items: list[NestedPart | Token]) -> NestedPart:
        token, part = items[0], items[-1]
        assert isinstance(token, Token)
        assert isinstance(part, NestedPart)
        return NestedPart(FieldedPart(_split_fields(token), _column(token), part.part), part.depth)

    def compared(self, items: list[Token | Operand]) -> NestedPart:
        token = items[0]
        assert isinstance(token, Token)
        bounds = tuple(
            (str(sign), value)
            for sign, value in zip(items[1::2], items[2::2], strict=True)
            if isinstance(value, Operand)
        )
        return NestedPart(DateComparison(_split_fields(token), _column(token), bounds), 1)

    between = compared

    def value(self, items: list[Token]) -> Operand:
        return _read_operand(items[0])

    def word(self, items: list[Token]) -> NestedPart:
        return NestedPart(_read_operand(items[0]), 1)

    quoted = numbered_set = meaning = like = covers = word

    def related(self, items: list[Token]) -> NestedPart:
        token = items[0]
        if not token.endswith(")"):
            name = token.upper()
            raise QueryError(
                f"{name} ) takes a publication number or a set: write {name}EP1000000A1) or {name}L3). "
                "To use the documents of another line, run that line first.",
                column=_column(token),
            )
        return self.word(items)

    def bracket(self, items: list[NestedPart | Token]) -> NestedPart:
        opening, part, _ = items
        assert isinstance(part, NestedPart)
        assert isinstance(opening, Token)
        # One level too many: this raises the error.
        if part.depth >= MAX_DEPTH:
            return _make_operation(opening, [part])
        return NestedPart(part.part, part.depth + 1)


def _read_operand(token: Token) -> Operand:
    return Operand(token.type, str(token), _column(token))


def _flatten_chain(items: list[NestedPart | Token]) -> NestedPart:
    """Flatten chains of one operator: ``a OR b OR c`` is one operation with three operands."""
    parts = [item for item in items if isinstance(item, NestedPart)]
    operator = next(item for item in items if isinstance(item, Token))
    made = _make_operation(operator, parts)
    whole, first, last = made.part, parts[0], parts[-1]
    assert isinstance(whole, Operation)
    chain = first.part
    if isinstance(chain, Operation) and chain.operator == whole.operator and len(chain.parts) > 1:
        joined = Operation(whole.operator, chain.column, (*chain.parts, last.part))
        return NestedPart(joined, max(first.depth, last.depth + 1))
    return made
