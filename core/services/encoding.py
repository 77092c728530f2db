"""Reading and encoding for the indexer: documents in, batches of encoded passages out, memory flat.

Beside an encoder on another device this runs in its own thread, a few batches ahead and no more. On the
processor it does not: the forward pass and the center assignment both use every core, and taking turns
was a quarter faster than sharing them (docs/performance.md).
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from core.errors import ResourceError
from core.index.sections import SectionKind, kind_of
from core.tasks import TaskContext

if TYPE_CHECKING:
    from core.encoders import EncoderInput
    from core.store.values import StoredDocument, StoredPassage

BATCH_CHARACTERS = 100_000
"""Text encoded at a time: about 25,000 tokens, 40 MB of vectors."""
_PAGE = 32
_AHEAD = 2
_POLL_SECONDS = 0.1

V = TypeVar("V")
"""What an encoder makes of a passage."""
_Made = TypeVar("_Made", covariant=True)


class Encodes(Protocol[_Made]):
    """An encoder of any kind."""

    def encode(self, texts: Sequence[EncoderInput], context: TaskContext) -> Iterator[_Made]:
        """What it makes of each text, in their order; `ResourceError` for one it can't take."""
        ...


class Corpus(Protocol):
    """The documents to index."""

    def documents_after(self, document: int, limit: int) -> Sequence[StoredDocument]:
        """The next documents by ascending id."""
        ...

    def passages_after(self, document: int) -> int:
        """About how many passages are still to come."""
        ...

    def removed_since(self, version: int) -> Sequence[int]:
        """Documents removed after a version of the corpus."""
        ...

    def version(self) -> int:
        """The version now."""
        ...


@dataclass(frozen=True, slots=True)
class Batch(Generic[V]):
    """Some encoded passages; ``complete`` when the last of their documents has no more to come."""

    passages: Sequence[StoredPassage]
    encoded: Sequence[V]
    complete: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """A document the encoder could not take: what came of it already must be dropped."""

    document: int
    publication: str
    reason: str


@dataclass(frozen=True, slots=True)
class SegmentEnd:
    """Everything up to ``last_document`` has come: commit."""

    last_document: int
    documents: int


Item = Batch[V] | Failed | SegmentEnd


def chosen_passages(document: StoredDocument) -> list[StoredPassage]:
    """The passages that are indexed: of each section one language, English before the document's own.

    The encoder reads English; a section that exists in several languages would count several times.
    """
    by_kind: dict[SectionKind, dict[str, list[StoredPassage]]] = {}
    for passage in document.passages:
        if passage.text.strip():
            language = passage.language or document.language or "en"
            languages = by_kind.setdefault(kind_of(passage.section), {})
            languages.setdefault(language, []).append(passage)
    kept: list[StoredPassage] = []
    for languages in by_kind.values():
        wanted = next((item for item in ("en", document.language) if item in languages), None)
        kept.extend(languages[wanted if wanted is not None else next(iter(languages))])
    return sorted(kept, key=lambda passage: passage.id)


def stream(
    corpus: Corpus, after: int, *, encoder: Encodes[V], documents_per_segment: int, context: TaskContext
) -> Iterator[Item[V]]:
    """Everything after document ``after``, encoded, with a `SegmentEnd` wherever a commit is due."""
    in_segment = 0
    group: list[StoredDocument] = []
    size = 0
    while page := corpus.documents_after(after, min(_PAGE, documents_per_segment - in_segment)):
        for document in page:
            length = sum(len(passage.text) for passage in document.passages)
            if group and size + length > BATCH_CHARACTERS:
                yield from _encoded_group(group, encoder, context)
                group, size = [], 0
            group.append(document)
            size += length
        after = int(page[-1].id)
        in_segment += len(page)
        if in_segment == documents_per_segment:
            yield from _encoded_group(group, encoder, context)
            yield SegmentEnd(after, in_segment)
            group, size, in_segment = [], 0, 0
    yield from _encoded_group(group, encoder, context)
    if in_segment:
        yield SegmentEnd(after, in_segment)


def _encoded_group(
    documents: Sequence[StoredDocument], encoder: Encodes[V], context: TaskContext
) -> Iterator[Item[V]]:
    """Small documents together; when that fails each alone, so that one bad text costs one document."""
    if len(documents) != 1:
        passages = [passage for document in documents for passage in chosen_passages(document)]
        try:
            batch = _encode(passages, encoder, context, complete=True)
        except ResourceError:
            for document in documents:
                yield from _encoded_group([document], encoder, context)
            return
        yield batch
        return
    yield from _encoded_document(documents[0], encoder, context)


def _encoded_document(
    document: StoredDocument, encoder: Encodes[V], context: TaskContext
) -> Iterator[Item[V]]:
    parts = _parts(chosen_passages(document))
    try:
        for number, part in enumerate(parts, start=1):
            yield _encode(part, encoder, context, complete=number == len(parts))
    except ResourceError as error:
        yield Failed(document.id, str(document.publication), str(error))


def _parts(passages: Sequence[StoredPassage]) -> list[list[StoredPassage]]:
    parts: list[list[StoredPassage]] = []
    size = BATCH_CHARACTERS
    for passage in passages:
        if size + len(passage.text) > BATCH_CHARACTERS:
            parts.append([])
            size = 0
        parts[-1].append(passage)
        size += len(passage.text)
    return parts


def _encode(
    passages: Sequence[StoredPassage], encoder: Encodes[V], context: TaskContext, *, complete: bool
) -> Batch[V]:
    from core.encoders import EncoderInput

    begin = perf_counter()
    inputs = [EncoderInput(passage.text, passage.section) for passage in passages]
    encoded = tuple(encoder.encode(inputs, context))
    return Batch(passages, encoded, complete, perf_counter() - begin)


@contextmanager
def encoded_ahead(
    make: Callable[[TaskContext], Iterator[Item[V]]], context: TaskContext, *, device: str
) -> Iterator[Iterator[Item[V]]]:
    """The items of ``make``: in turn with the caller on the processor, ahead of it elsewhere."""
    if device == "cpu":
        yield make(context)
        return
    with prefetched(make, context) as ready:
        yield ready


@contextmanager
def prefetched(
    make: Callable[[TaskContext], Iterator[Item[V]]], context: TaskContext
) -> Iterator[Iterator[Item[V]]]:
    """Items made in a thread of its own, at most a few ahead; leaving the block ends the thread.

    ``make`` gets a context of its own: events of two threads do not mix, and it is cancelled on the way out.
    """
    inner = TaskContext()
    ready: queue.Queue[Item[V] | BaseException | None] = queue.Queue(_AHEAD)
    stopped = threading.Event()

    def put(item: Item[V] | BaseException | None) -> bool:
        while not stopped.is_set():
            try:
                ready.put(item, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return True
        return False

    def work() -> None:
        try:
            for item in make(inner):
                if not put(item):
                    return
            put(None)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            put(error)

    thread = threading.Thread(target=work, name="encoding")
    thread.start()
    try:
        yield _drained(ready, context)
    finally:
        stopped.set()
        inner.cancel()
        thread.join()


def _drained(ready: queue.Queue[Item[V] | BaseException | None], context: TaskContext) -> Iterator[Item[V]]:
    while True:
        context.check()
        try:
            item = ready.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if item is None:
            return
        if isinstance(item, BaseException):
            raise item
        yield item
