"""``classify``: suggestions, training and measuring on the command line, with the shipped encoder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from claimlight.cli.__main__ import run
from claimlight.paths import models_dir
from claimlight.services.classes.suggesting import TRAINED_ON
from claimlight.settings import load
from claimlight.types import ClassSymbol, Scheme
from tests.core.cli.schema import conforms
from tests.core.services.classes.test_suggesting import documents
from tests.fakes import library

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "schemas" / "classify.schema.json").read_text(encoding="utf-8")
)


@pytest.fixture
def ask(capsys):
    """Run the command line; what it printed on the two streams."""

    def asked(*arguments, code=0):
        capsys.readouterr()
        assert run([*map(str, arguments)]) == code, capsys.readouterr().err
        return capsys.readouterr()

    return asked


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("cli") / "Boats"
    library(made, documents()).close()
    return made


@pytest.fixture
def trained(ask, folder):
    """A classifier of the library, in use."""
    return json.loads(ask("classify", "train", "--library", folder, "--use", "--json").out)


def test_a_library_trains_its_own_classifier_and_uses_it(ask, folder, trained):
    assert conforms(trained, SCHEMA) == []
    assert trained["model"] == "boats-cpc 1"
    assert trained["documents"] == len(documents())
    assert Path(trained["folder"]) == models_dir() / "boats-cpc"
    assert load().settings.classifier.package == "boats-cpc"
    section = next(item for item in trained["figures"] if item["level"] == "section")
    assert section["first"] > 0.5
    assert "that were left out of a training on the others" in trained["measured_on"]

    body = json.loads(
        ask("classify", "--text", "A server checks the signature of a message with a key.", "--json").out
    )
    assert conforms(body, SCHEMA) == []
    assert body["classifier"] == "boats-cpc 1"
    assert body["suggestions"][0]["symbol"] == "H04L"
    assert body["suggestions"][0]["documents"] is None

    # A document is named without the word suggest, and its library counts.
    publication = str(documents()[0].publication)
    body = json.loads(ask("classify", publication, "-l", folder, "--explain", "--json").out)
    assert conforms(body, SCHEMA) == []
    assert body["suggestions"][0]["symbol"] == "B62K"
    assert body["suggestions"][0]["documents"] == 16
    assert body["notes"] == [TRAINED_ON]
    (told,) = [item for item in body["evidence"] if item["symbol"] == "B62K"]
    assert told["neighbours"][0]["publication"] == publication
    text = ask("classify", "suggest", publication, "-l", folder, "--level", "section", "--explain")
    assert "B" in text.out
    assert "* suggested" in text.err or "No section is suggested" in text.err
    assert ("nearest documents of the training" in text.out) is ("* suggested" in text.err)
    unsure = ask("classify", "--text", "asdf qwer zxcv", "--confidence", "1")
    assert "No subclass is suggested: none is likely enough." in unsure.err

    # A second one gets another name; the first stays.
    again = json.loads(ask("classify", "train", "--library", folder, "--json").out)
    assert again["model"] == "boats-cpc-2 1"
    assert "boats-cpc" in ask("models", "list").out
    assert "all match the manifest" in ask("models", "check", "boats-cpc").out
    assert "not removed" in ask("models", "remove", "boats-cpc", code=1).err
    ask("models", "remove", "boats-cpc-2")
    assert not (models_dir() / "boats-cpc-2").exists()


def test_a_file_of_an_application_is_classified(ask, trained, tmp_path):
    claims = tmp_path / "claims.txt"
    claims.write_text(
        "1. A bicycle comprising a wheel, a fork and a damper with a spring.\n\n"
        "2. The bicycle of claim 1, wherein the suspension has a damper.\n"
    )
    body = json.loads(ask("classify", "--claims", claims, "--json").out)
    assert [item["section"] for item in body["texts"]] == ["claims"]
    assert body["suggestions"][0]["symbol"] == "B62K"


def test_documents_of_a_file_train_and_are_measured_on_a_list(ask, tmp_path):
    rows = [
        {
            "_id": str(made.publication),
            "title": made.titles[0].text,
            "abstract": made.abstracts[0].text,
            "cpc": [item.symbol for item in made.classes],
        }
        for made in documents()
    ]
    file = tmp_path / "documents.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    held = tmp_path / "held.txt"
    held.write_text("\n".join(row["_id"] for row in rows[::4]) + "\n")
    arguments = ("--documents", file, "--labels", "cpc", "--test-on", held, "--json")
    measured = json.loads(ask("classify", "evaluate", *arguments).out)
    assert measured["folder"] == ""
    assert measured["documents"] == len(rows) - len(rows[::4])
    assert measured["figures"][0]["documents"] == len(rows[::4])
    out = tmp_path / "package"
    made = json.loads(ask("classify", "train", *arguments, "--out", out, "--licence", "CC0-1.0").out)
    # What was measured on stays left out of what is kept.
    assert made["documents"] == measured["documents"]
    assert made["figures"] == measured["figures"]
    known = json.loads((out / "documents.json").read_text())
    assert not set(known) & set(held.read_text().split())
    again = json.loads(ask("classify", "evaluate", *arguments, "--classifier", out).out)
    assert again["figures"] == made["figures"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give one of PUBLICATION, --claims and --text"),
        (("EP1", "--text", "x"), "Give one of PUBLICATION, --claims and --text"),
        (("EP0000001A1",), "needs its --library"),
    ],
)
def test_a_wrong_question_is_a_wrong_command_line(ask, arguments, said):
    assert said in " ".join(ask("classify", "suggest", *arguments, code=2).err.split())


def test_what_can_not_be_trained_is_said(ask, folder, tmp_path):
    assert "Name a library or a file" in ask("classify", "train", code=1).err
    assert (
        "No document has IPC classes" in ask("classify", "train", "-l", folder, "--kind", "ipc", code=1).err
    )
    few = tmp_path / "Few"
    library(few, documents()[:20]).close()
    told = ask("classify", "train", "-l", few, code=1).err
    assert "at least 30 documents with CPC classes and a text; Few has 20. Import more documents" in told
    there = tmp_path / "there"
    there.mkdir()
    assert "exists already" in ask("classify", "train", "-l", folder, "--out", there, code=1).err


def test_the_scheme_that_more_documents_have_is_trained(ask, tmp_path):
    made = [
        replace(item, classes=(*item.classes, ClassSymbol(Scheme.IPC, item.classes[0].symbol)))
        if number % 16
        else replace(item, classes=(ClassSymbol(Scheme.IPC, item.classes[0].symbol),))
        for number, item in enumerate(documents())
    ]
    library(tmp_path / "Mixed", made).close()
    found = json.loads(ask("classify", "evaluate", "-l", tmp_path / "Mixed", "--json").out)
    assert found["scheme"] == "ipc"
    asked = json.loads(ask("classify", "evaluate", "-l", tmp_path / "Mixed", "--kind", "cpc", "--json").out)
    assert asked["scheme"] == "cpc"
