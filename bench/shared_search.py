"""A shared library beside the library of a folder: the same hundred documents, times, clients at once, bytes.

    python -m bench.shared_search ADDRESS --queries FILE [--library FOLDER] [--push] [--qdrant FOLDER]
        [--server-folder FOLDER] [--count 60] [--clients 20] [--seconds 20] [--out FILE]

Without ``--library`` nothing is compared, and the shared library alone is timed.
``--push`` fills the shared library first, and makes it if the database has none. FILE has a JSON object on
each line with ``text``. ``--qdrant`` takes Qdrant's core in this process, with its files in a folder, as the
engine. Compared are the best hundred documents of each ranking and of their combination; of the semantic
ranking also with all sections of the folder's index compared one by one, which its graph does not do. Whole
searches are timed in turns, when both have encoded the query. Clients are threads of this process, each with
connections of its own; they ask for the best 50 with evidence. ``processor`` is the time of all threads of
this process.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "tests" / "core" / "engines"))

import numpy as np
import psutil

from claimlight.errors import AppError, InputError
from claimlight.index.generation import Generation
from claimlight.index.shared import SharedIndex
from claimlight.retrieval import Ranking
from claimlight.retrieval.dense import DenseRetriever
from claimlight.services.library.library import Library
from claimlight.services.search.queries import query_from_text
from claimlight.services.search.search import Ranked, SearchEngine
from claimlight.services.search.search_state import open_shipped_stack
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.filling import SharedTarget
from claimlight.services.sharing.opening import open_shared
from claimlight.services.sharing.push import push
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import PatentId, Progress, Ranker, SearchRequest

DEPTH = 100
TIE = 1e-5
"""Scores that differ by less, relatively, are equal: engines compute with fp32."""
GONE = re.compile("^No ranker could search|^The shared library was searched without")
"""Notes of a search that lacks a ranking."""
CTX = TaskContext()
_stack = open_shipped_stack(Settings())


@dataclass(frozen=True, slots=True)
class Best:
    """The first hundred of a ranking, by publication."""

    names: tuple[str, ...]
    scores: np.ndarray
    all_scores: dict[str, float]
    """Scores of every document of the ranking."""


def best(library: Library, ids: np.ndarray, scores: np.ndarray) -> Best:
    names = repository.read_publications(library.store, [PatentId(int(each)) for each in ids])
    texts = [str(names[PatentId(int(each))]) for each in ids]
    return Best(
        tuple(texts[:DEPTH]), scores[:DEPTH], dict(zip(texts, scores.astype(float).tolist(), strict=True))
    )


def rankings(library: Library, found: Ranked) -> dict[str, Best]:
    named = {str(item.leg.value): best(library, item.ids, item.scores) for item in found.rankings}
    return named | {"fused": best(library, found.fused.ids, found.fused.scores)}


def exact_rankings(library: Library, found: Ranked) -> dict[str, Best]:
    """The rankings of a folder with the semantic one by comparing all sections, and their combination."""
    generation = found.state.generation
    assert isinstance(generation, Generation)
    assert found.encoded is not None
    dense = DenseRetriever(generation, ef=0, exact=True).rank(
        found.encoded.retrieval,
        allowed=found.allowed.documents,
        depth=Settings().search.depth,
        context=CTX,
    )
    changed: list[Ranking] = [dense if item.leg is Ranker.DENSE else item for item in found.rankings]
    return rankings(library, replace(found, rankings=tuple(changed), fused=found.fusion(changed)))


@dataclass(slots=True)
class Agreement:
    """How far the rankings of two libraries are the same."""

    queries: int = 0
    same_order: int = 0
    same_but_ties: int = 0
    same_set: int = 0
    shared: int = 0
    """Documents in both hundreds."""
    documents: int = 0
    largest: float = 0.0
    """Largest difference of the scores of a document that both have, relative to the best score."""

    def add(self, mine: Best, theirs: Best) -> None:
        self.queries += 1
        self.same_order += mine.names == theirs.names
        self.same_set += set(mine.names) == set(theirs.names)
        self.shared += len(set(mine.names) & set(theirs.names))
        self.documents += len(theirs.names)
        scale = float(np.abs(theirs.scores).max(initial=1e-9))
        both = [name for name in mine.names if name in theirs.all_scores]
        gaps = [abs(mine.all_scores[name] - theirs.all_scores[name]) for name in both]
        self.largest = max(self.largest, max(gaps, default=0.0) / scale)
        self.same_but_ties += self._tied(mine, theirs, scale)

    def _tied(self, mine: Best, theirs: Best, scale: float) -> bool:
        """Whether each place has a document with the score of the other list's document at this place."""
        if len(mine.names) != len(theirs.names):
            return False
        worst = 0.0
        for left, right in zip(mine.names, theirs.names, strict=True):
            if left != right:
                # By the scores of one list: at the last place, the other document may be one below.
                worst = max(worst, abs(theirs.all_scores.get(left, -np.inf) - theirs.all_scores[right]))
        return worst <= TIE * scale

    def figures(self) -> dict[str, float]:
        return {
            "queries": self.queries,
            "same order": self.same_order,
            "same order but for ties": self.same_but_ties,
            "same set": self.same_set,
            "documents in both": self.shared / max(self.documents, 1),
            "largest difference of scores": self.largest,
        }


