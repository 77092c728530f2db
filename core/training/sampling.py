"""Choosing the spans a center vocabulary is made from: which passages, and which of their spans.

Passages are drawn by a hash of seed, document and place, so neither the order of the files nor of their
documents matters. Farthest-first traversal loves whatever is unlike everything else: misspellings, debris of
formulas, part numbers. A span therefore takes part only if it is made of words that several of the sampled
documents use (docs/adr/0003).
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.formats import read_source
from core.index.assign import Unit, span_vectors
from core.index.centers import quantise
from core.tasks import TaskContext
from core.text.words import CLAIM_WORDS, FUNCTION_WORDS
from core.types import Patent, Progress, Section

if TYPE_CHECKING:
    from core.encoders import Encoder

MIN_DOCUMENTS = 5
"""Sampled documents that must use every word of a span."""
ANCHOR_LENGTH = 60
OFFERED = {Section.ABSTRACT: 1, Section.CLAIMS: 4, Section.DESCRIPTION: 6}
"""Passages of each part that a document offers to the draw."""
_MIN_PASSAGE = 40
_MAX_PASSAGE = 2000
_BATCH = 256
_WORD = re.compile(r"[^\W_]+")
_SHAPE = re.compile(r"[^\W_]+(?:[-'’/ ]{1,2}[^\W_]+)*")


@dataclass(frozen=True, slots=True, order=True)
class SampledPassage:
    """One drawn passage; ordered by the draw."""

    draw: bytes
    document: str
    section: Section
    text: str


@dataclass(frozen=True, slots=True)
class SpanPool:
    """Spans to take centers from: 8-bit vectors and the words they stand for."""

    vectors: NDArray[np.int8]
    surfaces: tuple[str, ...]
    documents: int
    passages: int


def draw_passages(
    files: Sequence[Path],
    count: int,
    *,
    exclude: frozenset[str],
    seed: int,
    context: TaskContext,
) -> list[SampledPassage]:
    """``count`` English passages, an equal share from each file, in draw order.

    ``exclude`` are publication numbers without kind codes (``US7788160``).
    """
    drawn: list[SampledPassage] = []
    for path in files:
        share = -(-count // len(files))
        offered = _offers(path, exclude, seed, context)
        drawn += heapq.nsmallest(share, offered)
    return sorted(drawn)[:count]


def _offers(path: Path, exclude: frozenset[str], seed: int, context: TaskContext) -> Iterator[SampledPassage]:
    for number, record in enumerate(read_source(path, context)):
        if not isinstance(record, Patent):
            continue
        name = f"{record.publication.country}{record.publication.number}"
        if name in exclude:
            continue
        if number % 100 == 0:
            context.report(Progress("read", number, 0, "documents", 0.0, None))
        for section, texts in _english(record):
            usable = [text[:_MAX_PASSAGE] for text in texts if len(text) >= _MIN_PASSAGE]
            offers = (
                SampledPassage(_draw(seed, name, section, place), name, section, text)
                for place, text in enumerate(usable)
            )
            yield from heapq.nsmallest(OFFERED[section], offers)


def _english(patent: Patent) -> Iterator[tuple[Section, list[str]]]:
    def mine(language: str) -> bool:
        return (language or patent.language or "en") == "en"

    titles = [item.text for item in patent.titles if mine(item.language)]
    abstracts = [item.text for item in patent.abstracts if mine(item.language)]
    if abstracts:
        yield Section.ABSTRACT, ["\n".join([*titles[:1], abstracts[0]])]
    yield Section.CLAIMS, [item.text for item in patent.claims if mine(item.language)]
    yield Section.DESCRIPTION, [item.text for item in patent.description if mine(item.language)]


def _draw(seed: int, document: str, section: Section, place: int) -> bytes:
    return hashlib.blake2b(f"{seed} {document} {section} {place}".encode(), digest_size=8).digest()


class SpanFilter:
    """Which spans may become centers: words in common use, no numbers, no furniture of claims."""

    def __init__(self, passages: Iterable[SampledPassage], *, min_documents: int = MIN_DOCUMENTS) -> None:
        by_document: dict[str, set[str]] = {}
        for passage in passages:
            words = by_document.setdefault(passage.document, set())
            words.update(word.casefold() for word in _WORD.findall(passage.text))
        df = Counter(word for words in by_document.values() for word in words)
        self._common = {word for word, count in df.items() if count >= min_documents}

    def takes(self, surface: str) -> bool:
        """Whether a span with these words may take part in the traversal."""
        if not 2 <= len(surface) <= ANCHOR_LENGTH or not _SHAPE.fullmatch(surface):
            return False
        letters = sum(char.isalpha() for char in surface)
        digits = sum(char.isdigit() for char in surface)
        if digits >= letters or not (letters >= 3 or (surface.isupper() and letters == 2)):
            return False
        words = [word.casefold() for word in _WORD.findall(surface)]
        if all(word in FUNCTION_WORDS or word in CLAIM_WORDS for word in words):
            return False
        return all(word in self._common for word in words)


def anchor(surface: str) -> str:
    """The words of a span as a dictionary entry: no capital that only the start of a sentence gave."""
    words = [word.lower() if word[1:].islower() else word for word in surface.split()]
    return " ".join(words)[:ANCHOR_LENGTH]


def encode_spans(
    passages: Sequence[SampledPassage],
    *,
    encoder: Encoder,
    unit: Unit,
    per_passage: int,
    seed: int,
    context: TaskContext,
) -> SpanPool:
    """Encode passages and keep at most ``per_passage`` of the usable spans of each, drawn by seed."""
    from core.encoders import EncoderInput

    usable = SpanFilter(passages)
    vectors: list[NDArray[np.int8]] = []
    surfaces: list[str] = []
    for begin in range(0, len(passages), _BATCH):
        some = passages[begin : begin + _BATCH]
        context.report(Progress("encode", begin, len(passages), "passages", 0.0, None))
        encoded = list(encoder.encode([EncoderInput(item.text, item.section) for item in some], context))
        spans = span_vectors([item.text for item in some], encoded, unit)
        texts = [
            some[text].text[start:end]
            for text, start, end in zip(spans.text, spans.start, spans.end, strict=True)
        ]
        good = np.array([usable.takes(text) for text in texts], dtype=bool)
        kept = _capped(spans.text, good, per_passage, np.random.default_rng((seed, begin)))
        if len(kept):
            vectors.append(quantise(spans.vectors[kept]))
            surfaces.extend(texts[place] for place in kept)
    return SpanPool(
        vectors=np.concatenate(vectors) if vectors else np.empty((0, encoder.dim), dtype=np.int8),
        surfaces=tuple(surfaces),
        documents=len({item.document for item in passages}),
        passages=len(passages),
    )


def _capped(
    text: NDArray[np.int32], good: NDArray[np.bool_], cap: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Places of at most ``cap`` good spans of each text, drawn evenly, ascending."""
    order = np.lexsort((rng.random(len(text)), text))
    order = order[good[order]]
    ordered = text[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    starts = np.repeat(first, np.diff(first, append=len(order)))
    return np.sort(order[np.arange(len(order)) - starts < cap])
