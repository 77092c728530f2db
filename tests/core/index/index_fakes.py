"""Vocabularies, segments and scores small enough to check by brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from claimlight.index.builder import PassageRow, SegmentBuilder
from claimlight.index.center_vocabulary import CenterVocabulary, quantise
from claimlight.index.entries import PlainEntries, pack
from claimlight.index.forward import select_entries
from claimlight.index.live import LiveSegment
from claimlight.index.manifest import IndexRecipe
from claimlight.index.postings import invert
from claimlight.index.sections import SectionKind
from claimlight.index.segments import WEIGHT_UNIT, narrow
from claimlight.index.span_entries import PassageEntries
from claimlight.settings import CenterSettings

DIM = 16
RECIPE = IndexRecipe(encoder="enc", normaliser="norm", centers="cen", unit="word", top_k=3)


def vectors(count, dim=DIM, seed=0):
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


def vocabulary(count=40, dim=DIM, seed=1, radius=0.6, encoder="enc"):
    return CenterVocabulary(
        quantised=quantise(vectors(count, dim, seed)),
        radii=np.full(count, radius, dtype=np.float32),
        anchors=tuple(f"anchor {number}" for number in range(count)),
        unit="word",
        encoder=encoder,
    )


class Passage:
    """A passage of a random corpus: what it should put into the index."""

    def __init__(self, document, number, centers, rng):
        self.document, self.id = document, number
        self.kind = SectionKind(int(rng.integers(3)))
        size = int(rng.integers(0, min(centers, 9) + 1))
        self.centers = np.sort(rng.choice(centers, size=size, replace=False)).astype(np.int32)
        self.codes = rng.integers(1, WEIGHT_UNIT + 1, size=size).astype(np.uint8)
        self.start = rng.integers(0, 70_000, size=size).astype(np.int32)
        self.end = self.start + rng.integers(1, 40, size=size).astype(np.int32)
        self.spans = int(rng.integers(size, size + 5))
        self.length = int(rng.integers(1, 50))
        pooled = rng.standard_normal(DIM)
        self.pooled = (pooled / np.linalg.norm(pooled)).astype(np.float32)

    def row(self):
        return PassageRow(self.document, self.id, self.kind, self.pooled, self.length)


def corpus(documents, centers=12, seed=0, first=1):
    """Passages of documents ``first``, ``first + 1``...; some documents have none."""
    rng = np.random.default_rng(seed)
    return [
        [Passage(document, document * 100 + n, centers, rng) for n in range(int(rng.integers(0, 5)))]
        for document in range(first, first + documents)
    ]


def entries(passages):
    sizes = [len(item.centers) for item in passages]

    def joined(name, dtype):
        return np.concatenate([np.empty(0, dtype), *(getattr(item, name) for item in passages)]).astype(dtype)

    return PassageEntries(
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        centers=joined("centers", np.int32),
        codes=joined("codes", np.uint8),
        start=joined("start", np.int32),
        end=joined("end", np.int32),
        spans=np.array([item.spans for item in passages], dtype=np.int32),
    )


def segment(documents, centers=12, first=1):
    builder = SegmentBuilder(centers, DIM)
    for number, passages in enumerate(documents, start=first):
        if passages:
            builder.add([item.row() for item in passages], entries(passages))
        else:
            builder.add_document(number)
    return builder.arrays()


def brute_scores(documents, query, settings=None, centers=12, dead=()):
    """passage -> score, straight from the formula."""
    settings = settings or CenterSettings()
    live = [item for passages in documents for item in passages if item.document not in dead]
    df = np.zeros(centers, dtype=int)
    for item in live:
        df[item.centers] += 1
    stops = max(1, round(centers * settings.stop_share)) if settings.stop_share else 0
    stopped = set(sorted(range(centers), key=lambda c: (-df[c], c))[:stops])
    scores = {}
    for item in live:
        total = 0.0
        for center, weight in query.items():
            for mine, stored in zip(item.centers, item.codes, strict=True):
                if mine == center and center not in stopped:
                    idf = float(np.float32(math.log((len(live) + 1) / (df[center] + 1)) + 1))
                    total += weight * int(stored) / WEIGHT_UNIT * idf**settings.idf_exponent
        if total:
            scores[item.id] = total / max(item.spans, settings.length_floor) ** settings.length_exponent
    return scores


def as_plain(made):
    """A segment as programs up to format 4 laid it out."""
    live = LiveSegment(made, np.empty(0, dtype=np.int64))
    positions = np.arange(len(made.passage_ids))
    sizes, (center, code, start, end) = select_entries(live, positions, None)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    plain = PlainEntries(offsets, narrow(center.astype(np.uint32)), code, narrow(start), narrow(end - start))
    none = np.empty(0, dtype=np.uint8)
    packed = ("entry_offsets", "entry_gap", "entry_word", "span_offsets", "span_bytes")
    return replace(made, **dict.fromkeys(packed, none), plain=plain)


def inverted(offsets, center, code, *, centers):
    """The postings of plain forward lists."""
    places = np.zeros(len(center), dtype=np.int64)
    packed = pack(PlainEntries(offsets, center, code, places, places + 1))
    return invert(packed.offsets, packed.gap, packed.word, centers=centers)
