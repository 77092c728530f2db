"""The bibliographic data of the open document: one line, which opens to a row for each kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.reader.describe import FrontRow, front_page, front_rows
from claimlight_workbench.widgets.folding import FoldingBlock
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types import DateFinding, DocumentView

_LINES = 7
"""Lines of text that the open block shows before it scrolls."""


class FrontBlock(FoldingBlock):
    """Folds to one line; stays open or folded from document to document."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: DocumentView | None = None
        self._dates: DateFinding | None = None
        self.rows: tuple[FrontRow, ...] = ()
        """What the open block shows."""
        self.toggle.toggled.connect(self._show)
        self.show_nothing()

    def show_document(self, view: DocumentView) -> None:
        """Show the data of a document; its date status follows."""
        self._view, self._dates = view, None
        self.show()
        self._show()

    def show_dates(self, finding: DateFinding | None) -> None:
        """Show by which provision the document counts; None if it was compared with no dates."""
        if self._view is not None and finding != self._dates:
            self._dates = finding
            self._show()

    def show_nothing(self) -> None:
        """No document is open."""
        self._view = self._dates = None
        self.rows = ()
        self.line.setText("")
        self.hide()

    def _show(self) -> None:
        opened = self.toggle.isChecked()
        self.toggle.setText(tr("▾ Front page") if opened else tr("▸ Front page"))
        self.toggle.setToolTip(
            wrap_tip(
                tr("Show the bibliographic data in one line") if opened else tr("Show all bibliographic data")
            )
        )
        view = self._view
        if view is None:
            return
        self.rows = front_rows(view, self._dates)
        self.line.setText(front_page(view, self._dates))
        self.line.setVisible(not opened)
        self.area.setVisible(opened)
        self.area.setWidget(self._make_rows() if opened else QWidget())
        self._fit()

    def _make_rows(self) -> QWidget:
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, design.TIGHT, 0)
        grid.setHorizontalSpacing(design.NEAR)
        grid.setVerticalSpacing(design.HAIR)
        grid.setColumnStretch(1, 1)
        for number, row in enumerate(self.rows):
            name = QLabel(row.name)
            name.setObjectName("muted")
            name.setAlignment(Qt.AlignmentFlag.AlignTop)
            value = make_wrapped_label(row.value)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setAccessibleName(f"{row.name}: {row.value}")
            value.setToolTip(wrap_tip(row.tip))
            grid.addWidget(name, number, 0)
            grid.addWidget(value, number, 1)
        grid.setRowStretch(len(self.rows), 1)
        return inner

    def _fit(self) -> None:
        """As high as its rows, up to `_LINES`."""
        inner = self.area.widget()
        if inner is None or not self.toggle.isChecked() or not self.rows:
            return
        width = max(self.width() - self.area.verticalScrollBar().sizeHint().width(), 80)
        needed = inner.heightForWidth(width) if inner.hasHeightForWidth() else inner.sizeHint().height()
        most = _LINES * (self.fontMetrics().lineSpacing() + 1)
        self.area.setFixedHeight(min(needed, most) + 2)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]  # Qt's own event
        self._fit()
