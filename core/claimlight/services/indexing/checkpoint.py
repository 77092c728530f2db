"""What was encoded since the last commit, kept for the next run.

A commit needs whole documents, and one document can take minutes. So its batches are saved beside the
segments, and a run that is stopped saves what it has. The next run finds a batch by the texts it was made of,
and encodes the others. Nothing depends on the file: one that is damaged, or of another encoder, is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from claimlight.digests import sha256
from claimlight.files import Access, write_atomically
from claimlight.index.builder import PassageRow
from claimlight.index.sections import SectionKind, kind_of
from claimlight.index.span_entries import PassageEntries
from claimlight.index.writer import CHECKPOINT
from claimlight.services.indexing.encoding import Piece

_FORMAT = "claimlight encoded batches 1"
_SEPARATOR = b"\n"


@dataclass(frozen=True, slots=True, eq=False)
class EncodedBatch:
    """What the index stores of some pieces, in their order."""

    rows: Sequence[PassageRow]
    entries: PassageEntries


class Checkpoint:
    """The batches of one generation that are encoded and not committed; of use to one writer at a time."""

    def __init__(self, folder: Path, recipe: str, *, every_seconds: float) -> None:
        """``folder`` is that of the generation; ``recipe`` names what rows and entries depend on."""
        self._path = folder / CHECKPOINT
        self._recipe = recipe
        self._every = every_seconds
        self._saved = monotonic()
        found = _read(self._path, recipe)
        self._begun = found.documents
        self._found = dict(found.batches)
        """Batches of an earlier run that were not needed yet."""
        self._made: dict[str, EncodedBatch] = {}
        """Batches in use since the last commit."""
        self._current: tuple[int, ...] = ()

    def resume(self) -> tuple[int, ...]:
        """The documents that an earlier run had begun; none at the second call."""
        begun, self._begun = self._begun, ()
        return begun

    def begin(self, documents: Sequence[int]) -> None:
        """The documents of the next commit, if they are not simply the next ones by id."""
        self._current = tuple(documents)

    def holds(self, pieces: Sequence[Piece]) -> bool:
        """Whether these very pieces were encoded by an earlier run; safe from any thread."""
        return bool(self._found) and _key(pieces) in self._found

    def take(self, pieces: Sequence[Piece]) -> EncodedBatch | None:
        """What an earlier run made of these very pieces."""
        if not self._found:
            return None
        key = _key(pieces)
        batch = self._found.pop(key, None)
        if batch is not None:
            self._made[key] = batch
        return batch

    def add(self, pieces: Sequence[Piece], batch: EncodedBatch) -> None:
        """Remember a batch until the next commit."""
        if batch.rows:
            self._made[_key(pieces)] = batch

    def save_if_due(self) -> None:
        """Save if the last commit or saving is some time ago; called inside a document."""
        if monotonic() - self._saved >= self._every:
            self.save()

    def save(self) -> None:
        """Bring all batches to the disk; nothing happens if it is full, as the commit will report that."""
        if self._made:
            documents = self._current or self._begun
            body = _pack(_Saved(documents, {**self._found, **self._made}), self._recipe)
            with suppress(OSError):
                write_atomically(self._path, body, Access.FOLDER)
        self._saved = monotonic()

    def committed(self) -> None:
        """Forget the batches in use: they are in the index."""
        self._made.clear()
        self._saved = monotonic()
        if not self._found:
            self._remove()

    def finish(self, waiting: Collection[int]) -> None:
        """Remove the file, unless it has batches of documents that are ``waiting`` to be indexed."""
        held = {row.document for batch in self._found.values() for row in batch.rows}
        if held.isdisjoint(waiting):
            self._found.clear()
            self._remove()

    def _remove(self) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Saved:
    """The content of a file."""

    documents: tuple[int, ...] = ()
    """Documents of the commit that was being prepared."""
    batches: Mapping[str, EncodedBatch] = field(default_factory=dict)


def _key(pieces: Sequence[Piece]) -> str:
    """The digest of everything that rows and entries are made from, besides the recipe."""
    parts: list[str] = []
    for piece in pieces:
        passage = piece.passage
        place = f"{passage.patent} {passage.id} {kind_of(passage.section)} {piece.start} {len(piece.text)}"
        parts += (place, "\0", passage.section, "\0", piece.text, "\0")
    return sha256(*parts)


def _pack(saved: _Saved, recipe: str) -> bytes:
    batches = saved.batches
    rows = [row for batch in batches.values() for row in batch.rows]
    entries = [batch.entries for batch in batches.values()]
    arrays: dict[str, NDArray[Any]] = {
        "documents": np.array(saved.documents, dtype=np.int64),
        "keys": np.array(list(batches), dtype="S64"),
        "sizes": np.array([len(batch.rows) for batch in batches.values()], dtype=np.int64),
        "document": np.array([row.document for row in rows], dtype=np.int64),
        "passage": np.array([row.passage for row in rows], dtype=np.int64),
        "kind": np.array([row.kind for row in rows], dtype=np.uint8),
        "length": np.array([row.length for row in rows], dtype=np.int64),
        "pooled": np.stack([row.pooled for row in rows]),
        "counts": np.concatenate([np.diff(item.offsets) for item in entries]),
        "spans": np.concatenate([item.spans for item in entries]),
    }
    for name in _BY_ENTRY:
        arrays[name] = np.concatenate([getattr(item, name) for item in entries])
    stream = BytesIO()
    save: Callable[..., None] = np.savez  # its types take names of arrays for its flag
    save(stream, **arrays)
    body = stream.getvalue()
    return _digest(recipe, body) + _SEPARATOR + body


_BY_ENTRY = ("centers", "codes", "start", "end")


def _read(path: Path, recipe: str) -> _Saved:
    """What a file has; nothing if there is none, or one that this program and recipe did not write."""
    try:
        digest, _, body = path.read_bytes().partition(_SEPARATOR)
        if digest != _digest(recipe, body):
            return _Saved()
        with np.load(BytesIO(body), allow_pickle=False) as arrays:
            return _unpack(dict(arrays))
    except (OSError, ValueError, KeyError, BadZipFile):
        return _Saved()


def _unpack(arrays: Mapping[str, NDArray[Any]]) -> _Saved:
    counts = arrays["counts"]
    ends = np.cumsum(arrays["sizes"]).tolist()
    entry_ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    found: dict[str, EncodedBatch] = {}
    begin = 0
    for key, end in zip(arrays["keys"].tolist(), ends, strict=True):
        rows = [
            PassageRow(
                document=int(arrays["document"][place]),
                passage=int(arrays["passage"][place]),
                kind=SectionKind(int(arrays["kind"][place])),
                pooled=arrays["pooled"][place],
                length=int(arrays["length"][place]),
            )
            for place in range(begin, end)
        ]
        offsets = entry_ends[begin : end + 1]
        inside = slice(int(offsets[0]), int(offsets[-1]))
        entries = PassageEntries(
            offsets=offsets - offsets[0],
            spans=arrays["spans"][begin:end],
            **{name: arrays[name][inside] for name in _BY_ENTRY},
        )
        found[key.decode("ascii")] = EncodedBatch(rows, entries)
        begin = end
    return _Saved(tuple(arrays["documents"].tolist()), found)


def _digest(recipe: str, body: bytes) -> bytes:
    return sha256(_FORMAT, "\0", recipe, "\0", body).encode("ascii")
