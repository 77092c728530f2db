"""How long a search takes as a library grows to millions of passages: the stages, whole, with an index.

    python -m bench.index_passes --folder POOL
    python -m bench.grown_index --pool POOL/library --folder WORK [--passages 344000 2000000] [--out FILE]

Encoding two million passages takes half a day, and a search does not ask whose vectors it reads: the library
is that of `bench.keyword_search`, and every passage gets vectors and entries of a real one of about its
length, drawn from an indexed library. So the lengths of lists, the number of passages that meet a claim, and
the bytes are those of an index; which documents are found means nothing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from bench.keyword_search import SOURCE, grow
from bench.search_stages import of_index, requests
from claimlight.index.builder import PassageRow, SegmentBuilder
from claimlight.index.generation import Generation
from claimlight.index.sections import SectionKind, kind_of
from claimlight.index.segments import SegmentPart
from claimlight.index.writer import IndexWriter
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.encoding import Choose, choose_claims, choose_description
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.indexing.repeats import KnownPiece, join_entries, read_known
from claimlight.services.library.library import Library
from claimlight.services.search.search import SearchEngine
from claimlight.settings import Settings
from claimlight.store.values import StoredPassage
from claimlight.tasks import TaskContext

_PAGE = 200
CHARACTERS_PER_TOKEN = 4
_NEAR = 50


class Pool:
    """Encoded passages of a library, by kind and length."""

    def __init__(self, library: Library, each: int = 6000) -> None:
        generation = Generation.open(index_folder(library.folder))
        assert generation is not None
        self.generation = generation
        held: dict[SectionKind, list[tuple[int, KnownPiece]]] = {kind: [] for kind in SectionKind}
        described = set(generation.described.tolist())
        corpus, after = LibraryCorpus(library.store), 0
        while (page := corpus.documents_after(after, _PAGE)) and min(map(len, held.values())) < each:
            for document in page:
                for choose in (choose_claims, choose_description):
                    if choose is choose_claims or document.id in described:
                        self._add(held, choose(document).passages)
            after = page[-1].id
        self._held = {kind: sorted(found, key=lambda item: item[0]) for kind, found in held.items()}
        self._lengths = {kind: [item[0] for item in found] for kind, found in self._held.items()}

    def _add(
        self, held: dict[SectionKind, list[tuple[int, KnownPiece]]], passages: Sequence[StoredPassage]
    ) -> None:
        for kind in SectionKind:
            own = [passage for passage in passages if kind_of(passage.section) is kind]
            tokens = [len(passage.text) // CHARACTERS_PER_TOKEN + 1 for passage in own]
            found = read_known(self.generation.segments, own, tokens, self.generation.manifest.dim)
            held[kind] += [(each.length * CHARACTERS_PER_TOKEN, each) for each in found.values()]

    def draw(self, passage: StoredPassage, random: Random) -> KnownPiece:
        """An encoded passage of about that length."""
        kind = kind_of(passage.section)
        found, lengths = self._held[kind], self._lengths[kind]
        at = bisect_left(lengths, len(passage.text)) + random.randrange(-_NEAR, 1)
        return found[min(max(at, 0), len(found) - 1)][1]


def fill(library: Library, pool: Pool) -> dict[str, float]:
    """Write an index of the whole library."""
    random, manifest = Random(3), pool.generation.manifest
    begin = perf_counter()
    with IndexWriter(index_folder(library.folder)) as writer:
        writer.start(manifest.recipe, dim=manifest.dim, centers=manifest.centers)
        for choose in (choose_claims, choose_description):
            _fill_part(writer, library, pool, choose, random)
        writer.merge(TaskContext())
        merged = perf_counter()
        writer.build_graph(Settings().index, TaskContext())
        writer.finish()
    return {"rows_seconds": merged - begin, "graph_seconds": perf_counter() - merged}


def _fill_part(writer: IndexWriter, library: Library, pool: Pool, choose: Choose, random: Random) -> None:
    corpus, after = LibraryCorpus(library.store), 0
    manifest = pool.generation.manifest
    while page := corpus.documents_after(after, _PAGE):
        builder = SegmentBuilder(manifest.centers, manifest.dim)
        for document in page:
            chosen = choose(document)
            drawn = [pool.draw(passage, random) for passage in chosen.passages]
            rows = [
                PassageRow(document.id, passage.id, kind_of(passage.section), each.pooled, each.length)
                for passage, each in zip(chosen.passages, drawn, strict=True)
            ]
            if rows:
                builder.add(rows, join_entries([each.entries for each in drawn]), {document.id: chosen.rest})
        after = page[-1].id
        if choose is choose_claims:
            writer.commit(builder.arrays(), last_document=after, part=SegmentPart.CLAIMS)
        else:
            writer.commit_descriptions(builder.arrays())
        writer.merge(TaskContext(), unless_below=16)


def measure(library: Library, claims: int) -> dict[str, object]:
    """Milliseconds of whole searches and of their stages, the claims being encoded each time."""
    engine = SearchEngine.open(library, Settings())
    asked = requests(library, engine, claims + 3)
    for request in asked[:3]:
        engine.run(request, TaskContext())
    wholes: list[float] = []
    stages: dict[str, list[float]] = {}
    for request in asked[3:]:
        begin = perf_counter()
        results = engine.run(request, TaskContext())
        wholes.append(1e3 * (perf_counter() - begin))
        for stage in results.times:
            stages.setdefault(stage.stage, []).append(1e3 * stage.seconds)

    def shares(found: list[float]) -> dict[str, float]:
        return {f"p{share}": round(float(np.percentile(found, share)), 1) for share in (50, 95)}

    return {"whole": shares(wholes), "stages": {name: shares(found) for name, found in stages.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pool", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--passages", type=int, nargs="+", default=[344_000, 2_000_000])
    parser.add_argument("--claims", type=int, default=40)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    report: dict[str, object] = {}
    with Library.open(given.pool) as source:
        pool = Pool(source)
    for passages in given.passages:
        folder = given.folder / str(passages)
        if not folder.exists():
            with Library.open_or_create(folder) as library:
                grow(library, SOURCE, passages)
                filled = fill(library, pool)
        else:
            filled = {}
        with Library.open(folder) as library:
            found = of_index(index_folder(library.folder)) | filled | measure(library, given.claims)
            sizes = [item.stat().st_size for item in (folder / "index").rglob("*") if item.is_file()]
            found["index_bytes"] = sum(sizes)
            found["database_bytes"] = (folder / "library.db").stat().st_size
            found["free_bytes"] = shutil.disk_usage(folder).free
        report[str(passages)] = found
        print(json.dumps({passages: found}, indent=1), flush=True)
    if given.out:
        given.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
