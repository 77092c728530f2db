"""What a run of training shows while it goes on: its events, the curve of the loss, figures, time left."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from claimlight.cli.front import plain
from claimlight.types import Note, Progress, TrainEvent
from claimlight_workbench import theme
from claimlight_workbench.jobs.process import decode
from claimlight_workbench.widgets.loss_curve import LossCurve, ticks
from claimlight_workbench.widgets.run_figures import RunFigures, duration, step_text
from tests.app.fake_models import REPORT, TRAINED, step


def test_events_and_reports_come_back_from_their_lines():
    event = step(7, 1.5, validation=1.75)
    assert decode(json.dumps({"event": "train", **plain(event)})) == event
    assert decode(json.dumps({"event": "train_report", **plain(TRAINED)})) == TRAINED
    line = {"event": "adapt_report", "verdict": "better", **plain(REPORT)}
    assert decode(json.dumps(line)) == REPORT


def test_the_curve_takes_steps_again_after_a_resumption(qtbot):
    curve = LossCurve()
    qtbot.addWidget(curve)
    assert curve.accessibleDescription() == "no steps yet"
    for number, loss in ((1, 4.0), (2, 3.0), (3, 2.0)):
        curve.add(number, loss, steps=4, validation=loss + 0.5)
    curve.add(2, 2.5, steps=4)
    assert curve.points == [(1, 4.0), (2, 2.5)]
    assert curve.accessibleDescription() == "step 2 of 4, loss 3.211, initially 4.000"
    curve.clear()
    assert curve.points == []


def test_the_thick_line_is_a_running_mean_without_a_pull_to_its_start(qtbot):
    curve = LossCurve()
    qtbot.addWidget(curve)
    losses = [5.0, 3.0, 4.0, 1.0]
    for number, loss in enumerate(losses, 1):
        curve.add(number, loss, steps=4)
    weights = [[0.9 ** (at - back) for back in range(at + 1)] for at in range(4)]
    wanted = [sum(w * x for w, x in zip(row, losses, strict=False)) / sum(row) for row in weights]
    assert curve.smoothed() == pytest.approx(wanted)


@pytest.mark.styled
@pytest.mark.parametrize("colours_of", [theme.LIGHT, theme.DARK])
def test_the_curve_falls_on_the_screen_in_both_themes(qtbot, qapp: QApplication, colours_of: theme.Theme):
    theme.apply(qapp, colours_of)
    curve = LossCurve()
    qtbot.addWidget(curve)
    curve.resize(400, 200)
    for number in range(1, 51):
        curve.add(number, 4.0 - 0.05 * number, steps=50)
    picture = curve.grab().toImage()
    accent = QColor(colours_of.accent)

    def rows_at(x: int) -> list[int]:
        return [
            y
            for y in range(picture.height())
            if sum(
                abs(a - b) for a, b in zip(picture.pixelColor(x, y).getRgb(), accent.getRgb(), strict=True)
            )
            < 40
        ]

    early, late = rows_at(70), rows_at(370)
    assert early
    assert late
    assert min(early) < min(late)


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.53, 2.06, [1.0, 1.5, 2.0]),
        (0.0, 10.0, [0, 2, 4, 6, 8, 10]),
        (-0.013, 0.011, [-0.01, -0.005, 0, 0.005, 0.01]),
    ],
)
def test_lines_across_stand_at_round_numbers(low: float, high: float, wanted: list[float]):
    assert ticks(low, high) == pytest.approx(wanted)


def test_a_run_tells_its_figures_and_the_time_left(qtbot):
    run = RunFigures()
    qtbot.addWidget(run)
    run.begin("Reading…")
    assert not run.bar.isHidden()
    run.show_event(Progress("read", 3, 0, "documents", 0.0, None))
    assert run.state.text() == "Reading: 3 documents"
    run.show_event(step(100, 2.0))
    run.show_event(replace(step(101, 1.5), seconds=8.0, validation=1.25))
    assert (run.bar.value(), run.bar.maximum()) == (101, 150)
    # Two steps of this start took 8 s; 49 are left.
    assert run.state.text() == (
        "Step 101 of 150, loss 1.500, on held-out documents 1.250; 6,464 examples, 5,400 tokens/s, 1.2 GB, "
        "learning rate 2.0e-05; about 3 min left"
    )
    run.show_event(Note("Making centers."))
    assert run.state.text() == "Making centers."
    run.end("Done")
    assert run.bar.isHidden()
    assert len(run.curve.points) == 2
    assert "left" not in step_text(step(150, 1.0))
    assert [duration(value) for value in (40, 600, 9000)] == ["40 s", "10 min", "2.5 h"]


def test_an_event_says_everything_it_holds():
    assert set(asdict(step(1, 1.0))) == set(TrainEvent.__dataclass_fields__)
