"""The layer that evens out a space: what it does to vectors, and that it stays in the saved model."""

import numpy as np
import pytest

from claimlight.errors import InputError

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("accelerate", reason="needs claimlight[train]")

import torch

from claimlight.tasks import TaskContext
from claimlight.training.model.trainable import TrainableEncoder
from claimlight.training.model.whitening import whiten, whitening
from claimlight.training.recipe import ModelRecipe
from claimlight.training.run.loop import train
from tests.core.training import toy

torch.set_num_threads(1)  # such small models only wait for more
pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
MANY = 90
"""Documents of the toy library: more than the toy model has dimensions."""


def drawn(count: int = 4000, size: int = 6) -> np.ndarray:
    """Correlated vectors far from the origin."""
    rng = np.random.default_rng(2)
    return rng.normal(size=(count, size)) @ rng.normal(size=(size, size)) + 3.0


def through(vectors, share):
    matrix, bias = whitening(vectors, share)
    return vectors @ matrix.T + bias


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_mean_goes_and_variances_come_nearer_by_the_share_that_is_asked(share):
    vectors = drawn()
    before = np.linalg.eigvalsh(np.cov(vectors.T))
    after = np.linalg.eigvalsh(np.cov(through(vectors, share).T))
    np.testing.assert_allclose(through(vectors, share).mean(axis=0), 0, atol=1e-4)
    expected = before ** (1 - share)
    np.testing.assert_allclose(after / after.sum(), expected / expected.sum(), rtol=1e-4)
    np.testing.assert_allclose(after.mean(), before.mean(), rtol=1e-4)


def test_nothing_of_the_variance_taken_moves_vectors_by_the_mean_alone():
    vectors = drawn()
    np.testing.assert_allclose(through(vectors, 0.0), vectors - vectors.mean(axis=0), atol=1e-4)


def test_directions_that_hold_nothing_are_not_blown_up():
    vectors = drawn()
    vectors[:, -1] = 2.0 + 1e-9 * np.random.default_rng(1).normal(size=len(vectors))
    after = through(vectors, 1.0)
    assert np.cov(after.T).diagonal()[-1] < 1e-6 * np.cov(after.T).diagonal()[0]


def test_too_few_texts_are_said():
    with pytest.raises(InputError, match="6 dimensions can't be whitened by only 6 texts"):
        whitening(drawn(6), 0.5)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    with toy.corpus(tmp_path_factory.mktemp("whitening") / "library", MANY) as found:
        yield found


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    return toy.checkpoint(tmp_path_factory.mktemp("whitening") / "checkpoint")


def fronts(corpus):
    documents = corpus.read(corpus.ids.tolist(), description=False)
    return [f"{item.title}\n{item.abstract}" for item in documents]


MODELS = {
    "plain": ModelRecipe(),
    "projection": ModelRecipe(dimension=16),
    "projector": ModelRecipe(projector=True),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_what_is_saved_gives_whitened_vectors(tmp_path, start, corpus, model):
    made = TrainableEncoder.from_checkpoint(start, model, seed=3)
    projector, made.module["projector"] = made.module["projector"], torch.nn.Identity()
    with torch.no_grad():
        plain = made.encode(fronts(corpus)).numpy().astype(np.float64)
        made.module["projector"] = projector
        whiten(made, corpus, 0.5, TaskContext(), seed=1)
        assert made.module["projector"] is projector
        made.save(tmp_path / "saved")
        saved = TrainableEncoder.from_checkpoint(tmp_path / "saved", ModelRecipe(), seed=3)
        found = saved.encode(fronts(corpus)).numpy()
    np.testing.assert_allclose(found, through(plain, 0.5), atol=1e-4)


def test_a_library_that_is_too_small_is_refused_before_the_first_step(tmp_path, start):
    with toy.corpus(tmp_path / "library", 40) as small, pytest.raises(InputError, match="only 40 texts"):
        train(toy.recipe(model={"whitening": 0.5}), small, tmp_path / "run", TaskContext(), checkpoint=start)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_run_ends_with_the_layer_and_goes_on_without_it(tmp_path, start, corpus):
    def run(name, steps, *, resume=False, **model):
        recipe = toy.recipe(model=model, run={"steps": steps})
        train(recipe, corpus, tmp_path / name, TaskContext(), checkpoint=start, resume=resume)
        return toy.weights(tmp_path / name)

    plain = run("plain", 4)
    whole = run("whole", 4, whitening=0.25)
    assert (tmp_path / "whole/model/2_Dense/model.safetensors").is_file()
    assert not (tmp_path / "plain/model/2_Dense").exists()
    again = run("whole", 4, resume=True, whitening=0.25)
    for name, value in plain.items():
        assert torch.equal(value, whole[name])
        assert torch.equal(value, again[name])
