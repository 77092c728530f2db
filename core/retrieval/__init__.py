"""Retrievers, fusion, filters and families.

`RETRIEVERS` lists every leg once; each entry makes a `Retriever` from what is open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.index.generation import Generation
from core.retrieval.base import Ranking, RetrievalQuery, Retriever
from core.retrieval.bm25 import Bm25Retriever
from core.retrieval.catalogue import Catalogue, DocumentFilter
from core.retrieval.centers import CenterRetriever
from core.retrieval.dense import DenseRetriever
from core.settings import Settings
from core.store.store import Store
from core.types import Leg

__all__ = [
    "RETRIEVERS",
    "Catalogue",
    "DocumentFilter",
    "Ranking",
    "RetrievalQuery",
    "Retriever",
    "RetrieverEntry",
    "open_retriever",
]


@dataclass(frozen=True, slots=True)
class RetrieverEntry:
    """One leg: how it is made, and whether it needs an index."""

    leg: Leg
    make: Callable[[Store, Generation | None, Settings], Retriever]
    indexed: bool


def _bm25(store: Store, _: Generation | None, settings: Settings) -> Retriever:
    return Bm25Retriever(store, terms=settings.search.query_terms)


def _dense(_: Store, generation: Generation | None, settings: Settings) -> Retriever:
    assert generation is not None
    return DenseRetriever(generation, ef=settings.search.ef_search)


def _centers(_: Store, generation: Generation | None, settings: Settings) -> Retriever:
    assert generation is not None
    return CenterRetriever(generation, settings=settings.centers)


RETRIEVERS = (
    RetrieverEntry(Leg.BM25, _bm25, indexed=False),
    RetrieverEntry(Leg.DENSE, _dense, indexed=True),
    RetrieverEntry(Leg.CENTERS, _centers, indexed=True),
)


def open_retriever(
    leg: Leg, store: Store, generation: Generation | None, settings: Settings
) -> Retriever | None:
    """The retriever of a leg; None where it needs an index and there is none."""
    (entry,) = (item for item in RETRIEVERS if item.leg is leg)
    if entry.indexed and generation is None:
        return None
    return entry.make(store, generation, settings)
