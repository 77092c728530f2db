"""The encoder as training sees it: dropout where it is asked for, from the first text on."""

import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")

import torch

from core.training.model import TrainableEncoder
from core.training.recipe import ModelRecipe
from tests.core.training import classified_library as made

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
TEXTS = ["zoran zorel mipan qaba", "zorov tunut"]


@pytest.mark.parametrize("recipe", [ModelRecipe(), ModelRecipe(layers=(0, 1), dimension=8, projector=True)])
def test_dropout_is_on_when_it_is_asked_for_from_the_first_text_on(tmp_path, recipe):
    def vectors(*, dropout):
        torch.manual_seed(5)
        with torch.no_grad():
            return encoder.encode(TEXTS, dropout=dropout)

    folder = made.checkpoint(tmp_path / "model", layers=3)
    encoder = TrainableEncoder.from_checkpoint(folder, recipe)
    first = vectors(dropout=True)
    plain = vectors(dropout=False)
    assert not torch.allclose(first, plain, atol=1e-3)
    assert torch.equal(vectors(dropout=True), first)
    assert torch.equal(vectors(dropout=False), plain)
