"""The query language at size: mixed query lines and set arithmetic on 100,000 documents.

    python -m bench.boolean [--documents 100000] [--data FOLDER] [--library FOLDER] [--out FILE]

The library is made once and kept in ``--library``: titles, abstracts, paragraphs and claims of real patents,
used several times over under new numbers, with one word in forty changed into one of its own in each further
use, so that the vocabulary grows with the documents as it does in life. Words for the queries are drawn from
that vocabulary, frequent and rare ones. Bars: p95 of 200 mixed queries 1 s, set arithmetic 100 ms.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import cycle, islice
from pathlib import Path
from random import Random
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.boolean.evaluate import Scored, count_terms, evaluate
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.parser import parse
from claimlight.store import Store, writer
from claimlight.store.rows import make_document_rows
from claimlight.tasks import TaskContext
from claimlight.text.normalise import normalise
from claimlight.types import (
    Claim,
    ClassSymbol,
    LocalText,
    Paragraph,
    Party,
    Patent,
    PublicationNumber,
    Role,
    Scheme,
    Section,
    Source,
)

ROOT = Path(__file__).resolve().parents[1]
BATCH = 2000
OPERATORS = ("with", "same", "near", "like", "covers")
GROUPS = ("H04L 9/00", "H04L 9/32", "H04L 9/3247", "G06F 21/60", "B60B 1/02", "F16F 15/12", "A61K 31/00")


def patents(data: Path, many: int) -> Iterator[Patent]:
    """``many`` different documents made of the real ones."""
    random = Random(11)
    claims = cycle(list(_claims(data / "us_applications_full.jsonl.gz")))
    number = 0
    turn = 0
    while number < many:
        for record in _records(data / "us_grants_views.jsonl.gz"):
            if number == many:
                return
            yield _patent(number, record, next(claims), turn, random)
            number += 1
        turn += 1


def _records(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def _claims(path: Path) -> Iterator[list[str]]:
    for record in _records(path):
        yield [normalise(text.partition(". ")[2]) or "A device." for text in record["claims"][:6]]


def _patent(number: int, record: dict, claims: list[str], turn: int, random: Random) -> Patent:
    def text(given: str) -> str:
        words = normalise(given).split(" ")
        if turn:
            for _ in range(len(words) // 40):
                at = random.randrange(len(words))
                words[at] = f"{words[at]}{turn}{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}"
        return " ".join(words)

    published = date(1990, 1, 1) + timedelta(days=number * 37 % 12_000)
    return Patent(
        publication=PublicationNumber("US", str(20_000_000 + number), "B2"),
        source=Source("/bench", "", number, 0, "bench"),
        published=published,
        filed=published - timedelta(days=700),
        language="en",
        titles=(LocalText(text(record["title"]), "en"),),
        abstracts=(LocalText(text(record["abstract"]), "en"),),
        claims=tuple(Claim(n, text(item), "en") for n, item in enumerate(claims, 1)),
        description=tuple(Paragraph(text(item), Section.DETAILED) for item in record["paragraphs"]),
        classes=tuple(ClassSymbol(Scheme.CPC, symbol) for symbol in random.sample(GROUPS, 1 + number % 3)),
        parties=(
            Party(Role.ASSIGNEE, record["owner"] or "Nobody"),
            Party(Role.INVENTOR, f"Ada {number % 997}"),
        ),
    )


def build(folder: Path, data: Path, many: int) -> float:
    """Make the library; seconds."""
    started = perf_counter()
    with Store.create(folder) as store:
        found = patents(data, many)
        done = 0
        while batch := [make_document_rows(item) for item in islice(found, BATCH)]:
            done += len(batch)
            state = writer.SourceState("/bench", 1, 1, done, complete=done == many)
            writer.write_batch(store, batch, [], [state])
    return perf_counter() - started


class Sets:
    """Numbered sets of random documents, and a semantic operator that is a random thousand."""

    def __init__(self, ids: np.ndarray) -> None:
        random = np.random.default_rng(3)
        shares = (0.5, 0.5, 0.1, 0.01, 0.9)
        self._sets = [random.permutation(ids)[: int(len(ids) * share)] for share in shares]
        self._ranked = Scored(random.permutation(ids)[:1000], random.random(1000))

    def set_members(self, number: int) -> np.ndarray:
        return self._sets[number - 1]

    def subtree(self, field: Field, symbol: str) -> tuple[str, ...]:
        return (symbol,)

    def semantic(self, text: str) -> Scored:
        return self._ranked

    like = covers = semantic


def vocabulary(store: Store, random: Random) -> dict[str, list[str]]:
    """Words by the number of passages that have them, as a searcher would pick them: letters only."""
    query = "SELECT term, doc FROM passage_words_vocab WHERE doc >= 20"
    with store.read() as connection:
        rows = [(row[0], row[1]) for row in connection.exec_driver_sql(query) if row[0].isalpha()]
        passages = connection.exec_driver_sql("SELECT count(*) FROM passage").scalar_one()
    rows = [(word, many / passages) for word, many in rows if len(word) > 3 and word not in OPERATORS]
    shares = {"frequent": (0.04, 1.0), "usual": (0.002, 0.04), "rare": (0.0, 0.002)}
    found = {
        name: [word for word, share in rows if low < share <= high] for name, (low, high) in shares.items()
    }
    return {name: random.sample(some, min(len(some), 300)) for name, some in found.items()}


TEMPLATES = (
    "{u} AND {u}",
    "{f} AND {u} NOT {r}",
    "{u}$2.ti,ab. OR {r}",
    "({u} OR {u}) AND ({u} OR {r}).clm.",
    "{u} ADJ {f}",
    "{u} ADJ3 {u}",
    "{u} NEAR5 ({u} OR {u})",
    "({u}$2 OR {r}) NEAR5 ({u} OR {u}$3)",
    "{u} WITH {f}",
    "{f} SAME {u}",
    "({u} OR {r}) ADJ5 ({u} SAME {f}).clm.",
    "({u} WITH {u}).clm. AND CPC=H04L9/00",
    "{f} ADJ2 {f}",
    "{u} NOT WITH {f}",
    "L1 AND {u}.clm.",
    "L3 AND ({u} NEAR3 {u})",
    '~"free text" AND {u}.clm.',
    "{u} AND PD>=2005<=2015 AND CPC=H04L9/00-H04L9/40",
    "{f} AND {f} AND {u}",
    "{u5}$ AND {u}",
)
ARITHMETIC = (
    "L1 AND L2",
    "L1 OR L3",
    "L1 NOT (L2 AND L4)",
    "L1 XOR L5",
    "NOT L5",
    "(L1 OR L2 OR L3) AND (L4 XOR L5)",
)


def lines(words: dict[str, list[str]], many: int, random: Random) -> list[str]:
    """``many`` lines, every template equally often."""
    found = []
    for template in islice(cycle(TEMPLATES), many):
        line = template
        for name, kind in (("{f}", "frequent"), ("{u}", "usual"), ("{r}", "rare")):
            while name in line:
                line = line.replace(name, random.choice(words[kind]), 1)
        found.append(line.replace("{u5}", random.choice(words["usual"])[:5]))
    return found


def measure_time(
    store: Store, catalogue: catalogues.Catalogue, sets: Sets, asked: list[str]
) -> list[tuple[float, str, int]]:
    found = []
    for line in asked:
        started = perf_counter()
        matched = evaluate(parse(line), store, catalogue, sets, TaskContext())
        found.append((perf_counter() - started, line, len(matched.ids)))
    return found


def summary(times: list[tuple[float, str, int]]) -> dict:
    seconds = np.array([item[0] for item in times])
    slowest = sorted(times, reverse=True)[:8]
    return {
        "queries": len(times),
        "median_ms": round(1000 * float(np.median(seconds)), 1),
        "p95_ms": round(1000 * float(np.percentile(seconds, 95)), 1),
        "max_ms": round(1000 * float(seconds.max()), 1),
        "slowest": [f"{1000 * item[0]:.0f} ms, {item[2]} documents: {item[1]}" for item in slowest],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "text")
    parser.add_argument("--library", type=Path, default=ROOT / "var" / "bench" / "boolean-library")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    result: dict = {"documents": options.documents}
    if not (options.library / "library.db").exists():
        result["build_s"] = round(build(options.library, options.data, options.documents), 1)
    with Store.open(options.library) as store:
        started = perf_counter()
        catalogue = catalogues.load(store)
        result["catalogue_ms"] = round(1000 * (perf_counter() - started), 1)
        result["passages"] = int(catalogue.passages.sum())
        random = Random(5)
        asked = lines(vocabulary(store, random), options.queries, random)
        sets = Sets(catalogue.ids)
        result["mixed"] = summary(measure_time(store, catalogue, sets, asked))
        result["again"] = summary(measure_time(store, catalogue, sets, asked))
        result["arithmetic"] = summary(
            measure_time(store, catalogue, sets, [line for line in ARITHMETIC for _ in range(5)])
        )
        started = perf_counter()
        for line in asked[:20]:
            count_terms(parse(line), store, catalogue, sets, TaskContext())
        result["counts_ms"] = round(50 * (perf_counter() - started), 1)
    text = json.dumps(result, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
