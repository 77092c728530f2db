"""What a search says about an index that is missing, or not of all documents."""

from __future__ import annotations

from collections.abc import Sequence

from claimlight.types import Ranker, plural

NO_INDEX_NOTE = (
    "The library has no index yet: only keywords were searched, and nothing is highlighted. "
    "To make one: Library → Index new documents, or `claimlight index`."
)

NO_SHARED_INDEX_NOTE = (
    "The shared library has no index yet: only query lines find documents in it. To make one: "
    "`claimlight push`."
)
NO_SHARED_INDEX_NOW = "No ranker could search, and only query lines find documents"


def describe_gone(rankers: Sequence[Ranker], reason: str, *, every: bool) -> str:
    """Note on rankers that the engine of a shared library gave nothing for; ``every``: no other was asked."""
    if every:
        return f"No ranker could search: {reason} Query lines without semantic operators still work."
    return f"The shared library was searched without {_name(rankers)}: {reason}"


def describe_uncounted(rankers: Sequence[Ranker], reason: str) -> str:
    """Note on rankers that gave nothing only when documents hidden by the date limit were counted."""
    return f"What the date limit hides was counted without {_name(rankers)}: {reason}"


def _name(rankers: Sequence[Ranker]) -> str:
    return " and ".join(filter(None, [", ".join(_NAMES[each] for each in rankers[:-1]), _NAMES[rankers[-1]]]))


_NAMES = {Ranker.BM25: "keywords", Ranker.DENSE: "semantic search", Ranker.CENTERS: "concepts"}


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
