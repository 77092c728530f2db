"""An LSTM over chunks: order counts, padding does not, and without torch the extra is named."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest

from claimlight.errors import InputError, ResourceError
from claimlight.lab.diagnostics.chunk_lstm import count_chunks, fit_chunk_lstm, import_torch
from claimlight.lab.diagnostics.probes import ProbeKind, ProbeSettings, fit
from claimlight.tasks import TaskContext

torch = pytest.importorskip("torch", reason="needs claimlight[train]")


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def ordered(count=400, seed=1):
    """Documents of two kinds of chunks; the label says which kind came first, which no mean can know."""
    rng = np.random.default_rng(seed)
    kinds = rng.normal(size=(2, 6))
    first = rng.random(count) < 0.5
    chunks = np.zeros((count, 5, 6), dtype=np.float32)
    for row, one in enumerate(first):
        order = [0, 1] if one else [1, 0]
        chunks[row, :2] = kinds[order] + 0.1 * rng.normal(size=(2, 6))
    return chunks, np.column_stack([first, np.ones(count, bool), np.zeros(count, bool)])


def test_chunks_are_counted_to_the_last_that_is_there():
    chunks = np.zeros((3, 4, 2), dtype=np.float32)
    chunks[0, :2] = 1.0
    chunks[1, 3] = 1.0  # a chunk without words in between is still a place
    assert count_chunks(chunks).tolist() == [2, 4, 1]


def test_the_order_of_chunks_is_learned():
    chunks, targets = ordered()
    scores = fit(chunks[:300], targets[:300], ProbeSettings(ProbeKind.LSTM), TaskContext()).scores(
        chunks[300:]
    )
    assert scores.shape == (100, 3)
    assert ((scores[:, 0] >= 0.5) == targets[300:, 0]).mean() > 0.95
    assert (scores[:, 1] == 1.0).all()
    assert (scores[:, 2] == 0.0).all()


def test_the_same_seed_gives_the_same_and_padding_changes_nothing():
    chunks, targets = ordered(120)
    found = [fit_chunk_lstm(chunks, targets, seed=3, context=TaskContext()) for _ in range(2)]
    np.testing.assert_array_equal(found[0](chunks), found[1](chunks))
    longer = np.concatenate([chunks, np.zeros_like(chunks)], axis=1)
    np.testing.assert_allclose(found[0](longer), found[0](chunks), atol=1e-6)
    state = torch.random.get_rng_state()
    fit_chunk_lstm(chunks[:30], targets[:30], seed=4, context=TaskContext())
    assert torch.equal(state, torch.random.get_rng_state())


def test_one_vector_to_a_document_is_no_sequence():
    chunks, targets = ordered(40)
    with pytest.raises(InputError, match="chunks of documents"):
        fit(chunks[:, 0], targets, ProbeSettings(ProbeKind.LSTM), TaskContext())


def test_without_torch_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **more):
        if name == "torch":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ResourceError, match=r"claimlight\[train\]"):
        import_torch()
