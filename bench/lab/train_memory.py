"""Memory and speed of a training step: cached gradients, one graph, and sentence-transformers' cached loss.

Each row is a process of its own, so that a peak is that row's. Run with the train extra:
``python -m bench.lab.train_memory --checkpoint FOLDER [--tokens 64] [--batches 16,32,64]``.
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
        batch, _, how = options.one.partition(",")
        ours = how != "sentence-transformers"
        made = one(options, int(batch), cache=how == "cache") if ours else rival(options, int(batch))
        print(json.dumps(made))
        return
    for batch in map(int, options.batches.split(",")):
        for how in ("whole", "cache", "sentence-transformers"):
            only = ["--one", f"{batch},{how}"]
            command = [sys.executable, "-m", "bench.lab.train_memory", *sys.argv[1:], *only]
            ended = subprocess.run(command, capture_output=True, text=True, check=True)
            print(ended.stdout.strip().splitlines()[-1], flush=True)


def one(options: argparse.Namespace, batch: int, *, cache: bool) -> dict[str, object]:
    """A few steps of one kind; the first is not timed."""
    import torch

    from claimlight.training.losses import make_loss
    from claimlight.training.model.trainable import TrainableEncoder
    from claimlight.training.params import Params
    from claimlight.training.recipe import ModelRecipe, OptimizerRecipe, RunRecipe
    from claimlight.training.run.gradients import Gradients
    from claimlight.training.run.optimizing import Optimizer
    from claimlight.training.run.processes import Processes, peak_memory
    from claimlight.training.task import Batch

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
        columns = texts(options, batch, step)
        began = time.perf_counter()
        measured = gradients.add(Batch(columns), loss, key=(step,), factor=1.0, scale=1.0)
        optimizer.step(1e-5)
        if step:
            seconds += time.perf_counter() - began
            tokens += measured.tokens
    rate = tokens / seconds
    return row(options, batch, "cache" if cache else "whole", before, peak_memory(processes.device), rate)


def rival(options: argparse.Namespace, batch: int) -> dict[str, object]:
    """The same steps by sentence-transformers: its model, its cached loss, torch's AdamW."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.losses import CachedMultipleNegativesRankingLoss

    from claimlight.training.run.processes import peak_memory

    torch.set_num_threads(options.threads)
    model = SentenceTransformer(str(options.checkpoint), device="cpu")
    model.max_seq_length = options.tokens
    model.train()
    loss = CachedMultipleNegativesRankingLoss(model, mini_batch_size=options.micro)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    before = peak_memory(torch.device("cpu"))
    seconds, tokens = 0.0, 0
    for step in range(_STEPS):
        columns = texts(options, batch, step)
        began = time.perf_counter()
        features = [model.tokenize(list(column)) for column in columns]
        loss(features, None).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step:
            seconds += time.perf_counter() - began
            tokens += sum(int(item["attention_mask"].sum()) for item in features)
    peak = peak_memory(torch.device("cpu"))
    return row(options, batch, "sentence-transformers", before, peak, tokens / seconds)


def row(
    options: argparse.Namespace, batch: int, how: str, before: int, peak: int, rate: float
) -> dict[str, object]:
    """One line of the table."""
    return {
        "pairs": batch,
        "tokens_a_text": options.tokens,
        "micro_batch": options.micro,
        "gradient": how,
        "before_mb": round(before / 1e6),
        "peak_mb": round(peak / 1e6),
        "tokens_per_second": round(rate),
    }


def texts(options: argparse.Namespace, batch: int, step: int) -> tuple[tuple[str, ...], ...]:
    """Two columns."""
    return tuple(tuple(text(step, n, side, options.tokens) for n in range(batch)) for side in (0, 1))


def text(step: int, number: int, side: int, tokens: int) -> str:
    """As many short words as fill the input."""
    draw = random.Random(f"{step} {number} {side}")
    return " ".join(
        draw.choice(("valve", "oil", "lid", "door", "light", "plate"))
        for _ in range(tokens - side * (number % 4) * tokens // 5)
    )


if __name__ == "__main__":
    main()
