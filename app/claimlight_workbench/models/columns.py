"""The columns of the results table: one row of `COLUMNS` declares everything about a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

from claimlight.services.search.cell_words import (
    DEPTH_SIGN,
    FIRST_ONLY_WORDS,
    LAMP_WORDS,
    cell_words,
    matrix_cell_words,
)
from claimlight.types import CellVerdict, IndexDepth, Lamp, MatrixCell, format_publication
from claimlight_workbench.language import number, tell, tr
from claimlight_workbench.models.lamps import Lamps
from claimlight_workbench.models.reasons import reason
from claimlight_workbench.wording import DEPTH_HELP, DEPTH_WORDS, depth_help, ranker_name, waiting_words

if TYPE_CHECKING:
    from claimlight.types import DateFinding, FeatureCoverage, Hit, Query
    from claimlight_workbench.models.categories import Given


@dataclass(frozen=True, slots=True)
class Row:
    """A hit with the data that the table shows beside it."""

    rank: int
    hit: Hit
    seen: bool
    given: Given
    """The category that the document has in the case."""
    dates: DateFinding | None
    """None if there are no dates to compare with."""
    lamps: Lamps
    tags: tuple[str, ...] = ()
    cells: Sequence[FeatureCoverage] = ()
    """Verdicts where they are known, else match strengths."""
    query: Query | None = None
    """The query of the verdicts."""
    waiting: bool = False
    """The judge has yet to rule on the document."""
    first_only: bool = False
    """It has read the first passages only, and more of other documents."""
    depth: IndexDepth = IndexDepth.FULL
    """How much of the document is indexed."""
    line: str = ""
    """The query line of the set; empty for a claim search."""


def coverage_text(row: Row) -> str:
    """The verdicts or match strengths of a row in words."""
    partly = [tell(FIRST_ONLY_WORDS)] if row.first_only and not row.waiting else []
    return ", ".join((*partly, *_coverage_texts(row)))


def measure_coverage(cells: Sequence[FeatureCoverage]) -> tuple[int, float]:
    """Number of features that are disclosed, or have a strong match, then the sum of what the cells count."""
    ruled = [item for item in cells if isinstance(item, MatrixCell)]
    if ruled:
        return sum(item.disclosed for item in ruled), sum(item.counted for item in ruled)
    strengths = [item.strength for item in cells if item.verdict is not CellVerdict.UNREAD]
    return sum(item.verdict is CellVerdict.STRONG for item in cells), sum(strengths)


def dates_words(row: Row) -> str:
    """The three dates of a document, and its date status."""
    patent = row.hit.patent
    lines = [tell(row.dates.words)] if row.dates is not None else []
    for name, day in (
        (tr("published"), patent.published),
        (tr("filed"), patent.filed),
        (tr("priority"), patent.priority),
    ):
        lines.append(f"{name} {_day(day) or tr('unknown')}")
    return "\n".join(lines)


def gain_text(hit: Hit) -> str:
    """``+23``: points of 100 by which a hit exceeds D1; empty if there is no D1."""
    return f"+{round(100 * hit.gain)}" if hit.gain is not None else ""


def _day(day: date | None) -> str:
    return day.isoformat() if day is not None else ""


def _coverage_texts(row: Row) -> Iterator[str]:
    for item in row.cells:
        if row.waiting:
            yield f"{item.feature} {waiting_words(item)}"
            continue
        if isinstance(item, MatrixCell) and row.query is not None:
            found = tell(matrix_cell_words(item, row.query))
        else:
            found = tell(cell_words(item))
        lamp = row.lamps.get(item.feature, Lamp.NONE)
        warning = f" ({tell(LAMP_WORDS[lamp])})" if lamp in LAMP_WORDS else ""
        yield f"{item.feature} {found}{warning}"


def _ranks(hit: Hit) -> str:
    if not hit.ranks:
        return number(hit.score, ".2f") if hit.score else ""
    by_leg = {each.leg.value: str(each.rank) for each in hit.ranks}
    return " · ".join(by_leg.get(leg, "–") for leg in ("bm25", "dense", "centers"))


def _tip_of_family(row: Row) -> str:
    return "\n".join(format_publication(str(each)) for each in row.hit.family_members)


def _tip_of_ranks(row: Row) -> str:
    return "\n".join(
        tr(
            "{ranker_name}: rank {rank}, score {score:.3g}",
            ranker_name=ranker_name(each.leg),
            rank=each.rank,
            score=each.score,
        )
        for each in row.hit.ranks
    )


def _tip_of_title(row: Row) -> str:
    hit = row.hit
    members = (
        tr("\n+{family_members} family members", family_members=len(hit.family_members))
        if hit.family_members
        else ""
    )
    note = f"\n{tell(hit.language_note)}" if hit.language_note else ""
    tags = tr("\ntags: {tags}", tags=", ".join(row.tags)) if row.tags else ""
    why = f"\n{told}" if (told := reason(row)) else ""
    return f"{hit.patent.title}\n{hit.patent.applicant}{members}{tags}{note}{why}"


def _title(row: Row) -> str:
    title = row.hit.patent.title
    return f"[{', '.join(row.tags)}] {title}" if row.tags else title


def _nothing(_row: Row) -> str:
    return ""


class Needs(StrEnum):
    """The data a column shows; it is hidden while there are none."""

    EVIDENCE = "evidence"
    """Matches: a claim search has them, the set of a query line does not."""
    SCORES = "scores"
    D1 = "d1"
    """D1 of a search for the features missing from it."""
    DATES = "dates"
    """Dates of the application to compare with."""
    DEPTH = "depth"
    """Documents whose description is not indexed."""


class Painting(StrEnum):
    """Columns that a delegate paints."""

    COVERAGE = "coverage"
    DATE_STATUS = "date status"


class Width(StrEnum):
    """How the width of a column is found if not by its sample."""

    SAMPLE = "sample"
    RANK = "rank"
    """The digits of the last rank."""
    CONTENTS = "contents"
    FEATURES = "features"
    """Room for a box for each feature."""
    REST = "rest"
    """The width the other columns leave."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Column:
    """Everything about one column."""

    key: str
    """Name in the session file."""
    heading: str
    sample: str
    """A text as wide as the column."""
    text: Callable[[Row], str] = _nothing
    name: str = ""
    """Name in menus if the heading is too short."""
    help: str = ""
    """Tool tip of the heading; empty: the heading itself."""
    tip: Callable[[Row], str] = _nothing
    """Tool tip of a cell."""
    spoken: Callable[[Row], str] | None = None
    """Screen-reader text; None: the text."""
    set_heading: str = ""
    """Heading for the set of a query line, if it differs."""
    right: bool = False
    """Aligned to the right."""
    always: bool = False
    """Can't be hidden."""
    needs: frozenset[Needs] = frozenset()
    gives_way: int = 0
    """Order in which columns are hidden to keep room for the title; 0: stays."""
    gives_way_to_status: bool = False
    """Hidden if the title would still be too short and the date status is shown."""
    gives_way_to_title: int = 0
    """Order in which columns are hidden if nothing else leaves room for words of the title; 0: stays."""
    width: Width = Width.SAMPLE
    painting: Painting | None = None
    early: Callable[[int], str] | None = None
    """Text of a row that has not been read yet, by its rank."""

    @property
    def menu_name(self) -> str:
        """Name in a menu."""
        return self.name or self.heading


