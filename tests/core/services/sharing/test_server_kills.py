"""Servers that are killed while a library is pushed: what was acknowledged is found, nothing is there twice.

More by command: `python -m tests.faults.killing_servers --rounds 50 --server postgres`.
"""

from __future__ import annotations

import pytest

pytest.importorskip("psycopg")

from pushing_fakes import make, patents

from tests import postgres_server as servers
from tests.faults.killing_servers import DOCUMENTS, empty_libraries, kill_while_filling

pytestmark = pytest.mark.loopback
ROUNDS = 2


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    return make(tmp_path_factory.mktemp("larger") / "L", patents(range(1, DOCUMENTS + 1)))


@pytest.mark.parametrize("killed", ["milvus", "postgres"])
def test_a_killed_server_loses_no_acknowledged_document(request, postgres_server, larger, tmp_path, killed):
    made = tmp_path / "made"
    if killed == "milvus":
        milvus = request.getfixturevalue("milvus")
        addresses = empty_libraries(postgres_server, milvus, made)
        kills = kill_while_filling(milvus, larger, addresses, ROUNDS)
    else:
        with servers.running(durable=True) as server:
            kills = kill_while_filling(server, larger, empty_libraries(server, None, made), ROUNDS)
    assert kills.faults == []
    assert kills.killed == ROUNDS
    assert kills.acknowledged
