"""``claimlight index``: which descriptions, an estimate before, and their removal."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from claimlight.cli import index_command
from claimlight.cli.__main__ import run
from claimlight.index.writer import IndexWriter
from claimlight.services.cases.cases import CaseBook
from claimlight.services.indexing import dropping
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library.library import Library
from claimlight.types import Category, DroppedDescriptions, Mark, PublicationNumber
from tests.core.cli.schema import conforms
from tests.core.services.indexing.small_library import CLAIM_PASSAGES, DESCRIPTIONS, make_library, make_stack
from tests.fakes import library, patent

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "index-estimate.schema.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = make_stack()
    monkeypatch.setattr("claimlight.services.models.encoding_stack.open_encoding_stack", lambda _: made)
    with make_library(tmp_path / "L") as opened:
        assert opened.store
    return tmp_path / "L"


@pytest.fixture
def index(folder, capsys):
    """Run the command on the library; what it printed."""

    def indexed(*arguments, code=0, front=()):
        capsys.readouterr()
        assert run([*front, "index", "--library", str(folder), *arguments]) == code, capsys.readouterr().err
        told = capsys.readouterr()
        return told.out if front or "--json" in arguments else " ".join((told.out + told.err).split())

    return indexed


def left(folder):
    with Library.open(folder) as library:
        return library.info().claims_only


def test_quick_leaves_the_descriptions_for_later(index, folder, capsys):
    told = index("--quick")
    assert "6 documents, 18 passages" in told
    assert "The description of 5 documents is not indexed" in told
    capsys.readouterr()
    assert run(["library", "info", "--library", str(folder)]) == 0
    assert "6 documents; 1 in full text, 5 by title, abstract and claims only" in capsys.readouterr().out
    assert "No document had to be encoded. The description of 5" in index("--quick")
    told = index("--deep")
    assert "0 documents and 5 descriptions, 18 passages" in told
    assert "not indexed" not in told
    assert left(folder) == 0


@pytest.mark.parametrize(
    ("limits", "described"),
    [
        (["--class", "B62K"], 2),
        (["--class", "B62K", "--class", "H04L9/00"], 4),
        (["--published", "2010..2015"], 3),
        (["--class", "B62K", "--published", "2010..2015"], 1),
    ],
)
def test_descriptions_can_be_limited(index, folder, limits, described):
    told = index("--deep", *limits)
    assert told.startswith("Reading the library and opening the encoder …")
    assert f"{5 - described} document" in told
    assert left(folder) == 5 - described


def test_descriptions_that_are_indexed_already_are_told_apart_from_the_others(index):
    index("--class", "B62K")
    assert index("--class", "B62K").endswith(
        "Descriptions are limited to 2 documents. They are indexed already. The descriptions of 3 other "
        "documents are not; `claimlight index` indexes them."
    )
    index()
    assert index("--class", "B62K").endswith("The index is up to date: no document had to be encoded.")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (["--class", "G06F"], "No document has CPC G06F or a class below."),
        (["--class", "IPC=B62K"], "No document has IPC B62K or a class below; 2 documents have CPC B62K."),
        (["--published", "1900"], "No document satisfies all the limits"),
    ],
)
def test_limits_without_a_document_are_refused(index, folder, limits, said):
    """An index that is up to date is not what the user wanted to hear."""
    assert said in index("--deep", *limits, code=1)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (["--class", "G01N"], "The documents of this library name no classes."),
        (["--published", "2010..2012"], "The documents of this library have no publication dates."),
    ],
)
def test_a_library_without_classes_or_dates_is_named_as_the_cause(folder, capsys, limits, said):
    bare = replace(patent("1000001", "Cart", paragraphs=["A wheel."]), published=None, classes=())
    other = folder.parent / "bare"
    with library(other, [bare]):
        pass
    assert run(["index", "--library", str(other), *limits]) == 1
    assert said in " ".join(capsys.readouterr().err.split())


def test_the_case_of_a_set_is_named_and_the_library_it_was_recorded_in(index, folder):
    """Without --case it is the case worked on last, whatever library that is about."""
    other = folder.parent / "other"
    with library(other, [patent("1000002", "Cart"), patent("7", "Lamp")]):
        pass
    assert run(["query", "TI=cart", "--library", str(other), "--new-case", "Cart"]) == 0
    recorded = f"L1 was recorded in the library {other}."
    told = index("--set", "L1")
    assert f"Descriptions are limited to 1 document of L1 of case 1 (Cart). {recorded}" in told
    assert recorded in index("--set", "L1", "--estimate")
    assert run(["query", "TI=lamp", "--library", str(other), "--case", "1"]) == 0
    told = index("--set", "L2", code=1)
    assert f"The limits include L2 of case 1 (Cart). {recorded.replace('L1', 'L2')}" in told


def test_a_document_is_removed_while_the_index_is_written(index, folder, capsys):
    index("--quick")
    with IndexWriter(index_folder(folder)):
        capsys.readouterr()
        assert run(["library", "remove", "EP1000001A1", "--library", str(folder)]) == 0
        assert "the next indexing removes them" in capsys.readouterr().err
    with Library.open(folder) as library:
        info = library.info()
        assert (info.documents, info.indexed_documents) == (5, 5)


def test_sets_and_marks_of_a_case_limit_and_order(index, folder, monkeypatch):
    assert run(["index", "--library", str(folder), "--quick"]) == 0
    line = ["query", "PD=2015..2019", "--library", str(folder), "--new-case", "Cart"]
    assert run(line) == 0
    with CaseBook.open() as book:
        (case,) = book.cases()
        book.mark(case.id, Mark(PublicationNumber("EP", "1000005", "A1"), Category.X))
    seen = {}
    real = index_command.LibraryOrder

    def look(library, **named):
        seen.update(named)
        return real(library, **named)

    monkeypatch.setattr(index_command, "LibraryOrder", look)
    told = index("--case", str(case.id), "--set", "L1")
    assert f"Descriptions are limited to 2 documents of L1 of case {case.id} (Cart). " in told
    assert "recorded in" not in told
    assert left(folder) == 3
    assert seen["only"] == {2, 4}
    assert seen["case"].documents[0] == 5
    assert set(seen["case"].documents[1:]) == {2, 4}
    index("--case", str(case.id))
    assert seen["only"] is None
    assert left(folder) == 0
    assert "There is no set L7" in index("--set", "L7", code=1)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--quick", "--deep"],
        ["--quick", "--class", "B62K"],
        ["--quick", "--case", "1"],
        ["--class", "no symbol"],
        ["--drop-descriptions", "--estimate"],
        ["--yes"],
        ["--json"],
    ],
)
def test_what_does_not_belong_together_is_a_wrong_command_line(index, wrong):
    index(*wrong, code=2)


def test_a_wrong_date_is_refused_before_anything_is_indexed(index, folder):
    assert "is not a date" in index("--published", "soon", code=1)
    assert not (folder / "index").exists()


def test_an_estimate_changes_nothing(index, folder):
    told = index("--estimate")
    assert f"titles, abstracts, claims 6 {CLAIM_PASSAGES} 0:00:00" in told
    assert f"descriptions 5 {sum(DESCRIPTIONS.values())} 0:00:00" in told
    assert "measured now" in told
    assert "more on disk" in told
    assert not (folder / "index").exists()
    assert "descriptions" not in index("--estimate", "--quick").split("measured")[0]
    (line,) = index("--estimate", "--json").splitlines()
    body = json.loads(line)
    assert conforms(body, json.loads(SCHEMA.read_text(encoding="utf-8"))) == []
    assert (body["event"], body["schema"]) == ("index_estimate", "claimlight.index-estimate.1")
    assert (body["claims"]["documents"], body["claims"]["passages"]) == (6, CLAIM_PASSAGES)
    assert (body["descriptions"]["documents"], body["descriptions"]["passages"]) == (5, 18)
    assert body["enough_space"] is True
    (line,) = index("--estimate", "--class", "B62K", front=["--events", "jsonl"]).splitlines()
    assert json.loads(line)["descriptions"]["documents"] == 2


def test_too_small_a_disk_is_reported(index, monkeypatch):
    from types import SimpleNamespace

    from claimlight.services.indexing import estimate

    monkeypatch.setattr(estimate.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    assert "There is not enough disk space" in index("--estimate")


def test_descriptions_are_removed_after_a_question(index, folder, monkeypatch):
    index()
    asked = []

    def refuse(text, **_):
        asked.append(text)
        raise index_command.typer.Abort

    monkeypatch.setattr(index_command.typer, "confirm", refuse)
    index("--drop-descriptions", code=1)
    assert "Remove the descriptions" in asked[0]
    assert left(folder) == 0
    told = index("--drop-descriptions", "--yes")
    assert "The descriptions of 5 documents are removed from the index" in told
    assert left(folder) == 5
    assert len(asked) == 1
    line = index("--drop-descriptions", front=["--events", "jsonl"]).splitlines()[-1]
    assert json.loads(line) == {"event": "descriptions_dropped", "documents": 0, "bytes": 0, "partly": 0}
    assert index("--drop-descriptions", "--yes").endswith("nothing was removed.")


@pytest.mark.parametrize(
    ("dropped", "told"),
    [
        (
            (2, 950_000, 43),
            "of 2 documents, and the passages that searches had read of 43 other documents, are",
        ),
        (
            (0, 950_000, 43),
            "The passages that searches had read of the descriptions of 43 documents are removed",
        ),
        (
            (0, 1_800_000, 0),
            "What interrupted runs and removed documents had left of descriptions is removed; 1.8 MB are",
        ),
    ],
)
def test_the_removal_says_what_it_removed(index, monkeypatch, dropped, told):
    index("--quick")
    monkeypatch.setattr(dropping, "drop_descriptions", lambda *_: DroppedDescriptions(*dropped))
    assert told in index("--drop-descriptions", "--yes")


def test_removing_a_document_indexes_no_descriptions(index, folder):
    index("--quick")
    assert run(["library", "remove", "EP1000001A1", "--library", str(folder)]) == 0
    assert left(folder) == 4


def test_low_priority_is_an_option_and_a_setting(index, monkeypatch):
    lowered = []
    monkeypatch.setattr(index_command, "lower_priority", lambda: lowered.append(1))
    index("--quick")
    assert not lowered
    index("--quick", "--low-priority")
    assert len(lowered) == 1
    assert run(["settings", "set", "index.low_priority", "true"]) == 0
    index("--quick")
    assert len(lowered) == 2


def test_events_name_both_passes(index):
    told = [json.loads(line) for line in index(front=["--events", "jsonl"]).splitlines()]
    progress = {(item["stage"], item["unit"]) for item in told if item["event"] == "progress"}
    assert {("index", "documents"), ("full text", "passages")} <= progress
    assert {item["stage"] for item in told if item["event"] == "committed"} == {"index", "full text"}
    (report,) = (item for item in told if item["event"] == "index_report")
    assert (report["documents"], report["full_text"]) == (6, 5)
