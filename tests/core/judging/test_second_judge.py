"""The second judge of the settings: which one it is, opened late and once, left out if it can't be used."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import pytest

from claimlight import paths
from claimlight.cli.__main__ import run
from claimlight.errors import InputError, ResourceError
from claimlight.judging import late, opening
from claimlight.judging import manifest as manifests
from claimlight.judging.base import Pair, Ruling
from claimlight.judging.calibration import Bounds, CalibratedJudge, Calibration
from claimlight.judging.opening import open_judge
from claimlight.services.models import model_packages
from claimlight.services.models.judges import describe_judge, list_judges, read_facts_in_use
from claimlight.services.search.verdict_words import judge_sentences
from claimlight.settings import JudgeSettings, Settings
from claimlight.tasks import TaskContext

CTX = TaskContext()
PAIR = Pair("", "a lid", "A lid.")


class Opened:
    """Stands for a judge whose model is open."""

    languages = frozenset(("en",))

    def __init__(self, folder):
        manifest = manifests.read(folder / "manifest.json")
        self.package = SimpleNamespace(folder=folder, manifest=manifest)
        self.name, self.calibration = f"{manifest.id} {manifest.version}", manifest.calibration

    def rule(self, pairs, context):
        return [Ruling(1.0) for _ in pairs]


@pytest.fixture
def put(shipped_judge, tmp_path, monkeypatch):
    """Puts the manifest of a judge in a folder; *small* ships as the judge, *large* as the second one."""
    raw = json.loads((shipped_judge / "manifest.json").read_text(encoding="utf-8"))

    def one(base, name, **changes):
        folder = base / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "manifest.json").write_text(json.dumps(raw | {"id": name} | changes), encoding="utf-8")
        return folder

    monkeypatch.setattr(paths, "resources", lambda: tmp_path)
    for name in ("small", "large"):
        one(tmp_path / "models", name)
    marked = (("small", "DEFAULT_JUDGE"), ("large", "DEFAULT_SECOND_JUDGE"), ("encoder", "DEFAULT"))
    for name, named_in in marked:
        (tmp_path / "models" / named_in).write_text(f"{name}\n", encoding="utf-8")
    return one


@pytest.fixture
def opened(put, monkeypatch):
    """Names of the packages whose model was opened, in their order."""
    names = []

    def open_one(folder, settings):
        names.append(folder.name)
        return Opened(folder)

    for module in (opening, late):
        monkeypatch.setattr(module, "open_judge_package", open_one)
    return names


def second_of(package="", second=""):
    found = open_judge(JudgeSettings(package=package, second=second))
    return None if found is None or found.second is None else found.second.judge.name


def test_the_second_judge_is_the_one_that_the_settings_name(put, opened, tmp_path):
    ours = put(paths.models_dir(), "ours")
    assert second_of() == "large 1"
    assert second_of(second="none") is None
    assert second_of(second="ours") == second_of(second=str(ours)) == "ours 1"
    assert second_of("ours") is None, "the one that ships belongs to the judge that ships"
    assert second_of("ours", "large") == "large 1"
    assert second_of("small", "small") is None
    assert second_of("ours", str(ours)) is None
    assert open_judge(JudgeSettings(package="none", second="ours")) is None
    (tmp_path / "models" / "DEFAULT_SECOND_JUDGE").unlink()
    assert second_of() is None
    assert set(opened) == {"small", "ours"}, "no model of a second judge"


def test_its_model_is_opened_once_by_whoever_asks_first(opened):
    found = open_judge(JudgeSettings())
    assert opened == ["small"]
    together = Barrier(8)

    def ask(_):
        together.wait()
        return found.second.judge.rule([PAIR, PAIR], CTX)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [[Ruling(1.0)] * 2] * 8
    assert opened == ["small", "large"]
    assert found.second.calibration == found.second.judge.calibration != found.calibration.first


@pytest.mark.parametrize("kind", [InputError, ResourceError])
def test_one_whose_model_is_damaged_says_so_and_is_tried_once(opened, monkeypatch, kind):
    tried = []

    def broken(folder, settings):
        tried.append(folder)
        raise kind("judge.onnx is damaged; install the package again")

    monkeypatch.setattr(late, "open_judge_package", broken)
    found = open_judge(JudgeSettings())
    assert describe_judge(found).second.name == "large 1"
    for _ in range(2):
        with pytest.raises(ResourceError, match=r"judge\.onnx is damaged"):
            found.second.judge.rule([PAIR], CTX)
    assert len(tried) == 1
    facts = describe_judge(found)
    assert (facts.name, facts.second) == ("small 1", None)
    assert judge_sentences(facts)[-1] == (
        "The second judge can't be used: judge.onnx is damaged; install the package again."
    )


def test_one_that_was_replaced_meanwhile_is_not_read_by_the_old_calibration(put, opened):
    ours = put(paths.models_dir(), "ours")
    found = open_judge(JudgeSettings(second="ours"))
    put(paths.models_dir(), "ours", version="9")
    with pytest.raises(ResourceError, match="was replaced while it was in use"):
        found.second.judge.rule([PAIR], CTX)
    assert str(ours) in found.second.judge.fault


def test_one_that_cannot_be_used_leaves_the_judge(put, opened):
    put(paths.models_dir(), "bound", commercial=False)
    (put(paths.models_dir(), "broken") / "manifest.json").write_text("{", encoding="utf-8")
    for name, why in (
        ("gone", "there is no model package 'gone'"),
        ("bound", "does not allow commercial use"),
        ("broken", "is not valid JSON"),
    ):
        found = open_judge(JudgeSettings(second=name))
        assert (found.judge.name, found.second) == ("small 1", None)
        assert why in found.fault


def test_lists_and_facts_have_both_judges(put, opened):
    put(paths.models_dir(), "ours")

    def used(**named):
        judges = list_judges(Settings(judge=JudgeSettings(**named)))
        return {item.name: (item.in_use, item.reads_on) for item in judges if item.in_use or item.reads_on}

    assert used() == {"small": (True, False), "large": (False, True)}
    assert used(package="ours") == {"ours": (True, False)}
    assert used(second="ours") == {"small": (True, False), "ours": (False, True)}
    assert used(second="gone") == {"small": (True, False)}
    assert used(package="none", second="ours") == {}
    facts = read_facts_in_use(Settings())
    assert (facts.name, facts.second.name, facts.second.second) == ("small 1", "large 1", None)
    assert "gone" in read_facts_in_use(Settings(judge=JudgeSettings(second="gone"))).fault
    assert opened == [], "facts are in the manifests"


def test_the_figures_of_a_judge_keep_their_bounds_beside_a_second_one():
    class Plain:
        name, languages = "words 1", frozenset()

    first = Calibration(0.0, 1.0, 0.0, Bounds(0.9, 0.4), candidates=4)
    whole = Calibration(0.0, 1.0, 0.0, Bounds(0.7, 0.2), candidates=24, first=first)
    alone = describe_judge(CalibratedJudge(Plain(), whole))
    assert (alone.disclosed, alone.candidate, alone.figures_bounds) == (0.7, 0.2, None)
    both = describe_judge(CalibratedJudge(Plain(), whole, CalibratedJudge(Plain(), whole)))
    assert (both.disclosed, both.candidate, both.figures_bounds) == (0.9, 0.4, whole.bounds)


def test_a_second_judge_in_use_is_not_removed(put):
    put(paths.models_dir(), "ours")
    settings = Settings(judge=JudgeSettings(second="ours"))
    with pytest.raises(InputError, match=r"in use \(setting judge\.second\)"):
        model_packages.remove("ours", settings)
    gone = model_packages.remove("ours", settings, force=True)
    assert (gone.was_in_use, gone.keys) == (True, ("judge.second",))
    with pytest.raises(InputError, match="comes with the program"):
        model_packages.remove("large", settings)


def test_after_it_is_removed_the_setting_is_empty(put, capsys):
    put(paths.models_dir(), "ours")
    assert run(["settings", "set", "judge.second", "ours"]) == 0
    assert run(["models", "remove", "ours", "--force"]) == 0
    captured = capsys.readouterr()
    said = " ".join((captured.out + captured.err).split())
    assert "It was in use; the setting judge.second is empty now." in said


def test_the_tables_of_two_judges_say_of_how_many_passages_they_are(put, capsys):
    assert run(["models", "show"]) == 0
    first, second = " ".join(capsys.readouterr().out.split()).split("Second judge")
    for said in (first, second):
        assert "Figures with up to 8 passages of a document read: Verdicts by kind of wording" in said
    assert run(["settings", "set", "judge.second", "none"]) == 0
    assert run(["models", "show"]) == 0
    assert "Figures with up to" not in capsys.readouterr().out
