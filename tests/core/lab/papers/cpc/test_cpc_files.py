"""Documents and predictions as files: what is read, and what is said of a line that can't be."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from claimlight.errors import InputError
from claimlight.evaluation.classification.documents import Part, library_documents, read_documents
from claimlight.evaluation.judgements import JudgedFamilies
from claimlight.lab.papers.cpc.levels import Level
from claimlight.lab.papers.cpc.predictions import at_level, read_predictions, write_predictions
from claimlight.tasks import TaskContext
from claimlight.types import ClassSymbol, Scheme
from tests.fakes import library, patent

ROWS = [
    {"_id": "a", "title": "Kettle", "abstract": "A spout.", "claims": ["One.", "Two."], "labels": ["A47J"]},
    {"_id": "b", "title": "Lamp", "text": "A bulb.", "claims": "One.", "labels": [], "family": "own"},
    {"_id": "c", "abstract": "Alone.", "family": "own"},
]


def lines(path, *rows):
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n")
    return path


def test_documents_of_a_file_packed_or_not(tmp_path):
    plain = lines(tmp_path / "documents.jsonl", *ROWS)
    packed = tmp_path / "documents.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    families = JudgedFamilies({"c": "theirs"})
    found = list(read_documents(plain, field="labels", families=families))
    assert found == list(read_documents(packed, field="labels", families=families))
    assert [item.family for item in found] == ["", "own", "theirs"]
    assert [item.symbols for item in found] == [("A47J",), (), ()]
    assert [item.input(tuple(Part)).text for item in found] == [
        "Kettle\nA spout.\nOne.\nTwo.",
        "Lamp\nA bulb.\nOne.",
        "Alone.",
    ]
    assert found[0].input((Part.CLAIMS, Part.TITLE)).text == "Kettle\nOne.\nTwo."
    assert found[2].input((Part.TITLE,)).text == ""
    assert [item.symbols for item in read_documents(plain, field="cpc")] == [()] * 3


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "an object was expected"),
        ({"title": "x"}, 'has no "_id"'),
        ({"_id": 7, "title": "x"}, '"_id" must be a text'),
        ({"_id": "a", "title": "x"}, "a was there before"),
        ({"_id": "d"}, "d has no text"),
        ({"_id": "d", "title": ["x"]}, '"title" must be a text'),
        ({"_id": "d", "title": "x", "labels": [7]}, '"labels" must be a list of texts'),
        ({"_id": "d", "title": "x", "claims": {"1": "One."}}, '"claims" must be a list of texts'),
    ],
)
def test_a_line_that_is_no_document_is_named(row, said, tmp_path):
    path = lines(tmp_path / "documents.jsonl", ROWS[0], row)
    with pytest.raises(InputError, match=said) as raised:
        list(read_documents(path, field="labels"))
    assert f"{path}, line 2" in str(raised.value)


def test_documents_of_a_library(tmp_path):
    classes = (
        ClassSymbol(Scheme.CPC, "A47J 31/00"),
        ClassSymbol(Scheme.IPC, "A47J 31/44"),
        ClassSymbol(Scheme.CPC, "Y10T 428/24"),
    )
    patents = [
        replace(patent("1000001", "Kettle", abstract="A spout.", claims=["A lid."]), classes=classes),
        patent("1000002", "Lamp", claims=["A bulb.", "A lamp as claimed in claim 1."], priority="P1"),
        patent("1000003", "Lamp again", abstract="Light.", paragraphs=["Not read."], priority="P1"),
    ]
    with library(tmp_path / "lib", patents) as opened:
        found = library_documents(opened, Scheme.CPC, TaskContext())
        ipc = library_documents(opened, Scheme.IPC, TaskContext())
    assert [item.name for item in found] == ["EP1000001A1", "EP1000002A1", "EP1000003A1"]
    assert [item.symbols for item in found] == [("A47J 31/00", "Y10T 428/24"), (), ()]
    assert [item.symbols for item in ipc] == [("A47J 31/44",), (), ()]
    texts = [item.input(tuple(Part)).text for item in found]
    assert texts == [
        "Kettle\nA spout.\nA lid.",
        "Lamp\nA bulb.\nA lamp as claimed in claim 1.",
        "Lamp again\nLight.",
    ]
    assert found[1].family == found[2].family != found[0].family


def test_predictions_with_and_without_scores(tmp_path):
    path = lines(
        tmp_path / "predictions.jsonl",
        {"_id": "a", "predicted": ["A47J", "B60T 8/00"], "labels": ["A47J 31/00"]},
        {"_id": "b", "predicted": {"A": 0.9, "B": 0.5, "H": 0.4}, "level": "section"},
        {"_id": "b", "predicted": {"A61": 1, "H04": 0}, "level": "class"},
    )
    found = read_predictions(path)
    assert [sorted(row.given) for row in found] == [["A47J", "B60T 8/00"], ["A", "B"], ["A61"]]
    assert [row.level for row in found] == [None, Level.SECTION, Level.CLASS]
    assert [row.labels for row in found] == [frozenset({"A47J 31/00"}), None, None]
    assert sorted(read_predictions(path, cut=0.95)[1].given) == []
    truth = {"b": ("A61B 5/02", "H04L 9/32")}
    assert at_level(found, Level.SECTION, truth) == ([{"A"}, {"A", "H"}], [{"A", "B"}, {"A", "B"}])
    assert at_level(found, Level.CLASS, truth) == ([{"A47"}, {"A61", "H04"}], [{"A47", "B60"}, {"A61"}])
    assert at_level(found, Level.SUBCLASS, {}) == ([{"A47J"}], [{"A47J", "B60T"}])
    again = tmp_path / "again.jsonl"
    write_predictions(found, again)
    assert read_predictions(again) == found


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"predicted": ["A"]}, 'has no "_id"'),
        ({"_id": "b"}, '"predicted" must be a list of symbols'),
        ({"_id": "b", "predicted": [1]}, '"predicted" must be a list of symbols'),
        ({"_id": "b", "predicted": ["345/204"]}, "'345/204' under \"predicted\" is no symbol"),
        ({"_id": "b", "predicted": {"A": "high"}}, "the score of A is no number"),
        ({"_id": "b", "predicted": {"A": float("nan")}}, "the score of A is no number"),
        ({"_id": "b", "predicted": ["A"], "labels": ["nothing"]}, "'nothing' under \"labels\" is no symbol"),
        ({"_id": "b", "predicted": ["A"], "level": "group"}, "'group' is no level"),
        ({"_id": "a", "predicted": ["A"]}, "a was predicted before"),
    ],
)
def test_a_line_that_is_no_prediction_is_named(row, said, tmp_path):
    path = lines(tmp_path / "predictions.jsonl", {"_id": "a", "predicted": ["A"]}, row)
    with pytest.raises(InputError, match=said) as raised:
        read_predictions(path)
    assert f"{path}, line 2" in str(raised.value)


def test_an_empty_file_predicts_nothing(tmp_path):
    with pytest.raises(InputError, match="holds no prediction"):
        read_predictions(lines(tmp_path / "predictions.jsonl"))
