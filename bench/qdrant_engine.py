"""An index on Qdrant's engine at a size: load, disk, memory, and time and recall of searches.

    python -m bench.qdrant_engine [--documents 50000] [--graph] [--folder FOLDER] [--out FILE]

The engine is qdrant-edge, in this process: what a server does, without its network, its optimisers in the
background and its shards. The documents are invented (`claimlight.engines.workload`), with 3 sections of
384 dimensions and 6 passage pieces of 150 centers and 80 stems, less those drawn twice. A time is of one
search of the adapter, with the question that follows a short answer. Recall is against brute force, of the
sparse legs with the first ``EXACT`` queries. ``loaded`` is before anything is optimised: all segments as they
were filled. ``--graph`` builds the graph of the sections, which takes the most time by far. ``cpu`` is the
time of all processors together, which other work does not change.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "tests" / "core" / "engines"))

import numpy as np
import psutil
from qdrant_edge_store import EdgeStore

from claimlight.engines.qdrant import DenseSearch, QdrantBackend
from claimlight.engines.workload import Workload
from claimlight.index.backend import ALL, Leg, PartFilter

QUERIES = 25
EXACT = 8
"""Queries whose sparse legs are compared with brute force."""
K = 100
EFS = (100, 200, 400, 800)


def filters(documents: int) -> dict[str, PartFilter]:
    every = np.random.default_rng(5).permutation(np.arange(1, documents + 1))
    return {
        "all": ALL,
        "date": PartFilter(before=20080101),
        "class H": PartFilter(classes=("cpc:H",)),
        "class H04L": PartFilter(classes=("cpc:H04L",)),
        "date and class H": PartFilter(before=20150101, classes=("cpc:H",)),
        "200 documents": PartFilter(documents=np.sort(every[:200])),
        "30,000 of 60,000 ids": PartFilter(documents=np.arange(1, 2 * documents, 2)[:60_000]),
        "without 1,000": PartFilter(without=np.sort(every[:1000])),
        "without 30,000": PartFilter(without=np.sort(every[:30_000])),
        "claims": PartFilter(claims=True),
    }


def size(folder: Path) -> float:
    """Megabytes that the files occupy; logs are made longer than what is in them."""
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file()) / 1e6


def memory() -> float:
    return psutil.Process().memory_info().rss / 1e6


def timed(call, queries):
    times, cpu, found = [], [], []
    for query in queries:
        begun, worked = perf_counter(), process_time()
        found.append(call(query))
        times.append(1000 * (perf_counter() - begun))
        cpu.append(1000 * (process_time() - worked))
    median, late = np.quantile(times, (0.5, 0.95))
    return {"median": float(median), "p95": float(late), "cpu": float(np.median(cpu))}, found


def recall(found, exact) -> float:
    """Share of the exact first hundred, where one with the score of the last counts as it."""
    shares = []
    for given, best in zip(found, exact, strict=False):
        if len(best):
            last = best.scores[-1] - 2e-5 * abs(best.scores[-1])
            shares.append(np.count_nonzero(given.scores >= last) / len(best))
    return float(np.mean(np.minimum(shares, 1.0))) if shares else 1.0


def keep(figures: dict, out: Path | None) -> None:
    """What is measured so far, as a run takes long."""
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(figures, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path("var/qdrant"))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    shutil.rmtree(asked.folder, ignore_errors=True)
    asked.folder.mkdir(parents=True)
    work = Workload(asked.documents, passages=6, passage_centers=150, passage_stems=80)
    store = EdgeStore(asked.folder)
    backend = QdrantBackend(store, seconds=600)
    backend.ensure(work.schema("bench"), create=True)
    figures: dict = {"documents": asked.documents, "memory before": memory()}

    taken, worked = 0.0, 0.0
    for batch in work.batches():
        begun, before = perf_counter(), process_time()
        backend.upsert(batch)
        taken += perf_counter() - begun
        worked += process_time() - before
    figures["load"] = {"seconds": taken, "cpu seconds": worked, "documents/s": asked.documents / taken}
    figures["loaded"] = {"disk": size(asked.folder), "memory": memory()}
    figures["parts"] = {leg: backend.count(leg, ALL) for leg in (Leg.DENSE, Leg.CENTERS)}

    keep(figures, asked.out)
    queries = list(work.queries(QUERIES))
    allowed = filters(asked.documents)
    by_hand = work.exact(queries[:EXACT], allowed, K)
    dense = work.exact([{Leg.DENSE: each[Leg.DENSE]} for each in queries], allowed, K)
    exact = {leg: {name: [best[leg] for best in by_hand[name]] for name in allowed} for leg in Leg}
    exact[Leg.DENSE] = {name: [best[Leg.DENSE] for best in dense[name]] for name in allowed}
    for leg in Leg:
        times, _ = timed(lambda query, leg=leg: backend.search(leg, query[leg], ALL, K), queries)
        figures["loaded"][leg] = times

    for leg in Leg:
        if leg is Leg.WORDS or (leg.sections and not asked.graph):
            continue
        begun, worked = perf_counter(), process_time()
        store.shard(f"bench_{'sections' if leg.sections else 'passages'}").optimize()
        figures[f"optimised {leg}"] = {
            "seconds": perf_counter() - begun,
            "cpu seconds": process_time() - worked,
            "disk": size(asked.folder),
            "memory": memory(),
        }
    keep(figures, asked.out)
    searches = {"exact": QdrantBackend(store, seconds=600, dense=DenseSearch.EXACT)}
    if asked.graph:
        searches |= {
            f"graph, ef {ef}": QdrantBackend(store, seconds=600, dense=DenseSearch.HNSW, ef=ef) for ef in EFS
        }
    rows = [(Leg.DENSE, how, backend) for how, backend in searches.items()]
    rows += [(leg, "", searches["exact"]) for leg in (Leg.CENTERS, Leg.WORDS)]
    found: dict = {}
    for leg, how, backend in rows:
        backend.ensure(work.schema("bench"))
        for name, each in allowed.items():
            times, hits = timed(
                lambda query, leg=leg, each=each, backend=backend: backend.search(leg, query[leg], each, K),
                queries,
            )
            times["recall"] = recall(hits, exact[leg][name])
            found.setdefault(f"{leg} {how}".strip(), {})[name] = times
        figures["searches"] = found
        keep(figures, asked.out)
    figures["1,000 hits"] = {
        leg: timed(lambda query, leg=leg: searches["exact"].search(leg, query[leg], ALL, 1000), queries)[0]
        for leg in Leg
    }
    figures["counted"] = {
        name: timed(lambda query, each=each: searches["exact"].count(Leg.CENTERS, each), queries[:10])[0]
        for name, each in allowed.items()
    }
    keep(figures, asked.out)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
