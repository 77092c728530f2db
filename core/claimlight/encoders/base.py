"""The interface of encoders, independent of the model and the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from claimlight.tasks import TaskContext
from claimlight.types import Section


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """One stored text; an abstract passage is its title, a newline and its body."""

    text: str
    section: Section
    is_query: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The vectors of one text."""

    pooled: NDArray[np.float32]
    """[dim], unit norm."""
    tokens: NDArray[np.float32]
    """[n, d], last layer, not normalised, d at most dim; only tokens of the stored text, in its order,
    without those of prompts and templates."""
    offsets: NDArray[np.int32]
    """[n, 2], half-open code points of the stored text."""
    length: int
    """n; if it is 0, the model saw nothing of the text and ``pooled`` is meaningless."""


class Encoder(Protocol):
    """Turns texts into vectors; safe to share between threads."""

    @property
    def dim(self) -> int:
        """Dimensions of a pooled vector; token vectors may have fewer."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes when any vector may change; the same on every device."""
        ...

    @property
    def device(self) -> str:
        """The device in use: ``cpu`` or ``cuda``."""
        ...

    @property
    def note(self) -> str:
        """Why the device is not the requested one; empty if it is."""
        ...

    def encode(self, texts: Sequence[EncoderInput], context: TaskContext) -> Iterator[Encoded]:
        """Encode ``texts``, of any length, in their order.

        Raises `ResourceError`, which quotes the text, if the model returns no usable vector or memory runs
        out.
        """
        ...


@runtime_checkable
class CountingEncoder(Protocol):
    """An encoder that can say how long a text is without encoding it."""

    def count_tokens(self, texts: Sequence[EncoderInput]) -> list[int]:
        """`Encoded.length` of each text."""
        ...


@runtime_checkable
class AdaptableEncoder(Protocol):
    """An encoder that can also read texts with other prompts or truncated, as published protocols do."""

    def otherwise(self, *, prompt: str | None, first_window: bool) -> Encoder:
        """Return the same model with ``prompt`` and a space before every text, or truncated to one window.

        ``prompt`` None keeps the package's prompts; an empty string removes them. The fingerprint differs
        whenever a vector may differ.
        """
        ...
