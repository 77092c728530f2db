"""An index on PostgreSQL at a size: load, disk, memory, and the time of searches with and without filters.

    python -m bench.postgres_engine ADDRESS [--documents 50000 100000] [--batch 256] [--out FILE]

``ADDRESS`` is a database whose schema ``claimlight_bench`` is removed first. The documents are invented
(`claimlight.engines.workload`): 3 sections of 384 dimensions, and 6 passage pieces with up to 150 of 30,000
centers and 100 of 400,000 stems each. A query has up to 400 centers, or 40 stems. Filters: a date limit that
about half of the documents pass; a class that 1 in 8 has; the sections or pieces of 200 documents. ``first``
is the first search of a client, which keeps nothing yet; the others are medians and 95 % bounds over
``QUERIES`` different queries. ``again`` is a query with the best documents left out, as a ranking asks it. At
the first size, ``CLIENTS`` processes ask the three legs in turn. Memory of the server is the largest of its
processes after the searches, with the shared pages that it used.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import psutil
import psycopg

from claimlight.engines.postgres import PostgresBackend
from claimlight.engines.workload import Query, Workload
from claimlight.index.backend import ALL, Found, Leg, PartFilter, documents_of

NAME = "claimlight_bench"
QUERIES, DEPTH = 30, 1000
CLIENTS, ROUNDS = 20, 5


def workload(documents: int, batch: int) -> Workload:
    """The invented documents; queries don't depend on their number."""
    return Workload(
        documents,
        passages=6,
        centers=30_000,
        stems=400_000,
        passage_centers=150,
        passage_stems=100,
        batch_documents=batch,
    )


def filters(documents: int) -> dict[str, PartFilter]:
    some = np.unique(np.random.default_rng(5).integers(1, documents + 1, 200))
    return {
        "all": ALL,
        "before": PartFilter(before=20080601),
        "class": PartFilter(classes=("cpc:H",)),
        "200 documents": PartFilter(documents=some),
    }


def load(address: str, work: Workload, have: int) -> dict[str, float]:
    """Store the documents after the first ``have``, which are invented on from there."""
    backend = PostgresBackend(address)
    backend.ensure(work.schema(NAME), create=True)
    spent, used = [], []
    for begin in range(have, work.documents, work.batch_documents):
        end = min(begin + work.batch_documents, work.documents)
        some = work.batch(range(begin, end))
        started, used_before = perf_counter(), process_time()
        backend.upsert(some)
        spent.append(perf_counter() - started)
        used.append(process_time() - used_before)
        if len(spent) % 20 == 0:
            print(end, f"{sum(spent):.0f} s", file=sys.stderr, flush=True)
    server = server_seconds(address)
    backend.close()
    return {
        "load_s": sum(spent),
        "client_cpu_s": sum(used),
        "server_cpu_s": server,
        "documents_per_s": (work.documents - have) / sum(spent),
        "batch_median_s": median(spent),
        "batch_longest_s": max(spent),
    }


def disk(address: str) -> dict[str, float]:
    with psycopg.connect(address, autocommit=True) as connection:
        names = ("posting", "fragment", "facts", "block")
        found = connection.execute(
            "SELECT name, pg_total_relation_size(format('%%I.%%I', %s::text, name)::regclass) / 1e6"
            " FROM unnest(%s::text[]) name",
            (NAME, list(names)),
        ).fetchall()
    return {f"{name}_mb": float(size) for name, size in found}


def serving(address: str) -> list[int]:
    """The server's processes, on this machine, that serve clients."""
    with psycopg.connect(address, autocommit=True) as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'claimlight'"
        ).fetchall()
    return [pid for (pid,) in found]


def peak_of_server(address: str) -> float:
    """Highest resident megabytes of a process that serves a client."""
    return max(psutil.Process(pid).memory_info().rss for pid in serving(address)) / 2**20


