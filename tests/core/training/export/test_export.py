"""Export: every architecture of the papers' encoders, in small, gives the vectors that torch gives."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

import torch
from safetensors.torch import load_file
from transformers import AutoModel

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder, probes
from claimlight.encoders.manifest import ENCODER_FILE
from claimlight.encoders.presets import find_preset
from claimlight.errors import InputError
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.training.export.checkpoint_to_package import ExportPlan, export
from claimlight.types import Section
from tests.core.training import export_checkpoints as tiny

pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    # torch and transformers warn of their own future; what they compute is compared below.
    pytest.mark.filterwarnings("ignore"),
]
TEXT = "the valve opens with oil, viscous"
TITLED = "damper\nthe viscous damper of oil"


def plan(checkpoint, folder, **more):
    base = {"id": "tiny", "version": "1", "licence": "MIT", "source": "made here", "precision": "fp32"}
    return ExportPlan(checkpoint=checkpoint, folder=folder, **{**base, **more})


def from_preset(name):
    known = find_preset(name)
    return {
        "pooling": known.pooling,
        "templates": known.templates,
        "prompts": known.prompts,
        "markers": known.markers,
        "licence": known.licence,
        "commercial": known.commercial,
        "languages": known.languages,
    }


def encode(folder, *inputs):
    encoder = open_encoder(ModelPackage.load(folder), EncoderSettings(device="cpu", threads=1))
    return list(encoder.encode(inputs, TaskContext()))


def reference(checkpoint, pieces, *, pooling, projection=None):
    """Token and pooled vectors of these wordpieces, by torch alone."""
    vocabulary = json.loads((checkpoint / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    ids = torch.tensor([[vocabulary[piece] for piece in pieces]])
    model = AutoModel.from_pretrained(checkpoint, attn_implementation="eager").eval()
    with torch.no_grad():
        tokens = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
        pooled = tokens[0] if pooling == "cls" else tokens.mean(dim=0)
        if projection is not None:
            weights = load_file(str(projection / "model.safetensors"))
            pooled = torch.nn.functional.linear(pooled, weights["linear.weight"], weights["linear.bias"])
    return tokens.numpy(), (pooled / pooled.norm()).numpy()


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return tiny.bert(tmp_path_factory.mktemp("bert") / "checkpoint")


@pytest.fixture(scope="module")
def paecter(bert, tmp_path_factory):
    """PaECTER: bare BERT, mean pooling, title [SEP] abstract; made twice."""
    base = tmp_path_factory.mktemp("paecter")
    for name in ("one", "two"):
        export(plan(bert, base / name, **from_preset("paecter")))
    return base


def test_paecter_is_read_as_its_preset_says(paecter, bert):
    (found,) = encode(paecter / "one", EncoderInput(TITLED, Section.ABSTRACT))
    pieces = ["[CLS]", "damper", "[SEP]", "the", "viscous", "damper", "of", "oil", "[SEP]"]
    tokens, pooled = reference(bert, pieces, pooling="mean")
    np.testing.assert_allclose(found.tokens, tokens[[1, 3, 4, 5, 6, 7]], atol=1e-4)
    assert found.pooled @ pooled > 0.99999
    assert [TITLED[a:b] for a, b in found.offsets.tolist()] == [
        "damper",
        "the",
        "viscous",
        "damper",
        "of",
        "oil",
    ]


def test_the_same_checkpoint_gives_the_same_bytes_and_no_traces(paecter, bert):
    for name in sorted(path.name for path in (paecter / "one").iterdir()):
        assert (paecter / "one" / name).read_bytes() == (paecter / "two" / name).read_bytes(), name
    graph = (paecter / "one" / ENCODER_FILE).read_bytes()
    for trace in (b"site-packages", b".py", str(bert).encode(), b"stack_trace"):
        assert trace not in graph


def test_the_package_records_its_vectors_and_its_parity(paecter):
    package = ModelPackage.load(paecter / "one")
    encoder = open_encoder(package, EncoderSettings(device="cpu"))
    assert probes.least_cosine(package, encoder) > 0.9999999
    assert package.manifest.parity["fp32_tokens_cosine_min"] >= 0.9999
    assert package.manifest.languages == ("en",)
    assert (package.manifest.dim, package.manifest.max_length) == (tiny.HIDDEN, tiny.MAX_LENGTH)
    assert "made here" in (package.folder / "NOTICE").read_text(encoding="utf-8")


def test_patentmap_sections_have_their_markers(tmp_path, bert):
    made = export(plan(bert, tmp_path / "p", **from_preset("patentmap-sections")))
    assert (made.pooling, made.commercial, made.licence) == ("cls", False, "CC-BY-NC-4.0")
    abstract = ["damper", "[SEP]", "[abstract]", "the", "viscous", "damper", "of", "oil"]
    inputs = {
        EncoderInput(TITLED, Section.ABSTRACT): abstract,
        EncoderInput("the lid", Section.CLAIMS): ["[claim]", "the", "lid"],
        EncoderInput("the lid", Section.SUMMARY): ["[summary]", "the", "lid"],
        EncoderInput("the lid", Section.BACKGROUND): ["[invention]", "the", "lid"],
        EncoderInput("the lid", Section.DRAWINGS): ["[drawing]", "the", "lid"],
        EncoderInput("the lid", Section.DETAILED): ["[description]", "the", "lid"],
    }
    for found, pieces in zip(encode(tmp_path / "p", *inputs), inputs.values(), strict=True):
        tokens, pooled = reference(bert, ["[CLS]", *pieces, "[SEP]"], pooling="cls")
        assert found.pooled @ pooled > 0.99999
        kept = [number for number, piece in enumerate(pieces, 1) if not piece.startswith("[")]
        np.testing.assert_allclose(found.tokens, tokens[kept], atol=1e-4)


@pytest.mark.parametrize(
    "modern_names",
    [pytest.param(False, id="old files", marks=pytest.mark.variants), pytest.param(True, id="new files")],
)
def test_patembed_projects_tokens_as_it_projects_texts(tmp_path, modern_names):
    checkpoint = tiny.bert(tmp_path / "checkpoint")
    prompts = {"query": "the oil: ", "document": "the lid: "}
    tiny.as_sentence_transformer(checkpoint, project_to=16, modern_names=modern_names, prompts=prompts)
    made = export(plan(checkpoint, tmp_path / "p"))
    assert made.dim == 16
    assert made.max_length == (tiny.MAX_LENGTH if modern_names else 32)
    assert made.prompts == {"query": "the oil: ", "passage": "the lid: "}
    query, passage = encode(
        tmp_path / "p",
        EncoderInput("viscous valve", Section.CLAIMS, is_query=True),
        EncoderInput("viscous valve", Section.CLAIMS),
    )
    assert query.tokens.shape == (2, 16)
    for found, word in ((query, "oil"), (passage, "lid")):
        pieces = ["[CLS]", "the", word, ":", "viscous", "valve", "[SEP]"]
        _, pooled = reference(checkpoint, pieces, pooling="mean", projection=checkpoint / "2_Dense")
        assert found.pooled @ pooled > 0.99999
    assert query.pooled @ passage.pooled < 0.99999


def test_long_byte_level_models_are_exported(tmp_path):
    checkpoint = tiny.modern(tmp_path / "checkpoint")
    made = export(plan(checkpoint, tmp_path / "p", templates={"claims": "claim: {text}"}))
    assert made.max_length == 1024
    text = "va lid va \U0001d6fc " * 40
    (found,) = encode(tmp_path / "p", EncoderInput(text, Section.CLAIMS))
    model = AutoModel.from_pretrained(checkpoint, attn_implementation="eager").eval()
    from tokenizers import Tokenizer

    shown = Tokenizer.from_file(str(checkpoint / "tokenizer.json")).encode("claim: " + text.strip())
    ids = torch.tensor([shown.ids])
    with torch.no_grad():
        tokens = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0].numpy()
    mean = tokens.mean(axis=0)
    assert found.pooled @ (mean / np.linalg.norm(mean)) > 0.9999
    assert text[slice(*found.offsets[0].tolist())] == "va"
    assert text[found.offsets[-1, 0] : found.offsets[-1, 1]] == "\U0001d6fc"


def test_an_old_vocabulary_becomes_a_tokenizer(tmp_path, bert):
    old = tiny.bert(tmp_path / "old", tokenizer_json=False)
    export(plan(old, tmp_path / "p", pooling="mean"))
    (found,) = encode(tmp_path / "p", EncoderInput(TEXT, Section.CLAIMS))
    pieces = ["[CLS]", "the", "valve", "opens", "with", "oil", ",", "viscous", "[SEP]"]
    _, pooled = reference(bert, pieces, pooling="mean")
    assert found.pooled @ pooled > 0.99999


def test_small_weights_are_small_and_near(tmp_path, bert):
    fp32 = export(plan(bert, tmp_path / "fp32", pooling="mean"))
    int8 = export(plan(bert, tmp_path / "int8", pooling="mean", precision="int8"))
    assert int8.file(ENCODER_FILE).size < 0.8 * fp32.file(ENCODER_FILE).size
    assert int8.fingerprint != fp32.fingerprint
    assert 0.99 < int8.parity["int8_pooled_cosine_min"] < 1.0
    item = EncoderInput(TEXT, Section.CLAIMS)
    (exact,), (small,) = encode(tmp_path / "fp32", item), encode(tmp_path / "int8", item)
    assert 0.99 < exact.pooled @ small.pooled < 1.0


def test_whole_numbers_that_lose_too_much_are_refused_with_a_way_out(tmp_path, bert, monkeypatch):
    monkeypatch.setattr("claimlight.training.export.checkpoint_to_package.LEAST_PARITY", {"int8": 1.5})
    said = "loses too much in int8: .*; export it as fp32 or fp16"
    refused(tmp_path, bert, said, pooling="mean", precision="int8")


# ---- what is refused ---------------------------------------------------------------------------------------


def refused(tmp_path, checkpoint, said, **more):
    with pytest.raises(InputError, match=said):
        export(plan(checkpoint, tmp_path / "p", **more))
    assert not (tmp_path / "p").exists()


def test_plans_that_can_not_be_true_are_refused(tmp_path, bert):
    refused(tmp_path, bert, "no precision 'int4'", precision="int4")
    refused(tmp_path, bert, "takes 40 tokens, not 41", max_length=41)
    refused(tmp_path, bert, "template for 'claim'", templates={"claim": "{text}"})
    refused(tmp_path, bert, r"no token '\[figure\]'", markers=("[figure]",))


def test_a_folder_that_exists_is_never_written_into(tmp_path, bert):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "mine.txt").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="exists already"):
        export(plan(bert, tmp_path / "p"))
    assert (tmp_path / "p" / "mine.txt").is_file()


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_missing_files_are_named(tmp_path, name):
    checkpoint = tiny.bert(tmp_path / "checkpoint")
    (checkpoint / name).unlink()
    refused(tmp_path, checkpoint, f"{name} is missing")


def test_pickled_weights_are_never_opened(tmp_path):
    checkpoint = tiny.bert(tmp_path / "checkpoint")
    (checkpoint / "model.safetensors").rename(checkpoint / "pytorch_model.bin")
    refused(tmp_path, checkpoint, "a pickle, which is never opened")


def test_what_would_change_a_vector_is_refused(tmp_path):
    checkpoint = tiny.as_sentence_transformer(tiny.bert(tmp_path / "checkpoint"), "max")
    refused(tmp_path, checkpoint, "only mean and CLS pooling")
    tiny.as_sentence_transformer(checkpoint, "mean", project_to=16)
    refused(tmp_path, checkpoint, "trained with mean pooling, not cls", pooling="cls")
    tiny.project(checkpoint / "2_Dense", 16, activation="torch.nn.modules.activation.Tanh")
    refused(tmp_path, checkpoint, "Tanh is not linear")
    tiny.write(
        checkpoint / "modules.json", [{"type": "x.Transformer", "path": ""}, {"type": "x.LSTM", "path": "1"}]
    )
    refused(tmp_path, checkpoint, "LSTM can't be exported")
    tiny.write(
        checkpoint / "modules.json",
        [{"type": "x.Transformer", "path": "../.."}, {"type": "x.Pooling", "path": "1"}],
    )
    refused(tmp_path, checkpoint, "outside the checkpoint folder")


def test_pooling_without_the_prompt_is_refused(tmp_path):
    checkpoint = tiny.as_sentence_transformer(tiny.bert(tmp_path / "checkpoint"))
    config = tiny.pooling_config("mean", modern_names=True) | {"include_prompt": False}
    tiny.write(checkpoint / "1_Pooling" / "config.json", config)
    refused(tmp_path, checkpoint, "excludes the prompt")


def test_tokens_without_rows_are_refused(tmp_path):
    checkpoint = tiny.bert(tmp_path / "checkpoint")
    path = checkpoint / "tokenizer.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    body["model"]["vocab"]["[figure]"] = len(tiny.VOCABULARY)
    path.write_text(json.dumps(body), encoding="utf-8")
    refused(tmp_path, checkpoint, "embeddings were not resized", markers=("[figure]",))


def test_a_failed_export_leaves_nothing(tmp_path, bert, monkeypatch):
    monkeypatch.setattr("claimlight.encoders.probes.record_probes", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        export(plan(bert, tmp_path / "deep" / "p"))
    assert not (tmp_path / "deep" / "p").exists()
