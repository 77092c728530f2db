"""How much of a document is in the semantic index."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class IndexDepth(StrEnum):
    """How much of a document is searched semantically; keywords are searched in all of it."""

    NONE = "not indexed"
    CLAIMS = "claims and abstract"
    """Title, abstract and claims, and passages of the description that a search has read."""
    FULL = "full text"


@dataclass(frozen=True, slots=True)
class PassagesRead:
    """How much of a description that is not indexed searches have read."""

    read: int = 0
    passages: int = 0
    """Of how many, where some were read."""


NONE_READ = PassagesRead()
