"""The syntax tree of a query line, independent of how it was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from claimlight.retrieval.boolean.fields import TEXT, Field


class Nearness(StrEnum):
    """Proximity operators."""

    ADJ = "ADJ"
    NEAR = "NEAR"
    WITH = "WITH"
    SAME = "SAME"


class RelationOperator(StrEnum):
    """Operators on the citations and families of documents."""

    CITED = "CITED"
    CITING = "CITING"
    FAMILY = "FAMILY"


class Joint(StrEnum):
    """Operators on sets of documents."""

    AND = "AND"
    OR = "OR"
    XOR = "XOR"
    NOT = "NOT"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One word, or several consecutive ones; wildcards are ``$``, ``$n`` and ``?``."""

    patterns: tuple[str, ...]
    """Folded words, at least one."""
    fields: tuple[Field, ...] = TEXT
    """Of `fields.WORDS`, in that order."""
    column: int = 0
    text: str = ""
    """As written."""


@dataclass(frozen=True, slots=True)
class DayRange:
    """A date from ``first`` to ``last`` (``yyyymmdd``, inclusive); ``outside`` negates the range."""

    field: Field
    first: int
    last: int
    outside: bool = False
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class ClassRange:
    """A symbol with all below it, a range, exactly one symbol (``exact``), or a prefix (``truncated``)."""

    field: Field
    first: str
    """As the offices print it: ``H04L``, ``H04L 9/32``."""
    last: str = ""
    """End of a range; empty for a single symbol."""
    exact: bool = False
    truncated: bool = False
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class ClassSubtree:
    """``B62K25/04+``: a group with everything below it by the dots of its scheme."""

    field: Field
    symbol: str
    """As the offices print it: ``B62K 25/04``."""
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A publication or application number, or its prefix (``truncated``)."""

    field: Field
    value: str
    """Letters and digits only, upper case."""
    truncated: bool = False
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class SetNumber:
    """``L3``."""

    number: int
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class SemanticText:
    """``~"free text"``."""

    query: str
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Like:
    """``LIKE(EP1000000A1)``, ``LIKE(EP1000000A1, "a passage of it")``."""

    publication: str
    passage: str = ""
    """The words to be similar to; empty: the first claim of the publication."""
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Covers:
    """``COVERS(F3)``."""

    label: str
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """``CITED(L3)``, ``CITING(EP1000000A1)``, ``FAMILY(L3)``: of a publication, or of those of a set."""

    relation: RelationOperator
    publication: str
    """Empty for a set."""
    number: int = 0
    """Number of the set; 0 for a publication."""
    column: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Proximity:
    """Two parts near each other in a paragraph; ``negated``: the left part without such a right part."""

    nearness: Nearness
    distance: int
    """ADJ, NEAR: maximum distance in words. WITH: in sentences, 1 = the same sentence. SAME: 1."""
    left: Node
    right: Node
    negated: bool = False
    column: int = 0


@dataclass(frozen=True, slots=True)
class Junction:
    """Two or more sets of documents; for NOT, the first without the others."""

    joint: Joint
    parts: tuple[Node, ...]
    column: int = 0


@dataclass(frozen=True, slots=True)
class Complement:
    """All documents of the library except these."""

    part: Node
    column: int = 0


Leaf = (
    Phrase
    | DayRange
    | ClassRange
    | ClassSubtree
    | Number
    | SetNumber
    | SemanticText
    | Like
    | Covers
    | RelatedTo
)
Node = Leaf | Proximity | Junction | Complement


def children(node: Node) -> tuple[Node, ...]:
    """The parts of a node, in the order of the line."""
    if isinstance(node, Proximity):
        return (node.left, node.right)
    if isinstance(node, Junction):
        return node.parts
    return (node.part,) if isinstance(node, Complement) else ()


def leaves(node: Node) -> Iterator[Leaf]:
    """The terms of a line from left to right; terms are numbered in this order."""
    below = children(node)
    if not below:
        assert not isinstance(node, (Proximity, Junction, Complement))
        yield node
    for part in below:
        yield from leaves(part)


def named_sets(node: Node) -> tuple[int, ...]:
    """The numbers of the sets that a line names, ascending, none twice."""
    named = {leaf.number for leaf in leaves(node) if isinstance(leaf, SetNumber | RelatedTo)}
    return tuple(sorted(named - {0}))


def positive_leaves(node: Node) -> Iterator[Leaf]:
    """The terms that are not under a NOT."""
    if isinstance(node, Complement):
        return
    below = children(node)
    if isinstance(node, Junction) and node.joint is Joint.NOT:
        below = below[:1]
    if not below:
        assert not isinstance(node, (Proximity, Junction))
        yield node
    for part in below:
        yield from positive_leaves(part)
