"""An LSTM over the chunk vectors of a document, with a sigmoid for each label (torch).

One layer of 128 units reads the chunks in order; labels are of its last state. Binary cross-entropy, Adam
(1e-3), batches of 64, at most 30 epochs; a tenth of the rows is kept out, and where its loss has not fallen
for four epochs the best weights are taken. The paper names the LSTM and says nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import ResourceError
from claimlight.tasks import TaskContext
from claimlight.training.classifiers.two_layers import scale_of
from claimlight.types import Progress

HIDDEN, RATE, BATCH, EPOCHS, PATIENCE = 128, 1e-3, 64, 30, 4
_ENOUGH = 20

Chunks = NDArray[np.float32]
"""[documents, chunks, dimensions]; after the last chunk of a document come rows of zeros."""


def import_torch() -> Any:
    """torch; a missing one is a `ResourceError` that names the extra."""
    try:
        import torch
    except ImportError as error:
        raise ResourceError("The LSTM needs torch: install claimlight[train].") from error
    return torch


def count_chunks(chunks: Chunks) -> NDArray[np.int64]:
    """[documents] chunks of each; 1 for a document that has none, whose only chunk is zeros."""
    there = (chunks != 0).any(axis=2)
    last = there.shape[1] - np.argmax(there[:, ::-1], axis=1)
    return np.where(there.any(axis=1), last, 1).astype(np.int64)


def fit_chunk_lstm(
    chunks: Chunks, targets: NDArray[np.bool_], *, seed: int, context: TaskContext
) -> Callable[[Chunks], NDArray[np.float64]]:
    """Fit on ``chunks`` and ``targets`` [documents, labels]; what is returned gives probabilities.

    The same seed gives the same weights on the same machine. Reports `Progress` in epochs.
    """
    torch = import_torch()
    factor = np.float32(scale_of(chunks[chunks.any(axis=2)]))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = torch.nn.ModuleDict(
            {
                "lstm": torch.nn.LSTM(chunks.shape[2], HIDDEN, batch_first=True),
                "labels": torch.nn.Linear(HIDDEN, targets.shape[1]),
            }
        )
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(chunks))
    held = -(-len(order) // 10) if len(order) >= _ENOUGH else 0
    kept, rest = order[:held], order[held:]
    wanted = torch.from_numpy(targets.astype(np.float32))

    def logits(some: Chunks) -> Any:
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            torch.from_numpy(some * factor),
            torch.from_numpy(count_chunks(some)),
            batch_first=True,
            enforce_sorted=False,
        )
        return model["labels"](model["lstm"](packed)[1][0][-1])

    loss_of = torch.nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    best, least, since = _copy(model), np.inf, 0
    for epoch in range(EPOCHS):
        context.report(Progress("probe", epoch, EPOCHS, "epochs", 0.0, None))
        shuffled = rng.permutation(rest)
        for begin in range(0, len(shuffled), BATCH):
            context.check()
            rows = shuffled[begin : begin + BATCH]
            optimizer.zero_grad()
            loss_of(logits(chunks[rows]), wanted[rows]).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if not held:
            best = _copy(model)
            continue
        with torch.no_grad():
            loss = float(loss_of(logits(chunks[kept]), wanted[kept]))
        since += 1
        if loss < least:
            best, least, since = _copy(model), loss, 0
        if since == PATIENCE:
            break
    model.load_state_dict(best)
    always, never = targets.all(axis=0), ~targets.any(axis=0)

    def predict(asked: Chunks) -> NDArray[np.float64]:
        found = np.empty((len(asked), targets.shape[1]))
        with torch.no_grad():
            for begin in range(0, len(asked), 1024):
                some = asked[begin : begin + 1024]
                found[begin : begin + 1024] = torch.sigmoid(logits(some)).numpy()
        found[:, always], found[:, never] = 1.0, 0.0
        return found

    return predict


def _copy(model: Any) -> dict[str, Any]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}
