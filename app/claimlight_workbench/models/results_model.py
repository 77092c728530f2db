"""The table of results: its rows, their order, and what the examiner has done with each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor

from claimlight.types import ByHand, IndexDepth, Zone
from claimlight_workbench import theme
from claimlight_workbench.models.categories import NOT_GIVEN, Given
from claimlight_workbench.models.columns import COLUMNS, Column, Painting, Row, measure_coverage
from claimlight_workbench.models.lamps import NO_LAMPS, Lamps
from claimlight_workbench.models.list_filter import ListFilter, filter_names
from claimlight_workbench.models.reasons import reason
from claimlight_workbench.models.rows import PAGE, HitRows, Page, Rows, SetRows
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types import (
        CoverageMatrix,
        DateFinding,
        FeatureCoverage,
        Hit,
        MatrixRow,
        PatentId,
        PatentSummary,
        Query,
        SearchResults,
    )
    from claimlight_workbench.values import FoundSet

__all__ = [
    "COVERAGE_ROLE",
    "FIRST_ROLE",
    "HIT_ROLE",
    "JUDGING_ROLE",
    "LAMPS_ROLE",
    "ZONE_ROLE",
    "Order",
    "ResultsModel",
]

HIT_ROLE = int(Qt.ItemDataRole.UserRole)
COVERAGE_ROLE = HIT_ROLE + 1
ZONE_ROLE = HIT_ROLE + 2
LAMPS_ROLE = HIT_ROLE + 3
JUDGING_ROLE = HIT_ROLE + 4
"""Whether the judge has yet to rule on the document."""
FIRST_ROLE = HIT_ROLE + 5
"""Whether the document was ruled on by its first passages only, where a judge reads on in others."""
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

_ANSWERED = frozenset(
    {
        HIT_ROLE,
        COVERAGE_ROLE,
        FIRST_ROLE,
        JUDGING_ROLE,
        LAMPS_ROLE,
        ZONE_ROLE,
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.TextAlignmentRole,
    }
)
"""A painted cell is asked for these roles too, by every view, each time."""
_Index = QModelIndex | QPersistentModelIndex


class Order(StrEnum):
    """How the rows are ordered; ties keep the order of the score."""

    SCORE = "score"
    FEATURES = "features"
    DATE = "date"


class ResultsModel(QAbstractTableModel):
    """Rows of one search or of one set."""

    dates_changed = Signal()
    """Date findings were set."""
    page_wanted = Signal(int)
    """A page of the set is needed that is not loaded yet."""

    def __init__(self, parent: QObject | None = None, *, columns: Sequence[Column] = COLUMNS) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._results: SearchResults | None = None
        self._rows: Rows | None = None
        self._order = Order.SCORE
        self._filter = ListFilter.ALL
        self._kept: frozenset[str] | None = None
        """The publications that the filter shows; None for all."""
        self._seen: set[str] = set()
        self._marks: dict[str, Given] = {}
        self._tags: Mapping[str, tuple[str, ...]] = {}
        self._zones: dict[PatentId, DateFinding] = {}
        self._lamps: Mapping[PatentId, Lamps] = {}
        self._ruled: dict[PatentId, MatrixRow] = {}
        self._first_only: set[PatentId] = set()
        self._ruled_for: Query | None = None
        self._judging: frozenset[PatentId] | None = frozenset()
        self._asked: set[int] = set()
        self._depths: dict[PatentId, IndexDepth] = {}
        """Of rows of a set; hits of a search have their own."""
        self._coverage: dict[PatentId, tuple[FeatureCoverage, ...]] = {}
        """Of hits whose description was read since they were found."""

    @property
    def results(self) -> SearchResults | None:
        """The search that is shown; None for a set."""
        return self._results

    @property
    def found(self) -> FoundSet | None:
        """The set that is shown; None for a search."""
        return self._rows.found if isinstance(self._rows, SetRows) else None

    @property
    def order(self) -> Order:
        """The order of the rows."""
        return self._order

    @property
    def unseen(self) -> int:
        """Number of unread rows."""
        return self._rows.unseen(self._seen) if self._rows is not None else 0

    @property
    def filter(self) -> ListFilter:
        """Which documents of the list are shown."""
        return self._filter

    @property
    def listed(self) -> int:
        """Number of documents in the list, those that the filter hides included."""
        return len(self._names())

    def is_listed(self, publication: str) -> bool:
        """Whether a document is in the list, shown or hidden by the filter."""
        return publication in self._names()

    def set_filter(self, chosen: ListFilter) -> None:
        """Show only some documents of the list; another list is shown whole.

        What is read or marked afterwards keeps its row until the filter is set again: nothing moves under the
        eyes of the reader.
        """
        self.beginResetModel()
        self._filter = chosen
        self._kept = self._choose(self._names()) if chosen is not ListFilter.ALL else None
        if isinstance(self._rows, SetRows):
            self._asked.clear()
            self._rows.keep(self._kept)
        else:
            self._sort()
        self.endResetModel()

    def _names(self) -> AbstractSet[str]:
        if isinstance(self._rows, SetRows):
            return self._rows.found.rows.keys()
        hits = self._results.hits if self._results is not None else ()
        return {str(hit.patent.publication) for hit in hits}

    def _choose(self, names: AbstractSet[str]) -> frozenset[str]:
        return filter_names(names, self._filter, seen=self._seen, marks=self._marks)

    def replace(self, results: SearchResults | None) -> None:
        """Show another search."""
        self.beginResetModel()
        self._results = results
        self._filter, self._kept = ListFilter.ALL, None
        self._depths, self._coverage = {}, {}
        self._sort()
        self.endResetModel()

    def update(self, results: SearchResults) -> None:
        """Show a newer answer to the same search; a document keeps its selection wherever its row is now."""
        self.layoutAboutToBeChanged.emit()
        # All kept indexes are mapped, or those that are left would point at other documents.
        before = self.persistentIndexList()
        names = [str(hit.patent.publication) if (hit := self.hit(each.row())) else "" for each in before]
        listed = self._names()
        self._results = results
        if self._kept is not None:
            self._kept |= self._choose(self._names() - listed)
        self._coverage = {}
        self._sort()
        rows = [self.row_of(name) for name in names]
        after = [
            self.index(row, each.column()) if row >= 0 else QModelIndex()
            for row, each in zip(rows, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    @property
    def partly_indexed(self) -> bool:
        """Whether a description of the rows, as far as they are loaded, is not indexed."""
        if self._results is not None:
            return any(hit.depth is IndexDepth.CLAIMS for hit in self._results.hits)
        return IndexDepth.CLAIMS in self._depths.values()

    def set_depths(self, depths: Mapping[PatentId, IndexDepth]) -> None:
        """Set how much of the documents of a set is indexed."""
        if self.found is not None:
            self._depths |= depths
            self._repaint()

    def renew_coverage(self, patent: PatentId, coverage: Sequence[FeatureCoverage]) -> None:
        """The description of a hit was read: show its features as they are now."""
        self._coverage[patent] = tuple(coverage)
        self._repaint_coverage()

    def show_set(self, found: FoundSet) -> None:
        """Show a set, in its own order; its rows are loaded when they become visible."""
        self.beginResetModel()
        self._results = None
        self._filter, self._kept = ListFilter.ALL, None
        self._depths, self._coverage = {}, {}
        self._asked.clear()
        self._rows = SetRows(found)
        self.endResetModel()

    def reorder_set(self, places: Sequence[int]) -> None:
        """Show the places of the set in another order."""
        if isinstance(self._rows, SetRows):
            self.beginResetModel()
            self._asked.clear()
            self._rows.reorder(places)
            self.endResetModel()

    def set_order(self, order: Order) -> None:
        """Sort the rows; `reorder_set` sorts a set."""
        self.beginResetModel()
        self._order = order
        if self._results is not None:
            self._sort()
        self.endResetModel()

    def ids(self, page: int) -> tuple[PatentId, ...]:
        """The documents of a page of the set."""
        return self._rows.ids(page) if isinstance(self._rows, SetRows) else ()

    def fill(self, page: Page) -> None:
        """Store a page of the set that was loaded."""
        if isinstance(self._rows, SetRows):
            self._rows.fill(page)
            first, last = page.number * PAGE, min((page.number + 1) * PAGE, len(self._rows)) - 1
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))

    def forget_asked(self, page: int) -> None:
        """A page that was asked for will not come; it may be asked for again."""
        self._asked.discard(page)

    def loaded(self) -> tuple[PatentSummary, ...]:
        """Every row that is loaded."""
        return tuple(self._rows.loaded()) if self._rows is not None else ()

    def set_zones(self, zones: Mapping[PatentId, DateFinding], *, all_new: bool) -> None:
        """Set the date findings of documents; ``all_new``: against other dates than before."""
        self._zones = dict(zones) if all_new else {**self._zones, **zones}
        self._repaint()
        self.dates_changed.emit()

    def dates_of(self, patent: PatentId) -> DateFinding | None:
        """The date finding of a document; None if it is not known."""
        return self._zones.get(patent)

    def set_lamps(self, lamps: Mapping[PatentId, Lamps]) -> None:
        """Replace the warnings about the coverage of documents."""
        if lamps != self._lamps:
            self._lamps = lamps
            self._repaint_coverage()

    def expect_rulings(self, patents: Iterable[PatentId] | None) -> None:
        """Forget the rulings; the judge has yet to rule on these documents, or (None) on any."""
        self._ruled, self._ruled_for, self._first_only = {}, None, set()
        self._judging = frozenset(patents) if patents is not None else None
        self._repaint_coverage()

    def show_ruling(self, row: MatrixRow, query: Query, *, first_only: bool = False) -> None:
        """Set the rulings on one document, of its first passages only or not."""
        self._ruled_for = query
        self._first_only.discard(row.patent.id)
        if first_only:
            self._first_only.add(row.patent.id)
        if self._judging is not None:
            self._judging -= {row.patent.id}
        if _has_verdict(row):
            self._ruled[row.patent.id] = row
        place = self.row_of(str(row.patent.publication))
        if place >= 0:
            for column in self._coverage_columns():
                self.dataChanged.emit(self.index(place, column), self.index(place, column))

    def show_rulings(self, matrix: CoverageMatrix) -> None:
        """Set the rulings on all documents: the judge has ended."""
        self._ruled_for, self._judging = matrix.query, frozenset()
        self._ruled = {row.patent.id: row for row in matrix.every_row if _has_verdict(row)}
        self._first_only = set(matrix.first_only)
        self._repaint_coverage()

    def set_seen(self, publications: Iterable[str]) -> None:
        """Set the documents that were opened before."""
        seen = set(publications)
        if seen != self._seen:
            self._seen = seen
            self._repaint()

    def see(self, publication: str) -> None:
        """A document was opened; only its row is painted again, so that going down the list stays fast."""
        if publication in self._seen:
            return
        self._seen.add(publication)
        row = self.row_of(publication)
        if row >= 0:
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))

    def set_marks(self, marks: Mapping[str, Given]) -> None:
        """Categories of the open case by publication."""
        if marks != self._marks:
            self._marks = dict(marks)
            self._repaint()

    def set_tags(self, tags: Mapping[str, tuple[str, ...]]) -> None:
        """Tags of the open case by publication."""
        if tags != self._tags:
            self._tags = tags
            self._repaint()

    def hit(self, row: int) -> Hit | None:
        """The hit of a row; None outside the table, and before the row is loaded."""
        if self._rows is None or not 0 <= row < len(self._rows):
            return None
        return self._rows.hit(row)

    def row_of(self, publication: str) -> int:
        """Row of a publication; -1 if it is not in the table."""
        return self._rows.row_of(publication) if self._rows is not None else -1

    def count_above(self, publication: str) -> int:
        """Rows above the place of a document that the filter hides."""
        return self._rows.count_above(publication) if self._rows is not None else 0

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() or self._rows is None else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return (column.set_heading if self.found is not None else "") or column.heading
        if role == Qt.ItemDataRole.ToolTipRole:
            return wrap_tip(column.help or column.heading)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            # The heading may be a sign, or nothing.
            return (column.set_heading if self.found is not None else "") or column.menu_name
        return _LEFT if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ANSWERED or not index.isValid() or self._rows is None:
            return None
        place, column = index.row(), self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.right else None
        hit = self._rows.hit(place)
        if hit is None:
            self._ask(place)
            known = column.early if role == Qt.ItemDataRole.DisplayRole else None
            return known(self._rows.rank(place)) if known is not None else None
        if role == HIT_ROLE:
            return hit
        if role == COVERAGE_ROLE:
            return self._cells(hit)
        if role == JUDGING_ROLE:
            return self._is_judging(hit)
        if role == FIRST_ROLE:
            return hit.patent.id in self._first_only
        if role == LAMPS_ROLE:
            return self._lamps.get(hit.patent.id, NO_LAMPS)
        if role == ZONE_ROLE:
            return self._zones.get(hit.patent.id)
        if role == Qt.ItemDataRole.ForegroundRole:
            found = self._zones.get(hit.patent.id)
            later = found is not None and found.zone is Zone.LATER
            return QColor(theme.active().muted) if later else None
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(self._row(place, hit))
        if role == Qt.ItemDataRole.ToolTipRole:
            return wrap_tip(column.tip(self._row(place, hit)))
        return (column.spoken or column.text)(self._row(place, hit))

    def reason(self, publication: str) -> str:
        """Why a document is in the list; empty if it is not there, or not read yet."""
        place = self.row_of(publication)
        hit = self.hit(place)
        return reason(self._row(place, hit)) if hit is not None else ""

    def given(self, hit: Hit) -> Given:
        """The category the examiner gave a hit."""
        return self._marks.get(str(hit.patent.publication), NOT_GIVEN)

    def is_seen(self, hit: Hit) -> bool:
        """Whether the hit was opened in this case."""
        return str(hit.patent.publication) in self._seen

    def _row(self, place: int, hit: Hit) -> Row:
        assert self._rows is not None
        dates = self._zones.get(hit.patent.id)
        lamps = self._lamps.get(hit.patent.id, NO_LAMPS)
        tags = self._tags.get(str(hit.patent.publication), ())
        return Row(
            self._rows.rank(place),
            hit,
            self.is_seen(hit),
            self.given(hit),
            dates,
            lamps,
            tags,
            cells=self._cells(hit),
            query=self._ruled_for,
            waiting=self._is_judging(hit),
            first_only=hit.patent.id in self._first_only,
            depth=self._depths.get(hit.patent.id, hit.depth),
            line=found.line if (found := self.found) is not None else "",
        )

    def _cells(self, hit: Hit) -> Sequence[FeatureCoverage]:
        """Verdicts where they are known, else match strengths."""
        row = self._ruled.get(hit.patent.id)
        return row.cells if row is not None else self._coverage.get(hit.patent.id, hit.coverage)

    def _is_judging(self, hit: Hit) -> bool:
        return self._judging is None or hit.patent.id in self._judging

    def _coverage_columns(self) -> Iterator[int]:
        return (place for place, each in enumerate(self.columns) if each.painting is Painting.COVERAGE)

    def _repaint_coverage(self) -> None:
        for place in self._coverage_columns():
            self._repaint(place, place)

    def _ask(self, place: int) -> None:
        if isinstance(self._rows, SetRows):
            page = self._rows.page_of(place)
            if page >= 0 and page not in self._asked:
                self._asked.add(page)
                self.page_wanted.emit(page)

    def _sort(self) -> None:
        hits = self._results.hits if self._results is not None else ()
        order = list(range(len(hits)))
        if self._order is Order.FEATURES:
            order.sort(key=lambda place: measure_coverage(self._cells(hits[place])), reverse=True)
        elif self._order is Order.DATE:
            # Reversed by the sort itself, which leaves rows of one day in the order of their score.
            order.sort(key=lambda place: hits[place].patent.published or date.min, reverse=True)
        self._rows = HitRows(self._results, order, self._kept) if self._results is not None else None

    def _repaint(self, first: int = 0, last: int | None = None) -> None:
        if self._rows is not None and len(self._rows):
            end = len(self.columns) - 1 if last is None else last
            self.dataChanged.emit(self.index(0, first), self.index(len(self._rows) - 1, end))


def _has_verdict(row: MatrixRow) -> bool:
    """Whether a judge has ruled on a document, or the examiner decided on a passage of it."""
    return any(cell.ruling is not None or cell.by_hand is not ByHand.NONE for cell in row.cells)
