"""Import of a scheme, searches in its titles and subtrees of its sections: seconds, megabytes, milliseconds.

    python -m bench.class_search [--source TITLE_LISTS] [--queries 1000] [--out FILE]

A query is one to three words of a title, drawn with a fixed seed; the files go to a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from pathlib import Path
from time import perf_counter

from claimlight.classes.edition_file import EditionFile
from claimlight.classes.editions import Editions
from claimlight.classes.importing import import_edition
from claimlight.classes.searching import search_titles
from claimlight.classes.tree import list_sections, list_subtree, list_symbols_below
from claimlight.tasks import TaskContext
from claimlight.text.words import content_words

REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "classification" / "cpc_titles_2022_08"


def draw_queries(file: EditionFile, many: int) -> list[str]:
    """Words of one title each, as somebody who looks for its class would write them."""
    with file.read() as connection:
        titles = [row[0] for row in connection.execute("SELECT title FROM entry WHERE depth > 2")]
    drawn, queries = random.Random(1), list[str]()
    while len(queries) < many:
        words = [word for word in content_words(drawn.choice(titles)) if word.isalpha() and len(word) > 3]
        if words:
            queries.append(" ".join(drawn.sample(words, min(len(words), drawn.randint(1, 3)))))
    return queries


def measure(source: Path, many: int) -> dict[str, object]:
    """The figures, by what they are."""
    with tempfile.TemporaryDirectory() as folder:
        editions = Editions(Path(folder))
        report = import_edition(editions, source, TaskContext())
        file = editions.open(report.info.edition.scheme)
        times = []
        for query in draw_queries(file, many):
            begun = perf_counter()
            search_titles(file, query, TaskContext())
            times.append(1000 * (perf_counter() - begun))
        times.sort()
        subtrees: dict[str, dict[str, float]] = {}
        for section in list_sections(file):
            begun = perf_counter()
            symbols = list_symbols_below(file, section.symbol)
            between = perf_counter()
            list_subtree(file, section.symbol)
            subtrees[section.symbol] = {
                "symbols": len(symbols),
                "symbols_ms": 1000 * (between - begun),
                "entries_ms": 1000 * (perf_counter() - between),
            }
    return {
        "entries": report.info.entries,
        "import_seconds": report.seconds,
        "megabytes": report.info.size / 1e6,
        "search_ms": {
            "median": times[len(times) // 2],
            "p95": times[int(0.95 * len(times))],
            "most": times[-1],
        },
        "subtrees": subtrees,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", type=Path, default=REAL)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    text = json.dumps(measure(options.source, options.queries), indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
