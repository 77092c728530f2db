"""The claim panel: the claim with its highlighted terms, its features, and the page to enter claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QFont,
    QKeySequence,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from claimlight.types import TermState
from claimlight_workbench import design, theme
from claimlight_workbench.highlighting import Utf16Map
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.marked import marked_by_feature
from claimlight_workbench.screens.query.feature_list import FeatureList
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.linked_text import LinkedText, MarginChips, Mark
from claimlight_workbench.widgets.outlines import Outline
from claimlight_workbench.widgets.terms import TERM_LINES, TermLegend, term_colour
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from claimlight.types import Query
    from claimlight_workbench.models.links import LinkBoard

_UNDERLINE_OPACITY = 0.5


class ClaimPanel(QWidget):
    """Text and features of the claim, or the page to enter claims."""

    pasted = Signal(str)
    document_named = Signal(str)
    marked = Signal(int, int)
    """A range of the claim that becomes a feature."""
    file_dropped = Signal(object)
    """The file of an application whose claims are to be used."""

    def __init__(self, board: LinkBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._map = Utf16Map("")
        self._query: Query | None = None
        self._asked: Query | None = None
        """The text of a query line, shown instead of the claim because evidence is for this text."""
        self.setAcceptDrops(True)
        self.text = LinkedText(columns=2)
        self.text.setAccessibleName(tr("Claim text"))
        self.text.set_sources(self._marks, self._chips)
        self.text.set_outlines(self._boxes)
        self.case = ElidedLabel()
        self.case.setObjectName("title")
        self.case.hide()
        self._name = ""
        self.note = QLabel()
        self.note.setObjectName("warning")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        self.note.setAccessibleName(tr("Notes on how the claim was read"))
        self.note.hide()
        self.asked_title = ElidedLabel(tr("The matches shown are for this text, not for the claim"))
        self.asked_title.setObjectName("warning")
        self.asked_title.hide()
        self.terms = TermLegend()
        self.features = FeatureList()
        self.editor = QPlainTextEdit()
        # A file dropped here is an application to read, not a path to write into the text.
        self.editor.setAcceptDrops(False)
        self.number = QLineEdit()
        self._pages = QStackedWidget()
        self._pages.addWidget(self._linked_page())
        self._pages.addWidget(self._entry_page())
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.addWidget(self.case)
        column.addWidget(self.note)
        column.addWidget(self._pages)
        self.text.pointed.connect(self._pointed)
        self.features.marked.connect(self.mark_selection)
        key = QShortcut(QKeySequence("Ins"), self.text)
        key.setContext(Qt.ShortcutContext.WidgetShortcut)
        key.activated.connect(self.mark_selection)
        for signal in (
            board.passage_changed,
            board.hidden_changed,
            board.lit_changed,
            board.document_changed,
        ):
            signal.connect(self.text.refresh)
        for signal in (board.focus_changed, board.cells_changed, board.passage_changed):
            signal.connect(self._show_terms)
        for signal in (
            board.focus_changed,
            board.passage_changed,
            board.document_changed,
            board.hidden_changed,
            board.query_changed,
        ):
            signal.connect(self._say_marked)
        self._say_marked()
        self.setTabOrder(self.text, self.features.list)

    @property
    def entering(self) -> bool:
        """Whether the page to enter claims is open."""
        return self._pages.currentIndex() == 1

    def show_case(self, name: str) -> None:
        """Show the name of the case; empty if none is open."""
        self._name = name
        self._show_title()

    def show_query(self, query: Query | None) -> None:
        """Show a claim."""
        self._query = query
        self._asked = None
        self.features.show_features(query.features if query is not None else ())
        self._write()

    def show_asked(self, query: Query | None) -> None:
        """Show the text of a query line instead of the claim; None restores the claim."""
        if query != self._asked:
            self._asked = query
            self._write()

    def _write(self) -> None:
        query = self._asked or self._query
        self.asked_title.setVisible(self._asked is not None)
        self.features.setVisible(self._asked is None)
        text = query.text if query is not None else ""
        labels = [feature.label for feature in query.features] if query is not None else []
        self.text.set_widest_chip(max(labels, key=len, default="F9"))
        self._map = Utf16Map(text)
        document = QTextDocument(self.text)
        document.setUndoRedoEnabled(False)
        font = QFont(self.text.font())
        document.setDefaultFont(font)
        document.setDocumentMargin(8)
        document.setPlainText(text)
        spaced = QTextBlockFormat()
        spaced.setLineHeight(135, int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value))
        whole = QTextCursor(document)
        whole.select(QTextCursor.SelectionType.Document)
        whole.mergeBlockFormat(spaced)
        self.text.show_document(document)
        notes = query.notes if query is not None else ()
        self.note.setText(" ".join(map(tell, notes)))
        self.note.setVisible(bool(notes) and not self.entering)

    def _say_marked(self) -> None:
        """Describe the claim by the terms that are highlighted in it."""
        query = self._board.query
        words = (
            marked_by_feature(self._board.query_marks(), query.text, self._board.focus)
            if query is not None
            else ""
        )
        self.text.setAccessibleDescription(
            tr("Highlighted for the current passage: {words}", words=words)
            if words
            else tr("No term of the claim is highlighted")
        )

    def _show_title(self) -> None:
        title = tr("New case") if self.entering else self._name
        self.case.setText(title)
        self.case.setVisible(bool(title))
        # Notes on how the claim was read are about the open case.
        self.note.setVisible(bool(self.note.text()) and not self.entering)

    def mark_selection(self) -> None:
        """Make the selection in the claim a feature."""
        cursor = self.text.textCursor()
        if cursor.hasSelection():
            place = self._map.position
            self.marked.emit(place(cursor.selectionStart()), place(cursor.selectionEnd()))
        else:
            self.features.refused.emit()

    def enter_claims(self) -> None:
        """Open an empty page to enter the claims of a new case; one that is open keeps what is written."""
        if not self.entering:
            self.editor.clear()
            self.number.clear()
        self._pages.setCurrentIndex(1)
        self._show_title()
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave_entry(self) -> None:
        """Return to the claim."""
        self._pages.setCurrentIndex(0)
        self._show_title()
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def repaint_theme(self) -> None:
        """Colours or fonts have changed: text and list are laid out again."""
        self.features.show_features(self._query.features if self._query is not None else ())
        self._write()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(event.mimeData().urls()) == 1 and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.file_dropped.emit(Path(event.mimeData().urls()[0].toLocalFile()))

    def _linked_page(self) -> QWidget:
        page = QSplitter(Qt.Orientation.Vertical)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.asked_title)
        column.addWidget(self.text, 1)
        column.addWidget(self.terms)
        page.addWidget(upper)
        page.addWidget(self.features)
        page.setStretchFactor(0, 3)
        page.setStretchFactor(1, 2)
        page.setChildrenCollapsible(False)
        return page

    def _entry_page(self) -> QWidget:
        page = QWidget()
        self.editor.setAccessibleName(tr("Claims to examine"))
        self.editor.setPlaceholderText(tr("Paste the claims here: one, or all of them with their numbers."))
        self.editor.setTabChangesFocus(True)
        self.number.setAccessibleName(tr("Publication number"))
        self.number.setPlaceholderText(tr("EP 1 234 567 A1"))
        use = QPushButton(tr("Use these claims"))
        use.setObjectName("primary")
        use.clicked.connect(self.use_pasted)
        back = QPushButton(tr("Cancel"))
        back.clicked.connect(self.leave_entry)
        take = QPushButton(tr("Use its claims"))
        take.clicked.connect(self._take)
        self.number.returnPressed.connect(self._take)
        # Below each other where the panel is narrow or the words are long.
        buttons = FlowLayout()
        buttons.addWidget(use)
        buttons.addWidget(back)
        line = QHBoxLayout()
        line.addWidget(self.number, 1)
        line.addWidget(take)
        label = make_wrapped_label(tr("Or use the claims of a publication in the library:"))
        label.setBuddy(self.number)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.editor, 1)
        column.addLayout(buttons)
        column.addWidget(label)
        column.addLayout(line)
        return page

    def use_pasted(self) -> None:
        """Use the claims that were typed or pasted."""
        if text := self.editor.toPlainText().strip():
            self.leave_entry()
            self.pasted.emit(text)

    def _take(self) -> None:
        if number := self.number.text().strip():
            self.leave_entry()
            self.document_named.emit(number)

    def _pointed(self, position: int) -> None:
        self._board.point_at_query(self._map.position(position) if position >= 0 else -1)

    def _marks(self, _first: int, _last: int) -> Sequence[Mark]:
        query = self._asked or self._query
        if query is None:
            return ()
        colours = theme.active()
        offset = self._map.offset
        marks = [
            Mark(
                offset(item.span.start),
                offset(item.span.end),
                underline=theme.blend(
                    theme.feature_colour(colours, item.label), colours.base, _UNDERLINE_OPACITY
                ),
            )
            for item in query.features
            if item.label not in self._board.hidden
        ]
        runs = self._board.query_marks()
        strongest = max((run.weight for run in runs), default=0.0)
        for run in runs:
            strength = run.weight / strongest if strongest else 0.0
            colour = theme.feature_colour(colours, run.feature)
            marks.append(
                Mark(
                    offset(run.start),
                    offset(run.end),
                    background=theme.tint(colours, run.feature, strength),
                    underline=colour if run.feature else "",
                )
            )
        marks += self._term_marks()
        lit = {(link.match.query, link.match.feature) for link in self._board.lit}
        for span, feature in sorted(lit):
            colour = theme.feature_colour(colours, feature)
            marks.append(
                Mark(
                    offset(span.start),
                    offset(span.end),
                    background=colour,
                    foreground=colours.chip_text if feature else colours.base,
                )
            )
        return marks

    def _term_marks(self) -> list[Mark]:
        """The words of the feature in focus: literal, by meaning or missing in the current passage."""
        stated, offset = self._board.stated, self._map.offset
        return [
            Mark(
                offset(term.span.start),
                offset(term.span.end),
                foreground=term_colour(term.state) if term.state is TermState.MISSING else "",
                underline=term_colour(term.state),
                line=TERM_LINES[term.state],
            )
            for term in (stated.terms if stated is not None else ())
        ]

    def _boxes(self, _first: int, _last: int) -> Sequence[Outline]:
        """Boxes around missing words."""
        stated, offset = self._board.stated, self._map.offset
        missing = stated.missing if stated is not None else ()
        return [Outline(offset(span.start), offset(span.end)) for span in missing]

    def _show_terms(self) -> None:
        self.terms.show_terms(self._board.stated, self._board.query)
        self.text.refresh()

    def _chips(self, _first: int, _last: int) -> Sequence[MarginChips]:
        query = self._asked or self._query
        features = query.features if query is not None else ()
        return [MarginChips(self._map.offset(item.span.start), (item.label,)) for item in features]
