"""An engine that holds hits back: the user reads it in the notes of the search, and gets no half ranking."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pytest

pytest.importorskip("psycopg")

from network_office import QUERY, SETTINGS
from pushing_fakes import fill

from claimlight.index.backend import Leg
from claimlight.index.shared import SharedParts
from claimlight.services.library.library import Library
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.index_source import DatabaseIndexSource
from claimlight.store import postgres
from claimlight.tasks import TaskContext
from claimlight.types import SEARCH_RANKERS
from tests.core.services.indexing.small_library import make_stack

pytestmark = pytest.mark.loopback
NAMES = {Leg.DENSE: "semantic search", Leg.CENTERS: "concepts", Leg.WORDS: "keywords"}
FILTERED = claim_search(QUERY, legs=SEARCH_RANKERS, before=date(2012, 1, 1), top=100)


class _Milvus:
    """A client whose server forgets the best hit of long answers under a filter, of one vector."""

    def __init__(self, client, leg, least) -> None:
        self._client, self._leg, self._least = client, leg, least

    def __getattr__(self, name):
        return getattr(self._client, name)

    def search(self, *given, anns_field, **named):
        answers = self._client.search(*given, anns_field=anns_field, **named)
        for answer in answers if named["filter"] and anns_field == self._leg.value else ():
            if len(answer.ids) >= self._least:
                answer.ids, answer.distances = answer.ids[1:], answer.distances[1:]
        return answers


def hold_back_in_milvus(backend, leg, monkeypatch):
    """In two steps: measure the longest answer under a filter, then forget the best hit of such answers."""
    client = backend._connection._client
    longest = [0]

    def measure(*given, anns_field, **named):
        answers = client.search(*given, anns_field=anns_field, **named)
        if named["filter"] and anns_field == leg.value and len(named["data"]) == 1:
            longest[0] = max(longest[0], len(answers[0].ids))
        return answers

    monkeypatch.setattr(backend._connection, "_client", _Measuring(client, measure))
    yield longest
    monkeypatch.setattr(backend._connection, "_client", _Milvus(client, leg, longest[0]))
    yield longest


class _Measuring:
    def __init__(self, client, search) -> None:
        self._client, self.search = client, search

    def __getattr__(self, name):
        return getattr(self._client, name)


def hold_back_in_qdrant(backend, leg, monkeypatch):
    """The same."""
    store = backend._store
    query = store.query
    longest = [0]

    def measure(collection, asked, *given, **named):
        found = query(collection, asked, *given, **named)
        if asked is leg and given[1] is not None:
            longest[0] = max(longest[0], len(found))
        return found

    def drop(collection, asked, *given, **named):
        found = query(collection, asked, *given, **named)
        filtered = asked is leg and given[1] is not None
        return found[1:] if filtered and len(found) >= longest[0] else found

    monkeypatch.setattr(store, "query", measure)
    yield longest
    monkeypatch.setattr(store, "query", drop)
    yield longest


@pytest.fixture(scope="module", params=["milvus", "qdrant"])
def engine(request, postgres_server, source, tmp_path_factory):
    """The backend of a shared library with 30 documents, the library, and how to let it hold hits back."""
    if request.param == "milvus":
        from claimlight.engines.milvus import MilvusBackend

        backend, hold_back = MilvusBackend(request.getfixturevalue("milvus").uri), hold_back_in_milvus
    else:
        pytest.importorskip("qdrant_edge")
        pytest.importorskip("qdrant_client")
        from claimlight.engines.qdrant import QdrantBackend
        from tests.core.engines.qdrant_edge_store import EdgeStore

        backend, hold_back = QdrantBackend(EdgeStore(tmp_path_factory.mktemp("edge"))), hold_back_in_qdrant
    folder = tmp_path_factory.mktemp("shared")
    address = postgres_server.empty_library(tmp_path_factory.mktemp("made"))
    store = postgres.connect(address, folder, read_only=False)
    fill(source, SharedTarget(store, backend))
    with Library(folder, store, address, SharedParts(backend, DatabaseIndexSource(store))) as shared:
        yield SimpleNamespace(backend=backend, library=shared, hold_back=hold_back)


@pytest.mark.parametrize("leg", list(Leg))
def test_hits_that_an_engine_holds_back_are_told(engine, leg, monkeypatch):
    searcher = SearchEngine.open(engine.library, SETTINGS, stack=lambda _: make_stack())
    assert searcher.run(FILTERED, TaskContext()).hits
    steps = engine.hold_back(engine.backend, leg, monkeypatch)
    longest = next(steps)
    whole = searcher.run(FILTERED, TaskContext())
    assert not [note for note in whole.notes if "searched without" in note]
    assert longest[0] > 1
    next(steps)
    again = SearchEngine.open(engine.library, SETTINGS, stack=lambda _: make_stack())
    found = again.run(replace(FILTERED, top=99), TaskContext())
    (told,) = [note for note in found.notes if "searched without" in note]
    assert told.startswith(f"The shared library was searched without {NAMES[leg]}: ")
    given, there = map(int, re.findall(r"\b(\d+)\b", told.partition("gave")[2])[:2])
    assert given < there
    # The other rankers are whole.
    assert found.hits
    assert not any(rank.leg.value == _RANKERS[leg] for hit in found.hits for rank in hit.ranks)


_RANKERS = {Leg.DENSE: "dense", Leg.CENTERS: "centers", Leg.WORDS: "bm25"}
