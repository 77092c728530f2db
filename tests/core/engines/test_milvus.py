"""Milvus keeps the contract of all engines: the official client against Milvus Lite over the loopback."""

from __future__ import annotations

import pytest
from backend_contract import BackendContract
from milvus_server import REASON, MilvusServer, is_installed

from claimlight.engines.milvus import MilvusBackend

pytest.importorskip("pymilvus")
pytestmark = [
    pytest.mark.loopback,
    pytest.mark.skipif(not is_installed(), reason=REASON),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    some = MilvusServer(tmp_path_factory.mktemp("milvus"))
    yield some
    some.kill()


@pytest.fixture(scope="module")
def open_backend(server):
    return lambda: MilvusBackend(server.uri)


class TestMilvus(BackendContract):
    pass
