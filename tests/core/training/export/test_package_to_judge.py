"""The weights of a judge package as a checkpoint: the same rulings, ready to be trained on and exported."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from safetensors.torch import load_file

from claimlight.errors import InputError
from claimlight.judging import manifest as manifests
from claimlight.judging import probes
from claimlight.judging.manifest import JudgeKind
from claimlight.judging.package import JudgePackage
from claimlight.judging.session import open_judge_package
from claimlight.settings import JudgeSettings
from claimlight.tasks import TaskContext
from claimlight.training.export.judge_to_package import JudgePlan, export_judge
from claimlight.training.export.package_to_judge import LEAST, LEAST_AGREEMENT, restore_judge
from claimlight.training.judges import checkpoint as judges
from tests.core.training import judge_checkpoints as tiny

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    # torch and transformers warn of their own future; what they compute is compared below.
    pytest.mark.filterwarnings("ignore"),
]


def packed(checkpoint, folder, precision):
    export_judge(
        JudgePlan(checkpoint, folder, "tiny", "1", "MIT", "made here", precision, kind=JudgeKind.DISCLOSURE)
    )
    return JudgePackage.load(folder)


def rulings(folder):
    judge = open_judge_package(folder, JudgeSettings(device="cpu", threads=1))
    return judge.rule(probes.PROBES, TaskContext())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    checkpoint = tiny.disclosure(tmp_path_factory.mktemp("judge") / "model")
    (checkpoint / "LICENSE").write_text("free", encoding="utf-8")
    return checkpoint


@pytest.fixture(scope="module")
def package(model, tmp_path_factory):
    return packed(model, tmp_path_factory.mktemp("judge") / "package", "fp32")


@pytest.mark.parametrize(
    ("precision", "apart"), [pytest.param("fp16", 0.02, marks=pytest.mark.variants), ("int8", 0.05)]
)
def test_a_restored_judge_rules_as_its_package(model, tmp_path, precision, apart):
    first = packed(model, tmp_path / "package", precision)
    found = restore_judge(first, tmp_path / "thawed")
    assert (found.layers, found.heads) == (2, 2)
    assert found.parity >= LEAST.get(precision, LEAST_AGREEMENT)
    again = packed(tmp_path / "thawed", tmp_path / "again", "fp32")
    assert again.manifest.max_length == first.manifest.max_length
    for one, other in zip(rulings(tmp_path / "package"), rulings(tmp_path / "again"), strict=True):
        assert one.score == pytest.approx(other.score, abs=apart)
        assert one.terms == pytest.approx(other.terms, abs=apart)


def test_every_weight_comes_back_to_the_bit_but_those_of_the_first_stage(model, package, tmp_path):
    found = restore_judge(package, tmp_path / "thawed")
    assert found.parity >= LEAST_AGREEMENT
    assert judges.is_judge(tmp_path / "thawed")
    assert (tmp_path / "thawed" / "LICENSE").read_text(encoding="utf-8") == "free"
    one, other = (load_file(str(folder / "model.safetensors")) for folder in (model, tmp_path / "thawed"))
    assert one.keys() == other.keys()
    apart = {name.partition(".")[0] for name in one if not bool((one[name] == other[name]).all())}
    assert apart == {"entailed", "alike"}


def test_a_judge_made_from_mpnet_comes_back_too(tmp_path):
    model = tiny.disclosure(tmp_path / "model", mpnet=True)
    found = restore_judge(packed(model, tmp_path / "package", "fp32"), tmp_path / "thawed")
    assert (found.layers, found.heads) == (2, 2)
    assert found.parity >= LEAST_AGREEMENT
    one, other = (load_file(str(folder / "model.safetensors")) for folder in (model, tmp_path / "thawed"))
    assert any("relative_attention_bias" in name for name in one)
    apart = {name for name in other if not bool((one[name] == other[name]).all())}
    assert {name.partition(".")[0] for name in apart} == {"entailed", "alike"}
    again = packed(tmp_path / "thawed", tmp_path / "again", "int8")
    for before, after in zip(rulings(tmp_path / "package"), rulings(again.folder), strict=True):
        assert before.score == pytest.approx(after.score, abs=0.05)


def test_judges_of_other_kinds_and_other_rulings_are_refused(package, tmp_path, monkeypatch):
    reranker = replace(package.manifest, kind=JudgeKind.RERANKER, template="{feature}")
    with pytest.raises(InputError, match="is a judge of kind reranker: only judges of kind disclosure"):
        restore_judge(replace(package, manifest=manifests.validate(reranker)), tmp_path / "thawed")
    monkeypatch.setattr("claimlight.training.export.package_to_judge.LEAST_AGREEMENT", 1.5)
    with pytest.raises(InputError, match="gives other rulings"):
        restore_judge(package, tmp_path / "thawed")
    assert not (tmp_path / "thawed").exists()
    monkeypatch.undo()
    with pytest.raises(InputError, match="exists already"):
        restore_judge(package, tmp_path)
