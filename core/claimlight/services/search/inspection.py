"""Inspecting one center: its radius, how often it is met, and by which words of the library.

All postings of the center are read, so the documents are the nearest of all and counts are exact; words are
counted over a limited number of passages, which the result states.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError, ResourceError
from claimlight.index.base import SearchableIndex
from claimlight.index.ranking import PassageScores, take_best_passages
from claimlight.index.segments import WEIGHT_UNIT
from claimlight.services.library.library import Library
from claimlight.services.search.search import SearchEngine
from claimlight.settings import CenterSettings, Settings
from claimlight.store import repository
from claimlight.store.values import StoredPassage
from claimlight.tasks import TaskContext
from claimlight.types import CenterId, CenterInspection, CenterSpan, PassageId, PatentId, Span, WordCount

READ = 2_000
"""Maximum number of passages whose words are counted."""
SHOWN = 60
"""Maximum number of documents listed."""
WORDS = 24
"""Maximum number of different wordings listed."""
_ANY = 0.5 / WEIGHT_UNIT


def inspect_center(
    engine: SearchEngine,
    library: Library,
    settings: Settings,
    center: CenterId | int,
    context: TaskContext,
    *,
    read: int = READ,
) -> CenterInspection:
    """Inspect a center of the vocabulary that a library is indexed with.

    `ResourceError` without a usable index, `InputError` for a number outside the vocabulary, and for a center
    that too many documents of a shared library have.
    """
    state = engine.state(context)
    generation, encoder = state.generation, state.encoder
    if generation is None or encoder is None:
        why = " ".join(state.notes) or "The library is empty."
        raise ResourceError(f"There are no centers to inspect: {why}")
    vocabulary = encoder.stack.vocabulary
    if not 0 <= center < len(vocabulary):
        raise InputError(f"There is no center {center}; the vocabulary has {len(vocabulary):,}, from 0.")
    met = _find_passages(generation, center, settings.centers)
    context.check()
    said, count = _count_words(
        generation, library, met.passages[_spread_evenly(len(met.passages), read)], center
    )
    context.check()
    return CenterInspection(
        center=CenterId(int(center)),
        anchor=vocabulary.anchors[center],
        radius=float(vocabulary.radii[center]),
        df=int(generation.df[center]),
        documents=len(np.unique(met.documents)),
        passages=generation.passages,
        stop=bool(generation.idf(settings.centers)[center] <= 0),
        read=count,
        spans=_by_document(generation, library, met, center),
        words=said,
    )


def _find_passages(generation: SearchableIndex, center: int, settings: CenterSettings) -> PassageScores:
    """Every passage that meets a center, each once, nearest first (ties: lower passage)."""
    # With weight 1 the score of a passage is its stored weight; stop centers count here too.
    scoring = generation.scoring(replace(settings, stop_share=0.0))
    query = scoring.shares(np.array([center], dtype=np.int32), np.ones(1))
    # The least code is 1: every passage with an entry of the center is above.
    found = take_best_passages(generation.passages_above(query, _ANY), max(1, int(generation.df[center])))
    # np.unique sorts by id; its first places, sorted, give the order by score back.
    first = np.sort(np.unique(found.passages, return_index=True)[1])
    return PassageScores(found.passages[first], found.documents[first], found.scores[first])


def _spread_evenly(count: int, limit: int) -> NDArray[np.int64]:
    """At most ``limit`` of ``count`` positions, evenly from the first to the last."""
    if not count:
        return np.empty(0, dtype=np.int64)
    return np.linspace(0, count - 1, min(count, limit)).round().astype(np.int64)


def _spans(generation: SearchableIndex, passages: NDArray[np.int64], center: int) -> list[Span]:
    """The span of each passage that is nearest to the center."""
    forward = generation.forward(passages, np.array([center], dtype=np.int32))
    entries = np.flatnonzero(forward.centers == center)
    # For a passage in pieces the nearest span counts.
    lists = np.searchsorted(forward.offsets, entries, side="right") - 1
    # Codes are unsigned bytes, which would wrap when negated.
    order = np.lexsort((entries, -forward.codes[entries].astype(np.int64), forward.place[lists]))
    entries = entries[order][np.unique(forward.place[lists][order], return_index=True)[1]]
    return [
        Span(start, end)
        for start, end in zip(forward.start[entries].tolist(), forward.end[entries].tolist(), strict=True)
    ]


def _count_words(
    generation: SearchableIndex, library: Library, passages: NDArray[np.int64], center: int
) -> tuple[tuple[WordCount, ...], int]:
    """The wordings of the spans of some passages, most frequent first, and the number of passages read."""
    stored = _read(library, passages)
    spans = zip(passages.tolist(), _spans(generation, passages, center), strict=True)
    said = [stored[each].text[span.start : span.end] for each, span in spans if each in stored]
    counts = Counter(" ".join(each.casefold().split()) for each in said)
    order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(WordCount(words, count) for words, count in order[:WORDS]), len(said)


def _by_document(
    generation: SearchableIndex, library: Library, met: PassageScores, center: int
) -> tuple[CenterSpan, ...]:
    """The nearest span of each of the nearest documents."""
    documents, first, counts = np.unique(met.documents, return_index=True, return_counts=True)
    nearest = np.argsort(first)[:SHOWN]
    rows = first[nearest]
    stored = _read(library, met.passages[rows])
    summaries = repository.read_summaries(
        library.store, [PatentId(each) for each in documents[nearest].tolist()]
    )
    found: list[CenterSpan] = []
    for place, span, passage, cosine in zip(
        nearest.tolist(),
        _spans(generation, met.passages[rows], center),
        met.passages[rows].tolist(),
        met.scores[rows].tolist(),
        strict=True,
    ):
        summary, text = summaries.get(PatentId(int(documents[place]))), stored.get(passage)
        if summary is not None and text is not None:
            further = int(counts[place]) - 1
            found.append(
                CenterSpan(summary, text.id, text.section, text.label, text.text, span, cosine, further)
            )
    return tuple(found)


def _read(library: Library, passages: NDArray[np.int64]) -> dict[int, StoredPassage]:
    """Passages by id, without those of documents that another program has replaced since."""
    found = repository.read_passages(library.store, [PassageId(each) for each in passages.tolist()])
    return {int(passage): stored for passage, stored in found.items()}
