"""Looking at one center: how wide it is, how often it is met, and by which words of the library.

The postings of the center are looked at in full, so the passages named are the nearest of all; texts
are read of the nearest few only, and the answer says of how many.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError, ResourceError
from core.index.generation import Generation
from core.index.scoring import NO_NORM
from core.services.library import Library
from core.services.search import SearchEngine
from core.settings import CenterSettings, Settings
from core.store import repository
from core.store.values import StoredPassage
from core.tasks import TaskContext
from core.types import CenterId, CenterInspection, CenterSpan, PassageId, PatentId, Span, WordCount

READ = 500
"""Passages whose texts are read."""
SHOWN = 60
"""Documents that are named."""
WORDS = 24
"""Different wordings that are counted out."""


def inspect_center(
    engine: SearchEngine,
    library: Library,
    settings: Settings,
    center: CenterId | int,
    context: TaskContext,
    *,
    read: int = READ,
) -> CenterInspection:
    """One center of the vocabulary that the index of a library was made with.

    A library without a fitting index is a `ResourceError`; a number outside the vocabulary an
    `InputError`.
    """
    state = engine.state(context)
    generation, encoder = state.generation, state.encoder
    if generation is None or encoder is None:
        why = " ".join(state.notes) or "The library is empty."
        raise ResourceError(f"There are no centers to look at: {why}")
    vocabulary = encoder.machinery.vocabulary
    if not 0 <= center < len(vocabulary):
        raise InputError(f"There is no center {center}; the vocabulary has {len(vocabulary):,}, from 0.")
    passages, cosines = _nearest(generation, center, settings.centers, read)
    context.check()
    read_passages = repository.passages(library.store, [PassageId(item) for item in passages.tolist()])
    context.check()
    met = [
        (stored, span, cosine)
        for passage, span, cosine in zip(
            passages.tolist(), _spans(generation, passages, center), cosines.tolist(), strict=True
        )
        # A document replaced by another program since has new passages.
        if (stored := read_passages.get(PassageId(passage))) is not None
    ]
    return CenterInspection(
        center=CenterId(int(center)),
        anchor=vocabulary.anchors[center],
        radius=float(vocabulary.radii[center]),
        df=int(generation.df[center]),
        passages=generation.passages,
        stop=bool(generation.idf(settings.centers)[center] <= 0),
        read=len(met),
        spans=_by_document(library, met),
        words=_words([stored.text[span.start : span.end] for stored, span, _ in met]),
    )


def _nearest(
    generation: Generation, center: int, settings: CenterSettings, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The passages that say a center most plainly, and how plainly (ties: lower passage)."""
    # What a passage carries of one term of weight 1 is its stored weight; here a stop center counts too.
    scoring = generation.scoring(replace(settings, stop_share=0.0))
    query = scoring.shares(np.array([center], dtype=np.int32), np.ones(1))
    met = generation.best_passages(query, NO_NORM, k=limit)
    return met.passages, met.scores


def _spans(generation: Generation, passages: NDArray[np.int64], center: int) -> list[Span]:
    """The span of each passage that won the center."""
    forward = generation.forward(passages, np.array([center], dtype=np.int32))
    entries = np.flatnonzero(forward.centers == center)
    return [
        Span(start, end)
        for start, end in zip(forward.start[entries].tolist(), forward.end[entries].tolist(), strict=True)
    ]


def _by_document(library: Library, met: list[tuple[StoredPassage, Span, float]]) -> tuple[CenterSpan, ...]:
    counts = Counter(stored.patent for stored, _, _ in met)
    firsts: dict[PatentId, tuple[StoredPassage, Span, float]] = {}
    for item in met:
        firsts.setdefault(item[0].patent, item)
    chosen = dict(list(firsts.items())[:SHOWN])
    summaries = repository.summaries(library.store, chosen)
    return tuple(
        CenterSpan(
            patent=summaries[patent],
            passage=stored.id,
            section=stored.section,
            label=stored.label,
            text=stored.text,
            span=span,
            cosine=cosine,
            further=counts[patent] - 1,
        )
        for patent, (stored, span, cosine) in chosen.items()
        if patent in summaries
    )


def _words(said: list[str]) -> tuple[WordCount, ...]:
    counts = Counter(" ".join(each.casefold().split()) for each in said)
    order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(WordCount(words, count) for words, count in order[:WORDS])
