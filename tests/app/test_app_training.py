"""Adapting and training in the window: the curve, the figures, pause and go on, before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from shiboken6 import delete

from app import theme
from app.jobs.process import decode
from app.jobs.single import PATIENT_MS
from app.main_window import MainWindow
from app.models.model_services import Adaptation
from app.screens.adapting.describe import summary, verdict_text
from app.screens.adapting.view import AdaptingView
from app.screens.training.presenter import TrainingPresenter, TrainWish
from app.screens.training.view import TrainingView
from app.widgets.loss_curve import LossCurve, ticks
from app.widgets.run_figures import RunFigures, duration, step_text
from core.cli.front import plain
from core.errors import ResourceError
from core.services.recipes import RecipeInfo, shipped_recipes
from core.types import AdaptReport, Note, Progress, TrainEvent, Verdict
from tests.app.conftest import PATIENCE_MS, OpenWindow
from tests.app.fake_models import REPORT, TRAINED, step
from tests.app.fake_services import FakeServices
from tests.app.test_app_evaluation import Child


@pytest.fixture
def owner(runner) -> Iterator[QObject]:
    """Its objects end here, in the thread of the window."""
    made = QObject()
    yield made
    delete(made)


def test_events_and_reports_come_back_from_their_lines():
    event = step(7, 1.5, validation=1.75)
    assert decode(json.dumps({"event": "train", **plain(event)})) == event
    assert decode(json.dumps({"event": "train_report", **plain(TRAINED)})) == TRAINED
    line = {"event": "adapt_report", "verdict": "better", **plain(REPORT)}
    assert decode(json.dumps(line)) == REPORT


def test_a_verdict_follows_the_interval_of_average_precision():
    assert REPORT.verdict is Verdict.BETTER

    def with_main(low: float, high: float) -> AdaptReport:
        figures = (*REPORT.figures[:2], replace(REPORT.figures[2], low=low, high=high))
        return replace(REPORT, figures=figures)

    assert with_main(-0.02, 0.03).verdict is Verdict.UNDECIDED
    assert with_main(-0.05, -0.01).verdict is Verdict.WORSE
    assert replace(REPORT, figures=()).verdict is Verdict.UNMEASURED
    assert verdict_text(with_main(-0.05, -0.01)).endswith("discard it.")
    assert "200 documents that were kept from the training: 612 citations among 1,800" in summary(REPORT)


# The curve


def test_the_curve_takes_steps_again_after_a_resumption(qtbot):
    curve = LossCurve()
    qtbot.addWidget(curve)
    assert curve.accessibleDescription() == "nothing yet"
    for number, loss in ((1, 4.0), (2, 3.0), (3, 2.0)):
        curve.add(number, loss, steps=4, validation=loss + 0.5)
    curve.add(2, 2.5, steps=4)
    assert curve.points == [(1, 4.0), (2, 2.5)]
    assert curve.accessibleDescription() == "step 2 of 4, loss 3.211, at first 4.000"
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
    assert run.state.text() == "Read: 3 documents"
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


# Adapting


@pytest.fixture
def view(qtbot, colours) -> AdaptingView:
    made = AdaptingView()
    qtbot.addWidget(made)
    made.resize(1100, 320)
    made.show()
    return made


def visible(view: AdaptingView) -> list[str]:
    buttons = (view.start_button, view.pause_button, view.keep_button, view.discard_button, view.index_button)
    return [button.text() for button in buttons if button.isVisible()]


def cells(view: AdaptingView) -> list[list[str]]:
    table = view.table
    return [
        [table.item(row, column).text() for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]


def test_the_panel_goes_from_start_to_decision(view: AdaptingView):
    assert visible(view) == ["Adapt"]
    view.show_started()
    assert visible(view) == ["Pause"]
    for number in range(1, 4):
        view.show_event(step(number, 3.0 - 0.5 * number))
    assert [loss for _, loss in view.run.curve.points] == [2.5, 2.0, 1.5]
    QTest.mouseClick(view.pause_button, Qt.MouseButton.LeftButton)
    assert not view.pause_button.isEnabled()
    view.show_paused()
    assert visible(view) == ["Go on", "Discard…"]
    assert view.run.state.text() == "Paused after step 3; Go on takes it up again."
    view.show_started()
    assert len(view.run.curve.points) == 3
    view.show_report(REPORT)
    assert visible(view) == ["Keep", "Discard…"]
    assert cells(view) == [
        ["R@10", "30.0 %", "34.0 %", "+4.0", "+1.0 to +7.0", "0.012"],
        ["R@100", "62.0 %", "67.0 %", "+5.0", "+2.0 to +8.0", "0.001"],
        ["AP", "21.0 %", "24.0 %", "+3.0", "+1.0 to +5.0", "0.004"],
    ]
    assert "finds more" in view.verdict.text()
    assert "among the first 100 families: 62.0% before" in view.table.item(1, 1).toolTip()


def test_an_earlier_run_is_there_again(view: AdaptingView):
    events = tuple(step(number, 3.0 / number) for number in range(1, 6))
    view.show_known(Adaptation(begun=True, events=events))
    assert visible(view) == ["Go on", "Discard…"]
    assert view.run.state.text() == "A run is kept at step 5 of 150; Go on takes it up again."
    assert len(view.run.curve.points) == 5
    view.show_known(Adaptation(begun=True, report=REPORT, events=events))
    assert visible(view) == ["Keep", "Discard…"]
    view.show_known(Adaptation(begun=False))
    assert visible(view) == ["Adapt"]
    assert view.run.curve.points == []
    assert not view.table.isVisible()


def test_nothing_measured_shows_no_table(view: AdaptingView):
    view.show_report(replace(REPORT, figures=(), notes=("Too few citations.",)))
    assert not view.table.isVisible()
    assert "could not be measured" in view.verdict.text()
    assert view.summary.text().endswith("Too few citations.")


def decided(monkeypatch, yes: bool) -> None:
    buttons = QMessageBox.StandardButton
    monkeypatch.setattr(QMessageBox, "question", lambda *_: buttons.Yes if yes else buttons.No)


def test_the_window_adapts_and_keeps(qtbot, window: MainWindow, services: FakeServices):
    Child.made = []
    window.do.adapting.job.process = Child
    window.actions_by_text["Adapt to my library…"].trigger()
    assert window.docks["adapting"].isVisible()
    view = window.see.adapting
    QTest.mouseClick(view.start_button, Qt.MouseButton.LeftButton)
    (child,) = Child.made
    assert child.arguments == ("adapt", "--library", str(services.folder))
    child.progressed.emit(step(1, 2.0))
    assert window.status.jobs.text() == "jobs: Adapting: Step 1 of 150, loss 2.000"
    child.succeeded.emit(REPORT)
    assert window.status.jobs.text() == "jobs: none"
    with qtbot.waitSignal(window.do.library.opened, timeout=PATIENCE_MS):
        QTest.mouseClick(view.keep_button, Qt.MouseButton.LeftButton)
    assert visible(view) == ["Adapt", "Index everything anew"]
    assert "is installed and in use. The index was made with another model" in view.run.state.text()
    asked: list[bool] = []
    window.do.library.index = lambda *, rebuild: asked.append(rebuild)  # type: ignore[method-assign]
    QTest.mouseClick(view.index_button, Qt.MouseButton.LeftButton)
    assert asked == [True]
    qtbot.waitUntil(lambda: window._runner.busy == 0, timeout=PATIENCE_MS)


def test_the_window_pauses_and_discards(qtbot, window: MainWindow, services: FakeServices, monkeypatch):
    Child.made = []
    run, view = window.do.adapting, window.see.adapting
    run.job.process = Child
    window.go_adapting()
    run.start()
    QTest.mouseClick(view.pause_button, Qt.MouseButton.LeftButton)
    assert Child.made[0].asked
    Child.made[0].cancelled.emit()
    decided(monkeypatch, yes=False)
    QTest.mouseClick(view.discard_button, Qt.MouseButton.LeftButton)
    assert visible(view) == ["Go on", "Discard…"]
    decided(monkeypatch, yes=True)
    with qtbot.waitSignal(run.discarded, timeout=PATIENCE_MS):
        QTest.mouseClick(view.discard_button, Qt.MouseButton.LeftButton)
    assert services.discarded == 1
    assert visible(view) == ["Adapt"]


def test_a_failure_is_told_and_what_is_kept_is_read_again(qtbot, window: MainWindow, services: FakeServices):
    Child.made = []
    run, view = window.do.adapting, window.see.adapting
    run.job.process = Child
    window.go_adapting()
    run.start()
    services.adapted = Adaptation(begun=True, events=(step(1, 2.0),))
    with qtbot.waitSignal(run.known, timeout=PATIENCE_MS):
        Child.made[0].failed.emit(ResourceError("Adapting needs torch: install claimlight[train]."))
    (box,) = window.findChildren(QMessageBox)
    assert "install claimlight[train]" in box.text()
    box.close()
    assert visible(view) == ["Go on", "Discard…"]


def test_another_library_pauses_the_run_of_the_former(
    qtbot, window: MainWindow, services: FakeServices, tmp_path: Path
):
    Child.made = []
    run = window.do.adapting
    run.job.process = Child
    run.start()
    with qtbot.waitSignals([run.paused, run.known], timeout=PATIENCE_MS):
        run.set_library(replace(services.info(), folder=str(tmp_path / "other")))
    assert Child.made[0].asked
    run.start()
    assert Child.made[1].arguments[-1] == str(tmp_path / "other")


def test_closing_the_window_stops_the_children(qtbot, open_window: OpenWindow):
    Child.made = []
    window = open_window()
    for presenter in (window.do.adapting, window.do.training, window.do.models):
        presenter.job.process = Child
    window.do.adapting.start()
    window.do.training.start(TrainWish("pairs", "/c", "/r"))
    window.do.models.check("a")
    window.close()
    assert [child.waited for child in Child.made] == [True, True, True]


def test_a_step_is_finished_before_a_run_is_killed(window: MainWindow):
    """Two seconds, as other jobs have, would lose what was not kept yet."""
    for presenter in (window.do.adapting, window.do.training):
        job = presenter.job.process(("train",), window)
        assert job._kill_timer.interval() == PATIENT_MS
        job.deleteLater()


# Training by a recipe


@pytest.fixture
def form(qtbot, colours) -> TrainingView:
    made = TrainingView()
    qtbot.addWidget(made)
    made.resize(1100, 320)
    made.show()
    made.show_recipes((RecipeInfo("pairs", "Titles against abstracts"), RecipeInfo("paecter", "Triplets")))
    return made


def shown(form: TrainingView) -> list[str]:
    buttons = (form.start_button, form.pause_button, form.go_on_button, form.cancel_button, form.add_button)
    return [button.text() for button in buttons if button.isVisible()]


def test_the_form_says_what_is_to_be_trained(qtbot, form: TrainingView):
    assert not form.start_button.isEnabled()
    assert form.about.text() == "Titles against abstracts"
    form.recipe.setCurrentText("paecter")
    assert form.about.text() == "Triplets"
    form.checkpoint.setText("/models/c")
    form.folder.setText("/runs/1")
    form.steps.setValue(200)
    with qtbot.waitSignal(form.start_requested) as asked:
        QTest.mouseClick(form.start_button, Qt.MouseButton.LeftButton)
    (wish,) = asked.args
    assert wish == TrainWish("paecter", "/models/c", "/runs/1", 200)
    assert wish.arguments("/L", resume=False) == (
        "train", "paecter", "--library", "/L", "--checkpoint", "/models/c", "--out", "/runs/1",
        "--set", "run.steps=200",
    )  # fmt: skip
    assert TrainWish("p", "", "/r").arguments("/L", resume=True) == (
        "train", "p", "--library", "/L", "--out", "/r", "--resume",
    )  # fmt: skip
    # Recipes that are read again leave the choice as it is.
    form.show_recipes((RecipeInfo("adapt", ""), RecipeInfo("paecter", "Triplets")))
    assert form.recipe.currentText() == "paecter"


def test_the_run_is_paused_goes_on_and_ends(qtbot, form: TrainingView):
    form.folder.setText("/runs/1")
    form.show_started(False)
    assert shown(form) == ["Train", "Pause", "Cancel"]
    assert not form.start_button.isEnabled()
    form.run.show_event(step(3, 2.0))
    form.show_paused()
    assert shown(form) == ["Train", "Go on"]
    assert form.run.state.text() == "Paused after step 3; its state is kept."
    form.show_started(True)
    assert form.run.curve.points == [(3, 2.0)]
    form.show_report(TRAINED)
    assert shown(form) == ["Train", "Install the package"]
    assert "150 steps, 9,600 examples in 10 min on cpu; loss 1.250 to 0.750" in form.run.state.text()
    with qtbot.waitSignal(form.add_requested) as asked:
        QTest.mouseClick(form.add_button, Qt.MouseButton.LeftButton)
    assert asked.args == [Path("/data/A/package")]
    form.show_started(False)
    assert form.run.curve.points == []
    form.show_stopped()
    assert form.run.state.text().startswith("Stopped. What the run kept")


def test_a_run_in_a_folder_that_holds_one_goes_on(
    runner, owner: QObject, services: FakeServices, tmp_path: Path
):
    Child.made = []
    made = TrainingPresenter(services, runner, owner, process=Child)
    told: list[object] = []
    made.started.connect(told.append)
    made.paused.connect(lambda: told.append("paused"))
    made.stopped.connect(lambda: told.append("stopped"))
    wish = TrainWish("pairs", "/c", str(tmp_path))
    made.start(wish)  # no library is open
    assert Child.made == []
    made.set_library(services.info())
    made.start(wish)
    assert "--resume" not in Child.made[0].arguments
    made.pause()
    Child.made[0].cancelled.emit()
    # It goes on with its own library, whatever is open now.
    made.set_library(replace(services.info(), folder="/other"))
    made.go_on()
    assert Child.made[1].arguments == (*Child.made[0].arguments, "--resume")
    made.cancel()
    Child.made[1].cancelled.emit()
    made.go_on()
    assert len(Child.made) == 2
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    made.start(wish)
    assert Child.made[2].arguments[-1] == "--resume"
    assert told == [False, "paused", True, "stopped", True]


def test_the_shipped_recipes_are_offered(qtbot, window: MainWindow):
    window.actions_by_text["Train an encoder…"].trigger()
    form = window.see.training
    qtbot.waitUntil(lambda: form.recipe.count() == 2, timeout=PATIENCE_MS)
    assert form.recipe.itemText(0) == "adapt"
    found = {item.name: item.about for item in shipped_recipes()}
    assert found["adapt"]
    assert found["pairs"]


def test_an_event_says_everything_it_holds():
    assert set(asdict(step(1, 1.0))) == set(TrainEvent.__dataclass_fields__)
