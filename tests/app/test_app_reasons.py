"""Why a document is in the list: in the tool tip of its row, and in a line of the reader."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from claimlight.types import CellVerdict, FeatureCoverage, Ranker, RankerPlace
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.models.categories import NOT_GIVEN
from claimlight_workbench.models.columns import Row
from claimlight_workbench.models.reasons import reason
from tests.app.driving import Column, settle
from tests.app.fake_services import FakeServices
from tests.app.test_app_query_line import run_line

TIP = int(Qt.ItemDataRole.ToolTipRole)


def row_of(window: MainWindow, **changes: object) -> Row:
    hit = window.see.results.model.hit(0)
    assert hit is not None
    bare = replace(hit, ranks=(), coverage=(), gain=None)
    return replace(Row(3, bare, seen=False, given=NOT_GIVEN, dates=None, lamps={}), **changes)


def places(*ranks: tuple[Ranker, int]) -> tuple[RankerPlace, ...]:
    return tuple(RankerPlace(leg, rank, 1.0) for leg, rank in ranks)


def cells(*verdicts: CellVerdict) -> tuple[FeatureCoverage, ...]:
    return tuple(FeatureCoverage(f"F{n}", 0.5, verdict, None) for n, verdict in enumerate(verdicts, 1))


def test_the_rankers_are_named_best_first_with_the_strong_features(window: MainWindow):
    row = row_of(window)
    found = replace(row.hit, ranks=places((Ranker.BM25, 12), (Ranker.CENTERS, 1)))
    matched = cells(CellVerdict.STRONG, CellVerdict.BELOW, CellVerdict.STRONG)
    assert reason(replace(row, hit=found, cells=matched)) == (
        "Found by concepts (rank 1), keywords (rank 12); strong match of F1, F3"
    )
    assert reason(replace(row, hit=found, cells=cells(CellVerdict.STRONG))).endswith("every feature")
    assert reason(replace(row, hit=found, cells=matched, waiting=True)).endswith("keywords (rank 12)")
    gained = replace(found, gain=0.234)
    assert "; adds 23 points to D1" in reason(replace(row, hit=gained))
    assert reason(row) == ""


def test_many_features_are_counted(window: MainWindow):
    told = reason(row_of(window, cells=cells(*[CellVerdict.STRONG] * 9, CellVerdict.BELOW)))
    assert told == "strong match of F1, F2, F3, F4, F5, F6 and 3 more"


@pytest.mark.parametrize(("score", "ending"), [(0.0, ""), (1.5, "; rank 3 by similarity")])
def test_of_a_set_the_line_is_told(window: MainWindow, score: float, ending: str):
    row = row_of(window, line="CITING(L7) AND damper$2")
    told = reason(replace(row, hit=replace(row.hit, score=score)))
    assert told == f"Found by the line CITING(L7) AND damper$2{ending}"
    long = reason(replace(row, line="x" * 500, hit=replace(row.hit, score=0.0)))
    assert len(long) < 130


def test_row_and_reader_tell_the_same(qtbot, window: MainWindow, services: FakeServices):
    model, line = window.see.results.model, window.see.reader.reason
    told = model.reason(window.wiring.reading.publication)
    assert told.startswith("Found by ")
    assert line.text() == told
    assert line.isVisible()
    tip = str(model.index(0, Column.TITLE).data(TIP))
    assert " ".join(told.split()) in " ".join(tip.split())
    run_line(qtbot, window, "damper")
    settle(qtbot, window)
    assert line.text() == "Found by the line damper"


def test_a_document_outside_the_list_has_no_reason(window: MainWindow):
    window.see.results.model.replace(None)
    assert window.see.reader.reason.isHidden()


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (None, ""),
        (3, ""),
        (9, "moved up by your marks (from place 9)"),
        (1, "moved down by your marks (from place 1)"),
        (0, "brought in by your marks"),
    ],
)
def test_what_the_marks_did_to_a_row(window: MainWindow, before: int | None, told: str):
    row = row_of(window)
    assert reason(replace(row, hit=replace(row.hit, unmarked_rank=before))) == told
