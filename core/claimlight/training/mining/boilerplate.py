"""Paragraphs that say nothing of one invention: they stand in thousands of patents nearly word for word.

As a view of a patent such a paragraph teaches that unlike patents are alike. `PATTERNS` is the list, by what
it is about, beside what `claimlight.training.mining.prefatory` knows by the whole sentence. It casts its net
wide: a paragraph that merely begins with such a sentence and goes on about the invention is given up with it,
since there are others.
"""

from __future__ import annotations

import re

from claimlight.training.mining.prefatory import is_prefatory

REACH = 600
"""Characters of a paragraph that are looked at."""

PATTERNS = {
    "priority and relatives": (
        r"claims? (?:the )?(?:benefit|priority)",
        r"incorporated (?:herein )?(?:in (?:its|their) entirety )?by reference",
        r"provisional",
        r"\bcontinuation\b",
        r"co-?pending",
        r"commonly[- ](?:owned|assigned)",
        r"related (?:to )?(?:\w+ )?applications?",
        r"^\W*(?:not applicable|none|n/a)\W*$",
    ),
    "rights and listings": (
        r"copyright",
        r"government (?:support|interest|rights?|funding)|federally[- ]sponsored",
        r"sequence listing",
    ),
    "drawings": (
        r"brief description of (?:the )?(?:several views of the )?drawings?",
        r"accompanying (?:drawings?|figures)",
        r"^\W*FIGS?\.? ?\d",
    ),
    "scope": (
        r"scope of the (?:present )?(?:invention|disclosure|appended|following|claims)",
        r"not (?:be )?(?:intended|limited|construed)",
        r"embodiments? (?:described|disclosed|are illustrative)",
        r"other embodiments",
        r"foregoing (?:description|embodiments|disclosure)",
        r"various (?:changes and )?modifications",
        r"(?:those|one) (?:of ordinary skill|skilled) in the art",
    ),
}
_ANY = re.compile("|".join(item for group in PATTERNS.values() for item in group), re.IGNORECASE)


def is_boilerplate(paragraph: str) -> bool:
    """Whether the beginning of a paragraph says one of these things, or is prefatory matter."""
    begin = " ".join(paragraph[: 2 * REACH].split())[:REACH]
    return _ANY.search(begin) is not None or is_prefatory(begin)
