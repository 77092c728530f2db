"""Files of judged data, as they come and as they go wrong."""

from __future__ import annotations

import gzip
import json

import pytest

from claimlight.errors import InputError
from claimlight.evaluation.judgements import JudgedText, read_families, read_judgements, read_texts

ROWS = [{"_id": "q1", "title": "Damper", "text": "A damper."}, {"_id": "d/2", "text": "Kettle", "ipc": []}]


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_texts_are_read_packed_or_not(tmp_path, packed):
    body = "".join(json.dumps(row) + "\n\n" for row in ROWS).encode()
    path = tmp_path / "corpus"
    path.write_bytes(gzip.compress(body) if packed else body)
    assert list(read_texts(path)) == [
        JudgedText("q1", "Damper", "A damper."),
        JudgedText("d/2", "", "Kettle"),
    ]


def test_title_and_text_are_one_passage():
    assert JudgedText("x", "Damper", "A damper.").text == "Damper\nA damper."
    assert JudgedText("x", "", "A damper.").text == "A damper."


def test_a_text_may_be_a_whole_patent(tmp_path):
    rows = [
        {"_id": "a", "text": "A damper.", "claims": ["A damper.", "Another."], "description": "Long."},
        {"_id": "b", "text": "A kettle.", "claims": "One.", "description": None},
        {"_id": "c", "text": "A lamp.", "claims": None},
    ]
    path = written(tmp_path / "f.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert list(read_texts(path)) == [
        JudgedText("a", "", "A damper.", ("A damper.", "Another."), "Long."),
        JudgedText("b", "", "A kettle.", ("One.",)),
        JudgedText("c", "", "A lamp."),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: this is not JSON"),
        ('["a"]', "line 2: an object"),
        ('{"_id": 7, "text": "a"}', "line 2: an object"),
        ('{"_id": "x"}', "line 2: an object"),
        ('{"_id": "x", "text": "a", "claims": [1]}', "line 2: an object"),
        ('{"_id": "x", "text": "a", "description": ["b"]}', "line 2: an object"),
        ('{"_id": "q1", "text": "a"}', "line 2: q1 was there before"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, said):
    path = written(tmp_path / "f.jsonl", json.dumps(ROWS[0]) + "\n" + line + "\n")
    with pytest.raises(InputError, match=said):
        list(read_texts(path))


def test_files_that_are_none(tmp_path):
    cut = tmp_path / "cut.gz"
    body = "".join(json.dumps({"_id": str(n), "text": "b"}) + "\n" for n in range(500))
    cut.write_bytes(gzip.compress(body.encode())[:-20])
    latin = tmp_path / "latin"
    latin.write_bytes(b'{"_id": "a", "text": "\xe4"}\n')
    for path, said in ((tmp_path / "none", "can't be read"), (cut, "can't be read"), (latin, "is not UTF-8")):
        with pytest.raises(InputError, match=said):
            list(read_texts(path))


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td1\t-1\nq3\td9\t2\n",
        "q1\td1\t1\nq1\td2\t0\nq2\td1\t-1\nq3\td9\t2\n",
        "q1 0 d1 1\nq1 0 d2 0\r\nq2 0 d1 -1\nq3 0 d9 2",
    ],
)
def test_relevance_in_its_three_forms(tmp_path, text):
    found = read_judgements(written(tmp_path / "qrels", text))
    assert found.grades == {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": -1}, "q3": {"d9": 2}}
    assert found.queries == ("q1", "q3")
    assert found.relevant("q1") == {"d1"}
    assert found.relevant("unknown") == frozenset()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1\td1\n", "line 1: query, document and grade"),
        ("q1\td1\t1\nq1\td2\thigh\n", "line 2: the grade 'high'"),
        ("q1\td1\t1\nq1\td1\t1\n", "line 2: d1 was judged for q1 before"),
        ("q1\td1\t0\n", "no relevant document"),
        ("", "no relevant document"),
    ],
)
def test_relevance_that_is_wrong(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        read_judgements(written(tmp_path / "qrels", text))


def test_groups_that_share_a_document_are_one_family(tmp_path):
    found = read_families(
        written(tmp_path / "f", "group\tdoc\n1\tA\n1\tB\n2\tC\n2\tD\n3\tB\n3\tC\n4\tE\n4\tF\n")
    )
    assert found.label("A") == found.label("B") == found.label("C") == found.label("D") != ""
    assert found.label("E") == found.label("F") != found.label("A")
    assert found.label("unknown") == ""


def test_families_that_are_wrong(tmp_path):
    with pytest.raises(InputError, match="line 2: group and document"):
        read_families(written(tmp_path / "f", "1\tA\n2\n"))
