"""BigPatentClustering in both published forms: a table with a row for each text, and sets of texts."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import v_measure_score

from claimlight.cli.__main__ import run
from claimlight.encoders import EncoderInput
from claimlight.tasks import TaskContext
from claimlight.types import Section
from tests.core.lab.papers.patenteb.patenteb_world import write_table
from tests.fakes import FakeEncoder

WORDS = {
    "a": ("kettle", "spout", "lid", "boiling"),
    "b": ("bicycle", "wheel", "pedal", "saddle"),
    "f": ("pump", "shaft", "impeller", "seal"),
}


@pytest.fixture(autouse=True)
def fake(monkeypatch):
    monkeypatch.setattr("claimlight.lab.papers.patenteb.encoding.open_encoder", lambda *_: FakeEncoder())


def texts(count, seed):
    """Descriptions of sections that share some of their words, so that clusters are not perfect."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        label = str(rng.choice(list(WORDS), p=(0.5, 0.3, 0.2)))
        others = [word for words in WORDS.values() for word in words]
        words = [*rng.choice(WORDS[label], size=2), *rng.choice(others, size=3)]
        rows.append({"sentences": "BACKGROUND \n " + " ".join(map(str, words)), "labels": label})
    return rows


def evaluated(capsys, data, *more):
    assert run(["lab", "big-patent", "--data", str(data), "--json", *map(str, more)]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def vectors(rows):
    inputs = [EncoderInput(text, Section.DESCRIPTION) for text in rows]
    return np.stack([item.pooled for item in FakeEncoder().encode(inputs, TaskContext())])


def score(found, labels, batch):
    model = MiniBatchKMeans(n_clusters=len(set(labels)), batch_size=batch, random_state=42, n_init=1)
    return v_measure_score(labels, model.fit_predict(found))


@pytest.fixture
def table(tmp_path):
    """As on the hub: several files in the folder data."""
    rows = texts(60, 1)
    for number, part in enumerate((rows[:25], rows[25:])):
        write_table(tmp_path / "data" / f"test-0000{number}-of-00002.parquet", part)
    return tmp_path


def test_a_table_is_clustered_in_ten_draws(table, capsys):
    body = evaluated(capsys, table)
    rows = texts(60, 1)
    whole = vectors([row["sentences"] for row in rows])
    labels = np.array([row["labels"] for row in rows])
    rng = np.random.default_rng(42)
    values = []
    for _ in range(10):
        places = rng.integers(60, size=60)
        model = MiniBatchKMeans(n_clusters=3, batch_size=512, random_state=42, n_init=1)
        values.append(v_measure_score(labels[places], model.fit_predict(whole[places])))
    (row,) = body["rows"]
    assert body["protocol"] == "BigPatentClustering.v2"
    assert body["counts"] == {"texts": 60, "draws": 10}
    assert row["measures"]["V-measure"] == pytest.approx(np.mean(values), abs=2e-6)
    assert row["measures"]["deviation"] == pytest.approx(np.std(values), abs=2e-6)
    assert 0.1 < row["measures"]["V-measure"] < 0.95


def test_a_sample_keeps_the_shares_of_the_labels(table, capsys):
    assert evaluated(capsys, table, "--documents", 30)["counts"]["texts"] == 30
    # What MTEB's code does: 4 % of the sample.
    assert evaluated(capsys, table, "--documents", 50, "--as-mteb")["counts"]["texts"] == 2


def test_sets_are_clustered_each_alone(tmp_path, capsys):
    sets = [texts(20, 2), texts(30, 3)]
    lines = [json.dumps({key: [row[key] for row in rows] for key in rows[0]}) for rows in sets]
    path = tmp_path / "test.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    body = evaluated(capsys, path, "--dims", 8)
    values = []
    for rows in sets:
        found = vectors([row["sentences"] for row in rows])
        values.append(score(found, [row["labels"] for row in rows], 500))
    assert body["protocol"] == "BigPatentClustering"
    assert body["counts"] == {"texts": 50, "sets": 2}
    assert [row["system"] for row in body["rows"]] == ["full", "D8"]
    assert body["rows"][0]["measures"]["V-measure"] == pytest.approx(np.mean(values), abs=2e-6)
    assert body["rows"][1]["measures"] != body["rows"][0]["measures"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"sentences": ["a"], "labels": ["x", "y"]}', "line 2: an object with the lists"),
        ('{"sentences": [1], "labels": ["x"]}', "line 2: an object with the lists"),
        ("[]", "line 2: an object with the lists"),
        ("{", "line 2: this is not JSON"),
    ],
)
def test_broken_lines_are_named(tmp_path, capsys, line, told):
    path = tmp_path / "test.jsonl"
    path.write_text('{"sentences": ["a kettle", "a pump"], "labels": ["a", "f"]}\n' + line, encoding="utf-8")
    assert run(["lab", "big-patent", "--data", str(path)]) != 0
    assert told in " ".join(capsys.readouterr().err.split())


def test_a_missing_file_is_named(tmp_path, capsys):
    assert run(["lab", "big-patent", "--data", str(tmp_path / "none.jsonl")]) != 0
    assert "none.jsonl can't be read" in " ".join(capsys.readouterr().err.split())
    assert run(["lab", "big-patent", "--data", str(tmp_path)]) != 0
    assert "holds no parquet file of the split 'test'" in " ".join(capsys.readouterr().err.split())
