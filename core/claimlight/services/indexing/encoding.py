"""Reading and encoding for the indexer, in batches, so that memory is bounded.

With an encoder on a GPU this runs in its own thread, at most a few batches ahead. On the CPU it does not: the
forward pass and the assignment to centers each use every core, and taking turns was a quarter faster than
sharing them (docs/lab/measured/encoding.md).
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from claimlight.errors import ResourceError
from claimlight.index.sections import SectionKind, kind_of
from claimlight.tasks import TaskContext
from claimlight.text.long_texts import split_long_text
from claimlight.text.words_only import WordsOnly, find_words_only

if TYPE_CHECKING:
    from claimlight.encoders import EncoderInput
    from claimlight.services.indexing.repeats import KnownPiece
    from claimlight.store.values import StoredDocument, StoredPassage

BATCH_CHARACTERS = 40_000
"""Characters encoded at a time: about 10,000 tokens, some seconds of work, 16 MB of vectors."""
COMMIT_SECONDS = 20.0
"""A commit is due after this much work, whatever the number of documents: a kill costs no more."""
_PAGE = 32
_AHEAD = 2
_POLL_SECONDS = 0.1

V = TypeVar("V")
"""Output of an encoder for one passage."""
_Made = TypeVar("_Made", covariant=True)


class Encodes(Protocol[_Made]):
    """An encoder of any kind."""

    def encode(self, texts: Sequence[EncoderInput], context: TaskContext) -> Iterator[_Made]:
        """Encode each text, in order; `ResourceError` for one it can't encode."""
        ...


class Pages(Protocol):
    """Documents, some at a time."""

    def documents_after(self, document: int, limit: int) -> Sequence[StoredDocument]:
        """The next documents by ascending id."""
        ...


class Corpus(Pages, Protocol):
    """The documents to index."""

    def ids_after(self, document: int, limit: int) -> Sequence[int]:
        """The ids of the next documents, ascending."""
        ...

    def relatives(self, documents: Sequence[int]) -> Sequence[int]:
        """Other documents of the families of some documents, ascending."""
        ...

    def count_after(self, document: int) -> int:
        """Number of documents after one."""
        ...

    def long_documents(self, characters: int, through: int) -> Sequence[int]:
        """Documents up to an id with a passage of more characters, ascending."""
        ...

    def passages_after(self, document: int) -> int:
        """Approximate number of passages after a document."""
        ...

    def removed_since(self, version: int) -> Sequence[int]:
        """Documents removed after a version of the corpus."""
        ...

    def version(self) -> int:
        """The current version."""
        ...


@dataclass(frozen=True, slots=True)
class Piece:
    """The unit of encoding: a passage, or a piece of a very long one."""

    passage: StoredPassage
    text: str
    start: int = 0
    """Its offset in the text of the passage."""


Cut = Callable[["StoredPassage"], Sequence[Piece]]
"""How passages are cut for encoding."""


def whole(passage: StoredPassage) -> Sequence[Piece]:
    """The whole passage; the encoder reads a long one window by window."""
    return (Piece(passage, passage.text),)


def in_pieces(passage: StoredPassage) -> Sequence[Piece]:
    """The whole passage, or a very long one in pieces (`claimlight.text.long_texts`)."""
    text = passage.text
    return [Piece(passage, text[span.start : span.end], span.start) for span in split_long_text(text)]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The passages of a document to encode, by id, and how many are left for later."""

    passages: Sequence[StoredPassage]
    rest: int = 0
    listed: bool = False
    """Whether the segment names the document even if there is nothing to encode."""
    by_words: Mapping[WordsOnly, int] = field(default_factory=dict)
    """How many passages are found by their words only, and why."""


Choose = Callable[["StoredDocument"], Chosen]
Find = Callable[[Piece], "KnownPiece | None"]
"""What the caller knows of a piece, which then is not encoded; called in any thread."""
Holds = Callable[[Sequence[Piece]], bool]
"""Whether pieces need not be encoded, as the caller has their vectors; called in any thread."""


def nothing(_: Sequence[Piece]) -> bool:
    """Every piece is to be encoded."""
    return False


def unknown(_: Piece) -> None:
    """No piece is known."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[V]):
    """Some encoded pieces; ``complete`` if their last document has no more pieces.

    ``encoded`` is empty for pieces that the caller `Holds`, and lacks those that are ``known``.
    """

    pieces: Sequence[Piece]
    encoded: Sequence[V]
    complete: bool
    seconds: float
    rest: Mapping[int, int] = field(default_factory=dict)
    """Passages that were left out, for each document that the segment names."""
    known: Sequence[KnownPiece | None] = ()
    """For each piece what the caller knew of it."""
    by_words: Mapping[WordsOnly, int] = field(default_factory=dict)
    """How many passages of documents that begin here are found by their words only."""

    @property
    def held(self) -> bool:
        """Whether the caller `Holds` its vectors."""
        return not self.known

    @property
    def passages(self) -> list[StoredPassage]:
        """The passages that begin in it."""
        return [piece.passage for piece in self.pieces if piece.start == 0]


