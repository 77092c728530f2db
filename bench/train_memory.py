"""Memory and speed of a training step: the gradient cache against one graph, for growing batches.

Each row is a process of its own, so that a peak is that row's. Run with the train extra:
``python -m bench.train_memory --checkpoint FOLDER [--tokens 64] [--batches 16,32,64]``.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

_STEPS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--batches", default="16,32,64")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--micro", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", default="")
    options = parser.parse_args()
    if options.one:
        batch, cache = options.one.split(",")
        print(json.dumps(one(options, int(batch), cache=cache == "cache")))
        return
    for batch in map(int, options.batches.split(",")):
        for how in ("whole", "cache"):
            command = [sys.executable, "-m", "bench.train_memory", *sys.argv[1:], "--one", f"{batch},{how}"]
            ended = subprocess.run(command, capture_output=True, text=True, check=True)
            print(ended.stdout.strip().splitlines()[-1], flush=True)


def one(options: argparse.Namespace, batch: int, *, cache: bool) -> dict[str, object]:
    """A few steps of one kind; the first is not timed."""
    import torch

    from core.training.gradients import Gradients
    from core.training.losses import make_loss
    from core.training.model import TrainableEncoder
    from core.training.optimizing import Optimizer
    from core.training.params import Params
    from core.training.processes import Processes, peak_memory
    from core.training.recipe import ModelRecipe, OptimizerRecipe, RunRecipe
    from core.training.task import Batch

    torch.set_num_threads(options.threads)
    processes = Processes("cpu")
    encoder = TrainableEncoder.from_checkpoint(options.checkpoint, ModelRecipe(max_length=options.tokens))
    run = RunRecipe(micro_batch=options.micro, gradient_cache=cache)
    gradients = Gradients(encoder, run, processes)
    parameters = dict(encoder.module.named_parameters())
    optimizer = Optimizer(parameters, OptimizerRecipe(), scaled=False)
    loss = make_loss("info_nce", Params({}, "bench"), encoder.dimension)
    before = peak_memory(processes.device)
    seconds, tokens = 0.0, 0
    for step in range(_STEPS):
        columns = tuple(
            tuple(text(step, row, side, options.tokens) for row in range(batch)) for side in (0, 1)
        )
        began = time.perf_counter()
        measured = gradients.add(Batch(columns), loss, key=(step,), factor=1.0, scale=1.0)
        optimizer.step(1e-5)
        if step:
            seconds += time.perf_counter() - began
            tokens += measured.tokens
    return {
        "pairs": batch,
        "tokens_a_text": options.tokens,
        "gradient": "cache" if cache else "whole",
        "micro_batch": options.micro,
        "peak_mb": round(peak_memory(processes.device) / 1e6),
        "before_mb": round(before / 1e6),
        "tokens_per_second": round(tokens / seconds),
    }


def text(step: int, row: int, side: int, tokens: int) -> str:
    """As many short words as fill the input."""
    draw = random.Random(f"{step} {row} {side}")
    return " ".join(draw.choice(("valve", "oil", "lid", "door", "light", "plate")) for _ in range(tokens))


if __name__ == "__main__":
    main()
