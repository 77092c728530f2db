"""Classes by a symbol in any spelling or by the words of titles."""

from __future__ import annotations

from dataclasses import replace

from claimlight.errors import InputError
from claimlight.services.classes.schemes import Schemes
from claimlight.tasks import TaskContext
from claimlight.types import ClassHit, ClassHits, Scheme


def find_classes(
    schemes: Schemes, text: str, scheme: Scheme, version: str, context: TaskContext, *, top: int
) -> ClassHits:
    """The class whose symbol is written, then those with the words in their titles, best first."""
    try:
        view = schemes.show(text, scheme=scheme, version=version)
    except InputError:
        return schemes.search(text, context, scheme=scheme, version=version, top=top)
    own = ClassHit(view.entry, view.path, 0.0)
    try:
        others = schemes.search(text, context, scheme=scheme, version=version, top=top)
    except InputError:
        return ClassHits(view.edition, (own,), partial=False)
    left = () if others.partial else tuple(hit for hit in others.hits if hit.entry != view.entry)
    return replace(others, hits=(own, *left)[:top], partial=False)