@dataclass(frozen=True, slots=True)
class Failed:
    """A document that could not be encoded: its earlier pieces must be dropped."""

    document: int
    publication: str
    reason: str


@dataclass(frozen=True, slots=True)
class SegmentEnd:
    """All documents up to ``last_document`` are complete: commit."""

    last_document: int
    documents: int


Item = Batch[V] | Failed | SegmentEnd


def choose_passages(document: StoredDocument) -> list[StoredPassage]:
    """The passages to index: one language per section, English before the document's own.

    The encoder reads English, and a section in several languages would count several times.
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


def choose_all(document: StoredDocument) -> Chosen:
    """Everything of a document."""
    return Chosen(choose_passages(document))


def choose_claims(document: StoredDocument) -> Chosen:
    """Title, abstract and claims; the description of a document that has nothing else.

    A document without passages is not named: there is nothing that could be indexed later.
    """
    chosen = choose_passages(document)
    first = [passage for passage in chosen if kind_of(passage.section) is not SectionKind.DESCRIPTION]
    if not first:
        return replace(choose_description(document), listed=bool(document.passages))
    rest = [passage for passage in chosen if kind_of(passage.section) is SectionKind.DESCRIPTION]
    return Chosen(first, sum(find_words_only(item.text, item.section) is None for item in rest))


def choose_description(document: StoredDocument) -> Chosen:
    """What `choose_claims` leaves, without passages that are found by their words only."""
    chosen = choose_passages(document)
    described = [item for item in chosen if kind_of(item.section) is SectionKind.DESCRIPTION]
    why = [find_words_only(item.text, item.section) for item in described]
    kept = [item for item, reason in zip(described, why, strict=True) if reason is None]
    return Chosen(kept, listed=True, by_words=Counter(reason for reason in why if reason is not None))


def stream(
    corpus: Pages,
    after: int,
    *,
    encoder: Encodes[V],
    documents_per_segment: int,
    context: TaskContext,
    cut: Cut = whole,
    choose: Choose = choose_all,
    holds: Holds = nothing,
    find: Find = unknown,
) -> Iterator[Item[V]]:
    """Encode everything after document ``after``, with a `SegmentEnd` whenever a commit is due.

    Batches that the caller ``holds``, and pieces that it can ``find``, come without vectors.
    """
    work = _Work(encoder, context, holds, find)
    group: list[_ToEncode] = []
    size = in_segment = 0
    begun = perf_counter()
    for document in _walk(corpus, after):
        item = _ToEncode(document, choose(document), cut)
        if group and size + item.length > BATCH_CHARACTERS:
            yield from _encode_group(group, work)
            last = group[-1].document.id
            group, size = [], 0
            if perf_counter() - begun > COMMIT_SECONDS:
                yield SegmentEnd(last, in_segment)
                in_segment, begun = 0, perf_counter()
        group.append(item)
        size += item.length
        in_segment += 1
        if in_segment == documents_per_segment:
            yield from _encode_group(group, work)
            yield SegmentEnd(document.id, in_segment)
            group, size, in_segment, begun = [], 0, 0, perf_counter()
    if group:
        yield from _encode_group(group, work)
        yield SegmentEnd(group[-1].document.id, in_segment)


def _walk(corpus: Pages, after: int) -> Iterator[StoredDocument]:
    while page := corpus.documents_after(after, _PAGE):
        yield from page
        after = page[-1].id


class _ToEncode:
    """A document and the pieces of it that are to be encoded."""

    def __init__(self, document: StoredDocument, chosen: Chosen, cut: Cut) -> None:
        self.document = document
        self.rest = chosen.rest
        self.listed = chosen.listed or chosen.rest > 0
        self.by_words = chosen.by_words
        self.pieces = [piece for passage in chosen.passages for piece in cut(passage)]
        self.length = sum(len(piece.text) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class _Work(Generic[V]):
    """What encodes, and what need not be encoded."""

    encoder: Encodes[V]
    context: TaskContext
    holds: Holds
    find: Find

    def encode(
        self,
        given: Sequence[Piece],
        rest: Mapping[int, int],
        *,
        complete: bool,
        by_words: Mapping[WordsOnly, int],
    ) -> Batch[V]:
        from claimlight.encoders import EncoderInput

        begin = perf_counter()
        encoded: tuple[V, ...] = ()
        known: list[KnownPiece | None] = []
        if not self.holds(given):
            known = [self.find(piece) for piece in given]
            fresh = [piece for piece, held in zip(given, known, strict=True) if held is None]
            inputs = [EncoderInput(piece.text, piece.passage.section) for piece in fresh]
            # Equal ones once.
            distinct = list(dict.fromkeys(inputs))
            made = dict(zip(distinct, self.encoder.encode(distinct, self.context), strict=True))
            encoded = tuple(made[each] for each in inputs)
        return Batch(given, encoded, complete, perf_counter() - begin, rest, known, by_words)


def _encode_group(documents: Sequence[_ToEncode], work: _Work[V]) -> Iterator[Item[V]]:
    """Encode small documents together; if that fails, one by one, so that a bad text costs one document."""
    if len(documents) != 1:
        pieces = [piece for item in documents for piece in item.pieces]
        try:
            batch = work.encode(pieces, _rest(documents), complete=True, by_words=_count_by_words(documents))
        except ResourceError:
            for item in documents:
                yield from _encode_group([item], work)
            return
        yield batch
        return
    yield from _encode_document(documents[0], work)


def _encode_document(item: _ToEncode, work: _Work[V]) -> Iterator[Item[V]]:
    document, parts = item.document, _parts(item.pieces)
    try:
        for number, part in enumerate(parts, start=1):
            yield work.encode(
                part,
                _rest([item]),
                complete=number == len(parts),
                by_words=_count_by_words([item] if number == 1 else []),
            )
    except ResourceError as error:
        yield Failed(document.id, str(document.publication), str(error))


def _count_by_words(documents: Sequence[_ToEncode]) -> Counter[WordsOnly]:
    return sum((Counter(item.by_words) for item in documents), start=Counter[WordsOnly]())


def _rest(documents: Sequence[_ToEncode]) -> dict[int, int]:
    return {item.document.id: item.rest for item in documents if item.listed}


def _parts(given: Sequence[Piece]) -> list[list[Piece]]:
    parts: list[list[Piece]] = []
    # Full at first, so that the first piece begins a part.
    size = BATCH_CHARACTERS
    for piece in given:
        if size + len(piece.text) > BATCH_CHARACTERS:
            parts.append([])
            size = 0
        parts[-1].append(piece)
        size += len(piece.text)
    return parts


@contextmanager
def open_stream(
    make: Callable[[TaskContext], Iterator[Item[V]]], context: TaskContext, *, device: str
) -> Iterator[Iterator[Item[V]]]:
    """The items of ``make``: computed on demand on the CPU, ahead of the caller on a GPU."""
    if device == "cpu":
        yield make(context)
        return
    with prefetch(make, context) as ready:
        yield ready


@contextmanager
def prefetch(
    make: Callable[[TaskContext], Iterator[Item[V]]], context: TaskContext
) -> Iterator[Iterator[Item[V]]]:
    """Compute items in a separate thread, at most a few ahead; leaving the block ends the thread.

    ``make`` gets its own context, so that events of two threads do not mix; it is cancelled on leaving.
    """
    inner = TaskContext()
    ready: queue.Queue[Item[V] | BaseException | None] = queue.Queue(_AHEAD)
    stopped = threading.Event()

    def put(item: Item[V] | BaseException | None) -> bool:
        while not stopped.is_set():
            try:
                # Never for good: the reader may have left without emptying the queue.
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
        yield _drain(ready, context)
    finally:
        stopped.set()
        inner.cancel()
        thread.join()


def _drain(ready: queue.Queue[Item[V] | BaseException | None], context: TaskContext) -> Iterator[Item[V]]:
    while True:
        context.check()
        try:
            # Never for good, so that a cancellation is noticed.
            item = ready.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if item is None:
            return
        if isinstance(item, BaseException):
            raise item
        yield item
