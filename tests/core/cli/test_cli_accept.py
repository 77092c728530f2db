"""``accept`` on the command line: in words, as JSON, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlight.cli import accept_command
from claimlight.cli.__main__ import run
from claimlight.engines.exact import ExactBackend
from claimlight.index.backend import Found
from claimlight.services.sharing import acceptance
from tests.core.cli.schema import conforms
from tests.core.services.sharing.exact_server import Server

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "acceptance.schema.json"
SMALL = [
    "--documents",
    "100",
    "--passages",
    "2",
    "--dim",
    "16",
    "--queries",
    "3",
    "--clients",
    "2",
    "--seconds",
    "1",
]


class Short(ExactBackend):
    """Gives no more than ten hits."""

    def search(self, leg, vector, allowed, k):
        found = super().search(leg, vector, allowed, k)
        return Found(found.parts[:10], found.scores[:10])


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setattr(acceptance, "CHECKS", acceptance.CHECKS[2:3])

    def given(made=ExactBackend):
        server = Server(made)
        monkeypatch.setattr(accept_command, "_opener", lambda _: server.open)
        return server

    return given


def test_the_steps_are_printed_in_words_and_as_json(engine, capsys):
    engine()
    assert run(["accept", "milvus://127.0.0.1:1", *SMALL]) == 0
    told = capsys.readouterr()
    assert "contract: passed. All 1 checks hold." in told.out
    assert "recall: passed" in told.out
    assert "in memory, 100 documents of 2 passage pieces" in told.err
    assert run(["accept", "milvus://127.0.0.1:1", *SMALL, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert conforms(body, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    assert [each["step"] for each in body["outcomes"]] == ["contract", "load", "recall", "latency"]


def test_a_step_that_fails_sets_the_exit_code(engine, capsys):
    engine(Short)
    assert run(["accept", "milvus://127.0.0.1:1", *SMALL]) == 1
    assert "recall: FAILED. Below 0.99: dense, all: 0.100." in " ".join(capsys.readouterr().out.split())


def test_a_command_stops_a_server_while_the_clients_search(engine, tmp_path, capsys):
    engine()
    mark = tmp_path / "stopped"
    assert run(["accept", "milvus://127.0.0.1:1", *SMALL, "--failover", f"touch {mark}"]) == 0
    assert mark.exists()
    assert "failover: passed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "says"),
    [("/nowhere/stop", "can't be run: No such file or directory."), ("false", "failed with exit code 1.")],
)
def test_a_command_that_fails_fails_the_step(engine, capsys, command, says):
    engine()
    assert run(["accept", "milvus://127.0.0.1:1", *SMALL, "--failover", command]) == 1
    assert f"failover: FAILED. The command of --failover {says}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("address", ["ftp://host", "milvus://user:secret@host", "postgresql://u:secret@h/d"])
def test_a_wrong_address_is_refused_without_its_secret(address, capsys):
    assert run(["accept", address, *SMALL]) != 0
    told = capsys.readouterr()
    assert "secret" not in told.out + told.err


@pytest.mark.loopback
@pytest.mark.parametrize("address", ["milvus://127.0.0.1:1", "qdrant://127.0.0.1:1"])
def test_an_engine_is_reached_by_its_own_address(address, capsys):
    pytest.importorskip("pymilvus" if address.startswith("milvus") else "qdrant_client")
    assert run(["accept", address, *SMALL]) == 1
    assert "127.0.0.1:1" in capsys.readouterr().err


@pytest.mark.loopback
def test_a_database_that_is_its_own_engine_is_measured(postgres_server, monkeypatch, capsys):
    pytest.importorskip("psycopg")
    monkeypatch.setattr(acceptance, "CHECKS", acceptance.CHECKS[2:3])
    address = postgres_server.url(postgres_server.empty_database())
    assert run(["accept", address, *SMALL, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"]
