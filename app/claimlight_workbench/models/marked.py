"""The words that are highlighted in a claim or a passage, as a screen reader announces them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from claimlight_workbench.language import trn

if TYPE_CHECKING:
    from claimlight_workbench.highlighting import Run

_MOST = 24
"""Terms that are named; who wants all of them has the table of the evidence."""


def marked_by_feature(runs: Iterable[Run], text: str, first: str = "") -> str:
    """``F2: “crown wheel”, “spring”; F1: “damper”``: each term once, the feature ``first`` in front."""
    terms: dict[str, dict[str, None]] = {first: {}} if first else {}
    for run in runs:
        terms.setdefault(run.feature, {})[_flat(text[run.start : run.end])] = None
    left, parts = _MOST, []
    for label, found in terms.items():
        named = list(found)[:left]
        left -= len(named)
        if named:
            quoted = quote_terms(named)
            parts.append(f"{label}: {quoted}" if label else quoted)
    rest = sum(map(len, terms.values())) - _MOST
    if rest > 0:
        parts.append(trn("{n:,} more term", "{n:,} more terms", rest))
    return "; ".join(parts)


def quote_terms(terms: Iterable[str]) -> str:
    """``“crown wheel”, “spring”``: each term once, in the order given."""
    return ", ".join(f"“{each}”" for each in dict.fromkeys(map(_flat, terms)))


def _flat(text: str) -> str:
    return " ".join(text.split())
