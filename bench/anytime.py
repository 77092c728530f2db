"""The anytime mode on whole texts: what a budget of postings saves, and what it still finds.

    python -m bench.anytime --library L --queries 100

First claims of the library's documents over its own index, one thread, the shortest of three runs of each;
compared with the exact search.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from bench.center_data import _claims
from claimlight.index.generation import Budget, Generation
from claimlight.settings import Settings

BUDGETS = (0, 30_000, 100_000, 300_000, 1_000_000)
TOP = 100
REPEATS = 3


def timed(search: Callable[[], np.ndarray]) -> tuple[float, set[int]]:
    best, found = np.inf, np.empty(0, dtype=np.int64)
    for _ in range(REPEATS):
        begin = perf_counter()
        found = search()
        best = min(best, perf_counter() - begin)
    return 1000.0 * best, set(found.tolist())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--cache", type=Path, default=Path("var/bench/cache"))
    arguments = parser.parse_args()
    generation = Generation.open(arguments.library / "index", check=False)
    if generation is None:
        raise SystemExit(f"{arguments.library} has no index.")
    generation.threads = 1
    generation.warm()
    scoring = generation.scoring(Settings().centers)
    asked = _claims(arguments.library, arguments.queries, arguments.cache)
    queries = [scoring.query(item.centers, item.weights) for item in asked]
    print(f"{generation.passages:,} passages, {len(queries)} queries")
    exact: dict[str, list[set[int]]] = {}
    for amount in BUDGETS:
        budget = Budget(amount)
        ways = {
            "documents": lambda q, b=budget: (
                generation.best_documents(q, scoring.norm, depth=TOP, budget=b).documents
            ),
            "passages": lambda q, b=budget: (
                generation.best_passages(q, scoring.norm, k=TOP, budget=b).passages
            ),
        }
        read = np.mean([generation.posting_count(query, budget) for query in queries])
        told = [f"{amount or 'all':>9}", f"{read:>11,.0f} postings"]
        for name, search in ways.items():
            found = [timed(lambda q=query, s=search: s(q)) for query in queries]
            truth = exact.setdefault(name, [places for _, places in found])
            same = np.mean([len(ours & theirs) for (_, ours), theirs in zip(found, truth, strict=True)])
            told.append(f"{name} {np.median([ms for ms, _ in found]):.2f} ms, {same:.1f} of {TOP}")
        print("  ".join(told))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
