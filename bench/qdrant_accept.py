"""What ``claimlight accept`` runs, against Qdrant's core in this process: large numbers of documents cheaply.

    python -m bench.qdrant_accept [--documents 500000] [--passages 2] [--folder FOLDER] [--out FILE]

The documents are invented (`claimlight.engines.workload`). No network and no server are in these figures.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "tests" / "core" / "engines"))

import psutil
from qdrant_edge_store import EdgeStore

from claimlight.engines.qdrant import QdrantBackend
from claimlight.engines.workload import Workload
from claimlight.services.sharing.acceptance import AcceptanceOptions, accept_engine
from claimlight.tasks import TaskContext
from claimlight.types import Progress


class OpenStore(EdgeStore):
    """One store for all clients, which stays open when one of them leaves."""

    def close(self) -> None:
        """Nothing: the process ends with it."""


def size(folder: Path) -> float:
    """Megabytes that the files occupy."""
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file()) / 1e6


class Shown:
    """Prints progress now and then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._next = 0.0

    def __call__(self, event: object) -> None:
        if isinstance(event, Progress) and perf_counter() >= self._next:
            self._next = perf_counter() + 15.0
            memory = psutil.Process().memory_info().rss / 1e6
            print(
                f"{event.stage} {event.done:,} of {event.total:,}, {event.rate:.0f}/s; processor "
                f"{process_time():.0f} s, memory {memory:.0f} MB, files {size(self._folder):.0f} MB, load "
                f"{os.getloadavg()[0]:.1f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500_000)
    parser.add_argument("--passages", type=int, default=2)
    parser.add_argument("--queries", type=int, default=10)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--folder", type=Path, default=Path("var/qdrant"))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    shutil.rmtree(asked.folder, ignore_errors=True)
    asked.folder.mkdir(parents=True)
    store = OpenStore(asked.folder)
    options = AcceptanceOptions(
        Workload(asked.documents, asked.passages),
        queries=asked.queries,
        loaders=1,
        clients=asked.clients,
        seconds=asked.seconds,
        keep=True,
    )
    begun, worked = perf_counter(), process_time()
    report = accept_engine(
        lambda: QdrantBackend(store, seconds=600), options, TaskContext(Shown(asked.folder))
    )
    figures = {
        "documents": asked.documents,
        "passages": asked.passages,
        "seconds": perf_counter() - begun,
        "processor, s": process_time() - worked,
        "MB of files": size(asked.folder),
        "MB of memory": psutil.Process().memory_info().rss / 1e6,
        "load": os.getloadavg()[0],
        **{
            f"{outcome.step}: {each.name}": each.value
            for outcome in report.outcomes
            for each in outcome.figures
        },
        "says": [outcome.says for outcome in report.outcomes],
    }
    print(json.dumps(figures, indent=1))
    if asked.out:
        asked.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
