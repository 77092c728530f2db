"""The public folder: read as its authors' code reads it, written as it is read, faults told by line."""

import json

import pytest

from claimlight.errors import InputError
from claimlight.lab.papers.patentmap.dataset import (
    GoldCitation,
    MapPatent,
    MapSet,
    Part,
    check_free,
    read_set,
    write_set,
)
from claimlight.types import Section

QUERY = {
    "dnum": "EP3000001A1",
    "Content": {
        "title": "Damper",
        "pa01": "A damper\nwith a strut. -->",
        "c-en-0001": "1. A damper.",
        "c-en-0002": "2. A damper of claim 1 \\/ 2, at 4 \\u00b0C.",
        "c-de-0001": "1. Ein Stoßdämpfer.",
        "p0001": "Dampers are known.",
        "p0002": 'A \\"strut\\" is shown.\\nIt turns.',
    },
}
DOCUMENT = {"dnum": 1000001, "Content": {"title": "Kettle", "c-en-0001": "A kettle.", "pa01": None}}
GOLD = {
    "EP3000001A1": [
        {"cited_id": "1000001", "type": "A", "category": "x"},
        {"cited_id": "1000001", "type": "X"},
        {"cited_id": "77"},
    ],
    "EP9": [{"cited_id": "1000001", "type": "X"}],
}


def write(folder, queries=(QUERY,), documents=(DOCUMENT,), gold=None):
    for name, rows in (("queries", queries), ("documents", documents)):
        path = folder / "content" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "mapping").mkdir(exist_ok=True)
    (folder / "mapping" / "gold.json").write_text(json.dumps(GOLD if gold is None else gold))
    return folder


def test_patents_and_citations_are_read(tmp_path):
    found = read_set(write(tmp_path))
    query = found.queries["EP3000001A1"]
    assert query.text(Part.ABSTRACT) == "Damper\nA damper with a strut."
    assert query.claims == ("1. A damper.", "2. A damper of claim 1 / 2, at 4 °C.")
    assert query.text(Part.INVENTION) == 'Dampers are known. A "strut" is shown. It turns.'
    assert found.documents["1000001"] == MapPatent("1000001", "Kettle", "", ("A kettle.",), ())
    # X counts for more than A; without a category a citation is relevant all the same.
    assert found.judgements.grades == {"EP3000001A1": {"1000001": 3, "77": 1}}
    assert found.notes == ("Queries with citations but without a text, left out: 1.",)


def test_parts_are_known_to_an_encoder_as_sections():
    sections = [part.section for part in Part]
    assert sections == [Section.ABSTRACT, Section.CLAIMS, Section.DESCRIPTION]


@pytest.mark.parametrize(("words", "claims"), [(0, 14), (500, 14), (4, 4), (1, 1)])
def test_each_section_is_cut_for_itself(tmp_path, words, claims):
    query = read_set(write(tmp_path), words=words).queries["EP3000001A1"]
    assert len(query.text(Part.CLAIM).split()) == claims
    assert len(query.text(Part.INVENTION).split()) == min(words or 9, 9)
    assert query.title == "Damper"


def test_what_is_escaped_twice_and_what_only_looks_so(tmp_path):
    texts = ["a \\ud835\\udefc b", "\\nu and \\theta", "end.\\n\\tNext", "x \\ud835"]
    row = {"dnum": "1", "Content": {"title": "t"} | {f"p{n:04}": text for n, text in enumerate(texts)}}
    found = read_set(write(tmp_path, queries=[QUERY, row]), words=0).queries["1"].description
    assert found == ("a \U0001d6fc b", "\\nu and \\theta", "end. Next", "x \ufffd")


def test_the_last_of_two_counts_and_is_told(tmp_path):
    again = {"dnum": "1000001", "Content": {"title": "Lamp"}}
    found = read_set(write(tmp_path, documents=[DOCUMENT, again]))
    assert found.documents["1000001"].title == "Lamp"
    assert "documents.json: patents that come more than once, of which the last counts: 1." in found.notes


def test_what_is_written_is_read_again(tmp_path):
    patents = [
        MapPatent("EP1A1", "Damper", "A damper.", ("1. A damper.", "2. Another."), ("One.", "Two.")),
        MapPatent("US2A", "Lampe à l'huile", "", (), ()),
    ]
    made = MapSet(
        {"EP1A1": patents[0]},
        {item.name: item for item in patents},
        {"EP1A1": (GoldCitation("US2A", "Y"), GoldCitation("US3A", ""))},
    )
    write_set(made, tmp_path / "set")
    assert read_set(tmp_path / "set", words=0) == made
    raw = json.loads((tmp_path / "set" / "content" / "queries.json").read_text().splitlines()[0])
    assert list(raw["Content"]) == ["title", "pa01", "c-en-0001", "c-en-0002", "p0001", "p0002"]
    gold = json.loads((tmp_path / "set" / "mapping" / "gold.json").read_text())
    assert gold == {"EP1A1": [{"cited_id": "US2A", "type": "Y"}, {"cited_id": "US3A", "type": ""}]}
    with pytest.raises(InputError, match="holds an evaluation set already"):
        check_free(tmp_path / "set")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("content/queries.json", '{"dnum": "1"\n', "queries.json, line 1: this is not JSON"),
        ("content/queries.json", '{"dnum": "1", "Content": {"title": 3}}\n', "line 1: an object with"),
        ("content/queries.json", "[1]\n", "line 1: an object with"),
        ("content/documents.json", '\n{"Content": {}}\n', "documents.json, line 2: an object with"),
        ("content/documents.json", "", "holds no patent"),
        ("mapping/gold.json", "{", "gold.json is not JSON"),
        ("mapping/gold.json", "[]", "an object like"),
        ("mapping/gold.json", '{"EP3000001A1": {"a": 1}}', "query EP3000001A1: a list like"),
        ("mapping/gold.json", '{"EP3000001A1": [{"type": "X"}]}', "query EP3000001A1: a list like"),
        ("mapping/gold.json", '{"EP3000001A1": []}', "has a citation in"),
        ("mapping/gold.json", None, "can't be read"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path, name, text, message):
    path = write(tmp_path) / name
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_set(tmp_path)
