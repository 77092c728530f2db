"""Parsing a query line by the grammar, with explanations of syntax errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError
from lark.lark import PostLex

from claimlight.errors import QueryError
from claimlight.retrieval.boolean.interpreting import interpret
from claimlight.retrieval.boolean.nodes import Node
from claimlight.retrieval.boolean.raw import Builder, Raw
from claimlight.types import DefaultOperator

MAX_CHARACTERS = 50_000
MAX_DIGITS = 40
_LONG_NUMBER = re.compile(rf"\d{{{MAX_DIGITS + 1},}}")
_GRAMMAR = Path(__file__).with_name("grammar.lark")
_ENDS = frozenset({"WORD", "QUOTED", "SUFFIX", "RPAR", "SET", "MEANING", "LIKE", "COVERS", "RELATED"})
_BEGINS = frozenset({"WORD", "QUOTED", "PREFIX", "LPAR", "SET", "MEANING", "LIKE", "COVERS", "RELATED"})
_OPERATORS = frozenset(
    {"AND", "OR", "XOR", "NOT", "ADJ", "NEAR", "WITH", "SAME", "NOT_ADJ", "NOT_NEAR", "NOT_WITH", "NOT_SAME"}
)
_OPERAND = "a word, a phrase in quotes, a set (L1) or a bracket"


class _Implied(PostLex):
    """Inserts the default operator between two operands without an operator."""

    always_accept = ()

    def __init__(self, operator: DefaultOperator) -> None:
        self._type = f"IMPLIED_{operator.value}"

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        before = ""
        for token in stream:
            if before in _ENDS and token.type in _BEGINS:
                yield Token.new_borrow_pos(self._type, "", token)
            yield token
            before = token.type


@cache
def _make_grammar(operator: DefaultOperator) -> Lark:
    return Lark(
        _GRAMMAR.read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        postlex=_Implied(operator),
        transformer=Builder(),
    )


def parse(text: str, *, default: DefaultOperator = DefaultOperator.AND) -> Node:
    """Parse a line; raises `QueryError` with the column of the error."""
    if not text.strip():
        raise QueryError("The line is empty. Write a word, for example: damper.clm.", column=1)
    _check_size(text)
    try:
        # One character for another, so that columns stay right.
        raw: Raw = _make_grammar(default).parse(text.replace("\n", " "))  # type: ignore[assignment]
    except UnexpectedInput as error:
        raise _explain(error, text, _make_grammar(default)) from None
    except VisitError as error:
        # Lark wraps what `Builder` raises.
        raise error.orig_exc from None
    return interpret(raw)


def _check_size(text: str) -> None:
    """Refuse excessively long lines and numbers, which would take long to parse."""
    if len(text) > MAX_CHARACTERS:
        raise QueryError(
            f"The line has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. Run parts of it as "
            "separate sets and combine them by their numbers (L1 OR L2).",
            column=MAX_CHARACTERS + 1,
        )
    if found := _LONG_NUMBER.search(text):
        raise QueryError(
            f"This number has {len(found[0]):,} digits; the limit is {MAX_DIGITS}.",
            column=found.start() + 1,
        )


def _explain(error: UnexpectedInput, text: str, grammar: Lark) -> QueryError:
    if isinstance(error, UnexpectedCharacters):
        return _explain_character(text, error.column)
    assert isinstance(error, UnexpectedToken)
    token = error.token
    column = token.column if isinstance(token.column, int) else 1
    before = _find_token_before(grammar, text, token)
    if token.type == "$END":
        return _explain_end(text, before)
    if token.type == "RPAR":
        if before is None or before.type in _ENDS:
            told = "This closing bracket has no opening one. Delete it or open one."
        elif before.type == "LPAR":
            told = f"These brackets are empty: write {_OPERAND} before the closing bracket."
        else:
            told = f"{before} is last in these brackets: write {_OPERAND} after it."
        return QueryError(told, column=column)
    if token.type in _OPERATORS:
        return _explain_operator(token, before, column=column)
    if token.type == "SUFFIX":
        return QueryError(
            f"The field {token} must follow a word or bracket, and there may be only one list of fields: "
            "write damper.ti,ab.",
            column=column,
        )
    if token.type in {"COLON", "EQUAL", "COMPARE"}:
        return QueryError(
            f'A field must come before "{token}", as in TI:damper or PD>=2010. If it is part of a text, '
            "put the text in quotes.",
            column=column,
        )
    if before is not None and before.type == "COMPARE":
        return QueryError(f'"{before}" must be followed by a date, as in PD{before}20100131.', column=column)
    return QueryError(f'"{token}" was not expected here; write {_OPERAND}.', column=column)


def _find_token_before(grammar: Lark, text: str, token: Token) -> Token | None:
    """The token before the unexpected one, or the last one if the line ends too early."""
    place = len(text) if token.type == "$END" else token.start_pos or 0
    before: Token | None = None
    try:
        for other in grammar.lex(text.replace("\n", " ")):
            if (other.start_pos or 0) >= place:
                break
            # A message must not name an operator that nobody wrote.
            before = None if other.type.startswith("IMPLIED_") else other
    except UnexpectedCharacters:
        return before
    return before


def _explain_operator(token: Token, before: Token | None, *, column: int) -> QueryError:
    quoted = f'To search for the word itself, put it in quotes: "{token.lower()}".'
    if before is None or before.type == "LPAR":
        return QueryError(f"{token} needs {_OPERAND} before it. {quoted}", column=column)
    return QueryError(
        f"{before} is followed by {token}: remove one of them, or write {_OPERAND} between them. {quoted}",
        column=column,
    )


def _explain_end(text: str, before: Token | None) -> QueryError:
    end = len(text.rstrip()) + 1
    if before is not None and before.type in {*_OPERATORS, "COLON", "EQUAL", "PREFIX", "COMPARE"}:
        return QueryError(f"The line ends after {before}: {_OPERAND} must follow.", column=end)
    opened = _find_open_bracket(text)
    if opened:
        return QueryError("This bracket is not closed. Write ) where it ends.", column=opened)
    return QueryError(f"The line ends too early: {_OPERAND} must follow.", column=end)


def _find_open_bracket(text: str) -> int:
    """Column of the innermost unclosed bracket; 0 if all are closed."""
    opened: list[int] = []
    quoted = False
    for column, character in enumerate(text, 1):
        if character in '"“”':
            quoted = not quoted
        elif character == "(" and not quoted:
            opened.append(column)
        elif character == ")" and not quoted and opened:
            opened.pop()
    return opened[-1] if opened else 0


def _explain_character(text: str, column: int) -> QueryError:
    character = text[column - 1]
    if character in '"“”':
        return QueryError(
            "These quotes are not closed. Write closing quotes where the text ends.", column=column
        )
    if character == "~":
        return QueryError('~ must be followed by a text in quotes: ~"damping of a wheel".', column=column)
    if character == "@":
        return QueryError("@ must be followed by a date field, as in @PD>=20100101.", column=column)
    return QueryError(f'"{character}" is not allowed here. To search for it, use quotes.', column=column)
