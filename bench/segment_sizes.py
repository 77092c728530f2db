"""Searching many segments of limited size against few large ones.

    python -m bench.segment_sizes [--passages 600000] [--queries 60] [--times 3] [--out FILE]

The same passages are indexed with two limits of `claimlight.index.merge`: the one in use, and eight times as
much. Both indexes are repeated in memory and searched in turn by all cores. Scores must be the same. Bar: at
most 5 % slower.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from bench import center_data as data
from bench import center_index as ours
from claimlight.index import merge

DEPTH = 1000
BAR = 1.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    data.arguments(parser, passages=600_000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    lists, asked = data.read_options(options)
    limits = {"limited": merge.POSTINGS_LIMIT, "large": 8 * merge.POSTINGS_LIMIT}
    opened, result = (
        {},
        {"passages": len(lists) * options.times, "postings": len(lists.center) * options.times},
    )
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name, limit in limits.items():
            merge.POSTINGS_LIMIT = limit
            begin = perf_counter()
            ours.build(Path(folder) / name, lists)
            opened[name] = ours.repeat_index(ours.open_index(Path(folder) / name), options.times)
            result[name] = {
                "segments": len(opened[name].segments),
                "largest_mb": round(max(item.bytes for item in opened[name].manifest.segments) / 1e6, 1),
                "build_seconds": round(perf_counter() - begin, 1),
            }
        seconds: dict[str, list[float]] = {name: [] for name in limits}
        same = True
        for query in asked:
            found = []
            for name, generation in opened.items():
                table = ours.query(generation, query)
                begin = perf_counter()
                found.append(generation.best_documents(table, ours.NORM, depth=DEPTH))
                seconds[name].append(perf_counter() - begin)
            # Copies tie, and their numbers depend on the segments: scores are what can be compared.
            same &= np.array_equal(*(each.scores for each in found))
    for name, values in seconds.items():
        result[name]["median_ms"] = round(1000 * float(np.median(values)), 2)
    result["ratio"] = round(result["limited"]["median_ms"] / result["large"]["median_ms"], 3)
    result["same"] = bool(same)
    print(json.dumps(result, indent=2))
    if options.out is not None:
        options.out.write_text(json.dumps(result, indent=2) + "\n")
    return 0 if same and result["ratio"] <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
