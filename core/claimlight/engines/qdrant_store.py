"""What the adapter asks of an engine of Qdrant, wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from claimlight.index.backend import Leg

Vector = list[float] | tuple[list[int], list[float]]
"""Dense, or indices and values."""
FIELDS: Mapping[str, str] = {
    "document": "integer",
    "published": "integer",
    "family": "integer",
    "classes": "keyword",
    "claims": "integer",
}
"""Fields of a point, and how Qdrant calls their types."""


@dataclass(frozen=True, slots=True)
class Point:
    """What is stored of a part."""

    part: int
    vectors: Mapping[str, Vector]
    """By leg; a part may lack any."""
    payload: Mapping[str, Any]


class QdrantStore(Protocol):
    """Collections of Qdrant, on a server or elsewhere; raises `EngineError` as `IndexBackend` does."""

    @property
    def place(self) -> str:
        """Names it in messages."""
        ...

    @property
    def words(self) -> Any:
        """The classes of a filter: ``Filter``, ``FieldCondition``, ``Range``, ``MatchAny`` and ``HasId``."""
        ...

    def schema(self, collection: str) -> str | None:
        """The text kept with a collection, empty if none is; None without such a collection."""
        ...

    def create(self, collection: str, schema: str, dim: int | None) -> None:
        """Make a collection with a dense vector of ``dim``, or else with those of the sparse legs.

        One that is there already is left as it is.
        """
        ...

    def index(self, collection: str) -> None:
        """Index the fields of `FIELDS`."""
        ...

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Store points, durable and visible when it returns."""
        ...

    def delete(self, collection: str, condition: Any) -> None:
        """Remove the points that a filter lets pass."""
        ...

    def query(
        self, collection: str, leg: Leg, vector: Vector, condition: Any, k: int, *, exact: bool, ef: int
    ) -> list[tuple[int, float]]:
        """Up to ``k`` parts with their scores."""
        ...

    def count(self, collection: str, condition: Any) -> int:
        """Exact number of points that a filter lets pass; None lets all pass."""
        ...

    def version(self) -> str:
        """Name and version of what answers."""
        ...

    def notes(self) -> tuple[str, ...]:
        """See `EngineHealth.notes`."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
