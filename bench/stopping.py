"""Whether the interval for the relevant documents left unread holds, and how wide it is, on judged data.

    python -m bench.stopping --folder WORK [--data ../shared/data] [--draws 40] [--out FILE]

Users who read a ranking to a depth and then a random sample of the rest, as ``claimlight cases sample`` draws
it. *Experts* are five technologies with labels by experts, asked by their names and by documents of them,
over all documents labelled for any of them, ranked by keywords. *Citations* are the first 2,000
documents of a keyword ranking for queries whose front-page citations count as relevant. Coverage is the share
of draws whose interval has the true number in it; the width is that of the interval as a share of the frame.
Compared are ways to draw and ways to compute the interval. ``--folder`` keeps the libraries and the rankings.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from claimlight.services.stopping.intervals import StratumCount, interval_of_total
from claimlight.services.stopping.samples import UPPER, allot

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("CLAIMLIGHT_SHARED_DATA", ROOT.parent / "shared" / "data"))
DEPTHS = (20, 200)
SIZES = (20, 40, 100)
ASKED = 12
"""Documents of each technology that are asked."""
CITING = 150
LONGEST = 2000
SET = 500
"""Documents of the set where the rest of the list stands for the rest of a library."""
LEAST = 200
"""Frames of fewer documents are left out."""


def rankings(folder: Path, data: Path) -> Iterator[tuple[str, str, np.ndarray]]:
    """Group, query and the labels of its ranking, best first."""
    from claimlight.evaluation.judged_library import JudgedCorpus, open_judged_library
    from claimlight.evaluation.judgements import JudgedText, read_families, read_judgements, read_texts
    from claimlight.evaluation.systems import System
    from claimlight.lab.papers.landscape.topics import read_topics
    from claimlight.settings import Settings
    from claimlight.tasks import TaskContext

    source, context = data / "retrieval", TaskContext()
    families = read_families(source / "family_groups.tsv")
    topics, _ = read_topics(source / "landscape_topics.tsv")
    corpus = source / "corpus.jsonl.gz"
    labelled = frozenset[str]().union(*(topic.labelled for topic in topics))
    texts = {text.name: text for text in read_texts(corpus) if text.name in labelled}
    judged = JudgedCorpus(corpus, None, folder / "experts", frozenset(texts))
    with open_judged_library(
        judged, families, (System.BM25,), settings=Settings(), context=context
    ) as library:
        for topic in topics:
            known = sorted(topic.valid & texts.keys())
            queries = [JudgedText(topic.name, "", topic.phrase)]
            queries += [texts[name] for name in Random(topic.name).sample(known, ASKED)]
            for query in queries:
                (found,) = library.rank(query, (System.BM25,), depth=len(texts))
                yield "experts", query.name, np.array([name in topic.valid for name in found.documents])
    queries = {text.name: text for text in read_texts(source / "frontpage_dev_queries.jsonl")}
    grades = read_judgements(source / "frontpage_dev_qrels.tsv")
    judged = JudgedCorpus(corpus, None, folder / "citations")
    with open_judged_library(
        judged, families, (System.BM25,), settings=Settings(), context=context
    ) as library:
        for name in Random(1).sample(sorted(set(grades.queries) & queries.keys()), CITING):
            relevant = grades.relevant(name)
            (found,) = library.rank(queries[name], (System.BM25,), depth=LONGEST)
            yield "citations", name, np.array([item in relevant for item in found.documents])


def kept_rankings(folder: Path, data: Path) -> list[tuple[str, str, np.ndarray]]:
    path = folder / "rankings.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        rows = [
            (group, name, len(row), np.flatnonzero(row).tolist())
            for group, name, row in rankings(folder, data)
        ]
        path.write_text(json.dumps(rows))
    found = []
    for group, name, size, relevant in json.loads(path.read_text()):
        row = np.zeros(size, bool)
        row[relevant] = True
        found.append((group, name, row))
    return found


def cut(sizes: list[int]) -> Callable[[int], list[int]]:
    """Strata that are shares, in per cent, of a frame."""

    def shares(frame: int) -> list[int]:
        ends = [round(frame * sum(sizes[: place + 1]) / 100) for place in range(len(sizes))]
        return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]

    return shares


def with_rest(frame: int) -> list[int]:
    """A set as the program cuts it, and the documents outside it."""
    upper = round(UPPER * min(SET, frame))
    return [upper, min(SET, frame) - upper, max(0, frame - SET)]


def by_roots(sizes: list[int], count: int) -> list[int]:
    """More from the best ranked: in proportion to the square roots of the sizes."""
    given = allot([max(1, round(1000 * size**0.5)) for size in sizes], count)
    return [min(size, number) for size, number in zip(sizes, given, strict=True)]


Interval = Callable[[list[StratumCount], np.random.Generator], tuple[float, float]]


def exact(strata: list[StratumCount], _rng: np.random.Generator) -> tuple[float, float]:
    found = interval_of_total(strata)
    return found.low, found.high


def bayes(strata: list[StratumCount], rng: np.random.Generator) -> tuple[float, float]:
    """Beta-binomial with a prior of one half for each stratum (Webber 2013): 2,000 draws of the total."""
    total = np.zeros(2000)
    for item in strata:
        share = rng.beta(item.relevant + 0.5, item.read - item.relevant + 0.5, len(total))
        total += item.relevant + rng.binomial(item.size - item.read, share)
    low, high = np.percentile(total, (2.5, 97.5))
    return float(np.floor(low)), float(np.ceil(high))


def normal(strata: list[StratumCount], _rng: np.random.Generator) -> tuple[float, float]:
    """The textbook interval of a stratified total."""
    middle = variance = 0.0
    for item in strata:
        share = item.relevant / item.read
        middle += item.size * share
        spread = share * (1 - share) / max(1, item.read - 1)
        variance += item.size**2 * (1 - item.read / item.size) * spread
    reach = 1.96 * variance**0.5
    return middle - reach, middle + reach


UPPER_SHARE = round(100 * UPPER)
WAYS: dict[str, tuple[Callable[[int], list[int]], Callable[[list[int], int], list[int]], Interval]] = {
    "one stratum, exact": (cut([100]), allot, exact),
    f"{UPPER_SHARE} / {100 - UPPER_SHARE}, exact": (cut([UPPER_SHARE, 100 - UPPER_SHARE]), allot, exact),
    f"{UPPER_SHARE} / {100 - UPPER_SHARE} by roots, exact": (
        *(cut([UPPER_SHARE, 100 - UPPER_SHARE]), by_roots, exact),
    ),
    "10 / 30 / 60, exact": (cut([10, 30, 60]), allot, exact),
    f"set of {SET} and the rest, exact": (with_rest, allot, exact),
    f"{UPPER_SHARE} / {100 - UPPER_SHARE}, beta-binomial": (
        *(cut([UPPER_SHARE, 100 - UPPER_SHARE]), allot, bayes),
    ),
    "10 / 30 / 60, beta-binomial": (cut([10, 30, 60]), allot, bayes),
    f"{UPPER_SHARE} / {100 - UPPER_SHARE}, normal": (cut([UPPER_SHARE, 100 - UPPER_SHARE]), allot, normal),
}


def prevalence_class(share: float) -> str:
    if not share:
        return "none"
    return "below 1 %" if share < 0.01 else "1 to 5 %" if share < 0.05 else "5 % and more"


def simulate(lists: list[tuple[str, str, np.ndarray]], draws: int) -> list[dict]:
    """Coverage and mean width, as a share of the frame, for each prevalence, sample size and way."""
    rng = np.random.default_rng(20)
    seen: dict[tuple[str, int, str], list[tuple[bool, float, float]]] = defaultdict(list)
    for _group, _name, labels in lists:
        for depth in DEPTHS:
            frame = labels[depth:]
            if len(frame) < LEAST:
                continue
            truth = int(frame.sum())
            kind = prevalence_class(truth / len(frame))
            for size in SIZES:
                for way, (sizes_of, share, interval) in WAYS.items():
                    sizes = sizes_of(len(frame))
                    counts = share(sizes, size)
                    ends = np.cumsum([0, *sizes])
                    inside = [int(frame[a:b].sum()) for a, b in pairwise(ends)]
                    for _ in range(draws):
                        strata = [
                            StratumCount(whole, n, int(rng.hypergeometric(good, whole - good, n)))
                            for whole, n, good in zip(sizes, counts, inside, strict=True)
                            if whole
                        ]
                        low, high = interval(strata, rng)
                        width = (high - low) / len(frame)
                        seen[kind, size, way].append((low <= truth <= high, width, high / len(frame)))
    rows = []
    for (kind, size, way), values in seen.items():
        covered, width, upper = np.array(values, float).mean(axis=0)
        rows.append(
            {
                "prevalence": kind,
                "sample": size,
                "way": way,
                "draws": len(values),
                "coverage": round(float(covered), 4),
                "width": round(float(width), 4),
                "upper": round(float(upper), 4),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lists = kept_rankings(options.folder, options.data)
    rows = simulate(lists, options.draws)
    for row in rows:
        print(json.dumps(row))
    if options.out:
        options.out.write_text(
            json.dumps({"rankings": len(lists), "draws": options.draws, "rows": rows}, indent=1)
        )


if __name__ == "__main__":
    main()
