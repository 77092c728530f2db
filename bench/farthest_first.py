"""Farthest-first centers: ours against the textbook loop (one GEMV for each center), same centers.

    python bench/farthest_first.py [--centers 2000] [--spans 15000] [--out FILE]

Three sizes (x1, x4, x16); prints JSON with seconds, ratio and the growth exponent. The bar is 20x at the
largest size.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from core.index.centers import quantise
from core.training.centers import farthest_first

BAR = 20.0
DIM = 384


def structured(count: int, seed: int = 0) -> np.ndarray:
    """Clusters of very unequal size with a common direction, like token vectors of an encoder."""
    rng = np.random.default_rng(seed)
    middle = rng.standard_normal((2000, DIM)).astype(np.float32)
    points = middle[rng.zipf(1.3, size=count) % 2000]
    points += 0.9 * rng.standard_normal((count, DIM)).astype(np.float32)
    points += rng.standard_normal(DIM).astype(np.float32)
    return quantise(points)


def textbook(spans: np.ndarray, count: int, seed: int = 123) -> np.ndarray:
    """One matrix-vector product, one minimum and one argmax for each center."""
    points = spans.astype(np.float32)
    reciprocal = (1.0 / np.sqrt((spans.astype(np.float32) ** 2).sum(axis=1, dtype=np.float64))).astype(
        np.float32
    )
    best = np.full(len(points), -np.inf, dtype=np.float32)
    chosen = [int(np.random.default_rng(seed).integers(len(points)))]
    while len(chosen) < count:
        scores = points @ points[chosen[-1]]
        scores *= reciprocal[chosen[-1]]
        np.maximum(best, scores, out=best)
        chosen.append(int(np.argmin(best * reciprocal)))
    return np.array(chosen)


def measure(spans: int, centers: int) -> dict[str, object]:
    pool = structured(spans)
    begin = perf_counter()
    ours = farthest_first(pool, centers)
    middle = perf_counter()
    theirs = textbook(pool, centers)
    end = perf_counter()
    seconds, loop = middle - begin, end - middle
    return {
        "spans": spans,
        "centers": centers,
        "seconds": round(seconds, 3),
        "textbook_seconds": round(loop, 3),
        "ratio": round(loop / seconds, 1),
        "passes": ours.passes,
        "same_centers": bool(np.array_equal(ours.chosen, theirs)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--centers", type=int, default=2000)
    parser.add_argument("--spans", type=int, default=15_000)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    rows = [measure(arguments.spans * factor, arguments.centers) for factor in (1, 4, 16)]
    first, last = rows[0], rows[-1]
    result = {
        "benchmark": "farthest_first",
        "dim": DIM,
        "cores": os.cpu_count(),
        "load_before": os.getloadavg()[0],
        "rows": rows,
        "growth_exponent": round(math.log(last["seconds"] / first["seconds"]) / math.log(16), 2),
        "bar": BAR,
        "reached": last["ratio"] >= BAR and all(row["same_centers"] for row in rows),
    }
    text = json.dumps(result, indent=2)
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
