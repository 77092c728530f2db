"""Runs compared by the command."""

from __future__ import annotations

import json

import pytest

from claimlight.cli.__main__ import run
from claimlight.evaluation.runs import RankedList, Run, write_run

QUERIES = 12


@pytest.fixture
def files(tmp_path):
    """A run that finds everything first, one that finds half of it second, and the judgements."""
    (tmp_path / "qrels").write_text("".join(f"q{n}\td{n}\t1\n" for n in range(QUERIES)), encoding="utf-8")
    good = [RankedList(f"q{n}", (f"d{n}", "x"), (2.0, 1.0)) for n in range(QUERIES)]
    half = [
        RankedList(f"q{n}", ("x", f"d{n}") if n % 2 else ("x",), (2.0, 1.0)[: n % 2 + 1])
        for n in range(QUERIES)
    ]
    write_run(Run("good", tuple(good)), tmp_path / "good")
    write_run(Run("half", tuple(half)), tmp_path / "half")
    return tmp_path


def command(files, *more):
    names = [str(files / name) for name in ("good", "half", "good")]
    return ["evaluate", "compare", *names, "--qrels", str(files / "qrels"), *more]


def test_differences_are_against_the_first_run(files, capsys):
    assert run(command(files, "--measures", "AP, R@10", "--json")) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["base"]["measures"] == {"AP": 1.0, "R@10": 1.0}
    half, same = body["runs"]
    assert half["measures"] == {"AP": 0.25, "R@10": 0.5}
    assert half["queries"] == QUERIES
    found = half["differences"]["AP"]
    assert found["mean"] == -0.75
    assert found["low"] < -0.75 < found["high"] < 0
    # All 4096 exchanges are listed: only the observed and its mirror give so much.
    assert found["p"] == pytest.approx(2 / 4096, abs=1e-6)
    assert same["differences"]["R@10"] == {"mean": 0, "low": 0, "high": 0, "p": 1}


def test_people_get_a_table(files, capsys):
    assert run(command(files, "--measures", "AP")) == 0
    told = capsys.readouterr().out
    assert "12 queries" in told
    assert "-0.7500" in told
    assert "[" in told


def test_an_unknown_measure_is_named(files, capsys):
    assert run(command(files, "--measures", "AP,nonsense")) == 1
    assert "nonsense" in capsys.readouterr().err
