"""Writing an index: a reported commit is durable; leftovers of a crash are removed at the next start."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from claimlight.digests import sha256
from claimlight.errors import BugError, ResourceError
from claimlight.files import folder_inside, sync
from claimlight.index import dense, files, segments
from claimlight.index import manifest as manifests
from claimlight.index.convert import convert_segments
from claimlight.index.levels import measure_levels
from claimlight.index.live import LiveSegment, find_rest
from claimlight.index.lock import WriterLock
from claimlight.index.manifest import (
    CURRENT,
    FORMAT,
    NEXT,
    OLD_FORMATS,
    GraphRecord,
    IndexManifest,
    IndexRecipe,
)
from claimlight.index.merge import MergeSource, count_mergeable, merge_segments
from claimlight.index.segments import SegmentArrays, SegmentPart, SegmentRecord, open_arrays
from claimlight.index.verify import verify
from claimlight.settings import IndexSettings
from claimlight.tasks import TaskContext
from claimlight.types import Note

_T = TypeVar("_T")
Documents = NDArray[np.int64]
_NUMBER = re.compile(r"g(\d+)-")
CHECKPOINT = "encoding.npz"
"""File of a generation's folder that the indexer keeps what it encoded of uncommitted documents in."""


class IndexWriter:
    """The only writer of an ``index`` folder; a context manager that holds its lock."""

    def __init__(self, index: Path) -> None:
        self._index = index
        self._lock: WriterLock | None = None
        self._manifest: IndexManifest | None = None
        self._pointer = CURRENT

    def __enter__(self) -> IndexWriter:
        self._lock = WriterLock(self._index).__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.__exit__()
            self._lock = None

    @property
    def manifest(self) -> IndexManifest:
        """The last commit."""
        if self._manifest is None:
            raise BugError("the writer was not started")
        return self._manifest

    @property
    def folder(self) -> Path:
        return self._index / self.manifest.generation

    def start(
        self,
        recipe: IndexRecipe,
        *,
        dim: int,
        centers: int,
        rebuild: bool = False,
        context: TaskContext | None = None,
    ) -> None:
        """Resume where the last run stopped, or begin a generation.

        During a rebuild the live generation remains in use until `finish`; an interrupted rebuild is resumed.
        Raises `ResourceError` for a damaged index, or one of another recipe, unless ``rebuild``. An index of
        an old format is converted; the old segments are kept until all are converted.
        """
        self._manifest = self._interrupted(recipe)
        if self._manifest is None and not rebuild:
            self._manifest = self._live(recipe)
        if self._manifest is None:
            self._begin(recipe, dim=dim, centers=centers, rebuild=rebuild)
        # Before anything is written: what a kill left would be in the way of new names.
        self._sweep()
        if self.manifest.format in OLD_FORMATS:
            self._convert(context or TaskContext())
        # Formats 2 to 4 are used as they are, and written as the current one from the next commit on.
        self._manifest = replace(self.manifest, format=FORMAT)

    def commit(
        self,
        arrays: SegmentArrays,
        *,
        last_document: int,
        skipped: Sequence[int] = (),
        part: SegmentPart = SegmentPart.WHOLE,
    ) -> None:
        """Publish one segment; documents up to the id ``last_document`` count as indexed."""
        kept, number = self._with_segment(arrays, part)
        self._publish(
            segments=kept,
            next_segment=number,
            last_document=last_document,
            skipped=(*self.manifest.skipped, *skipped),
        )

    def commit_descriptions(self, arrays: SegmentArrays, *, unread: Sequence[int] = ()) -> None:
        """Publish the descriptions of documents whose claims are indexed.

        Their passages that searches have read are then ignored. ``unread``: documents whose description can't
        be encoded.
        """
        kept, number = self._with_segment(arrays, SegmentPart.DESCRIPTION)
        again = np.asarray(arrays.document_ids)
        kept = tuple(
            self._without(item, again) if item.part is SegmentPart.PASSAGES else item for item in kept
        )
        self._publish(
            segments=kept,
            next_segment=number,
            unread=tuple(sorted({*self.manifest.unread, *unread})),
        )

    def continue_live(self, recipe: IndexRecipe) -> bool:
        """As `start`, for a short addition to the live index.

        False, with nothing done, if there is no such index, or a rebuild is to be finished first.
        """
        pointer = manifests.read_pointer(self._index)
        if pointer is None or (self._index / NEXT).exists():
            return False
        found = manifests.read(self._index, pointer)
        if found.recipe != recipe:
            return False
        self._manifest = replace(found, format=FORMAT)
        self._sweep()
        return True

    def commit_passages(self, arrays: SegmentArrays) -> None:
        """Publish some passages of descriptions that are not indexed, without those of other documents."""
        kept, number = self._with_segment(arrays, SegmentPart.PASSAGES)
        if number == self.manifest.next_segment:
            return
        done = np.setdiff1d(arrays.document_ids, list(self.waiting())).tolist()
        kept = (*kept[:-1], replace(kept[-1], replaced=tuple(done)))
        self._publish(segments=kept, next_segment=number)

    def waiting(self) -> dict[int, int]:
        """The documents whose description can be indexed, ascending, and its number of passages."""
        ids, counts = find_rest(self.open_segments(), self.manifest.unread)
        return dict(zip(ids.tolist(), counts.tolist(), strict=True))

    def describable(self) -> dict[int, int]:
        """As `waiting`, with the documents whose description is indexed already."""
        begun = [item for item in self.open_segments() if item.part is SegmentPart.CLAIMS]
        ids, counts = find_rest(begun, self.manifest.unread)
        return dict(zip(ids.tolist(), counts.tolist(), strict=True))

    @property
    def described(self) -> int:
        """Number of documents whose description was indexed after their claims."""
        own = (item for item in self.manifest.segments if item.part is SegmentPart.DESCRIPTION)
        return sum(item.documents - len(item.replaced) for item in own)

    def drop_descriptions(self) -> None:
        """Remove what was indexed of descriptions after the claims, whole ones and passages that were read.

        The checkpoint goes too: it has the batches of descriptions that are half done. Those of a first pass
        that was stopped may be in it as well, less than a minute of work.
        """
        kept = tuple(item for item in self.manifest.segments if _begins(item))
        self._publish(segments=kept, dead=self._still_dead(kept), unread=(), graph=None)
        _discard(self.folder / CHECKPOINT)

    def _with_segment(
        self, arrays: SegmentArrays, part: SegmentPart
    ) -> tuple[tuple[SegmentRecord, ...], int]:
        """The segments with a new one, which is on disk, and the number of the next."""
        kept, number = self.manifest.segments, self.manifest.next_segment
        if not len(arrays.document_ids):
            return kept, number
        # On disk before a manifest names it: a kill in between leaves a folder for `_sweep`.
        made = self._writing(lambda: segments.write(arrays, self.folder, _name(number), part))
        return (*kept, made), number + 1

    def mark_uncut(self, documents: Sequence[int]) -> None:
        """Record the documents whose very long passages are not split yet; each is to be recommitted."""
        self._publish(uncut=tuple(sorted(documents)))

    def recommit(self, arrays: SegmentArrays, *, through: int) -> None:
        """Publish new rows for documents that are in the index already; the old rows are then ignored.

        Documents up to ``through`` are no longer uncut. There is no graph until the next `build_graph`.
        """
        older = self.manifest.segments
        kept, number = self._with_segment(arrays, SegmentPart.WHOLE)
        if len(kept) > len(older):
            again = np.asarray(arrays.document_ids)
            kept = (*(self._without(item, again) for item in older), kept[-1])
        rest = tuple(item for item in self.manifest.uncut or () if item > through)
        self._publish(segments=kept, next_segment=number, uncut=rest, graph=None)

    def _without(self, item: SegmentRecord, again: Documents) -> SegmentRecord:
        """The record of a segment with the documents ``again`` marked as replaced."""
        held = np.intersect1d(self._ids(item), again).tolist()
        return replace(item, replaced=tuple(sorted({*item.replaced, *held}))) if held else item

    def remove(self, documents: Sequence[int], library_version: int) -> int:
        """Mark documents as removed; returns how many of them were in the index."""
        held = np.concatenate(
            [np.empty(0, dtype=np.int64), *(self._ids(item) for item in self.manifest.segments)]
        )
        gone = sorted(set(np.intersect1d(held, list(documents)).tolist()) - set(self.manifest.dead))
        # Also if none was in the index: the removals up to this version are then applied.
        if gone or library_version != self.manifest.library_version:
            dead = tuple(sorted({*self.manifest.dead, *(int(item) for item in gone)}))
            self._publish(dead=dead, library_version=library_version)
        return len(gone)

    def merge(
        self,
        context: TaskContext,
        *,
        unless_below: int = 2,
        parts: Collection[SegmentPart] = tuple(SegmentPart),
    ) -> None:
        """Merge the newest segments of each part as their sizes require, if it has ``unless_below`` or more.

        What is merged depends on the manifest alone, so a killed and resumed run ends with the same segments.
        """
        for part in parts:
            if sum(item.part is part for item in self.manifest.segments) >= unless_below:
                self._merge_part(part, context)

    def _merge_part(self, part: SegmentPart, context: TaskContext) -> None:
        while True:
            own = [item for item in self.manifest.segments if item.part is part]
            run = count_mergeable([item.postings for item in own])
            if run < 2:
                return
            context.check()
            merged = own[-run:]
            opened = [(item, open_arrays(self.folder, item)) for item in merged]
            parts = [
                MergeSource(arrays, ~np.isin(arrays.document_ids, self.manifest.gone(item)))
                for item, arrays in opened
            ]
            record = self._merged(parts, context, part)
            kept = (*(item for item in self.manifest.segments if item not in merged), record)
            self._publish(
                segments=kept,
                next_segment=self.manifest.next_segment + 1,
                # Where their rows are gone, their tombstones go too.
                dead=self._still_dead(kept),
            )
            # Now, and not at the next start: the next merge needs the space. Readers keep the files that they
            # have mapped, and one that has just read the old manifest tries again (`Generation.open`).
            for item in merged:
                _discard(self.folder / item.name)

    def _still_dead(self, kept: Sequence[SegmentRecord]) -> tuple[int, ...]:
        """The removed documents that have rows in some segments."""
        if not self.manifest.dead:
            return ()
        held = np.concatenate([np.empty(0, dtype=np.int64), *(self._ids(item) for item in kept)])
        return tuple(np.intersect1d(self.manifest.dead, held).tolist())

    def _convert(self, context: TaskContext) -> None:
        """Convert every segment to the current format and publish them together; nothing is encoded."""
        context.report(Note("The index of an earlier version is converted; documents are not encoded again."))
        first = self.manifest.next_segment
        names = [_name(first + n) for n in range(len(self.manifest.segments))]
        made = self._writing(lambda: convert_segments(self.folder, self.manifest, names, context=context))
        self._publish(segments=made, next_segment=first + len(made), format=FORMAT)
        self._sweep()

    def _merged(self, parts: Sequence[MergeSource], context: TaskContext, part: SegmentPart) -> SegmentRecord:
        name = _name(self.manifest.next_segment)
        return self._writing(
            lambda: merge_segments(
                parts, self.folder, name, centers=self.manifest.centers, context=context, part=part
            )
        )

    def build_graph(self, settings: IndexSettings, context: TaskContext) -> None:
        """Update the section levels and the dense graph to the current segments."""
        graph, levels = self.manifest.graph, self.manifest.levels
        through = self.manifest.last_document
        live = self.open_segments()
        held = sum(int(item.live_documents[item.arrays.section_document].sum()) for item in live)
        level = levels is not None and levels.share == settings.section_level
        same = graph is not None and (graph.count, graph.through) == (held, through)
        # A damaged graph is never loaded (hnswlib would crash), so it is built again.
        if graph is not None and same and level and self._whole(graph):
            return
        levels = measure_levels(live, settings.section_level, dim=self.manifest.dim)
        # Not the name of the live graph, which readers may be loading.
        name = f"dense-{self.manifest.commit + 1:06d}.hnsw"
        record = self._writing(
            lambda: dense.build_graph(
                live,
                self.folder,
                levels=levels,
                name=name,
                through=through,
                settings=settings,
                context=context,
            )
        )
        self._publish(graph=record, levels=levels)

    def finish(self) -> None:
        """Make a rebuild the live generation."""
        if self._pointer == NEXT:
            (self._index / NEXT).replace(self._index / CURRENT)
            sync(self._index)
            self._pointer = CURRENT
        self._sweep()

    def open_segments(self) -> list[LiveSegment]:
        """The segments of the last commit."""
        return [
            LiveSegment(open_arrays(self.folder, item), self.manifest.gone(item), item.part)
            for item in self.manifest.segments
        ]

    def _ids(self, item: SegmentRecord) -> Documents:
        return segments.read_document_ids(self.folder, item)

    def _whole(self, graph: GraphRecord) -> bool:
        try:
            files.check_hash(self.folder / graph.file.name, graph.file)
        except ResourceError:
            return False
        return True

    def _interrupted(self, recipe: IndexRecipe) -> IndexManifest | None:
        """The manifest of an interrupted rebuild that can be resumed."""
        try:
            pointer = manifests.read_pointer(self._index, NEXT)
            if pointer is None:
                return None
            found = manifests.read(self._index, pointer, old=True)
            if found.recipe != recipe:
                return None
            verify(self._index / found.generation, found.segments)
        except ResourceError:
            # A damaged rebuild is begun again: nobody reads it yet.
            return None
        self._pointer = NEXT
        return found

    def _live(self, recipe: IndexRecipe) -> IndexManifest | None:
        pointer = manifests.read_pointer(self._index)
        if pointer is None:
            return None
        found = manifests.read(self._index, pointer, old=True)
        found.recipe.check(recipe)
        if found.recipe.top_k != recipe.top_k:
            raise ResourceError(
                f"The index was built with {found.recipe.top_k} centers per document span, the setting is "
                f"{recipe.top_k} now. Restore the setting, or rebuild the index with `claimlight index "
                "--rebuild`."
            )
        verify(self._index / found.generation, found.segments)
        return found

    def _begin(self, recipe: IndexRecipe, *, dim: int, centers: int, rebuild: bool) -> None:
        used = [int(m[1]) for p in self._index.iterdir() if (m := _NUMBER.match(p.name))]
        digest = sha256(repr(recipe))[:8]
        generation = f"g{max(used, default=0) + 1:04d}-{digest}"
        folder_inside(self._index / generation)
        # Its name must be on disk before a pointer names it.
        sync(self._index)
        self._pointer = NEXT if rebuild and (self._index / CURRENT).exists() else CURRENT
        self._manifest = IndexManifest(
            generation, 0, recipe, dim, centers, last_document=0, library_version=0
        )
        self._publish()

    def _publish(self, **changes: object) -> None:
        previous = self.manifest
        current = replace(previous, commit=previous.commit + 1, **changes)  # type: ignore[arg-type]
        self._writing(lambda: manifests.publish(self._index, current, self._pointer))
        self._manifest = current
        # Not the previous one: a reader may have read its pointer just now.
        _discard(self.folder / manifests.manifest_name(previous.commit - 1))

    def _writing(self, work: Callable[[], _T]) -> _T:
        """Do disk work; on failure, remove partial files and raise `ResourceError` for I/O errors."""
        try:
            return work()
        except OSError as error:
            self._sweep()
            if files.is_full(error):
                raise files.disk_full_error(self._index, str(error.strerror)) from error
            raise ResourceError(f"The index in {self._index} can't be written: {error}.") from error
        except BaseException:
            self._sweep()
            raise

    def _sweep(self) -> None:
        """Remove files that no pointer refers to; nothing, if a pointer can't be read."""
        try:
            current = self._pointed(CURRENT)
            # A rebuild that this run does not resume is removed, with its pointer.
            pending = self._pointed(NEXT) if self._pointer == NEXT else None
        except ResourceError:
            return
        keep = {CURRENT, "lock", files.MAP_NAME} | ({NEXT} if self._pointer == NEXT else set())
        inner: dict[str, set[str]] = {}
        for found in (current, pending):
            if found is not None:
                inner.setdefault(found.generation, set()).update(_list_files(found))
        for path in self._index.iterdir():
            if path.name in inner:
                for item in path.iterdir():
                    if item.name not in inner[path.name]:
                        _discard(item)
            elif path.name not in keep:
                _discard(path)

    def _pointed(self, pointer: str) -> IndexManifest | None:
        found = manifests.read_pointer(self._index, pointer)
        return None if found is None else manifests.read(self._index, found, old=True)


def _list_files(found: IndexManifest) -> set[str]:
    graph = {found.graph.file.name} if found.graph else set()
    own = {manifests.manifest_name(found.commit), manifests.COPY, "verified.json", CHECKPOINT}
    return own | graph | {item.name for item in found.segments}


def _discard(path: Path) -> None:
    """Delete a file or folder if possible."""
    # On Windows a reader may have a file mapped; the next start tries again.
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    try:
        path.unlink()
    except OSError:
        return


def _begins(item: SegmentRecord) -> bool:
    """Whether a segment has the claims of its documents."""
    return item.part in (SegmentPart.WHOLE, SegmentPart.CLAIMS)


def _name(number: int) -> str:
    return f"seg-{number:06d}"
