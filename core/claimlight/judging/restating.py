"""Whether a passage states a feature word by word, and whether it may count as a disclosure.

Rows of three words count, so the words of a feature in another relation do not; one word that differs still
may. So a judge that may say *disclosed* has to find it likelier than not: of the cells of charts that such a
judge confirms 125 of 129 disclose the feature, of those that it denies 3 of 17
(docs/lab/measured/judge-training.md).
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

from claimlight.text.encoder_text import to_encoder_text
from claimlight.text.quantities import Figures, find_quantities
from claimlight.text.words import WORD, stem
from claimlight.types import TermState

RUN = 3
"""Fewest words in a row that count."""
SHARE = 0.95
"""Least share of the words of the feature that are in such rows."""
LEAST = 6
"""Words of the shortest feature: of shorter ones nothing was measured, and a name alone discloses little."""
CONFIRMED = 0.96
"""Share of the cells that disclose the feature where a judge confirms it: 125 of 129 of the parts `choose`
and `final`, rounded down."""
UNCONFIRMED = 0.87
"""The same where no judge that may say *disclosed* reads the passage: 128 of 146."""
LIKELY = 0.5
"""Least probability by which a judge confirms: bounds from .3 to .7 differ by one cell."""
_KEPT = 8192


def restates(feature: str, passage: str) -> bool:
    """Whether a passage states a feature word by word, and its quantities.

    Endings and reference signs play no part. With another figure it states another feature.
    """
    asked = _stems(feature)
    if len(asked) < LEAST:
        return False
    there, names = _stems(passage), _names(passage)
    # Nearly always the answer, at the price of looking words up.
    if sum(word in names for word in asked) < SHARE * len(asked):
        return False
    blocks = SequenceMatcher(None, asked, there, autojunk=False).get_matching_blocks()
    if sum(block.size for block in blocks if block.size >= RUN) < SHARE * len(asked):
        return False
    quantities = find_quantities(feature)
    figures = Figures.of(passage) if quantities else None
    return figures is None or all(figures.state(each) is not TermState.MISSING for each in quantities)


@lru_cache(maxsize=_KEPT)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word.casefold()) for word in WORD.findall(to_encoder_text(text).text))


@lru_cache(maxsize=_KEPT)
def _names(text: str) -> frozenset[str]:
    return frozenset(_stems(text))
