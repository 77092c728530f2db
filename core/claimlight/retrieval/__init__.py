"""Retrievers, fusion, filters and families.

`RETRIEVERS` lists every leg once; each entry makes a `Retriever` from what is open. The last two are there to
be compared with: a search asks them only where it is told to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from claimlight.index.generation import Generation
from claimlight.index.late.search import LateIndex
from claimlight.retrieval.base import Ranking, RetrievalQuery, Retriever
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.retrieval.catalogue import Catalogue, DocumentFilter
from claimlight.retrieval.centers import CenterRetriever
from claimlight.retrieval.colbert import ColbertRetriever
from claimlight.retrieval.dense import DenseRetriever
from claimlight.retrieval.splade import SpladeRetriever
from claimlight.settings import Settings
from claimlight.store.store import Store
from claimlight.types import Leg

__all__ = [
    "RETRIEVERS",
    "Catalogue",
    "DocumentFilter",
    "Ranking",
    "RetrievalQuery",
    "Retriever",
    "RetrieverEntry",
    "Sources",
    "open_retriever",
]


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What retrievers rank with; None for an index that is not there."""

    store: Store
    settings: Settings
    generation: Generation | None = None
    splade: Generation | None = None
    """Of `claimlight.index.impacts`: pieces of SPLADE's vocabulary in the place of centers."""
    colbert: LateIndex | None = None


@dataclass(frozen=True, slots=True)
class RetrieverEntry:
    """One leg: how it is made, and whether it needs an index."""

    leg: Leg
    make: Callable[[Sources], Retriever | None]
    indexed: bool


def _bm25(sources: Sources) -> Retriever:
    return Bm25Retriever(sources.store, terms=sources.settings.search.query_terms)


def _dense(sources: Sources) -> Retriever | None:
    if sources.generation is None:
        return None
    return DenseRetriever(sources.generation, ef=sources.settings.search.ef_search)


def _centers(sources: Sources) -> Retriever | None:
    if sources.generation is None:
        return None
    return CenterRetriever(sources.generation, settings=sources.settings.centers)


def _splade(sources: Sources) -> Retriever | None:
    return None if sources.splade is None else SpladeRetriever(sources.splade)


def _colbert(sources: Sources) -> Retriever | None:
    if sources.colbert is None:
        return None
    return ColbertRetriever(sources.colbert, exact=sources.settings.comparison.candidates == "all")


RETRIEVERS = (
    RetrieverEntry(Leg.BM25, _bm25, indexed=False),
    RetrieverEntry(Leg.DENSE, _dense, indexed=True),
    RetrieverEntry(Leg.CENTERS, _centers, indexed=True),
    RetrieverEntry(Leg.SPLADE, _splade, indexed=True),
    RetrieverEntry(Leg.COLBERT, _colbert, indexed=True),
)


def open_retriever(leg: Leg, sources: Sources) -> Retriever | None:
    """The retriever of a leg; None where it needs an index and there is none."""
    (entry,) = (item for item in RETRIEVERS if item.leg is leg)
    return entry.make(sources)
