"""Rankers, fusion, filters and families.

`RETRIEVERS` lists every ranker of a search; each entry opens its `Retriever`. Baselines for comparison are in
`claimlight.services.library.compared_rankers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from claimlight.index.base import SearchableIndex
from claimlight.index.generation import Generation
from claimlight.index.shared import SharedIndex
from claimlight.retrieval.base import Ranking, RetrievalQuery, Retriever
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.retrieval.catalogue import Catalogue, DocumentFilter
from claimlight.retrieval.centers import CenterRetriever
from claimlight.retrieval.dense import DenseRetriever, SharedDenseRetriever
from claimlight.retrieval.shared_words import EngineWords, SharedBm25Retriever
from claimlight.settings import Settings
from claimlight.store.store import Store
from claimlight.types import Ranker

__all__ = [
    "RETRIEVERS",
    "Catalogue",
    "DocumentFilter",
    "EngineWords",
    "Ranking",
    "RetrievalQuery",
    "Retriever",
    "RetrieverEntry",
    "Sources",
    "open_retriever",
]


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What rankers are opened with; ``generation`` is None without an index."""

    store: Store
    settings: Settings
    generation: SearchableIndex | None = None
    shared: bool = False
    """Whether it is a shared library, whose words are in its engine."""
    words: EngineWords | None = None
    """The words of a shared library; None without an index."""


@dataclass(frozen=True, slots=True)
class RetrieverEntry:
    """One ranker: how it is opened, and whether it needs an index."""

    leg: Ranker
    make: Callable[[Sources], Retriever | None]
    indexed: bool


def _bm25(sources: Sources) -> Retriever | None:
    terms = sources.settings.search.query_terms
    if sources.shared:
        return None if sources.words is None else SharedBm25Retriever(sources.words, terms=terms)
    return Bm25Retriever(sources.store, terms=terms)


def _dense(sources: Sources) -> Retriever | None:
    match sources.generation:
        case SharedIndex():
            return SharedDenseRetriever(sources.generation)
        case Generation():
            return DenseRetriever(sources.generation, ef=sources.settings.search.ef_search)
        case _:
            return None


def _centers(sources: Sources) -> Retriever | None:
    if sources.generation is None:
        return None
    return CenterRetriever(sources.generation, settings=sources.settings.centers)


RETRIEVERS = (
    RetrieverEntry(Ranker.BM25, _bm25, indexed=False),
    RetrieverEntry(Ranker.DENSE, _dense, indexed=True),
    RetrieverEntry(Ranker.CENTERS, _centers, indexed=True),
)


def open_retriever(leg: Ranker, sources: Sources) -> Retriever | None:
    """Open a ranker; None if it needs an index and there is none."""
    (entry,) = (item for item in RETRIEVERS if item.leg is leg)
    return entry.make(sources)
