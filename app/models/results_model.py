"""The table of hits: its columns, its orders, and what the examiner has done with each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.types import Category

if TYPE_CHECKING:
    from core.types import FeatureCoverage, Hit, SearchResults

COVERED = 0.5
"""From this share of its weight on, a feature counts as covered where covered features are counted."""

HIT_ROLE = int(Qt.ItemDataRole.UserRole)
COVERAGE_ROLE = HIT_ROLE + 1

_Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """Columns in order."""

    RANK = 0
    SEEN = 1
    MARK = 2
    PUBLICATION = 3
    DATE = 4
    COVERAGE = 5
    TITLE = 6
    FAMILY = 7
    RANKS = 8
    APPLICANT = 9


class Order(StrEnum):
    """How the rows are ordered; ties keep the order of the score."""

    SCORE = "score"
    FEATURES = "features"
    DATE = "date"


_HEADINGS = ("#", "", "", "Publication", "Published", "Features", "Title", "Fam.", "Ranks", "Applicant")
_HEADING_HELP = {
    Column.SEEN: "A dot until you have opened the document",
    Column.MARK: "Category you gave it",
    Column.COVERAGE: "Share of each feature that the best passage covers; an empty box: nothing found",
    Column.FAMILY: "Further members of the same family folded into this row",
    Column.RANKS: "Rank by BM25 · dense · centers; – where that leg did not find it",
}


def coverage_text(coverage: Sequence[FeatureCoverage]) -> str:
    """A coverage strip in words."""
    parts = [
        f"{item.feature} nothing found"
        if item.passage is None
        else f"{item.feature} {round(item.coverage * 100)} percent"
        for item in coverage
    ]
    return ", ".join(parts)


def covered(hit: Hit) -> tuple[int, float]:
    """Number of features covered, then their sum: larger is better."""
    shares = [item.coverage for item in hit.coverage if item.passage is not None]
    return sum(share >= COVERED for share in shares), sum(shares)


class ResultsModel(QAbstractTableModel):
    """Rows of one search."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._results: SearchResults | None = None
        self._rows: list[tuple[int, Hit]] = []
        self._order = Order.SCORE
        self._seen: set[str] = set()
        self._marks: dict[str, Category] = {}

    @property
    def results(self) -> SearchResults | None:
        """What is shown."""
        return self._results

    @property
    def order(self) -> Order:
        """How it is ordered."""
        return self._order

    @property
    def unseen(self) -> int:
        """Rows never opened."""
        return sum(str(hit.patent.publication) not in self._seen for _, hit in self._rows)

    def replace(self, results: SearchResults | None) -> None:
        """Show another search."""
        self.beginResetModel()
        self._results = results
        self._sort()
        self.endResetModel()

    def set_order(self, order: Order) -> None:
        """Order the rows anew."""
        self.beginResetModel()
        self._order = order
        self._sort()
        self.endResetModel()

    def set_seen(self, publications: set[str]) -> None:
        """Documents that were opened before."""
        self._seen = set(publications)
        self._repaint()

    def see(self, publication: str) -> None:
        """A document was opened."""
        self._seen.add(publication)
        self._repaint()

    def set_marks(self, marks: Mapping[str, Category]) -> None:
        """Categories of the open case by publication."""
        self._marks = dict(marks)
        self._repaint()

    def hit(self, row: int) -> Hit | None:
        """The hit of a row; None outside the table."""
        return self._rows[row][1] if 0 <= row < len(self._rows) else None

    def row_of(self, publication: str) -> int:
        """Row of a publication; -1 where it is not among the hits."""
        for row, (_, hit) in enumerate(self._rows):
            if str(hit.patent.publication) == publication:
                return row
        return -1

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = Column(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _HEADING_HELP.get(column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        rank, hit = self._rows[index.row()]
        column = Column(index.column())
        if role == HIT_ROLE:
            return hit
        if role == COVERAGE_ROLE:
            return hit.coverage
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(rank, hit, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(hit, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(rank, hit, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in {Column.RANK, Column.FAMILY}:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def category(self, hit: Hit) -> Category:
        """The category the examiner gave a hit."""
        return self._marks.get(str(hit.patent.publication), Category.NONE)

    def is_seen(self, hit: Hit) -> bool:
        """Whether the hit was opened in this case."""
        return str(hit.patent.publication) in self._seen

    def _text(self, rank: int, hit: Hit, column: Column) -> str:
        patent = hit.patent
        match column:
            case Column.RANK:
                return str(rank)
            case Column.SEEN:
                return "" if self.is_seen(hit) else "●"
            case Column.MARK:
                return self.category(hit).value
            case Column.PUBLICATION:
                return printed_publication(str(patent.publication))
            case Column.DATE:
                return patent.published.isoformat() if patent.published else ""
            case Column.TITLE:
                return patent.title
            case Column.APPLICANT:
                return patent.applicant
            case Column.FAMILY:
                return f"+{len(hit.family_members)}" if hit.family_members else ""
            case Column.RANKS:
                return _ranks(hit)
            case _:
                return ""

    def _tip(self, hit: Hit, column: Column) -> str:
        match column:
            case Column.COVERAGE:
                return coverage_text(hit.coverage).replace(", ", "\n").replace("percent", "%")
            case Column.FAMILY:
                return "\n".join(printed_publication(str(each)) for each in hit.family_members)
            case Column.RANK | Column.RANKS:
                return "\n".join(
                    f"{each.leg}: rank {each.rank}, score {each.score:.4g}" for each in hit.ranks
                )
            case Column.TITLE | Column.APPLICANT:
                members = f"\n+{len(hit.family_members)} of its family" if hit.family_members else ""
                return f"{hit.patent.title}\n{hit.patent.applicant}{members}"
            case _:
                return ""

    def _spoken(self, rank: int, hit: Hit, column: Column) -> str:
        if column is Column.COVERAGE:
            return coverage_text(hit.coverage)
        if column is Column.SEEN:
            return "seen" if self.is_seen(hit) else "not seen yet"
        if column is Column.MARK:
            return f"category {self.category(hit)}" if self.category(hit) else "no category"
        return self._text(rank, hit, column)

    def _sort(self) -> None:
        hits = self._results.hits if self._results is not None else ()
        rows = list(enumerate(hits, start=1))
        if self._order is Order.FEATURES:
            rows.sort(key=lambda row: covered(row[1]), reverse=True)
        elif self._order is Order.DATE:
            # Reversed by the sort itself, which leaves rows of one day in the order of their score.
            rows.sort(key=lambda row: row[1].patent.published or date.min, reverse=True)
        self._rows = rows

    def _repaint(self) -> None:
        if self._rows:
            last = self.index(len(self._rows) - 1, len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)


def printed_publication(publication: str) -> str:
    """``EP1234567A1`` as offices print it: ``EP 1 234 567 A1``; US numbers with commas."""
    country, rest = publication[:2], publication[2:]
    digits = ""
    while rest and rest[0].isdigit():
        digits, rest = digits + rest[0], rest[1:]
    if not digits:
        return publication
    if country == "US" and len(digits) == 11:
        digits = f"{digits[:4]}/{digits[4:]}"
    else:
        gap = "," if country == "US" else " "
        digits = f"{int(digits):,}".replace(",", gap)
    return " ".join(part for part in (country, digits, rest) if part)


def _ranks(hit: Hit) -> str:
    by_leg = {each.leg.value: str(each.rank) for each in hit.ranks}
    return " · ".join(by_leg.get(leg, "–") for leg in ("bm25", "dense", "centers"))
