"""A query line with everything spelt out: operators, distances, fields and brackets."""

from __future__ import annotations

import re
from itertools import pairwise

from claimlight.retrieval.boolean.fields import TEXT
from claimlight.retrieval.boolean.nodes import (
    ClassRange,
    Complement,
    Covers,
    Days,
    Junction,
    Like,
    Meaning,
    Nearness,
    Node,
    Number,
    Proximity,
    SetNumber,
    Words,
)
from claimlight.retrieval.boolean.values import EVER
from claimlight.text.folding import is_alone

_PLAIN = re.compile(r"[^\W_][\w$?]*")
_RESERVED = re.compile(r"(?:and|or|xor|not|(?:adj|near|with|same)\d*|l\d+)")


def canonical(node: Node) -> str:
    """The line in full; reading it gives the same meaning whatever the default operator."""
    if isinstance(node, Junction):
        joint = f" {node.joint.value} "
        return joint.join(_inner(part) for part in node.parts)
    if isinstance(node, Proximity):
        number = f"{node.distance}" if node.nearness in (Nearness.ADJ, Nearness.NEAR) else ""
        if node.nearness is Nearness.WITH and node.distance > 1:
            number = f"{node.distance}"
        name = f"{'NOT ' * node.negated}{node.nearness.value}{number}"
        return f"{_inner(node.left)} {name} {_inner(node.right)}"
    if isinstance(node, Complement):
        return f"NOT {_inner(node.part)}"
    return _leaf(node)


def _inner(node: Node) -> str:
    text = canonical(node)
    return f"({text})" if isinstance(node, Junction | Proximity | Complement) else text


def _leaf(
    node: Words | Days | ClassRange | Number | SetNumber | Meaning | Like | Covers,
) -> str:
    if isinstance(node, Words):
        return _words(node)
    if isinstance(node, Days):
        return _days(node)
    if isinstance(node, ClassRange):
        return _class(node)
    if isinstance(node, Number):
        return f"{node.field.upper()}={node.value}{'$' * node.truncated}"
    if isinstance(node, SetNumber):
        return f"L{node.number}"
    if isinstance(node, Meaning):
        return f'~"{node.query}"'
    return f"LIKE({node.publication})" if isinstance(node, Like) else f"COVERS({node.label})"


def _words(node: Words) -> str:
    text = _joined(node.patterns)
    plain = len(node.patterns) == 1 and _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text)
    fields = "" if node.fields == TEXT else f".{','.join(node.fields)}."
    return f"{text}{fields}" if plain else f'"{text}"{fields}'


def _joined(patterns: tuple[str, ...]) -> str:
    """The words with a blank between them, but between characters that are written without one."""
    text = patterns[0]
    for one, other in pairwise(patterns):
        close = all(is_alone(word) or word == "?" for word in (one, other)) and (one, other) != ("?", "?")
        text += other if close else f" {other}"
    return text


def _days(node: Days) -> str:
    name = node.field.upper()
    if node.outside:
        return f"{name}<>{node.first:08d}..{node.last:08d}"
    low = f">={node.first:08d}" if node.first > EVER[0] else ""
    high = f"<={node.last:08d}" if node.last < EVER[1] else ""
    if node.first == node.last:
        return f"{name}={node.first:08d}"
    return f"{name}{low}{high}"


def _class(node: ClassRange) -> str:
    name = node.field.upper()
    if node.exact:
        return f'{name}="{node.first}"'
    first = node.first.replace(" ", "")
    if node.last:
        return f"{name}={first}-{node.last.replace(' ', '')}"
    if node.truncated and first.endswith("/00"):
        first = first.removesuffix("/00")
    return f"{name}={first}{'$' * node.truncated}"
