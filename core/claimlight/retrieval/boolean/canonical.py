"""The canonical form of a query line: operators, distances, fields and brackets written out."""

from __future__ import annotations

import re
from itertools import pairwise

from claimlight.retrieval.boolean.field_values import EVER
from claimlight.retrieval.boolean.fields import TEXT
from claimlight.retrieval.boolean.nodes import (
    ClassRange,
    ClassSubtree,
    Complement,
    DayRange,
    Junction,
    Leaf,
    Like,
    Nearness,
    Node,
    Number,
    Phrase,
    Proximity,
    RelatedTo,
    SemanticText,
    SetNumber,
)
from claimlight.text.folding import is_alone

_PLAIN = re.compile(r"[^\W_][\w$?]*")
_QUOTES = re.compile(r'["“”]')
_RESERVED = re.compile(r"(?:and|or|xor|not|(?:adj|near|with|same)\d*|l\d+)")


def format_canonical(node: Node) -> str:
    """Format the canonical line; parsing it gives the same tree under any default operator."""
    if isinstance(node, Junction):
        joint = f" {node.joint.value} "
        return joint.join(_format_inner(part) for part in node.parts)
    if isinstance(node, Proximity):
        number = f"{node.distance}" if node.nearness in (Nearness.ADJ, Nearness.NEAR) else ""
        if node.nearness is Nearness.WITH and node.distance > 1:
            number = f"{node.distance}"
        name = f"{'NOT ' * node.negated}{node.nearness.value}{number}"
        return f"{_format_inner(node.left)} {name} {_format_inner(node.right)}"
    if isinstance(node, Complement):
        return f"NOT {_format_inner(node.part)}"
    return _format_leaf(node)


def _format_inner(node: Node) -> str:
    text = format_canonical(node)
    return f"({text})" if isinstance(node, Junction | Proximity | Complement) else text


def _format_leaf(node: Leaf) -> str:
    if isinstance(node, Phrase):
        return _format_words(node)
    if isinstance(node, DayRange):
        return _format_days(node)
    if isinstance(node, ClassRange):
        return _format_class(node)
    if isinstance(node, ClassSubtree):
        return f"{node.field.upper()}={node.symbol.replace(' ', '')}+"
    if isinstance(node, Number):
        return f"{node.field.upper()}={node.value}{'$' * node.truncated}"
    if isinstance(node, SetNumber):
        return f"L{node.number}"
    if isinstance(node, SemanticText):
        return f'~"{node.query}"'
    if isinstance(node, RelatedTo):
        return f"{node.relation}({f'L{node.number}' if node.number else node.publication})"
    return format_like(node.publication, node.passage) if isinstance(node, Like) else f"COVERS({node.label})"


def format_like(publication: str, passage: str = "") -> str:
    """A line for documents like a publication, or like some words of it; quotes in these become ``'``."""
    words = " ".join(_QUOTES.sub("'", passage).split())
    return f'LIKE({publication}, "{words}")' if words else f"LIKE({publication})"


def _format_words(node: Phrase) -> str:
    text = _join_patterns(node.patterns)
    # A word that would be read as an operator or a set is written in quotes.
    plain = len(node.patterns) == 1 and _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text)
    fields = "" if node.fields == TEXT else f".{','.join(node.fields)}."
    return f"{text}{fields}" if plain else f'"{text}"{fields}'


def _join_patterns(patterns: tuple[str, ...]) -> str:
    """Join words with spaces, except between characters of scripts without spaces."""
    text = patterns[0]
    for one, other in pairwise(patterns):
        close = all(is_alone(word) or word == "?" for word in (one, other)) and (one, other) != ("?", "?")
        text += other if close else f" {other}"
    return text


def _format_days(node: DayRange) -> str:
    name = node.field.upper()
    if node.outside:
        return f"{name}<>{node.first:08d}..{node.last:08d}"
    low = f">={node.first:08d}" if node.first > EVER[0] else ""
    high = f"<={node.last:08d}" if node.last < EVER[1] else ""
    if node.first == node.last:
        return f"{name}={node.first:08d}"
    return f"{name}{low}{high}"


def _format_class(node: ClassRange) -> str:
    name = node.field.upper()
    if node.exact:
        return f'{name}="{node.first}"'
    first = node.first.replace(" ", "")
    if node.last:
        return f"{name}={first}-{node.last.replace(' ', '')}"
    if node.truncated and first.endswith("/00"):
        first = first.removesuffix("/00")
    return f"{name}={first}{'$' * node.truncated}"
