"""Families in a library: documents that share a family key or an application.

A record brings its keys (`claimlight.store.publication_keys.family_keys`). A grant that names a priority its
pre-grant publication forgot has another key, but the same application number; a record of the exchange
file knows the office's family identifier, one of the office only the priorities. What one record ties
together stays together: the label of joined families is the least of their keys, so the order of import
is without influence, and every joined key is remembered for the documents still to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

_LOOKUP = 400
APPLICATION = "@"
"""Prefix of applications in ``family_alias``; no other key begins with it."""
_ALIAS = """INSERT INTO family_alias (key, family_key) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET family_key = excluded.family_key"""


@dataclass(frozen=True, slots=True)
class Kin:
    """The family data of a record."""

    keys: tuple[str, ...]
    application: str
    label: str = ""
    """Label of the stored document of the same publication."""
    forgotten: bool = False
    """Whether no document will have its application, which must then be stored separately."""


class Families:
    """The families of a batch."""

    def __init__(self, joined: _JoinedFamilies, labels: dict[str, str]) -> None:
        self._joined = joined
        self._labels = labels
        self.moved = tuple(joined.moved())
        """Old and new labels of what was joined."""

    def label(self, key: str) -> str:
        """The label of a record's own key."""
        return self._joined.label(self._labels[key])


def assign_families(connection: Connection, records: Sequence[Kin]) -> Families:
    """Join the families that the records connect; relabels stored documents."""
    own = {key for record in records for key in record.keys}
    applications = {record.application for record in records} - {""}
    labels = {key: key for key in own}
    labels |= dict(_lookup(connection, "SELECT key, family_key FROM family_alias WHERE key", own))
    seen = _load_labels(connection, applications)
    joined = _JoinedFamilies()
    for record in records:
        label, *others = [labels[key] for key in record.keys]
        joined.add(label)
        if record.application:
            others += seen.setdefault(record.application, [label])
        for other in (*others, *filter(None, (record.label,))):
            joined.join(label, other)
    families = Families(joined, labels)
    _relabel(connection, families.moved)
    _remember(connection, [record for record in records if record.forgotten], families)
    return families


def _relabel(connection: Connection, moved: Sequence[tuple[str, str]]) -> None:
    if not moved:
        return
    pairs = [(new, old) for old, new in moved]
    run = connection.exec_driver_sql
    run("UPDATE document SET family_key = ? WHERE family_key = ?", pairs)
    run("UPDATE family_alias SET family_key = ? WHERE family_key = ?", pairs)
    # The old label leads to the new one: a document with that key may still come.
    run(_ALIAS, [(old, new) for old, new in moved])


def _remember(connection: Connection, records: Sequence[Kin], families: Families) -> None:
    rows = [
        (APPLICATION + record.application, families.label(record.keys[0]))
        for record in records
        if record.application
    ]
    if rows:
        connection.exec_driver_sql(_ALIAS, rows)


def _load_labels(connection: Connection, applications: Iterable[str]) -> dict[str, list[str]]:
    """Family labels in the library by application."""
    query = "SELECT DISTINCT application_key, family_key FROM document WHERE application_key"
    found: dict[str, list[str]] = {}
    wanted = list(applications)
    for application, label in _lookup(connection, query, wanted):
        found.setdefault(application, []).append(label)
    query = "SELECT key, family_key FROM family_alias WHERE key"
    for key, label in _lookup(connection, query, [APPLICATION + item for item in wanted]):
        found.setdefault(key.removeprefix(APPLICATION), []).append(label)
    return found


def _lookup(connection: Connection, query: str, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of ``query`` (ending in a column) for the keys, in chunks."""
    wanted = list(keys)
    for start in range(0, len(wanted), _LOOKUP):
        some = tuple(wanted[start : start + _LOOKUP])
        marks = ", ".join("?" * len(some))
        rows = connection.exec_driver_sql(f"{query} IN ({marks})", some)
        yield from ((key, value) for key, value in rows)


class _JoinedFamilies:
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
