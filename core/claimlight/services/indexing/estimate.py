"""What indexing will take: how much is left, how fast this machine encodes it, how much disk it needs.

Counted exactly up to `_COUNTED` documents that are not indexed at all; of more, as many are read at equal
distances, and the others are taken to be like them for their number of passages.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import select

from claimlight.index import span_entries
from claimlight.index.generation import Generation
from claimlight.index.sections import kind_of
from claimlight.index.segments import SegmentPart
from claimlight.services.indexing.encoding import Choose, Chosen, choose_claims, choose_description
from claimlight.services.indexing.indexing import index_folder
from claimlight.store import repository
from claimlight.store.library_tables import Document
from claimlight.text.long_texts import LONG
from claimlight.types import IndexDepth, IndexEstimate, PassEstimate

if TYPE_CHECKING:
    from claimlight.services.library.library import Library
    from claimlight.services.models.encoding_stack import EncodingStack
    from claimlight.settings import Settings
    from claimlight.store.values import StoredDocument, StoredPassage
    from claimlight.tasks import TaskContext

PASSAGE_BYTES = 1_400
"""Bytes of index per passage, of a library that has none to measure (docs/lab/measured/sizes.md)."""
SECTION_BYTES = 2_000
"""Bytes of the dense graph per section, likewise."""
MERGE_BYTES = 300_000_000
"""Most bytes of a merged segment (docs/developers/search-index.md)."""
_COUNTED = 500
_READ = 24
"""Documents with a waiting description that are read for texts to measure by."""
_TEXTS = 16
"""Most texts of one document to measure by."""
_SAMPLED = 256
"""Most passages of a pass that are measured by."""
_BATCH = 16
_MEASURED_SECONDS = 0.5
"""For each pass."""
_T = TypeVar("_T")


@dataclass(slots=True)
class _Pass:
    """What one pass has to do, and some of its texts."""

    documents: int = 0
    passages: int = 0
    sections: int = 0
    sampled: int = 0
    """Documents that were read if not all were."""
    texts: list[StoredPassage] = field(default_factory=list)


def estimate(
    library: Library,
    context: TaskContext,
    settings: Settings,
    *,
    depth: IndexDepth = IndexDepth.FULL,
    only: Collection[int] | None = None,
    rebuild: bool = False,
) -> IndexEstimate:
    """What `claimlight.services.indexing.indexing.build` would do; changes nothing.

    ``only`` restricts the descriptions. Encodes passages of the library for about a second to measure the
    speed. Raises `ResourceError` for an index that is damaged or of another model, unless ``rebuild``.
    """
    from claimlight.services.models.encoding_stack import open_encoding_stack

    library.require_folder()
    stack = open_encoding_stack(settings)
    index = index_folder(library.folder)
    generation = None if rebuild else Generation.open(index, check=False)
    if generation is not None:
        generation.recipe.check(stack.recipe(settings))
    left = _read_sizes(library, generation.last_document if generation else 0)
    claims = _count(library, left, context, choose_claims)
    # Also those that have no text: the first pass reads and counts them.
    claims.documents = len(left)
    descriptions = _Pass()
    if depth is IndexDepth.FULL:
        chosen = None if only is None else frozenset(only)
        wanted = {item: size for item, size in left.items() if chosen is None or item in chosen}
        descriptions = _count(library, wanted, context, _choose_left)
        if generation is not None:
            _add_waiting(descriptions, library, generation, chosen)
    cost = _Costs.of(generation)
    rate = _measure(claims.texts, stack, settings, context)
    first = _estimate_pass(claims, cost.claims, cost.section, rate)
    rate = _measure(descriptions.texts, stack, settings, context)
    second = _estimate_pass(descriptions, cost.description, cost.section, rate)
    new = first.bytes + second.bytes
    # Segments are merged, and the graph is built, beside the old ones.
    sections = cost.sections + claims.sections + descriptions.sections
    merged = max(cost.held_claims + first.bytes, cost.held_descriptions + second.bytes)
    beside = min(merged, MERGE_BYTES) + round(sections * cost.section) if new else 0
    return IndexEstimate(
        claims=first,
        descriptions=second,
        sampled=max(claims.sampled, descriptions.sampled),
        needed_bytes=new + beside,
        free_bytes=shutil.disk_usage(library.folder).free,
        device=stack.encoder.device,
    )


def _read_sizes(library: Library, after: int) -> dict[int, int]:
    """Passages in the library of each document after one, ascending."""
    query = select(Document.id, Document.passages).where(Document.id > after).order_by(Document.id)
    with library.store.read() as connection:
        return {row[0]: row[1] for row in connection.execute(query)}


def _count(library: Library, sizes: Mapping[int, int], context: TaskContext, choose: Choose) -> _Pass:
    """What ``choose`` takes of documents that are not indexed; ``sizes`` are their passages in it."""
    documents = tuple(sizes)
    read = _spread(documents, _COUNTED)
    found = _Pass()
    for number in read:
        context.check()
        for document in repository.read_documents_after(library.store, number - 1, 1):
            passages = choose(document).passages
            found.documents += bool(passages)
            found.passages += len(passages)
            found.sections += len({kind_of(item.section) for item in passages})
            found.texts += _spread(passages, _TEXTS)
    if len(read) < len(documents):
        by_passages = sum(sizes.values()) / max(1, sum(sizes[item] for item in read))
        by_documents = len(documents) / len(read)
        found.passages = round(found.passages * by_passages)
        found.documents = round(found.documents * by_documents)
        found.sections = round(found.sections * by_documents)
        found.sampled = len(read)
    return found


def _choose_left(document: StoredDocument) -> Chosen:
    """The description, unless the first pass takes the document whole."""
    return choose_description(document) if choose_claims(document).rest else Chosen(())


def _add_waiting(
    descriptions: _Pass, library: Library, generation: Generation, chosen: Collection[int] | None
) -> None:
    """Add the descriptions of documents whose claims are indexed."""
    ids, counts = (item.tolist() for item in generation.rest())
    waiting = {each: size for each, size in zip(ids, counts, strict=True) if chosen is None or each in chosen}
    descriptions.documents += len(waiting)
    descriptions.sections += len(waiting)
    descriptions.passages += sum(waiting.values())
    for number in _spread(tuple(waiting), _READ):
        for document in repository.read_documents_after(library.store, number - 1, 1):
            if document.id == number:
                descriptions.texts += _spread(choose_description(document).passages, _TEXTS)


def _spread(items: Sequence[_T], number: int) -> list[_T]:
    """At most ``number`` items at equal distances."""
    if len(items) <= number:
        return list(items)
    return [items[place * len(items) // number] for place in range(number)]


@dataclass(frozen=True, slots=True)
class _Costs:
    """Bytes on disk: per passage of each part, per section, and what the parts take now."""

    claims: float = PASSAGE_BYTES
    description: float = PASSAGE_BYTES
    section: float = SECTION_BYTES
    sections: int = 0
    """Sections in the graph."""
    held_claims: int = 0
    held_descriptions: int = 0

    @classmethod
    def of(cls, generation: Generation | None) -> _Costs:
        """Measured where there is something to measure."""
        if generation is None:
            return cls()
        sizes = {part: [0, 0] for part in SegmentPart}
        for item in generation.manifest.segments:
            sizes[item.part][0] += item.bytes
            sizes[item.part][1] += item.passages
        whole = sizes[SegmentPart.WHOLE]

        def per_passage(part: SegmentPart) -> float:
            held, passages = sizes[part] if sizes[part][1] >= _SAMPLED else whole
            return held / passages if passages else PASSAGE_BYTES

        graph = generation.manifest.graph
        return cls(
            claims=per_passage(SegmentPart.CLAIMS),
            description=per_passage(SegmentPart.DESCRIPTION),
            section=graph.file.bytes / graph.count if graph and graph.count else SECTION_BYTES,
            sections=graph.count if graph else 0,
            held_claims=sizes[SegmentPart.CLAIMS][0],
            held_descriptions=sizes[SegmentPart.DESCRIPTION][0],
        )


def _estimate_pass(item: _Pass, passage_bytes: float, section_bytes: float, rate: float) -> PassEstimate:
    return PassEstimate(
        documents=item.documents,
        passages=item.passages,
        seconds=item.passages / rate if rate else 0.0,
        bytes=round(item.passages * passage_bytes + item.sections * section_bytes),
    )


def _measure(
    passages: Sequence[StoredPassage], stack: EncodingStack, settings: Settings, context: TaskContext
) -> float:
    """Passages encoded and assigned to centers per second; 0 without passages."""
    from claimlight.encoders import EncoderInput

    # What is read in pieces is rare, and one of them would outweigh the others.
    texts = [item for item in _spread(passages, _SAMPLED) if len(item.text) <= LONG] or passages[:1]
    if not texts:
        return 0.0

    def work(some: Sequence[StoredPassage]) -> None:
        encoded = tuple(stack.encoder.encode([EncoderInput(i.text, i.section) for i in some], context))
        span_entries.make_entries(
            [item.text for item in some],
            encoded,
            unit=stack.unit,
            vocabulary=stack.vocabulary,
            top_k=settings.centers.top_k_document,
        )

    # The first call loads and compiles.
    work(texts[:1])
    # Every batch from all over the sample, so that the first ones are like the rest.
    rounds = max(1, len(texts) // _BATCH)
    done, begun, spent = 0, perf_counter(), 0.0
    for place in islice(cycle(range(rounds)), max(rounds, 4)):
        some = texts[place::rounds]
        work(some)
        done += len(some)
        spent = perf_counter() - begun
        if spent >= _MEASURED_SECONDS:
            break
    return done / max(spent, 1e-9)
