"""A package's own weights as a checkpoint: the same vectors, ready to be trained on and exported again."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from safetensors.torch import load_file, save_file

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.errors import InputError
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.training.checkpoints import checkpoint as checkpoints
from claimlight.training.export.checkpoint_to_package import ExportPlan, export
from claimlight.training.export.package_to_checkpoint import PARITY, restore_checkpoint
from claimlight.types import Section
from tests.core.training import export_checkpoints as tiny

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    # torch and transformers warn of their own future; what they compute is compared below.
    pytest.mark.filterwarnings("ignore"),
]
TEXTS = ("the valve opens with oil, viscous", "a damper of the claim", "lid")


def packed(checkpoint, folder, **more):
    base = {"id": "tiny", "version": "1", "licence": "MIT", "source": "made here", "precision": "fp32"}
    export(ExportPlan(checkpoint=checkpoint, folder=folder, **{**base, **more}))
    return ModelPackage.load(folder)


def pooled(package):
    encoder = open_encoder(package, EncoderSettings(device="cpu", threads=1))
    inputs = [EncoderInput(text, Section.CLAIMS) for text in TEXTS]
    return np.stack([item.pooled for item in encoder.encode(inputs, TaskContext())])


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return tiny.as_sentence_transformer(tiny.bert(tmp_path_factory.mktemp("bert") / "checkpoint"))


@pytest.fixture(scope="module")
def package(bert, tmp_path_factory):
    return packed(bert, tmp_path_factory.mktemp("bert") / "package")


def test_every_weight_comes_back_to_the_bit(bert, package, tmp_path):
    found = restore_checkpoint(package, tmp_path / "thawed")
    assert (found.layers, found.heads) == (2, 2)
    assert found.parity >= PARITY
    own, back = load_file(str(bert / "model.safetensors")), load_file(str(found.folder / "model.safetensors"))
    assert own.keys() == {name for name in back if not name.startswith("pooler.")}
    assert all(bool((own[name] == back[name]).all()) for name in own)
    was, now = (json.loads((place / "config.json").read_text()) for place in (bert, found.folder))
    same = ("hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size", "hidden_act",
            "layer_norm_eps", "vocab_size", "max_position_embeddings", "type_vocab_size")  # fmt: skip
    assert {name: now[name] for name in same} == {name: was[name] for name in same}


@pytest.mark.parametrize(
    ("precision", "least"),
    [
        pytest.param("fp32", 0.999999, marks=pytest.mark.variants),
        pytest.param("fp16", 0.9999, marks=pytest.mark.variants),
        ("int8", 0.999),
    ],
)
def test_a_thawed_package_exports_to_the_same_vectors(tmp_path, precision, least):
    """8-bit weights, [CLS], a projection, a prompt and a marker: everything comes back.

    Where inputs are rounded as well, all but that.
    """
    checkpoint = tiny.as_sentence_transformer(tiny.bert(tmp_path / "checkpoint"), "cls", project_to=24)
    told = {"prompts": {"query": "a claim: "}, "markers": ("[claim]",)}
    first = packed(checkpoint, tmp_path / "package", precision=precision, **told)
    found = restore_checkpoint(first, tmp_path / "thawed")
    read = checkpoints.read(found.folder)
    assert (read.pooling, read.max_length, read.prompts) == ("cls", tiny.MAX_LENGTH, told["prompts"])
    one, other = pooled(first), pooled(packed(found.folder, tmp_path / "again", **told))
    assert one.shape == (len(TEXTS), 24)
    assert (one * other).sum(axis=1).min() > least


@pytest.mark.variants
def test_a_projection_without_a_bias_comes_back(tmp_path):
    checkpoint = tiny.as_sentence_transformer(tiny.bert(tmp_path / "checkpoint"), project_to=24)
    path = checkpoint / "2_Dense" / "model.safetensors"
    weight = load_file(str(path))["linear.weight"].clone()
    save_file({"linear.weight": weight}, str(path))
    found = restore_checkpoint(packed(checkpoint, tmp_path / "package"), tmp_path / "thawed")
    back = load_file(str(found.folder / "2_Dense" / "model.safetensors"))
    assert list(back) == ["linear.weight"]
    assert bool((back["linear.weight"] == weight).all())


@pytest.mark.variants
def test_another_architecture_says_what_to_do(tmp_path):
    package = packed(tiny.as_sentence_transformer(tiny.modern(tmp_path / "checkpoint")), tmp_path / "package")
    with pytest.raises(InputError, match=r"BERT-like models only\. Name the checkpoint .* with --checkpoint"):
        restore_checkpoint(package, tmp_path / "thawed")
    assert not (tmp_path / "thawed").exists()


def test_vectors_that_differ_are_never_handed_out(package, tmp_path, monkeypatch):
    monkeypatch.setattr("claimlight.training.export.package_to_checkpoint.PARITY", 1.5)
    with pytest.raises(InputError, match="has other vectors"):
        restore_checkpoint(package, tmp_path / "thawed")
    assert not (tmp_path / "thawed").exists()


def test_nothing_is_overwritten(package, tmp_path):
    with pytest.raises(InputError, match="exists already"):
        restore_checkpoint(package, tmp_path)


def test_the_shipped_encoder_is_trainable(tmp_path):
    found = restore_checkpoint(ModelPackage.shipped(), tmp_path / "thawed")
    assert found.parity >= PARITY
    assert found.layers >= 2
