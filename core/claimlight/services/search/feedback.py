"""Relevance feedback: the marks of a case that a claim search is ranked with; `marked_query` applies them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from claimlight.errors import InputError
from claimlight.types import (
    Category,
    Confirmation,
    Decision,
    Feedback,
    Mark,
    PublicationNumber,
    effective_mark,
    plural,
)

_RELEVANT = frozenset({Category.X, Category.Y})


def make_feedback(
    marks: Iterable[Mark], confirmations: Iterable[Confirmation] = (), *, claim: int = 0
) -> Feedback:
    """The marks of a case for one claim: X and Y are relevant, 0 is not, A and the others say nothing.

    A mark for the claim counts before one for the whole application. ``claim`` 0 takes those of every claim:
    the strongest of a document. A document with a confirmed passage is relevant unless it is marked
    otherwise. `InputError` if no document is relevant: marks of 0 alone make a ranking worse.
    """
    own: dict[PublicationNumber, list[Mark]] = {}
    for mark in marks:
        own.setdefault(mark.publication, []).append(mark if claim else replace(mark, claim=0, feature=""))
    counting = {name: effective_mark(each, claim) for name, each in own.items()}
    given = {name: mark.category for name, mark in counting.items() if mark is not None}
    confirmed = [
        item
        for item in confirmations
        if item.decision is Decision.CONFIRMED and (not claim or item.claim in {0, claim})
    ]
    for item in confirmed:
        given.setdefault(item.publication, Category.X)
    pull = sorted((name for name, category in given.items() if category in _RELEVANT), key=str)
    push = sorted((name for name, category in given.items() if category is Category.IRRELEVANT), key=str)
    if not pull:
        raise InputError(
            "No document of this case is marked X or Y for this claim, and no passage of one is confirmed. "
            "Mark a relevant document first; documents marked 0 are only used beside relevant ones."
        )
    passages = sorted({item.passage for item in confirmed if item.publication in set(pull)})
    return Feedback(tuple(pull), tuple(push), tuple(passages))


def describe_feedback(feedback: Feedback) -> str:
    """``2 relevant, 5 not relevant, 1 confirmed passage``."""
    parts = [f"{len(feedback.pull):,} relevant"]
    if feedback.push:
        parts.append(f"{len(feedback.push):,} not relevant")
    if feedback.passages:
        parts.append(plural(len(feedback.passages), "confirmed passage"))
    return ", ".join(parts)
