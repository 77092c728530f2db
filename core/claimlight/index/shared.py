"""The index of a shared library, searched as one in a folder is."""

from __future__ import annotations

from dataclasses import dataclass

from claimlight.index.backend import IndexBackend, IndexSource, WordStatistics


@dataclass(frozen=True, slots=True, eq=False)
class SharedParts:
    """The index of a shared library: what holds it, and what knows of it."""

    backend: IndexBackend
    source: IndexSource
    words: WordStatistics | None = None
    """None: those in the library's own database."""
