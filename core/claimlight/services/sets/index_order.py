"""Which descriptions are indexed, and which first, from what a user names: sets, classes, dates, a case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from claimlight.errors import InputError
from claimlight.retrieval.boolean.field_values import parse_days
from claimlight.retrieval.boolean.fields import Field
from claimlight.retrieval.boolean.lookups import look_up
from claimlight.services.indexing.order import NearCase
from claimlight.services.search.class_filter import find_class_members
from claimlight.services.sets.set_members import SetMembers, find_documents
from claimlight.store import repository
from claimlight.store.subclasses import SUBCLASS, read_frequent_subclasses
from claimlight.types import Case, Category, ClassFilter, Mark, QuerySet, Scheme, SetHit, plural

if TYPE_CHECKING:
    from claimlight.services.library.library import Library

_MEMBERS = 2000
"""Most documents of the sets of a case that come first."""
_CLASSES = 8


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """What the indexed descriptions are limited to: documents that satisfy every limit that is given."""

    sets: tuple[QuerySet, ...] = ()
    """Members of at least one of them."""
    classes: tuple[ClassFilter, ...] = ()
    """Documents with at least one of them, or one below it."""
    published: str = ""
    """A day, a month, a year, or a range of them, as in a query line: ``2010..2012``."""


def find_limited(library: Library, limits: IndexLimits) -> frozenset[int] | None:
    """The documents that satisfy the limits; None if there is no limit. `InputError` for what is no date."""
    found: list[frozenset[int]] = []
    if limits.sets:
        members = (find_documents(library.store, item.hits) for item in limits.sets)
        found.append(frozenset[int]().union(*members))
    if limits.classes:
        found.append(frozenset(find_class_members(library, limits.classes).ids.tolist()))
    if limits.published:
        try:
            days = parse_days(Field.PUBLISHED, limits.published)
        except ValueError as error:
            raise InputError(str(error)) from error
        with library.store.read() as connection:
            found.append(frozenset(np.asarray(look_up(connection, days)).tolist()))
    return frozenset.intersection(*found) if found else None


def explain_no_document(library: Library, limits: IndexLimits) -> str:
    """Say that no document satisfies limits, and why if one limit alone has none.

    Classes may have documents in the other scheme, and a library may hold neither classes nor dates.
    """
    if limits.classes and not _any(library, "SELECT 1 FROM class_symbol LIMIT 1"):
        return "The documents of this library name no classes."
    if limits.published and not _any(library, "SELECT 1 FROM document WHERE published IS NOT NULL LIMIT 1"):
        return "The documents of this library have no publication dates."
    for each in limits.classes:
        other = replace(each, scheme=Scheme.IPC if each.scheme is Scheme.CPC else Scheme.CPC)
        if not len(find_class_members(library, (each,)).ids):
            many = len(find_class_members(library, (other,)).ids)
            has = f"; {plural(many, 'document has', 'documents have')} {other}" if many else ""
            return f"No document has {each} or a class below{has}."
    return "No document satisfies all the limits, so there is no description to index."


def _any(library: Library, query: str) -> bool:
    with library.store.read() as connection:
        return connection.exec_driver_sql(query).first() is not None


def near_case(library: Library, case: Case, marks: Iterable[Mark], sets: Sequence[QuerySet]) -> NearCase:
    """The documents that matter to a case.

    First the marked documents, X and Y before A, then the members of its sets, the latest set first. Its
    classes are those accepted for the application and those its searches are restricted to, or else those of
    the document under examination.
    """
    members = SetMembers(library.store)
    version = repository.read_library_version(library.store)
    ranked = sorted(
        # An irrelevant document does not come first; one with a note only comes after those with a category.
        (mark for mark in marks if mark.category is not Category.IRRELEVANT),
        key=lambda mark: mark.strength,
    )
    first = members.members([SetHit(mark.publication, 0.0) for mark in ranked], version).ids.tolist()
    for item in reversed(sets):
        if len(first) >= _MEMBERS:
            break
        first += members.members(item.hits, version).ids[:_MEMBERS].tolist()
    dates = case.dates.relevant() if case.dates is not None else None
    return NearCase(
        documents=tuple(document for document in dict.fromkeys(first) if document)[:_MEMBERS],
        subclasses=_subclasses(library, case),
        before=case.limit or dates or case.reference_date,
    )


def _subclasses(library: Library, case: Case) -> tuple[str, ...]:
    named = [item.symbol[:SUBCLASS] for item in case.classes]
    named += [item.symbol[:SUBCLASS] for item in case.within]
    if named or case.publication is None:
        return tuple(dict.fromkeys(named))
    examined = repository.find(library.store, case.publication)
    return () if examined is None else read_frequent_subclasses(library.store, (examined,), _CLASSES)
