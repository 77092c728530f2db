"""Joins categories with their passages, and notes on passages, with the readers that show them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight.types import CITED, Mark, MarkedPassage, cite_passage, cite_runs, write_letters
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.passage_notes import place_notes
from claimlight_workbench.screens.case.letters import LettersDialog
from claimlight_workbench.screens.case.passage_note import PassageNoteDialog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from claimlight.types import Category, DocumentView, PassageView, PatentSummary, Span
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.wiring.beside import Beside
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.models.passage_notes import PlacedNote
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.case.view import CaseView
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.reader.view import ReaderView

_NO_PASSAGE = tr("Click a passage of the document first")


class Marking(QObject):
    """Acts on the document in hand: the one whose text has the keys."""

    def __init__(
        self,
        window: QWidget,
        *,
        case: CasePresenter,
        case_view: CaseView,
        query: QueryPresenter,
        reading: Reading,
        beside: Beside,
        readers: Sequence[tuple[ReaderPresenter, ReaderView]],
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._case = case
        self._case_view = case_view
        self._query = query
        self._reading = reading
        self._beside = beside
        self._readers = readers
        self._notices = notices
        case.changed.connect(lambda _state: self._show())
        case.claim_changed.connect(self._show)
        for presenter, view in readers:
            presenter.shown.connect(lambda _document: self._show())
            view.text.note_wanted.connect(self.note_passage)
            view.text.cite_wanted.connect(self.cite_passage)
        reading.judged.connect(self._propose)
        case_view.passage_note_chosen.connect(self._go_to)
        case_view.passage_note_edited.connect(self._edit)

    # Categories

    def choose_letters(self) -> None:
        """Open the dialog that gives the document in hand all letters of its category."""
        summary = self._reading.judgeable()
        if summary is None:
            return
        claim = self._query.claim
        job = self._case.propose(summary, claim)
        job.succeeded.connect(lambda proposed: self._ask_letters(summary, claim, proposed))

    def _ask_letters(self, summary: PatentSummary, claim: int, proposed: tuple[Category, ...]) -> None:
        mark = self._case.mark_for(summary.publication, claim) or Mark(summary.publication, claim=claim)
        dialog = LettersDialog(mark, proposed, self._window)
        give = partial(self._case.give_letters, summary.publication, claim=mark.claim)
        dialog.given.connect(give)
        dialog.open()

    def _propose(self, summary: PatentSummary, claim: int) -> None:
        """After X, Y or A: say which letters dates and citations suggest beside it; nothing is set."""
        job = self._case.propose(summary, claim)
        job.succeeded.connect(lambda proposed: self._say_proposed(summary, claim, proposed))

    def _say_proposed(self, summary: PatentSummary, claim: int, proposed: tuple[Category, ...]) -> None:
        mark = self._case.mark_for(summary.publication, claim)
        if mark is None or mark.category not in CITED or set(proposed) <= mark.categories:
            return
        letters = write_letters(mark.category, (*mark.kinds, *proposed))
        self._notices.say(
            tr(
                "By dates and citations the category is {letters}. E opens all letters; nothing is changed",
                letters=letters,
            )
        )

    # Passages

    def cite_passage(self) -> None:
        """Add the passage, or the figures of the page, to what the category is given for, or remove them."""
        if self._beside.active.page_in_focus:
            self._cite_figures()
            return
        view, passage = self._reading.in_hand.view, self._beside.active.passage_in_focus
        if view is None or passage is None:
            self._notices.say(_NO_PASSAGE)
        else:
            self._case.cite(view.summary.publication, passage.id, self._query.claim)

    def _cite_figures(self) -> None:
        view, figures = self._reading.in_hand.view, self._beside.active.figures_in_focus
        labels = [each.label for each in figures]
        if view is None or not labels:
            self._notices.say(tr("It is not known which figure is on this page, so it can't be cited"))
        else:
            cited = self._case.cite_figures(view.summary.publication, labels, self._query.claim)
            if cited and any(each.guessed for each in figures):
                # A grant of the US names no figure of a sheet: they are taken in their order.
                self._notices.say(
                    tr(
                        "Cited: {figures}. Check that this is what the page shows: the file does not say so",
                        figures=tell(cite_runs([MarkedPassage.of_figure(each).label for each in cited])),
                    )
                )

    def note_passage(self) -> None:
        """Write a note on the selected words, or on the passage in focus."""
        side, view = self._beside.active, self._reading.in_hand.view
        chosen = side.chosen_words()
        if view is None or chosen is None:
            self._notices.say(_NO_PASSAGE)
        elif self._case.state is None:
            self._notices.say(tr("No case is open. Open one, or enter claims."))
        else:
            passage, words = chosen
            notes = place_notes(self._case.notes_on(str(view.summary.publication)), view.passages)
            known = next((n for n in notes if n.passage is passage and n.words == words), None)
            if known is not None:
                self._edit(known)
            else:
                self._write(view, passage, words)

    def _write(self, view: DocumentView, passage: PassageView, words: Span | None) -> None:
        cited = cite_passage(view.summary.publication, passage.label)
        quoted = passage.text[words.start : words.end] if words is not None else passage.text
        dialog = PassageNoteDialog(cited, quoted, "", self._window)
        dialog.written.connect(
            lambda note: self._case.note_passage(passage.id, words, note) if note else None
        )
        dialog.open()

    def _edit(self, placed: PlacedNote) -> None:
        note = placed.note
        cited = cite_passage(note.publication, note.label)
        dialog = PassageNoteDialog(cited, note.quoted or note.passage, note.note, self._window)
        dialog.written.connect(lambda text: self._case.note_passage(note, note.words, text))
        dialog.open()

    def _go_to(self, placed: PlacedNote) -> None:
        if placed.passage is not None:
            self._beside.active.go_to_place(placed.passage.id, placed.words)

    # What is shown

    def _show(self) -> None:
        for presenter, reader in self._readers:
            view = presenter.view
            if view is None:
                reader.show_given("")
                reader.show_notes(())
                continue
            publication = view.summary.publication
            reader.show_given("  ·  ".join(self._words(mark) for mark in self._case.marks_of(publication)))
            reader.show_notes(place_notes(self._case.notes_on(str(publication)), view.passages))

    def _words(self, mark: Mark) -> str:
        """``X claim 1: [0042]-[0044], claim 3``."""
        words = mark.letters
        if mark.claim:
            words = tr("{letters} claim {claim}", letters=mark.letters, claim=mark.claim)
        cited = tell(cite_runs([each.label for each in self._case.cited_with(mark)]))
        return f"{words}: {cited}" if cited and mark.category in CITED else words
