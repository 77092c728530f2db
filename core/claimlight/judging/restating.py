"""Whether a passage states a feature word by word.

No judge is needed for that, and it is worth more than the ruling of one: of the cells of charts in which a
passage states the feature like that, 93 of 98 are disclosed (docs/lab/measured/judge-training.md). Rows of
three words count: the words of a feature in another relation do not.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

from claimlight.text.encoder_text import to_encoder_text
from claimlight.text.words import WORD, stem

RUN = 3
"""Fewest words in a row that count."""
SHARE = 0.95
"""Least share of the words of the feature that are in such rows."""
LEAST = 6
"""Words of the shortest feature: of shorter ones nothing was measured, and a name alone discloses little."""
PROBABILITY = 0.94
"""Share of such cells that disclose the feature: 93 of 98 of the charts of ten authors and of those that
judges are trained on, rounded down."""
_KEPT = 8192


def restates(feature: str, passage: str) -> bool:
    """Whether a passage states a feature word by word: endings and reference signs play no part."""
    asked = _stems(feature)
    if len(asked) < LEAST:
        return False
    there, names = _stems(passage), _names(passage)
    # Nearly always the answer, at the price of looking words up.
    if sum(word in names for word in asked) < SHARE * len(asked):
        return False
    blocks = SequenceMatcher(None, asked, there, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= RUN) >= SHARE * len(asked)


@lru_cache(maxsize=_KEPT)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word.casefold()) for word in WORD.findall(to_encoder_text(text).text))


@lru_cache(maxsize=_KEPT)
def _names(text: str) -> frozenset[str]:
    return frozenset(_stems(text))
