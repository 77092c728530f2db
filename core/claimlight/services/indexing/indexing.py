"""Building the index of a library: encode, assign to centers, commit; resumable at every commit.

Two passes: titles, abstracts and claims of all documents, after which every document is found by every
ranker; then the descriptions, in the order of `claimlight.services.indexing.order`. One text has one vector,
whatever is encoded with it, so the index does not depend on the order or on where earlier runs were stopped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import numpy as np

from claimlight.errors import ResourceError, TaskCancelled
from claimlight.index import files, manifest, span_entries
from claimlight.index.builder import SegmentBuilder
from claimlight.index.generation import Generation
from claimlight.index.live import live_ids
from claimlight.index.segments import SegmentArrays, SegmentPart
from claimlight.index.writer import IndexWriter
from claimlight.services.indexing.checkpoint import Checkpoint, EncodedBatch
from claimlight.services.indexing.encoding import (
    COMMIT_SECONDS,
    Batch,
    Choose,
    Corpus,
    Failed,
    Pages,
    SegmentEnd,
    choose_all,
    choose_claims,
    choose_description,
    in_pieces,
    open_stream,
    stream,
)
from claimlight.services.indexing.repeats import KnownPiece, Repeats, merge_known, read_known
from claimlight.services.indexing.rows import make_rows
from claimlight.services.library.rates import Rate
from claimlight.settings import Settings
from claimlight.store import register
from claimlight.tasks import TaskContext
from claimlight.text.long_texts import LONG
from claimlight.text.words_only import WordsOnly
from claimlight.types import Committed, IndexDepth, IndexReport, Note, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from claimlight.encoders import Encoded
    from claimlight.services.indexing.order import Order
    from claimlight.services.library.library import Library
    from claimlight.services.models.encoding_stack import EncodingStack
    from claimlight.store.values import StoredDocument

CROWDED = 16
"""Number of segments at which they are merged: readers map every file of every segment."""
_PAGE = 32
_DESCRIBED = (SegmentPart.WHOLE, SegmentPart.DESCRIPTION)
_START_SPACE = 128 << 20
_ROUND_PASSAGES = 200
"""Least number of passages between two commits of descriptions."""
_FEW_DESCRIPTIONS = 64
"""Descriptions that are searched one by one before the dense graph is built again for them."""
_FAILURES_LIMIT = 20
"""If more documents in a row fail, the fault is not in the documents."""


def index_folder(library: Path) -> Path:
    """Folder of the index of a library."""
    return library / "index"


def is_outdated(library: Path, settings: Settings) -> bool:
    """Whether the index of a library folder was made with another model than the one in use."""
    from claimlight.services.models.encoding_stack import recipe_of

    pointer = manifest.read_pointer(index_folder(library))
    return pointer is not None and manifest.read(
        index_folder(library), pointer, old=True
    ).recipe != recipe_of(settings)


def build(
    library: Library,
    context: TaskContext,
    settings: Settings,
    *,
    rebuild: bool = False,
    depth: IndexDepth = IndexDepth.FULL,
    order: Order | None = None,
) -> IndexReport:
    """Index every document of ``library`` that is not indexed yet, and drop removed ones.

    ``depth`` `IndexDepth.CLAIMS` leaves the descriptions for later. ``order`` chooses descriptions (default:
    all, see `claimlight.services.indexing.order.LibraryOrder`).

    Raises `ResourceError` if another process is indexing, if the disk is full, and if the index is damaged or
    was made with another model; ``rebuild`` makes a new one in the last two cases.
    """
    from claimlight.services.indexing.corpus import LibraryCorpus
    from claimlight.services.indexing.order import LibraryOrder
    from claimlight.services.models.encoding_stack import open_encoding_stack

    library.require_folder()
    stack = open_encoding_stack(settings)
    # Before hours of work, which it keeps valid if the database is lost.
    register.update(library.store)
    corpus = LibraryCorpus(library.store)
    return build_index(
        index_folder(library.folder),
        corpus,
        stack=stack,
        settings=settings,
        context=context,
        rebuild=rebuild,
        depth=depth,
        order=order or LibraryOrder(library),
    )


def build_index(
    folder: Path,
    corpus: Corpus,
    *,
    stack: EncodingStack,
    settings: Settings,
    context: TaskContext,
    rebuild: bool = False,
    depth: IndexDepth = IndexDepth.FULL,
    order: Order | None = None,
) -> IndexReport:
    """As `build`, for any corpus and encoder; without an ``order`` by ascending id."""
    stack.vocabulary.check_encoder(stack.encoder.fingerprint)
    with IndexWriter(folder) as writer:
        files.check_space(folder, _START_SPACE)
        writer.start(
            stack.recipe(settings),
            dim=stack.encoder.dim,
            centers=len(stack.vocabulary),
            rebuild=rebuild,
            context=context,
        )
        run = _Run(writer, stack, settings, context)
        try:
            run.drop_removed(corpus)
            run.cut_long_passages(corpus)
            run.add_documents(corpus)
            if depth is IndexDepth.FULL:
                # A fast dense search of what is there, before hours of work begin.
                run.update_graph()
                run.add_descriptions(corpus, order or _ById())
        except (TaskCancelled, KeyboardInterrupt):
            run.save()
            raise
        run.tidy()
    generation = Generation.open(folder, check=False)
    if generation is not None:
        generation.warm()
    return run.report(generation.name if generation else "")


class _Run:
    """One indexing run."""

    def __init__(
        self, writer: IndexWriter, stack: EncodingStack, settings: Settings, context: TaskContext
    ) -> None:
        self._writer = writer
        self._machinery = stack
        self._settings = settings
        self._context = context
        self._started = perf_counter()
        self._seconds = {"encode": 0.0, "assign": 0.0, "write": 0.0, "merge": 0.0, "dense": 0.0}
        self._documents = self._full_text = self._passages = self._spans = self._postings = 0
        self._builder = self._new_builder()
        self._rate = 0.0
        """Passages encoded and written per second."""
        self._pending: list[tuple[EncodedBatch, Mapping[int, int]]] = []
        self._skipped: list[int] = []
        self._failures = 0
        self._described = 0
        self._describing = False
        self._repeats = Repeats()
        self._by_words: Counter[WordsOnly] = Counter()
        self._checkpoint = Checkpoint(
            writer.folder, repr(writer.manifest.recipe), every_seconds=COMMIT_SECONDS
        )

    def drop_removed(self, corpus: Corpus) -> None:
        # The version is read first, so that the next run finds documents removed in between.
        version = corpus.version()
        self._writer.remove(corpus.removed_since(self._writer.manifest.library_version), version)

    def cut_long_passages(self, corpus: Corpus) -> None:
        """Index documents again of which an earlier version indexed very long passages in one piece.

        So are those whose part of the index was damaged (`claimlight.index.mending`).
        """
        manifest = self._writer.manifest
        if manifest.uncut is None:
            found = corpus.long_documents(LONG, manifest.last_document)
            left_out = {*manifest.skipped, *manifest.dead}
            self._writer.mark_uncut([item for item in found if item not in left_out])
        uncut = self._writer.manifest.uncut
        if uncut:
            self._context.report(Note(self._tell_again(uncut)))
            chosen = _Chosen(corpus, uncut)
            rate = Rate("index", len(uncut), "documents", self._context)
            done, shown = 0, _Documents(rate)
            for end in self._add(chosen, 0, choose_all, shown):
                self._commit(partial(self._writer.recommit, through=end.last_document))
                done += end.documents
                shown.reached(done)

    def _tell_again(self, documents: Sequence[int]) -> str:
        held = live_ids(item for item in self._writer.open_segments() if item.begins)
        lost = len(np.setdiff1d(documents, held))
        if lost:
            return f"Indexing {plural(lost, 'document')} again, whose part of the index was damaged."
        return f"Indexing paragraphs of more than {LONG:,} characters again, in pieces."

    def add_documents(self, corpus: Corpus) -> None:
        """Index title, abstract and claims of the documents that are not indexed yet."""
        after = self._writer.manifest.last_document
        total = corpus.count_after(0)
        begun = total - corpus.count_after(after)
        rate = Rate("index", total, "documents", self._context, begun=begun)
        shown = _Documents(rate, begun)
        self._learn_relatives(corpus, self._next(corpus, after), choose_claims)
        for end in self._add(corpus, after, choose_claims, shown):
            self._commit(
                partial(
                    self._writer.commit,
                    last_document=end.last_document,
                    skipped=self._skipped,
                    part=SegmentPart.CLAIMS,
                )
            )
            self._documents += end.documents
            self._context.report(Committed("index", self._documents))
            shown.reached(begun + self._documents)
            self._learn_relatives(corpus, self._next(corpus, end.last_document), choose_claims)

    def add_descriptions(self, corpus: Corpus, order: Order) -> None:
        """Index the descriptions that are not indexed yet, in the order of ``order``."""
        waiting = order.limit(self._writer.waiting())
        total = sum(order.limit(self._writer.describable()).values())
        done = total - sum(waiting.values())
        rate = Rate("full text", total, "passages", self._context, begun=done)
        shown = _Passages(rate, done)
        self._describing = True
        while waiting:
            # Chosen again after every commit: what is opened or found meanwhile comes first. Before it comes
            # what a run that was stopped has begun.
            chosen = [document for document in self._checkpoint.resume() if document in waiting]
            chosen = chosen or self._round(order.sorted(waiting), waiting)
            self._checkpoint.begin(chosen)
            self._learn_relatives(corpus, chosen, choose_description)
            for end in self._add(_Chosen(corpus, sorted(chosen)), 0, choose_description, shown):
                self._full_text += end.documents - len(self._skipped)
                self._commit(partial(self._writer.commit_descriptions, unread=self._skipped))
                self._context.report(Committed("full text", self._full_text))
            done += sum(waiting.pop(document) for document in chosen)
            shown.reached(done)
            if waiting:
                self._update_crowded_graph()
        self._tell_by_words()

    def _tell_by_words(self) -> None:
        """Say what was not encoded."""
        if self._by_words:
            parts = ", ".join(f"{many:,} × {why}" for why, many in self._by_words.most_common())
            are = plural(sum(self._by_words.values()), "passage is", "passages are")
            self._context.report(Note(f"{are} found by keywords only: {parts}."))

    def _next(self, corpus: Corpus, after: int) -> Sequence[int]:
        """The documents until the next commit, at most."""
        return corpus.ids_after(after, self._settings.index.documents_per_segment)

    def _learn_relatives(self, corpus: Corpus, documents: Sequence[int], choose: Choose) -> None:
        """Read from the index what it holds of passages that these documents share with their families."""
        from claimlight.encoders import CountingEncoder, EncoderInput

        known: dict[bytes, KnownPiece] = {}
        encoder = self._machinery.encoder
        segments = self._writer.open_segments()
        described = choose is choose_description
        held = live_ids(item for item in segments if (item.part in _DESCRIBED if described else item.begins))
        relatives = np.intersect1d(np.array(corpus.relatives(documents), dtype=np.int64), held).tolist()
        if relatives and isinstance(encoder, CountingEncoder):
            own = {
                passage.text
                for document in self._read(corpus, documents)
                for passage in choose(document).passages
            }
            shared = [
                passage
                for document in self._read(corpus, relatives)
                for passage in choose(document).passages
                if passage.text in own
            ]
            asked = [EncoderInput(passage.text, passage.section) for passage in shared]
            lengths = encoder.count_tokens(asked)
            known = read_known(segments, shared, lengths, self._machinery.encoder.dim)
        self._repeats.learn_relatives(known)

    def _read(self, corpus: Corpus, documents: Sequence[int]) -> Iterator[StoredDocument]:
        chosen = _Chosen(corpus, sorted(documents))
        after = 0
        while page := chosen.documents_after(after, _PAGE):
            yield from page
            after = page[-1].id

    def _round(self, ordered: Sequence[int], waiting: Mapping[int, int]) -> list[int]:
        """The next documents: as many as a commit takes, at the rate that was measured."""
        budget = max(self._rate * COMMIT_SECONDS, _ROUND_PASSAGES)
        chosen: list[int] = []
        for document in ordered[: self._settings.index.documents_per_segment]:
            if chosen and budget < waiting[document]:
                break
            chosen.append(document)
            budget -= waiting[document]
        return chosen

    def _add(self, corpus: Pages, after: int, choose: Choose, shown: _Shown) -> Iterator[SegmentEnd]:
        """Encode documents into the builder; yields when a commit is due."""
        make = partial(
            stream,
            corpus,
            after,
            encoder=self._machinery.encoder,
            documents_per_segment=self._settings.index.documents_per_segment,
            cut=in_pieces,
            choose=choose,
            holds=self._checkpoint.holds,
            find=self._repeats.find,
        )
        device = self._machinery.encoder.device
        with open_stream(lambda inner: make(context=inner), self._context, device=device) as ready:
            for item in ready:
                match item:
                    case Batch():
                        self._failures = 0
                        self._by_words.update(item.by_words)
                        self._take(item)
                        shown.encoded(item)
                    case Failed():
                        self._skip(item)
                    case SegmentEnd():
                        yield item

    def _take(self, batch: Batch[Encoded]) -> None:
        begin = perf_counter()
        made = self._checkpoint.take(batch.pieces)
        if made is None:
            made = self._assign(batch)
            self._checkpoint.add(batch.pieces, made)
        self._pending.append((made, batch.rest))
        if batch.complete:
            self._flush()
        else:
            self._checkpoint.save_if_due()
        self._seconds["assign"] += perf_counter() - begin
        self._seconds["encode"] += batch.seconds

    def _assign(self, batch: Batch[Encoded]) -> EncodedBatch:
        """Assign the spans of a batch to centers."""
        fresh = [piece for piece, held in zip(batch.pieces, batch.known, strict=True) if held is None]
        rows, entries = make_rows(
            fresh, batch.encoded, self._machinery, top_k=self._settings.centers.top_k_document
        )
        self._repeats.keep(fresh, rows, entries)
        if len(fresh) < len(batch.pieces):
            rows, entries = merge_known(batch.pieces, batch.known, rows, entries)
        return EncodedBatch(rows, span_entries.shift_spans(entries, [piece.start for piece in batch.pieces]))

    def save(self) -> None:
        """Keep what was encoded since the last commit for the next run."""
        self._checkpoint.save()

    def _flush(self) -> None:
        for made, rest in self._pending:
            self._builder.add(made.rows, made.entries, rest)
        self._pending.clear()

    def _skip(self, failed: Failed) -> None:
        self._failures += 1
        if self._failures > _FAILURES_LIMIT:
            raise ResourceError(f"The encoder failed on {self._failures} documents in a row: {failed.reason}")
        # Batches of its earlier pieces: a document is in the index whole or not at all.
        self._pending.clear()
        self._skipped.append(failed.document)
        which = "The description of " if self._describing else ""
        self._context.report(Note(f"{which}{failed.publication} is not in the index: {failed.reason}"))

    def _commit(self, publish: Callable[[SegmentArrays], None]) -> None:
        begin = perf_counter()
        arrays = self._builder.arrays()
        publish(arrays)
        self._checkpoint.committed()
        self._passages += len(np.unique(arrays.passage_ids))
        self._spans += int(arrays.span_counts.sum())
        self._postings += arrays.postings
        self._builder = self._new_builder()
        self._skipped = []
        self._seconds["write"] += perf_counter() - begin
        work = sum(self._seconds[stage] for stage in ("encode", "assign", "write"))
        self._rate = self._passages / max(work, 1e-9)
        self._merge(unless_below=CROWDED)

    def _merge(self, *, unless_below: int) -> None:
        begin = perf_counter()
        self._writer.merge(self._context, unless_below=unless_below)
        self._seconds["merge"] += perf_counter() - begin

    def tidy(self) -> None:
        """Merge the remaining segments, update the dense graph, and put a rebuilt index into use."""
        self.update_graph()
        self._checkpoint.finish(self._writer.waiting())
        self._writer.finish()

    def update_graph(self) -> None:
        """Merge the small segments, and build the dense graph, unless it is up to date."""
        self._merge(unless_below=2)
        begin = perf_counter()
        self._writer.build_graph(self._settings.index, self._context)
        self._seconds["dense"] += perf_counter() - begin
        self._described = self._writer.described

    def _update_crowded_graph(self) -> None:
        """Build the graph again when the number of descriptions has doubled.

        The sections outside it are searched one by one, and their levels are measured when it is built.
        """
        if self._writer.described >= 2 * max(self._described, _FEW_DESCRIPTIONS // 2):
            self.update_graph()

    def report(self, generation: str) -> IndexReport:
        return IndexReport(
            documents=self._documents,
            full_text=self._full_text,
            passages=self._passages,
            spans=self._spans,
            postings=self._postings,
            seconds=perf_counter() - self._started,
            stages=tuple(self._seconds.items()),
            device=self._machinery.encoder.device,
            generation=generation,
        )

    def _new_builder(self) -> SegmentBuilder:
        return SegmentBuilder(len(self._machinery.vocabulary), self._machinery.encoder.dim)


class _Shown(Protocol):
    """Reports progress with every batch, so that a long document is no silence."""

    def encoded(self, batch: Batch[Encoded]) -> None:
        """Count a batch that is not committed."""
        ...


class _Documents:
    """Progress in documents."""

    def __init__(self, rate: Rate, begun: int = 0) -> None:
        self._rate = rate
        self._done = begun
        self._complete: set[int] = set()

    def encoded(self, batch: Batch[Encoded]) -> None:
        documents = {piece.passage.patent for piece in batch.pieces}
        if batch.complete:
            self._complete |= documents
        self._rate.reached(self._done + len(self._complete))

    def reached(self, done: int) -> None:
        """Number of documents that are committed."""
        self._done = done
        self._complete.clear()
        self._rate.reached(done)


class _Passages:
    """Progress in passages."""

    def __init__(self, rate: Rate, begun: int) -> None:
        self._rate = rate
        self._done, self._encoded = begun, 0

    def encoded(self, batch: Batch[Encoded]) -> None:
        many = len(batch.passages)
        self._encoded += many
        if batch.held:
            self._rate.leave_out(many)
        self._rate.reached(self._done + self._encoded)

    def reached(self, done: int) -> None:
        """Number of passages that are committed."""
        self._done, self._encoded = done, 0
        self._rate.reached(done)


class _ById:
    """Every description, by ascending id."""

    def limit(self, waiting: Mapping[int, int]) -> dict[int, int]:
        return dict(waiting)

    def sorted(self, waiting: Mapping[int, int]) -> Sequence[int]:
        return sorted(waiting)


class _Chosen:
    """Some documents of a corpus, without those that were removed."""

    def __init__(self, corpus: Pages, documents: Sequence[int]) -> None:
        self._corpus, self._documents = corpus, documents

    def documents_after(self, document: int, limit: int) -> Sequence[StoredDocument]:
        found: list[StoredDocument] = []
        for wanted in self._documents[bisect_right(self._documents, document) :]:
            if len(found) == limit:
                break
            found += [item for item in self._corpus.documents_after(wanted - 1, 1) if item.id == wanted]
        return found
