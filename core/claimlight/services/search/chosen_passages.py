"""Passages and figures that the examiner chose: to cite with a category, or to write a note on."""

from __future__ import annotations

from datetime import datetime

from claimlight.errors import InputError
from claimlight.services.drawings.drawings import list_drawings
from claimlight.services.library.documents import view
from claimlight.services.library.library import Library
from claimlight.services.search.charting import passage_digest
from claimlight.store import repository
from claimlight.store.values import StoredPassage
from claimlight.tasks import TaskContext
from claimlight.types import MarkedPassage, PassageId, PassageNote, PatentId, Span


def choose_passage(library: Library, passage: StoredPassage | PassageId) -> MarkedPassage:
    """A passage as a mark keeps it; `InputError` if it is no longer in the library."""
    found = _stored(library, passage)
    return MarkedPassage(found.label, found.text, passage_digest(found.text))


def choose_figure(library: Library, patent: PatentId, label: str, context: TaskContext) -> MarkedPassage:
    """A figure as a mark keeps it, by its label (``3``, ``2A``); `InputError` if the document has none."""
    known = [
        each.label for each in list_drawings(library, patent, view(library, patent).passages, context).figures
    ]
    if label not in known:
        has = f"its figures are {', '.join(known)}" if known else "its text names no figures"
        raise InputError(
            f"{repository.read_publications(library.store, [patent])[patent]} has no figure {label}: {has}."
        )
    return MarkedPassage.of_figure(label)


def make_passage_note(
    library: Library,
    passage: StoredPassage | PassageId,
    note: str,
    *,
    at: datetime,
    words: Span | None = None,
) -> PassageNote:
    """A note on a passage, or on words of it; `InputError` if it is no longer in the library."""
    found = _stored(library, passage)
    publication = repository.read_publications(library.store, [found.patent])[found.patent]
    return PassageNote(
        publication, found.label, found.text, passage_digest(found.text), note.strip(), at, words
    )


def _stored(library: Library, passage: StoredPassage | PassageId) -> StoredPassage:
    if isinstance(passage, StoredPassage):
        return passage
    found = repository.read_passages(library.store, [passage]).get(passage)
    if found is None:
        raise InputError("This passage is no longer in the library: open its document again.")
    return found
