"""Dense retrieval of whole applications: is a document found by its description alone, asked with its claims?

    python -m bench.own_section --library L --out own.json

The claims of every document ask; against them stand the description of the document itself, whose claims and
abstract are taken away, and all sections of all documents of other families. A proxy, as in
`bench.effect_passages`, but one that shows what a space does to sections: the claims of others look like
claims. Differences are to the vectors as they ship, paired over the documents.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from core.evaluation.embedding.diagnostics import unit_rows
from core.evaluation.embedding.library import of_library
from core.evaluation.embedding.sets import VectorSet
from core.evaluation.embedding.transforms import Transform
from core.evaluation.significance import bootstrap, paired
from core.index.sections import SectionKind
from core.services.library import Library
from core.tasks import TaskContext

SPACES = ("centered", "centered-by-section", "pca:128", "without-top:3")
_BLOCK = 256


def ranks(found: VectorSet) -> np.ndarray:
    """[q] of the own description, from 1, among documents by their best section."""
    unit = unit_rows(found.vectors).astype(np.float32)
    claims, description = found.rows(SectionKind.CLAIMS), found.rows(SectionKind.DESCRIPTION)
    own = np.flatnonzero((claims >= 0) & (description >= 0))
    order = np.argsort(found.documents, kind="stable")
    owners = found.documents[order]
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    families = found.families[owners[starts]]
    made = []
    for begin in range(0, len(own), _BLOCK):
        some = own[begin : begin + _BLOCK]
        cosines = unit[claims[some]] @ unit[order].T
        best = np.maximum.reduceat(cosines, starts, axis=1)
        best[families[None, :] == found.families[some][:, None]] = -np.inf
        mine = np.einsum("ij,ij->i", unit[claims[some]], unit[description[some]])
        made.append(1 + (best > mine[:, None]).sum(axis=1))
    return np.concatenate(made)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with Library.open(arguments.library, read_only=True) as library:
        given, _ = of_library(library, "as it ships", TaskContext())
    rows, base = [], None
    for found in (given, *(Transform.parse(name).of(given) for name in SPACES)):
        reached = ranks(found)
        reciprocal = 1.0 / reached
        base = reciprocal if base is None else base
        difference = paired(reciprocal, base)
        row = {
            "space": found.name,
            "queries": len(reached),
            "RR": float(reciprocal.mean()),
            "RR interval": bootstrap(reciprocal),
            "R@1": float((reached <= 1).mean()),
            "R@10": float((reached <= 10).mean()),
            "RR against base": [difference.mean, difference.low, difference.high, difference.p],
        }
        rows.append(row)
        print(json.dumps(row), flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
