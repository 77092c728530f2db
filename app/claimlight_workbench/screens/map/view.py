"""The panel of the map: buttons and state above, the plane with its legend, and its documents as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import NO_SECTION
from claimlight_workbench import design, theme
from claimlight_workbench.language import number, tr
from claimlight_workbench.screens.map import describe
from claimlight_workbench.screens.map.canvas import MapCanvas, section_colours
from claimlight_workbench.screens.map.table import MapTable
from claimlight_workbench.widgets.empty_state import INDEX_DOCUMENTS, EmptyState, Missing
from claimlight_workbench.widgets.enter_table import EnterTable
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from claimlight.services.maps.plane import Plane
    from claimlight.types import Category, LibraryMap, Progress
    from claimlight_workbench.models.desk import Left

_FILES = tr("PNG picture (*.png);;SVG picture (*.svg);;Table (*.csv)")
_SECTIONS = (*"ABCDEFGHY", NO_SECTION)


class MapPanel(QWidget):
    """Map and table show the same documents, and the same ones selected."""

    opened = Signal(str)
    """Publication of a document."""
    kept = Signal(object, str)
    """Ids of the selected documents, and what their set is called."""
    draw_wanted = Signal()
    renew_wanted = Signal()
    cancel_wanted = Signal()
    export_wanted = Signal(object, object)
    """Path, and a function that gives the contents of the file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = MapCanvas()
        self.legend = _Legend()
        self.model = MapTable(self.canvas)
        self.table = EnterTable(tr("Documents of the map"))
        self.table.setModel(self.model)
        prepare_rows(self.table, tr("Documents of the map"))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.select_button = _button(
            tr("Select"), tr("Draw a line around documents (or hold Shift and drag)"), checkable=True
        )
        self.keep_button = _button(tr("Keep as set"), tr("Make the next L number of the selected documents"))
        self.whole_button = _button(tr("Whole map"), tr("See all of the map (Home)"))
        self.table_button = _button(
            tr("Table"), tr("List the documents beside the map (Alt+T)"), checkable=True
        )
        self.draw_button = _button(tr("Draw map"), tr("Lay out the documents"))
        self.cancel_button = _button(tr("Cancel"), tr("Stop laying out (Esc)"))
        self.more_button = _button(tr("More"), "")
        offered = QMenu(self.more_button)
        offered.addAction(tr("Export…"), self.ask_export)
        offered.addAction(tr("Lay out again"), self.renew_wanted.emit)
        self.more_button.setMenu(offered)
        self.state = make_wrapped_label(name="muted")
        self.empty = EmptyState("", INDEX_DOCUMENTS, steps=(Missing.DOCUMENTS,))
        self._lay_out()
        self._join()
        self.show_nothing()

    # What is shown

    def show_started(self) -> None:
        """The map is being made."""
        self.state.setText(tr("Laying out the documents. Esc cancels."))
        self.draw_button.hide()
        self.cancel_button.show()
        self.empty.set_empty(False)

    def show_progress(self, event: Progress) -> None:
        """How far it is."""
        self.state.setText(describe.progress_text(event))

    def show_stopped(self) -> None:
        """It was cancelled; the map before it stays."""
        self.cancel_button.hide()
        plane = self.canvas.plane
        self.draw_button.setVisible(plane is None)
        self.state.setText(describe.map_text(plane.found) if plane is not None else describe.STOPPED)

    def show_refused(self, why: str) -> None:
        """There is no map, with what to do."""
        self._show(None)
        self.state.setText(why)

    def show_plane(self, plane: Plane) -> None:
        """Show a map."""
        self._show(plane)
        self.state.setText(describe.map_text(plane.found))

    def show_nothing(self) -> None:
        """No library is open."""
        self._show(None)
        self.state.setText(describe.WAITING)

    def show_hits(self, publications: Sequence[str]) -> None:
        """The documents of the list on the screen."""
        self.canvas.show_hits(publications)
        self._renew()

    def show_marks(self, marks: Mapping[str, Category]) -> None:
        """The categories of the case."""
        self.canvas.show_marks(marks)
        self._renew()

    def clear_out(self, _left: Left) -> None:
        """The list and the categories belong to what is left; the map goes with its library."""
        self.canvas.show_hits(())
        self.canvas.show_marks({})
        self.canvas.show_current("")
        self._renew()

    # What the user does

    def keep(self) -> None:
        """Make a set of the selected documents."""
        plane, rows = self.canvas.plane, sorted(self.canvas.selected)
        if plane is not None and rows:
            first = plane.points[rows[0]].publication
            patents = [plane.points[row].patent for row in rows]
            self.kept.emit(patents, describe.description_of(len(rows), first))

    def ask_export(self) -> None:
        """Choose the file of a picture or table."""
        name, kind = QFileDialog.getSaveFileName(self, tr("Export the map"), "map.png", _FILES)
        if name:
            path = Path(name)
            suffix = next((each for each in (".svg", ".csv") if each in kind), ".png")
            self.export(path if path.suffix else path.with_suffix(suffix))

    def export(self, path: Path) -> None:
        """Write the map for a file; its suffix decides between PNG, SVG and CSV."""
        if self.canvas.plane is not None:
            self.export_wanted.emit(path, _writer(self.canvas.plane.found, path.suffix.lower()))

    # Joining

    def _show(self, plane: Plane | None) -> None:
        self.canvas.show_plane(plane)
        self.model.show_plane(plane)
        self.legend.show_sections(plane.legend if plane is not None else ())
        self.table.setColumnWidth(0, self.fontMetrics().horizontalAdvance("US 2013/0210636 A1 mm"))
        for column, sample in (
            (1, f"{tr('Section')} mm"),
            (2, f"{tr('Category')} mm"),
            (3, f"{tr('In list')} mm"),
        ):
            self.table.setColumnWidth(column, self.fontMetrics().horizontalAdvance(sample))
        there = plane is not None
        for each in (self.select_button, self.whole_button, self.table_button, self.more_button):
            each.setEnabled(there)
        self.keep_button.setEnabled(False)
        self.empty.set_empty(not there)
        self.split.setVisible(there)
        self.draw_button.hide()
        self.cancel_button.hide()

    def _renew(self) -> None:
        self.model.renew()

    def _join(self) -> None:
        self.canvas.opened.connect(self.opened)
        self.canvas.selection_changed.connect(self._selected_on_map)
        self.table.entered.connect(self._open_row)
        self.table.doubleClicked.connect(self._open_row)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._selected_in_table())
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self.canvas.go_to(now.row()))
        self.select_button.toggled.connect(self._set_selecting)
        self.keep_button.clicked.connect(self.keep)
        self.whole_button.clicked.connect(self.canvas.whole)
        self.table_button.toggled.connect(self.table.setVisible)
        self.draw_button.clicked.connect(self.draw_wanted)
        self.cancel_button.clicked.connect(self.cancel_wanted)
        shortcut = QShortcut(QKeySequence("Alt+T"), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self._to_table)

    def _to_table(self) -> None:
        if not self.table_button.isEnabled():
            return
        self.table_button.toggle()
        (self.table if self.table_button.isChecked() else self.canvas).setFocus(
            Qt.FocusReason.ShortcutFocusReason
        )

    def _open_row(self, index: QModelIndex) -> None:
        if self.canvas.plane is not None:
            self.opened.emit(self.canvas.plane.points[index.row()].publication)

    def _set_selecting(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self.canvas.selecting = on
        self.canvas.setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)

    def _selected_on_map(self, rows: Sequence[int]) -> None:
        """The table follows; rows next to each other are one range, as single ones take seconds."""
        chosen = QItemSelection()
        last = self.model.columnCount() - 1
        begin = 0
        for place in range(1, len(rows) + 1):
            if place == len(rows) or rows[place] != rows[place - 1] + 1:
                chosen.select(self.model.index(rows[begin], 0), self.model.index(rows[place - 1], last))
                begin = place
        with QSignalBlocker(self.table.selectionModel()):
            self.table.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.table.viewport().update()
        self._tell_selected(len(rows))

    def _selected_in_table(self) -> None:
        chosen = self.table.selectionModel().selection()
        ranges = [chosen.at(place) for place in range(chosen.count())]
        rows = {row for each in ranges for row in range(each.top(), each.bottom() + 1)}
        self.canvas.select(rows)
        self._tell_selected(len(rows))

    def _tell_selected(self, count: int) -> None:
        self.keep_button.setEnabled(count > 0)
        plane = self.canvas.plane
        if count:
            self.state.setText(describe.selected_text(count))
        elif plane is not None:
            self.state.setText(describe.map_text(plane.found))

    def _lay_out(self) -> None:
        head = FlowLayout(spacing=design.NEAR)
        for each in (
            self.draw_button,
            self.cancel_button,
            self.select_button,
            self.keep_button,
            self.whole_button,
            self.table_button,
            self.more_button,
        ):
            head.addWidget(each)
        drawn = QWidget()
        line = QHBoxLayout(drawn)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(design.TIGHT)
        line.addWidget(self.canvas, 1)
        line.addWidget(self.legend)
        self.split = split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(drawn)
        split.addWidget(self.table)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        self.table.hide()
        self.canvas.setToolTip("")
        self.state.setToolTip(describe.MEANING)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addLayout(head)
        column.addWidget(self.state)
        column.addWidget(self.empty)
        column.addWidget(self.split, 1)
        column.addStretch(0)


