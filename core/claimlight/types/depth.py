"""How much of a document is in the semantic index."""

from __future__ import annotations

from enum import StrEnum


class IndexDepth(StrEnum):
    """How much of a document is searched semantically; keywords are searched in all of it."""

    NONE = "not indexed"
    CLAIMS = "claims and abstract"
    """Title, abstract and claims, and passages of the description that a search has read."""
    FULL = "full text"
