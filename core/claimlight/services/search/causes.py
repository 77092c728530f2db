"""Explanations of empty results: why nothing was found and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from claimlight.services.search.date_words import hidden_text
from claimlight.types import ClassFilter, ParsedQuery, PublicationNumber, ZoneCount, plural


def explain_empty_search(
    *,
    documents: int,
    indexed: bool,
    hidden: Sequence[ZoneCount],
    own: Sequence[PublicationNumber],
    found_with_own: Callable[[], int],
    classes: Sequence[ClassFilter] = (),
    classified: int = 0,
) -> str:
    """Explain a claim search without a hit.

    ``own`` are the documents whose families are left out; ``found_with_own`` counts the families found with
    them, and is called only if nothing else explains the result. ``classified`` is the number of documents
    that pass the date limit and have one of the ``classes`` that were asked for.
    """
    if not documents:
        return "The library is empty: import documents."
    if hidden:
        return f"{hidden_text(hidden)}."
    if classes and not classified:
        return _explain_classes(classes)
    if own and (many := found_with_own()):
        names = " and ".join(str(item) for item in own)
        found = plural(many, "family was found and is", "families were found and are")
        return f"{found} excluded: the family of {names}."
    if not indexed:
        return (
            "The library is not indexed, so only keywords were searched, and no document contains one of the "
            "words."
        )
    return "None of the chosen rankers found a document for the query."


def explain_empty_line(
    *,
    documents: int,
    matched: int,
    hidden: Sequence[ZoneCount],
    own: PublicationNumber | None,
    parsed: ParsedQuery,
    classes: Sequence[ClassFilter] = (),
    within: int = 0,
) -> str:
    """Explain a query line with an empty set; ``matched``: matching documents before any were left out.

    ``within``: those of them that have one of the ``classes``.
    """
    if not documents:
        return "The library is empty: import documents."
    if hidden:
        return f"{hidden_text(hidden)}."
    if matched and classes and not within:
        found = plural(matched, "document matches", "documents match")
        return f"{found}, but none has {_class_names(classes)} or a class below."
    if matched and own is not None:
        found = plural(matched, "document matches and is", "documents match and are")
        return f"{found} excluded: the family of {own}."
    nowhere = [term.text for term in parsed.terms if not term.documents]
    if nowhere:
        return f"In no document: {', '.join(nowhere)}."
    return "Each term occurs in some document, but no document matches the whole line."


def _explain_classes(classes: Sequence[ClassFilter]) -> str:
    return f"No document that may be found has {_class_names(classes)} or a class below."


def _class_names(classes: Sequence[ClassFilter]) -> str:
    return " or ".join(map(str, classes))
