"""Which columns are shown, and how wide: hidden columns stay hidden, the rest adapts to the room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QTableView

from claimlight_workbench.models.columns import Column, Needs, Width
from claimlight_workbench.widgets.coverage import strip_width

_TITLE_CHARS = 26
_TITLE_SHORT_CHARS = 16
_TITLE_LEAST_CHARS = 10
_LEAST_STRIP = 76
_MARGIN = 12


class ColumnKeeper(QObject):
    """Adapts the column widths to the table's width."""

    changed = Signal()
    """The user hid or showed a column."""

    def __init__(self, table: QTableView, columns: Sequence[Column]) -> None:
        super().__init__(table)
        self._table = table
        self._columns = tuple(columns)
        self._place = {column: place for place, column in enumerate(self._columns)}
        self._wanted: dict[Column, int] = {}
        self.hidden: frozenset[Column] = frozenset()
        """The columns the user has hidden."""
        self._has: frozenset[Needs] = frozenset(Needs) - {Needs.DATES, Needs.DEPTH}
        self._zoned = False
        self.measure()
        header = table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._menu)

    def measure(self) -> None:
        """Columns are as wide as their samples, in the font of the table; no heading is cut."""
        wide, header = self._table.fontMetrics().horizontalAdvance, self._table.horizontalHeader()
        for column, place in self._place.items():
            self._wanted[column] = max(wide(column.sample), wide(column.heading)) + _MARGIN
            if wide(column.heading) > wide(column.sample):
                self._wanted[column] = max(self._wanted[column], header.sectionSizeHint(place))
            self._table.setColumnWidth(place, self._wanted[column])

    def show_kind(self, *, has: Iterable[Needs], ranks: int) -> None:
        """Set what data the list has for the columns, and its last rank."""
        self._has = frozenset(has)
        wide = self._table.fontMetrics().horizontalAdvance("0" * max(3, len(str(ranks)))) + _MARGIN
        for place in self._places(Width.RANK):
            self._table.setColumnWidth(place, wide)
        self.fit()

    def show_need(self, need: Needs, *, there: bool) -> None:
        """Show the columns of some data, or hide them where the list has none."""
        if there != (need in self._has):
            self._has ^= {need}
            self.fit()

    def fit_features(self, features: int) -> None:
        """Make room for one box for each feature of the query."""
        for place in self._places(Width.FEATURES):
            self._table.setColumnWidth(place, max(_LEAST_STRIP, strip_width(features)))

    def fit_contents(self) -> None:
        """Measure the columns that are as wide as the rows on the screen need."""
        for place in self._places(Width.CONTENTS):
            self._table.resizeColumnToContents(place)

    def show_zones(self, *, shown: bool) -> None:
        """Show the date status, or hide it where there are no dates to compare with."""
        if shown != self._zoned:
            self._zoned = shown
            self.fit()

    def set_hidden(self, names: Iterable[str]) -> None:
        """Hide the columns of these keys and show all others."""
        known = {column.key: column for column in self.optional}
        self.hidden = frozenset(known[name] for name in names if name in known)
        self.fit()

    def names(self) -> tuple[str, ...]:
        """Keys of the columns the user has hidden."""
        return tuple(sorted(column.key for column in self.hidden))

    @property
    def optional(self) -> tuple[Column, ...]:
        """The columns that can be hidden."""
        return tuple(column for column in self._columns if not column.always)

    def toggle(self, column: Column) -> None:
        """Hide a column or show it again."""
        if not column.always:
            self.hidden ^= {column}
            self.fit()
            self.changed.emit()

    def fit(self) -> None:
        """Give the rest of the width to the title; in a narrow window, hide columns for it."""
        has = self._has | ({Needs.DATES} if self._zoned else set())
        out = {column for column in self._columns if column in self.hidden or not column.needs <= has}
        optional = sorted((c for c in self._columns if c.gives_way), key=lambda c: -c.gives_way)
        table = self._table
        for column, place in self._place.items():
            # A hidden column has no width: those that stay are shown before they are measured.
            if column in out or not column.gives_way:
                table.setColumnHidden(place, column in out)
        rest = self._places(Width.REST)
        letter = table.fontMetrics().averageCharWidth()
        fixed = [c for c in self._columns if not c.gives_way and c not in out and c.width is not Width.REST]
        room = table.viewport().width() - sum(table.columnWidth(self._place[each]) for each in fixed)
        short = room < letter * _TITLE_SHORT_CHARS
        if short and any(Needs.DATES in column.needs for column in fixed):
            for column in fixed:
                if column.gives_way_to_status:
                    room += table.columnWidth(self._place[column])
                    table.setColumnHidden(self._place[column], True)
        last = sorted((c for c in fixed if c.gives_way_to_title), key=lambda c: c.gives_way_to_title)
        for column in last:
            # Or the title would be behind a scroll bar.
            if room < letter * _TITLE_LEAST_CHARS:
                room += table.columnWidth(self._place[column])
                table.setColumnHidden(self._place[column], True)
        for column in optional:
            if column in out:
                continue
            shown = not short and room - self._wanted[column] >= letter * _TITLE_CHARS
            room -= self._wanted[column] if shown else 0
            table.setColumnHidden(self._place[column], not shown)
            if shown:
                table.setColumnWidth(self._place[column], self._wanted[column])
        for place in rest:
            table.setColumnWidth(place, max(letter * _TITLE_LEAST_CHARS, room))

    def _places(self, width: Width) -> list[int]:
        return [place for column, place in self._place.items() if column.width is width]

    def _menu(self, place: QPoint) -> None:
        header = self._table.horizontalHeader()
        menu = QMenu(header)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in self.optional:
            action = menu.addAction(column.menu_name)
            action.setCheckable(True)
            action.setChecked(column not in self.hidden)
            action.triggered.connect(lambda _=False, each=column: self.toggle(each))
        menu.popup(header.mapToGlobal(place))
