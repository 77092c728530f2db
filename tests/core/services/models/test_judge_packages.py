"""Judges beside encoders: listed, checked, added, chosen and removed as they are."""

import re
import zipfile

import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from claimlight import paths
from claimlight.encoders import ModelPackage
from claimlight.encoders.package_files import Role
from claimlight.errors import InputError
from claimlight.judging.manifest import JudgeKind
from claimlight.judging.presets import find_by_source, read_presets
from claimlight.services.models import judge_packages, model_adding, model_checks, model_packages, models
from claimlight.services.models.judges import list_judges
from claimlight.services.models.model_adding import Addition
from claimlight.settings import JudgeSettings, Settings, change
from claimlight.tasks import TaskContext
from tests.core.training import judge_checkpoints as tiny

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
CPU = change(Settings(), "judge.device", "cpu")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    base = tmp_path_factory.mktemp("judge")
    wanted = judge_packages.JudgeExport(
        tiny.classifier(base / "model", "bert", 1), base / "mine", "mine", kind="reranker", licence="MIT",
        precision="fp32", max_length=64,
    )  # fmt: skip
    report = judge_packages.export(wanted, TaskContext())
    assert (report.model, report.kind, report.max_length) == ("mine 1", "reranker", 64)
    return base / "mine"


def add(source, **more):
    return model_adding.add(Addition(str(source), **more), CPU, TaskContext())


def test_a_judge_is_added_listed_checked_and_removed(made, tmp_path):
    with zipfile.ZipFile(tmp_path / "judge.zip", "w") as archive:
        for path in made.iterdir():
            archive.write(path, path.name)
    added = add(tmp_path / "judge.zip", name="zipped")
    assert (added.role, added.dim, added.model) == (Role.JUDGE, 0, "mine 1")
    used = change(CPU, "judge.package", "zipped")
    (found,) = (item for item in list_judges(used) if item.name == "zipped")
    assert (found.name, found.in_use, found.kind, found.calibrated) == ("zipped", True, "reranker", False)
    assert "zipped" not in {item.name for item in models.list_installed(used)}
    done = model_checks.check("zipped", used, TaskContext())
    assert done.ok
    assert [item.subject for item in done.findings] == [
        "files", "model", "ruling", "recorded rulings", "calibration",
    ]  # fmt: skip
    with pytest.raises(InputError, match=re.escape("in use (setting judge.package)")):
        model_packages.remove("zipped", used)
    gone = model_packages.remove("zipped", used, force=True)
    assert (gone.was_in_use, gone.role) == (True, Role.JUDGE)
    left = list_judges(Settings(judge=JudgeSettings(package="none")))
    assert not any(item.name == "zipped" or item.in_use for item in left)


def test_a_damaged_judge_is_a_finding_and_not_added(made, tmp_path):
    add(made, name="bad")
    (paths.models_dir() / "bad" / "tokenizer.json").write_text("{}", encoding="utf-8")
    done = model_checks.check("bad", CPU, TaskContext())
    assert [(item.subject, item.ok) for item in done.findings] == [("files", False)]
    with pytest.raises(InputError, match="not an encoder"):
        ModelPackage.load(made)
    with pytest.raises(InputError, match="judge; it has no dimensions"):
        add(made, name="short", dimension=8)


def test_every_kind_has_a_preset_and_sources_are_recognised():
    known = read_presets()
    assert {item.kind for item in known.values()} == set(JudgeKind) - {JudgeKind.DISCLOSURE}
    assert len({item.source for item in known.values()}) == len(known)
    for item in known.values():
        assert find_by_source(item.source.upper()) == item
        assert judge_packages.recognise("", item.name, "")
        assert judge_packages.recognise("", "", item.source)
    assert not judge_packages.recognise("", "paecter", "")
    assert not judge_packages.recognise("dense", "", "BAAI/bge-reranker-v2-m3")
    with pytest.raises(InputError, match="--kind"):
        judge_packages.export(
            judge_packages.JudgeExport(paths.models_dir(), paths.models_dir(), "x", licence="MIT"),
            TaskContext(),
        )
