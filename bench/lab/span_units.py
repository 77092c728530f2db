"""How fast the built-in span units cut text, against the word unit: ``python -m bench.lab.span_units``.

Reads patents, cuts their passages by each unit in turns, one core, the best of some rounds. Token offsets are
made beforehand and not timed; words of more than five letters count as several tokens, as for an encoder.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from time import process_time

import numpy as np

from claimlight.formats import list_sources, read_source
from claimlight.paths import resources
from claimlight.tasks import TaskContext
from claimlight.text.spans import SPAN_UNITS
from claimlight.types import Patent

_TOKEN = re.compile(r"\w{1,5}|[^\w\s]")
_SHORTEST = 40


def passages(corpus: list[Path], limit: int) -> list[str]:
    """Abstracts, claims and paragraphs, up to ``limit`` characters in all."""
    found: list[str] = []
    size = 0
    for path in list_sources(corpus):
        for record in read_source(path, TaskContext()):
            if not isinstance(record, Patent):
                continue
            for item in (*record.abstracts, *record.claims, *record.description):
                if len(item.text) >= _SHORTEST:
                    found.append(item.text)
                    size += len(item.text)
            if size >= limit:
                return found
    return found


def measure(texts: list[str], rounds: int) -> list[dict]:
    """One row for each unit: seconds of the best round, characters a second, spans of a passage."""
    offsets = [
        np.array([found.span() for found in _TOKEN.finditer(text)], dtype=np.int32).reshape(-1, 2)
        for text in texts
    ]
    seconds = dict.fromkeys(SPAN_UNITS, float("inf"))
    spans = dict.fromkeys(SPAN_UNITS, 0)
    for _ in range(rounds):
        for name, unit in SPAN_UNITS.items():
            begin = process_time()
            spans[name] = sum(
                len(unit.spans(text, places)) for text, places in zip(texts, offsets, strict=True)
            )
            seconds[name] = min(seconds[name], process_time() - begin)
    size = sum(map(len, texts))
    return [
        {
            "unit": name,
            "passages": len(texts),
            "characters": size,
            "seconds": round(seconds[name], 3),
            "characters_per_second": round(size / seconds[name]),
            "ratio_to_word": round(seconds[name] / seconds["word"], 2),
            "spans_per_passage": round(spans[name] / len(texts), 1),
        }
        for name in SPAN_UNITS
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, nargs="+", default=[resources() / "sample" / "xml"])
    parser.add_argument("--characters", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    texts = passages(options.corpus, options.characters)
    parts = (len(texts) // 16, len(texts) // 4, len(texts))
    rows = [row for part in parts if part for row in measure(texts[:part], options.rounds)]
    body = json.dumps(rows, indent=2)
    options.out.write_text(body + "\n", encoding="utf-8") if options.out else print(body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
