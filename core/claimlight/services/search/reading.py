"""Passages of descriptions that are not indexed yet, encoded while somebody waits for the evidence.

Of the best documents of a search those passages are read that share most of a feature's words. They are kept:
in the index if nobody else is writing it, else in memory until its description is indexed.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from math import log, sqrt
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from claimlight.encoders import EncoderInput
from claimlight.errors import ResourceError
from claimlight.highlight.matrix import stem_words
from claimlight.index import span_entries
from claimlight.index.builder import SegmentBuilder
from claimlight.index.generation import Generation
from claimlight.index.segments import SegmentArrays, SegmentPart
from claimlight.index.writer import IndexWriter
from claimlight.services.indexing.encoding import Piece, choose_description, in_pieces
from claimlight.services.indexing.indexing import CROWDED, index_folder
from claimlight.services.indexing.rows import make_rows
from claimlight.services.library.library import Library
from claimlight.services.search.search_state import SearchState
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.store.values import StoredDocument, StoredPassage
from claimlight.tasks import TaskContext
from claimlight.types import PassageId, PatentId, Query, plural

if TYPE_CHECKING:
    from claimlight.encoders import Encoded
    from claimlight.index.manifest import IndexRecipe

DOCUMENTS = 20
"""Most documents that are read for one search."""
_TOGETHER = 8
"""Passages encoded between two looks at the clock."""
_LEAST = 12
"""Words below which a passage counts as this long: a heading is no paragraph."""


def describe_reading(passages: int) -> str:
    """Note on passages that were read for a search or a matrix."""
    were = "was" if passages == 1 else "were"
    return f"{plural(passages, 'passage')} of these descriptions {were} read just now."


@dataclass(slots=True)
class ReadPassages:
    """What searches of this process have read and could not write; safe to share between threads."""

    version: int = 0
    """Changes with what is kept."""
    _held: list[SegmentArrays] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, arrays: SegmentArrays) -> None:
        """Keep some passages."""
        with self._lock:
            self._held.append(arrays)
            self.version += 1

    def take(self) -> list[SegmentArrays]:
        """Everything kept, which is then forgotten."""
        with self._lock:
            held, self._held = self._held, []
            self.version += 1
            return held

    def __bool__(self) -> bool:
        return bool(self._held)

    def over(self, generation: Generation) -> Generation:
        """The generation with what is kept of documents whose description it lacks."""
        with self._lock:
            held = tuple(self._held)
        return generation.with_passages(held) if held else generation


def read_descriptions(
    library: Library,
    settings: Settings,
    state: SearchState,
    query: Query,
    patents: Sequence[PatentId],
    *,
    seconds: float,
    context: TaskContext,
    first: Sequence[int] = (),
) -> SegmentArrays | None:
    """Encode passages of the documents whose description is not indexed, the first documents first.

    The passages ``first`` come before all others. Stops after ``seconds``, within one batch of the encoder.
    None if there is nothing to read.
    """
    generation, encoder = state.generation, state.encoder
    if not isinstance(generation, Generation) or encoder is None or seconds <= 0.0:
        return None
    if not len(generation.claims_only):
        return None
    begin = monotonic()
    # Without those whose description could not be encoded when it was tried.
    waiting = set(np.intersect1d(np.array(patents, dtype=np.int64), generation.rest()[0]).tolist())
    chosen = [patent for patent in patents if patent in waiting][:DOCUMENTS]
    if not chosen:
        return None
    asked = [feature.text for feature in query.features] or [query.text]
    pieces: list[Piece] = []
    encoded: list[Encoded] = []
    opened = _open_passages(library, generation, chosen)
    at_once = {passage.id: passage for passages in opened for passage in passages if passage.id in first}
    rest = [[passage for passage in passages if passage.id not in at_once] for passages in opened]
    ordered = (at_once[PassageId(each)] for each in first if each in at_once)
    for some in _cut(chain(ordered, _in_turns(rest, asked))):
        made = [piece for passage in some for piece in in_pieces(passage)]
        inputs = [EncoderInput(piece.text, piece.passage.section) for piece in made]
        # A text that can't be encoded must not end a search; indexing says so when it comes to it.
        with suppress(ResourceError):
            encoded += list(encoder.stack.encoder.encode(inputs, context))
            pieces += made
        if monotonic() - begin >= seconds:
            break
    if not pieces:
        return None
    order = sorted(range(len(pieces)), key=lambda n: (pieces[n].passage.id, pieces[n].start))
    pieces = [pieces[n] for n in order]
    rows, entries = make_rows(
        pieces,
        [encoded[n] for n in order],
        encoder.stack,
        top_k=settings.centers.top_k_document,
    )
    stack = encoder.stack
    builder = SegmentBuilder(len(stack.vocabulary), stack.encoder.dim, sections=False)
    builder.add(rows, span_entries.shift_spans(entries, [piece.start for piece in pieces]))
    return builder.arrays()


def keep(
    library: Library, arrays: Sequence[SegmentArrays], recipe: IndexRecipe, context: TaskContext
) -> bool:
    """Write passages into the index; False if somebody else is writing it, or it can't be written."""
    if library.read_only:
        return False
    try:
        with IndexWriter(index_folder(library.folder)) as writer:
            if not writer.continue_live(recipe):
                return False
            for item in arrays:
                writer.commit_passages(item)
            # Of the others a merge may take long, and somebody waits for this.
            writer.merge(context, unless_below=CROWDED, parts=(SegmentPart.PASSAGES,))
    except ResourceError:
        return False
    return True


