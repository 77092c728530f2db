"""The columns of the table of results: headings, texts, tool tips, and what a screen reader says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import TYPE_CHECKING

from claimlight.services.search.cell_words import LAMP_WORDS, cell_words
from claimlight.types import Category, CellVerdict, Lamp
from claimlight_workbench.models.lamps import NO_LAMPS, Lamps

if TYPE_CHECKING:
    from claimlight.types import DateFinding, FeatureCoverage, Hit, PublicationNumber


class Column(IntEnum):
    """Columns in order."""

    RANK = 0
    SEEN = 1
    MARK = 2
    PUBLICATION = 3
    DATE = 4
    ZONE = 5
    COVERAGE = 6
    GAIN = 7
    TITLE = 8
    FAMILY = 9
    PRIORITY = 10
    FILED = 11
    RANKS = 12
    APPLICANT = 13


HEADINGS = (
    "#",
    "",
    "",
    "Publication",
    "Published",
    "Date status",
    "Features",
    "Gain",
    "Title",
    "Fam.",
    "Priority",
    "Filed",
    "Ranks",
    "Applicant",
)
NAMES = {
    Column.SEEN: "Unseen",
    Column.MARK: "Category",
    Column.COVERAGE: "Match strength",
    Column.FAMILY: "Family members",
    Column.PRIORITY: "Earliest priority",
    Column.RANKS: "Ranks or score",
}
"""What a column is called in menus, where its heading is too short for that."""
HEADING_HELP = {
    Column.SEEN: "A dot until you have opened the document",
    Column.MARK: "Category you gave it",
    Column.ZONE: "What its own dates make of it against the claim, by the law chosen for the case (EPC or "
    "US); the dates of the application and the law stand beside the date limit",
    Column.GAIN: "What it has more than D1 of the features that D1 lacks: the mean over these features, in "
    "points of match strength",
    Column.COVERAGE: "Match strength of each feature in its best passage; an outlined box: below threshold; "
    "a dotted box: not judged, with ? not compared; a diamond: no shared word; a w: all words, below "
    "threshold",
    Column.FAMILY: "Further members of the same family folded into this row",
    Column.PRIORITY: "Earliest priority date",
    Column.RANKS: "Rank by keywords · semantic · concepts, – where one did not find it; of a set, the score",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A hit and what the table knows of it."""

    rank: int
    hit: Hit
    seen: bool
    category: Category
    dates: DateFinding | None
    """None while there are no dates to compare with."""
    lamps: Lamps
    tags: tuple[str, ...] = ()


def coverage_text(coverage: Sequence[FeatureCoverage], lamps: Lamps = NO_LAMPS) -> str:
    """The match strengths of a row in words."""
    return ", ".join(_coverage_texts(coverage, lamps))


def covered(hit: Hit) -> tuple[int, float]:
    """Number of features with a strong match, then the sum of match strengths: larger is better."""
    strengths = [item.strength for item in hit.coverage if item.verdict is not CellVerdict.UNREAD]
    return sum(item.verdict is CellVerdict.STRONG for item in hit.coverage), sum(strengths)


def text_of(row: Row, column: Column) -> str:
    """What a cell shows."""
    patent = row.hit.patent
    match column:
        case Column.RANK:
            return f"{row.rank}"
        case Column.SEEN:
            return "" if row.seen else "●"
        case Column.MARK:
            return row.category.value
        case Column.PUBLICATION:
            return printed_publication(str(patent.publication))
        case Column.DATE:
            return _day(patent.published)
        case Column.ZONE:
            return row.dates.label if row.dates is not None else ""
        case Column.GAIN:
            return gain_text(row.hit)
        case Column.TITLE:
            return f"[{', '.join(row.tags)}] {patent.title}" if row.tags else patent.title
        case Column.APPLICANT:
            return patent.applicant
        case Column.FAMILY:
            return f"+{len(row.hit.family_members)}" if row.hit.family_members else ""
        case Column.PRIORITY:
            return _day(patent.priority)
        case Column.FILED:
            return _day(patent.filed)
        case Column.RANKS:
            return _ranks(row.hit)
        case _:
            return ""


