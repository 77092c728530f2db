"""The one list of dialects. A new one is a module with a `Format`, a line here and a sample folder."""

from __future__ import annotations

from core.formats import ep, jsonl, marec, us_application, us_grant
from core.formats.base import Format

FORMATS: tuple[Format, ...] = (
    us_grant.FORMAT,
    us_application.FORMAT,
    ep.FORMAT,
    marec.FORMAT,
    jsonl.FORMAT,
)

LINES = jsonl.FORMAT
"""The dialect whose documents are lines."""

ROOTS = frozenset({us_grant.ROOT, us_application.ROOT, ep.ROOT, marec.ROOT, "sequence-cwu"})
"""Root elements that start a document in a concatenated file, wherever it stands."""
