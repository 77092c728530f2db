"""How passages are cited: by what is printed in the document, else by the place in its file."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from claimlight.types.number_formats import format_publication

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claimlight.types.patents import PublicationNumber

_NUMBERED_KINDS = frozenset({"A1", "A2", "A9", "P1", "P4", "P9"})
"""Kinds of US publications that are printed with paragraph numbers. Patents, reissues and everything before
2001 are printed in numbered columns; the numbers in their files are not printed."""
_PRINTED = re.compile(r"\[0*(\d+)\]")
_UNNUMBERED = re.compile(r"p\. (\d+)")
_CLAIM = re.compile(r"claim (\d+)")


def prints_paragraph_numbers(publication: PublicationNumber) -> bool:
    """Whether paragraph numbers in the file of a publication are printed in it too."""
    return publication.country != "US" or publication.kind in _NUMBERED_KINDS


def cite_passages(publication: PublicationNumber, labels: Iterable[str]) -> str:
    """A citation of adjoining passages by their labels, in reading order.

    ``EP 1 234 567 A1, [0042]``, ``EP 1 234 567 A1, claims 7 to 9``. A US patent is printed in columns, which
    no file has: its paragraphs are cited by their place, ``US 8,419,064 B2, paragraph 42 of the file``, as
    are those without a number.
    """
    numbered = prints_paragraph_numbers(publication)
    parts = [format_publication(str(publication))]
    places = [_place(label, numbered=numbered) for label in dict.fromkeys(labels)]
    for form, group in groupby(places, key=lambda place: place[0]):
        numbers = [number for _, number in group]
        one, several = form
        parts.append(several.format(numbers[0], numbers[-1]) if len(numbers) > 1 else one.format(numbers[0]))
    return ", ".join(parts)


def cite_passage(publication: PublicationNumber, label: str) -> str:
    """A citation of one passage; without a label that of the document."""
    return cite_passages(publication, [label] if label else [])


_CLAIMS = "claim {}", "claims {} to {}"
_NUMBERED = "[{}]", "[{}] to [{}]"
_COUNTED = "paragraph {} of the file", "paragraphs {} to {} of the file"


def _place(label: str, *, numbered: bool) -> tuple[tuple[str, str], str]:
    """How one passage and how several are cited, and the number of this one."""
    if found := _CLAIM.fullmatch(label):
        return _CLAIMS, found[1]
    if (found := _PRINTED.fullmatch(label)) and numbered:
        return _NUMBERED, label[1:-1]
    if found := found or _UNNUMBERED.fullmatch(label):
        return _COUNTED, found[1]
    return ("{}", "{} to {}"), label
