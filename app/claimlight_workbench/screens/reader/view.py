"""The document: its text with highlighted matches, and the note that explains the highlighted one."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QTextDocument
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from claimlight.types import PassageId, Span, format_publication
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.models.drawings import Showing
from claimlight_workbench.screens.reader.cited_text import CitedText
from claimlight_workbench.screens.reader.class_block import ClassBlock
from claimlight_workbench.screens.reader.class_marks import ClassMarksButton
from claimlight_workbench.screens.reader.depth_strip import DepthStrip
from claimlight_workbench.screens.reader.document_text import DocumentText
from claimlight_workbench.screens.reader.drawing_view import DrawingView
from claimlight_workbench.screens.reader.feature_bar import FeatureBar
from claimlight_workbench.screens.reader.find_bar import FindBar
from claimlight_workbench.screens.reader.find_steps import FindSteps
from claimlight_workbench.screens.reader.front_block import FrontBlock
from claimlight_workbench.screens.reader.hit_lanes import FINDS, WORDS, HitLanes
from claimlight_workbench.screens.reader.hit_words import feature_words, hit_words
from claimlight_workbench.screens.reader.leads import TextLeads
from claimlight_workbench.screens.reader.marked_words import marked_words
from claimlight_workbench.screens.reader.note import LinkNote
from claimlight_workbench.screens.reader.painted import Painted
from claimlight_workbench.screens.reader.parts import Parts
from claimlight_workbench.screens.reader.selected import citation_of, selected_span, selected_words
from claimlight_workbench.screens.reader.sign_words import mention_words
from claimlight_workbench.screens.reader.words import WordsButton
from claimlight_workbench.widgets.announce import announce
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.widgets.empty_state import GO_TO_RESULTS, EmptyState
from claimlight_workbench.widgets.hit_strip import HitStrip
from claimlight_workbench.widgets.icons import IconButton
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from claimlight.types import DocumentView, Figure, FoundPlace, IndexDepth, PassageView
    from claimlight_workbench.models.desk import Left
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.models.passage_notes import PlacedNote

_ICONS = {Showing.TEXT: "text", Showing.DRAWINGS: "drawings", Showing.BOTH: "both"}
_REST = tr("Point at a highlighted term to see its match.")


class ReaderView(QWidget):
    """Shows one document."""

    scrolled = Signal(int)
    """Document position at the top."""
    showing_changed = Signal()

    def __init__(self, board: LinkBoard, parent: QWidget | None = None, *, classes: bool = True) -> None:
        super().__init__(parent)
        self._board = board
        self._with_classes = classes
        self._text: DocumentText | None = None
        self._pending: tuple[PassageId, int, Span | None] | None = None
        self._restore = 0
        self._held = False
        """The reader returns to a saved place, so matches of the query line do not move it."""
        self.heading = ElidedLabel(tr("No document open"))
        self.heading.setObjectName("title")
        self.front = FrontBlock()
        self.reason = ElidedLabel()
        self.reason.setObjectName("muted")
        self.reason.hide()
        self.given = ElidedLabel()
        self.given.setAccessibleName(tr("Categories of the document and their passages"))
        self.given.hide()
        self.classes = ClassBlock()
        self.previous = IconButton(
            "previous", tr("Previous passage with a match"), command=tr("Previous passage with a match")
        )
        self.next = IconButton(
            "next", tr("Next passage with a match"), command=tr("Next passage with a match")
        )
        self.hit_label = ElidedLabel()
        self.hit_label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.find_button = IconButton("find", tr("Find in document"), command=tr("Find in document"))
        self.turn_button = IconButton(
            "drawings", tr("Text, drawings or both"), command=tr("Text, drawings or both")
        )
        self.drawings = DrawingView(board.drawings)
        self.leads = TextLeads(board, self)
        self.words = WordsButton(board.words)
        self.class_marks = ClassMarksButton(board.classes)
        self.features = FeatureBar(board)
        self.depth_strip = DepthStrip()
        self.text = CitedText(self, self.copied_citation)
        self.find_bar = FindBar(board.finds)
        self.hits = HitStrip(tr("Hits in the document"))
        self.lanes = HitLanes(board, self.hits, self)
        self.strip = LinkNote()
        self.strip.say(_REST)
        self.empty = EmptyState(
            tr("The document that you open is shown here, with what matches the claim highlighted."),
            GO_TO_RESULTS,
            over=self.text,
        )
        self._set_empty(True)
        self._lay_out()
        self._steps = FindSteps(
            board.finds,
            self.find_bar,
            self.text,
            self,
            written=lambda: self._text,
            need_text=board.drawings.show_text,
            reveal=self.reveal,
        )
        self._painted = Painted(board)
        self.text.set_sources(self._painted.marks, self._painted.chips)
        self.text.set_outlines(self._painted.outlines)
        self.text.set_current(self._painted.current)
        self.text.set_tips(self._tip_at)
        self.text.pointed.connect(self._pointed)
        self.text.clicked.connect(self._clicked)
        self.text.scrolled.connect(self._scrolled)
        self.features.chosen.connect(self.go_to_feature)
        self.previous.clicked.connect(lambda: self.step_hit(-1))
        self.next.clicked.connect(lambda: self.step_hit(1))
        board.query_changed.connect(self._fit_chips)
        board.document_changed.connect(self._linked)
        board.focus_changed.connect(self._focused)
        board.passage_changed.connect(self._passage_changed)
        board.hidden_changed.connect(self.text.refresh)
        board.hidden_changed.connect(self._say_marked)
        board.lit_changed.connect(self._lit)
        self.find_button.clicked.connect(self.open_find)
        self.turn_button.clicked.connect(self.turn_drawings)
        board.drawings.showing_changed.connect(self._show_turn)
        board.drawings.together_changed.connect(self._show_turn)
        board.drawings.showing_changed.connect(self.showing_changed)
        board.drawings.listed.connect(self.text.refresh)
        board.drawings.signs.gone_to.connect(self._go_to_mention)
        self.leads.said.connect(self._say_lead)
        self.leads.opened.connect(lambda place: self.reveal(place.passage, place.span.start))
        self.hits.chosen.connect(self._tick_chosen)
        self.hits.moved.connect(self.text.scroll_to)
        self.hits.wheeled.connect(self.text.wheelEvent)
        self.text.verticalScrollBar().rangeChanged.connect(self._show_visible)
        self.text.resized.connect(self._resized)
        board.words.changed.connect(self._words_changed)
        board.classes.changed.connect(self._class_marks_changed)

    # Documents

    def show_document(self, view: DocumentView, *, scroll: int = 0) -> None:
        """Show a document; ``scroll`` is the position to return to."""
        if self._text is not None:
            self._text.stop()
            self._text.deleteLater()
        summary = view.summary
        self._board.classes.opened(summary.id)
        self._set_empty(False)
        self.heading.setText(f"{format_publication(str(summary.publication))}   {summary.title}")
        self.front.show_document(view)
        if self._with_classes:
            self.classes.show_classes(view.classes)
        self._pending = None
        self.parts.top = 0
        self._restore = scroll
        self._held = scroll > 0
        font = QFont(self.font())
        text = DocumentText(view, font=font, width=self.text.viewport().width(), parent=self)
        self._text = self._painted.text = text
        self.text.verticalScrollBar().setValue(0)
        self.text.show_document(text.document)
        text.grown.connect(self._grown)
        text.start()
        self.lanes.show_text(text)

    def show_reason(self, text: str) -> None:
        """Say why the document is in the list; nothing for one that was opened by its number."""
        self.reason.setText(text)
        self.reason.setVisible(bool(text))

    def show_given(self, text: str) -> None:
        """Show the categories of the document with their passages."""
        self.given.setText(text)
        self.given.setToolTip(wrap_tip(text))
        self.given.setVisible(bool(text))

    def show_notes(self, notes: Sequence[PlacedNote]) -> None:
        """Show a sign beside the passages that have a note."""
        self._painted.show_notes(notes)
        self.text.refresh()

    @property
    def passage_in_focus(self) -> PassageView | None:
        """The passage with the bar beside it."""
        focus = self._board.passage
        placed = self._text.of(focus) if self._text is not None and focus is not None else None
        return placed.passage if placed is not None else None

    @property
    def page_in_focus(self) -> bool:
        """Whether the keys are for the page of drawings, not for the text."""
        held = QApplication.focusWidget()
        within = held is not None and self.drawings.isAncestorOf(held)
        return self.showing is Showing.DRAWINGS or (self._board.drawings.visible and within)

    @property
    def figures_in_focus(self) -> tuple[Figure, ...]:
        """The figures on the current page of drawings."""
        return self._board.drawings.figures

    def chosen_words(self) -> tuple[PassageView, Span | None] | None:
        """The passage of the selected words and where they are in it, else the one in focus."""
        chosen = selected_span(self._text, self.text.textCursor()) if self._text is not None else None
        if chosen is not None:
            return chosen
        passage = self.passage_in_focus
        return (passage, None) if passage is not None else None

    def _tip_at(self, offset: int) -> str:
        placed = self._text.at_or_behind(offset) if self._text is not None else None
        notes = self._painted.notes_at(placed) if placed is not None else ""
        return wrap_tip("\n".join(filter(None, (self.leads.tip_at(self._text, offset), notes))))

    def add_strip(self, strip: QWidget) -> None:
        """Put a strip above the heading."""
        self._column.insertWidget(0, strip)

    def show_nothing(self) -> None:
        """Close the document."""
        if self._text is not None:
            self._text.stop()
            self._text.deleteLater()
            self._text = self._painted.text = None
        self.text.show_document(QTextDocument(self.text))
        self._board.classes.show(None)
        self.heading.setText(tr("No document open"))
        self._set_empty(True)
        self.front.show_nothing()
        self.show_reason("")
        self.show_given("")
        self._painted.show_notes(())
        self.classes.show_nothing()
        self.lanes.show_text(None)
        self.depth_strip.hide()

    def show_depth(self, depth: IndexDepth, read_out: bool) -> None:  # noqa: FBT001 - a slot
        """Say how much of the document is indexed."""
        self.depth_strip.show_depth(depth, read_out=read_out, can_read=self._board.query is not None)

    def _set_empty(self, empty: bool) -> None:  # noqa: FBT001 - a state
        self.empty.set_empty(empty)
        # Without a document, all of it would be the visible part.
        self.hits.setVisible(not empty)

    def clear_out(self, _left: Left) -> None:
        """Close the document and drop a pending place."""
        self._pending, self._restore, self._held = None, 0, False
        self.show_nothing()
        self.strip.say("")

    def stop(self) -> None:
        """Stop writing; for the end of the program."""
        self.text.stop()
        self.lanes.stop()
        self.parts.stop()
        if self._text is not None:
            self._text.stop()

    @property
    def complete(self) -> bool:
        """Whether the whole document is written."""
        return self._text is None or self._text.done

    @property
    def place(self) -> int:
        """Document position at the top, or the one that is still being scrolled to."""
        return self._restore or self.text.visible_range()[0]

    def repaint_theme(self, place: int | None = None) -> None:
        """Lay the text out again for other colours or fonts; the reading position stays.

        ``place`` is the position from before, for a change of font that has already moved the text.
        """
        if self._text is not None:
            self.show_document(self._text.view, scroll=self.place if place is None else place)
        self.features.show_features()

    # Drawings

    @property
    def first_focus(self) -> QWidget:
        """What takes the keys: the text, or the page where only drawings are shown."""
        return self.parts.first_focus

    @property
    def showing(self) -> Showing:
        """What is shown of a document: text, drawings or both."""
        return self._board.drawings.showing

    @property
    def wanted(self) -> Showing:
        """What is to be shown where there is room for it."""
        return self._board.drawings.wanted

    def show_parts(self, showing: Showing) -> None:
        """Show the text, the drawings or both."""
        self._board.drawings.show(showing)

    def turn_drawings(self) -> None:
        """Show the text, the drawings or both, in turn."""
        self._board.drawings.show_next()

    def step_page(self, by: int) -> None:
        """Go to the next or previous page of drawings; where they are not shown, show them."""
        board = self._board.drawings
        if board.visible:
            board.step(by)
        else:
            board.show_drawings()

    def show_figure(self) -> None:
        """Show the figure that the current passage names; repeated, the next one."""
        self.leads.show_figure()

    def toggle_signs(self) -> None:
        """Open the list of reference signs with the drawings, or close it."""
        if self.leads.toggle_list():
            self.drawings.signs.take_keys()
        else:
            self.first_focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go_to_mention(self, place: FoundPlace) -> None:
        """Show a mention of a reference sign, and the figure in which it is probably drawn.

        Without room for both, the drawings stay and the list says the words; the text is one key away.
        """
        if self._board.drawings.together:
            self._board.drawings.show_text()
        self.go_to_place(place.passage, place.span)
        self.leads.show_drawn(place.passage)
        placed = self._text.of(place.passage) if self._text is not None else None
        hidden = placed is not None and self.showing is Showing.DRAWINGS
        self.drawings.signs.show_mention(
            mention_words(placed.passage, place.span) if placed and hidden else ""
        )

    def _say_lead(self, words: str) -> None:
        self.strip.say(words or _REST)
        announce(self.text, words)

    def _show_turn(self) -> None:
        self.turn_button.set_icon(_ICONS[self._board.drawings.next])

    def _resized(self) -> None:
        self.lanes.measure_again()
        # Drawings that have come above the text take their height in several steps.
        if self.parts.settling:
            self.parts.return_to_top()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.parts.fit(event.size())

    # Hits

    def step_hit(self, by: int) -> None:
        """Go to the next or previous passage with a match, in reading order and cyclic.

        After a jump to a feature, among the passages of that feature; for the set of a query line, to the
        next match of the line.
        """
        self._board.drawings.show_text()
        if self._board.words.marks:
            self._board.words.step(by)
            return
        steps, here, focus = self._board.steps, self._board.passage, self._board.focus
        if not steps:
            return
        if steps == (here,) and focus:
            self.strip.say(
                tr("{focus}: no other passage in this document. Esc shows all features.", focus=focus)
            )
            return
        before = bisect_left(steps, here) if here is not None else 0
        # From between two of them the next one is that behind, the previous one that before.
        at = before + (by if here in steps or by < 0 else by - 1)
        self.go_to_passage(steps[at % len(steps)], feature=focus)

    def go_to_feature(self, label: str) -> None:
        """Go to the best passage of a feature; repeated, to its next best."""
        self._board.drawings.show_text()
        passage = self._board.jump(label)
        if passage is None:
            self.strip.say(tr("{label}: no match in this document.", label=label))
            return
        self._arrive(passage, label)
        if said := feature_words(self._board, label, passage):
            self.strip.say(said)

    def go_to_passage(self, passage: PassageId, *, feature: str = "") -> None:
        """Make a passage current and show it; with a feature, the strongest match of it there."""
        self._board.set_passage(passage, focus=feature)
        self._arrive(passage, feature)

    def _arrive(self, passage: PassageId, feature: str) -> None:
        """Show where a jump leads to, and mark it for a moment."""
        self._drop_selection()
        links = self._board.links
        strongest = links.strongest_of(passage, feature) if links is not None and feature else None
        self.reveal(passage, strongest.match.passage.start if strongest is not None else 0)
        self._emphasise(passage)

    def _emphasise(self, passage: PassageId) -> None:
        placed = self._text.of(passage) if self._text is not None else None
        if placed is not None:
            self.text.emphasise(placed.start, placed.end)

    def go_to_place(self, passage: PassageId, span: Span | None = None, feature: str = "") -> None:
        """Make a passage current and stay there; its words that no match covers are selected."""
        self._held = self._board.words.awaited
        self._board.set_passage(passage, focus=feature)
        self.reveal(passage, span.start if span is not None else 0, chosen=span)
        self._emphasise(passage)

    def reveal(self, passage: PassageId, position: int = 0, *, chosen: Span | None = None) -> None:
        """Scroll to a place of a passage, as soon as it is written."""
        placed = self._text.of(passage) if self._text is not None else None
        if placed is None:
            self._pending = (passage, position, chosen)
            self.parts.top = 0
            return
        self._pending = None
        self.parts.top = placed.offset(position)
        if chosen is not None:
            self.text.choose(placed.offset(chosen.start), placed.offset(chosen.end))
        self.text.show_position(placed.offset(position))

    def copied_citation(self, first: int, last: int) -> str:
        """Citation of a selection."""
        return citation_of(self._text, first, last) if self._text is not None else ""

    def words_in_focus(self) -> str:
        """The selected words of the stored text, without headings and labels; else the passage in focus."""
        if self._text is None:
            return ""
        cursor = self.text.textCursor()
        if cursor.hasSelection():
            return selected_words(self._text, cursor)
        passage = self.passage_in_focus
        return passage.text if passage is not None else ""

    # Find

    def open_find(self) -> None:
        """Open the bar that finds words in the document, with what is selected."""
        self._steps.open()

    def step_find(self, by: int) -> None:
        """Go to the next or previous match of what is looked for, cyclic; without any, ask for it."""
        self._steps.step(by)

    def _tick_chosen(self, lane: str, number: int) -> None:
        """A tick of the strip was clicked."""
        if lane == FINDS:
            self._board.finds.go_to(number)
        elif lane == WORDS:
            self._board.words.go_to(number)
        elif number < len(self.lanes.passages):
            self.go_to_passage(self.lanes.passages[number], feature=self._board.focus)

    # Wiring

    def _grown(self) -> None:
        if self._pending is not None:
            passage, position, chosen = self._pending
            self.reveal(passage, position, chosen=chosen)
        elif 0 < self._restore < self.text.document().characterCount():
            self.text.show_position(self._restore, top=True)
            self._restore = 0
        if not self.text.accessibleDescription():
            self._say_marked()
        self.text.refresh()

    def _linked(self) -> None:
        links = self._board.links
        self.text.refresh()
        self._say_hit()
        self.strip.say(_REST if links is not None else "")

    def _drop_selection(self) -> None:
        """What is selected in another passage is no longer meant: a note or a search would take it."""
        chosen, focus = self.chosen_words(), self._board.passage
        if chosen is None or chosen[1] is None or focus is None or chosen[0].id == focus:
            return
        bar, cursor = self.text.verticalScrollBar(), self.text.textCursor()
        place = bar.value()
        cursor.clearSelection()
        self.text.setTextCursor(cursor)
        bar.setValue(place)

    def _passage_changed(self) -> None:
        self._drop_selection()
        self._say_hit()
        words = self._board.words
        if self._board.passage is not None and not self._restore and not (words.awaited or words.marks):
            self.reveal(self._board.passage)
        self.text.refresh()

    def _words_changed(self) -> None:
        words = self._board.words
        self._say_hit()
        self.text.refresh()
        if words.awaited:
            return
        if self._held:
            self._held = words.found is None
            return
        if (current := words.current) is not None:
            self.reveal(current.passage, current.span.start)
        elif words.found is not None and words.on and self._board.passage is not None:
            self.reveal(self._board.passage)

    def _class_marks_changed(self) -> None:
        shown = self._board.classes.shown
        if shown is not None:
            passage, span = shown.first
            self.reveal(PassageId(passage), span.start)
        self._say_marked()
        self.text.refresh()

    def _say_hit(self) -> None:
        self.hit_label.setText(hit_words(self._board, self._text))
        self._say_marked()

    def _say_marked(self) -> None:
        """Describe the text by what is marked in it, and have a change announced."""
        words = marked_words(self._board, self._text)
        if words != self.text.accessibleDescription():
            self.text.setAccessibleDescription(words)
            announce(self.text, words)

    def _focused(self) -> None:
        self._say_hit()
        self.text.refresh()

    def _fit_chips(self) -> None:
        """Labels of two digits need a wider margin."""
        query = self._board.query
        labels = [feature.label for feature in query.features] if query is not None else []
        self.text.set_widest_chip(max(labels, key=len, default="F9"))

    def _lit(self) -> None:
        self.text.refresh()
        lit, links, query = self._board.lit, self._board.links, self._board.query
        if not lit or links is None or query is None:
            self.strip.say(_REST)
            return
        self.strip.show_links(lit, query, links.passages)
        if self._board.pinned:
            self.reveal(lit[0].passage, lit[0].match.passage.start)

    def _pointed(self, offset: int) -> None:
        placed = self._text.at(offset) if self._text is not None and offset >= 0 else None
        shape = self.leads.shape_at(self._text, offset)
        if self.text.viewport().cursor().shape() != shape:
            self.text.viewport().setCursor(shape)
        if placed is None:
            self._board.point_at_passage(None, -1)
        else:
            self._board.point_at_passage(placed.passage.id, placed.position(offset))

    def _clicked(self, offset: int) -> None:
        placed = self._text.at(offset) if self._text is not None and offset >= 0 else None
        if placed is not None:
            self._board.set_passage(placed.passage.id)
            self.leads.click(self._text, offset, listing=self.text.with_ctrl)

    def _scrolled(self) -> None:
        self._show_visible()
        self.scrolled.emit(self.text.visible_range()[0])

    def _show_visible(self) -> None:
        """Mark in the strip what part of the document is visible."""
        bar = self.text.verticalScrollBar()
        height = max(bar.maximum() + bar.pageStep(), 1)
        self.hits.show_visible(bar.value() / height, (bar.value() + bar.pageStep()) / height)

    def _lay_out(self) -> None:
        self.text.setAccessibleName(tr("Document text"))
        hits = QHBoxLayout()
        hits.setSpacing(design.TIGHT)
        hits.addWidget(self.previous)
        hits.addWidget(self.next)
        hits.addWidget(self.hit_label, 1)
        hits.addWidget(self.turn_button)
        hits.addWidget(self.find_button)
        hits.addWidget(self.class_marks)
        hits.addWidget(self.words)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addWidget(self.heading)
        # The lines above it take their height; on the smallest screens the text gives way.
        self.text.setMinimumHeight(design.lines(self, 1.5))
        about = QWidget()
        told = QVBoxLayout(about)
        told.setContentsMargins(0, 0, 0, 0)
        told.setSpacing(design.TIGHT)
        for each in (self.front, self.given, self.reason, self.classes):
            told.addWidget(each)
        column.addWidget(about)
        column.addLayout(hits)
        column.addWidget(self.features)
        column.addWidget(self.depth_strip)
        column.addWidget(self.find_bar)
        written = QWidget()
        beside = QHBoxLayout(written)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(design.HAIR)
        beside.addWidget(self.text, 1)
        beside.addWidget(self.hits)
        self.parts = Parts(
            self._board.drawings,
            self.drawings,
            written,
            self.text,
            of_text=(self.strip, self.features),
            above=about,
            held=lambda: self._restore > 0,
        )
        column.addWidget(self.parts, 1)
        column.addWidget(self.strip)
