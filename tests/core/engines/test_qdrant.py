"""Qdrant keeps the contract of engines: its own engine in this process, and its client's in memory."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from backend_contract import BackendContract

from claimlight.engines import checks
from claimlight.engines.checks import FILTERS, QUERIES, compare
from claimlight.engines.exact import ExactBackend
from claimlight.engines.invented import make_batch, make_schema
from claimlight.engines.qdrant import QdrantBackend
from claimlight.engines.qdrant_server import QdrantServer
from claimlight.index.backend import Leg, PartFilter

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


LOAD = """
import sys
from pathlib import Path

folder, first = Path(sys.argv[1]), int(sys.argv[2])
sys.path.insert(0, sys.argv[3])
from qdrant_edge_store import EdgeStore
from claimlight.engines.invented import make_batch, make_schema
from claimlight.engines.qdrant import QdrantBackend

backend = QdrantBackend(EdgeStore(folder))
backend.ensure(make_schema("killed"), create=True)
number = first
while True:
    backend.upsert(make_batch([number], seed=number))
    print(number, flush=True)
    number += 1
"""


@pytest.mark.slow
def test_a_kill_loses_no_acknowledged_part(tmp_path):
    acknowledged = 0
    for kill in range(10):
        loading = subprocess.Popen(
            [sys.executable, "-c", LOAD, tmp_path, str(acknowledged + 1), Path(__file__).parent],
            stdout=subprocess.PIPE,
            text=True,
        )
        # Killed after some stored documents, in the middle of another at most times.
        for _ in range(1 + 2 * kill):
            acknowledged = int(loading.stdout.readline())
        time.sleep(random.Random(kill).uniform(0, 0.01))
        loading.kill()
        rest = loading.communicate()[0].split()
        acknowledged = int(rest[-1]) if rest else acknowledged
        backend = QdrantBackend(EdgeStore(tmp_path))
        backend.ensure(make_schema("killed"))
        stored = PartFilter(documents=np.arange(1, acknowledged + 1))
        batches = [make_batch([number], seed=number) for number in range(1, acknowledged + 1)]
        assert backend.count(Leg.DENSE, stored) == sum(len(each.sections.parts) for each in batches)
        assert backend.count(Leg.WORDS, stored) == sum(len(each.passages.parts) for each in batches)
        last = batches[-1]
        (found,) = backend.search(Leg.DENSE, last.sections.vectors[-1], stored, 1).parts.tolist()
        assert found == last.sections.parts[-1]
        backend.close()
    assert acknowledged >= 100
