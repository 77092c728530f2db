"""Judges at work: rulings that depend on the pair alone, long passages, words of a feature, faults."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from claimlight import paths
from claimlight.encoders.session import OutOfMemory
from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.judging import probes, reading, session
from claimlight.judging.base import Pair
from claimlight.judging.calibration import UNCALIBRATED
from claimlight.judging.opening import open_judge
from claimlight.judging.package import JudgePackage, add_files, find_shipped_folder, locate
from claimlight.judging.session import PART_DISCOUNT, PackagedJudge, open_judge_package
from claimlight.settings import JudgeSettings
from claimlight.tasks import TaskContext
from claimlight.training.export.judge_to_package import JudgePlan, export_judge
from tests.core.training import judge_checkpoints as tiny

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
WORDS = "valve damper viscous opens lid oil claim abstract invention of the with".split()  # noqa: SIM905
CPU = JudgeSettings(device="cpu", threads=1)


@pytest.fixture(scope="module", params=["int8", "fp32"])
def package(request, tmp_path_factory):
    base = tmp_path_factory.mktemp(request.param)
    checkpoint = tiny.disclosure(base / "model", longest=150)
    plan = JudgePlan(
        checkpoint, base / "package", "tiny", "2", "MIT", "made here", request.param, languages=("en",)
    )
    export_judge(plan)
    return base / "package"


@pytest.fixture(scope="module")
def judge(package):
    return open_judge_package(package, CPU)


def text(rng, count):
    return " ".join(rng.choice(WORDS, count))


def pairs(count, seed=0):
    rng = np.random.default_rng(seed)
    return [Pair(text(rng, 4), text(rng, 3 + n % 9), text(rng, 2 + 7 * n % 60)) for n in range(count)]


def test_rulings_are_the_same_with_several_batches_at_a_time(judge, package):
    several = open_judge_package(package, JudgeSettings(device="cpu", threads=3))
    given = pairs(60)
    assert several.rule(given, TaskContext()) == judge.rule(given, TaskContext())
    stopped = TaskContext()
    stopped.cancel()
    with pytest.raises(TaskCancelled):
        several.rule(given, stopped)


def test_a_ruling_does_not_depend_on_its_batch(judge, package):
    given = pairs(40)
    together = judge.rule(given, TaskContext())
    assert [judge.rule([pair], TaskContext())[0].score for pair in given] == pytest.approx(
        [item.score for item in together], abs=1e-5
    )
    backwards = judge.rule(given[::-1], TaskContext())[::-1]
    assert [item.score for item in backwards] == pytest.approx([item.score for item in together], abs=1e-5)
    small = open_judge_package(package, JudgeSettings(device="cpu", threads=2, batch_tokens=64))
    assert [item.score for item in small.rule(given, TaskContext())] == pytest.approx(
        [item.score for item in together], abs=1e-5
    )
    assert np.ptp([item.score for item in together]) > 0.01


def test_of_a_long_passage_the_best_window_counts(judge):
    rng = np.random.default_rng(3)
    pair = Pair("a damper", "viscous oil opens", text(rng, 400))
    read = judge._reader.read(pair)
    assert len(read.windows) > 2
    own = [judge._judge([window], TaskContext())[0][0] for window in read.windows]
    assert judge.rule([pair], TaskContext())[0].score == pytest.approx(max(own), abs=1e-5)
    # No token is lost, and no window is too long.
    passage = np.concatenate([item.ids[item.kinds == 1][:-1] for item in read.windows])
    whole = judge._reader._reader._pieces.read(pair.passage).ids
    assert np.array_equal(passage, whole)
    assert max(len(item.ids) for item in read.windows) <= 150


@pytest.mark.parametrize("less", [0.0, PART_DISCOUNT])
def test_of_a_passage_and_its_parts_the_best_reading_counts(judge, monkeypatch, less):
    rng = np.random.default_rng(5)
    parts = tuple(text(rng, 5) for _ in range(3))
    pair = Pair("a damper", "viscous oil opens", "; ".join(parts))
    alone = [Pair("a damper", "viscous oil opens", part) for part in (pair.passage, *parts)]
    rulings = judge.rule(alone, TaskContext())
    lowered = [replace(ruling, score=ruling.score - less) for ruling in rulings[1:]]
    best = max([rulings[0], *lowered], key=lambda ruling: ruling.score)
    assert (best == rulings[0]) is (less == PART_DISCOUNT), "a part counts, or it does not"
    monkeypatch.setattr(session, "PART_DISCOUNT", less)
    (found,) = judge.rule([replace(pair, parts=parts)], TaskContext())
    assert found.score == pytest.approx(best.score, abs=1e-5)
    assert found.terms == pytest.approx(best.terms, abs=1e-5)
    (whole,) = judge.rule([pair], TaskContext())
    assert whole.score == pytest.approx(rulings[0].score, abs=1e-5)


def test_words_have_the_least_probability_of_their_tokens(judge):
    pair = Pair("a damper", "xyz valve (12) self-opens", "the valve opens")
    (ruling,) = judge.rule([pair], TaskContext())
    (window,) = judge._reader.read(pair).windows
    ((_, logits),) = judge._judge([window], TaskContext())
    probabilities = 1 / (1 + np.exp(-logits.astype(float)))
    tokens = judge._reader._reader._pieces.read("xyz valve self-opens")
    assert len(logits) == len(tokens.ids)
    cleaned = "xyz valve self-opens"
    expected = []
    for word in ("xyz", "valve", "", "self-opens"):
        begin = cleaned.find(word)
        inside = [
            probability
            for probability, (start, end) in zip(probabilities, tokens.offsets, strict=True)
            if word and begin <= start and end <= begin + len(word)
        ]
        expected.append(min(inside, default=1.0))
    assert ruling.terms == pytest.approx(expected, abs=1e-5)
    assert ruling.terms[2] == 1.0, "a reference sign is no term"


def test_special_tokens_in_a_document_are_text(judge):
    first = judge._reader.read(Pair("", "oil", "valve [SEP] oil [CLS]")).windows[0]
    assert (first.ids == first.ids[-1]).sum() == 2, "one after the feature, one at the end"


def test_threads_share_a_judge(judge):
    given = [pairs(6, seed) for seed in range(8)]
    alone = [[item.score for item in judge.rule(group, TaskContext())] for group in given]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda group: judge.rule(group, TaskContext()), given))
    for one, other in zip(alone, found, strict=True):
        assert [item.score for item in other] == pytest.approx(one, abs=1e-5)


def test_ruling_is_cancelled_between_batches(judge, monkeypatch):
    context = TaskContext()
    run = judge._run
    asked = []

    def counted(windows, width):
        asked.append(width)
        context.cancel()
        return run(windows, width)

    monkeypatch.setattr(judge, "_run", counted)
    with pytest.raises(TaskCancelled):
        judge.rule(pairs(40), context)
    assert len(asked) == 1


def test_without_memory_batches_are_halved(package, monkeypatch):
    judge = PackagedJudge(JudgePackage.load(package), CPU)
    given = pairs(20)
    expected = [item.score for item in judge.rule(given, TaskContext())]
    compute = judge._session.compute

    def tight(inputs, outputs):
        if len(inputs["input_ids"]) > 2:
            raise OutOfMemory
        return compute(inputs, outputs)

    monkeypatch.setattr(judge._session, "compute", tight)
    assert [item.score for item in judge.rule(given, TaskContext())] == pytest.approx(expected, abs=1e-5)


def test_no_more_texts_are_kept_than_the_limit(judge):
    given = [Pair("", f"oil {number}", "oil") for number in range(reading.KEPT + 50)]
    for pair in given:
        judge._reader.read(pair)
    assert judge._reader._reader._pieces.read.cache_info().currsize <= reading.KEPT


def test_no_pairs_and_empty_texts_are_ruled_on(judge):
    assert judge.rule([], TaskContext()) == []
    (found,) = judge.rule([Pair("", "oil", "")], TaskContext())
    assert np.isfinite(found.score)
    (found,) = judge.rule([Pair("", "", "oil")], TaskContext())
    assert found.terms == ()


def test_a_machine_that_rules_otherwise_is_refused(package, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(package, folder)
    assert probes.largest_difference(open_judge_package(folder, CPU)) < 1e-4
    body = json.loads((folder / "probes.json").read_text(encoding="utf-8"))
    body["probes"][1]["score"] += 3.0
    (folder / "probes.json").write_text(json.dumps(body), encoding="utf-8")
    with pytest.raises(ResourceError, match="damaged or changed"):
        open_judge_package(folder, CPU)
    add_files(folder, ["probes.json"])
    with pytest.raises(ResourceError, match="other scores on this machine"):
        open_judge_package(folder, CPU)
    (folder / "probes.json").write_text("{}", encoding="utf-8")
    add_files(folder, ["probes.json"])
    with pytest.raises(InputError, match="no recorded rulings"):
        open_judge_package(folder, CPU)


def test_the_judge_of_the_settings_is_opened_or_the_reason_given(package):
    assert open_judge(JudgeSettings(package="none")) is None
    found = open_judge(JudgeSettings(package=str(package), device="cpu"))
    assert found is not None
    assert (found.judge.name, found.calibration) == ("tiny 2", UNCALIBRATED)
    with pytest.raises(InputError, match="there is no model package 'gone'"):
        open_judge(JudgeSettings(package="gone"))
    bound = paths.models_dir() / "bound"
    shutil.copytree(package, bound)
    raw = json.loads((bound / "manifest.json").read_text(encoding="utf-8"))
    (bound / "manifest.json").write_text(json.dumps(raw | {"commercial": False}), encoding="utf-8")
    with pytest.raises(InputError, match="does not allow commercial use"):
        open_judge(JudgeSettings(package="bound", device="cpu"))


def test_the_shipped_judge_is_the_one_that_is_named(package, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "resources", lambda: tmp_path)
    (tmp_path / "models").mkdir()
    assert find_shipped_folder() is None
    assert open_judge(JudgeSettings()) is None
    (tmp_path / "models" / "DEFAULT_JUDGE").write_text("mine\n", encoding="utf-8")
    assert find_shipped_folder() is None
    shutil.copytree(package, tmp_path / "models" / "mine")
    found = open_judge(JudgeSettings(device="cpu"))
    assert found is not None
    assert found.judge.name == "tiny 2"
    assert locate("") == tmp_path / "models" / "mine"
