"""Kills a Milvus Lite server while it is loaded, and counts what it had acknowledged and then lost.

    python -m tests.faults.killing_milvus [--rounds 5] [--parts 20000]

A round loads documents by small batches, kills the server (SIGKILL) at a random moment, starts it again with
the same file, and counts the parts of every round that were acknowledged.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "core" / "engines"))

import numpy as np
from milvus_server import MilvusServer

from claimlight.engines.invented import make_batch, make_schema
from claimlight.engines.milvus import MilvusBackend
from claimlight.errors import EngineError
from claimlight.index.backend import Leg, PartFilter

NAME = "claimlight_killed"
DOCUMENTS = 20
"""Of a batch: some 160 parts."""


@dataclass
class Losses:
    killed: int = 0
    """Rounds in which the server was killed during the load."""
    acknowledged: int = 0
    lost: int = 0


def kill_while_loading(folder: Path, rounds: int, parts: int, seed: int = 0) -> Losses:
    """Load up to some ``parts`` in each round; what is lost are parts of acknowledged batches."""
    rng = random.Random(seed)
    server, losses, known = MilvusServer(folder), Losses(), []
    sections = pieces = 0
    document = 1
    speed = 0.0
    try:
        with_schema(server)
        for _ in range(rounds):
            backend = MilvusBackend(server.uri)
            backend.ensure(make_schema(NAME))
            loaded, begun = 0, time.monotonic()
            timer: Timer | None = None
            while loaded < parts:
                some = list(range(document, document + DOCUMENTS))
                document += DOCUMENTS
                made = make_batch(some)
                try:
                    backend.upsert(made)
                except EngineError:
                    losses.killed += 1
                    break
                known += some
                sections += len(made.sections.parts)
                pieces += len(made.passages.parts)
                loaded += len(made.sections.parts) + len(made.passages.parts)
                speed = loaded / (time.monotonic() - begun)
                if timer is None:
                    timer = Timer(rng.uniform(0.05, 0.95) * (parts - loaded) / speed, server.kill)
                    timer.start()
            assert timer is not None
            timer.join()
            backend.close()
            server.start()
            again = MilvusBackend(server.uri)
            again.ensure(make_schema(NAME))
            acknowledged = PartFilter(documents=np.array(known))
            losses.lost += sections - again.count(Leg.DENSE, acknowledged)
            losses.lost += pieces - again.count(Leg.WORDS, acknowledged)
            losses.acknowledged = sections + pieces
            again.close()
    finally:
        server.kill()
    return losses


def with_schema(server: MilvusServer) -> None:
    backend = MilvusBackend(server.uri)
    backend.ensure(make_schema(NAME), create=True)
    backend.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parts", type=int, default=20_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        losses = kill_while_loading(Path(folder), asked.rounds, asked.parts)
    print(losses)
    return 1 if losses.lost else 0


if __name__ == "__main__":
    sys.exit(main())
