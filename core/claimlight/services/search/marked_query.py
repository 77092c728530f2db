"""A query as the examiner's marks change it.

The vector of the query moves towards the mean of the relevant documents and away from that of those that
are not relevant (Rocchio, 1971), and keywords also search title and abstract of the relevant documents and
the confirmed passages. The evidence stays that of the claim. Weights and what was rejected:
docs/lab/measured/feedback.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from claimlight.index.base import SearchableIndex
from claimlight.retrieval import RetrievalQuery
from claimlight.services.search.feedback import describe_feedback
from claimlight.store import repository
from claimlight.store.store import Store
from claimlight.text.normalise import normalise
from claimlight.types import Feedback, PatentId, PublicationNumber, Section, plural
from claimlight.vectors import unit

PULL = 1.0
"""Weight of the mean of the relevant documents; the query has 1."""
PUSH = 0.25
"""Weight of the mean of those that are not relevant."""


def apply_feedback(
    asked: RetrievalQuery, feedback: Feedback, store: Store, generation: SearchableIndex | None
) -> tuple[RetrievalQuery, tuple[str, ...]]:
    """The query as the marks change it, and notes; documents that are not in this library are left out."""
    pull, gone = _find(store, feedback.pull)
    push, also_gone = _find(store, feedback.push)
    notes = [f"Ranked with your marks: {describe_feedback(feedback)}."]
    if missing := gone + also_gone:
        verb = "is" if missing == 1 else "are"
        notes.append(f"{plural(missing, 'marked document')} {verb} not in this library and left out.")
    text = normalise("\n".join([asked.text, *_front(store, pull), *feedback.passages]))
    vector = asked.vector
    if vector is not None and generation is not None:
        moved = vector.astype(np.float64)
        for weight, patents in ((PULL, pull), (-PUSH, push)):
            nearest = _nearest_sections(generation, patents, vector)
            if len(nearest):
                moved = moved + weight * nearest.mean(axis=0)
        vector = unit(moved.astype(np.float32))
    return replace(asked, text=text, vector=vector), tuple(notes)


def _find(store: Store, names: Sequence[PublicationNumber]) -> tuple[list[PatentId], int]:
    """The documents that are here, and how many are not."""
    found = [repository.find(store, name) for name in names]
    held = [patent for patent in found if patent is not None]
    return held, len(found) - len(held)


def _front(store: Store, patents: Sequence[PatentId]) -> list[str]:
    """Title and abstract of each document; its first claim where it has no abstract."""
    summaries = repository.read_summaries(store, patents)
    texts: list[str] = []
    for patent, passages in repository.read_passages_of(store, patents).items():
        fronts = [each for each in passages if each.section in {Section.ABSTRACT, Section.CLAIMS}]
        # The sort is stable: of each kind the first one stays first.
        fronts.sort(key=lambda each: each.section is not Section.ABSTRACT)
        texts.append("\n".join([summaries[patent].title, *(each.text for each in fronts[:1])]))
    return texts


def _nearest_sections(
    generation: SearchableIndex, patents: Sequence[PatentId], vector: NDArray[np.float32]
) -> NDArray[np.float64]:
    """[n, d]: of each indexed document the section vector that is nearest to the query."""
    found = generation.section_vectors(np.array(sorted(patents), dtype=np.int64))
    vectors = found.vectors.astype(np.float64)
    near = vectors @ vector
    best = [
        vectors[rows[np.argmax(near[rows])]]
        for patent in np.unique(found.documents)
        for rows in (np.flatnonzero(found.documents == patent),)
    ]
    return np.array(best).reshape(len(best), len(vector))
