"""An index on PostgreSQL at a size: load, disk, memory, and the time of searches with and without filters.

    python -m bench.postgres_engine ADDRESS [--documents 50000 100000] [--batch 256] [--out FILE]

``ADDRESS`` is a database whose schema ``claimlight_bench`` is removed first. The documents are invented: 3
sections of 384 dimensions around 400 topics, and 6 passage pieces with 150 of 30,000 centers and some 97 of
400,000 stems each, drawn by rank as ``(rank + 10) ** -0.5`` and ``1 / (rank + 30)``. A query has 500 centers,
or 40 stems. Filters: a date limit that about half of the documents pass; a class that 1 in 13 has; the
sections or pieces of 200 documents. ``first`` is the first search of a client, which keeps nothing yet; the
others are medians and 95 % bounds over ``QUERIES`` different queries. ``again`` is a query with the best
documents left out, as a ranking asks it. At the first size, ``CLIENTS`` processes ask the three legs in turn.
Memory of the server is the largest of its processes after the searches, with the shared pages that it used.
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
from claimlight.index.backend import (
    ALL,
    DocumentFacts,
    IndexSchema,
    Leg,
    PartBatch,
    PartFilter,
    PassageRows,
    SectionRows,
    SparseRows,
    SparseVector,
    class_tokens,
    documents_of,
    passage_parts,
    section_parts,
)
from claimlight.index.manifest import IndexRecipe

NAME = "claimlight_bench"
DIM, CENTERS, STEMS, TOPICS = 384, 30_000, 400_000, 400
PIECES, MET, WORDS = 6, 150, 100
QUERIES, DEPTH = 30, 1000
CLIENTS, ROUNDS = 20, 5
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def cumulated(weights):
    return np.cumsum(weights) / weights.sum()


CENTER_RANKS = cumulated((np.arange(CENTERS) + 10.0) ** -0.5)
STEM_RANKS = cumulated(1 / (np.arange(STEMS) + 30.0))


def schema() -> IndexSchema:
    recipe = IndexRecipe(encoder="bench", normaliser="bench", centers="bench", unit="word", top_k=3)
    return IndexSchema(NAME, recipe, DIM, CENTERS, 0.5, 8.0, 90.0)


def draw(rng, ranks, rows: int, each: int) -> SparseRows:
    """Distinct numbers of each row, so a few less than ``each``."""
    drawn = np.sort(np.searchsorted(ranks, rng.random((rows, each))), axis=1)
    fresh = np.ones(drawn.shape, np.bool_)
    fresh[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
    offsets = np.concatenate([[0], np.cumsum(fresh.sum(axis=1))])
    indices = drawn[fresh].astype(np.int64)
    return SparseRows(offsets, indices, rng.uniform(0.01, 1, len(indices)).astype(np.float32))


def vectors(rng, rows: int):
    topics = np.random.default_rng(1).standard_normal((TOPICS, DIM))
    found = topics[rng.integers(0, TOPICS, rows)] + 1.2 * rng.standard_normal((rows, DIM))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def facts(document: int) -> DocumentFacts:
    rng = np.random.default_rng([7, document])
    letters = rng.integers(0, 26, 2)
    symbols = [f"{LETTERS[n]}{rng.integers(1, 9):02}L {rng.integers(1, 99)}/10" for n in letters]
    tokens = [token for symbol in symbols for token in class_tokens("cpc", symbol)]
    day = int(rng.integers(1980, 2026)) * 10000 + 101
    return DocumentFacts(day, document // 2, tuple(dict.fromkeys(tokens)))


def batch(begin: int, end: int) -> PartBatch:
    rng = np.random.default_rng([3, begin])
    documents = np.arange(begin, end)
    pieces = np.repeat(documents, PIECES)
    offsets = np.tile(np.arange(PIECES), len(documents))
    sections = np.repeat(documents, 3)
    kinds = np.tile(np.arange(3), len(documents))
    return PartBatch(
        {document: facts(document) for document in documents.tolist()},
        SectionRows(section_parts(sections, kinds), kinds < 2, vectors(rng, len(sections))),
        PassageRows(
            passage_parts(pieces, offsets, np.zeros_like(pieces)),
            offsets < 3,
            draw(rng, CENTER_RANKS, len(pieces), MET),
            draw(rng, STEM_RANKS, len(pieces), WORDS),
        ),
    )


def query(leg: Leg, number: int):
    rng = np.random.default_rng([11, number])
    if leg is Leg.DENSE:
        return vectors(rng, 1)[0]
    many, ranks = (500, CENTER_RANKS) if leg is Leg.CENTERS else (40, STEM_RANKS)
    indices = np.unique(np.searchsorted(ranks, rng.random(many * 3)))
    indices = np.sort(rng.permutation(indices)[:many])
    return SparseVector(indices.astype(np.int64), rng.uniform(0.1, 3, len(indices)).astype(np.float32))


def filters(documents: int) -> dict[str, PartFilter]:
    some = np.unique(np.random.default_rng(5).integers(1, documents, 200))
    return {
        "all": ALL,
        "before": PartFilter(before=20030101),
        "class": PartFilter(classes=("cpc:H",)),
        "200 documents": PartFilter(documents=some),
    }


def load(address: str, have: int, documents: int, each: int) -> dict[str, float]:
    """Store the documents after the first ``have``."""
    backend = PostgresBackend(address)
    backend.ensure(schema(), create=True)
    spent, used = [], []
    for begin in range(have + 1, documents + 1, each):
        some = batch(begin, min(begin + each, documents + 1))
        started, used_before = perf_counter(), process_time()
        backend.upsert(some)
        spent.append(perf_counter() - started)
        used.append(process_time() - used_before)
        if len(spent) % 20 == 0:
            print(begin + each - 1, f"{sum(spent):.0f} s", file=sys.stderr, flush=True)
    server = server_seconds(address)
    backend.close()
    return {
        "load_s": sum(spent),
        "client_cpu_s": sum(used),
        "server_cpu_s": server,
        "documents_per_s": (documents - have) / sum(spent),
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


def timed(backend: PostgresBackend, leg: Leg, number: int, allowed: PartFilter) -> tuple[float, object]:
    asked = query(leg, number)
    started = perf_counter()
    found = backend.search(leg, asked, allowed, DEPTH)
    return 1000 * (perf_counter() - started), found


def bounds(times: list[float]) -> dict[str, float]:
    return {"least_ms": min(times), "median_ms": median(times), "p95_ms": quantiles(times, n=20)[-1]}


def search(address: str, documents: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for leg in Leg:
        backend = PostgresBackend(address)
        backend.ensure(schema())
        first, _ = timed(backend, leg, 0, ALL)
        of_leg: dict[str, object] = {"first_ms": first}
        for name, allowed in filters(documents).items():
            of_leg[f"{name}, first"], _ = timed(backend, leg, 0, allowed)
            of_leg[name] = bounds([timed(backend, leg, n, allowed)[0] for n in range(1, QUERIES + 1)])
        again = []
        for n in range(1, QUERIES + 1):
            _, best = timed(backend, leg, n + 100, ALL)
            without = PartFilter(without=np.unique(documents_of(best.parts)))
            again.append(timed(backend, leg, n + 100, without)[0])
        of_leg["again"] = bounds(again)
        narrow = PostgresBackend(address)
        narrow.ensure(schema())
        few = filters(documents)["200 documents"]
        of_leg["200 documents, by a new client"], _ = timed(narrow, leg, 0, few)
        narrow.close()
        of_leg["server_peak_mb"] = peak_of_server(address)
        backend.close()
        found[leg.value] = of_leg
    found["client_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def ask_in_turn(address: str, number: int) -> None:
    """A client: waits for a line, then asks; prints its times in ms."""
    backend = PostgresBackend(address)
    backend.ensure(schema())
    for leg in Leg:
        timed(backend, leg, 0, ALL)
    print("ready", flush=True)
    sys.stdin.readline()
    times = [timed(backend, leg, 1000 * number + turn, ALL)[0] for turn in range(ROUNDS) for leg in Leg]
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
        ask_in_turn(given.address, given.client)
        return
    found = []
    if not given.loaded:
        with psycopg.connect(given.address, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {NAME} CASCADE")
    have = 0
    for many in given.documents:
        of_size: dict[str, object] = {"documents": many, "batch": given.batch}
        if not given.loaded:
            of_size["load"] = load(given.address, have, many, given.batch)
        of_size["disk"] = disk(given.address)
        of_size["search"] = search(given.address, many)
        if not have:
            of_size["clients"] = together(given.address)
        print(json.dumps(of_size), flush=True)
        found.append(of_size)
        have = many
    if given.out:
        given.out.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
