"""Keyword ranking (BM25) as libraries grow: FTS5's own scores against its word lists read by ourselves.

    python -m bench.keyword_search [--passages 344000 2000000] [--claims 40] [--folder FOLDER] [--out FILE]

The library is made of whole applications, used several times over under new numbers, with one word in forty
changed into one of its own in each further use, so that the vocabulary grows with the passages. At each size
the first claims of some applications are ranked both ways, one after the other, so a ratio is of neighbours;
both must give the same documents with the same scores. The first round is given apart: there each word is
counted once for the library, and each page is read from disk. *Opening* is what the first search of a process
adds: the lengths of all passages. Times are of the processor, so other work on the machine counts little, and
in ``wall_ms`` of the clock. ``--folder`` keeps the libraries, one for each size.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import perf_counter, thread_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from claimlight.retrieval import DocumentFilter, RetrievalQuery
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.bm25 import Bm25Retriever
from claimlight.retrieval.passage_lengths import PassageLengths
from claimlight.services.library.library import Library, import_paths
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.text.normalise import normalise

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("CLAIMLIGHT_SHARED_DATA", ROOT.parent / "shared" / "data"))
SOURCE = SHARED / "text" / "us_applications_full.jsonl.gz"
DEPTH = 1000
PASSAGES_EACH = 190
"""Passages of an application, about."""


def applications(source: Path) -> Iterator[dict]:
    with gzip.open(source, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def changed(record: dict, turn: int, number: int) -> dict:
    """The application under another number, with one word in forty its own."""
    random = Random(turn * 100_000 + number)

    def text(given: str) -> str:
        words = given.split(" ")
        for _ in range(len(words) // 40):
            at = random.randrange(len(words))
            words[at] = f"{words[at]}{turn}{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}"
        return " ".join(words)

    texts = {name: text(record[name]) for name in ("title", "abstract", "description")}
    claims = [text(claim) for claim in record["claims"]]
    return record | texts | {"claims": claims, "publication_number": f"US{2001 + turn}{number:07d}"}


def grow(library: Library, source: Path, passages: int) -> None:
    """Add applications until the library has about that many passages."""
    settings = change(Settings(), "imports.workers", 1)
    records = list(applications(source))
    turn = 0
    while (missing := passages - count(library, "passage")) > passages // 100:
        turn = -(-count(library, "document") // len(records))
        each = count(library, "passage") / count(library, "document") if turn else PASSAGES_EACH
        with tempfile.TemporaryDirectory(prefix="keyword-search-") as folder:
            path = Path(folder, f"turn-{turn}.jsonl")
            with path.open("w", encoding="utf-8") as stream:
                for number, record in enumerate(records[: 1 + int(missing / each)]):
                    stream.write(json.dumps(changed(record, turn, number) if turn else record) + "\n")
            import_paths(library, [path], TaskContext(), settings)


def count(library: Library, table: str) -> int:
    with library.store.read() as connection:
        return connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()


def claims_of(source: Path, many: int) -> list[str]:
    """First claims of applications drawn from all of them."""
    records = list(applications(source))
    drawn = np.random.default_rng(4).permutation(len(records))
    texts = (normalise(records[at]["claims"][0].partition(". ")[2]) for at in drawn if records[at]["claims"])
    return [text for text in texts if text][:many]


def measure(library: Library, claims: list[str], rounds: int) -> dict[str, object]:
    catalogue = catalogues.load(library.store)
    allowed = DocumentFilter.of(catalogue)
    terms = Settings().search.query_terms
    ways = {
        "lists": Bm25Retriever(library.store, terms=terms, least=0),
        "fts5": Bm25Retriever(library.store, terms=terms, least=sys.maxsize),
    }
    # Loads the compiled loops.
    ways["lists"].rank(RetrievalQuery("damper"), allowed=allowed, depth=1, context=TaskContext())
    begun = thread_time()
    PassageLengths.empty().update(sqlite3.connect(library.folder / "library.db"), "passage_fts")
    opening = thread_time() - begun
    times: dict[str, list[tuple[float, float]]] = {}
    differing = 0
    for number in range(rounds + 1):
        for claim in claims:
            found = []
            for name, ranker in ways.items():
                # In the first round ours comes first, so it counts the words for both.
                started = np.array([thread_time(), perf_counter()])
                found.append(
                    ranker.rank(RetrievalQuery(claim), allowed=allowed, depth=DEPTH, context=TaskContext())
                )
                key = name if number else f"{name}_first"
                took = np.array([thread_time(), perf_counter()]) - started
                times.setdefault(key, []).append(tuple(1e3 * took))
            one, other = found
            differing += not all(
                np.array_equal(getattr(one, field), getattr(other, field))
                for field in ("ids", "scores", "passages")
            )

    def summary(clock: int) -> dict[str, dict[str, float]]:
        return {
            name: {
                f"p{share}": round(float(np.percentile([one[clock] for one in taken], share)), 1)
                for share in (50, 95)
            }
            for name, taken in times.items()
        }

    cpu = summary(0)
    return {
        "passages": int(catalogue.passages.sum()),
        "documents": len(catalogue),
        "claims": len(claims),
        "differing": differing,
        "ms": cpu,
        "wall_ms": summary(1),
        "ratio": round(cpu["fts5"]["p50"] / cpu["lists"]["p50"], 1),
        "opening_ms": round(1e3 * opening, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, nargs="+", default=[344_000, 2_000_000])
    parser.add_argument("--claims", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    claims = claims_of(SOURCE, options.claims)
    rows = []
    with tempfile.TemporaryDirectory(prefix="keyword-search-") as temporary:
        folder = options.folder or Path(temporary)
        before: Path | None = None
        for passages in sorted(options.passages):
            place = folder / f"lib{passages}"
            if not (place / "library.db").exists():
                if before is None:
                    Library.create(place).close()
                else:
                    shutil.copytree(before, place)
                with Library.open(place) as library:
                    grow(library, SOURCE, passages)
            with Library.open(place) as library:
                rows.append(measure(library, claims, options.rounds))
            before = place
    report = {
        "benchmark": "keyword_search",
        "cores": os.cpu_count(),
        "load_after": os.getloadavg()[0],
        "rows": rows,
    }
    body = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(body + "\n", encoding="utf-8")
    print(body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
