"""The panel of a concept: its facts, its wordings, and its nearest terms in the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import format_publication
from claimlight_workbench import design, theme
from claimlight_workbench.language import number, tr
from claimlight_workbench.screens.inspector.describe import (
    Snippet,
    all_words,
    describe_span,
    facts,
    snippet,
    technical_facts,
    words_line,
)
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.empty_state import EmptyState, Offer
from claimlight_workbench.widgets.enter_tree import EnterTree

if TYPE_CHECKING:
    from claimlight.types import CenterInspection, CenterSpan

_ITEM = int(Qt.ItemDataRole.UserRole)
_SNIPPET = _ITEM + 1
_HEADINGS = (tr("Similarity"), tr("Document"), tr("Passage"), tr("Wording"), tr("More"))
_SAYS = 3
_REST = tr(
    "Select a match in the evidence, or point at a highlighted term, and press I: its concept is shown here."
)
_Index = QModelIndex | QPersistentModelIndex


class InspectorView(QWidget):
    """Enter opens the document of a row at its span."""

    chosen = Signal(object)
    """`CenterSpan`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(_REST)
        self.title.setObjectName("title")
        self.title.setWordWrap(True)
        self.link = ElidedLabel()
        self.link.setObjectName("muted")
        self.facts = QLabel()
        self.facts.setWordWrap(True)
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list = EnterTree(tr("Nearest terms of the library"), _HEADINGS, stretched=_SAYS)
        self.list.setRootIsDecorated(False)
        self.list.setItemDelegateForColumn(_SAYS, _SnippetDelegate(self.list))
        self.list.headerItem().setToolTip(0, tr("Similarity of term and concept, at most 1 (cosine)"))
        self.list.headerItem().setToolTip(4, tr("Further passages of the document with this concept"))
        self.list.itemActivated.connect(self._activated)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        for part in (self.title, self.link, self.facts, self.words):
            column.addWidget(part)
        column.addWidget(self.list, 1)
        self.empty = EmptyState(
            "",
            Offer(tr("Show concept behind this match"), tr("Show the concept of the highlighted match")),
            over=self.list,
        )
        self.show_nothing()

    def show_nothing(self) -> None:
        """Show that no concept is selected."""
        self._say(_REST)
        self.empty.set_empty(True)
        self.list.clear()

    def show_busy(self, anchor: str) -> None:
        """A concept is being loaded; the rows of the previous one are removed."""
        self._say(tr("Loading the concept “{anchor}” …", anchor=anchor))
        self.empty.set_empty(False)
        self.list.clear()

    def show_link(self, words: str) -> None:
        """The match that led here; empty if there is none."""
        self.link.setText(words)
        self.link.setVisible(bool(words))

    def show_center(self, seen: CenterInspection) -> None:
        """Show a concept and select its nearest span."""
        self.empty.set_empty(False)
        self._say(tr("Concept “{anchor}”", anchor=seen.anchor), facts(seen), words_line(seen))
        self.words.setToolTip(all_words(seen))
        self.title.setToolTip(technical_facts(seen))
        self.facts.setToolTip(technical_facts(seen))
        self.list.clear()
        rows = [_row(item) for item in seen.spans]
        self.list.addTopLevelItems(rows)
        if rows:
            self.list.setCurrentItem(rows[0])
        self.list.fit()

    def _say(self, title: str, about: str = "", words: str = "") -> None:
        self.title.setText(title)
        self.facts.setText(about)
        self.facts.setVisible(bool(about))
        self.words.setText(words)
        self.words.setVisible(bool(words))
        if not about:
            self.show_link("")

    def _activated(self, row: QTreeWidgetItem) -> None:
        self.chosen.emit(row.data(0, _ITEM))


def _row(item: CenterSpan) -> QTreeWidgetItem:
    words = snippet(item)
    row = QTreeWidgetItem(
        [
            number(item.cosine, ".3f"),
            format_publication(str(item.patent.publication)),
            item.label,
            "",
            f"+{item.further}" if item.further else "",
        ]
    )
    row.setData(0, _ITEM, item)
    row.setData(0, Qt.ItemDataRole.AccessibleTextRole, describe_span(item))
    row.setData(_SAYS, _SNIPPET, words)
    row.setData(_SAYS, Qt.ItemDataRole.AccessibleTextRole, str(words))
    tip = tr(
        "{title}\n{applicant}\nEnter opens it at these words",
        title=item.patent.title,
        applicant=item.patent.applicant,
    )
    for column in range(len(_HEADINGS)):
        row.setToolTip(column, f"{words}\n{tip}" if column == _SAYS else tip)
    return row


class _SnippetDelegate(QStyledItemDelegate):
    """The span in bold, its context in grey; the spans of all rows are aligned."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        words: Snippet | None = index.data(_SNIPPET)
        if words is None:
            return
        colours = theme.active()
        place = QRect(option.rect).adjusted(4, 0, -4, 0)
        bold = QFont(option.font)
        bold.setBold(True)
        plain_width, bold_width = QFontMetrics(option.font), QFontMetrics(bold)
        wide = min(place.width(), bold_width.horizontalAdvance(words.span))
        # A third of the room for what stands before, so that spans stand below one another.
        room = min(place.width() // 3, place.width() - wide)
        before = plain_width.elidedText(words.before, Qt.TextElideMode.ElideLeft, room)
        left = place.left() + room
        painter.save()
        right, middle = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        painter.setFont(option.font)
        painter.setPen(QColor(colours.muted))
        painter.drawText(QRect(place.left(), place.top(), room, place.height()), right | middle, before)
        rest = QRect(left + wide, place.top(), max(0, place.right() - left - wide), place.height())
        after = plain_width.elidedText(words.after, Qt.TextElideMode.ElideRight, rest.width())
        painter.drawText(rest, Qt.AlignmentFlag.AlignLeft | middle, after)
        painter.setFont(bold)
        painter.setPen(QColor(colours.text))
        said = QRect(left, place.top(), wide, place.height())
        painter.drawText(said, Qt.AlignmentFlag.AlignLeft | middle, words.span)
        painter.restore()
