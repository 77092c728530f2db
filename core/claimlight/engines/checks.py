"""The contract of all engines, as checks that compare one with brute force over invented parts.

The tests run them for every adapter, and `claimlight accept` for the engine of an office. Each check begins
with the index of `prepare` and leaves it so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from claimlight.engines.exact import ExactBackend
from claimlight.engines.invented import (
    CENTERS,
    DOCUMENTS,
    STEMS,
    dense_query,
    family_of,
    make_batch,
    make_schema,
    sparse_query,
)
from claimlight.errors import EngineError
from claimlight.index.backend import (
    ALL,
    Found,
    IndexBackend,
    Leg,
    PartFilter,
    SparseVector,
    documents_of,
)

Open = Callable[[], IndexBackend]
"""Opens the engine; each time with the same store."""
NAME = "claimlight_checks"
"""Name of the index of the checks."""
RELATIVE, ABSOLUTE = 2e-5, 2e-6
"""Scores nearer than that are equal: engines compute with fp32."""
QUERIES: dict[Leg, NDArray[np.float32] | SparseVector] = {
    Leg.DENSE: dense_query(),
    Leg.CENTERS: sparse_query(CENTERS),
    Leg.WORDS: sparse_query(STEMS, 200),
}
FILTERS = {
    "all": ALL,
    "date": PartFilter(before=20080101),
    "class": PartFilter(classes=("cpc:H04",)),
    "main group or subclass": PartFilter(classes=("cpc:F16F 9", "cpc:A61B")),
    "family": PartFilter(without_families=tuple({family_of(document) for document in range(1, 120)})),
    "documents": PartFilter(documents=np.arange(5, 60, 3)),
    "without documents": PartFilter(without=np.arange(1, 250)),
    "depth": PartFilter(claims=True),
    "all together": PartFilter(before=20100101, classes=("cpc:B62K",), claims=True, without=np.arange(1, 20)),
    "no document": PartFilter(documents=np.array([9999])),
}


class CheckError(Exception):
    """An engine does not do what the contract says; the text says what it did."""


@dataclass(frozen=True, slots=True)
class Check:
    """One clause of the contract."""

    says: str
    """What must hold."""
    run: Callable[[Open], None]
    """Raises `CheckError` where it does not."""


def prepare(opened: Open, name: str = NAME) -> None:
    """Make the index of the checks, or bring it back to how they begin."""
    with closing(opened()) as backend:
        backend.ensure(make_schema(name), create=True)
        backend.delete(list(DOCUMENTS))
        backend.upsert(make_batch(DOCUMENTS))


def clear(opened: Open, name: str = NAME) -> None:
    """Remove all parts of the checks."""
    with closing(opened()) as backend:
        backend.ensure(make_schema(name))
        backend.delete(list(DOCUMENTS))


def compare(found: Found, expected: Found, what: str) -> None:
    """Raise `CheckError` unless both are the same, but for the order of what fp32 can't tell apart."""
    if len(found) != len(expected):
        raise CheckError(f"{what}: {len(found)} hits instead of {len(expected)}.")
    limit = ABSOLUTE + RELATIVE * np.abs(expected.scores)
    wrong = np.flatnonzero(~(np.abs(found.scores - expected.scores) <= limit))
    if len(wrong):
        at = int(wrong[0])
        raise CheckError(
            f"{what}: the score at rank {at + 1} is {found.scores[at]:.6g} instead of "
            f"{expected.scores[at]:.6g}."
        )
    places = {part: place for place, part in enumerate(expected.parts.tolist())}
    for rank in np.flatnonzero(found.parts != expected.parts).tolist():
        there = places.get(int(found.parts[rank]))
        # One that is not among them may be as good as the last of them.
        score = expected.scores[-1] if there is None else expected.scores[there]
        if abs(score - expected.scores[rank]) > 2 * limit[rank]:
            raise CheckError(f"{what}: another part has rank {rank + 1}.")
    if len(np.unique(found.parts)) != len(found):
        raise CheckError(f"{what}: a part was found twice.")


@cache
def _reference() -> ExactBackend:
    exact = ExactBackend()
    exact.ensure(make_schema(NAME), create=True)
    exact.upsert(make_batch(DOCUMENTS))
    return exact


def _open(opened: Open) -> IndexBackend:
    backend = opened()
    backend.ensure(make_schema(NAME))
    return backend


def _finds_what_brute_force_finds(opened: Open) -> None:
    reference = _reference()
    with closing(_open(opened)) as backend:
        for name, allowed in FILTERS.items():
            for leg, query in QUERIES.items():
                for k in (1, 20, 100):
                    found = backend.search(leg, query, allowed, k)
                    compare(found, reference.search(leg, query, allowed, k), f"{leg}, filter by {name}")
                _same_count(backend, reference, leg, allowed, name)


def _same_count(
    backend: IndexBackend, reference: IndexBackend, leg: Leg, allowed: PartFilter, name: str
) -> None:
    counted, expected = backend.count(leg, allowed), reference.count(leg, allowed)
    if counted != expected:
        raise CheckError(f"{leg}, filter by {name}: {counted} parts are counted instead of {expected}.")


def _gives_all_hits(opened: Open) -> None:
    reference = _reference()
    with closing(_open(opened)) as backend:
        for leg, query in QUERIES.items():
            for name in ("all", "all together", "documents"):
                found = backend.search(leg, query, FILTERS[name], 5000)
                compare(found, reference.search(leg, query, FILTERS[name], 5000), f"{leg}, {name}")


