"""Strips above the results: what a residual search asks for, what the date limit and the filter hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.search.date_words import hidden_text, note_of_earlier_publications
from claimlight.types import format_publication
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.list_filter import FILTERS, ListFilter
from claimlight_workbench.widgets.key_tips import set_tip
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import DateFinding, Query, Residual, ZoneCount
    from claimlight_workbench.models.desk import Left

_SHOWN_WORDS = 45
"""Letters of a feature shown in the strip; the tool tip has all of it."""


class ResidualStrip(QWidget):
    """Shown as long as it describes the results below."""

    back_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = make_wrapped_label()
        self.title.setObjectName("title")
        self.asked = make_wrapped_label()
        self.back = QToolButton()
        self.back.clicked.connect(self.back_pressed)
        frame = QFrame()
        frame.setObjectName("strip")
        grid = QGridLayout(frame)
        grid.setContentsMargins(*design.STRIP)
        grid.setVerticalSpacing(design.HAIR)
        grid.addWidget(self.title, 0, 0)
        grid.addWidget(self.asked, 1, 0)
        grid.addWidget(self.back, 0, 1, 2, 1)
        grid.setColumnStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(design.HAIR, design.HAIR, design.HAIR, design.HAIR)
        column.addWidget(frame)
        self.hide()

    def show_lacking(self, publication: str, residual: Residual, query: Query) -> None:
        """What is asked for: the features that a document lacks, and nothing else."""
        labels, status = residual.features, tell(residual.dates.label)
        texts = {feature.label: " ".join(feature.text.split()) for feature in query.features}
        name = format_publication(publication)
        first = f"D1, {status}" if status else "D1"
        self.title.setText(
            tr(
                "Features missing from {name} ({first}): searches only for {join_labels}",
                name=name,
                first=first,
                join_labels=_join_labels(labels),
            )
        )
        self.title.setToolTip(wrap_tip(tell(residual.dates.words)))
        asked = "  ·  ".join(f"{each} {_short(texts.get(each, ''))}" for each in labels)
        lines = [asked, tr("D1 and its family are excluded; ordered by gain over D1.")]
        lines += filter(None, [tell(note_of_earlier_publications([(name, residual.dates)]))])
        self.asked.setText("\n".join(lines))
        self.asked.setToolTip(wrap_tip("\n".join(f"{each}  {texts.get(each, '')}" for each in labels)))
        self._show(tr("Back"), tr("Back to previous results (Backspace)"))

    def show_complete(self, publication: str, dates: DateFinding) -> None:
        """A document that lacks nothing: nothing was searched."""
        status = f" ({tell(dates.label)})" if dates.label else ""
        self.title.setText(
            tr(
                "No feature is missing from {publication}{status}",
                publication=format_publication(publication),
                status=status,
            )
        )
        self.title.setToolTip(wrap_tip(tell(dates.words)))
        lines = [
            tr(
                "Each is likely disclosed, or has a strong match without a verdict: there is nothing "
                "left to search for. Both are suggestions until you have read them."
            )
        ]
        lines += filter(
            None, [tell(note_of_earlier_publications([(format_publication(publication), dates)]))]
        )
        self.asked.setText("\n".join(lines))
        self._show(tr("Close"), tr("Close this message (Backspace)"))

    def clear_out(self, _left: Left) -> None:
        """Close the strip."""
        self.hide()

    def _show(self, button: str, tip: str) -> None:
        self.back.setText(button)
        self.back.setToolTip(tip)
        self.back.setAccessibleName(tip)
        self.show()


class HiddenStrip(QWidget):
    """How many documents the date limit hides, of which status, and the button that shows them."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = make_wrapped_label()
        self.text.setObjectName("warning")
        self.button = QToolButton()
        self.button.setText(tr("Show them"))
        self.button.setToolTip(tr("Remove the date limit and search again"))
        self.button.setAccessibleName(tr("Show the documents that the date limit hides"))
        self.button.clicked.connect(self.pressed)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.text, 1)
        line.addWidget(self.button)
        self.hide()

    def show_hidden(self, hidden: Sequence[ZoneCount]) -> None:
        """Set what is hidden; only this hides or shows the strip."""
        self.text.setText(tell(hidden_text(hidden)))
        self.setVisible(bool(self.text.text()))


class FilterStrip(QWidget):
    """Which documents the filter shows, how many it hides, and the button that takes it off."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = make_wrapped_label()
        self.text.setObjectName("warning")
        self.text.setToolTip(
            wrap_tip(
                tr(
                    "What you read or mark now keeps its row until you choose the filter again. "
                    "The set, the matrix and exports have all documents."
                )
            )
        )
        self.button = QToolButton()
        self.button.setText(tr("Show all"))
        self.button.setAccessibleName(tr("Show the documents that the filter hides"))
        set_tip(self.button, tr("Show the documents that the filter hides"), command=FILTERS[0].name)
        self.button.clicked.connect(self.pressed)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.text, 1)
        line.addWidget(self.button)
        self.hide()

    def show_filter(self, chosen: ListFilter, *, hidden: int, listed: int) -> None:
        """Set the filter; only this hides or shows the strip."""
        names = {row.filter: row.name for row in FILTERS}
        self.text.setText(
            tr(
                "{name}: {hidden:,} of {listed:,} documents of this list hidden.",
                name=names[chosen],
                hidden=hidden,
                listed=listed,
            )
        )
        self.setVisible(chosen is not ListFilter.ALL)


def _join_labels(labels: Sequence[str]) -> str:
    """``F2, F5 and F7``."""
    return tr(" and ").join(filter(None, (", ".join(labels[:-1]), labels[-1]))) if labels else ""


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_WORDS else f"{text[: _SHOWN_WORDS - 1].rstrip()}…"
