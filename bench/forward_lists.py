"""Forward lists as bytes, against the arrays of formats 2 to 4: their size, and reading them for a search.

    python -m bench.forward_lists --library FOLDER [--passages 300000] [--queries 40] [--out FILE]

The passages are those of an indexed library, repeated until there are enough. A search reads all passages of
fifty documents (at random here) and the entries of its own centers; both layouts are read in turn, in one
process. Every array that is read must be the same. Bar: at most 2 ms longer.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from bench import center_data as data
from claimlight.index.entries import PlainEntries, pack
from claimlight.index.forward import ForwardEntries, read_entries
from claimlight.index.generation import Generation
from claimlight.index.live import LiveSegment
from claimlight.index.segments import narrow

DOCUMENTS = 50
BAR = 2.0
"""Milliseconds."""
_NONE = np.empty(0, dtype=np.int64)


def read_plain(generation: Generation) -> tuple[PlainEntries, np.ndarray]:
    """All entries of an index, and the number of passages of each document."""
    parts = [read_entries([item], np.unique(item.passage_ids), None) for item in generation.segments]
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    names = ("centers", "codes", "start", "end")
    center, code, start, end = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    documents = np.concatenate([np.diff(item.arrays.document_offsets) for item in generation.segments])
    return PlainEntries(offsets, center, code, start, end - start), documents


def repeat(plain: PlainEntries, times: int) -> PlainEntries:
    """The same passages again and again, in the dtypes of format 4."""
    sizes = np.tile(np.diff(plain.offsets), times)
    return PlainEntries(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.tile(plain.center.astype(np.uint16), times),
        np.tile(plain.code, times),
        np.tile(narrow(plain.start.astype(np.uint32)), times),
        np.tile(narrow(plain.length.astype(np.uint32)), times),
    )


def make_segments(generation: Generation, plain: PlainEntries) -> tuple[LiveSegment, LiveSegment]:
    """One segment in either layout; passages are numbered from 0."""
    like = generation.segments[0].arrays
    passages = len(plain.offsets) - 1
    same = replace(
        like,
        document_ids=np.zeros(1, dtype=np.int64),
        document_offsets=np.array([0, passages]),
        passage_ids=np.arange(passages),
        span_counts=np.ones(passages, dtype=np.int32),
    )
    made = pack(plain)
    packed = replace(
        same,
        entry_offsets=made.offsets,
        entry_gap=made.gap,
        entry_word=made.word,
        span_offsets=made.span_offsets,
        span_bytes=made.span_bytes,
        plain=None,
    )
    return LiveSegment(replace(same, plain=plain), _NONE), LiveSegment(packed, _NONE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    data.arguments(parser, passages=300_000)
    options = parser.parse_args()
    generation = Generation.open(options.library / "index", check=False)
    assert generation is not None
    _, asked = data.read_options(replace_passages(options, 1))
    plain, documents = read_plain(generation)
    times = max(1, options.passages // int(documents.sum()))
    plain, documents = repeat(plain, times), np.tile(documents, times)
    old, new = make_segments(generation, plain)
    ends = np.cumsum(documents)
    random = np.random.default_rng(7)
    seconds: dict[str, list[float]] = {"old": [], "new": [], "old_all": [], "new_all": []}
    read, same = 0, True
    for query in asked:
        chosen = np.sort(random.choice(len(documents), DOCUMENTS, replace=False))
        passages = np.concatenate([np.arange(ends[n] - documents[n], ends[n]) for n in chosen])
        read += len(passages)
        for suffix, centers in (("", query.centers), ("_all", None)):
            found = {}
            # In turn first: who comes second finds the ids of the passages in the cache.
            for name in ("old", "new")[:: -1 if len(seconds["old"]) % 2 else 1]:
                begin = perf_counter()
                found[name] = read_entries([{"old": old, "new": new}[name]], passages, centers)
                seconds[name + suffix].append(perf_counter() - begin)
            both = ([getattr(each, name) for each in found.values()] for name in ForwardEntries.__slots__)
            same &= all(np.array_equal(*pair) for pair in both)
    entries, passages = len(plain.center), len(plain.offsets) - 1
    held = new.arrays.entries
    result = {
        "passages": passages,
        "entries_per_passage": round(entries / passages, 1),
        "centers_of_a_query": round(float(np.mean([len(query.centers) for query in asked])), 1),
        "passages_of_a_search": round(read / len(asked)),
        "old_bytes_per_entry": round(plain.nbytes / entries, 2),
        "new_bytes_per_entry": round(sum(getattr(held, name).nbytes for name in held.__slots__) / entries, 2),
        "ms": {name: round(1000 * float(np.median(values)), 2) for name, values in seconds.items()},
        "same": bool(same),
    }
    result["ratio"] = round(result["ms"]["new"] / result["ms"]["old"], 2)
    result["met"] = bool(same) and result["ms"]["new"] - result["ms"]["old"] <= BAR
    print(json.dumps(result, indent=2))
    if options.out is not None:
        options.out.write_text(json.dumps(result, indent=2) + "\n")
    return 0 if result["met"] else 1


def replace_passages(options: argparse.Namespace, passages: int) -> argparse.Namespace:
    """The same options for few passages: only the queries are wanted."""
    return argparse.Namespace(**{**vars(options), "passages": passages})


if __name__ == "__main__":
    raise SystemExit(main())
