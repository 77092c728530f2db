"""The labels of a classifier: symbols of all its levels, and which one stands above which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from claimlight.text.class_levels import split_class_levels
from claimlight.types import ClassLevel

LEVELS = tuple(ClassLevel)
"""From the section downwards."""


def labels_of(symbol: str) -> tuple[str, ...]:
    """A symbol at every level it reaches, from the section downwards; empty for one of another scheme.

    A main group is written ``A61B 5/00``; a symbol that is a main group itself has no label at the level of
    subgroups.
    """
    levels = split_class_levels(symbol)
    if levels is None:
        return ()
    main = f"{levels.main_group}/00" if levels.main_group else ""
    subgroup = levels.subgroup if levels.subgroup != main else ""
    return tuple(label for label in (levels.section, levels.class_, levels.subclass, main, subgroup) if label)


def level_of(label: str) -> ClassLevel:
    """The level of a label as `labels_of` writes it."""
    if " " in label:
        return ClassLevel.MAIN_GROUP if label.endswith("/00") else ClassLevel.SUBGROUP
    return {1: ClassLevel.SECTION, 3: ClassLevel.CLASS, 4: ClassLevel.SUBCLASS}[len(label)]


def label_above(label: str) -> str:
    """The label one level above; empty for a section."""
    chain = labels_of(label)
    return chain[-2] if len(chain) > 1 else ""


def above(label: str) -> tuple[str, ...]:
    """The labels above, from the section downwards, without the label itself."""
    return labels_of(label)[:-1]


@dataclass(frozen=True)
class LabelSpace:
    """Labels of one or several levels, by level and then alphabetically; their places are columns."""

    labels: tuple[str, ...]

    @staticmethod
    def of(labels: Iterable[str]) -> LabelSpace:
        """The labels in order, each once."""
        place = {level: number for number, level in enumerate(LEVELS)}
        return LabelSpace(tuple(sorted(set(labels), key=lambda label: (place[level_of(label)], label))))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def place(self) -> dict[str, int]:
        """Column of each label."""
        return {label: number for number, label in enumerate(self.labels)}

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """[labels] column of the nearest label above; -1 for a label without one."""
        found = np.full(len(self.labels), -1, dtype=np.int64)
        for number, label in enumerate(self.labels):
            for upper in reversed(above(label)):
                if upper in self.place:
                    found[number] = self.place[upper]
                    break
        return found

    @cached_property
    def levels(self) -> tuple[ClassLevel, ...]:
        """The levels that have labels, from the section downwards."""
        there = {level_of(label) for label in self.labels}
        return tuple(level for level in LEVELS if level in there)

    @cached_property
    def level_numbers(self) -> NDArray[np.int64]:
        """[labels] place of each label's level in `levels`."""
        place = {level: number for number, level in enumerate(self.levels)}
        return np.array([place[level_of(label)] for label in self.labels], dtype=np.int64)

    def at(self, level: ClassLevel) -> slice:
        """The columns of a level; empty if the classifier does not know it."""
        if level not in self.levels:
            return slice(0, 0)
        number = self.levels.index(level)
        first, last = np.searchsorted(self.level_numbers, (number, number + 1))
        return slice(int(first), int(last))

    def targets(self, sets: Sequence[Iterable[str]]) -> NDArray[np.bool_]:
        """[documents, labels] of documents with label sets; labels that are not in the space are left out."""
        found = np.zeros((len(sets), len(self.labels)), dtype=np.bool_)
        for row, labels in enumerate(sets):
            found[row, [self.place[label] for label in labels if label in self.place]] = True
        return found
