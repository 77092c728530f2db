"""Which CPC and IPC subclasses documents have, and which documents have a subclass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select

from claimlight.store.library_tables import ClassRow
from claimlight.store.repository import cut_chunks
from claimlight.store.store import Store
from claimlight.types import Scheme

SUBCLASS = 4
"""Characters of the symbol of a subclass."""
_SCHEMES = (Scheme.CPC.value, Scheme.IPC.value)


def read_frequent_subclasses(store: Store, documents: Iterable[int], number: int) -> tuple[str, ...]:
    """The subclasses that most of some documents have, most first (ties: by symbol)."""
    counts: Counter[str] = Counter()
    symbol = func.substr(ClassRow.symbol, 1, SUBCLASS)
    with store.read() as connection:
        for some in cut_chunks(documents):
            query = select(ClassRow.document_id, symbol).where(
                ClassRow.document_id.in_(some), ClassRow.scheme.in_(_SCHEMES)
            )
            counts.update(row[1] for row in connection.execute(query.distinct()))
    return tuple(sorted(counts, key=lambda each: (-counts[each], each))[:number])


def find_in_subclasses(store: Store, subclasses: Sequence[str]) -> set[int]:
    """The documents that have one of some subclasses."""
    found: set[int] = set()
    with store.read() as connection:
        for scheme in _SCHEMES:
            for each in subclasses:
                # A range, so that the index on symbols answers.
                query = select(ClassRow.document_id).where(
                    ClassRow.scheme == scheme,
                    ClassRow.symbol >= each,
                    ClassRow.symbol < each[:-1] + chr(ord(each[-1]) + 1),
                )
                found.update(connection.execute(query).scalars())
    return found
