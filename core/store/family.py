"""Families inside a library: documents of one application belong together, whatever their priorities.

A document brings its own key (`core.store.numbers.family_key`). A grant that names a priority its
pre-grant publication forgot has another key, but the same application number; then the two families
are one. The label of joined families is the least of their keys, so the order of import is without
influence, and every joined key is remembered for the documents still to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from core.store.rows import DocumentRows

_LOOKUP = 400


def assign_families(connection: Connection, records: Sequence[DocumentRows]) -> dict[str, str]:
    """The label of each record's own key; relabels stored documents where families join."""
    own = {record.family_key for record in records}
    labels = {key: key for key in own}
    labels |= dict(_lookup(connection, "SELECT key, family_key FROM family_alias WHERE key", own))
    joined = _Joined()
    seen = _stored(connection, records)
    for record in records:
        label = labels[record.family_key]
        joined.add(label)
        if record.application_key:
            for other in seen.setdefault(record.application_key, [label]):
                joined.join(label, other)
    for key, label in joined.moved():
        connection.exec_driver_sql("UPDATE document SET family_key = ? WHERE family_key = ?", (label, key))
        connection.exec_driver_sql(
            "UPDATE family_alias SET family_key = ? WHERE family_key = ?", (label, key)
        )
        connection.exec_driver_sql(
            "INSERT OR REPLACE INTO family_alias (key, family_key) VALUES (?, ?)", (key, label)
        )
    return {key: joined.label(label) for key, label in labels.items()}


def _stored(connection: Connection, records: Sequence[DocumentRows]) -> dict[str, list[str]]:
    """Family labels in the library by application."""
    applications = {record.application_key for record in records} - {""}
    query = "SELECT DISTINCT application_key, family_key FROM document WHERE application_key"
    found: dict[str, list[str]] = {}
    for application, label in _lookup(connection, query, applications):
        found.setdefault(application, []).append(label)
    return found


def _lookup(connection: Connection, query: str, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of ``query`` (ending in a column) for the keys, in chunks."""
    wanted = list(keys)
    for start in range(0, len(wanted), _LOOKUP):
        some = tuple(wanted[start : start + _LOOKUP])
        marks = ", ".join("?" * len(some))
        rows = connection.exec_driver_sql(f"{query} IN ({marks})", some)
        yield from ((key, value) for key, value in rows)


class _Joined:
    """Sets of labels that are one family; the least label stands for its set."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def add(self, label: str) -> None:
        self._parent.setdefault(label, label)

    def label(self, label: str) -> str:
        while (above := self._parent[label]) != label:
            label = above
        return label

    def join(self, one: str, other: str) -> None:
        self.add(other)
        first, second = sorted((self.label(one), self.label(other)))
        self._parent[second] = first

    def moved(self) -> Iterator[tuple[str, str]]:
        for label in self._parent:
            if (root := self.label(label)) != label:
                yield label, root
