"""Invented parts under the names of the tests of engines."""

from __future__ import annotations

from claimlight.engines.invented import CENTERS, DIM, STEMS, dense_query, make_schema, sparse_query
from claimlight.engines.invented import make_batch as batch

__all__ = ["CENTERS", "DIM", "STEMS", "batch", "dense_query", "schema", "sparse_query"]


def schema(name="claimlight_test", **changed):
    return make_schema(name, **changed)
