"""The library's database: `Store` opens it, `writer` fills it; read it with `repository`, `fulltext`, `views`."""

from core.store.store import Store
from core.store.values import StoredDocument, StoredPassage, TextHit

__all__ = ["Store", "StoredDocument", "StoredPassage", "TextHit"]