COLUMNS = (
    Column(
        key="rank",
        heading="#",
        sample="000",
        text=lambda row: f"{row.rank}",
        tip=_tip_of_ranks,
        right=True,
        always=True,
        width=Width.RANK,
        early=str,
    ),
    Column(
        key="seen",
        heading="",
        name=tr("Unread"),
        help=tr("A dot until you open the document"),
        sample="●",
        text=lambda row: "" if row.seen else "●",
        spoken=lambda row: tr("read") if row.seen else tr("unread"),
    ),
    Column(
        key="mark",
        heading="",
        name=tr("Category"),
        help=tr("The category you gave the document; in parentheses for another claim than the one searched"),
        sample="P,D,X",
        text=lambda row: row.given.text,
        spoken=lambda row: row.given.words,
    ),
    Column(
        key="publication",
        heading=tr("Publication"),
        sample="US 00,000,000 B0",
        text=lambda row: format_publication(str(row.hit.patent.publication)),
        always=True,
        width=Width.CONTENTS,
    ),
    Column(
        key="depth",
        heading="",
        name=tr("Claims only"),
        help=f"{DEPTH_SIGN}: {DEPTH_HELP}",
        sample=DEPTH_SIGN,
        text=lambda row: DEPTH_SIGN if row.depth is IndexDepth.CLAIMS else "",
        tip=lambda row: depth_help(row.hit.read) if row.depth is IndexDepth.CLAIMS else "",
        spoken=lambda row: DEPTH_WORDS if row.depth is IndexDepth.CLAIMS else "",
        needs=frozenset({Needs.DEPTH}),
    ),
    Column(
        key="date",
        heading=tr("Published"),
        sample="2019-00-00",
        text=lambda row: _day(row.hit.patent.published),
        tip=lambda row: dates_words(row),
        gives_way_to_status=True,
    ),
    Column(
        key="zone",
        heading=tr("Date status"),
        help=tr(
            "Status of the document by its own dates against the claim, under the law chosen for "
            "the case (EPC or US). The dates of the application and the law are set beside the "
            "date limit."
        ),
        sample=f"{tell('Full prior art')}   ",
        text=lambda row: tell(row.dates.label) if row.dates is not None else "",
        tip=lambda row: dates_words(row),
        spoken=lambda row: tell(row.dates.words) if row.dates is not None else "",
        needs=frozenset({Needs.DATES}),
        painting=Painting.DATE_STATUS,
        gives_way_to_title=1,
    ),
    Column(
        key="coverage",
        heading=tr("Features"),
        help=tr(
            "Each feature in its best passage. Solid box: disclosed. Half-filled box in a frame: "
            "candidate. Empty box: nothing near. Narrow bar: being judged; its height is the "
            "match strength. Without a verdict the box is filled by the match strength; "
            "outlined: below threshold. Dotted box: not judged; with ?: not compared. Diamond: "
            "no shared word. w: all words, below threshold."
        ),
        sample="Features 0",
        tip=lambda row: "\n".join(_coverage_texts(row)),
        spoken=coverage_text,
        needs=frozenset({Needs.EVIDENCE}),
        width=Width.FEATURES,
        painting=Painting.COVERAGE,
        gives_way_to_title=2,
    ),
    Column(
        key="gain",
        heading=tr("Gain"),
        help=tr(
            "What the document adds to D1: mean gain in match strength over the features that D1 "
            "lacks, in points of 100"
        ),
        sample="Gain    ",
        text=lambda row: gain_text(row.hit),
        right=True,
        needs=frozenset({Needs.D1}),
    ),
    Column(
        key="title",
        heading=tr("Title"),
        sample="A title of some words",
        text=_title,
        tip=_tip_of_title,
        always=True,
        width=Width.REST,
    ),
    Column(
        key="family",
        heading=tr("Fam."),
        name=tr("Family members"),
        help=tr("Number of other members of the same family folded into this row"),
        sample="Fam.  ",
        text=lambda row: f"+{len(row.hit.family_members)}" if row.hit.family_members else "",
        tip=_tip_of_family,
        right=True,
        needs=frozenset({Needs.EVIDENCE}),
        gives_way=5,
    ),
    Column(
        key="priority",
        heading=tr("Priority"),
        name=tr("Earliest priority"),
        help=tr("Earliest priority date"),
        sample="2019-00-00",
        text=lambda row: _day(row.hit.patent.priority),
        tip=lambda row: dates_words(row),
        gives_way=4,
    ),
    Column(
        key="filed",
        heading=tr("Filed"),
        sample="2019-00-00",
        text=lambda row: _day(row.hit.patent.filed),
        tip=lambda row: dates_words(row),
        gives_way=2,
    ),
    Column(
        key="ranks",
        heading=tr("Ranks"),
        name=tr("Ranks or score"),
        help=tr(
            "Rank by keywords · semantic search · concepts; – where that ranker did not find the "
            "document. For a set: its score."
        ),
        set_heading=tr("Score"),
        sample="00 · 00 · 00",
        text=lambda row: _ranks(row.hit),
        tip=_tip_of_ranks,
        needs=frozenset({Needs.SCORES}),
        gives_way=3,
    ),
    Column(
        key="applicant",
        heading=tr("Applicant"),
        sample="Applicant name",
        text=lambda row: row.hit.patent.applicant,
        tip=_tip_of_title,
        gives_way=1,
    ),
)
"""In the order in which they are shown."""
