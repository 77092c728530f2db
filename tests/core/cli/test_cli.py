"""The command line, command by command, as a user and as a machine meet it."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from claimlight.index.lock import WriterLock
from claimlight.text.words import content_words
from claimlight.types import ClassSymbol, LocalText, Scheme
from tests.core.cli.schema import conforms
from tests.fakes import library, patent, stack

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "search.schema.json"
WORDS = content_words("damper viscous bicycle kettle handle spout wheel frame spring lamp glass cart brake")
CLAIMS = "1. A bicycle comprising a frame; and a viscous damper.\n2. The bicycle of claim 1, having a brake."


@pytest.fixture
def model(monkeypatch):
    made = stack(WORDS)
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    return made


@pytest.fixture
def folder(tmp_path, model):
    patents = [
        patent(
            "1000001",
            "Bicycle with damper",
            claims=["A bicycle comprising a frame and a viscous damper."],
            paragraphs=["[bold]An attenuator is viscous[/]. " + "Nothing of interest. " * 60 + "A brake."],
            applicant="Fellgate [Cycles] Ltd",
            priority="55",
        ),
        patent("1000002", "Bicycle of its family", claims=["A bicycle frame."], priority="55"),
        patent("1000003", "Kettle", claims=["A kettle with a handle."]),
    ]
    with library(tmp_path / "L", patents) as made:
        assert made.store
    assert run(["settings", "set", "centers.stop_share", "0"]) == 0
    assert run(["index", "--library", str(tmp_path / "L")]) == 0
    return tmp_path / "L"


@pytest.fixture
def claims(tmp_path):
    path = tmp_path / "claims.txt"
    path.write_text(CLAIMS, encoding="utf-8")
    return path


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_search_prints_rows_strips_and_links(folder, claims, capsys):
    capsys.readouterr()
    assert run(["search", "--library", str(folder), "--claims", str(claims), "--claim", "2"]) == 0
    text = capsys.readouterr().out
    assert "1  EP1000001A1  2010-05-04" in text
    assert "Fellgate [Cycles] Ltd" in text
    assert "family: EP1000002A1" in text
    assert re.search(r"F1 ●100 (claim 1|title|\[\d+\])  F2 ●100 ", text), "each with its best passage"
    assert "frame ↔ frame  (fram)" in text
    assert "passage score " in text
    assert "matches" in text
    assert "3 documents" in text


def test_json_follows_its_schema_and_sums_up(folder, claims, capsys):
    capsys.readouterr()
    for more in ([], ["--before", "2010-05-05", "--exclude-family-of", "EP1000003"]):
        assert run(["search", "--library", str(folder), "--claims", str(claims), "--json", *more]) == 0
        (answer,) = lines(capsys.readouterr().out)
        assert conforms(answer, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
        assert answer["hits"]
        for hit in answer["hits"]:
            for passage in hit["passages"]:
                for part in ("evidence", "matches"):
                    total = sum(item["contribution"] for item in passage[part]) + passage["other_words"]
                    assert total == pytest.approx(passage["score"])


def test_the_schema_checker_checks():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert conforms({"event": "results"}, schema)
    assert conforms([], schema)


def test_like_leaves_the_own_family_out_unless_asked(folder, capsys):
    capsys.readouterr()
    base = ["search", "--library", str(folder), "--like", "EP 1 000 001 A1", "--json"]
    assert run(base) == 0
    (answer,) = lines(capsys.readouterr().out)
    assert [hit["patent"]["publication"] for hit in answer["hits"]] == ["EP1000003A1"]
    assert run([*base, "--keep-own-family"]) == 0
    (answer,) = lines(capsys.readouterr().out)
    assert answer["hits"][0]["patent"]["publication"] == "EP1000001A1"


def test_an_excerpt_is_taken_where_the_score_is(folder, capsys):
    capsys.readouterr()
    assert run(["search", "--library", str(folder), "--text", "a brake", "--top", "1"]) == 0
    text = capsys.readouterr().out
    assert "A brake." in text
    assert "attenuator" not in text


def test_markup_in_a_document_is_text(folder, capsys):
    capsys.readouterr()
    assert run(["show", "EP1000001", "--library", str(folder)]) == 0
    assert "[bold]An attenuator is viscous[/]." in capsys.readouterr().out
    assert run(["show", "EP1000001", "--library", str(folder), "--json"]) == 0
    (answer,) = lines(capsys.readouterr().out)
    assert [p["label"] for p in answer["passages"]] == ["title", "claim 1", "[0001]"]


def test_a_title_is_not_shown_as_an_abstract(tmp_path, capsys):
    item = patent("1000001", "Rotary damper", abstract="With blades.")
    german = replace(item, titles=(*item.titles, LocalText("Rotationsdämpfer", "de")))
    library(tmp_path / "L", [german, patent("1000002", "Bread roll")]).close()
    assert run(["show", "EP1000001", "--library", str(tmp_path / "L")]) == 0
    text = capsys.readouterr().out
    assert text.count("Rotary damper") == 1
    assert "\nabstract  With blades.\n" in text
    assert "\ntitle (de)  Rotationsdämpfer\n" in text
    assert run(["show", "EP1000002", "--library", str(tmp_path / "L")]) == 0
    assert "abstract" not in capsys.readouterr().out


def test_classes_are_shown_by_scheme(tmp_path, capsys):
    classes = (
        ClassSymbol(Scheme.CPC, "F16F 9/34", inventive=True),
        ClassSymbol(Scheme.IPC, "F16F 9/34"),
        ClassSymbol(Scheme.CPC, "F16F 9/46", inventive=False),
    )
    library(tmp_path / "L", [replace(patent("1000001", "Damper"), classes=classes)]).close()
    assert run(["show", "EP1000001", "--library", str(tmp_path / "L")]) == 0
    assert "classes  CPC F16F 9/34, F16F 9/46; IPC F16F 9/34\n" in capsys.readouterr().out


def test_an_index_with_nothing_to_do_says_so(folder, capsys):
    capsys.readouterr()
    assert run(["index", "--library", str(folder)]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "Reading the library and opening the encoder …",
        "The index is up to date: no document had to be encoded.",
    ]


def test_limits_of_settings_are_written_out(capsys):
    assert run(["settings", "list"]) == 0
    text = capsys.readouterr().out
    assert "64 to 1,048,576" in text
    assert "e+0" not in text


def test_a_library_says_that_it_is_being_indexed(folder, capsys):
    capsys.readouterr()
    with WriterLock(folder / "index"):
        assert run(["library", "info", "--library", str(folder)]) == 0
    assert "indexed\t3 documents; indexing is running" in capsys.readouterr().out
    assert run(["library", "info", "--library", str(folder)]) == 0
    assert "indexing is running" not in capsys.readouterr().out


def test_a_setting_may_be_negative(capsys):
    assert run(["settings", "set", "search.meaning_cut", "-0.5"]) == 0
    assert "search.meaning_cut is -0.5" in capsys.readouterr().err
    assert run(["settings", "set", "search.depth", "-5"]) == 1
    assert "at least 10" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["search", "--text", "x"], 2, "--library"),
        (["search", "--library", "L"], 2, "Give exactly one of --claims, --text or --like."),
        (
            ["search", "--library", "L", "--text", "x", "--like", "y"],
            2,
            "Give exactly one of --claims, --text or --like.",
        ),
        (["search", "--library", "L", "--text", "x", "--legs", "bm26"], 2, "bm26"),
        (["search", "--library", "L", "--text", "x", "--before", "soon"], 2, "soon"),
        (
            ["search", "--library", "L", "--text", "x", "--before", "2020"],
            2,
            "write it as YYYY-MM-DD. `claim",
        ),
        (["search", "--library", "L", "--text", "x", "--top", "0"], 2, "--top: must be 1 or more."),
        (["search", "--library", "L", "--text", "x", "--top", "few"], 2, "--top: must be a whole number."),
        (["search", "--library", "L", "--txt", "x"], 2, "no option --txt; did you mean --text or --top?"),
        (["search", "--library", "L", "--text", "x"], 1, "There is no folder L. Check the name; importing"),
        (["search", "--library", ".", "--text", "x"], 1, "The folder . contains no library. Check the name;"),
        (["search", "--library", __file__, "--text", "x"], 1, "is a file: give the folder of a library."),
        (["show", "--library", "L"], 2, "PUBLICATION is missing: give it. `claimlight show --help`"),
        (["library", "inof"], 2, "Did you mean 'info'? `claimlight library --help` shows the options."),
        (["sets", "lst"], 2, "ACTION: 'lst' is not one of 'list', 'show', 'rerun'."),
        (["settings", "get", "search.dept"], 1, "did you mean search.depth? `claimlight settings list`"),
        (["adapt", "--library", "L", "--keep", "--show"], 2, "Give one of --keep, --discard and --show."),
        (["nonsense"], 2, "nonsense"),
        (["import", "missing.xml", "--library", "L"], 1, "There is no file or folder missing.xml"),
        (["settings", "get", "no.such"], 1, "There is no setting 'no.such'. `claimlight settings list`"),
        (["settings", "set", "search.depth", "many"], 1, "not a whole number"),
        (["--events", "xml", "doctor"], 2, "xml"),
    ],
)
def test_faults_of_the_world_are_told_without_a_traceback(
    tmp_path, monkeypatch, capsys, arguments, code, message
):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == code
    said = capsys.readouterr()
    assert message in " ".join((said.out + said.err).replace("│", " ").split())
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--claims", "missing.txt"], "no file missing.txt"),
        (["--claims", "."], ". is a folder: give a file in it."),
        (["--claims", "empty.txt"], "There are no claims. Give claims with their numbers"),
        (["--text", "A kettle.", "--claim", "3"], "no claim 3"),
        (["--like", "EP7A1"], "EP7A1 is not in the library"),
        (["--like", "hello"], "'hello' is not a publication number: write it as EP1000000A1"),
        (["--text", " "], "empty"),
    ],
)
def test_queries_that_can_not_be_made(folder, tmp_path, monkeypatch, capsys, arguments, message):
    (tmp_path / "empty.txt").touch()
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert run(["search", "--library", str(folder), *arguments]) == 1
    assert message in " ".join(capsys.readouterr().err.split())


def test_events_of_an_import_and_of_an_index(tmp_path, model, shared_file, capsys):
    target = str(tmp_path / "L")
    assert run(["--events", "jsonl", "import", str(shared_file), "--library", target, "--index"]) == 0
    told = lines(capsys.readouterr().out)
    kinds = [item["event"] for item in told]
    assert kinds.count("import_report") == kinds.count("index_report") == 1
    report = told[kinds.index("import_report")]
    assert (report["taken"], report["quarantined"]) == (2, [])
    assert {"event": "committed", "stage": "import", "documents": 2} in told
    assert told[-1]["documents"] == 2
    assert run(["--events", "jsonl", "import", str(shared_file), "--library", target]) == 0
    again = lines(capsys.readouterr().out)[-1]
    assert (again["taken"], again["unchanged"]) == (0, 2)


@pytest.fixture
def shared_file(tmp_path):
    path = tmp_path / "some.jsonl"
    rows = [
        {"publication_number": f"US2013021063{n}", "title": "Damper", "abstract": "A viscous damper.",
         "claims": ["1. A bicycle with a damper."], "description": "# DESCRIPTION\nThe damper is viscous."}
        for n in (6, 7)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_error_is_an_event_too(tmp_path, capsys):
    assert run(["--events", "jsonl", "index", "--library", str(tmp_path / "none")]) == 1
    (told,) = lines(capsys.readouterr().out)
    assert told["event"] == "error"
    assert told["kind"] == "InputError"
    assert "There is no folder" in told["message"]


def test_library_commands(folder, capsys):
    capsys.readouterr()
    assert run(["library", "info", "--library", str(folder)]) == 0
    assert "3 in 2 families" in capsys.readouterr().out
    assert run(["library", "info", "--library", str(folder), "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["documents"] == 3
    assert run(["library", "verify", "--library", str(folder)]) == 0
    assert "all pages, all documents" in " ".join(capsys.readouterr().out.split())
    assert run(["library", "quarantine", "--library", str(folder)]) == 0
    assert "No document is quarantined" in capsys.readouterr().err


def test_a_removed_document_is_found_no_more(folder, capsys):
    found = ["search", "--library", str(folder), "--text", "A kettle with a handle.", "--json"]
    assert run(["library", "remove", "EP1000003A1", "EP9", "--library", str(folder)]) == 1
    assert "nothing was removed" in " ".join(capsys.readouterr().err.split())
    assert run(found) == 0
    assert "EP1000003A1" in capsys.readouterr().out
    assert run(["library", "remove", "EP1000003A1", "--library", str(folder)]) == 0
    assert "Removed: EP1000003A1" in " ".join(capsys.readouterr().err.split())
    assert run(found) == 0
    assert "EP1000003A1" not in capsys.readouterr().out
    assert run(["library", "info", "--library", str(folder), "--json"]) == 0
    info = lines(capsys.readouterr().out)[0]
    assert (info["documents"], info["indexed_documents"]) == (2, 2)


def test_verify_finds_a_flipped_bit(folder, capsys):
    (victim,) = list(folder.rglob("posting_words.npy"))[:1]
    body = bytearray(victim.read_bytes())
    body[-1] ^= 1
    victim.write_bytes(body)
    capsys.readouterr()
    assert run(["library", "verify", "--library", str(folder)]) == 1
    assert "posting_words.npy" in "".join(capsys.readouterr().err.split())


def test_verify_fails_for_a_damaged_graph_though_search_goes_on_without_it(folder, tmp_path, capsys):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (graph,) = copy.rglob("*.hnsw")
    body = bytearray(graph.read_bytes())
    body[len(body) // 2] ^= 1
    graph.write_bytes(body)
    capsys.readouterr()
    assert run(["library", "verify", "--library", str(copy)]) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "the search is exact and slower instead" in told
    assert "claimlight index --rebuild" in told


def test_settings(capsys):
    assert run(["settings", "set", "search.depth", "77"]) == 0
    capsys.readouterr()
    assert run(["settings", "get", "search.depth"]) == 0
    assert capsys.readouterr().out == "77\n"
    assert run(["settings", "list", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["search.depth"] == 77
    assert run(["settings", "list"]) == 0
    assert "search.depth" in capsys.readouterr().out


def test_doctor_names_every_fault(model, monkeypatch, capsys):
    assert run(["doctor", "--json"]) == 0
    findings = {item["subject"]: item for item in lines(capsys.readouterr().out)[0]["findings"]}
    assert "FTS5" in findings["full text"]["state"]
    assert "centers" in findings["model package"]["state"]

    def broken(_):
        raise OSError("encoder.onnx is gone")

    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", broken)
    assert run(["doctor"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "FAULT model package encoder.onnx is gone" in said


def test_version_and_help(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("claimlight ")
    assert run(["--help"]) == 0
    assert "demo" in capsys.readouterr().out
