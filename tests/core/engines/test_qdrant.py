"""Qdrant keeps the contract of engines: its own engine in this process, and its client's in memory."""

from __future__ import annotations

import pytest
from backend_contract import BackendContract

from claimlight.engines import checks
from claimlight.engines.checks import FILTERS, QUERIES, compare
from claimlight.engines.exact import ExactBackend
from claimlight.engines.invented import make_batch, make_schema
from claimlight.engines.qdrant import QdrantBackend
from claimlight.engines.qdrant_server import QdrantServer

pytest.importorskip("qdrant_edge")
qdrant_client = pytest.importorskip("qdrant_client")
from qdrant_edge_store import EdgeStore  # noqa: E402 - after what it needs

# The client says that in memory it compares with all parts, and has no use for an index of their fields.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Local mode"),
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect"),
]


@pytest.fixture(scope="module")
def open_backend(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edge")
    return lambda: QdrantBackend(EdgeStore(folder))


class TestEdge(BackendContract):
    pass


class _Memory(QdrantServer):
    def __init__(self, client) -> None:
        super().__init__("http://memory", seconds=60, write_seconds=60, client=client)

    def close(self) -> None:
        """Its collections live as long as the client."""


@pytest.fixture(scope="module")
def open_memory():
    client = qdrant_client.QdrantClient(":memory:")

    def opened():
        return QdrantBackend(_Memory(client), seconds=60)

    checks.prepare(opened)
    return opened


# The client compares in Python, each search in a tenth of a second: without the checks that search the most.
SLOW = ("each leg finds", "all hits", "filters take long lists", "threads")


@pytest.mark.parametrize(
    "check",
    [check for check in checks.CHECKS if not check.says.startswith(SLOW)],
    ids=lambda check: check.says,
)
def test_collections_in_memory_keep_the_contract(open_memory, check):
    check.run(open_memory)


def test_collections_in_memory_find_what_brute_force_finds():
    few = make_batch(range(1, 41))
    exact = ExactBackend()
    memory = QdrantBackend(_Memory(qdrant_client.QdrantClient(":memory:")), seconds=60)
    for each in (exact, memory):
        each.ensure(make_schema("few"), create=True)
        each.upsert(few)
    for name, allowed in FILTERS.items():
        for leg, query in QUERIES.items():
            found = memory.search(leg, query, allowed, 20)
            compare(found, exact.search(leg, query, allowed, 20), f"{leg}, {name}")
            assert memory.count(leg, allowed) == exact.count(leg, allowed)
