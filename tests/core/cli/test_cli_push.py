"""``push`` on the command line: filling, status, verifying and removing, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from tests.core.cli.schema import conforms
from tests.core.services.indexing.small_library import make_library, make_stack

pytestmark = pytest.mark.loopback
SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "push.schema.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = make_stack()
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    with make_library(tmp_path / "L") as opened:
        assert opened.store
    assert run(["index", "--library", str(tmp_path / "L")]) == 0
    return tmp_path / "L"


@pytest.fixture
def address(postgres_server, tmp_path):
    name = postgres_server.empty_database()
    return f"{postgres_server.url(name)}?engine=memory:{tmp_path.name}"


def test_a_library_is_pushed_checked_and_reduced(folder, address, capsys):
    assert run(["push", address, "--library", str(folder)]) == 1
    assert "holds no Claimlight library" in capsys.readouterr().err
    assert run(["push", address, "--library", str(folder), "--create", "--batch", "4"]) == 0
    assert "6 new documents; " in capsys.readouterr().err
    # The same command again resumes.
    assert run(["push", address, "--library", str(folder), "--create", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert conforms(body, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    assert (body["event"], body["schema"], body["skipped"]) == ("push_report", "claimlight.push.1", 6)
    assert run(["push", address, "--library", str(folder), "--verify"]) == 0
    assert "undamaged" in capsys.readouterr().err
    assert run(["push", address, "--remove", "EP1000002A1"]) == 0
    assert "EP1000002A1" in capsys.readouterr().err
    assert run(["--events", "jsonl", "push", address, "--library", str(folder), "--verify"]) == 1
    *_, line = capsys.readouterr().out.splitlines()
    body = json.loads(line)
    assert (body["event"], body["sound"], body["missing"]) == ("push_check", False, ["EP1000002A1"])
    assert run(["push", address, "--status"]) == 0
    shown = capsys.readouterr()
    assert "5 documents in postgresql://" in shown.err
    assert shown.out.count("done") == 3
    assert run(["push", address, "--status", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["documents"], body["indexed"], len(body["workers"])) == (5, 5, 3)


def test_what_can_not_be_given_together_is_refused(folder, address, capsys):
    assert run(["push", address]) == 2
    assert "--library" in capsys.readouterr().err
    assert run(["push", address, "--library", str(folder), "--verify", "--status"]) == 2
    assert run(["push", str(folder), "--library", str(folder)]) == 1
    assert "postgresql://" in capsys.readouterr().err


def test_readers_search_and_change_nothing(folder, postgres_server, tmp_path, capsys):
    # The index is in the database too.
    name = postgres_server.empty_database()
    owner = postgres_server.url(name)
    assert run(["push", owner, "--library", str(folder), "--create"]) == 0
    assert run(["push", owner, "--readers", "searchers"]) == 1
    assert "no user or group searchers" in capsys.readouterr().err
    postgres_server.run('CREATE ROLE "searchers"; CREATE ROLE reader LOGIN IN ROLE "searchers"')
    reader = postgres_server.url(name, user="reader")
    search = ["search", "--library", reader, "--text", "a valve"]
    assert run(search) == 1
    assert "`claimlight push --readers` lets a user search" in capsys.readouterr().err
    assert run(["push", reader, "--readers", "searchers"]) == 1
    capsys.readouterr()
    assert run(["push", owner, "--readers", "searchers"]) == 0
    assert "searchers can search postgresql://" in capsys.readouterr().err
    assert run([*search, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["hits"]) == 6
    assert found["notes"] == []
    assert run(["query", "valve", "--library", reader]) == 0
    assert run(["push", reader, "--remove", "EP1000002A1"]) == 1
    assert run(["push", reader, "--library", str(folder)]) == 1
    assert run(["push", reader, "--status"]) == 0
    assert "6 documents in postgresql://" in capsys.readouterr().err
    # Rights can be given only by the owner; one that holds them already is no fault.
    postgres_server.run("CREATE ROLE other")
    assert run(["push", reader, "--readers", "other"]) == 1
    assert "Only the owner of the library can let other read it" in capsys.readouterr().err