class _Legend(QWidget):
    """A row for each section: colour, letter, number of documents; then what the other signs mean."""

    _SIGNS = (tr("○ in list"), tr("□ selected"), tr("+ open"))

    def __init__(self) -> None:
        super().__init__()
        self._sections: Sequence[tuple[str, int]] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Legend of the map"))

    def show_sections(self, sections: Sequence[tuple[str, int]]) -> None:
        """Show these sections."""
        self._sections = sections
        told = ", ".join(f"{section}: {number(count, ',')}" for section, count in sections)
        self.setAccessibleDescription(tr("Documents by section: {told}.", told=told) if sections else "")
        self.setVisible(bool(sections))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        texts = [f"M  {number(count, ',')}" for _, count in self._sections] + list(self._SIGNS)
        wide = max((metrics.horizontalAdvance(each) for each in texts), default=0)
        return QSize(wide + metrics.height() + 10, metrics.lineSpacing() * (len(self._sections) + 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.active()
        inks = dict(zip(_SECTIONS, section_colours(dark=colours.dark), strict=True))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high = self.fontMetrics().lineSpacing()
        side = high * 0.6
        middle = Qt.AlignmentFlag.AlignVCenter
        for row, (section, count) in enumerate(self._sections):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(inks[section]))
            painter.drawEllipse(QRectF(2, row * high + (high - side) / 2, side, side))
            painter.setPen(QColor(colours.text))
            area = QRectF(side + 8, row * high, self.width() - side - 8, high)
            painter.drawText(area, middle, f"{section}  {number(count, ',')}")
        painter.setPen(QColor(colours.muted))
        for row, text in enumerate(self._SIGNS, len(self._sections) + 1):
            painter.drawText(QRectF(2, row * high, self.width() - 2, high), middle, text)


def _button(text: str, tip: str, *, checkable: bool = False) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(tip)
    made.setCheckable(checkable)
    return made


def _writer(found: LibraryMap, suffix: str) -> Callable[[], bytes]:
    """Gives the contents of a file; drawn in the worker that writes it."""

    def write() -> bytes:
        from claimlight.services.maps.drawing import map_png, map_svg, map_table

        if suffix == ".csv":
            return map_table(found).encode("utf-8-sig")
        return map_svg(found).encode() if suffix == ".svg" else map_png(found)

    return write
