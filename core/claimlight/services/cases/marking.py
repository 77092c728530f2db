"""What a category is given for: the passages confirmed for the claim, and those that were chosen besides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from claimlight.types import Confirmation, Decision, Mark, MarkedPassage


def passages_of(mark: Mark, confirmations: Iterable[Confirmation]) -> tuple[MarkedPassage, ...]:
    """The passages cited with a mark, the confirmed ones first; ``confirmations`` may be of any document."""
    found = {item.digest: item for item in confirmed_for(mark, confirmations)}
    for digest in mark.left_out:
        found.pop(digest, None)
    found |= {item.digest: item for item in mark.passages if item.digest not in found}
    return tuple(found.values())


def confirmed_for(mark: Mark, confirmations: Iterable[Confirmation]) -> tuple[MarkedPassage, ...]:
    """The passages that support a mark because they are confirmed for its claim.

    A mark for the whole application is supported by those of any claim.
    """
    return tuple(
        MarkedPassage(item.label, item.passage, item.passage_digest)
        for item in confirmations
        if item.decision is Decision.CONFIRMED
        and item.publication == mark.publication
        and mark.claim in (0, item.claim)
    )


def toggle_passage(
    mark: Mark, passage: MarkedPassage, confirmations: Iterable[Confirmation]
) -> tuple[Mark, bool]:
    """The mark with a passage added, or removed if it was cited with it; and whether it is cited now."""
    known = list(confirmations)
    confirmed = any(item.digest == passage.digest for item in confirmed_for(mark, known))
    cited = any(item.digest == passage.digest for item in passages_of(mark, known))
    passages = tuple(item for item in mark.passages if item.digest != passage.digest)
    left_out = tuple(digest for digest in mark.left_out if digest != passage.digest)
    if cited:
        out = (*left_out, passage.digest) if confirmed else left_out
        return replace(mark, passages=passages, left_out=out), False
    added = passages if confirmed else (*passages, passage)
    return replace(mark, passages=added, left_out=left_out), True
