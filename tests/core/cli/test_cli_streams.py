"""What the command line writes to files, pipes and logs, reads from standard input, and calls its options."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys

import pytest
import typer
from rich.console import Console
from typer.main import get_command

from claimlight.cli.__main__ import app, run
from claimlight.cli.front import Front, _Log
from claimlight.text.words import content_words
from claimlight.types import Progress
from tests.fakes import library, patent, stack

LONG = "Bicycle " + " ".join(f"damper{number}" for number in range(60))
CLAIMS = "1. A bicycle comprising a frame; and a viscous damper.\n2. The bicycle of claim 1, having a brake."


class _Input:
    """Standard input that holds some bytes."""

    def __init__(self, text):
        self.buffer = io.BytesIO(text.encode())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = stack(content_words("damper viscous bicycle kettle handle spout wheel frame brake"))
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    patents = [
        patent("1000001", LONG, claims=["A bicycle comprising a frame and a viscous damper."], priority="55"),
        patent("1000002", "Bicycle of its family", claims=["A bicycle frame."], priority="55"),
        patent("1000003", "Kettle", claims=["A kettle with a handle."]),
    ]
    with library(tmp_path / "L", patents):
        pass
    assert run(["settings", "set", "centers.stop_share", "0"]) == 0
    assert run(["index", "--library", str(tmp_path / "L")]) == 0
    return tmp_path / "L"


@pytest.fixture
def given(monkeypatch):
    def give(text):
        monkeypatch.setattr(sys, "stdin", _Input(text))

    return give


def test_a_line_in_a_pipe_ends_where_its_text_ends(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    capsys.readouterr()
    assert run(["family", "EP1000001A1", "--library", str(folder)]) == 0
    assert LONG in capsys.readouterr().out
    assert run(["query", "bicycle", "--library", str(folder)]) == 0
    assert LONG in capsys.readouterr().out


def test_a_terminal_keeps_its_width():
    assert Front(out=Console(width=70, force_terminal=True)).out.width == 70


def test_long_work_writes_a_line_every_half_minute_where_there_is_no_terminal():
    told, now = io.StringIO(), [0.0]
    front = Front(err=Console(file=told, width=200))
    log = _Log(front, clock=lambda: now[0])
    for second in range(100):
        now[0] = float(second)
        log.show(Progress("full text", second * 10, 1_300, "passages", 10.0, 130.0 - second))
    assert [line.split(" of ")[0] for line in told.getvalue().splitlines()] == [
        f"full text: {10 * second}" for second in (5, 35, 65, 95)
    ]
    assert "full text: 50 of 1,300 passages, 10/s, 0:02:05 left" in told.getvalue()


def test_a_step_that_reports_nothing_is_no_silence():
    told, now = io.StringIO(), [0.0]
    log = _Log(Front(err=Console(file=told, width=200)), clock=lambda: now[0])
    now[0] = 60.0
    log.remind()
    assert told.getvalue() == "", "nothing has begun"
    log.show(Progress("index", 3, 10, "documents", 0.0, None))
    for second in (70.0, 90.0, 100.0, 125.0):
        now[0] = second
        log.remind()
    assert told.getvalue().splitlines() == ["index: 3 of 10 documents", *["index: 3 of 10 documents …"] * 2]
    now[0] = 200.0
    log.show(Progress("index", 10, 10, "documents", 0.0, None))
    now[0] = 300.0
    log.remind()
    assert len(told.getvalue().splitlines()) == 4, "a stage that is complete is not repeated"


def test_short_work_writes_no_progress(folder, capsys):
    capsys.readouterr()
    assert run(["index", "--library", str(folder)]) == 0
    assert "0/s" not in capsys.readouterr().err


def test_an_export_goes_to_standard_output(folder, capfdbinary):
    run(["export", "--library", str(folder), "--all", "--to", "-"])
    out = capfdbinary.readouterr().out
    rows = list(csv.DictReader(io.StringIO(out.decode("utf-8-sig"))))
    assert [row["publication"] for row in rows] == ["EP1000001A1", "EP1000002A1", "EP1000003A1"]
    assert run(["export", "--library", str(folder), "--all", "--to", "-", "--format", "jsonl"]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert [json.loads(line)["publication"] for line in lines] == [row["publication"] for row in rows]


def test_a_table_for_parquet_readers_goes_to_standard_output(folder, capfdbinary):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run(["export", "--library", str(folder), "--all", "--to", "-", "--format", "parquet"]) == 0
    table = parquet.read_table(io.BytesIO(capfdbinary.readouterr().out))
    assert table.num_rows == 3


def test_claims_and_text_come_from_standard_input(folder, given, capsys):
    answers = []
    for option in ("--claims", "--text"):
        given(CLAIMS)
        capsys.readouterr()
        assert run(["search", "--library", str(folder), option, "-", "--claim", "2", "--json"]) == 0
        answers.append(json.loads(capsys.readouterr().out)["hits"][0]["patent"]["publication"])
    assert answers == ["EP1000001A1"] * 2


def test_names_of_files_come_from_standard_input(tmp_path, given, capsys):
    table = tmp_path / "some.jsonl"
    table.write_text(
        json.dumps({"publication": "EP2000000A1", "title": "Lamp", "abstract": "A lamp."}), encoding="utf-8"
    )
    given(f"{table}\n")
    assert run(["import", "-", "--library", str(tmp_path / "M")]) == 0
    capsys.readouterr()
    assert run(["show", "EP2000000A1", "--library", str(tmp_path / "M")]) == 0
    assert "Lamp" in capsys.readouterr().out


def test_lines_come_from_standard_input_and_a_wrong_one_does_not_stop_the_others(folder, given, capsys):
    given("bicycle\n\n(kettle\nkettle.ti.\n")
    capsys.readouterr()
    assert run(["query", "-", "--library", str(folder), "--json"]) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["documents"] for line in out.splitlines()] == [2, 1]
    assert "1 of 3 lines could not be read" in err


def test_standard_input_is_not_shared_with_the_line_that_cancels(folder, given, capsys):
    given(CLAIMS)
    assert run(["--events", "jsonl", "search", "--library", str(folder), "--claims", "-"]) == 1
    assert "give a file instead" in capsys.readouterr().out


def test_a_reader_that_has_enough_is_no_fault(folder):
    command = [
        sys.executable,
        "-m",
        "claimlight.cli",
        "export",
        "--library",
        str(folder),
        "--all",
        "--to",
        "-",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdout.close()
        told = child.stderr.read().decode()
    assert (child.returncode, told) == (1, "")


DEPTH_HELP = (
    "Number of documents taken from each of the keyword, semantic and concept rankings before they are "
    "combined."
)


def test_a_table_in_a_pipe_is_lines_with_a_tab_between_cells(folder, capfd):
    command = [sys.executable, "-m", "claimlight.cli", "settings", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0] == ["setting", "value", "allowed", "what it does"]
    assert {len(row) for row in rows} == {4}
    assert ["search.depth", "1000", "10 to 100,000", DEPTH_HELP] in rows
    run(["library", "info", "--library", str(folder)])
    lines = capfd.readouterr().out.splitlines()
    assert f"folder\t{folder}" in lines
    assert not [line for line in lines if line != line.rstrip()]


def _commands(command, path=()):
    """The words of every command and group, each with a help for all that can be given."""
    if command.hidden:
        # Names of before, which only say where a command has gone.
        return
    assert all(item.help for item in command.params), path
    yield path
    if hasattr(command, "list_commands"):
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from _commands(command.get_command(context, name), (*path, name))


def test_the_help_of_every_command_names_values_as_users_know_them(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    every = list(_commands(get_command(app)))
    assert {("import",), ("cases", "history"), ("evaluate", "golden")} <= set(every)
    for path in every:
        assert run([*path, "--help"]) == 0
        text = capsys.readouterr().out
        # Types of Python, braces and doubled brackets of the library that parses, values without a meaning.
        assert not re.findall(
            r"<(str|int|float|bool|[Pp]ath|list)|list\[|%Y|Usage:.*\{|\[\[|…\.\.\.|train extra", text
        ), path


def test_arguments_are_named_in_capitals_and_paragraphs_fill_their_lines(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    run(["import", "--help"])
    assert "import [OPTIONS] PATH..." in capsys.readouterr().out
    run(["sets", "--help"])
    text = capsys.readouterr().out
    assert "sets [OPTIONS] [ACTION] [SET]" in text
    assert "rerun reports whether the" in text


def test_commands_are_grouped_by_subject_and_completion_is_not_offered(capsys):
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    names = ("Library", "Search", "Cases and sets", "Models and training", "Program")
    places = [text.index(f"─ {name} ─") for name in names]
    assert places == sorted(places)
    assert run(["evaluate", "--help"]) == 0
    assert "completion" not in capsys.readouterr().out
