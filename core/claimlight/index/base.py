"""What a search asks of an index, be it in the library's folder or on a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from claimlight.index.backend import ALL, PartFilter
from claimlight.index.dense import DenseHit, SectionVectors
from claimlight.index.forward import ForwardEntries
from claimlight.index.manifest import IndexRecipe
from claimlight.index.ranking import PassageScores, RankedDocuments
from claimlight.index.scoring import CenterQuery, LengthNorm, Scoring, StopList
from claimlight.settings import CenterSettings

Ids = NDArray[np.int64]


class SearchableIndex(Protocol):
    """One state of an index, open for searching; threads may share it.

    `Generation` is that of a folder, `SharedIndex` that of a shared library, whose rankings and vectors raise
    `EngineError` if the engine is gone, and whose forward lists `ResourceError` if the database is.
    """

    @property
    def name(self) -> str:
        """Identifies this state of the index in results."""
        ...

    @property
    def recipe(self) -> IndexRecipe: ...

    @property
    def documents(self) -> int:
        """Live documents."""
        ...

    @property
    def passages(self) -> int:
        """Live passages: N in the idf."""
        ...

    @property
    def df(self) -> Ids:
        """[V] live passages with an entry of each center."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings for the user."""
        ...

    @property
    def claims_only(self) -> Ids:
        """Ids of the live documents whose description is still to be indexed, ascending."""
        ...

    @property
    def described(self) -> Ids:
        """Ids of the live documents whose description was indexed after their claims, ascending."""
        ...

    @property
    def mixed(self) -> bool:
        """Whether the description of some documents is indexed, and that of others is not."""
        ...

    def document_ids(self) -> Ids:
        """Ids of the live documents, ascending."""
        ...

    def idf(self, settings: CenterSettings) -> NDArray[np.float32]:
        """See `CenterWeights.idf`."""
        ...

    def stops(self, settings: CenterSettings) -> StopList:
        """See `CenterWeights.stops`."""
        ...

    def scoring(self, settings: CenterSettings) -> Scoring:
        """The scoring function of this index, under ``settings`` as far as the index allows them."""
        ...

    def warm(self) -> None:
        """Load the compiled loops, so that the first search does not wait for them."""
        ...

    def best_documents(
        self,
        query: CenterQuery,
        norm: LengthNorm,
        *,
        depth: int,
        allowed: Ids | None = None,
        claims: bool = False,
        implied: PartFilter = ALL,
    ) -> RankedDocuments:
        """The ``depth`` best live documents by their best passage.

        ``norm`` is that of `scoring`. ``allowed`` are ascending document ids, all of which meet the
        conditions ``implied``. With ``claims`` only by title, abstract and claims, of the documents that are
        indexed in two passes.
        """
        ...

    def passages_above(self, query: CenterQuery, least: float) -> PassageScores:
        """Every live passage whose score without a norm is ``least`` (above 0) or more, in no certain order.

        One in pieces occurs once per piece. `InputError` if a shared index can't find them all.
        """
        ...

    def forward(
        self, passages: Sequence[int] | Ids, centers: NDArray[np.int32] | None = None
    ) -> ForwardEntries:
        """Entries of each passage: centers, weights, and the span with each weight.

        With ``centers``, only entries of these.
        """
        ...

    def passage_vectors(self, passages: Sequence[int] | Ids) -> tuple[Ids, NDArray[np.float32]]:
        """Index among ``passages`` [R] and unit vector [R, d] of each one, or of each piece of one.

        Passages without a vector have no row.
        """
        ...

    def search_dense(
        self,
        vector: NDArray[np.float32],
        k: int,
        *,
        ef: int = 200,
        exact: bool = False,
        documents: Ids | None = None,
    ) -> tuple[DenseHit, ...]:
        """The ``k`` nearest section vectors, best first; see `DenseIndex.search`."""
        ...

    def section_vectors(self, only: Ids) -> SectionVectors:
        """The live sections of ``only`` some documents, with their vectors."""
        ...