def compare(
    folder: tuple[Library, SearchEngine],
    shared: tuple[Library, SearchEngine],
    requests: Sequence[SearchRequest],
) -> dict[str, object]:
    """Agreement of each ranking, with the folder's as it is and, by name ``… exact``, without its graph."""
    found: dict[str, Agreement] = {}
    for request in requests:
        mine = rankings(shared[0], shared[1].rank(request, CTX))
        ranked = folder[1].rank(request, CTX)
        compared = {f"{leg}": each for leg, each in rankings(folder[0], ranked).items()}
        more = exact_rankings(folder[0], ranked)
        compared |= {f"{leg} exact": more[leg] for leg in (Ranker.DENSE.value, "fused") if leg in more}
        for name, theirs in compared.items():
            leg = name.removesuffix(" exact")
            found.setdefault(name, Agreement()).add(mine.get(leg, Best((), np.empty(0), {})), theirs)
    return {name: each.figures() for name, each in found.items()}


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    half, late = np.quantile(np.array(seconds) * 1000, (0.5, 0.95)) if seconds else (0.0, 0.0)
    return {"median ms": round(float(half), 1), "95 % ms": round(float(late), 1)}


def time_in_turns(engines: dict[str, SearchEngine], requests: Sequence[SearchRequest]) -> dict[str, object]:
    """Whole searches with evidence, one engine after the other, and the stages of the second."""
    wall: dict[str, list[float]] = {name: [] for name in engines}
    cpu: dict[str, list[float]] = {name: [] for name in engines}
    stages: dict[str, dict[str, list[float]]] = {name: {} for name in engines}
    for request in requests:
        for engine in engines.values():
            engine.rank(request, CTX)  # encodes
        for name, engine in engines.items():
            begun, worked = perf_counter(), process_time()
            results = engine.run(request, CTX)
            wall[name].append(perf_counter() - begun)
            cpu[name].append(process_time() - worked)
            for each in results.times:
                stages[name].setdefault(each.stage, []).append(each.seconds)
    return {
        name: {
            "whole": quantiles(wall[name]),
            "processor": quantiles(cpu[name]),
            "stages": {stage: quantiles(each) for stage, each in stages[name].items()},
        }
        for name in engines
    }


def crowd(
    opened: Callable[[], Library], requests: Sequence[SearchRequest], clients: int, seconds: float
) -> dict[str, object]:
    """Searches of ``clients`` clients at once, each with some queries that it has encoded before."""
    times: list[float] = []
    faults: list[str] = []
    lock, ready = threading.Lock(), threading.Barrier(clients + 1)

    def work(number: int) -> None:
        mine = [requests[(number * 3 + each) % len(requests)] for each in range(3)]
        with opened() as library:
            engine = SearchEngine.open(library, Settings(), stack=lambda _: _stack)
            try:
                for request in mine:
                    engine.run(request, CTX)
            finally:
                ready.wait()
            until, at = perf_counter() + seconds, 0
            while perf_counter() < until:
                begun = perf_counter()
                fault = ""
                try:
                    results = engine.run(mine[at % len(mine)], CTX)
                    fault = next((note for note in results.notes if GONE.search(note)), "")
                except AppError as error:
                    fault = str(error)
                at += 1
                with lock:
                    (faults.append(fault) if fault else times.append(perf_counter() - begun))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for each in threads:
        each.start()
    ready.wait()
    begun, worked = perf_counter(), process_time()
    for each in threads:
        each.join()
    taken, cpu = perf_counter() - begun, process_time() - worked
    return {
        "clients": clients,
        "searches/s": round(len(times) / taken, 2),
        "processor of the clients, s": round(cpu, 1),
        "seconds": round(taken, 1),
        "errors": len(faults),
        "first error": faults[0] if faults else "",
        **quantiles(times),
    }


def server_bytes(library: Library) -> dict[str, int]:
    """Bytes of each table of the database, with its indexes."""
    with library.store.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT n.nspname || '.' || c.relname, pg_total_relation_size(c.oid) FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' "
            "AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 2 DESC"
        ).all()
    return {str(name): int(size) for name, size in rows}


