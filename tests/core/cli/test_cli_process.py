"""The command line as a child process: events as they happen, and every way to stop it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import date
from time import sleep

import pytest

from claimlight.services.library.library import Library
from tests.fakes import add

DOCUMENTS = 4000


@pytest.fixture
def source(tmp_path):
    """Enough one-document commits that an import can't be over before it is stopped."""
    path = tmp_path / "many.jsonl"
    row = {"title": "Damper", "abstract": "A viscous damper.", "claims": ["1. A damper."], "description": ""}
    path.write_text(
        "".join(
            json.dumps({"publication_number": f"US{9_000_000 + n}", **row}) + "\n" for n in range(DOCUMENTS)
        ),
        encoding="utf-8",
    )
    return path


def _by_line(process):
    process.stdin.write("so what\ncancel\n")
    process.stdin.flush()


def _by_signal(process):
    process.send_signal(signal.SIGTERM)


def _by_key(process):
    process.send_signal(signal.SIGINT)


@pytest.mark.parametrize("stop", [_by_line, _by_signal, _by_key])
def test_a_stopped_import_ends_cleanly_and_keeps_what_it_committed(tmp_path, source, stop):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    base = [sys.executable, "-m", "claimlight.cli"]
    subprocess.run([*base, "settings", "set", "imports.batch_documents", "1"], env=environment, check=True)
    command = [*base, "--events", "jsonl", "import", str(source), "--library", str(tmp_path / "L")]
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        told = []
        for line in process.stdout:
            told.append(json.loads(line))
            if told[-1]["event"] == "committed":
                stop(process)
                break
        rest, errors = process.communicate(timeout=60)
    told += [json.loads(line) for line in rest.splitlines()]
    assert process.returncode == 130
    assert told[-1] == {"event": "cancelled"}
    assert errors == ""
    committed = max(item["documents"] for item in told if item["event"] == "committed")
    with Library.open(tmp_path / "L") as library:
        assert committed <= library.info().documents < DOCUMENTS


@pytest.mark.skipif(sys.platform != "linux", reason="arguments are bytes there")
@pytest.mark.parametrize("command", [["sets", "--new-case"], ["query", "--library"], ["import"]])
def test_an_argument_that_is_not_utf8_is_said(command):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    base = [os.fsencode(item) for item in (sys.executable, "-m", "claimlight.cli", *command)]
    done = subprocess.run([*base, b"caf\xe9"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("is not UTF-8") == 1
    assert "The argument caf\\xe9 is not UTF-8. Rename the file, or write the text" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_gets_no_traceback():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "claimlight.cli", "settings", "list", "--json"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == ""
    assert process.returncode == 1


def test_only_who_evaluates_waits_for_the_protocols():
    def said(*arguments: str) -> list[str]:
        code = f"import sys, claimlight.cli.__main__ as cli; cli.run({list(arguments)})"
        code += "; print('claimlight.evaluation' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    assert said("--version")[-1] == "False"
    lines = said("evaluate", "compare", "--help")
    assert any("TREC runs" in line for line in lines)
    assert lines[-1] == "True"


INDEX = """
import sys
from time import sleep
from claimlight.cli.__main__ import run
from claimlight.services.models import encoding_stack
from tests.core.services.indexing.small_library import make_stack
made = make_stack()
real = made.encoder.encode
def slow(texts, context):
    for item in real(texts, context):
        sleep(0.05)
        yield item
made.encoder.encode = slow
encoding_stack.open_encoding_stack = lambda _: made
sys.exit(run(["--events", "jsonl", "index", "--library", sys.argv[1]]))
"""


@pytest.mark.parametrize("stage", ["index", "full text"])
def test_a_paused_index_resumes_where_it_was_in_both_passes(tmp_path, stage):
    """SIGTERM stops it at once; the next run encodes only what the first one did not."""
    from tests.core.services.indexing.small_library import document, make_library

    folder = tmp_path / "L"
    with make_library(folder) as made:
        add(made, [document(number, "B62K 25/04", date(2014, 1, 1), paragraphs=6) for number in range(7, 40)])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    base = [sys.executable, "-m", "claimlight.cli"]
    subprocess.run(
        [*base, "settings", "set", "index.documents_per_segment", "4"], env=environment, check=True
    )
    command = [sys.executable, "-c", INDEX, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        for line in process.stdout:
            told = json.loads(line)
            if told["event"] == "committed" and told["stage"] == stage:
                break
        # In the middle of the next batch.
        sleep(0.12)
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    assert json.loads(rest.splitlines()[-1]) == {"event": "cancelled"}
    with Library.open(folder) as library:
        info = library.info()
        assert info.indexed_documents < 39 if stage == "index" else info.claims_only > 0
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (report,) = (
        item for item in map(json.loads, done.stdout.splitlines()) if item["event"] == "index_report"
    )
    assert report["documents"] == 39 - info.indexed_documents
    with Library.open(folder) as library:
        assert (library.info().indexed_documents, library.info().claims_only) == (39, 0)
