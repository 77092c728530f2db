"""The classes of the open document: one line, which opens to a button for each symbol."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.classes.labels import ClassLabel
from claimlight.types import SCHEMES
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.reader.class_words import (
    NO_CLASSES,
    ClassRow,
    class_rows,
    label_words,
    rows_line,
)
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.folding import FoldingBlock
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claimlight.types import ClassSymbol

_LINES = 7
"""Lines of text that the open block shows before it scrolls."""


class ClassBlock(FoldingBlock):
    """Symbols are shown at once; their titles come when they have been read."""

    show_wanted = Signal(object)
    """A `ClassLabel` is to be shown in the *Classes* panel."""
    line_wanted = Signal(str)
    """A query line is to be run."""
    insert_wanted = Signal(str)
    """A query line is to be added to the one that is being written."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: list[ClassButton] = []
        self._rows: tuple[ClassRow, ...] = ()
        self.toggle.toggled.connect(self._open)
        self.show_nothing()

    def show_classes(self, classes: Iterable[ClassSymbol]) -> None:
        """Show the classes of a document, without titles."""
        unique = {(each.scheme, each.symbol): ClassLabel(each) for each in classes}
        self.show_labels(tuple(unique.values()))

    def show_labels(self, labels: tuple[ClassLabel, ...]) -> None:
        """Show classes with what is known of them."""
        self._rows = class_rows(labels)
        self.line.setText(rows_line(self._rows) or NO_CLASSES)
        if labels:
            self.line.setToolTip(wrap_tip("\n".join(f"{rows_line((row,))}" for row in self._rows)))
        self.toggle.setEnabled(bool(labels))
        self.show()
        self._open(opened=self.toggle.isChecked())

    def show_nothing(self) -> None:
        """No document is open."""
        self._rows = ()
        self._open(opened=False)
        self.hide()

    def _open(self, opened: bool) -> None:  # noqa: FBT001 - a slot
        self.toggle.setText(tr("▾ Classes") if opened else tr("▸ Classes"))
        self.toggle.setToolTip(
            tr("Show the classes in one line") if opened else tr("Show each class with its title")
        )
        shown = opened and bool(self._rows)
        held = next((each.label.symbol for each in self.buttons if each.hasFocus()), None)
        self.buttons = []
        self.line.setVisible(not shown)
        self.area.setVisible(shown)
        self.area.setWidget(self._make_rows() if shown else QWidget())
        self._fit()
        for button in self.buttons:
            if button.label.symbol == held:
                button.setFocus()

    def _make_rows(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.HAIR)
        wide = max(self.fontMetrics().horizontalAdvance(row.name) for row in self._rows) + 4
        for row in self._rows:
            name = QLabel(row.name)
            name.setObjectName("muted")
            name.setFixedWidth(wide)
            name.setAlignment(Qt.AlignmentFlag.AlignTop)
            name.setContentsMargins(0, design.HAIR, 0, 0)
            held = QWidget()
            flow = FlowLayout(held, spacing=3)
            for label in row.labels:
                button = ClassButton(label, row.name)
                button.clicked.connect(partial(self._offer, button))
                self.buttons.append(button)
                flow.addWidget(button)
            policy = held.sizePolicy()
            policy.setHeightForWidth(True)
            held.setSizePolicy(policy)
            line = QHBoxLayout()
            line.setSpacing(design.TIGHT)
            line.addWidget(name, 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(held, 1)
            column.addLayout(line)
        column.addStretch(1)
        return inner

    def _fit(self) -> None:
        """As high as its rows, up to `_LINES`."""
        inner = self.area.widget()
        if inner is None or not self.buttons:
            return
        width = max(self.width(), 80)
        needed = inner.heightForWidth(width) if inner.hasHeightForWidth() else inner.sizeHint().height()
        most = _LINES * (self.buttons[0].sizeHint().height() + 2)
        self.area.setFixedHeight(min(needed, most) + 2)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]  # Qt's own event
        self._fit()

    def _offer(self, button: ClassButton) -> None:
        menu = self.make_menu(button.label)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def make_menu(self, label: ClassLabel) -> QMenu:
        """What can be done with a symbol."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        symbol, line = label.symbol.symbol, label.line
        if label.symbol.scheme in SCHEMES:
            menu.addAction(tr("Show in Classes"), lambda: self.show_wanted.emit(label))
            menu.addAction(tr("Search {line}", line=line), lambda: self.line_wanted.emit(line))
            menu.addAction(
                tr("Add {line} to the query line", line=line), lambda: self.insert_wanted.emit(line)
            )
        menu.addAction(
            tr("Copy {symbol}", symbol=symbol), lambda: QGuiApplication.clipboard().setText(symbol)
        )
        return menu


class ClassButton(QToolButton):
    """A symbol; a click, Enter or the space bar offers what can be done with it."""

    def __init__(self, label: ClassLabel, row: str) -> None:
        super().__init__()
        self.label = label
        self.setObjectName("symbol")
        self.setText(f"{label.symbol.symbol}{' †' if label.retired else ''}")
        font = self.font()
        font.setBold(label.symbol.first)
        self.setFont(font)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        words = label_words(label)
        self.setToolTip(wrap_tip(words))
        self.setAccessibleName(f"{row} {label.symbol.symbol}{(tr(', first') if label.symbol.first else '')}")
        self.setAccessibleDescription(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.click()
        else:
            super().keyPressEvent(event)
