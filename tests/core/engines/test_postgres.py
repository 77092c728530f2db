"""The index on PostgreSQL keeps the contract of all engines."""

import os

import pytest
from backend_contract import BackendContract, reference  # noqa: F401 - a fixture of the contract

from claimlight.engines.postgres import PostgresBackend

pytest.importorskip("psycopg")
pytestmark = pytest.mark.loopback


@pytest.fixture
def address():
    import psycopg
    base = "postgresql://claimlight@127.0.0.1:54350/"
    with psycopg.connect(base + "postgres", autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS enginetest WITH (FORCE)")
        connection.execute("CREATE DATABASE enginetest")
    return base + "enginetest"


class TestPostgres(BackendContract):
    @pytest.fixture
    def open_backend(self, address):
        return lambda: PostgresBackend(address)
