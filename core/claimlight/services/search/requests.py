"""Making and checking the request of a claim search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from claimlight.errors import InputError
from claimlight.types import (
    SEARCH_RANKERS,
    TOP,
    ClassFilter,
    PublicationNumber,
    Query,
    Ranker,
    ReferenceDates,
    SearchRequest,
    plural,
)

MAX_QUERY = 50_000
"""Maximum length of a query in code points: several times the longest real claim."""


def claim_search(
    query: Query,
    *,
    claim: int = 0,
    dates: ReferenceDates | None = None,
    before: date | None = None,
    own_family: PublicationNumber | None = None,
    legs: Sequence[Ranker] = SEARCH_RANKERS,
    top: int = TOP,
    classes: Sequence[ClassFilter] = (),
) -> SearchRequest:
    """Make the request of a claim search, for window and command line alike.

    Documents of every date status are searched unless ``before`` is given; ``dates`` only give each hit its
    status. ``own_family`` is the application under examination, or a member of its family in the library. Of
    ``classes`` a document must have one, or one below it; none: all documents.
    """
    return SearchRequest(
        query=query,
        before=before,
        exclude_family_of=own_family,
        top=top,
        legs=tuple(legs) or SEARCH_RANKERS,
        reference=dates,
        claim=claim,
        classes=tuple(classes),
    )


def check_request(request: SearchRequest) -> tuple[SearchRequest, tuple[str, ...]]:
    """Check a request and shorten its query; returns notes on what was changed."""
    query = request.query
    if not any(character.isalnum() for character in query.text):
        raise InputError("The query is empty: give a claim, a text or a publication number.")
    if not request.legs:
        raise InputError("No ranker was chosen: give at least one of bm25, dense, centers.")
    if request.top < 1:
        raise InputError(f"The number of hits must be 1 or more, not {request.top}.")
    shorter, notes = cut_query(query)
    return replace(request, query=shorter), notes


def cut_query(query: Query) -> tuple[Query, tuple[str, ...]]:
    """The query cut to `MAX_QUERY`, without the features beyond, and a note if it was cut."""
    if len(query.text) <= MAX_QUERY:
        return query, ()
    features = tuple(feature for feature in query.features if feature.span.end <= MAX_QUERY)
    left = len(query.features) - len(features)
    note = f"The query has {len(query.text):,} characters; only the first {MAX_QUERY:,} were searched."
    if left:
        note += f" {plural(left, 'feature')} beyond that left out."
    return replace(query, text=query.text[:MAX_QUERY], features=features), (note,)
