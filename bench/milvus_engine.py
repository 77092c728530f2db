"""An index on Milvus Lite at a size: load, disk, memory, and the time of searches with and without filters.

    python -m bench.milvus_engine FOLDER [--documents 50000] [--batch 256] [--out FILE]

Starts the server of ``make engines`` with its data in ``FOLDER``, which has to be empty. Documents, queries
and filters are those of `bench.postgres_engine`. ``again`` is a query with the best documents left out.
Recall (``--recall``) is that of three queries for each leg and filter, against brute force.
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

from bench.postgres_engine import NAME, bounds, filters, workload
from claimlight.engines.milvus import MilvusBackend
from claimlight.engines.workload import Query, Workload
from claimlight.errors import EngineError
from claimlight.index.backend import ALL, Found, Leg, PartFilter, documents_of

QUERIES, DEPTH = 20, 1000
COMPARED = 3


def opened(server: MilvusServer, work: Workload) -> MilvusBackend:
    backend = MilvusBackend(server.uri, seconds=60)
    backend.ensure(work.schema(NAME), create=True)
    return backend


def load(server: MilvusServer, work: Workload) -> dict[str, float]:
    backend, spent, done = opened(server, work), [], 0
    for batch in work.batches():
        started = perf_counter()
        backend.upsert(batch)
        spent.append(perf_counter() - started)
        done += len(batch.facts)
        if len(spent) % 20 == 0:
            print(done, f"{sum(spent):.0f} s", file=sys.stderr, flush=True)
    backend.close()
    return {
        "load_s": sum(spent),
        "documents_per_s": done / sum(spent),
        "batch_median_s": float(np.median(spent)),
        "batch_longest_s": max(spent),
        "disk_mb": server.disk() / 1e6,
        "memory_mb": server.memory() / 1e6,
    }


def timed(backend: MilvusBackend, leg: Leg, query: Query, allowed: PartFilter) -> tuple[float, Found]:
    started = perf_counter()
    found = backend.search(leg, query, allowed, DEPTH)
    return 1000 * (perf_counter() - started), found


def search(server: MilvusServer, work: Workload) -> dict[str, object]:
    backend, found = opened(server, work), {}
    queries = list(work.queries(1 + 2 * QUERIES))
    for leg in Leg:
        first, *others = [each[leg] for each in queries]
        timed(backend, leg, first, ALL)
        of_leg: dict[str, object] = {}
        for name, allowed in filters(work.documents).items():
            of_leg[name] = bounds([timed(backend, leg, each, allowed)[0] for each in others[:QUERIES]])
        again = []
        for each in others[QUERIES:]:
            _, best = timed(backend, leg, each, ALL)
            without = PartFilter(without=np.unique(documents_of(best.parts)))
            again.append(timed(backend, leg, each, without)[0])
        of_leg["again"] = bounds(again)
        found[leg.value] = of_leg
        print(leg, json.dumps(of_leg), file=sys.stderr, flush=True)
    backend.close()
    found["memory_mb"] = server.memory() / 1e6
    return found


def recall(server: MilvusServer, work: Workload) -> dict[str, float]:
    """Share of the exact best parts among those found, under each filter."""
    queries, backend = list(work.queries(COMPARED)), opened(server, work)
    shares: dict[str, float] = {}
    allowed = filters(work.documents)
    for name, exact in work.exact(queries, allowed, DEPTH).items():
        for leg in Leg:
            of_name = []
            for query, best in zip(queries, exact, strict=True):
                _, found = timed(backend, leg, query[leg], allowed[name])
                of_name.append(len(np.intersect1d(found.parts, best[leg].parts)) / max(1, len(best[leg])))
            shares[f"{leg.value}, {name}"] = float(np.mean(of_name))
    backend.close()
    return shares


def reopen(server: MilvusServer, work: Workload) -> None:
    """Open it until it has loaded the index, which may take longer than an opening waits."""
    while True:
        try:
            backend = opened(server, work)
        except EngineError as error:
            print(error, file=sys.stderr, flush=True)
        else:
            timed(backend, Leg.CENTERS, next(work.queries(1))[Leg.CENTERS], ALL)
            backend.close()
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--recall", action="store_true", help="compare with brute force")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    work = workload(given.documents, given.batch)
    server = MilvusServer(given.folder)
    try:
        found: dict[str, object] = {"documents": given.documents, "batch": given.batch}
        found["load"] = load(server, work)
        print(json.dumps(found), file=sys.stderr, flush=True)
        found["search"] = search(server, work)
        if given.recall:
            found["recall"] = recall(server, work)
        server.kill()
        started = perf_counter()
        server.start()
        reopen(server, work)
        found["restart_s"] = perf_counter() - started
    finally:
        server.kill()
    text = json.dumps(found, indent=1)
    print(text)
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
