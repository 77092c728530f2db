"""What an encoder takes and gives, whatever model or device is behind it."""

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
    """[n, d], last layer, not normalised, d at most dim; only tokens that stand in the stored text, in its
    order."""
    offsets: NDArray[np.int32]
    """[n, 2], half-open code points of the stored text."""
    length: int
    """n; 0 where nothing of the text reached the model, whose pooled vector then means nothing."""


class Encoder(Protocol):
    """Turns texts into vectors; safe to share between threads."""

    @property
    def dim(self) -> int:
        """Length of the vector of a text; that of a token may be shorter."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes when any vector may change; the same on every device."""
        ...

    @property
    def device(self) -> str:
        """Where it runs now: ``cpu`` or ``cuda``."""
        ...

    @property
    def note(self) -> str:
        """What the user must be told of the device; empty when all is as asked."""
        ...

    def encode(self, texts: Sequence[EncoderInput], context: TaskContext) -> Iterator[Encoded]:
        """The vectors of ``texts`` in their order, whatever the length of each.

        Raises `ResourceError` naming the text when the model gives no usable vector or memory runs out.
        """
        ...


@runtime_checkable
class AdaptableEncoder(Protocol):
    """An encoder that can read its texts in another way, as protocols of papers ask for."""

    def otherwise(self, *, prompt: str | None, first_window: bool) -> Encoder:
        """The same model with ``prompt`` and a space before every text, or only the first window of each.

        None keeps the prompts of the package, an empty one takes them away. The fingerprint is another
        wherever a vector may be.
        """
        ...