def _finds_nothing_for_nothing(opened: Open) -> None:
    foreign = SparseVector(np.array([STEMS + 7]), np.array([1.0], dtype=np.float32))
    empty = SparseVector(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
    with closing(_open(opened)) as backend:
        for query in (foreign, empty):
            for leg in (Leg.CENTERS, Leg.WORDS):
                found = backend.search(leg, query, ALL, 10)
                if len(found):
                    raise CheckError(f"{leg}: {len(found)} hits share nothing with the query.")


def _takes_long_lists(opened: Open) -> None:
    reference = _reference()
    lists = {
        "30,000 documents": PartFilter(documents=np.arange(2, 60_000, 2)),
        "without 10,000": PartFilter(without=np.arange(2, 20_000, 2)),
    }
    with closing(_open(opened)) as backend:
        for name, allowed in lists.items():
            for leg, query in QUERIES.items():
                found = backend.search(leg, query, allowed, 50)
                compare(found, reference.search(leg, query, allowed, 50), f"{leg}, {name}")
                _same_count(backend, reference, leg, allowed, name)


def _replaces(opened: Open) -> None:
    changed = DOCUMENTS[:50]
    exact = ExactBackend()
    exact.ensure(make_schema(NAME), create=True)
    exact.upsert(make_batch(DOCUMENTS))
    again = make_batch(changed, seed=9)
    try:
        with closing(_open(opened)) as backend:
            for each in (exact, backend):
                each.delete(changed)
                each.upsert(again)
                each.upsert(again)
            _same(backend, exact)
    finally:
        prepare(opened)


def _removes(opened: Open) -> None:
    gone = list(DOCUMENTS[::2])
    left = PartFilter(without=np.array(gone))
    reference = _reference()
    try:
        with closing(_open(opened)) as backend:
            backend.delete([*gone, 123456])
            for leg, query in QUERIES.items():
                found = backend.search(leg, query, ALL, 100)
                if set(documents_of(found.parts).tolist()) & set(gone):
                    raise CheckError(f"{leg}: a removed document is found.")
                compare(found, reference.search(leg, query, left, 100), f"{leg}, after a removal")
                counted, expected = backend.count(leg, ALL), reference.count(leg, left)
                if counted != expected:
                    raise CheckError(f"{leg}: {counted} parts are left instead of {expected}.")
    finally:
        prepare(opened)


def _same(backend: IndexBackend, reference: IndexBackend) -> None:
    for leg, query in QUERIES.items():
        compare(backend.search(leg, query, ALL, 100), reference.search(leg, query, ALL, 100), str(leg))
        _same_count(backend, reference, leg, ALL, "all")


def _is_the_same_when_opened_again(opened: Open) -> None:
    reference = _reference()
    with closing(_open(opened)) as backend:
        _same(backend, reference)
        health, expected = backend.health(), reference.health()
        if (health.sections, health.passages) != (expected.sections, expected.passages):
            raise CheckError(
                f"{health.sections} sections and {health.passages} passage pieces are reported instead of "
                f"{expected.sections} and {expected.passages}."
            )
        if not health.engine:
            raise CheckError("The engine does not say what it is.")


def _refuses_another_schema(opened: Open) -> None:
    with closing(opened()) as backend:
        _refused(
            lambda: backend.ensure(make_schema(NAME, length_exponent=0.9)),
            "another model or other settings",
        )
    with closing(opened()) as backend:
        _refused(lambda: backend.ensure(make_schema(f"{NAME}_absent")), "no index")


def _refused(call: Callable[[], object], said: str) -> None:
    try:
        call()
    except EngineError as error:
        if said not in str(error):
            raise CheckError(f"A refusal does not say “{said}”: {error}") from error
    else:
        raise CheckError(f"An index that does not fit was opened ({said}).")


def _keeps_indexes_apart(opened: Open) -> None:
    other = f"{NAME}_other"
    with closing(opened()) as second, closing(_open(opened)) as first:
        second.ensure(make_schema(other), create=True)
        second.delete([7])
        if second.count(Leg.DENSE, ALL):
            raise CheckError("A new index is not empty.")
        before = first.count(Leg.DENSE, ALL)
        second.upsert(make_batch([7]))
        if not second.count(Leg.DENSE, ALL) or first.count(Leg.DENSE, ALL) != before:
            raise CheckError("What was stored in one index is in another.")
        second.delete([7])


def _serves_threads(opened: Open) -> None:
    reference = _reference()
    legs, names = list(QUERIES), list(FILTERS)
    with closing(_open(opened)) as backend, ThreadPoolExecutor(8) as threads:

        def ask(number: int) -> tuple[Leg, str, Found]:
            leg, name = legs[number % len(legs)], names[number % len(names)]
            return leg, name, backend.search(leg, QUERIES[leg], FILTERS[name], 20)

        for leg, name, found in threads.map(ask, range(30)):
            expected = reference.search(leg, QUERIES[leg], FILTERS[name], 20)
            compare(found, expected, f"{leg}, filter by {name}, eight threads")


CHECKS: Sequence[Check] = (
    Check("each leg finds what brute force finds, under every filter", _finds_what_brute_force_finds),
    Check("all hits are given when more are asked for than there are", _gives_all_hits),
    Check("what shares nothing with the query is not found", _finds_nothing_for_nothing),
    Check("filters take long lists of documents", _takes_long_lists),
    Check("the index is the same when it is opened again", _is_the_same_when_opened_again),
    Check("another schema, and a missing index, are refused", _refuses_another_schema),
    Check("two indexes are apart", _keeps_indexes_apart),
    Check("threads may share a connection", _serves_threads),
    Check("storing parts again replaces them", _replaces),
    Check("removed documents are not found", _removes),
)
