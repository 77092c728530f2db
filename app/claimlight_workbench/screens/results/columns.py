"""Which columns are shown, and how wide: what the user hides stays hidden, the rest gives way."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QTableView

from claimlight_workbench.models.columns import HEADINGS, NAMES, Column

_TITLE_CHARS = 26
_TITLE_SHORT_CHARS = 22
_TITLE_LEAST_CHARS = 10
ALWAYS = (Column.RANK, Column.PUBLICATION, Column.TITLE)
"""Columns that can't be hidden."""
_GIVE_WAY = (Column.FAMILY, Column.PRIORITY, Column.RANKS, Column.FILED, Column.APPLICANT)
"""Shown while the title keeps its room; what they say is also in the tool tips."""
_LAST_TO_GO = Column.DATE
"""Goes for a title that would be short all the same, where a date status says what the date means."""
_SAMPLES = (
    (Column.RANK, "000"),
    (Column.SEEN, "●"),
    (Column.MARK, "X"),
    (Column.PUBLICATION, "US 00,000,000 B0"),
    (Column.DATE, "2019-00-00"),
    (Column.ZONE, "Full prior art   "),
    (Column.COVERAGE, "Features 0"),
    (Column.GAIN, "Gain"),
    (Column.APPLICANT, "Applicant name"),
    (Column.TITLE, "A title of some words"),
    (Column.FAMILY, "Fam.  "),
    (Column.PRIORITY, "2019-00-00"),
    (Column.FILED, "2019-00-00"),
    (Column.RANKS, "00 · 00 · 00"),
)


def name_of(column: Column) -> str:
    """What a column is called in a menu."""
    return NAMES.get(column, HEADINGS[column])


class ColumnKeeper(QObject):
    """Follows the width of a table of results."""

    changed = Signal()
    """The user hid or showed a column."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self._wanted: dict[Column, int] = {}
        self.hidden: frozenset[Column] = frozenset()
        """What the user has hidden."""
        self._empty: frozenset[Column] = frozenset()
        self._zoned = False
        self.measure()
        header = table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._menu)

    def measure(self) -> None:
        """Columns are as wide as what stands in them, in the font of the table."""
        wide = self._table.fontMetrics().horizontalAdvance
        for column, sample in _SAMPLES:
            self._wanted[column] = wide(sample) + 12
            self._table.setColumnWidth(column, self._wanted[column])

    def show_kind(self, *, out: Iterable[Column], ranks: int) -> None:
        """Columns that have nothing to say of what is shown; and the room for the rank of the last row."""
        self._empty = frozenset(out)
        wide = self._table.fontMetrics().horizontalAdvance("0" * max(3, len(str(ranks)))) + 12
        self._table.setColumnWidth(Column.RANK, wide)
        self.fit()

    def show_zones(self, *, shown: bool) -> None:
        """Date statuses need dates to compare with; without any the column is left out."""
        if shown != self._zoned:
            self._zoned = shown
            self.fit()

    def set_hidden(self, names: Iterable[str]) -> None:
        """Hide columns by name; others are shown."""
        known = {column.name.lower(): column for column in Column if column not in ALWAYS}
        self.hidden = frozenset(known[name] for name in names if name in known)
        self.fit()

    def names(self) -> tuple[str, ...]:
        """The hidden ones by name."""
        return tuple(sorted(column.name.lower() for column in self.hidden))

    def toggle(self, column: Column) -> None:
        """Hide a column or show it again."""
        if column not in ALWAYS:
            self.hidden ^= {column}
            self.fit()
            self.changed.emit()

    def fit(self) -> None:
        """The title takes the room that is left; in a narrow window the last columns go."""
        out = self.hidden | self._empty | (frozenset() if self._zoned else {Column.ZONE})
        table = self._table
        for column in Column:
            # What is hidden has no width: those that stay are shown before they are measured.
            if column in out or column not in _GIVE_WAY:
                table.setColumnHidden(column, column in out)
        fixed = [column for column in Column if column not in {Column.TITLE, *_GIVE_WAY, *out}]
        letter = table.fontMetrics().averageCharWidth()
        room = table.viewport().width() - sum(table.columnWidth(column) for column in fixed)
        short = room < letter * _TITLE_SHORT_CHARS
        if short and _LAST_TO_GO in fixed and Column.ZONE in fixed:
            room += table.columnWidth(_LAST_TO_GO)
            table.setColumnHidden(_LAST_TO_GO, True)
        for column in _GIVE_WAY:
            if column in out:
                continue
            shown = not short and room - self._wanted[column] >= letter * _TITLE_CHARS
            room -= self._wanted[column] if shown else 0
            table.setColumnHidden(column, not shown)
            if shown:
                table.setColumnWidth(column, self._wanted[column])
        table.setColumnWidth(Column.TITLE, max(letter * _TITLE_LEAST_CHARS, room))

    def _menu(self, place: QPoint) -> None:
        header = self._table.horizontalHeader()
        menu = QMenu(header)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in Column:
            if column in ALWAYS:
                continue
            action = menu.addAction(name_of(column))
            action.setCheckable(True)
            action.setChecked(column not in self.hidden)
            action.triggered.connect(lambda _=False, each=column: self.toggle(each))
        menu.popup(header.mapToGlobal(place))
