"""The encoder on ONNX Runtime: windows are batched by length, results come in input order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.base import Encoded, Encoder, EncoderInput
from claimlight.encoders.manifest import ENCODER_FILE, NGRAMS_FILE, EncoderKind
from claimlight.encoders.ngrams import NgramTable
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.session import OutOfMemory, Session
from claimlight.encoders.token_reader import Reading, TokenReader, TokenWindow
from claimlight.errors import InputError, ResourceError
from claimlight.machine import usable_cores
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext

CHUNK_CHARACTERS = 200_000
"""Characters processed at a time: about 50,000 tokens, 75 MB of vectors at 384 dimensions."""
GPU_BATCH_TOKENS = 16_384
_ROUNDS = 4
"""Least batches for each thread, so that none is left alone with a large one at the end."""
_LEAST_BATCH_TOKENS = 64


def open_encoder(package: ModelPackage, settings: EncoderSettings) -> Encoder:
    """Open the encoder of a package on the requested device; `Encoder.note` says if it runs on another.

    Raises `InputError` for a package without pooled vectors (SPLADE, ColBERT).
    """
    if package.manifest.kind is not EncoderKind.DENSE:
        raise InputError(
            f"{package.manifest.id} is a {package.manifest.kind} package, a baseline for comparison. "
            "Set encoder.package to a dense package."
        )
    return OnnxEncoder(package, settings)


class OnnxEncoder:
    """The dense encoder of a model package."""

    def __init__(
        self, package: ModelPackage, settings: EncoderSettings, *, session: Session | None = None
    ) -> None:
        self._manifest = package.manifest
        self._reader = TokenReader(package)
        # One thread a batch, and as many batches at a time: the products are small, and threads that share
        # one wait for each other in every product, above all on a machine with other work.
        self._workers = settings.threads or usable_cores()
        self._session = session or Session(package.read(ENCODER_FILE), device=settings.device, threads=1)
        self._ngrams = _read_ngrams(package)
        self._batch_tokens = settings.batch_tokens

    @property
    def dim(self) -> int:
        return self._manifest.dim

    @property
    def fingerprint(self) -> str:
        return self._reader.fingerprint

    @property
    def device(self) -> str:
        return self._session.device

    @property
    def note(self) -> str:
        return self._session.note

    def otherwise(self, *, prompt: str | None, first_window: bool) -> Encoder:
        """See `AdaptableEncoder.otherwise`; the session is shared."""
        other = copy(self)
        other._reader = self._reader.otherwise(prompt=prompt, first_window=first_window)
        return other

    def count_tokens(self, texts: Sequence[EncoderInput]) -> list[int]:
        """See `CountingEncoder.count_tokens`."""
        readings = (
            reading for begin, end in split_chunks(texts) for reading in self._reader.read(texts[begin:end])
        )
        return [sum(len(window.content) for window in reading.windows) for reading in readings]

    def encode(self, texts: Sequence[EncoderInput], context: TaskContext) -> Iterator[Encoded]:
        """See `Encoder.encode`; memory is bounded by one chunk, not by the number of texts."""
        for begin, end in split_chunks(texts):
            chunk = texts[begin:end]
            context.check()
            readings = self._reader.read(chunk)
            yield from self._encode_chunk(chunk, readings, context)

    def _encode_chunk(
        self, texts: Sequence[EncoderInput], readings: Sequence[Reading], context: TaskContext
    ) -> Iterator[Encoded]:
        windows = [window for reading in readings for window in reading.windows]
        # Texts of like length together: a batch is padded to its longest.
        order = sorted(range(len(windows)), key=lambda number: len(windows[number].ids))
        none = np.empty((0, self._manifest.token_dim), dtype=np.float32)
        tokens: list[NDArray[np.float32]] = [none] * len(windows)
        pooled = np.empty((len(windows), self.dim), dtype=np.float64)
        lengths = [len(windows[number].ids) for number in order]

        def run(batch: range) -> None:
            context.check()
            numbers = [order[place] for place in batch]
            self._run([windows[number] for number in numbers], numbers, tokens=tokens, pooled=pooled)

        workers = self._workers if self.device == "cpu" else 1
        # The longest texts first: whoever is left alone at the end has a short batch.
        batches = list(split_batches(lengths, self._budget(lengths, workers)))[::-1]
        run_batches(batches, run, workers=workers)
        done = 0
        for item, reading in zip(texts, readings, strict=True):
            mine = slice(done, done + len(reading.windows))
            done = mine.stop
            yield _join_windows(item, reading, tokens=tokens[mine], pooled=pooled[mine])
            # Drop our references, so that vectors the caller has discarded are freed.
            tokens[mine] = [tokens[0][:0]] * len(reading.windows)

    def _budget(self, lengths: Sequence[int], workers: int) -> int:
        """Padded tokens of a batch: fewer than set if threads would be left without a batch."""
        if self.device != "cpu":
            return max(self._batch_tokens, GPU_BATCH_TOKENS)
        if workers < 2:
            return self._batch_tokens
        return min(self._batch_tokens, max(sum(lengths) // (workers * _ROUNDS), _LEAST_BATCH_TOKENS))

    def _run(
        self,
        windows: Sequence[TokenWindow],
        numbers: Sequence[int],
        *,
        tokens: list[NDArray[np.float32]],
        pooled: NDArray[np.float64],
    ) -> None:
        """One forward pass; if memory runs out, the batch is halved and tried again."""
        longest = max(len(window.ids) for window in windows)
        ids = np.zeros((len(windows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        try:
            vectors = self._session.run(ids, mask)
        except OutOfMemory as error:
            half = len(windows) // 2
            if not half:
                raise ResourceError(
                    f"there is not enough memory to encode {longest} tokens; close other programs"
                ) from error
            self._run(windows[:half], numbers[:half], tokens=tokens, pooled=pooled)
            self._run(windows[half:], numbers[half:], tokens=tokens, pooled=pooled)
            return
        expected = self._manifest.graph_dim or self.dim
        if vectors.shape[-1] != expected:
            raise ResourceError(
                f"the model's vectors have {vectors.shape[-1]} dimensions, its manifest says {expected}"
            )
        kept = vectors[..., : self._manifest.token_dim]
        for row, (number, window) in enumerate(zip(numbers, windows, strict=True)):
            # `content` is an index array, so this copies: on a card the next run overwrites `vectors`.
            tokens[number] = kept[row, window.content].astype(np.float32, copy=False)
            pooled[number] = self._vector(vectors[row, : len(window.ids)], window)

    def _vector(self, tokens: NDArray[np.float32], window: TokenWindow) -> NDArray[np.float64]:
        """The unit vector of one window from its token vectors (all dimensions of the graph)."""
        if self._ngrams is None:
            return _pool_window(tokens[:, : self.dim], self._manifest.pooling)
        # What is not finite is refused later, with the text (`_join_windows`).
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            return self._ngrams.joined(
                _pool_window(tokens, self._manifest.pooling), window.ids[window.content]
            )


def _read_ngrams(package: ModelPackage) -> NgramTable | None:
    """The n-gram table of a package, if any; `ResourceError` if it does not match the vectors."""
    if not package.manifest.has(NGRAMS_FILE):
        return None
    found = NgramTable.read(package.read(NGRAMS_FILE), package.folder / NGRAMS_FILE)
    expected = package.manifest.graph_dim or package.manifest.dim
    if found.pooled != expected:
        raise ResourceError(
            f"{package.folder / NGRAMS_FILE} is for pooled vectors of {found.pooled} dimensions; "
            f"those of {package.manifest.id} have {expected}"
        )
    if found.dim < package.manifest.dim:
        raise ResourceError(
            f"{package.folder / NGRAMS_FILE} is for vectors of {found.dim} dimensions; the manifest says "
            f"{package.manifest.dim}"
        )
    return found.first(package.manifest.dim)


def split_chunks(texts: Sequence[EncoderInput]) -> Iterator[tuple[int, int]]:
    """Ranges of ``texts`` with at most `CHUNK_CHARACTERS` each, but at least one text."""
    begin = size = 0
    for number, item in enumerate(texts):
        if number > begin and size + len(item.text) > CHUNK_CHARACTERS:
            yield begin, number
            begin, size = number, 0
        size += len(item.text)
    if begin < len(texts):
        yield begin, len(texts)


def split_batches(lengths: Sequence[int], budget: int) -> Iterator[range]:
    """Ranges of ascending ``lengths`` whose padded size is within ``budget``; at least one item each."""
    begin = 0
    for number, length in enumerate(lengths):
        # Lengths ascend, so the last is the width to which a batch is padded.
        if number > begin and (number + 1 - begin) * length > budget:
            yield range(begin, number)
            begin = number
    if begin < len(lengths):
        yield range(begin, len(lengths))


def run_batches(batches: Sequence[range], run: Callable[[range], None], *, workers: int) -> None:
    """Run every batch, ``workers`` at a time; the first error ends it when the running batches have ended."""
    workers = min(workers, len(batches))
    if workers < 2:
        for batch in batches:
            run(batch)
        return
    with ThreadPoolExecutor(workers, thread_name_prefix="encoder") as pool:
        # Reading the results raises the error of a batch, and cancels those not begun.
        list(pool.map(run, batches))


def _pool_window(tokens: NDArray[np.float32], pooling: str) -> NDArray[np.float64]:
    """The unit vector of one window."""
    # Not pooled by the graph, whose sum over a padded batch rounds differently with the batch.
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        vector = tokens[0].astype(np.float64) if pooling == "cls" else tokens.mean(axis=0, dtype=np.float64)
        unit: NDArray[np.float64] = vector / np.linalg.norm(vector)
    return unit


def _join_windows(
    item: EncoderInput,
    reading: Reading,
    *,
    tokens: Sequence[NDArray[np.float32]],
    pooled: NDArray[np.float64],
) -> Encoded:
    """Join the windows of a text; its pooled vector is their mean weighted by token counts, normalised."""
    vectors = tokens[0] if len(tokens) == 1 else np.concatenate(tokens)
    weights = np.array([max(len(part), 1) for part in tokens], dtype=np.float64)
    with np.errstate(invalid="ignore"):
        mean = (weights[:, None] * pooled).sum(axis=0)
    norm = float(np.linalg.norm(mean))
    usable = np.isfinite(norm) and norm > 0.0 and bool(np.isfinite(vectors).all())
    # A token vector of length 0 has no cosine.
    if not usable or not np.einsum("ij,ij->i", vectors, vectors).all():
        raise ResourceError(f"the model returned no usable vector for the text beginning {item.text[:60]!r}")
    return Encoded((mean / norm).astype(np.float32), vectors, reading.offsets, len(vectors))