def _open_passages(
    library: Library, generation: Generation, patents: Sequence[PatentId]
) -> list[list[StoredPassage]]:
    """For each document, the passages of its description that are not indexed."""
    stored = repository.read_passages_of(library.store, patents)
    summaries = repository.read_summaries(library.store, patents)
    found: list[list[StoredPassage]] = []
    for patent in patents:
        if patent in stored and patent in summaries:
            head = summaries[patent]
            document = StoredDocument(patent, head.publication, head.language, stored[patent])
            passages = list(choose_description(document).passages)
            place, _ = generation.passage_vectors([passage.id for passage in passages])
            known = set(place.tolist())
            found.append([passage for n, passage in enumerate(passages) if n not in known])
    return found


def _in_turns(documents: Sequence[Sequence[StoredPassage]], asked: Sequence[str]) -> Iterator[StoredPassage]:
    """The best passage of every document for each text that is asked for, then the second best, and so on."""
    stems = [[stem_words(passage.text) for passage in passages] for passages in documents]
    counts = Counter(word for each in stems for words in each for word in words)
    total = sum(map(len, stems))
    wanted = [stem_words(text) for text in asked]
    rounds = [
        _rounds(passages, words, wanted, counts, total)
        for passages, words in zip(documents, stems, strict=True)
    ]
    for turn in zip_longest(*rounds, fillvalue=()):
        for passages in turn:
            yield from passages


def _rounds(
    passages: Sequence[StoredPassage],
    stems: Sequence[frozenset[str]],
    wanted: Sequence[frozenset[str]],
    counts: Mapping[str, int],
    total: int,
) -> Iterator[Sequence[StoredPassage]]:
    """Passages of one document, some at a time: the best ones for each of the wanted texts."""
    scores = np.zeros((len(wanted), len(passages)))
    for row, words in enumerate(wanted):
        for place, there in enumerate(stems):
            shared = sum(log((total + 1) / (counts[word] + 0.5)) for word in words & there)
            scores[row, place] = shared / sqrt(max(len(there), _LEAST))
    order = np.argsort(-scores, axis=1, kind="stable")
    done: set[int] = set()
    for column in range(len(passages)):
        fresh = [int(place) for place in dict.fromkeys(order[:, column].tolist()) if place not in done]
        # What shares no word at all is read with the whole description.
        fresh = [place for place in fresh if scores[:, place].any()]
        done.update(fresh)
        yield [passages[place] for place in fresh]


def _cut(passages: Iterator[StoredPassage]) -> Iterator[list[StoredPassage]]:
    while some := list(islice(passages, _TOGETHER)):
        yield some
