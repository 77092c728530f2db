"""The fitted product of vectors, and its file."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight import tensors
from claimlight.errors import ResourceError
from claimlight.judging.nearness import NEARNESS_FILE, Nearness, read_nearness


def make(seed=0, dim=6, rank=2):
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(2, dim, rank)).astype(np.float16).astype(np.float32)
    return Nearness("small-1-abc", left, right)


def read(path, encoder="small-1-abc", dim=6):
    return read_nearness(path.read_bytes(), path, encoder=encoder, dim=dim)


def test_it_is_the_cosine_and_a_product_of_both_projections():
    nearness, rng = make(), np.random.default_rng(1)
    features, passages = rng.normal(size=(3, 6)), rng.normal(size=(4, 6))
    found = nearness.score(features, passages)
    for row, feature in enumerate(features):
        for column, passage in enumerate(passages):
            cosine = sum(a * b for a, b in zip(feature, passage, strict=True))
            fitted = sum(
                (feature @ nearness.left[:, rank]) * (passage @ nearness.right[:, rank]) for rank in range(2)
            )
            assert found[row, column] == pytest.approx(cosine + fitted, rel=1e-4)


def test_what_is_written_is_read(tmp_path):
    made = make()
    made.write(tmp_path / NEARNESS_FILE)
    found = read(tmp_path / NEARNESS_FILE)
    assert found.encoder == made.encoder
    assert np.array_equal(found.left, made.left)
    assert np.array_equal(found.right, made.right)


def test_that_of_another_encoder_is_refused(tmp_path):
    path = tmp_path / NEARNESS_FILE
    make().write(path)
    with pytest.raises(ResourceError, match=r"fitted for the encoder small-1-abc, but this one is large-2"):
        read(path, encoder="large-2")
    with pytest.raises(ResourceError, match="for 8 dimensions"):
        read(path, dim=8)


@pytest.mark.parametrize("lacking", ["encoder", "left", "right"])
def test_a_file_that_lacks_something_is_refused(tmp_path, lacking):
    path = tmp_path / NEARNESS_FILE
    make().write(path)
    arrays = tensors.unpack(path.read_bytes(), path)
    path.write_bytes(tensors.pack({name: value for name, value in arrays.items() if name != lacking}))
    with pytest.raises(ResourceError, match="no file of nearness"):
        read(path)


def test_numbers_that_are_not_finite_are_refused(tmp_path):
    made = make()
    made.left[0, 0] = np.nan
    made.write(tmp_path / NEARNESS_FILE)
    with pytest.raises(ResourceError, match="not finite"):
        read(tmp_path / NEARNESS_FILE)
    (tmp_path / NEARNESS_FILE).write_bytes(b"no tensors")
    with pytest.raises(ResourceError, match="safetensors"):
        read(tmp_path / NEARNESS_FILE)
