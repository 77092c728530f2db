"""DAPFAM in its own three files: views, scopes, measures and what is said of broken links."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from claimlight.cli.__main__ import run
from claimlight.encoders import EncoderInput
from claimlight.tasks import TaskContext
from claimlight.types import Section
from tests.core.lab.papers.patenteb.patenteb_world import write_table
from tests.fakes import FakeEncoder

NAMES = ("bicycle", "kettle", "pump", "damper", "lamp", "wheel", "brake", "spout")
FIELDS = ("title_en", "abstract_en", "claims_text", "description_en")
LINKS = (
    ("Q1", "D1", 1.0, "IN"),
    ("Q1", "D5", 1.0, "OUT"),
    ("Q1", "D3", 0.0, "NC"),
    ("Q2", "D2", 1.0, "IN"),
    ("Q2", "D9", 1.0, "IN"),
    ("Q3", "D4", 0.0, "NC"),
)


@pytest.fixture(autouse=True)
def fake(monkeypatch):
    monkeypatch.setattr("claimlight.lab.papers.patenteb.encoding.open_encoder", lambda *_: FakeEncoder())


def texts(number):
    """The fields of a family, none like another's."""
    word, other = NAMES[number % 8], NAMES[(number + 3) % 8]
    return {
        "title_en": f"{word} with a {other}",
        "abstract_en": f"the {word} is mounted on number{number}",
        "claims_text": f"a {word} carrying claim{number} {other}",
        "description_en": f"described{number} {word}",
    }


@pytest.fixture
def data(tmp_path):
    """In all columns that are read, and some of those that are not."""
    more = {"classifications_ipcr_list_first_three_chars_list": ["B62", "F04"], "jurisdiction": "US"}
    queries = [{"query_id": f"Q{n}", **texts(n + 20), **more} for n in (1, 2, 3)]
    queries[1]["abstract_en"] = None
    families = [{"relevant_id": f"D{n}", **texts(n), **more} for n in range(1, 7)]
    write_table(tmp_path / "queries.parquet", queries)
    # A family that is a query as well does not find itself.
    write_table(
        tmp_path / "corpus.parquet", [*families, {**queries[0], "relevant_id": "Q1", "query_id": None}]
    )
    write_links(tmp_path, LINKS)
    return tmp_path


def write_links(folder, links):
    names = ("query_id", "relevant_id", "relevance_score", "domain_rel")
    write_table(folder / "qrels_all.parquet", [dict(zip(names, link, strict=True)) for link in links])


def evaluated(capsys, data, *more):
    assert run(["lab", "dapfam", "--data", str(data), "--json", "--prompts", "none", *map(str, more)]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def vector(text):
    return next(FakeEncoder().encode([EncoderInput(text, Section.DESCRIPTION)], TaskContext())).pooled


def shown(number, columns, *, without=()):
    """The text of a family as a view shows it: the fields that there are, a line each."""
    every = texts(number)
    return "\n".join(every[name] for name in FIELDS[:columns] if name not in without)


@pytest.mark.parametrize(("queries", "documents"), [("ta", "tac"), ("tac", "full"), ("tac", "tac")])
def test_one_ranking_is_judged_in_every_scope(data, capsys, queries, documents):
    body = evaluated(capsys, data, "--queries", queries, "--documents", documents)
    width = {"ta": 2, "tac": 3, "full": 4}
    assert body["protocol"] == f"DAPFAM {queries} to {documents}"
    assert body["counts"] == {"queries": 3, "families": 7}
    assert "Relevant families that are not in the corpus, and count as not found: 1." in body["notes"]
    corpus = {f"D{n}": vector(shown(n, width[documents])) for n in range(1, 7)}
    corpus["Q1"] = vector(shown(21, width[documents]))
    asked = {
        "Q1": vector(shown(21, width[queries])),
        "Q2": vector(shown(22, width[queries], without={"abstract_en"})),
    }
    relevant = {
        "ALL": {"Q1": {"D1", "D5"}, "Q2": {"D2", "D9"}},
        "IN": {"Q1": {"D1"}, "Q2": {"D2", "D9"}},
        "OUT": {"Q1": {"D5"}},
    }
    assert [row["system"] for row in body["rows"]] == ["ALL", "IN", "OUT"]
    for row in body["rows"]:
        found = row["measures"]
        values = []
        for query, wanted in relevant[row["system"]].items():
            others = [name for name in corpus if name != query]
            order = sorted(others, key=lambda name: -float(corpus[name] @ asked[query]))
            gain = sum(1 / math.log2(i + 2) for i, name in enumerate(order) if name in wanted)
            ideal = sum(1 / math.log2(i + 2) for i in range(len(wanted)))
            values.append((gain / ideal, len(wanted & set(corpus)) / len(wanted)))
        assert found["queries"] == len(values)
        ndcg, recall = np.mean(values, axis=0)
        assert found["nDCG@100"] == pytest.approx(ndcg, abs=2e-6)
        assert found["nDCG@10"] == found["nDCG@100"]
        assert found["R@10"] == found["R@100"] == pytest.approx(recall, abs=2e-6)


def test_scopes_and_truncation_by_choice(data, capsys):
    body = evaluated(capsys, data, "--scope", "OUT", "--dims", 4)
    assert [row["system"] for row in body["rows"]] == ["OUT", "D4: OUT"]
    write_links(data, [link for link in LINKS if link[3] != "OUT"])
    body = evaluated(capsys, data, "--scope", "OUT")
    assert body["rows"][0]["measures"] == {"queries": 0}


def test_what_is_wrong_with_the_files_is_said(data, capsys):
    def told():
        assert run(["lab", "dapfam", "--data", str(data)]) != 0
        return " ".join(capsys.readouterr().err.split())

    write_links(data, [*LINKS, ("Q8", "D1", 1.0, "IN")])
    assert "qrels_all.parquet, row 7: there is no query Q8" in told()
    write_links(data, [("Q1", "D1", 1.0, "SIDE")])
    assert "row 1: domain_rel is 'SIDE'; IN or OUT was expected for a relevant family" in told()
    write_links(data, [("Q1", "D1", "much", "IN")])
    assert "row 1: the relevance_score 'much' is no number" in told()
    write_table(
        data / "corpus.parquet", [{"relevant_id": "D1", **texts(1)}, {"relevant_id": "D1", **texts(2)}]
    )
    assert "corpus.parquet, row 2: D1 was there before; families must differ" in told()
    write_table(data / "corpus.parquet", [{"relevant_id": "D1", "title_en": "a"}])
    assert "corpus.parquet has no column abstract_en, claims_text; it has relevant_id, title_en" in told()
    (data / "corpus.parquet").unlink()
    assert "corpus.parquet can't be read" in told()
