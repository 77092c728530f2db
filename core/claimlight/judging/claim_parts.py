"""The parts of a document's claims: a judge reads them by themselves, beside the claim as a whole.

A claim lists many features in few words. Judges learn from paragraphs, and in such a list they miss what one
element says (docs/lab/measured/judge-training.md). A part alone lacks what other elements add to it, so the
claim is read as a whole, too, and the best reading counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.text.features import split_parts
from claimlight.types import Section

READ = 2
"""Most parts of a document that a judge reads by themselves for a feature: those of highest contrast."""
MOST = 200
"""Most parts of a document that are compared; those of later claims are read within their claims only."""


@dataclass(frozen=True, slots=True, eq=False)
class ClaimParts:
    """The parts of the claims among some passages."""

    texts: tuple[str, ...]
    place: NDArray[np.intp]
    """[parts] index of the passage, a claim, that each is a part of."""

    @classmethod
    def of(cls, passages: Sequence[tuple[str, Section]]) -> ClaimParts:
        """Those of passages, given by text and section; none of a claim that is one part itself."""
        found = [
            (part, place)
            for place, (text, section) in enumerate(passages)
            if section is Section.CLAIMS
            for part in dict.fromkeys(split_parts(text))
            # Letters and not words: some scripts have no blanks.
            if _count_letters(part) < _count_letters(text)
        ][:MOST]
        return cls(tuple(part for part, _ in found), np.array([place for _, place in found], dtype=np.intp))

    def raise_nearest(
        self, contrasts: NDArray[np.floating[Any]], of_parts: NDArray[np.floating[Any]]
    ) -> NDArray[np.float64]:
        """``contrasts`` [F, P] of passages, with the claim of a feature's nearest part second at least.

        ``of_parts`` [F, parts]: contrasts of the parts. So a judge that reads two passages or more
        reads that claim, and one other passage less at most. Parts at -inf raise nothing.
        """
        raised = np.array(contrasts, dtype=np.float64)
        if len(self.texts):
            for own, parts in zip(raised, of_parts, strict=True):
                best, nearest = int(own.argmax()), int(self.place[parts.argmax()])
                if best != nearest and np.isfinite(parts.max()):
                    # The smallest steps above all others, even where several are equal.
                    own[nearest] = np.nextafter(own[best], np.inf)
                    own[best] = np.nextafter(own[nearest], np.inf)
        return raised

    def nearest(self, contrasts: NDArray[np.floating[Any]], place: int) -> tuple[str, ...]:
        """The parts of the passage at ``place`` that are read by themselves: of the best by contrast [parts].

        Best first; empty for a passage that has none of the `READ` best parts of the document.
        """
        best = np.argsort(-contrasts, kind="stable")[:READ]
        return tuple(self.texts[number] for number in best.tolist() if self.place[number] == place)


def _count_letters(text: str) -> int:
    return sum(map(str.isalnum, text))
