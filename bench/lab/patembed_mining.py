"""Mining patembed's tasks at three sizes: processor seconds by task, and of laying an epoch into batches.

    python -m bench.lab.patembed_mining [--families 25000 100000 400000] [--out FILE]

Families are invented, without texts: one to four of 120 classes, the common ones more often, and on average
five citations, mostly of families with a class in common. One core; reading a library is not in it.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
from datetime import date
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from claimlight.lab.training.patembed import bloom, mining
from claimlight.lab.training.patembed.batches import no_duplicates
from claimlight.lab.training.patembed.families import Families, Lists, Part
from claimlight.lab.training.patembed.mining import MiningRules
from claimlight.lab.training.patembed.selection import SelectionRules, select
from claimlight.tasks import TaskContext
from claimlight.text.patenteb import TaskName

CLASSES = 120
CITATIONS = 5


def families(count: int) -> Families:
    """Invented ones, each citing earlier ones."""
    rng = np.random.default_rng(7)
    shares = 1 / np.arange(1, CLASSES + 1)
    shares /= shares.sum()
    first = rng.choice(CLASSES, size=count, p=shares)
    more = rng.choice(CLASSES, size=(count, 3), p=shares)
    number = rng.choice(4, size=count, p=(0.5, 0.3, 0.15, 0.05))
    lists = [[int(one), *map(int, rest[:n])] for one, rest, n in zip(first, more, number, strict=True)]
    left, right = _citations(first, rng)
    days = np.sort(rng.integers(date(1985, 1, 1).toordinal(), date(2020, 1, 1).toordinal(), count))
    texts = rng.integers(1, 2**62, size=(count, len(Part))).astype(np.uint64)
    texts[rng.random(count) < 0.5, Part.PROBLEM :] = 0
    return Families(
        documents=np.arange(count, dtype=np.int64),
        filed=days.astype(np.int32),
        published=(days + 540).astype(np.int32),
        texts=texts,
        labels=tuple(f"{chr(65 + n // 20)}{n % 20:02}" for n in range(CLASSES)),
        ipc=Lists.of(lists),
        cpc=Lists.of([[] for _ in lists]),
        cites=Lists.of_pairs(left, right, count),
        cited_by=Lists.of_pairs(right, left, count),
    )


def _citations(first: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Citing and cited family; four of five have the first class in common."""
    order = np.argsort(first, kind="stable")
    place = np.empty(len(first), dtype=np.int64)
    place[order] = np.arange(len(first))
    citing = rng.integers(1, len(first), size=CITATIONS * len(first))
    near = order[np.maximum(place[citing] - rng.integers(1, 200, size=len(citing)), 0)]
    cited = np.where(rng.random(len(citing)) < 0.8, near, rng.integers(0, citing))
    right = cited < citing
    return citing[right].astype(np.int32), cited[right].astype(np.int32)


def measure(count: int) -> dict[str, float]:
    """Seconds by step, and rows."""
    made = families(count)
    found: dict[str, float] = {"families": count, "links": len(made.cites.items)}
    began = process_time()
    selection = select(made, SelectionRules())
    found["select"] = process_time() - began
    rules = MiningRules(examples=10**9)
    context = TaskContext()
    steps = {
        **{
            name.value: (lambda n=name: mining.triplets(selection, n, rules, 1, context))
            for name in mining.RELATIONS
        },
        "para_problem": lambda: mining.paraphrases(selection, TaskName.PARA_PROBLEM, rules, 1, context),
        "title2full": lambda: mining.parts(selection, TaskName.TITLE2FULL, rules, 1),
        "class_text2ipc3": lambda: mining.classes(selection, rules, 1),
        "class_bloom": lambda: bloom.blooms(selection, rules, 1),
        "class_nli_oldnew": lambda: mining.directions(selection, rules, 1),
    }
    for name, mine in steps.items():
        began = process_time()
        rows = mine()
        found[name], found[f"{name} rows"] = process_time() - began, len(rows)
        if name == TaskName.RETRIEVAL_MIXED.value:
            began = process_time()
            no_duplicates(
                range(len(rows)), 32, len(rows) // 32, keys=lambda row, of=rows: of.families[row].tolist(),
                bars=lambda row, of=rows: made.linked(int(of.families[row, 0])).tolist(),
            )  # fmt: skip
            found["an epoch of batches"] = process_time() - began
    found["most memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", type=int, nargs="+", default=[25_000, 100_000, 400_000])
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    sizes = []
    for count in given.families:
        sizes.append(measure(count))
        print(json.dumps(sizes[-1]), flush=True)
    growth = {
        name: math.log(sizes[-1][name] / sizes[0][name])
        / math.log(sizes[-1]["families"] / sizes[0]["families"])
        for name in sizes[0]
        if name != "families" and sizes[0][name] > 0 and len(sizes) > 1
    }
    print(json.dumps({"exponents": growth}))
    if given.out:
        given.out.write_text(json.dumps({"sizes": sizes, "exponents": growth}, indent=2) + "\n")


if __name__ == "__main__":
    main()
