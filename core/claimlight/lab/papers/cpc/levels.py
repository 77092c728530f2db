"""Levels of a classification, and the labels that symbols have at each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from claimlight.lab.diagnostics.probes import Targets
from claimlight.text.class_levels import ClassLevels, split_class_levels

_SUBCLASS = 4


class Level(StrEnum):
    """How deep a label goes: ``A``, ``A61``, ``A61B``, ``A61B 5`` or ``A61B 5/02``."""

    SECTION = "section"
    CLASS = "class"
    SUBCLASS = "subclass"
    MAIN_GROUP = "main-group"
    SUBGROUP = "subgroup"

    def label(self, symbol: str) -> str:
        """The label of a symbol; empty where it does not go that deep, or is none of CPC or IPC."""
        levels = read_levels(symbol)
        if levels is None:
            return ""
        return {
            Level.SECTION: levels.section,
            Level.CLASS: levels.class_,
            Level.SUBCLASS: levels.subclass,
            Level.MAIN_GROUP: levels.main_group,
            Level.SUBGROUP: levels.subgroup,
        }[self]

    def labels(self, symbols: Iterable[str]) -> frozenset[str]:
        """The labels of some symbols."""
        return frozenset(label for symbol in symbols if (label := self.label(symbol)))


def read_levels(symbol: str) -> ClassLevels | None:
    """The levels of a symbol; one with a broken group (``G09G/``) is known by its subclass."""
    whole = split_class_levels(symbol)
    # ``A61BX`` is no symbol at all; ``G09G/`` is a known one, badly cut.
    if whole is not None or symbol[_SUBCLASS : _SUBCLASS + 1].isalnum():
        return whole
    start = split_class_levels(symbol[:_SUBCLASS])
    return start if start is not None and start.subclass else None


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Label sets as a matrix."""

    labels: tuple[str, ...]
    """Ascending."""
    targets: Targets
    """[documents, labels]."""

    def only(self, label: str) -> Labelled:
        """The labels that begin with one, without the others."""
        return self.at([place for place, name in enumerate(self.labels) if name.startswith(label)])

    def at(self, places: Sequence[int]) -> Labelled:
        """The labels at some places, in that order."""
        return Labelled(tuple(self.labels[place] for place in places), self.targets[:, places])


def as_matrix(sets: Sequence[frozenset[str]], labels: Iterable[str] = ()) -> Labelled:
    """Label sets as a matrix over every label that occurs, and over ``labels`` in any case."""
    names = tuple(sorted({label for item in sets for label in item}.union(labels)))
    column = {name: place for place, name in enumerate(names)}
    targets = np.zeros((len(sets), len(names)), dtype=np.bool_)
    for row, item in enumerate(sets):
        targets[row, [column[label] for label in item]] = True
    return Labelled(names, targets)
