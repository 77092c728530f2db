"""Lamps: what warns of a feature's coverage, in words and as a sign that needs no colour."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.types import Lamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.types import Evidence, MatrixRow

Lamps = Mapping[str, Lamp]
"""Lamp by the label of a feature; a feature that has none is left out."""

NO_LAMPS: Lamps = MappingProxyType({})

LAMP_WORDS = {
    Lamp.NO_SHARED_WORD: "no shared word",
    Lamp.WORDS_ONLY: "all words, nothing covered",
}
LAMP_HELP = {
    Lamp.NO_SHARED_WORD: "Met by meaning alone: the words on both sides have none in common",
    Lamp.WORDS_ONLY: "Every telling word of the feature stands in one passage, and yet nothing is covered: "
    "look for yourself",
}
LAMP_SIGN = {Lamp.NO_SHARED_WORD: "≠", Lamp.WORDS_ONLY: "w"}


def lamps_of(row: MatrixRow | None) -> Lamps:
    """The lamps of a document."""
    cells = row.cells if row is not None else ()
    return {cell.feature: cell.lamp for cell in cells if cell.lamp is not Lamp.NONE}


def unshared(evidence: Iterable[Evidence]) -> Lamps:
    """The features that no link of a passage shares a word with."""
    shared: dict[str, bool] = {}
    for item in evidence:
        shared[item.feature] = shared.get(item.feature, False) or bool(item.shared)
    return {label: Lamp.NO_SHARED_WORD for label, some in shared.items() if label and not some}