def tip_of(row: Row, column: Column) -> str:
    """What the mouse is told of a cell."""
    hit = row.hit
    match column:
        case Column.COVERAGE:
            return "\n".join(_coverage_texts(hit.coverage, row.lamps))
        case Column.FAMILY:
            return "\n".join(printed_publication(str(each)) for each in hit.family_members)
        case Column.RANK | Column.RANKS:
            return "\n".join(f"{each.leg}: rank {each.rank}, score {each.score:.3g}" for each in hit.ranks)
        case Column.ZONE | Column.DATE | Column.PRIORITY | Column.FILED:
            return dates_words(row)
        case Column.TITLE | Column.APPLICANT:
            members = f"\n+{len(hit.family_members)} of its family" if hit.family_members else ""
            note = f"\n{hit.language_note}" if hit.language_note else ""
            tags = f"\ntags: {', '.join(row.tags)}" if row.tags else ""
            return f"{hit.patent.title}\n{hit.patent.applicant}{members}{tags}{note}"
        case _:
            return ""


def spoken(row: Row, column: Column) -> str:
    """What a screen reader says of a cell."""
    if column is Column.COVERAGE:
        return coverage_text(row.hit.coverage, row.lamps)
    if column is Column.SEEN:
        return "seen" if row.seen else "not seen yet"
    if column is Column.MARK:
        return f"category {row.category}" if row.category else "no category"
    if column is Column.ZONE and row.dates is not None:
        return row.dates.words
    return text_of(row, column)


def dates_words(row: Row) -> str:
    """The three dates of a document, and what they make of it."""
    patent = row.hit.patent
    lines = [row.dates.words] if row.dates is not None else []
    for name, day in (
        ("published", patent.published),
        ("filed", patent.filed),
        ("priority", patent.priority),
    ):
        lines.append(f"{name} {_day(day) or 'unknown'}")
    return "\n".join(lines)


def gain_text(hit: Hit) -> str:
    """``+23``: points of 100 that a hit has more than D1; empty where there is no D1."""
    return f"+{round(100 * hit.gain)}" if hit.gain is not None else ""


_PUBLICATION = re.compile(r"([A-Z]{2})([A-Z]{0,2})(\d+)(.*)", re.DOTALL)


def printed_publication(publication: str) -> str:
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
"""Day of US 10,000,000: numbers of eight digits were those of applications alone before."""
_SERIES_WITHOUT_PATENTS = 15_000_000


def printed_related(number: PublicationNumber, day: date | None) -> str:
    """A number of a filing history as offices print it: that of an application is no publication's.

    ``EP 06115825``, ``PCT/SE2003/000641``, ``US 09/742,144``; what may be either stays as it stands.
    """
    name, digits = str(number), number.number
    if found := _PCT.fullmatch(name):
        return "PCT/{}{}/{}".format(*found.groups())
    if number.kind or not digits.isdecimal() or len(digits) != _APPLICATION_DIGITS:
        return printed_publication(name)
    if number.country == "EP":
        return f"EP {digits}"
    if number.country != "US":
        return printed_publication(name)
    if (
        int(digits) >= _SERIES_WITHOUT_PATENTS
        or digits[0] == "0"
        or (day is not None and day < _TEN_MILLIONTH)
    ):
        return f"US {digits[:2]}/{digits[2:5]},{digits[5:]}"
    return f"US {digits}"


def _day(day: date | None) -> str:
    return day.isoformat() if day is not None else ""


def _coverage_texts(coverage: Sequence[FeatureCoverage], lamps: Lamps) -> Iterator[str]:
    for item in coverage:
        found = cell_words(item)
        lamp = lamps.get(item.feature, Lamp.NONE)
        warning = f" ({LAMP_WORDS[lamp]})" if lamp in LAMP_WORDS else ""
        yield f"{item.feature} {found}{warning}"


def _ranks(hit: Hit) -> str:
    if not hit.ranks:
        return f"{hit.score:.2f}" if hit.score else ""
    by_leg = {each.leg.value: str(each.rank) for each in hit.ranks}
    return " · ".join(by_leg.get(leg, "–") for leg in ("bm25", "dense", "centers"))
