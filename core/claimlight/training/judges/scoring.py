"""The rulings of a judge that is still a torch module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.judging.reading import JudgeReader
from claimlight.training.judges.model import find_device, forward, runs_half

_TOKENS = 65_536
"""Tokens of a batch on a GPU; on a CPU a sixteenth."""


def score_pairs(
    module: Any, reader: JudgeReader, pairs: Sequence[tuple[str, str, str]]
) -> NDArray[np.float32]:
    """Logits [n] of pairs of subject, feature and passage, each passage cut to one window."""
    import torch

    module.eval()
    inputs = [reader.read(*pair) for pair in pairs]
    order = sorted(range(len(inputs)), key=lambda place: len(inputs[place].ids))
    device = find_device(module)
    room = _TOKENS if device.type != "cpu" else _TOKENS // 16
    found = np.empty(len(inputs), dtype=np.float32)
    start = 0
    half = torch.autocast(device.type, torch.bfloat16, enabled=runs_half(device))
    with torch.inference_mode(), half:
        while start < len(order):
            end = start + 1
            # Sorted by length: the last of a batch is its longest.
            while end < len(order) and (end + 1 - start) * len(inputs[order[end]].ids) <= room:
                end += 1
            part = order[start:end]
            found[part] = forward(module, [inputs[place] for place in part])["ruling"].float().cpu().numpy()
            start = end
    return found