def server_seconds(address: str) -> float:
    """Processor time of the processes that serve clients."""
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in serving(address))


def timed(backend: PostgresBackend, leg: Leg, query: Query, allowed: PartFilter) -> tuple[float, Found]:
    started = perf_counter()
    found = backend.search(leg, query, allowed, DEPTH)
    return 1000 * (perf_counter() - started), found


def bounds(times: list[float]) -> dict[str, float]:
    return {"least_ms": min(times), "median_ms": median(times), "p95_ms": quantiles(times, n=20)[-1]}


def search(address: str, work: Workload) -> dict[str, object]:
    found: dict[str, object] = {}
    queries = list(work.queries(1 + 2 * QUERIES))
    schema = work.schema(NAME)
    for leg in Leg:
        opening, *others = [each[leg] for each in queries]
        backend = PostgresBackend(address)
        backend.ensure(schema)
        first, _ = timed(backend, leg, opening, ALL)
        of_leg: dict[str, object] = {"first_ms": first}
        for name, allowed in filters(work.documents).items():
            of_leg[f"{name}, first"], _ = timed(backend, leg, opening, allowed)
            of_leg[name] = bounds([timed(backend, leg, each, allowed)[0] for each in others[:QUERIES]])
        again = []
        for each in others[QUERIES:]:
            _, best = timed(backend, leg, each, ALL)
            without = PartFilter(without=np.unique(documents_of(best.parts)))
            again.append(timed(backend, leg, each, without)[0])
        of_leg["again"] = bounds(again)
        narrow = PostgresBackend(address)
        narrow.ensure(schema)
        few = filters(work.documents)["200 documents"]
        of_leg["200 documents, by a new client"], _ = timed(narrow, leg, opening, few)
        narrow.close()
        of_leg["server_peak_mb"] = peak_of_server(address)
        backend.close()
        found[leg.value] = of_leg
    found["client_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def ask_in_turn(address: str, work: Workload, number: int) -> None:
    """A client: waits for a line, then asks queries of its own; prints its times in ms."""
    first, *others = list(work.queries(1 + (number + 1) * ROUNDS))
    backend = PostgresBackend(address)
    backend.ensure(work.schema(NAME))
    for leg in Leg:
        timed(backend, leg, first[leg], ALL)
    print("ready", flush=True)
    sys.stdin.readline()
    times = [timed(backend, leg, each[leg], ALL)[0] for each in others[-ROUNDS:] for leg in Leg]
    print(json.dumps(times), flush=True)


def together(address: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.postgres_engine", address, "--client"]
    clients = [
        subprocess.Popen([*command, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(1, CLIENTS + 1)
    ]
    for client in clients:
        assert client.stdout.readline() == "ready\n"
    started = perf_counter()
    for client in clients:
        client.stdin.write("\n")
        client.stdin.flush()
    times = [time for client in clients for time in json.loads(client.stdout.readline())]
    spent = perf_counter() - started
    for client in clients:
        client.communicate()
    failed = sum(client.returncode != 0 for client in clients)
    return {**bounds(times), "searches_per_s": len(times) / spent, "failed": float(failed)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--documents", type=int, nargs="+", default=[50_000])
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--loaded", action="store_true", help="search only")
    parser.add_argument("--client", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.client:
        ask_in_turn(given.address, workload(1, given.batch), given.client)
        return
    found = []
    if not given.loaded:
        with psycopg.connect(given.address, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {NAME} CASCADE")
    have = 0
    for many in given.documents:
        work = workload(many, given.batch)
        of_size: dict[str, object] = {"documents": many, "batch": given.batch}
        if not given.loaded:
            of_size["load"] = load(given.address, work, have)
        of_size["disk"] = disk(given.address)
        of_size["search"] = search(given.address, work)
        if not have:
            of_size["clients"] = together(given.address)
        print(json.dumps(of_size), flush=True)
        found.append(of_size)
        have = many
    if given.out:
        given.out.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
