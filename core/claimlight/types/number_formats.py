"""Publication and application numbers as the offices print them."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from claimlight.types.patents import PublicationNumber

_PUBLICATION = re.compile(r"([A-Z]{2})([A-Z]{0,2})(\d+)(.*)", re.DOTALL)


@lru_cache(maxsize=4096)
def format_publication(publication: str) -> str:
    """``EP1234567A1`` as offices print it: ``EP 1 234 567 A1``.

    Also ``US 8,419,064 B2``, ``US D680,087 S1``, ``US 2005/0004974 A1``, ``WO 2010/123456 A1``.
    """
    found = _PUBLICATION.fullmatch(publication)
    if found is None:
        return publication
    country, letters, digits, rest = found.groups()
    if (country, len(digits)) in {("US", 11), ("WO", 10)}:
        digits = f"{digits[:4]}/{digits[4:]}"
    else:
        digits = f"{int(digits):,}".replace(",", "," if country == "US" else " ")
    return " ".join(part for part in (country, letters + digits, rest) if part)


_APPLICATION_DIGITS = 8
_PCT = re.compile(r"WOPCT([A-Z]{2})(\d{4})(\d+)")
_TEN_MILLIONTH = date(2018, 6, 19)
"""Date of US 10,000,000: before it, numbers of eight digits were those of applications only."""
# No patent has such a number yet: eight digits from here on are series code 15 or higher.
_SERIES_WITHOUT_PATENTS = 15_000_000


def format_related_number(number: PublicationNumber, day: date | None) -> str:
    """A number of a filing history as offices print it: an application number is not a publication's.

    ``EP 06115825``, ``PCT/SE2003/000641``, ``US 09/742,144``; an ambiguous number is left unchanged.
    """
    name, digits = str(number), number.number
    if found := _PCT.fullmatch(name):
        return "PCT/{}{}/{}".format(*found.groups())
    if number.kind or not digits.isdecimal() or len(digits) != _APPLICATION_DIGITS:
        return format_publication(name)
    if number.country == "EP":
        return f"EP {digits}"
    if number.country != "US":
        return format_publication(name)
    if (
        int(digits) >= _SERIES_WITHOUT_PATENTS
        or digits[0] == "0"
        or (day is not None and day < _TEN_MILLIONTH)
    ):
        return f"US {digits[:2]}/{digits[2:5]},{digits[5:]}"
    return f"US {digits}"
