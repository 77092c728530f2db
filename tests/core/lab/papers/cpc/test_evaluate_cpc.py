"""The protocol end to end: documents, a library or predictions in, a table out."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from claimlight.cli.__main__ import run
from claimlight.types import ClassSymbol, LocalText, Scheme
from tests.core.lab.papers.cpc.cpc_world import TITLES, WORDS, documents, write
from tests.fakes import FakeEncoder, library, patent


@pytest.fixture(autouse=True)
def fake(monkeypatch):
    monkeypatch.setattr("claimlight.lab.cli.cpc.open_encoder", lambda *_: FakeEncoder())


@pytest.fixture
def file(tmp_path):
    plain = write(documents(), tmp_path / "documents.jsonl")
    packed = tmp_path / "documents.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    return packed


def command(*more):
    return ["lab", "cpc", *map(str, more), "--json"]


def asked(capsys, *more):
    assert run(command(*more)) == 0
    printed = capsys.readouterr()
    body = json.loads(printed.out)
    return {row["system"]: row["measures"] for row in body["rows"]}, body, printed.err


def test_probes_are_fitted_and_measured(file, tmp_path, capsys):
    rows, body, _ = asked(
        capsys,
        "--documents",
        file,
        "--labels",
        "cpc",
        "--out",
        tmp_path / "o.json",
        "--write",
        tmp_path / "w",
    )
    assert body == json.loads((tmp_path / "o.json").read_text())
    assert body["protocol"] == "classification"
    assert body["counts"] == {"documents": 60, "fitted on": 48, "tested": 12}
    for system in ("logistic", "knn", "svm"):
        assert rows[f"{system} · section"]["micro F1"] > rows["prior · section"]["micro F1"]
        assert rows[f"{system} · class"]["micro F1"] > 0.7
        assert {f"{system} · {label}" for label in ("A", "B", "H", "A47", "H04")} <= rows.keys()
        check_against_scikit_learn(rows, system, tmp_path / "w" / f"{system}.jsonl")
    intervals = {row["system"]: row.get("intervals") for row in body["rows"]}["knn · section"]
    assert set(intervals) == {"micro F1", "macro F1", "instance F1"}


def check_against_scikit_learn(rows, system, path):
    """The table follows from what was predicted; families of the tested are not fitted on."""
    given = [json.loads(line) for line in path.read_text().splitlines()]
    family = {row["_id"]: row["family"] for row in documents()}
    tested = {row["_id"] for row in given}
    assert len(tested) == 12
    fitted = family.keys() - tested
    assert {family[name] for name in tested if family[name]}.isdisjoint(family[name] for name in fitted)
    has = {row["_id"]: {symbol[:3] for symbol in row["cpc"]} for row in documents()}
    for level, length in (("section", 1), ("class", 3)):
        some = [row for row in given if row["level"] == level]
        assert [set(row["labels"]) for row in some] == [{c[:length] for c in has[row["_id"]]} for row in some]
        names = sorted({label for row in some for label in (*row["labels"], *row["predicted"])})
        binary = MultiLabelBinarizer(classes=names)
        truth = binary.fit_transform([row["labels"] for row in some])
        predicted = binary.transform([row["predicted"] for row in some])
        there = np.flatnonzero(truth.any(axis=0))
        found = rows[f"{system} · {level}"]
        options = {"zero_division": 0}
        assert found["micro F1"] == pytest.approx(
            f1_score(truth, predicted, average="micro", **options), abs=1e-6
        )
        macro = f1_score(truth, predicted, labels=there, average="macro", **options)
        assert found["macro F1"] == pytest.approx(macro, abs=1e-6)
        instance = f1_score(truth, predicted, average="samples", **options)
        assert found["instance F1"] == pytest.approx(instance, abs=1e-6)
        each = precision_recall_fscore_support(truth, predicted, average=None, **options)
        for place in there:
            own = rows[f"{system} · {names[place]}"]
            expected = [float(column[place]) for column in each]
            assert [own[key] for key in ("P", "R", "F1", "support")] == pytest.approx(expected, abs=1e-6)


def test_what_was_predicted_measures_the_same_again(file, tmp_path, capsys):
    first, *_ = asked(capsys, "--documents", file, "--labels", "cpc", "--probe", "knn", "--write", tmp_path)
    path = tmp_path / "knn.jsonl"
    second, body, _ = asked(capsys, "--predictions", path)
    assert body["counts"] == {"documents": 12}
    for name, measures in second.items():
        assert measures == first[name]
    assert {"knn · section", "knn · class", "knn · class in A", "knn · A47"} <= second.keys()
    # Without the labels in the file those of the documents count.
    bare = [json.loads(line) for line in path.read_text().splitlines()]
    for row in bare:
        del row["labels"]
    write(bare, tmp_path / "bare.jsonl")
    third, *_ = asked(
        capsys, "--predictions", tmp_path / "bare.jsonl", "--documents", file, "--labels", "cpc", "--totals"
    )
    assert third["bare · class"] == first["knn · class"]
    assert not any(name.endswith("A47") for name in third)


def test_predictions_by_hand(tmp_path, capsys):
    rows = [
        {"_id": "a", "labels": ["A47J 31/00"], "predicted": ["A47J", "B60"]},
        {"_id": "b", "labels": ["A61B", "H04L"], "predicted": {"A61": 0.8, "H04": 0.2}},
        {"_id": "c", "labels": [], "predicted": ["A47"]},
        {"_id": "d", "labels": ["H04L"], "predicted": ["H04L"]},
    ]
    found, _, told = asked(capsys, "--predictions", write(rows, tmp_path / "mine.jsonl"))
    assert "Predicted documents that have no class, left out at that level: 1." in told
    # Right: A47, A61 and H04 of d; wrong: B60; missed: H04 of b.
    totals = found["mine · class"]
    assert totals["micro F1"] == pytest.approx(6 / 8, abs=1e-6)
    assert totals["macro F1"] == pytest.approx((1 + 1 + 2 / 3) / 3, abs=1e-6)
    assert totals["instance F1"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3, abs=1e-6)
    # Of section A are a and b, and d has nothing to do with it.
    assert found["mine · class in A"]["micro F1"] == found["mine · class in A"]["instance F1"] == 1.0
    assert found["mine · class in H"]["micro F1"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["mine · class in H"]["instance F1"] == 0.5
    assert "mine · class in B" not in found  # no document is of it
    assert found["mine · section"]["R"] == pytest.approx(3 / 4, abs=1e-6)
    scored, *_ = asked(capsys, "--predictions", tmp_path / "mine.jsonl", "--cut", "0.1", "--level", "class")
    assert scored["mine · class"]["R"] == 1.0


def test_every_setting_has_its_row(file, tmp_path, capsys):
    titles = tmp_path / "titles.tsv"
    titles.write_text(TITLES, encoding="utf-8")
    options = ("--feature", "vectors", "--feature", "taxonomy", "--titles", titles, "--totals")
    options = (*options, "--level", "section")
    several = (
        "--probe",
        "logistic",
        "--strength",
        "1",
        "--strength",
        "10",
        "--probe",
        "knn",
        "--neighbours",
        "3",
    )
    thresholds = ("--threshold", "fixed", "--threshold", "label")
    rows, *_ = asked(capsys, "--documents", file, "--labels", "cpc", *options, *several, *thresholds)
    systems = {
        f"{probe}{feature}, {threshold}"
        for probe in ("logistic C=1", "logistic C=10", "knn")
        for feature in ("", ", taxonomy")
        for threshold in ("fixed", "label")
    }
    given = {name.split(" · ")[0] for name, measures in rows.items() if "micro F1" in measures}
    assert given == systems | {"prior"}
    assert rows["logistic C=10, label · section"] != rows["logistic C=10, fixed · section"]
    assert rows["knn, taxonomy, label · section"]["micro F1"] > rows["prior · section"]["micro F1"]


def test_a_classifier_inside_each_section(file, capsys):
    rows, *_ = asked(
        capsys, *("--documents", file, "--labels", "cpc", "--level", "class", "--probe", "knn"), "--inside"
    )
    inside = {name for name in rows if name.startswith("knn · class inside")}
    assert inside == {f"knn · class inside{section}" for section in ("", " A", " B", " H")}
    parts = [rows[f"knn · class inside {section}"] for section in "ABH"]
    whole = rows["knn · class inside"]
    assert whole["support"] == sum(part["support"] for part in parts)
    found = sum(part["R"] * part["support"] for part in parts)
    assert whole["R"] * whole["support"] == pytest.approx(found, abs=1e-4)


def test_a_library_is_split_by_its_own_families(tmp_path, capsys):
    patents = []
    for number, row in enumerate(documents()):
        scheme = Scheme.IPC if number % 5 else Scheme.CPC
        made = patent(f"{1000000 + number}", row["title"], abstract=row["abstract"], claims=row["claims"])
        symbols = tuple(ClassSymbol(scheme, symbol) for symbol in row["cpc"])
        patents.append(replace(made, classes=symbols, titles=(LocalText(row["title"], "en"),)))
    library(tmp_path / "lib", patents).close()
    rows, body, told = asked(
        capsys, "--library", tmp_path / "lib", "--scheme", "ipc", "--probe", "knn", "--level", "section"
    )
    assert body["counts"] == {"documents": 48, "fitted on": 38, "tested": 10}
    assert "Documents without a class, left out: 12." in told
    assert rows["knn · section"]["micro F1"] > rows["prior · section"]["micro F1"]


def test_names_that_are_left_out(file, tmp_path, capsys):
    (tmp_path / "without.txt").write_text("XX0\nXX7\n\nXX999\n")
    _, body, _ = asked(
        capsys,
        *("--documents", file, "--labels", "cpc", "--probe", "knn", "--level", "section"),
        *("--without", tmp_path / "without.txt"),
    )
    assert body["counts"]["documents"] == 58


def test_a_sample_is_the_same_for_the_same_seed(file, tmp_path, capsys):
    drawn = []
    for seed in (1, 1, 2):
        options = ("--documents", file, "--labels", "cpc", "--probe", "knn", "--level", "section")
        _, body, _ = asked(capsys, *options, "--sample", 30, "--seed", seed, "--write", tmp_path)
        assert body["counts"] == {"documents": 30, "fitted on": 24, "tested": 6}
        drawn.append((tmp_path / "knn.jsonl").read_text())
    assert drawn[0] == drawn[1] != drawn[2]


def test_documents_that_end_higher_are_left_out_below(tmp_path, capsys):
    rows = documents()
    rows[3]["cpc"] = ["A"]
    path = write(rows, tmp_path / "documents.jsonl")
    _, body, told = asked(capsys, "--documents", path, "--labels", "cpc", "--probe", "knn")
    assert body["counts"]["documents"] == 60
    assert "Documents without a class, left out at that level: 1." in told


FILES = ("--labels", "cpc", "--totals")


def test_named_documents_are_tested_without_their_relatives_in_training(file, tmp_path, capsys):
    named = [f"XX{number}" for number in range(1, 60, 5)]
    (tmp_path / "test.txt").write_text("\n".join([*named, "XX999"]) + "\n")
    _, body, told = asked(
        capsys,
        *("--documents", file, *FILES, "--probe", "knn", "--level", "section"),
        *("--test-on", tmp_path / "test.txt", "--write", tmp_path / "w"),
    )
    family = {row["_id"]: row["family"] for row in documents()}
    families = {family[name] for name in named} - {""}
    crossing = sum(name not in named and family[name] in families for name in family)
    assert crossing
    assert f"Relatives of tested documents, left out of training: {crossing:,}." in told
    assert body["counts"] == {
        "documents": 60 - crossing,
        "fitted on": 60 - crossing - len(named),
        "tested": len(named),
    }
    rows = [json.loads(line) for line in (tmp_path / "w" / "knn.jsonl").read_text().splitlines()]
    assert [row["_id"] for row in rows] == named


def test_all_contenders_down_to_subgroups(file, tmp_path, capsys):
    pytest.importorskip("torch", reason="needs claimlight[train]")
    titles = tmp_path / "titles.tsv"
    groups = "".join(
        f"{symbol.replace(' ', '')}\t1\t{words}\n{symbol.split('/')[0].replace(' ', '')}/00\t0\t{words}\n"
        for symbol, words in WORDS.items()
    )
    titles.write_text(TITLES + "A61B\t\tDIAGNOSIS\nB60T\t\tBRAKES\n" + groups, encoding="utf-8")
    kinds = ("logistic", "knn", "svm", "mlp", "boosting", "lstm")
    levels = ("section", "subclass", "subgroup")
    rows, _, _ = asked(
        capsys,
        *("--documents", file, *FILES, "--folds", "2", "--neighbours", 3),
        *(part for kind in kinds for part in ("--probe", kind)),
        *(part for level in levels for part in ("--level", level)),
        *("--feature", "vectors", "--feature", "tfidf", "--titles", titles, "--zero-shot"),
        *("--combine", "average", "--combine", "gate", "--combine", "ensemble", "--consistent", "--bins"),
    )
    systems = {*kinds, "logistic, tfidf", "svm, tfidf", "average", "gate", "ensemble", "titles", "prior"}
    probable = systems - {"svm", "svm, tfidf", "titles", "prior"}
    for level in levels:
        own = {name.split(" · ")[0] for name in rows if name.endswith(f" · {level}")}
        bound = {f"{name}, consistent" for name in probable} if level != "section" else set()
        assert own == systems | bound
        ranked = {name.split(" · ")[0] for name in rows if name.endswith(f" · {level}, first suggestions")}
        sure = {name.split(" · ")[0] for name in rows if name.endswith(f" · {level}, confidence")}
        assert (ranked, sure) == (systems | bound, probable | bound)
    assert rows["knn · subgroup, first suggestions"]["P@1"] > 0.7
    assert (
        rows["titles · subclass, first suggestions"]["P@1"]
        > rows["prior · subclass, first suggestions"]["P@1"]
    )
    # Of labels with one document each, more than one bin has a row.
    assert any(name.startswith("gate · section, probability") for name in rows)


def test_rare_labels_are_said_and_never_given(file, tmp_path, capsys):
    options = ("--documents", file, *FILES, "--probe", "knn", "--level", "class", "--write", tmp_path)
    _, _, told = asked(capsys, *options, "--least", 11)
    assert "Labels of the level class with fewer than 11 training documents, never given: " in told
    rows = [json.loads(line) for line in (tmp_path / "knn.jsonl").read_text().splitlines()]
    tested = {row["_id"] for row in rows}
    counts: dict[str, int] = {}
    for row in documents():
        if row["_id"] not in tested:
            for label in {symbol[:3] for symbol in row["cpc"]}:
                counts[label] = counts.get(label, 0) + 1
    given_labels = {label for row in rows for label in row["predicted"]}
    rare = {label for label, count in counts.items() if count < 11}
    assert rare
    assert given_labels
    assert not given_labels & rare


def test_the_tested_documents_are_drawn_by_section(file, tmp_path, capsys):
    rows, *_ = asked(
        capsys,
        *("--documents", file, *FILES, "--probe", "knn", "--level", "section", "--test", "0.5"),
        *("--map", tmp_path / "map"),
    )
    assert sorted(path.name for path in (tmp_path / "map").iterdir()) == ["sections.png", "sections.svg"]
    assert rows["map · section"]["documents"] == 30
    assert rows["map · section"]["purity"] > rows["map · section"]["by chance"]


def test_the_table_is_for_people(file, capsys):
    assert run(["lab", "cpc", "--documents", str(file), "--labels", "cpc", "--probe", "knn"]) == 0
    shown = capsys.readouterr().out
    for part in ("classification: 60 documents, 48 fitted on, 12 tested", "knn", "micro"):
        assert part in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Name the documents"),
        (("--documents", "{file}", "--library", "{folder}"), "not both"),
        (("--documents", "{file}"), 'has symbols under "labels"'),
        (("--documents", "{file}", "--labels", "cpc", "--feature", "classes"), "--titles"),
        (("--documents", "{folder}/none.jsonl", "--labels", "cpc"), "can't be read"),
        (("--documents", "{few}", "--labels", "cpc"), "too few"),
        (("--documents", "{file}", "--labels", "cpc", "--zero-shot"), "--titles"),
        (
            ("--documents", "{file}", "--labels", "cpc", "--probe", "knn", "--combine", "gate"),
            "name all three",
        ),
        (("--documents", "{file}", "--labels", "cpc", "--test-on", "{none}"), "both sides of the split"),
        (("--predictions", "{few}"), "line 1"),
        (("--predictions", "{bare}"), 'needs "labels"'),
    ],
)
def test_what_is_wrong_is_said(options, said, file, tmp_path, capsys):
    few = write(documents(2), tmp_path / "few.jsonl")
    bare = write([{"_id": "a", "predicted": ["A"]}], tmp_path / "bare.jsonl")
    none = tmp_path / "none.txt"
    none.write_text("XX999\n")
    names = {"file": file, "folder": tmp_path, "few": few, "bare": bare, "none": none}
    assert run(command(*(option.format(**names) for option in options))) != 0
    printed = capsys.readouterr()
    assert said in " ".join((printed.out + printed.err).split())
