"""What documents of a matrix have together: the pairs that match a claim best, and what one of them lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.highlight.matrix import list_lacking
from claimlight.highlight.pairs import combine, find_best_pairs
from claimlight.services.search.pair_words import describe_far, describe_partly_read, notes_of_pairs
from claimlight.types import (
    COMBINABLE,
    ByHand,
    CoverageMatrix,
    DocumentPair,
    LeftOut,
    MatrixRow,
    Pairs,
    PatentId,
    Residual,
    SearchRequest,
    Unjudged,
)

PAIRS = 50
"""Default number of pairs."""
NO_ROW = "The document is not indexed yet: index it to see which features it lacks."


def choose_to_read_on(rows: Sequence[MatrixRow], number: int) -> list[MatrixRow]:
    """The documents of which a judge reads more passages, at most ``number``; ``rows`` in the order given.

    The first one that the judge reads, of a search the nearest: first passages say less of real documents.
    Half of the others disclose most, and the rest complement one of these: D2 of a good pair may disclose
    little else, and would not be among the first.
    """
    if not rows or number < 1:
        return []
    features = len(rows[0].cells)
    cells, probable = match_strengths(rows, features), probabilities(rows, features)
    first = int(probable.any(axis=1).argmax())
    order = [int(place) for place in np.argsort(-cells.sum(axis=1), kind="stable") if place != first]
    chosen = [first, *order[: number // 2]]
    while len(chosen) < min(number, len(rows)):
        sums = [combine(cells[place], cells, probable[place] & probable).sum(axis=1) for place in chosen]
        together = np.max(sums, axis=0)
        together[chosen] = -np.inf
        chosen.append(int(np.argmax(together)))
    return [rows[place] for place in chosen]


def pairs(matrix: CoverageMatrix, *, limit: int = PAIRS, every_status: bool = False) -> Pairs:
    """The pairs of documents that together match most of the claim, best first; every pair is computed.

    Where a judge has read on in two or more, the others are in no pair unless the examiner has confirmed a
    cell of theirs: what the first passages say is too little to combine. Documents whose dates exclude them
    for inventive step or obviousness are in no pair unless ``every_status``; those with a missing date are.
    Records with an abstract only take part.
    """
    out = [
        LeftOut(row.patent.id, row.dates.standing)
        for row in matrix.every_row
        if row.dates.standing not in COMBINABLE and not every_status
    ]
    without = {item.patent for item in out}
    rows, notes = [row for row in matrix.every_row if row.patent.id not in without], list[str]()
    # Before it reads on in any, all rows are of one kind.
    first_only = matrix.first_only if any(row.read_on for row in rows) else frozenset()
    read = [row for row in rows if row.patent.id not in first_only or _has_confirmed(row)]
    if 2 <= len(read) < len(rows):
        rows, notes = read, [describe_partly_read(len(read), len(rows) - len(read))]
    labels = [feature.label for feature in matrix.features]
    shape = (len(rows), len(labels))  # NumPy makes an array of one dimension of no rows
    likely, disclosed = (
        np.array(cells, dtype=np.bool_).reshape(shape)
        for cells in (
            [[cell.likely for cell in row.cells] for row in rows],
            [[cell.disclosed for cell in row.cells] for row in rows],
        )
    )
    found = find_best_pairs(
        match_strengths(rows, len(labels)),
        probabilities(rows, len(labels)),
        likely,
        limit=limit,
        sure=disclosed,
    )
    made: list[DocumentPair] = []
    for first, second, together, gain in zip(
        found.first.tolist(), found.second.tolist(), found.covered.tolist(), found.gain.tolist(), strict=True
    ):
        one, two = likely[first], likely[second]
        made.append(
            DocumentPair(
                first=rows[first].patent.id,
                second=rows[second].patent.id,
                strength=together,
                gain=gain,
                only_first=tuple(compress(labels, one & ~two)),
                only_second=tuple(compress(labels, two & ~one)),
                both=tuple(compress(labels, one & two)),
                neither=tuple(compress(labels, ~(one | two))),
            )
        )
    most = max((len(labels) - len(pair.neither) for pair in made), default=len(labels))
    if 2 * most < len(labels):
        notes.append(describe_far(most, len(labels)))
    told = (*notes_of_pairs(rows, matrix.reference, matrix.claim), *notes)
    return Pairs(tuple(made), tuple(out), told, len(rows))


def _has_confirmed(row: MatrixRow) -> bool:
    return any(cell.by_hand is ByHand.CONFIRMED for cell in row.cells)


def match_strengths(rows: Sequence[MatrixRow], features: int) -> NDArray[np.float64]:
    """[D, F] what each cell counts, see `MatrixCell.counted`."""
    cells = [[cell.counted for cell in row.cells] for row in rows]
    return np.array(cells, dtype=np.float64).reshape(len(rows), features)


def probabilities(rows: Sequence[MatrixRow], features: int) -> NDArray[np.bool_]:
    """[D, F] whether what a cell counts is a probability: a ruling, or a decision of the examiner."""
    cells = [[cell.probable for cell in row.cells] for row in rows]
    return np.array(cells, dtype=np.bool_).reshape(len(rows), features)


def residual(matrix: CoverageMatrix, patent: PatentId, request: SearchRequest) -> Residual:
    """The features that a document of the matrix lacks, and a request that searches for them alone.

    ``request`` has dates, family and depth of that search; the document and its family are left out of it,
    and its hits are ordered by gain over the document. `InputError` if the document is not in the matrix.
    """
    row = next((row for row in matrix.every_row if row.patent.id == patent), None)
    if row is None or any(cell.cause is Unjudged.NOT_INDEXED for cell in row.cells):
        raise InputError(NO_ROW)
    missing, over = list_lacking(row), row.patent.publication
    asked = replace(request, query=matrix.query, only=missing, over=over) if missing else None
    return Residual(patent, missing, asked, row.dates)
