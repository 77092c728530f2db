"""Run every benchmark and keep its JSON: ``python -m bench --out var/bench``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

BENCHMARKS = (
    "import_floor",
    "import_bulk",
    "encode",
    "farthest_first",
    "assign",
    "sets",
    "boolean",
    "keyword_search",
    "center_retrieval",
    "append",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("var/bench"))
    parser.add_argument("names", nargs="*", default=BENCHMARKS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.names:
        target = options.out / f"{name}.json"
        print(f"{name} -> {target}", flush=True)
        failed |= subprocess.call([sys.executable, "-m", f"bench.{name}", "--out", str(target)])
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
