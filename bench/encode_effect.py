"""Do two encoders find the same? nDCG@10 of both over one part of a corpus with judged queries."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np

DOCUMENTS = 4000
"""Beside all relevant ones."""
DEPTH = 10
RESAMPLES = 2000


def compare(
    folder: Path, left: Callable[[list[str]], np.ndarray], right: Callable[[list[str]], np.ndarray]
) -> dict[str, object]:
    """nDCG@10 of both and the paired bootstrap interval of the difference (95 %)."""
    queries, relevant = _queries(folder)
    documents = _documents(folder, set().union(*relevant.values()), set(queries))
    names = sorted(documents)
    families = _families(folder)
    texts = [documents[name] for name in names]
    wanted = [name for name in queries if relevant[name] & documents.keys()]
    scores = {}
    for side, encode in (("ours", left), ("theirs", right)):
        vectors = encode(texts)
        asked = encode([queries[name] for name in wanted])
        cosines = asked @ vectors.T
        for row, name in zip(cosines, wanted, strict=True):
            row[[place for place, other in enumerate(names) if other in families.get(name, ())]] = -1.0
        scores[side] = np.array(
            [_ndcg(row, names, relevant[name]) for row, name in zip(cosines, wanted, strict=True)]
        )
    difference = scores["ours"] - scores["theirs"]
    rng = np.random.default_rng(1)
    means = [difference[rng.integers(len(wanted), size=len(wanted))].mean() for _ in range(RESAMPLES)]
    low, high = np.percentile(means, (2.5, 97.5))
    ours, theirs = (float(scores[side].mean()) for side in ("ours", "theirs"))
    return {
        "queries": len(wanted),
        "documents": len(names),
        "ndcg_at_10": round(ours, 4),
        "their_ndcg_at_10": round(theirs, 4),
        "difference_interval": [round(float(low), 4), round(float(high), 4)],
        "at_most_1_percent_below": ours >= 0.99 * theirs,
    }


def _queries(folder: Path) -> tuple[dict[str, str], dict[str, set[str]]]:
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "frontpage_dev_qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade = line.split("\t")
        if grade.isdigit() and int(grade):
            relevant[query].add(document)
    lines = (folder / "frontpage_dev_queries.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["_id"]: _text(row) for row in rows if row["_id"] in relevant}, relevant


def _families(folder: Path) -> dict[str, set[str]]:
    """The documents of each document's own family: they are left out of its ranking."""
    groups: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "family_groups.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        group, document = line.split("\t")
        groups[group].add(document)
    return {document: members for members in groups.values() for document in members}


def _documents(folder: Path, needed: set[str], left_out: set[str]) -> dict[str, str]:
    found, rest = {}, {}
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            if row["_id"] not in left_out:
                (found if row["_id"] in needed else rest)[row["_id"]] = _text(row)
    names = sorted(rest)
    for number in np.random.default_rng(1).permutation(len(names))[:DOCUMENTS]:
        found[names[number]] = rest[names[number]]
    return found


def _text(row: dict[str, str]) -> str:
    return f"{row.get('title', '')} {row['text']}".strip()


def _ndcg(scores: np.ndarray, names: list[str], relevant: set[str]) -> float:
    first = np.lexsort((np.arange(len(scores)), -scores))[:DEPTH]
    discounts = 1 / np.log2(np.arange(2, DEPTH + 2))
    gains = np.array([names[place] in relevant for place in first], dtype=float)
    return float((gains * discounts).sum() / discounts[: min(DEPTH, len(relevant))].sum())
