"""The live index, open for searching: center scores of passages, forward lists, dense search.

A `Generation` is one commit of an index, memory-mapped and immutable; a later commit is another object.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import BugError, ResourceError
from claimlight.index import forward as forwards
from claimlight.index import manifest as manifests
from claimlight.index import ranking
from claimlight.index.backend import ALL, PartFilter
from claimlight.index.dense import DenseHit, DenseIndex, SectionVectors
from claimlight.index.forward import ForwardEntries
from claimlight.index.live import LiveSegment, count_read, find_rest, live_ids
from claimlight.index.manifest import IndexManifest, IndexRecipe
from claimlight.index.ranking import PassageScores, RankedDocuments
from claimlight.index.scoring import CODES, NO_NORM, CenterQuery, CenterWeights, LengthNorm, Scoring, StopList
from claimlight.index.segments import SegmentArrays, SegmentPart, SegmentRecord, open_arrays
from claimlight.index.verify import verify
from claimlight.settings import CenterSettings

_ATTEMPTS = 5


class Generation:
    """One commit of an index, open for reading."""

    def __init__(self, index: Path, manifest: IndexManifest, before: Generation | None = None) -> None:
        """``before`` is an earlier commit that is open; what has not changed is not opened again."""
        self.manifest = manifest
        self.folder = index / manifest.generation
        known = before._known(manifest) if before is not None else {}
        self.segments = tuple(
            known.get(item) or LiveSegment(open_arrays(self.folder, item), manifest.gone(item), item.part)
            for item in manifest.segments
        )
        self._dense: DenseIndex = DenseIndex(
            self.segments,
            self.folder,
            manifest.graph,
            manifest.levels,
            dim=manifest.dim,
            before=before._dense if known and before is not None else None,
        )
        self._read = 0
        self._weights = self._weigh()
        self.threads = 0
        """Threads of a search; 0 means all cores. Small indexes always use one."""

    def _weigh(self) -> CenterWeights:
        none = np.zeros(self.manifest.centers, dtype=np.int64)
        return CenterWeights(sum((item.df for item in self.segments), start=none), self.passages)

    def _known(self, manifest: IndexManifest) -> dict[SegmentRecord, LiveSegment]:
        """The open segments that are the same in another commit."""
        mine = self.manifest
        if (mine.generation, mine.dead) != (manifest.generation, manifest.dead):
            return {}
        return dict(zip(mine.segments, self.segments, strict=False))

    def with_passages(self, held: Sequence[SegmentArrays]) -> Generation:
        """The same commit with some passages in memory, of documents whose description is not indexed."""
        other = copy(self)
        waiting = self.rest()[0]
        added = tuple(
            LiveSegment(item, np.setdiff1d(item.document_ids, waiting), SegmentPart.PASSAGES) for item in held
        )
        other.segments = (*self.segments, *added)
        other._read = self._read + sum(item.passages for item in added)
        other._weights = other._weigh()
        return other

    @classmethod
    def open(cls, index: Path, *, check: bool = True, before: Generation | None = None) -> Generation | None:
        """Open the live generation of an ``index`` folder; None if there is none yet.

        Raises `ResourceError` for a damaged index. ``check=False`` checks the sizes of files only. ``before``
        is a commit that is open already.
        """
        for attempt in range(_ATTEMPTS):
            pointer = manifests.read_pointer(index)
            if pointer is None:
                return None
            try:
                manifest = manifests.read(index, pointer)
                if check:
                    verify(index / manifest.generation, manifest.segments)
                return cls(index, manifest, before)
            except ResourceError:
                # Another process may have published, and deleted the old manifest, between the two reads.
                if manifests.read_pointer(index) == pointer or attempt == _ATTEMPTS - 1:
                    raise
        raise BugError("unreachable")

    @property
    def name(self) -> str:
        """Identifies this state of the index in results."""
        return self.manifest.name + (f"+{self._read}" if self._read else "")

    @property
    def recipe(self) -> IndexRecipe:
        return self.manifest.recipe

    @property
    def documents(self) -> int:
        """Live documents."""
        return sum(item.documents for item in self.segments if item.begins)

    @property
    def passages(self) -> int:
        """Live passages: N in the idf."""
        return sum(item.passages for item in self.segments)

    @property
    def df(self) -> NDArray[np.int64]:
        """[V] document frequency: live passages with an entry of each center."""
        return self._weights.df

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings for the user."""
        return (self._dense.note,) if self._dense.note else ()

    @property
    def last_document(self) -> int:
        """Highest document id that was indexed; documents with higher ids are not in this index."""
        return self.manifest.last_document

    def document_ids(self) -> NDArray[np.int64]:
        """Ids of the live documents, ascending."""
        return live_ids(item for item in self.segments if item.begins)

    @cached_property
    def claims_only(self) -> NDArray[np.int64]:
        """Ids of the live documents whose description is still to be indexed, ascending."""
        waiting = self.rest()[0]
        unread = np.array(self.manifest.unread, dtype=np.int64)
        return np.union1d(waiting, np.intersect1d(unread, self.document_ids()))

    @cached_property
    def described(self) -> NDArray[np.int64]:
        """Ids of the live documents whose description was indexed after their claims, ascending."""
        return live_ids(item for item in self.segments if item.part is SegmentPart.DESCRIPTION)

    @property
    def mixed(self) -> bool:
        """Whether the description of some documents is indexed, and that of others is not."""
        return bool(len(self.claims_only) and len(self.described))

    def rest(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids of the documents whose description can be indexed, ascending, and its number of passages."""
        return find_rest(self.segments, self.manifest.unread)

    def count_read(self, documents: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Passages that were read of descriptions that are not indexed, see `live.count_read`."""
        waiting = np.intersect1d(np.asarray(documents, dtype=np.int64), self.claims_only)
        return count_read(self.segments, waiting.tolist())

    def idf(self, settings: CenterSettings) -> NDArray[np.float32]:
        """See `CenterWeights.idf`."""
        return self._weights.idf(settings)

    def stops(self, settings: CenterSettings) -> StopList:
        """See `CenterWeights.stops`."""
        return self._weights.stops(settings)

    def scoring(self, settings: CenterSettings) -> Scoring:
        """The scoring function of this index under ``settings``."""
        return self._weights.scoring(settings)

    def warm(self) -> None:
        """Load the compiled loops, so that the first search does not wait for them.

        They come from numba's cache, or are compiled: a few seconds, once per machine.
        """
        worth = np.ones((1, CODES))
        # As in every query: code 0 adds nothing.
        worth[:, 0] = 0.0
        query, norm = CenterQuery(np.zeros(1, dtype=np.int32), worth), LengthNorm(0.0)
        ranking.best_documents(self.segments, query, norm, depth=1, allowed=None, threads=1)
        found = ranking.best_passages(self.segments, query, norm, k=1, allowed=None, threads=1)
        warm_lists(self.forward(found.passages, query.centers), query, norm)

    def posting_count(self, query: CenterQuery) -> int:
        """Number of postings that a query reads."""
        return ranking.count_postings(self.segments, query)

    def best_passages(
        self, query: CenterQuery, norm: LengthNorm, *, k: int, allowed: NDArray[np.int64] | None = None
    ) -> PassageScores:
        """The ``k`` best live passages, best first (ties: lower id); one in pieces may occur once per piece.

        ``allowed`` are ascending document ids.
        """
        return ranking.best_passages(self.segments, query, norm, k=k, allowed=allowed, threads=self.threads)

    def best_documents(
        self,
        query: CenterQuery,
        norm: LengthNorm,
        *,
        depth: int,
        allowed: NDArray[np.int64] | None = None,
        claims: bool = False,
        implied: PartFilter = ALL,
    ) -> RankedDocuments:
        """See `SearchableIndex.best_documents`; ``implied`` is of no use here."""
        segments = self.segments
        if claims:
            segments = tuple(item for item in segments if item.part is SegmentPart.CLAIMS)
        return ranking.best_documents(
            segments, query, norm, depth=depth, allowed=allowed, threads=self.threads
        )

    def passages_above(self, query: CenterQuery, least: float) -> PassageScores:
        """See `SearchableIndex.passages_above`."""
        found = self.all_passages(query, NO_NORM)
        kept = np.flatnonzero(found.scores >= least)
        return PassageScores(found.passages[kept], found.documents[kept], found.scores[kept])

    def all_passages(self, query: CenterQuery, norm: LengthNorm) -> PassageScores:
        """Every live passage with a score, in index order; one in pieces occurs once per piece."""
        return ranking.all_passages(self.segments, query, norm, threads=self.threads)

    def forward(
        self, passages: Sequence[int] | NDArray[np.int64], centers: NDArray[np.int32] | None = None
    ) -> ForwardEntries:
        """Entries of each passage: centers, weights, and the span with each weight.

        With ``centers``, only entries of these: a query needs no others, and they are about a tenth.
        """
        return forwards.read_entries(self.segments, np.asarray(passages, dtype=np.int64), centers)

    def passage_vectors(
        self, passages: Sequence[int] | NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Index among ``passages`` [R] and unit vector [R, d] of each one, or of each piece of one.

        Passages without a vector have no row: those that are not indexed, that the encoder saw nothing of, or
        that an earlier version indexed.
        """
        return forwards.read_vectors(self.segments, np.asarray(passages, dtype=np.int64), self.manifest.dim)

    def search_dense(
        self,
        vector: NDArray[np.float32],
        k: int,
        *,
        ef: int = 200,
        exact: bool = False,
        documents: NDArray[np.int64] | None = None,
    ) -> tuple[DenseHit, ...]:
        """The ``k`` nearest section vectors; see `DenseIndex.search`."""
        return self._dense.search(vector, k, ef=ef, exact=exact, documents=documents)

    def section_scores(self, vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Document and score of every live section vector; see `DenseIndex.scores`."""
        return self._dense.scores(vector)

    def section_vectors(self, only: NDArray[np.int64] | None = None) -> SectionVectors:
        """Every live section with its vector, or those of ``only`` some documents."""
        return self._dense.vectors(only)


def warm_lists(lists: ForwardEntries, query: CenterQuery, norm: LengthNorm) -> None:
    """Load the loops that forward lists go through, with any lists and a query of center 0."""
    from claimlight.index import forward_kernels

    norms = norm.of(lists.span_counts)
    forward_kernels.find_meetings(
        lists.offsets, lists.centers, lists.codes, query.row_of_center(1), query.worth, norms
    )
    warm_evidence(lists.offsets, lists.centers, lists.codes, query.worth, norms)


def warm_evidence(
    offsets: NDArray[np.int64],
    centers: NDArray[np.int32],
    codes: NDArray[np.uint8],
    worth: NDArray[np.float64],
    norms: NDArray[np.float64],
) -> None:
    """Load the loops behind evidence with forward lists, which may be empty, and one query, of center 0."""
    from claimlight.index import forward_kernels

    found = forward_kernels.find_all_meetings(
        offsets,
        centers,
        codes,
        np.array([0, *[1] * (1 + int(centers.max(initial=0)))]),
        np.zeros(1, dtype=np.int64),
        np.array([0, 1]),
        worth,
        worth,
        norms,
    )
    marks = np.zeros(len(centers), dtype=np.bool_)
    forward_kernels.sum_kept(np.arange(len(offsets) - 1), found[6][0], found[2], found[3], marks)
    scores, none = found[7][0], np.zeros(len(norms), dtype=np.bool_)
    forward_kernels.choose_rows(scores, scores, none, none, np.array([0, len(norms)]), 1)
