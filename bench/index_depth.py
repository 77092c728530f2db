"""What an index by title, abstract and claims costs in recall, and what reading on demand changes.

    python -m bench.lab.citing_library --data ../shared/data --out records.jsonl --documents 2400 --described
    python -m bench.index_depth --records records.jsonl --folder WORK [--queries 300] [--out FILE]

Makes three indexes of one library: claims and abstracts only; the descriptions of a random half; all
descriptions. Asks with title and abstract of documents that cite others of the library, for what they cite,
as `claimlight evaluate library` does. Differences are to the whole index, paired over the queries, with 95 %
intervals. ``half, as they lie`` ranks the two depths by their scores alone. Reading on demand forgets after
every query what it has read, so that no query profits from another.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from claimlight.evaluation.library.queries import (
    CitingQuery,
    Limit,
    QueryText,
    find_citing_queries,
    read_query_text,
)
from claimlight.evaluation.significance import bootstrap_mean, compare_paired
from claimlight.index.writer import IndexWriter
from claimlight.retrieval import depths
from claimlight.retrieval.catalogue import load
from claimlight.retrieval.fusion import fold_families
from claimlight.services.indexing.indexing import build, index_folder
from claimlight.services.indexing.order import LibraryOrder
from claimlight.services.library.library import Library, import_paths
from claimlight.services.search.reading import ReadPassages
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.store.citation_graph import CitationGraph
from claimlight.tasks import TaskContext
from claimlight.types import IndexDepth, PatentId, SearchRequest

DEPTHS = (10, 50, 100)
SETTINGS = Settings()


def make(records: Path, folder: Path) -> dict[str, dict[str, float]]:
    """The three libraries, unless they are there; seconds and passages of each pass."""
    told: dict[str, dict[str, float]] = {}
    folder.mkdir(parents=True, exist_ok=True)

    def index(name: str, depth: IndexDepth, order: Callable[[Library], LibraryOrder]) -> None:
        with Library.open(folder / name) as library:
            begin = perf_counter()
            report = build(library, TaskContext(), SETTINGS, depth=depth, order=order(library))
            told[name] = {"seconds": perf_counter() - begin, "passages": report.passages}

    if not (folder / "claims").exists():
        with Library.open_or_create(folder / "claims") as library:
            import_paths(library, [records], TaskContext(), SETTINGS)
        index("claims", IndexDepth.CLAIMS, LibraryOrder)
    if not (folder / "half").exists():
        shutil.copytree(folder / "claims", folder / "half")
        with Library.open(folder / "half") as library:
            ids = load(library.store).ids
        drawn = np.random.default_rng(7).permutation(ids)[: len(ids) // 2].tolist()
        index("half", IndexDepth.FULL, lambda library: LibraryOrder(library, only=drawn))
    if not (folder / "full").exists():
        shutil.copytree(folder / "half", folder / "full")
        index("full", IndexDepth.FULL, LibraryOrder)
    return told


def recall(
    engine: SearchEngine, graph: CitationGraph, query: CitingQuery, request: SearchRequest, reading: float
) -> list[float]:
    """Recall at each of `DEPTHS` of the cited families."""
    found = engine.rank(request, TaskContext())
    if reading:
        engine._read, engine._extended = ReadPassages(), None
        best = [PatentId(int(each)) for each in found.fused.ids[:50]]
        engine.read_descriptions(request.query, best, seconds=reading, context=TaskContext())
        found = engine.rank(request, TaskContext())
    rows = fold_families(found.fused, found.state.catalogue, top=max(DEPTHS))
    ranked = [graph.documents[PatentId(row.patent)].family for row in rows]
    return [len(query.relevant & set(ranked[:depth])) / len(query.relevant) for depth in DEPTHS]


def measure(folder: Path, queries: int) -> dict[str, object]:
    """Recall of every index, and the differences to the whole one."""
    with ExitStack() as held:
        libraries = {
            name: held.enter_context(Library.open(folder / name)) for name in ("claims", "half", "full")
        }
        # Held, so that what is read stays in memory.
        held.enter_context(IndexWriter(index_folder(libraries["claims"].folder)))
        engines = {name: SearchEngine.open(each, SETTINGS) for name, each in libraries.items()}
        graph = CitationGraph.read(libraries["full"].store, TaskContext())
        drawn = find_citing_queries(graph, Limit.PRIORITY, library="").draw(queries, 1)
        systems = {
            "claims and abstract": ("claims", 0.0, depths.LEAST),
            "claims and abstract, 2 s of reading": ("claims", 2.0, depths.LEAST),
            "half, as they lie": ("half", 0.0, 1 << 30),
            "half": ("half", 0.0, depths.LEAST),
            "full text": ("full", 0.0, depths.LEAST),
        }
        values: dict[str, list[list[float]]] = {name: [] for name in systems}
        for query in drawn:
            text = read_query_text(libraries["full"], query, QueryText.ABSTRACT)
            if text is None:
                continue
            request = SearchRequest(
                text, before=query.before, exclude_family_of=query.number, top=max(DEPTHS)
            )
            for name, (library, reading, least) in systems.items():
                depths.LEAST = least
                values[name].append(recall(engines[library], graph, query, request, reading))
    arrays = {name: np.array(found) for name, found in values.items()}
    whole = arrays["full text"]
    rows = {
        name: {
            f"R@{depth}": {
                "mean": float(found[:, place].mean()),
                "interval": bootstrap_mean(found[:, place]),
                "difference": [
                    (made := compare_paired(found[:, place], whole[:, place])).mean,
                    made.low,
                    made.high,
                ],
            }
            for place, depth in enumerate(DEPTHS)
        }
        for name, found in arrays.items()
    }
    return {"queries": len(whole), "systems": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    passes = make(given.records, given.folder)
    found = {"passes": passes, **measure(given.folder, given.queries)}
    body = json.dumps(found, indent=1)
    if given.out:
        given.out.write_text(body + "\n")
    print(body)


if __name__ == "__main__":
    main()
