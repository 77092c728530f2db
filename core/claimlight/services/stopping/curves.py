"""The coverage curve: features found and relevant documents after each document read."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from claimlight.services.library.library import Library
from claimlight.services.search import matrix as matrices
from claimlight.services.search.confirmations import (
    apply_confirmations,
    feature_digest,
    place_confirmations,
    rejected_passages,
)
from claimlight.services.search.search import SearchEngine
from claimlight.services.search.search_input import input_from_case
from claimlight.services.stopping.history import relevant_places
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.types import (
    RELEVANT,
    Case,
    Category,
    Confirmation,
    CoverageCurve,
    CurvePoint,
    Decision,
    DocumentRead,
    Feature,
    Mark,
    MatrixRow,
    PublicationNumber,
)

Covered = Mapping[PublicationNumber, Collection[str]]
"""The features that the evidence covers in a document, by the digests of their words."""


def covered_features(
    features: Sequence[Feature], rows: Iterable[MatrixRow]
) -> dict[PublicationNumber, frozenset[str]]:
    """The features whose cells count as disclosed (`MatrixCell.disclosed`), of each row."""
    digests = {feature.label: feature_digest(feature.text) for feature in features}
    return {
        row.patent.publication: frozenset(
            digests[cell.feature] for cell in row.cells if cell.disclosed and cell.feature in digests
        )
        for row in rows
    }


def compare_documents_read(
    engine: SearchEngine,
    library: Library,
    settings: Settings,
    case: Case,
    reading: Sequence[DocumentRead],
    confirmations: Sequence[Confirmation],
    context: TaskContext,
) -> dict[PublicationNumber, frozenset[str]]:
    """`covered_features` of the documents read that are in a library, with the decisions of the case.

    `InputError` for a case without claims, `ResourceError` without a usable index.
    """
    query = input_from_case(case).query
    found = (repository.find(library.store, item.publication) for item in reading)
    patents = [patent for patent in found if patent is not None]
    made = matrices.coverage_matrix(
        engine,
        library,
        settings,
        query,
        patents,
        context,
        rejected=rejected_passages(query.features, confirmations),
    )
    decided = apply_confirmations(made, place_confirmations(library, confirmations))
    return covered_features(decided.features, decided.every_row)


def draw_curve(
    case: Case,
    reading: Sequence[DocumentRead],
    marks: Sequence[Mark],
    confirmations: Sequence[Confirmation],
    *,
    covered: Covered | None = None,
    relevant: Collection[Category] = RELEVANT,
) -> CoverageCurve:
    """The curve of the features that the claim has now; a family is one document.

    A passage counts in the document it is of, whenever it was confirmed. ``covered`` has the documents whose
    cells are known.
    """
    known = covered or {}
    families = [(item.publication, *item.family) for item in reading]
    places = {number: place for place, family in enumerate(families) for number in family}
    confirmed: list[set[str]] = [set() for _ in reading]
    for item in confirmations:
        if item.decision is Decision.CONFIRMED:
            confirmed[places[item.publication]].add(item.feature_digest)
    good = Counter(relevant_places(places, marks, relevant))
    labels: dict[str, list[str]] = {}
    for n, text in enumerate(case.features, 1):
        labels.setdefault(feature_digest(text), []).append(f"F{n}")
    found: set[str] = set()
    reached: set[str] = set()
    points = []
    number = 0
    for place, family in enumerate(families):
        here = confirmed[place]
        near = here.union(*(known.get(member, ()) for member in family))
        first = [label for key in labels if key in here - found for label in labels[key]]
        first_covered = [label for key in labels if key in near - reached for label in labels[key]]
        found |= here
        reached |= near
        number += good[place]
        points.append(
            CurvePoint(
                place + 1,
                family[0],
                sum(len(labels[key]) for key in labels if key in found),
                sum(len(labels[key]) for key in labels if key in reached),
                number,
                tuple(first),
                tuple(first_covered),
            )
        )
    compared = sum(any(member in known for member in family) for family in families)
    every = tuple(f"F{n}" for n in range(1, len(case.features) + 1))
    return CoverageCurve(every, tuple(points), compared)


def curve_table(found: CoverageCurve) -> str:
    """The points as CSV: place, publication, features confirmed and covered, relevant documents, labels."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ("place", "publication", "confirmed", "covered", "relevant", "first_confirmed", "first_covered")
    )
    for each in found.points:
        labels = (" ".join(each.first_confirmed), " ".join(each.first_covered))
        writer.writerow((each.place, each.publication, each.confirmed, each.covered, each.relevant, *labels))
    return text.getvalue()
