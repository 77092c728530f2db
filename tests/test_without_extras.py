"""Without the packages of extras everything works but what needs them, which names what to install."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from claimlight.services import sample

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("L") / "Sample"
    sample.provide(folder)
    done = subprocess.run(
        [sys.executable, "-m", "tests.without_extras", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_commands_on_a_folder_work(told):
    folders = [each for each in told if not any("127.0.0.1" in word for word in each["words"])]
    assert len(folders) == 5
    assert {each["code"] for each in folders} == {0}, folders
    assert any("68 " in each["told"] for each in folders)


def test_commands_on_an_address_name_what_is_missing(told):
    some = [each for each in told if any("127.0.0.1" in word for word in each["words"])]
    assert len(some) == 8
    for each in some:
        (address,) = [word for word in each["words"] if "127.0.0.1" in word]
        package = {"milvus": "pymilvus", "qdrant": "qdrant_client"}.get(address.partition(":")[0], "psycopg")
        package = "keyring" if "login" in each["words"] else package
        assert each["code"] == 1, each
        assert f"the Python package {package}" in each["told"], each
        assert "Traceback" not in each["told"]
