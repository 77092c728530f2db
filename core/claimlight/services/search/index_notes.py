"""What a search says about an index that is missing, or not of all documents."""

from __future__ import annotations

from claimlight.types import plural

NO_INDEX_NOTE = (
    "The library has no index yet: only keywords were searched, and nothing is highlighted. "
    "To make one: Library → Index new documents, or `claimlight index`."
)


def describe_waiting(waiting: int, documents: int) -> str:
    """Note on documents that are not indexed yet."""
    one = "is not indexed yet and was searched by keywords only"
    several = "are not indexed yet and were searched by keywords only"
    return f"{waiting:,} of {plural(documents, 'document')} {one if waiting == 1 else several}."


CLAIMS_ONLY = "indexed by title, abstract and claims only so far; keywords were searched in the whole text."
"""How `describe_claims_only` ends."""


def describe_claims_only(number: int, documents: int) -> str:
    """Note on documents whose description is not indexed yet."""
    are = "is" if number == 1 else "are"
    return f"{number:,} of {plural(documents, 'document')} {are} {CLAIMS_ONLY}"
