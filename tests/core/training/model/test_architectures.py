"""Every architecture behind a preset, in small: the package gives the vectors that torch gives."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from transformers import AutoModel

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.encoders.manifest import ENCODER_FILE
from claimlight.errors import InputError
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.training.checkpoints import adapters
from claimlight.training.export.checkpoint_to_package import ExportPlan, export
from claimlight.types import Section
from tests.core.training import architecture_checkpoints as small
from tests.core.training.architecture_checkpoints import TABLE, Architecture
from tests.core.training.export_checkpoints import VOCABULARY

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    # torch and transformers warn of their own future; what they compute is compared below.
    pytest.mark.filterwarnings("ignore"),
]
WORDS = (
    "the",
    "viscous",
    "damper",
    "of",
    "oil",
    "opens",
    "a",
    "valve",
    ".",
    "the",
    "lid",
    "with",
    "oil",
    ",",
)


def made(row, base, **more):
    """A package of a row, and its manifest."""
    checkpoint = row.make(base)
    fields = {"id": "tiny", "version": "1", "licence": "MIT", "source": "made here", "precision": "fp32"}
    adapter = base / "adapter" if row.adapter else None
    plan = ExportPlan(checkpoint=checkpoint, folder=base / "package", adapter=adapter, **{**fields, **more})
    return export(plan), base / "package"


def encode(folder, words):
    encoder = open_encoder(ModelPackage.load(folder), EncoderSettings(device="cpu", threads=1))
    (found,) = encoder.encode([EncoderInput(" ".join(words), Section.CLAIMS)], TaskContext())
    return found


def ids_of(words):
    pieces = {piece: number for number, piece in enumerate(VOCABULARY)}
    return [pieces["[CLS]"], *(pieces[word] for word in words), pieces["[SEP]"]]


def cosines(left, right):
    a, b = np.atleast_2d(left).astype(np.float64), np.atleast_2d(right).astype(np.float64)
    return (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))


def rows(chosen, every):
    """Rows of the table; those that are not chosen are variants."""
    return [
        pytest.param(row, id=row.name, marks=[] if row in chosen else pytest.mark.variants) for row in every
    ]


CHOSEN = [TABLE[place] for place in (5, 8, 9, 10)]


@pytest.mark.parametrize("row", rows(CHOSEN[:1], TABLE))
def test_the_package_gives_what_torch_gives(row, tmp_path):
    manifest, folder = made(row, tmp_path)
    assert manifest.parity["fp32_tokens_cosine_min"] >= 0.9999
    assert manifest.parity["fp32_pooled_cosine_min"] >= 0.9999
    assert (manifest.pooling, manifest.dim) == (row.pooling, row.project_to or small.HIDDEN)
    for words in (WORDS, WORDS[:3]):
        found = encode(folder, words)
        tokens, pooled = small.reference(tmp_path / "model", ids_of(words), row, tmp_path / "adapter")
        assert cosines(found.pooled, pooled).min() > 0.9999
        assert cosines(found.tokens, tokens[1:-1]).min() > 0.9999
        np.testing.assert_allclose(found.tokens, tokens[1:-1], atol=2e-3)


@pytest.mark.parametrize("row", rows([], CHOSEN))
def test_half_precision_stays_near(row, tmp_path):
    manifest, folder = made(row, tmp_path, precision="fp16")
    assert manifest.precision == "fp16"
    assert 0.999 < manifest.parity["fp16_tokens_cosine_min"] <= 1.0
    found = encode(folder, WORDS)
    tokens, pooled = small.reference(tmp_path / "model", ids_of(WORDS), row, tmp_path / "adapter")
    assert found.tokens.dtype == np.float32
    assert 0.999 < cosines(found.pooled, pooled).min() < 1.0 - 1e-9
    assert cosines(found.tokens, tokens[1:-1]).min() > 0.999


@pytest.mark.parametrize("row", rows(CHOSEN[1:2], CHOSEN))
def test_whole_numbers_stay_near_and_keep_company_out(row, tmp_path, monkeypatch):
    """Small as they are, all matrices are multiplied as whole numbers here."""
    import onnx

    monkeypatch.setattr("claimlight.training.export.int8_products.LEAST_WEIGHTS", 1)
    manifest, folder = made(row, tmp_path, precision="int8")
    nodes = onnx.load(folder / ENCODER_FILE).graph.node
    # Queries, keys and values together, what comes of them, and two more; adapters and projections on top.
    assert sum(node.op_type == "If" for node in nodes) >= 4 * row.layers
    assert 0.99 < manifest.parity["int8_pooled_cosine_min"] < 1.0
    tokens, pooled = small.reference(tmp_path / "model", ids_of(WORDS), row, tmp_path / "adapter")
    found = encode(folder, WORDS)
    assert cosines(found.pooled, pooled).min() > 0.99
    assert cosines(found.tokens, tokens[1:-1]).min() > 0.97
    encoder = open_encoder(ModelPackage.load(folder), EncoderSettings(device="cpu", threads=1))
    inputs = [EncoderInput(" ".join(WORDS[:count]), Section.CLAIMS) for count in (14, 3, 9)]
    together = next(iter(encoder.encode(inputs, TaskContext())))
    assert np.array_equal(together.tokens, found.tokens)


@pytest.mark.variants
def test_positions_of_long_texts_are_counted_exactly_in_half_precision(tmp_path):
    """A graph that counts positions in fp16 is off by whole positions beyond 2,048."""
    row = TABLE[9]
    words = [WORDS[(number * number) % len(WORDS)] for number in range(3000)]
    _, folder = made(row, tmp_path, precision="fp16")
    found = encode(folder, words)
    tokens, _ = small.reference(tmp_path / "model", ids_of(words), row)
    assert cosines(found.tokens[2500:], tokens[2501:-1]).min() > 0.999


def test_weights_beyond_half_precision_are_refused(tmp_path):
    from safetensors.torch import load_file, save_file

    row = Architecture("loud", "bert", 2, "mean")
    checkpoint = row.make(tmp_path)
    weights = load_file(str(checkpoint / "model.safetensors"))
    weights["encoder.layer.0.output.dense.weight"][0, 0] = 1e6
    save_file(weights, str(checkpoint / "model.safetensors"), metadata={"format": "pt"})
    plan = ExportPlan(
        checkpoint=checkpoint, folder=tmp_path / "package", id="tiny", version="1", licence="MIT",
        source="here", precision="fp16",
    )  # fmt: skip
    with pytest.raises(InputError, match=r"outside the range of fp16; export it as fp32 or int8"):
        export(plan)
    assert not (tmp_path / "package").exists()


def test_the_first_dimensions_at_unit_length(tmp_path):
    row = TABLE[6]
    manifest, folder = made(row, tmp_path, dimension=3)
    assert (manifest.dim, manifest.graph_dim) == (3, 4)
    found = encode(folder, WORDS)
    tokens, pooled = small.reference(tmp_path / "model", ids_of(WORDS), row)
    assert found.pooled.shape == (3,)
    np.testing.assert_allclose(found.pooled, pooled[:3] / np.linalg.norm(pooled[:3]), atol=1e-5)
    np.testing.assert_allclose(found.tokens, tokens[1:-1, :3], atol=1e-4)
    with pytest.raises(InputError, match="gives 4 dimensions; it can't be truncated to 5"):
        made(row, tmp_path / "more", dimension=5)


# ---- adapters ----------------------------------------------------------------------------------------------


@pytest.mark.variants
def test_an_adapter_changes_the_vectors_and_each_formula_is_its_own(tmp_path):
    found = {}
    for name in ("", *small.DESIGNS):
        row = Architecture(name, "bert", 2, "cls", adapter=name)
        base = tmp_path / (name.replace(" ", "-") or "none")
        made(row, base)
        _, expected = small.reference(base / "model", ids_of(WORDS), row, base / "adapter")
        found[name] = encode(base / "package", WORDS).pooled
        assert cosines(found[name], expected).min() > 0.9999, name
    names = list(found)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            assert cosines(found[one], found[other]).min() < 0.999, (one, other)


def refused(tmp_path, said, *, layers=2, **changes):
    folder = small.adapter(tmp_path / "adapter", 2, **small.DESIGNS["pfeiffer"])
    small.edit(folder / adapters.CONFIG, **changes)
    checkpoint = small.bert(tmp_path / f"model{layers}", layers)
    plan = ExportPlan(
        checkpoint=checkpoint, folder=tmp_path / "package", id="tiny", version="1", licence="MIT",
        source="here", precision="fp32", adapter=folder,
    )  # fmt: skip
    with pytest.raises(InputError, match=said):
        export(plan)
    assert not (tmp_path / "package").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"is_parallel": True}, "is_parallel = True are not supported"),
        ({"ln_after": True}, "ln_after = True"),
        ({"phm_layer": True}, "phm_layer = True"),
        ({"scaling": "learned"}, "scaling 'learned' are not supported"),
        ({"non_linearity": "maxout"}, "adapters with maxout"),
        ({"residual_before_ln": "post_add"}, "residual_before_ln = 'post_add'"),
        ({"mh_adapter": True}, r"does not fit a model of 2 layers \(layer 0, attention.output\)"),
        ({"leave_out": [1]}, r"does not fit a model of 2 layers \(layer 1, output\)"),
    ],
)
def test_adapters_of_another_formula_are_refused(tmp_path, changes, said):
    refused(tmp_path, said, **changes)


def test_adapters_of_another_model_are_refused(tmp_path):
    refused(tmp_path, r"does not fit a model of 3 layers \(layer 2, output\)", layers=3)
    path = tmp_path / "adapter" / adapters.CONFIG
    body = json.loads(path.read_text(encoding="utf-8"))
    body["hidden_size"] = 768
    path.write_text(json.dumps(body), encoding="utf-8")
    model = AutoModel.from_pretrained(tmp_path / "model3")
    with pytest.raises(InputError, match="the adapter is for 768 dimensions, the model has 32"):
        adapters.install(model, path.parent)


def test_pickled_adapters_are_never_opened(tmp_path):
    folder = small.adapter(tmp_path / "adapter", 2, **small.DESIGNS["pfeiffer"])
    (folder / adapters.WEIGHTS).rename(folder / "pytorch_adapter.bin")
    with pytest.raises(InputError, match=r"pytorch_adapter.bin\), which is never opened"):
        adapters.check(folder)
    with pytest.raises(InputError, match=r"adapter_config.json is missing"):
        adapters.check(tmp_path)


def test_an_adapter_is_named_in_the_graph_only_by_its_effect(tmp_path):
    row = Architecture("a", "bert", 2, "cls", adapter="pfeiffer")
    _, folder = made(row, tmp_path)
    assert str(tmp_path).encode() not in (folder / ENCODER_FILE).read_bytes()
