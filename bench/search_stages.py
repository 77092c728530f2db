"""How long the stages of a search take in a library: the first claims of some of its documents.

    python -m bench.search_stages --library FOLDER [--claims 24] [--rounds 2] [--out FILE]

Each document's own family is left out of its answer, fifty documents are shown. Encoding happens in the first
round only, as a query is remembered; whole searches are those of that round, by the clock and in processor
time of all threads, which other work on the machine changes little. Keywords are ranked while a claim is
encoded, so their time is that of the later rounds. Beside the stages: opening the index, and its bytes for
each posting.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from claimlight.errors import InputError
from claimlight.index.generation import Generation
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library.library import Library
from claimlight.services.search import queries
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import PatentId, SearchRequest

_POSTING_FILES = ("center_df.npy", "posting_starts.npy", "posting_words.npy")


def requests(library: Library, engine: SearchEngine, count: int) -> list[SearchRequest]:
    """The first claims of documents drawn from the library."""
    ids = engine.state(TaskContext()).catalogue.ids
    drawn = np.random.default_rng(4).permutation(ids)
    made: list[SearchRequest] = []
    for patent in drawn.tolist():
        number = repository.read_publications(library.store, [PatentId(patent)])[PatentId(patent)]
        try:
            query = queries.query_from_document(library, number)
        except InputError:
            continue  # it has no claim
        made.append(SearchRequest(query, exclude_family_of=number, top=50))
        if len(made) == count:
            break
    return made


def measure(library: Library, claims: int, rounds: int) -> dict[str, object]:
    """Milliseconds of each stage over all claims, after three searches with other claims to begin with."""
    engine = SearchEngine.open(library, Settings())
    drawn = requests(library, engine, claims + 3)
    for request in drawn[:3]:
        engine.run(request, TaskContext())
    asked = drawn[3:]
    times: dict[str, list[float]] = {}
    for round_number in range(rounds):
        for request in asked:
            begun, used = perf_counter(), process_time()
            results = engine.run(request, TaskContext())
            if not round_number:
                times.setdefault("whole", []).append(1e3 * (perf_counter() - begun))
                times.setdefault("whole, processor", []).append(1e3 * (process_time() - used))
            for stage in results.times:
                if round_number or stage.stage == "encode":
                    times.setdefault(stage.stage, []).append(1e3 * stage.seconds)
    times["encode"] = times["encode"][: len(asked)]
    return {
        "claims": len(asked),
        "stages_ms": {
            name: {
                "p50": round(float(np.median(found)), 1),
                "p95": round(float(np.percentile(found, 95)), 1),
            }
            for name, found in times.items()
        },
    }


def of_index(folder: Path) -> dict[str, object]:
    """What opening costs, and what a posting does."""
    Generation.open(folder)
    begun = perf_counter()
    found = Generation.open(folder)
    seconds = perf_counter() - begun
    if found is None:
        raise SystemExit(f"There is no index in {folder}.")
    segments = found.manifest.segments
    postings = sum(item.postings for item in segments)
    held = sum(file.bytes for item in segments for file in item.files if file.name in _POSTING_FILES)
    return {
        "passages": found.passages,
        "postings": postings,
        "posting_bytes": round(held / max(postings, 1), 3),
        "open_ms": round(1e3 * seconds, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--claims", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with Library.open(options.library) as library:
        report = of_index(index_folder(library.folder)) | measure(library, options.claims, options.rounds)
    body = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(body + "\n", encoding="utf-8")
    print(body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
