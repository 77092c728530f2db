"""The table of n-grams while it is learned, in the saved model, in the package and back."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from claimlight.errors import InputError, TaskCancelled

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("accelerate", reason="needs claimlight[train]")

import torch

from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
from claimlight.encoders.manifest import NGRAMS_FILE
from claimlight.encoders.ngrams import Grams, NgramTable
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.training.export.checkpoint_to_package import ExportPlan, export
from claimlight.training.export.package_to_checkpoint import restore_checkpoint
from claimlight.training.model.ngrams import fit_projection
from claimlight.training.model.trainable import TrainableEncoder
from claimlight.training.run.loop import train
from claimlight.types import Note, Progress, Section
from tests.core.training import toy

torch.set_num_threads(1)  # such small models only wait for more
pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
TABLE = {"kind": "pairs", "dimension": 16, "buckets": 64, "steps": 40, "batch": 16}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    with toy.corpus(tmp_path_factory.mktemp("ngrams") / "library") as found:
        yield found


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    return toy.checkpoint(tmp_path_factory.mktemp("ngrams") / "checkpoint")


def run(corpus, start, folder, *, context=None, resume=False, table=TABLE, **tables):
    tables["run"] = {"steps": 2, **tables.get("run", {})}
    recipe = toy.recipe(**tables) if table is None else toy.recipe(ngrams=table, **tables)
    train(recipe, corpus, folder, context or TaskContext(), checkpoint=start, resume=resume)
    return folder / "model"


@pytest.fixture(scope="module")
def model(corpus, start, tmp_path_factory):
    return run(corpus, start, tmp_path_factory.mktemp("ngrams") / "run")


def read(folder) -> NgramTable:
    return NgramTable.read((folder / NGRAMS_FILE).read_bytes(), folder / NGRAMS_FILE)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_text_finds_its_partner_by_its_words(model, corpus):
    table, encoder = read(model), TrainableEncoder.from_checkpoint(model)
    documents = corpus.read(corpus.ids.tolist(), description=False)
    titles = np.stack([table.bag(ids) for ids in encoder.pieces([item.title for item in documents])])
    bodies = np.stack([table.bag(ids) for ids in encoder.pieces([item.abstract for item in documents])])
    found = (titles @ bodies.T).argmax(axis=1) == np.arange(len(documents))
    assert found.mean() > 0.9


def test_the_loss_falls_and_progress_is_told(corpus, start, tmp_path):
    told = []
    table = {**TABLE, "temperature": 1.0}
    run(corpus, start, tmp_path / "run", context=TaskContext(told.append), table=table)
    steps = [item for item in told if isinstance(item, Progress) and item.unit == "steps" and item.done]
    assert [item.done for item in steps] == list(range(1, 41))
    (note,) = [
        item.text for item in told if isinstance(item, Note) and "pairs of words are learned" in item.text
    ]
    first, last = (float(word.rstrip(".")) for word in note.split() if word[0].isdigit())
    assert 0 < last < first
    assert any(
        "fitted on only 40 titles and abstracts" in item.text for item in told if isinstance(item, Note)
    )


def test_the_transformer_is_as_without_a_table(corpus, start, model, tmp_path):
    plain = run(corpus, start, tmp_path / "plain", table=None)
    assert not (plain / NGRAMS_FILE).exists()
    for name, value in toy.weights(plain.parent).items():
        assert torch.equal(value, toy.weights(model.parent)[name])


def test_the_same_recipe_gives_the_same_table(corpus, start, model, tmp_path):
    again = run(corpus, start, tmp_path / "again")
    assert (again / NGRAMS_FILE).read_bytes() == (model / NGRAMS_FILE).read_bytes()


def test_a_run_that_is_stopped_while_it_learns_words_goes_on_to_the_same_table(
    corpus, start, model, tmp_path
):
    context = TaskContext(lambda event: isinstance(event, Progress) and event.done == 7 and context.cancel())
    with pytest.raises(TaskCancelled):
        run(corpus, start, tmp_path / "run", context=context)
    assert not (tmp_path / "run" / "model").exists()
    found = run(corpus, start, tmp_path / "run", resume=True)
    assert (found / NGRAMS_FILE).read_bytes() == (model / NGRAMS_FILE).read_bytes()


def packed(model, folder, **changes) -> ModelPackage:
    plan = {"id": "m", "version": "1", "licence": "Apache-2.0", "source": "a test", "precision": "fp32"}
    export(ExportPlan(checkpoint=model, folder=folder, **(plan | changes)))
    return ModelPackage.load(folder)


def test_the_package_has_the_table_and_its_vectors(model, tmp_path):
    package = packed(model, tmp_path / "package")
    text = "the valve of abc opens with lid"
    encoder = open_encoder(package, EncoderSettings(device="cpu"))
    (found,) = encoder.encode([EncoderInput(text, Section.CLAIMS)], TaskContext())
    own = TrainableEncoder.from_checkpoint(model)
    with torch.no_grad():
        pooled = unit(own.encode([text]).numpy().astype(np.float64))[0]
    expected = read(model).joined(pooled, own.pieces([text])[0])
    np.testing.assert_allclose(found.pooled, expected, atol=1e-4)
    assert np.abs(found.pooled - pooled).max() > 0.01


def test_a_package_with_a_table_can_be_trained_on_and_keeps_it(corpus, model, tmp_path):
    package = packed(model, tmp_path / "package")
    restore_checkpoint(package, tmp_path / "thawed")
    assert (tmp_path / "thawed" / NGRAMS_FILE).read_bytes() == package.read(NGRAMS_FILE)
    further = run(corpus, tmp_path / "thawed", tmp_path / "further", table=None)
    assert (further / NGRAMS_FILE).read_bytes() == package.read(NGRAMS_FILE)


@pytest.mark.parametrize("change", [{"dimension": 32}, {"layers": [0]}])
def test_a_table_is_not_kept_for_a_space_that_changes(corpus, model, tmp_path, change):
    with pytest.raises(InputError, match=r"must train a new table: add \[ngrams\]"):
        run(corpus, model, tmp_path / "run", table=None, model=change)
    assert not (tmp_path / "run").exists()


def test_first_dimensions_are_those_of_the_joint_space(model, tmp_path):
    texts = [EncoderInput("the valve of abc opens with lid", Section.CLAIMS)]
    whole, short = (
        next(open_encoder(package, EncoderSettings(device="cpu")).encode(texts, TaskContext()))
        for package in (packed(model, tmp_path / "whole"), packed(model, tmp_path / "short", dimension=16))
    )
    kept = whole.pooled[:16]
    np.testing.assert_allclose(short.pooled, kept / np.linalg.norm(kept), atol=1e-6)
    np.testing.assert_array_equal(short.tokens, whole.tokens[:, :16])


@pytest.mark.variants
@pytest.mark.parametrize("cut_to", [4, 0, -4])
def test_vectors_of_texts_may_be_longer_than_those_of_tokens(model, start, tmp_path, cut_to):
    """Recipes of earlier versions could ask for it, and their models are still read."""
    short = TrainableEncoder.from_checkpoint(start).dimension
    older = shutil.copytree(model, tmp_path / "older")
    longer = np.random.default_rng(5).normal(size=(short + 8, short + TABLE["dimension"]))
    replace(read(model), projection=longer.astype(np.float32)).write(older / NGRAMS_FILE)
    model = older
    assert read(model).dim == short + 8
    package = packed(model, tmp_path / "package")
    assert (package.manifest.dim, package.manifest.graph_dim) == (short + 8, short)
    assert (package.manifest.token_dim, package.manifest.truncated) == (short, False)
    encoder = open_encoder(package, EncoderSettings(device="cpu"))
    texts = [EncoderInput("the valve of abc opens with lid", Section.CLAIMS)]
    (found,) = encoder.encode(texts, TaskContext())
    assert (encoder.dim, found.pooled.shape, found.tokens.shape[1]) == (short + 8, (short + 8,), short)
    own = TrainableEncoder.from_checkpoint(model)
    with torch.no_grad():
        pooled = unit(own.encode([texts[0].text]).numpy().astype(np.float64))[0]
    expected = read(model).joined(pooled, own.pieces([texts[0].text])[0])
    np.testing.assert_allclose(found.pooled, expected, atol=1e-5)
    dimension = short + cut_to
    cut = packed(model, tmp_path / "cut", dimension=dimension)
    assert (cut.manifest.dim, cut.manifest.graph_dim) == (dimension, short if cut_to else 0)
    (part,) = open_encoder(cut, EncoderSettings(device="cpu")).encode(texts, TaskContext())
    kept = found.pooled[:dimension]
    np.testing.assert_allclose(part.pooled, kept / np.linalg.norm(kept), atol=1e-6)
    np.testing.assert_array_equal(part.tokens, found.tokens[:, :dimension])
    with pytest.raises(InputError, match=f"gives {short + 8} dimensions; it can't be truncated"):
        packed(model, tmp_path / "longer", dimension=short + 9)


def test_a_damaged_table_is_named(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "model" / NGRAMS_FILE).write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"ngrams.safetensors is not a safetensors file"):
        TrainableEncoder.from_checkpoint(tmp_path / "model")
    with pytest.raises(InputError, match=r"ngrams.safetensors is not a safetensors file"):
        packed(tmp_path / "model", tmp_path / "package")
    assert not (tmp_path / "package").exists()


def test_the_joint_space_keeps_cosines_as_far_as_it_can():
    """With as many directions as there is room for nothing is lost, and the bag counts its weight."""
    rng = np.random.default_rng(3)
    basis = rng.normal(size=(3, 6))
    pooled, bags = (
        unit(rng.normal(size=(200, 3)) @ basis),
        unit(rng.normal(size=(200, 2)) @ rng.normal(size=(2, 4))),
    )
    projection = fit_projection(pooled, bags, 1.7, pooled.shape[1])
    assert projection.shape == (6, 10)
    found = np.concatenate((pooled, bags), axis=1) @ projection.T
    np.testing.assert_allclose(found @ found.T, pooled @ pooled.T + 1.7 * bags @ bags.T, atol=1e-9)
    np.testing.assert_allclose(fit_projection(pooled, bags, 1.7, 3), projection[:3])


def test_a_table_of_an_odd_width_is_no_recipe():
    with pytest.raises(InputError, match=r"\[ngrams\]: dimension .* an even number"):
        toy.recipe(ngrams={**TABLE, "dimension": 15})


def test_counts_are_of_each_gram_once():
    rows, counts = Grams(10, 0, 0.5).of(np.array([3, 3, 5, 3, 3]))
    assert rows.tolist() == [3, 5]
    np.testing.assert_allclose(counts, [2.0, 1.0])
