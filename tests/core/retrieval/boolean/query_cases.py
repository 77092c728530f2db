"""Random small libraries and random query lines, for the fast evaluation to be held against the plain one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
from hypothesis import strategies as st

from claimlight.retrieval.boolean.evaluate import Scored
from claimlight.retrieval.boolean.fields import DATES, TEXT, Field
from claimlight.retrieval.boolean.interpreting import common_fields
from claimlight.retrieval.boolean.nodes import (
    Complement,
    DayRange,
    Joint,
    Junction,
    Nearness,
    Node,
    Phrase,
    Proximity,
    RelationOperator,
    SetNumber,
)
from claimlight.store import Store
from claimlight.text import folding
from claimlight.text.normalise import normalise
from claimlight.types import (
    Claim,
    LocalText,
    Paragraph,
    Party,
    Patent,
    PublicationNumber,
    Role,
    Section,
    Source,
)
from tests.core.retrieval.boolean.naive import PlainDocument, PlainText

VOCABULARY = (
    "damper", "dampers", "Dämpfer", "dampf", "valve", "valves", "fluid", "a", "the", "3", "35", "x1",
    "弁", "弁装置", "𝛼x", "𐐀b", "straße", "STRASSE", "Ventil", "clé", "Daempfer", "Stoßdämpfer",
    "Stossdaempfer", "R_D", "RD", "Ｒ₂", "装置", "감쇠기",
)  # fmt: skip
GLUE = (" ", " ", " ", " ", "-", ", ", ". ", ". A ", "; ", "\n", ".5 ", " e.g. ", "/", "'", "̈ ", "_", "! ")
PATTERNS = (
    "damper", "dampers", "dampfer", "damp$", "damp$2", "da?per", "$per", "?alve$1", "valve", "fluid", "a",
    "the", "3", "3$", "x1", "弁", "𝛼x", *folding.fold_to_words("𐐀b"), "straße", "strass$", "v$e", "v$4l",
    "cle", "nowhere", "now$", "$a$e$", "dämpfer", "daempfer", "stossdampfer", "stoßd$", "strasse", "rd", "r2",
    "装", "置", "감", "기",
)  # fmt: skip

texts = st.lists(st.tuples(st.sampled_from(VOCABULARY), st.sampled_from(GLUE)), min_size=0, max_size=9).map(
    lambda parts: normalise("".join(word + glue for word, glue in parts))
)
close = st.lists(
    st.tuples(
        st.sampled_from(("Damper", "damper", "valve", "Valve", "fluid", "a")),
        st.sampled_from((" ", " ", ". ", ", ", "\n", "! ")),
    ),
    max_size=10,
).map(lambda parts: normalise("".join(word + glue for word, glue in parts)))
"""Few different words in many short sentences: most of them are near one another."""
days = st.none() | st.sampled_from([date(1999, 12, 31), date(2000, 1, 1), date(2010, 6, 15)])


@st.composite
def corpora(draw: st.DrawFn, texts: st.SearchStrategy[str] = texts) -> list[Patent]:
    """One to four documents."""
    found = []
    for number in range(draw(st.integers(1, 4))):
        claims = draw(st.lists(texts.filter(bool), max_size=2))
        languages = draw(st.sampled_from([("en",), ("en", "de")]))
        found.append(
            Patent(
                publication=PublicationNumber("EP", str(1_000_000 + number), "A1"),
                source=Source("/files/week.xml", "", number, 0, "invented"),
                published=draw(days),
                filed=draw(days),
                language="en",
                titles=tuple(
                    LocalText(text.replace("\n", " "), language)
                    for language in languages
                    if (text := draw(texts))
                ),
                abstracts=tuple(LocalText(text, language) for language in languages if (text := draw(texts))),
                claims=tuple(Claim(n, text, "en") for n, text in enumerate(claims, 1)),
                description=tuple(
                    Paragraph(text, draw(st.sampled_from([Section.BACKGROUND, Section.DETAILED])))
                    for text in draw(st.lists(texts.filter(bool), max_size=3))
                ),
                parties=tuple(
                    Party(draw(st.sampled_from([Role.APPLICANT, Role.INVENTOR, Role.AGENT])), name)
                    for name in draw(st.lists(texts.filter(bool), max_size=2))
                ),
            )
        )
    return found


fields = st.sampled_from(
    [TEXT, TEXT, (Field.TITLE,), (Field.ABSTRACT,), (Field.CLAIMS,), (Field.DESCRIPTION,),
     (Field.TITLE, Field.ABSTRACT), (Field.ABSTRACT, Field.CLAIMS), (Field.TITLE, Field.INVENTOR),
     (Field.APPLICANT,), (Field.APPLICANT, Field.INVENTOR)]
)  # fmt: skip
patterns = st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3).map(tuple)
lone = st.builds(Phrase, st.sampled_from(PATTERNS).map(lambda pattern: (pattern,)), st.just(TEXT))
words = st.builds(Phrase, patterns, fields) | lone | lone | lone


def _near(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    chosen = st.sampled_from([
        (Nearness.ADJ, 1), (Nearness.ADJ, 3), (Nearness.NEAR, 1), (Nearness.NEAR, 4), (Nearness.WITH, 1),
        (Nearness.WITH, 2), (Nearness.SAME, 1),
    ])  # fmt: skip
    negated = st.sampled_from([False, False, False, True])
    made = st.builds(
        lambda how, left, right, no: Proximity(*how, left, right, no), chosen, parts, parts, negated
    )
    return made.filter(lambda node: bool(set(common_fields(node.left)) & set(common_fields(node.right))))


def _either(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.lists(parts, min_size=2, max_size=3).map(lambda some: Junction(Joint.OR, tuple(some)))


few_words = st.builds(
    Phrase,
    st.lists(st.sampled_from(("damper", "valve", "fluid", "a", "v$", "$a$e$")), min_size=1, max_size=2).map(
        tuple
    ),
    st.sampled_from(
        [TEXT, TEXT, TEXT, (Field.ABSTRACT,), (Field.DESCRIPTION,), (Field.CLAIMS, Field.ABSTRACT)]
    ),
)
near: st.SearchStrategy[Any] = st.recursive(
    _near(few_words), lambda parts: _near(parts | few_words) | _either(parts | few_words), max_leaves=3
)
positional: st.SearchStrategy[Any] = st.recursive(
    words, lambda parts: _near(parts) | _either(parts), max_leaves=4
)
day_ranges = st.builds(
    DayRange,
    st.sampled_from(DATES),
    st.sampled_from([0, 20000101, 20100101]),
    st.sampled_from([20000101, 20100615, 99999999]),
    st.booleans(),
).filter(
    lambda node: (
        (node.first <= node.last and (node.first, node.last) != (0, 99999999))
        and (not node.outside or 0 < node.first <= node.last < 99999999)
    )
)
sets = st.builds(SetNumber, st.sampled_from([1, 2]))


def _joined(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    some = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.builds(Junction, st.sampled_from(Joint), some) | st.builds(Complement, parts)


queries: st.SearchStrategy[Any] = st.recursive(
    positional | positional | day_ranges | sets, _joined, max_leaves=5
)
monotone: st.SearchStrategy[Any] = st.recursive(
    positional,
    lambda parts: st.builds(
        Junction, st.sampled_from([Joint.AND, Joint.OR]), st.lists(parts, min_size=2, max_size=3).map(tuple)
    ),
    max_leaves=4,
)
MEMBERS = {1: frozenset({1, 3}), 2: frozenset({2, 3, 99})}


class Members:
    """A resolver of two sets and no meanings but one."""

    def set_members(self, number: int) -> np.ndarray:
        return np.array(sorted(MEMBERS[number], reverse=True), np.int64)

    def subtree(self, field: Field, symbol: str) -> tuple[str, ...]:
        return (symbol, "F16F 9/3247", "F16F 2009/00")

    def semantic(self, text: str) -> Scored:
        return Scored(np.array([2, 1, 77], np.int64), np.array([0.9, 0.5, 0.4]))

    def like(self, publication: str, passage: str) -> Scored:
        return self.semantic(passage or publication)

    def related(self, relation: RelationOperator, publication: str, number: int) -> np.ndarray:
        return np.array([3, 1] if relation is RelationOperator.CITING else [2], np.int64)

    covers = semantic


def plain(store: Store) -> tuple[PlainDocument, ...]:
    """The documents of a library, read row by row."""
    found = []
    with store.read() as connection:
        run = connection.exec_driver_sql
        for number, published, filed, priority in run(
            "SELECT id, published, filed, priority FROM document ORDER BY id"
        ).all():
            rows = run("SELECT section, text FROM passage WHERE document_id = ? ORDER BY id", (number,)).all()
            names = run("SELECT role, name FROM party WHERE document_id = ?", (number,)).all()
            found.append(
                PlainDocument(
                    number,
                    tuple(PlainText(Section(row[0]), row[1]) for row in rows)
                    + tuple(
                        PlainText(None, row[1], row[0] == "inventor")
                        for row in names
                        if row[0] in ("inventor", "applicant", "assignee")
                    ),
                    {Field.PUBLISHED: published, Field.FILED: filed, Field.PRIORITY: priority},
                )
            )
    return tuple(found)


def bare(node: Any) -> Any:
    """A tree without the places where its parts were written."""
    if isinstance(node, Junction):
        return replace(node, parts=tuple(bare(part) for part in node.parts), column=0)
    if isinstance(node, Proximity):
        return replace(node, left=bare(node.left), right=bare(node.right), column=0)
    if isinstance(node, Complement):
        return replace(node, part=bare(node.part), column=0)
    return replace(node, column=0, text="")
