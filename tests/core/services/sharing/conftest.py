"""Servers and a library that several tests of shared libraries use."""

from __future__ import annotations

import pytest

from tests.core.engines.milvus_server import REASON, MilvusServer, is_installed


@pytest.fixture(scope="session")
def milvus(tmp_path_factory):
    """A Milvus Lite server."""
    if not is_installed():
        pytest.skip(REASON)
    pytest.importorskip("pymilvus")
    some = MilvusServer(tmp_path_factory.mktemp("milvus"))
    yield some
    some.kill()


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """A library of 30 documents in a folder, indexed by an encoder without weights."""
    from pushing_fakes import make, patents

    return make(tmp_path_factory.mktemp("source") / "L", patents(range(1, 31)))