def client_bytes(engine: SearchEngine) -> dict[str, float]:
    """What a client keeps for each document: catalogue and columns of the index."""
    state = engine.state(CTX)
    documents = max(len(state.catalogue), 1)
    held = sum(value.nbytes for value in _arrays(state.catalogue))
    index = state.generation
    columns = sum(value.nbytes for value in _arrays(index.columns)) if isinstance(index, SharedIndex) else 0
    return {
        "catalogue, bytes a document": round(held / documents, 1),
        "columns, bytes a document": round(columns / documents, 1),
        "process, MB": round(psutil.Process().memory_info().rss / 1e6),
    }


def _arrays(thing: object) -> list[np.ndarray]:
    values = (getattr(thing, name) for name in thing.__dataclass_fields__)  # type: ignore[attr-defined]
    return [value for value in values if isinstance(value, np.ndarray)]


def disk(folder: Path) -> int:
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file())


class Shown:
    """Prints the progress of a push now and then."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, event: object) -> None:
        if isinstance(event, Progress) and perf_counter() >= self._next:
            self._next = perf_counter() + 20.0
            print(f"  {event}", flush=True)


def fill(library: Library, opened: Callable[[], Library]) -> dict[str, object]:
    """Push, with what it took."""
    with opened() as target:
        worked = process_time()
        report = push(library, SharedTarget.of(target), TaskContext(Shown()), Settings())
        cpu = process_time() - worked
    return {
        "documents": report.new,
        "skipped": report.skipped,
        "sections": report.sections,
        "passage pieces": report.passages,
        "MB of rows": round(report.bytes / 1e6, 2),
        "seconds": round(report.seconds, 1),
        "documents/s": round(report.new / report.seconds, 1),
        "processor of the client, s": round(cpu, 1),
        "load": os.getloadavg()[0],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--push", action="store_true")
    parser.add_argument("--qdrant", type=Path, help="folder of Qdrant's core in this process")
    parser.add_argument("--server-folder", type=Path, help="folder of the engine, for its bytes")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--timed", type=int, default=30)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    address = SharedAddress.parse(asked.address)
    core = None
    if asked.qdrant:
        from qdrant_edge_store import EdgeStore

        asked.qdrant.mkdir(parents=True, exist_ok=True)
        core = EdgeStore(asked.qdrant)

    def opened(*, writable: bool = False, create: bool = False) -> Library:
        library = open_shared(address, writable=writable, create=create)
        if core is None:
            return library
        from claimlight.engines.qdrant import QdrantBackend

        assert library.shared is not None
        return replace(library, shared=replace(library.shared, backend=QdrantBackend(core, seconds=60)))

    lines = [json.loads(line)["text"] for line in asked.queries.read_text("utf-8").splitlines()]
    requests = [SearchRequest(query_from_text(text), top=50) for text in lines[: asked.count]]
    figures: dict[str, object] = {"address": str(address), "load": os.getloadavg()[0]}

    def keep(name: str, value: object) -> None:
        figures[name] = value
        print(f"{name}: {json.dumps(value, indent=1)}", flush=True)
        if asked.out:
            asked.out.parent.mkdir(parents=True, exist_ok=True)
            asked.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")

    with ExitStack() as stack:
        folder = stack.enter_context(Library.open(asked.library, read_only=True)) if asked.library else None
        if asked.push and folder is not None:
            with suppress(InputError):  # there is one: documents that it has are skipped
                opened(create=True).close()
            keep("push", fill(folder, lambda: opened(writable=True)))
        shared = stack.enter_context(opened())
        remote = SearchEngine.open(shared, Settings(), stack=lambda _: _stack)
        begun = perf_counter()
        remote.run(requests[0], CTX)
        keep("first search, s", round(perf_counter() - begun, 2))
        keep("bytes of the client", client_bytes(remote))
        keep("bytes of the database", server_bytes(shared))
        for place in (asked.server_folder, asked.qdrant):
            if place:
                keep("bytes of the engine", disk(place))
        engines = {"shared": remote}
        if folder is not None:
            local = SearchEngine.open(folder, Settings(), stack=lambda _: _stack)
            keep("agreement", compare((folder, local), (shared, remote), requests))
            engines = {"folder": local} | engines
        keep("in turns", time_in_turns(engines, requests[: asked.timed]))
        keep("load of the machine", os.getloadavg()[0])
        if asked.clients:
            keep("at once", crowd(opened, requests, asked.clients, asked.seconds))
    if core is not None:
        core.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
