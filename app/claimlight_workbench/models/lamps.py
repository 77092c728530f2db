"""Lamps: warnings about a feature's match, in words and as a sign that needs no colour."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from claimlight.types import Lamp
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claimlight.types import Match, MatrixRow

Lamps = Mapping[str, Lamp]
"""Lamp by the label of a feature; features without one are left out."""

NO_LAMPS: Lamps = MappingProxyType({})

LAMP_HELP = {
    Lamp.NO_SHARED_WORD: tr("Semantic match only: the claim term and the passage term share no word"),
    Lamp.WORDS_ONLY: tr(
        "Every word of the feature occurs in one passage, yet the match is below the "
        "threshold: check it yourself"
    ),
}


def lamps_of(row: MatrixRow | None) -> Lamps:
    """The lamps of a document."""
    cells = row.cells if row is not None else ()
    return {cell.feature: cell.lamp for cell in cells if cell.lamp is not Lamp.NONE}


def find_unshared(matches: Iterable[Match]) -> Lamps:
    """The features that a passage matches without a shared word; weak matches do not count."""
    shared: dict[str, bool] = {}
    for item in matches:
        if not item.weak:
            shared[item.feature] = shared.get(item.feature, False) or bool(item.shared)
    return {label: Lamp.NO_SHARED_WORD for label, some in shared.items() if label and not some}
