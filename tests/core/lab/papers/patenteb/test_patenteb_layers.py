"""Models cut after a layer give what the whole model had there; others are refused."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs claimlight[train]")

import onnx
import onnxruntime
from onnx import TensorProto, helper

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.encoders.manifest import ENCODER_FILE, TOKENIZER_FILE
from claimlight.encoders.package import add_files
from claimlight.encoders.session import WHOLE_NUMBERS
from claimlight.errors import InputError
from claimlight.lab.papers.patenteb.layers import cut_package, layers_of, stack_of
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.types import Section

pytestmark = pytest.mark.train
TEXTS = ("a kettle [SEP] having a lid", "A damper.", "pump " * 40)


@pytest.fixture(scope="module")
def shipped():
    return ModelPackage.shipped()


def run(model, name, ids):
    """A value of a graph, whatever its outputs were."""
    if name not in {item.name for item in model.graph.output}:
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    # The runtime fuses other nodes where a graph ends. Their last bits differ, and products of whole numbers
    # now and then by a step; as the graph is written, nothing may.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    if WHOLE_NUMBERS in {item.name for item in model.graph.input}:
        feeds[WHOLE_NUMBERS] = np.array([True])
    return session.run([name], feeds)[0]


@pytest.mark.parametrize("layers", [2, 6])
def test_a_cut_model_gives_the_value_inside_the_whole_one(shipped, layers, tmp_path):
    whole = onnx.load_from_string(shipped.read(ENCODER_FILE))
    stack = stack_of(whole, shipped)
    assert stack.layers == layers_of(shipped) == 6
    cut = cut_package(shipped, layers, tmp_path / "cut")
    ids = np.arange(2000, 2024, dtype=np.int64).reshape(2, 12)
    inside = run(whole, stack.outputs[layers], ids)
    model = onnx.load_from_string(cut.read(ENCODER_FILE))
    assert [item.name for item in model.graph.output] == ["tokens"]
    assert np.array_equal(run(model, "tokens", ids), inside)
    onnx.checker.check_model(model)
    assert len(model.graph.node) <= len(whole.graph.node)
    if layers < 6:
        sizes = [(package.folder / ENCODER_FILE).stat().st_size for package in (cut, shipped)]
        assert sizes[0] < sizes[1]


def test_a_cut_package_opens_as_every_other(shipped, tmp_path):
    cut = cut_package(shipped, 2, tmp_path / "cut")
    assert cut.manifest.version.endswith("-layers2")
    assert cut.manifest.fingerprint != shipped.manifest.fingerprint
    encoder = open_encoder(ModelPackage.load(tmp_path / "cut"), EncoderSettings(device="cpu", threads=1))
    inputs = [EncoderInput(text, Section.DESCRIPTION) for text in TEXTS]
    vectors = np.stack([item.pooled for item in encoder.encode(inputs, TaskContext())])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    again = cut_package(cut, 1, tmp_path / "again")
    assert layers_of(again) == 1
    with pytest.raises(InputError, match="has 6 layers; it can't be cut after 7"):
        cut_package(shipped, 7, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def stacked(layers, *, projected, before=False):
    """A graph of the BERT kind in small: sums, normalisations, and a projection behind them if asked."""
    nodes, ones = [], {"scale": np.ones(4, dtype=np.float32)}
    nodes.append(helper.make_node("Cast", ["input_ids"], ["cast"], to=TensorProto.FLOAT))
    nodes.append(helper.make_node("Unsqueeze", ["cast", "axis"], ["wide"]))
    nodes.append(helper.make_node("Mul", ["wide", "spread"], ["embedded"]))
    nodes.append(helper.make_node("LayerNormalization", ["embedded", "scale"], ["n0"], axis=-1))
    for number in range(1, 2 * layers + 1):
        ones[f"w{number}"] = np.random.default_rng(number).standard_normal((4, 4)).astype(np.float32)
        nodes.append(helper.make_node("MatMul", [f"n{number - 1}", f"w{number}"], [f"m{number}"]))
        # What came before the normalisation is added on in models that normalise first.
        base = f"s{number - 1}" if before and number > 1 else f"n{number - 1}"
        nodes.append(helper.make_node("Add", [f"m{number}", base], [f"s{number}"]))
        last = "tokens" if number == 2 * layers and not projected else f"n{number}"
        nodes.append(helper.make_node("LayerNormalization", [f"s{number}", "scale"], [last], axis=-1))
    if projected:
        ones["head"] = np.random.default_rng(99).standard_normal((4, 3)).astype(np.float32)
        nodes.append(helper.make_node("MatMul", [f"n{2 * layers}", "head"], ["tokens"]))
    ones["axis"] = np.array([2], dtype=np.int64)
    ones["spread"] = np.array([1, -0.5, 0.25, 2], dtype=np.float32)
    shape = ["batch", "length"]
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, shape) for n in ("input_ids", "attention_mask")
    ]
    outputs = [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [*shape, 3 if projected else 4])]
    constants = [onnx.numpy_helper.from_array(value, name) for name, value in ones.items()]
    graph = helper.make_graph(nodes, "small", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.fixture
def packaged(shipped, tmp_path):
    """A package around any graph."""

    def made(model):
        folder = tmp_path / "package"
        folder.mkdir()
        (folder / ENCODER_FILE).write_bytes(model.SerializeToString())
        for name in (TOKENIZER_FILE, "manifest.json"):
            (folder / name).write_bytes((shipped.folder / name).read_bytes())
        names = [item.name for item in shipped.manifest.files]
        for name in names:
            if not (folder / name).exists():
                (folder / name).write_bytes((shipped.folder / name).read_bytes())
        add_files(folder, names)
        return ModelPackage.load(folder)

    return made


def test_a_projection_stays_behind_the_last_layer(packaged, tmp_path):
    model = stacked(3, projected=True)
    package = packaged(model)
    cut = onnx.load_from_string(cut_package(package, 1, tmp_path / "cut").read(ENCODER_FILE))
    ids = np.arange(6, dtype=np.int64).reshape(1, 6)
    head = onnx.numpy_helper.to_array(next(i for i in model.graph.initializer if i.name == "head"))
    inside = run(model, "n2", ids)
    assert run(cut, "tokens", ids) == pytest.approx(inside @ head, abs=1e-5)
    assert {item.name for item in cut.graph.initializer} == {"scale", "axis", "spread", "w1", "w2", "head"}


def test_models_that_normalise_first_are_refused(packaged, tmp_path):
    package = packaged(stacked(2, projected=False, before=True))
    with pytest.raises(InputError, match="its graph names no layers and is not built like BERT"):
        cut_package(package, 1, tmp_path / "cut")
