"""A shared library behind networks that fail, and what a user does with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from claimlight.errors import AppError, EngineError
from claimlight.services.library import documents
from claimlight.services.library.library import Library
from claimlight.services.search import queries
from claimlight.services.search.matrix import coverage_matrix
from claimlight.services.search.requests import claim_search
from claimlight.services.search.search import SearchEngine
from claimlight.services.sets.sets import SetSearch
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import Secrets
from claimlight.services.sharing.opening import open_shared
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.types import SEARCH_RANKERS, PatentId, SetRequest
from tests.core.services.indexing.small_library import make_stack
from tests.faults.network import Network

SECRET = "a-secret-of-the-tests"
QUERY = queries.query_from_text("A brake with a spring, comprising a wheel and a lamp.")
SETTINGS = change(Settings(), "index.documents_per_segment", 4)
_RAW = ("Traceback", "psycopg", "sqlalchemy", "pymilvus", "Exception", "Errno", "connection failed", "ipv4:")
_CONTEXT = TaskContext()


class Office:
    """An empty shared library on a server or two, each behind a network."""

    def __init__(self, postgres_server: Any, milvus: Any, folder: Path) -> None:
        made = postgres_server.empty_library(folder)
        self.networks = {"database": Network(postgres_server.port)}
        text = made.replace(f":{postgres_server.port}/", f":{self.networks['database'].port}/")
        if milvus is not None:
            self.networks["engine"] = Network(int(milvus.uri.rpartition(":")[2]))
            text += f"?engine=milvus://127.0.0.1:{self.networks['engine'].port}"
        self.address = SharedAddress.parse(text)
        self._secrets = Secrets(SECRET, SECRET if milvus is not None else None)

    def open(self, *, writable: bool = False) -> Library:
        return open_shared(self.address, secrets=self._secrets, writable=writable)

    def close(self) -> None:
        for each in self.networks.values():
            each.close()


class Desk:
    """What a user does with an open library; `ASKED` are the operations."""

    ASKED = ("search", "line", "words", "document", "matrix")
    NEED_ENGINE = ("search", "line")
    """The others ask the database alone."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.engine = SearchEngine.open(library, SETTINGS, stack=lambda _: make_stack())
        self.sets = SetSearch(library, SETTINGS, self.engine)
        self.patents: tuple[PatentId, ...] = ()

    def search(self) -> object:
        """All rankers; those that could not be asked are an error here."""
        found = self.engine.run(claim_search(QUERY, legs=SEARCH_RANKERS), _CONTEXT)
        if lost := [note for note in found.notes if "No ranker" in note or "searched without" in note]:
            raise EngineError(lost[0])
        self.patents = tuple(sorted(hit.patent.id for hit in found.hits))
        return self.patents

    def line(self) -> object:
        # What an operator found is kept for the open library.
        self.sets = SetSearch(self.library, SETTINGS, self.engine)
        return self.sets.run(SetRequest('brake AND ~"a lamp"'), {}, _CONTEXT).patents

    def words(self) -> object:
        return self.sets.run(SetRequest("brake AND wheel"), {}, _CONTEXT).patents

    def document(self) -> object:
        return documents.view(self.library, self.patents[0]).passages

    def matrix(self) -> object:
        patents = self.patents[:3]
        made = coverage_matrix(self.engine, self.library, SETTINGS, QUERY, patents, _CONTEXT, judge="none")
        return tuple(row.patent.id for row in made.rows)

    def ask_all(self) -> dict[str, object]:
        return {name: getattr(self, name)() for name in self.ASKED}


def attempt(call: Callable[[], object]) -> tuple[object, str, float]:
    """What a call gives, or the sentence of its error, and the seconds it took."""
    begun = time.monotonic()
    try:
        return call(), "", time.monotonic() - begun
    except AppError as error:
        return None, str(error), time.monotonic() - begun


def check_sentence(told: str) -> None:
    """It is for a user: names the server, and has nothing of drivers and no secret in it."""
    assert "127.0.0.1" in told, told
    assert SECRET not in told
    assert not [raw for raw in (*_RAW, "\n") if raw in told], told
