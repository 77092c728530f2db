"""What the user chooses to be indexed, as options of `claimlight index`, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from claimlight_workbench.language import tr

QUICK, REBUILD = "--quick", "--rebuild"
_WORDS = {"--set": "set", "--class": "class", "--published": "published"}


def describe_limits(options: Sequence[str]) -> str:
    """``set L3, class H04L, published 2010..2012``; empty if nothing is limited."""
    if QUICK in options:
        return tr("titles, abstracts and claims only")
    pairs = pairwise(options)
    return ", ".join(f"{_WORDS[name]} {value}" for name, value in pairs if name in _WORDS)


@dataclass(frozen=True, slots=True)
class IndexChoice:
    """Titles, abstracts and claims of all documents, and which descriptions."""

    descriptions: bool = True
    case: int = 0
    """Number of the case that `sets` belong to."""
    sets: tuple[str, ...] = ()
    """Descriptions of documents of at least one of these sets, such as ``L3``; empty: of all."""
    classes: tuple[str, ...] = ()
    """Only of documents with one of these classes, or one below it."""
    published: str = ""
    """Only of documents published then: ``2010..2012``."""

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the command line."""
        if not self.descriptions:
            return (QUICK,)
        found: list[str] = []
        if self.sets:
            found += ["--case", str(self.case)]
        for name, values in (("--set", self.sets), ("--class", self.classes)):
            for value in values:
                found += [name, value]
        return (*found, *(("--published", self.published) if self.published else ()))
