"""An index on Milvus Lite at a size: load, disk, memory, and the time of searches with and without filters.

    python -m bench.milvus_engine FOLDER [--documents 50000] [--batch 256] [--out FILE]

Starts the server of ``make engines`` with its data in ``FOLDER``, which has to be empty. Documents, queries
and filters are those of `bench.postgres_engine`: 3 sections of 384 dimensions and 6 passage pieces for each
document, queries of 500 centers or 40 stems. ``again`` is a query with the best documents left out. Recall
(``--recall``) is that of three queries for each leg and filter, against products in numpy.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "core" / "engines"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from milvus_server import MilvusServer

from bench.postgres_engine import batch, bounds, filters, query, schema
from claimlight.engines.exact import ExactBackend
from claimlight.engines.milvus import MilvusBackend
from claimlight.errors import EngineError
from claimlight.index.backend import ALL, Found, Leg, PartFilter, documents_of

QUERIES, DEPTH = 20, 1000
COMPARED = 3


def opened(server: MilvusServer) -> MilvusBackend:
    backend = MilvusBackend(server.uri, seconds=60)
    backend.ensure(schema(), create=True)
    return backend


def load(server: MilvusServer, documents: int, each: int) -> dict[str, float]:
    backend, spent = opened(server), []
    for begin in range(1, documents + 1, each):
        some = batch(begin, min(begin + each, documents + 1))
        started = perf_counter()
        backend.upsert(some)
        spent.append(perf_counter() - started)
        if len(spent) % 20 == 0:
            print(begin + each - 1, f"{sum(spent):.0f} s", file=sys.stderr, flush=True)
    backend.close()
    return {
        "load_s": sum(spent),
        "documents_per_s": documents / sum(spent),
        "batch_median_s": float(np.median(spent)),
        "batch_longest_s": max(spent),
        "disk_mb": server.disk() / 1e6,
        "memory_mb": server.memory() / 1e6,
    }


def timed(backend: MilvusBackend, leg: Leg, number: int, allowed: PartFilter) -> tuple[float, Found]:
    asked = query(leg, number)
    started = perf_counter()
    found = backend.search(leg, asked, allowed, DEPTH)
    return 1000 * (perf_counter() - started), found


def search(server: MilvusServer, documents: int) -> dict[str, object]:
    backend, found = opened(server), {}
    for leg in Leg:
        timed(backend, leg, 0, ALL)
        of_leg: dict[str, object] = {}
        for name, allowed in filters(documents).items():
            of_leg[name] = bounds([timed(backend, leg, n, allowed)[0] for n in range(1, QUERIES + 1)])
        again = []
        for n in range(1, QUERIES + 1):
            _, best = timed(backend, leg, n + 100, ALL)
            without = PartFilter(without=np.unique(documents_of(best.parts)))
            again.append(timed(backend, leg, n + 100, without)[0])
        of_leg["again"] = bounds(again)
        found[leg.value] = of_leg
        print(leg, json.dumps(of_leg), file=sys.stderr, flush=True)
    backend.close()
    found["memory_mb"] = server.memory() / 1e6
    return found


def recall(server: MilvusServer, documents: int, each: int) -> dict[str, float]:
    """Share of the exact best parts among those found, under each filter."""
    exact, backend = ExactBackend(), opened(server)
    exact.ensure(schema(), create=True)
    for begin in range(1, documents + 1, each):
        exact.upsert(batch(begin, min(begin + each, documents + 1)))
    shares: dict[str, float] = {}
    for leg in Leg:
        for name, allowed in filters(documents).items():
            of_name = []
            for n in range(1, COMPARED + 1):
                _, found = timed(backend, leg, n, allowed)
                there = exact.search(leg, query(leg, n), allowed, DEPTH)
                of_name.append(len(np.intersect1d(found.parts, there.parts)) / max(1, len(there)))
            shares[f"{leg.value}, {name}"] = float(np.mean(of_name))
    backend.close()
    return shares


def reopen(server: MilvusServer) -> None:
    """Open it until it has loaded the index, which may take longer than an opening waits."""
    while True:
        try:
            backend = opened(server)
        except EngineError as error:
            print(error, file=sys.stderr, flush=True)
        else:
            timed(backend, Leg.CENTERS, 1, ALL)
            backend.close()
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--recall", action="store_true", help="compare with numpy, which takes some GB")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    server = MilvusServer(given.folder)
    try:
        found: dict[str, object] = {"documents": given.documents, "batch": given.batch}
        found["load"] = load(server, given.documents, given.batch)
        print(json.dumps(found), file=sys.stderr, flush=True)
        found["search"] = search(server, given.documents)
        if given.recall:
            found["recall"] = recall(server, given.documents, given.batch)
        server.kill()
        started = perf_counter()
        server.start()
        reopen(server)
        found["restart_s"] = perf_counter() - started
    finally:
        server.kill()
    text = json.dumps(found, indent=1)
    print(text)
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
