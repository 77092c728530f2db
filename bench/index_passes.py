"""How long a library waits for its first answer by every ranker, and for the end of its index.

    python -m bench.index_passes [--documents 1813] [--described 60] [--members 10000] [--out FILE]

Imports whole US applications, indexes title, abstract and claims of all, asks with one of them, and indexes
the descriptions of some (``--described`` of all, if it is no less). Both passes are measured in documents and
passages per second; ``growth`` compares the second half of the first pass with the first one. What is not
described is extrapolated from the rate of the second pass. Before there were two passes a document was found
by every ranker when its description was encoded too, and the last one at the end: ``at_once``.

More documents than there are come around again under other numbers. In each round other neighbouring words
change places, a pair in every eight or so: a text takes as long to encode as its first one, and but for short
ones equals none. With ``--members`` the library then grows to that many documents by family members of the
first ones, with the same text, and both passes are measured for these alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from claimlight.retrieval.catalogue import load
from claimlight.services.indexing.indexing import build
from claimlight.services.indexing.order import LibraryOrder
from claimlight.services.library.library import Library, import_paths
from claimlight.services.search import queries
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import Committed, Event, IndexDepth, PatentId, SearchRequest

SHARED = Path(
    os.environ.get("CLAIMLIGHT_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
SOURCE = SHARED / "text" / "us_applications_full.jsonl.gz"
WEEK = 7_000
"""Grants in a weekly file of the USPTO."""
_APART = 10
"""Words from one pair that changes places to the next, at most, counted where both are letters alone."""


def records(each: int | None = None, *, alike: bool = False) -> Iterator[str]:
    """Lines of the first ``each`` documents, round after round; those after the first have own numbers."""
    turn = 0
    while True:
        with gzip.open(SOURCE, "rt", encoding="utf-8") as source:
            for line in islice(source, each):
                record = json.loads(line)
                yield json.dumps(_of_round(record, turn, alike=alike)) + "\n"
        turn += 1


def _of_round(record: dict[str, Any], turn: int, *, alike: bool) -> dict[str, Any]:
    number = record["publication_number"]
    # Behind the year the first of seven digits is always 0.
    found = {**record, "publication_number": f"{number[:6]}{turn}{number[7:]}"}
    if alike:
        return found | {"family_id": number}
    found["family_id"] = found["publication_number"]
    if turn:
        found |= {name: _vary(record[name], turn) for name in ("title", "abstract", "description")}
        found["claims"] = [_vary(claim, turn) for claim in record["claims"]]
    return found


def _vary(text: str, turn: int) -> str:
    words, chance = text.split(" "), random.Random(turn)
    at = chance.randrange(_APART)
    while at < len(words) - 1:
        if words[at].isalpha() and words[at + 1].isalpha():
            words[at], words[at + 1] = words[at + 1], words[at]
            at += chance.randrange(2, _APART)
        else:
            at += 1
    return " ".join(words)


def measure(folder: Path, documents: int, described: int) -> dict[str, object]:
    """Seconds and rates of both passes."""
    taken = folder / "records.jsonl"
    with taken.open("w", encoding="utf-8") as target:
        target.writelines(islice(records(), documents))
    settings, context = Settings(), TaskContext()
    with Library.open_or_create(folder / "library") as library:
        begin = perf_counter()
        import_paths(library, [taken], context, settings)
        imported = perf_counter() - begin
        marks: list[tuple[float, int]] = []

        def mark(event: Event) -> None:
            if isinstance(event, Committed) and event.stage == "index":
                marks.append((perf_counter() - begin, event.documents))

        begin = perf_counter()
        first = build(library, TaskContext(mark), settings, depth=IndexDepth.CLAIMS)
        claims = perf_counter() - begin
        begin = perf_counter()
        answered = _answer(library, settings)
        ids = load(library.store).ids
        drawn = np.random.default_rng(5).permutation(ids)[:described].tolist()
        second = build(library, context, settings, order=LibraryOrder(library, only=drawn))
        info = library.info()
    rate = second.passages / second.seconds
    end = second.seconds * info.documents / second.full_text
    middle = next((mark for mark in marks if mark[1] >= first.documents / 2), marks[-1])
    halves = [middle[1] / middle[0], (marks[-1][1] - middle[1]) / max(marks[-1][0] - middle[0], 1e-9)]
    return {
        "documents": info.documents,
        "passages": info.passages,
        "import_seconds": imported,
        "claims": {
            "passages": first.passages,
            "seconds": claims,
            "documents_per_second": first.documents / claims,
            "passages_per_second": first.passages / claims,
            "stages": dict(first.stages),
            "growth": halves[1] / halves[0],
        },
        "first_answer_seconds": imported + claims + answered,
        "descriptions": {
            "documents": second.full_text,
            "passages": second.passages,
            "seconds": second.seconds,
            "passages_per_second": rate,
            "stages": dict(second.stages),
        },
        # With all described this is what it took.
        "whole": {
            "end_of_descriptions_seconds": claims + end,
            "first_answer_of_all_at_once_seconds": imported + claims + end,
            "week_claims_minutes": WEEK / (first.documents / claims) / 60,
            "week_descriptions_hours": WEEK * end / info.documents / 3600,
        },
    }


def measure_members(folder: Path, members: int) -> dict[str, object]:
    """Seconds of both passes over family members, up to ``members`` documents in all."""
    settings, context = Settings(), TaskContext()
    with Library.open_or_create(folder / "library") as library:
        have = library.info().documents
        taken = folder / "members.jsonl"
        with taken.open("w", encoding="utf-8") as target:
            target.writelines(islice(records(have, alike=True), have, members))
        begin = perf_counter()
        import_paths(library, [taken], context, settings)
        imported = perf_counter() - begin
        begin = perf_counter()
        first = build(library, context, settings, depth=IndexDepth.CLAIMS)
        claims = perf_counter() - begin
        answered = _answer(library, settings)
        second = build(library, context, settings)
        info = library.info()
    return {
        "documents": info.documents - have,
        "passages": first.passages + second.passages,
        "import_seconds": imported,
        "claims_seconds": claims,
        "first_answer_seconds": imported + claims + answered,
        "descriptions_seconds": second.seconds,
        "stages": dict(second.stages),
    }


def _answer(library: Library, settings: Settings) -> float:
    """Seconds of the first search with a claim, model and index being opened for it."""
    begin = perf_counter()
    engine = SearchEngine.open(library, settings)
    number = repository.read_publications(library.store, [PatentId(1)])[PatentId(1)]
    results = engine.run(SearchRequest(queries.query_from_document(library, number)), TaskContext())
    assert {place.leg for hit in results.hits for place in hit.ranks}
    return perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=1813)
    parser.add_argument("--described", type=int, default=60)
    parser.add_argument("--members", type=int, default=0, help="0: none")
    parser.add_argument("--folder", type=Path, help="kept; a temporary one if not given")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if given.folder is not None:
            folder.mkdir(parents=True)
        found = measure(folder, given.documents, given.described)
        if given.members:
            found["members"] = measure_members(folder, given.members)
    body = json.dumps(found, indent=1)
    if given.out:
        given.out.write_text(body + "\n", encoding="utf-8")
    print(body)


if __name__ == "__main__":
    main()
