"""Lists as records, frames and Arrow tables; what is not installed is said."""

from __future__ import annotations

import json
import sys

import pyarrow
import pytest

import claimlight


def test_records_have_every_column_whatever_was_found(sample, results):
    nothing = sample.query("zzyzx")
    assert not nothing
    assert nothing.cause
    for table in (results, nothing, sample.query("damper"), sample.matrix("A damper with a valve.", top=2)):
        assert table.columns
        assert all(tuple(row) == table.columns for row in table.to_records())
    row = results.to_records()[0]
    hit = results[0]
    assert row["F1"] == hit.features[0].strength
    assert row["dense"] == next(leg.score for leg in hit.legs if leg.leg == "dense")
    assert (row["passage"], row["status"]) == (hit.passages[0].label, hit.dates.status)


def test_evidence_rows_sum_to_the_scores(results):
    rows = results.evidence_records()
    best = results[0].passages[0]
    mine = [row["contribution"] for row in rows if (row["rank"], row["passage"]) == (1, best.label)]
    assert sum(mine) + best.other_words == pytest.approx(best.score)


def test_documents_are_the_rows_of_an_export(sample, tmp_path):
    sample.export(tmp_path / "all.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    records = sample.documents().to_records()
    assert json.loads(json.dumps(records, default=str)) == lines
    assert tuple(records[0]) == sample.documents().columns == tuple(lines[0])


def test_documents_as_arrow_have_the_types_of_an_export(sample):
    table = sample.documents(["EP8100327A1", "EP9072284A1"]).to_arrow()
    assert table.num_rows == 2
    assert table.schema.field("published").type == pyarrow.date32()
    assert "description" in table.column_names
    assert "description" not in sample.documents(description=False).to_arrow().column_names


def test_without_pandas_it_is_said_what_to_install(results, sample, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for table in (results, sample.documents()):
        with pytest.raises(claimlight.ResourceError, match=r"install claimlight\[pandas\]"):
            table.to_pandas()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of pandas' own imports
def test_frames_have_the_records_with_days_as_days(results, sample):
    pandas = pytest.importorskip("pandas", reason="needs claimlight[pandas]")
    frame = results.to_pandas()
    assert tuple(frame.columns) == results.columns
    assert list(frame["publication"]) == list(results.publications)
    assert frame["published"].dt.year.iloc[0] == results[0].published.year
    assert list(frame["classes"]) == [hit.classes for hit in results]
    assert frame["F1"].dtype == "float64"
    whole = sample.documents(description=False).to_pandas()
    assert len(whole) == len(sample)
    assert pandas.api.types.is_datetime64_any_dtype(whole["priority"])
    assert whole["priority"].isna().any()
    without_scores = sample.query("damper").to_pandas()
    assert without_scores["score"].dtype == "float64"
    assert without_scores["score"].isna().all()
    empty = sample.query("zzyzx").to_pandas()
    assert (len(empty), tuple(empty.columns)) == (0, results.columns[:13])


def test_what_a_notebook_shows_fits_on_a_line(results, sample):
    whole = sample.evidence(results[0].publication, "a damper with a valve")
    shown = [
        results,
        results[0],
        results[0].passages[0],
        sample.query("damper")[0],
        sample.documents(),
        whole,
    ]
    for item in (*shown, sample.document(results[0].publication), sample):
        assert len(repr(item)) < 200
        assert repr(item).startswith("<")
