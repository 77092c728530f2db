"""The center vocabulary: which points of the embedding space a span can activate.

It is built once from real spans (`claimlight.training.centers.building`) and never changes afterwards. On
disk it is three files of a model package: ``centers.safetensors`` (8-bit vectors and radii),
``anchors.jsonl`` (the words each center was taken from) and ``centers.json`` (encoder and parameters,
with the checksums of the other two). The vector of a center is the 8-bit one renormalised to unit length;
radii were measured against it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight import tensors
from claimlight.digests import sha256
from claimlight.errors import BugError, ResourceError
from claimlight.files import Access, parse_json, write_atomically
from claimlight.index.nearest import Sieve, flatten_rows
from claimlight.index.nearest_gpu import GpuSieve

VECTORS = "centers.safetensors"
ANCHORS = "anchors.jsonl"
MANIFEST = "centers.json"
FORMAT = 1

_ANSWERS = 1 << 22
"""Activations computed at a time: at most 48 MB, even if all centers are requested."""


@dataclass(frozen=True, slots=True)
class Activations:
    """Pairs of span (row) and activated center: by row, then best first (ties: lower center)."""

    row: NDArray[np.int32]
    center: NDArray[np.int32]
    cosine: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class CenterVocabulary:
    """Centers, their radii (cosine distance) and their anchors; immutable."""

    quantised: NDArray[np.int8]
    """[V, d]; only the direction matters."""
    radii: NDArray[np.float32]
    anchors: tuple[str, ...]
    unit: str
    """Name of the span unit (`claimlight.text.spans.SPAN_UNITS`) that the centers were taken from."""
    encoder: str
    """Fingerprint of the encoder whose space this is."""
    parameters: tuple[tuple[str, str], ...] = ()
    """How it was built, for display."""
    device: str = "cpu"
    """Where spans are compared with the centers, ``cpu`` or ``cuda``; the results are identical."""

    def __post_init__(self) -> None:
        count = len(self.quantised)
        if self.quantised.ndim != 2 or self.radii.shape != (count,) or len(self.anchors) != count:
            raise BugError("vectors, radii and anchors of a vocabulary differ in number")

    def __len__(self) -> int:
        return len(self.radii)

    @property
    def dim(self) -> int:
        return int(self.quantised.shape[1])

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """[V, d] unit vectors."""
        return to_unit_rows(self.quantised)

    @cached_property
    def fingerprint(self) -> str:
        """Changes with any center, radius, span unit or encoder, but not with the anchors' words."""
        digest = hashlib.sha256()
        for part in (self.quantised.tobytes(), self.radii.astype("<f4").tobytes()):
            digest.update(part)
        # The shape too: the same bytes could be other vectors of another length.
        digest.update(f"{FORMAT} {self.quantised.shape} {self.unit} {self.encoder}".encode())
        return digest.hexdigest()[:32]

    @cached_property
    def _limits(self) -> NDArray[np.float64]:
        """[V] least cosine within the radius of each center; above zero."""
        # A radius above 1 would admit negative cosines, which have no code (`encode_cosines`).
        return np.maximum(1.0 - self.radii.astype(np.float64), 1e-9)

    @cached_property
    def _sieve(self) -> Sieve | GpuSieve:
        if self.device == "cuda":
            try:
                return GpuSieve(self.quantised, self.vectors)
            except ResourceError:
                pass  # the CPU gives the same result, more slowly
        return Sieve(self.quantised, self.vectors)

    def check_encoder(self, fingerprint: str) -> None:
        """Raise `ResourceError` unless the centers were built for this encoder."""
        if fingerprint != self.encoder:
            raise ResourceError(
                f"The centers were built for the encoder {self.encoder}, but the encoder in use is "
                f"{fingerprint}. Install a model package whose centers match its encoder, or build new "
                "ones with `claimlight models centers build`."
            )

    def activate(
        self, vectors: NDArray[np.float32], top_k: int, *, within_radius: bool = True, threads: int = 0
    ) -> Activations:
        """Activate the ``top_k`` nearest centers whose radius contains the span (Sparse Coverage, Eq. 4).

        ``vectors`` [m, d] need not have unit length. Raises `ResourceError` for a zero or non-finite vector.
        ``within_radius=False`` ignores the radii. The result is exact: cosines are compared in fp64
        (`claimlight.index.nearest`). ``threads`` 0 means all cores.
        """
        # The least number above 0: without radii, too, a cosine must be positive.
        limits = self._limits if within_radius else np.full(len(self), np.finfo(np.float64).tiny)
        top = min(top_k, len(self))
        size = max(_ANSWERS // max(top, 1), 1)
        parts = [
            self._activate(vectors[begin : begin + size], begin, limits, top, threads)
            for begin in range(0, len(vectors), size)
        ]
        if len(parts) == 1:
            return parts[0]
        return Activations(
            np.concatenate([np.empty(0, dtype=np.int32), *(part.row for part in parts)]),
            np.concatenate([np.empty(0, dtype=np.int32), *(part.center for part in parts)]),
            np.concatenate([np.empty(0, dtype=np.float32), *(part.cosine for part in parts)]),
        )

    def _activate(
        self, vectors: NDArray[np.float32], begin: int, limits: NDArray[np.float64], top: int, threads: int
    ) -> Activations:
        try:
            found = self._sieve.best(vectors, limits, top, threads=threads)
        except ValueError as error:
            raise ResourceError("The encoder returned a vector that is zero or not finite.") from error
        row = np.repeat(np.arange(begin, begin + len(vectors), dtype=np.int32), found.counts)
        # Rounding can leave a cosine slightly above 1.
        cosine = np.minimum(flatten_rows(found.counts, found.cosines), 1.0).astype(np.float32)
        return Activations(row, flatten_rows(found.counts, found.columns), cosine)


def to_unit_rows(quantised: NDArray[np.int8]) -> NDArray[np.float32]:
    """8-bit vectors as fp32 vectors of unit length."""
    vectors = quantised.astype(np.float32)
    # Exact in fp32 up to 1,040 dimensions: whole numbers below 2**24.
    squares = np.einsum("ij,ij->i", vectors, vectors).astype(np.float64)
    result: NDArray[np.float32] = (vectors * (1.0 / np.sqrt(squares))[:, None]).astype(np.float32)
    return result


def quantise(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Quantise vectors [n, d] to 8-bit integers, each scaled by its largest absolute component."""
    peak = np.abs(vectors).max(axis=1, initial=0.0)
    if not np.isfinite(peak).all() or (peak <= 0).any():
        raise ResourceError(
            "The encoder returned a vector that is zero or not finite; it can't be quantised."
        )
    scaled = vectors * (np.float32(127.0) / peak)[:, None]
    quantised: NDArray[np.int8] = np.rint(scaled).astype(np.int8)
    return quantised


def save(vocabulary: CenterVocabulary, folder: Path) -> None:
    """Write the three files into a model package, the manifest last."""
    bodies = {
        VECTORS: tensors.pack({"vectors": vocabulary.quantised, "radii": vocabulary.radii}),
        ANCHORS: "".join(json.dumps(text, ensure_ascii=False) + "\n" for text in vocabulary.anchors).encode(),
    }
    manifest = {
        "format": FORMAT,
        "unit": vocabulary.unit,
        "count": len(vocabulary),
        "dim": vocabulary.dim,
        "encoder": vocabulary.encoder,
        "fingerprint": vocabulary.fingerprint,
        "parameters": dict(vocabulary.parameters),
        "sha256": {name: sha256(body) for name, body in bodies.items()},
    }
    # Written last, with the digests of the others: a package cut short has no manifest, or one that fits.
    bodies[MANIFEST] = (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
    for name, body in bodies.items():
        write_atomically(folder / name, body, Access.USUAL)


def load(folder: Path) -> CenterVocabulary:
    """Read the vocabulary of a model package; raises `ResourceError` if it is damaged."""
    path = folder / MANIFEST
    manifest = _read_manifest(path)
    bodies = {name: _read_checked(folder / name, manifest["sha256"]) for name in (VECTORS, ANCHORS)}
    arrays = tensors.unpack(bodies[VECTORS], folder / VECTORS)
    try:
        vocabulary = _assemble(manifest, arrays, bodies[ANCHORS].decode())
        fingerprint = vocabulary.fingerprint
    except (KeyError, ValueError, AttributeError) as error:
        raise ResourceError(
            f"{folder}: the files of the centers can't be used ({error}); install the package again."
        ) from error
    if fingerprint != manifest["fingerprint"]:
        raise ResourceError(f"{path} does not match the centers beside it; install the model package again.")
    return vocabulary


def _assemble(
    manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], words: str
) -> CenterVocabulary:
    """The vocabulary; `ValueError`, `KeyError` or `AttributeError` for files that do not fit each other."""
    anchors = tuple(str(parse_json(line)) for line in words.splitlines())
    vectors, radii = arrays["vectors"], arrays["radii"]
    fits = vectors.ndim == 2 and vectors.shape[:1] == radii.shape == (len(anchors),)
    if not fits or vectors.dtype != np.int8 or radii.dtype != np.float32:
        raise ValueError("they do not match")
    return CenterVocabulary(
        quantised=vectors,
        radii=radii,
        anchors=anchors,
        unit=str(manifest["unit"]),
        encoder=str(manifest["encoder"]),
        parameters=tuple((str(key), str(value)) for key, value in manifest["parameters"].items()),
    )


def has_centers(folder: Path) -> bool:
    """Whether a model package contains centers."""
    return (folder / MANIFEST).is_file()


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = parse_json(path.read_bytes())
    except FileNotFoundError as error:
        raise ResourceError(
            f"The model package {path.parent} has no centers ({path.name} is missing)."
        ) from error
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path} can't be read ({error}); install the model package again.") from error
    known = {"format", "unit", "count", "encoder", "fingerprint", "parameters", "sha256"}
    if not isinstance(manifest, dict) or known - manifest.keys() or not isinstance(manifest["sha256"], dict):
        raise ResourceError(f"{path} is not a manifest of centers; install the model package again.")
    if manifest["format"] != FORMAT:
        raise ResourceError(
            f"{path} has format {manifest['format']}, this program reads {FORMAT}; update one of them."
        )
    return manifest


def _read_checked(path: Path, digests: Mapping[str, str]) -> bytes:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} can't be read ({error}); install the model package again.") from error
    found = sha256(body)
    if found != digests.get(path.name):
        raise ResourceError(
            f"{path} is damaged: its SHA-256 is {found}, the manifest says {digests.get(path.name)}. "
            "Install the model package again."
        )
    return body
