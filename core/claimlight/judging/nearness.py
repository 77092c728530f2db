"""How near a passage is to a feature: a product of their vectors, fitted to claim charts.

    near(f, p) = f · p + (f L) · (p R)

Encoders are trained to place texts on the same subject side by side, and all passages of a document have one
subject. ``L`` and ``R`` [d, r] turn what their vectors hold towards the question whether a passage discloses
the feature. They belong to the vectors of one encoder and are a file of its package; without one, the cosine
``f · p`` is used alone. Nothing is encoded for it: the index has the vectors of passages.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight import tensors
from claimlight.errors import ResourceError
from claimlight.files import Access, write_atomically

NEARNESS_FILE = "nearness.safetensors"
_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Nearness:
    """The fitted part of the product, for the vectors of one encoder."""

    encoder: str
    """Fingerprint of the encoder."""
    left: _Floats
    """[d, r], of features."""
    right: _Floats
    """[d, r], of passages."""

    def score(self, features: NDArray[Any], passages: NDArray[Any]) -> _Floats:
        """[F, N] of the unit vectors of features [F, d] and of passages, or their pieces, [N, d]."""
        return np.asarray(
            features @ passages.T + (features @ self.left) @ (passages @ self.right).T, dtype=np.float32
        )

    def write(self, path: Path) -> None:
        """Write the file, with numbers of 16 bits."""
        body = tensors.pack(
            {
                "encoder": np.frombuffer(self.encoder.encode(), dtype=np.uint8),
                "left": self.left.astype(np.float16),
                "right": self.right.astype(np.float16),
            }
        )
        write_atomically(path, body, Access.USUAL)


def read_nearness(data: bytes, path: Path, *, encoder: str, dim: int) -> Nearness:
    """The content of a file; ``path`` is only named in errors.

    Raises `ResourceError` if it is damaged, or was fitted for another encoder than this one.
    """
    found = tensors.unpack(data, path)
    try:
        left, right = (found[name].astype(np.float32) for name in ("left", "right"))
        made_for = found["encoder"].tobytes().decode()
    except (KeyError, UnicodeDecodeError) as error:
        raise ResourceError(f"{path} is no file of nearness: {error!r}") from error
    if made_for != encoder:
        raise ResourceError(f"{path} was fitted for the encoder {made_for}, but this one is {encoder}")
    if left.shape != right.shape or left.ndim != 2 or len(left) != dim:
        raise ResourceError(f"{path} holds matrices {left.shape} and {right.shape} for {dim} dimensions")
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise ResourceError(f"{path} holds numbers that are not finite")
    return Nearness(made_for, left, right)
