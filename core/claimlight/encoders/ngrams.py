"""N-gram table of a model package: adds the exact words of a text to its pooled vector.

A mean over contextual token vectors represents the topic of a text but loses much of its wording. The table
keeps the wording: it has a learned row for each vocabulary entry and for each pair of adjacent entries
(hashed). The rows of a text are summed and normalised to unit length (the bag). A linear projection maps
pooled vector and bag together to the vector of the text, with as many dimensions as the pooled vector alone,
so indexes neither grow nor slow down. Token vectors, and so spans and centers, are unchanged. Rationale:
docs/adr/0018-ngram-table.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from claimlight import tensors
from claimlight.errors import ResourceError
from claimlight.vectors import unit

_FIRST, _SECOND, _PRIME = 1_000_003, 7_919, 2_147_483_647
"""The pair (a, b) is hashed to bucket ((a · 1,000,003 + b · 7,919) mod (2³¹ − 1)) mod buckets."""
_LEVELS = 7
"""Codes range from −7 to 7; on disk they are 1 to 15, two per byte."""
_CLIPS = np.linspace(0.5, 1.0, 11)
"""Clipping thresholds to try, as shares of the largest absolute value of a row."""


@dataclass(frozen=True, slots=True)
class Grams:
    """The rows of the table that a text uses, and their weights."""

    vocabulary: int
    """Vocabulary entries; their rows come first."""
    buckets: int
    """Hash buckets for pairs; 0 means no pairs."""
    saturation: float
    """A gram with n occurrences has weight n^(1 − saturation): with 0 it is n, with 1 it is 1."""

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.vocabulary + self.buckets

    def of(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Distinct rows and their weights for token ids without special tokens.

        Ids beyond the vocabulary (tokens added to the tokenizer later) are ignored.
        """
        found = ids = ids[ids < self.vocabulary]
        if self.buckets:
            mixed = (ids[:-1] * _FIRST + ids[1:] * _SECOND) % _PRIME
            found = np.concatenate((ids, self.vocabulary + mixed % self.buckets))
        rows, counts = np.unique(found, return_counts=True)
        return rows, (counts ** (1.0 - self.saturation)).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class NgramTable:
    """A learned table with rows quantised to 4 bits."""

    grams: Grams
    codes: NDArray[np.uint8]
    """[rows, w / 2]: the first half of a row in the low four bits, the second half in the high four."""
    scales: NDArray[np.float32]
    """[rows]; 0 for grams not seen in training."""
    projection: NDArray[np.float32]
    """[dim, pooled + w]: maps the concatenation of pooled vector and bag to the vector of the text,
    directions of largest variance first; includes the weight of the bag."""

    @classmethod
    def of(cls, grams: Grams, rows: NDArray[np.floating], projection: NDArray[np.floating]) -> Self:
        """Quantise ``rows`` [grams.rows, w], w even, to 4 bits with the best scale for each."""
        codes, scales = quantise_rows(rows)
        packed = (codes + 8).astype(np.uint8)
        half = packed.shape[1] // 2
        pairs = np.bitwise_or(packed[:, :half], np.left_shift(packed[:, half:], np.uint8(4)), dtype=np.uint8)
        return cls(grams, pairs, scales, projection.astype(np.float32))

    @classmethod
    def read(cls, data: bytes, path: Path) -> Self:
        """Parse a file that `write` wrote; raises `ResourceError` naming ``path`` if it is damaged."""
        found = tensors.unpack(data, path)
        try:
            codes, scales, projection = found["codes"], found["scales"], found["projection"]
            vocabulary, buckets = (int(value) for value in found["grams"])
            grams = Grams(vocabulary, buckets, float(found["saturation"][0]))
        except (KeyError, ValueError, IndexError, TypeError, OverflowError) as error:
            raise ResourceError(f"{path} does not contain an n-gram table: {error!r}") from error
        fits = codes.ndim == projection.ndim == 2 and scales.shape == (grams.rows,) == codes.shape[:1]
        if not fits or codes.dtype != np.uint8 or projection.shape[1] <= 2 * codes.shape[1]:
            raise ResourceError(f"{path} does not contain an n-gram table: its arrays do not fit together")
        return cls(grams, codes, scales.astype(np.float32), projection.astype(np.float32))

    def write(self, path: Path) -> None:
        """Write the table to ``path``; equal tables give equal bytes."""
        arrays: dict[str, NDArray[Any]] = {
            "codes": self.codes,
            "grams": np.array([self.grams.vocabulary, self.grams.buckets], dtype=np.int64),
            "projection": self.projection.astype(np.float16),
            "saturation": np.array([self.grams.saturation], dtype=np.float32),
            "scales": self.scales.astype(np.float16),
        }
        path.write_bytes(tensors.pack(arrays))

    @property
    def dim(self) -> int:
        """Dimensions of the resulting vectors."""
        return len(self.projection)

    @property
    def pooled(self) -> int:
        """Dimensions of the pooled vectors it expects."""
        return int(self.projection.shape[1]) - self.width

    @property
    def width(self) -> int:
        """Dimensions of a row, w."""
        return 2 * int(self.codes.shape[1])

    def first(self, dim: int) -> NgramTable:
        """The table for vectors truncated to their first ``dim`` dimensions and renormalised."""
        return replace(self, projection=self.projection[:dim])

    def bag(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """[w], unit norm; zeros for a text without any learned gram."""
        rows, counts = self.grams.of(ids)
        weights = counts * self.scales[rows]
        packed = self.codes[rows]
        total = np.concatenate((weights @ (packed & 15), weights @ (packed >> 4))).astype(np.float64)
        # Codes are stored with 8 added: taken off the sum once, not off every row.
        total -= 8.0 * float(weights.sum(dtype=np.float64))
        return unit(total)

    def joined(self, pooled: NDArray[np.float64], ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The vector [dim] of a text, unit norm, from its pooled vector (unit norm) and its token ids."""
        both = np.concatenate((pooled, self.bag(ids))).astype(np.float32)
        vector = (self.projection @ both).astype(np.float64)
        return unit(vector)


def quantise_rows(rows: NDArray[np.floating]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Codes [n, w] from −7 to 7 and scales [n] that reconstruct ``rows`` [n, w] with least squared error."""
    peaks = np.abs(rows).max(axis=1)
    best = np.full(len(rows), np.inf)
    codes = np.zeros(rows.shape, dtype=np.int8)
    scales = np.zeros(len(rows), dtype=np.float32)
    for clip in _CLIPS:
        # Scales are stored in fp16, so the codes are chosen for the rounded scale.
        scale = (peaks * clip / _LEVELS).astype(np.float16).astype(np.float32)
        safe = np.where(scale > 0, scale, 1.0)[:, None]
        tried = np.clip(np.rint(rows / safe), -_LEVELS, _LEVELS)
        error = ((tried * scale[:, None] - rows) ** 2).sum(axis=1)
        better = error < best
        best[better] = error[better]
        codes[better] = tried[better].astype(np.int8)
        scales[better] = scale[better]
    return codes, scales
