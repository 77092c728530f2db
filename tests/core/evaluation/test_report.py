import json

import numpy as np
import pytest

from claimlight.cli.evaluate_report import give_out
from claimlight.cli.front import Front
from claimlight.evaluation.report import Count, Figure, ProtocolReport, ReportRow, mean_figure


@pytest.fixture
def report() -> ProtocolReport:
    first = ReportRow("dense", (Figure("R@100", 0.25, 0.125, 0.5), Figure("AP", 0.1)))
    second = ReportRow("[bm25]", (Figure("R@100", 0.5),))
    return ProtocolReport("toy", (first, second), (Count("queries", 1200),), ("One query was left out.",))


def test_json_keeps_rows_counts_intervals_and_notes(report: ProtocolReport):
    assert report.json() == {
        "protocol": "toy",
        "counts": {"queries": 1200},
        "rows": [
            {"system": "dense", "measures": {"R@100": 0.25, "AP": 0.1}, "intervals": {"R@100": [0.125, 0.5]}},
            {"system": "[bm25]", "measures": {"R@100": 0.5}},
        ],
        "notes": ["One query was left out."],
    }


def test_a_row_is_asked_by_the_name_of_a_measure(report: ProtocolReport):
    assert report.rows[0].value("AP") == 0.1
    with pytest.raises(KeyError):
        report.rows[1].value("AP")


def test_the_mean_of_queries_has_its_interval():
    figure = mean_figure("R@10", np.array([0.0, 1.0, 1.0, 0.0]))
    assert figure.value == 0.5
    assert figure.low is not None
    assert figure.high is not None
    assert 0.0 <= figure.low < 0.5 < figure.high <= 1.0
    assert mean_figure("R@10", np.ones(3), interval=False) == Figure("R@10", 1.0)


def test_people_get_a_table_machines_json_and_a_file_the_same(capsys, tmp_path, report: ProtocolReport):
    give_out(Front(), report, as_json=True, out=tmp_path / "report.json")
    printed = capsys.readouterr()
    assert json.loads(printed.out) == json.loads((tmp_path / "report.json").read_text()) == report.json()
    assert "One query was left out." in printed.err
    give_out(Front(), report, as_json=False)
    shown = capsys.readouterr().out
    for part in ("toy: 1,200 queries", "0.2500", "[0.1250, 0.5000]", "[bm25]"):
        assert part in shown


def test_rows_that_measure_other_things_stand_in_a_table_of_their_own(capsys):
    rows = [
        ReportRow("one", (Figure("R@10", 0.25),)),
        ReportRow("apart", (Figure("IDA", 0.5),)),
        ReportRow("two", (Figure("R@10", 0.75), Figure("AP", 0.125))),
    ]
    give_out(Front(), ProtocolReport("toy", tuple(rows)), as_json=False)
    shown = capsys.readouterr().out
    first, other = shown[: shown.index("IDA")], shown[shown.index("IDA") :]
    for part in ("toy", "one", "0.2500", "two", "0.7500", "AP", "0.1250"):
        assert part in first
        assert part not in other
    assert "apart" in other
    assert "0.5000" in other
