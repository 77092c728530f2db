"""Categories of the open case, and note and tags of the open document."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.cases.marking import passages_of
from claimlight.types import CITED, cite_runs, format_publication
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr
from claimlight_workbench.models.case_history import change_words
from claimlight_workbench.models.categories import given_by_key
from claimlight_workbench.models.desk import Left
from claimlight_workbench.screens.case.tags import TagLine, tags_in
from claimlight_workbench.widgets.elided import ElidedLabel
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types import Case, Confirmation, PatentSummary, PublicationNumber
    from claimlight_workbench.models.passage_notes import PlacedNote
    from claimlight_workbench.values import CaseState

SAVE_NOTE_AFTER_MS = 600


class CaseView(QWidget):
    """List of documents with a category or note; buttons show the keys."""

    category_given = Signal(str)
    undo_requested = Signal()
    redo_requested = Signal()
    note_written = Signal(str, str)
    """Publication and note."""
    tagged = Signal(object, object)
    """`PatentSummary` of a document and its tags, a tuple of str."""
    passage_note_chosen = Signal(object)
    """`PlacedNote` whose passage is to be shown."""
    passage_note_edited = Signal(object)
    """`PlacedNote` that is to be changed."""
    chosen = Signal(str)
    """Publication of the row that was activated."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._publication = ""
        self._tagged: PatentSummary | None = None
        """The document whose tags are shown."""
        self._tags: tuple[str, ...] = ()
        self.title = QLabel(tr("No case open"))
        self.title.setObjectName("title")
        self.classes = ElidedLabel()
        self.classes.setObjectName("muted")
        self.classes.hide()
        self.marks = QListWidget()
        self.marks.setAccessibleName(tr("Documents with a category or note"))
        self.note = QPlainTextEdit()
        self.note.setAccessibleName(tr("Note on the open document"))
        self.note.setTabChangesFocus(True)
        self.note.setMaximumHeight(design.lines(self, 5))
        self.note_label = QLabel(tr("Note"))
        self.note_label.setObjectName("muted")
        self.note_label.setBuddy(self.note)
        self.passage_notes = QListWidget()
        self.passage_notes.setAccessibleName(tr("Notes on passages of the open document"))
        self.passage_notes.setMaximumHeight(4 * self.fontMetrics().lineSpacing() + 8)
        self.passage_notes.setToolTip(tr("Enter goes to the passage, F2 edits the note"))
        self.passage_notes.hide()
        self._passage_notes: tuple[PlacedNote, ...] = ()
        edit = QShortcut(QKeySequence("F2"), self.passage_notes, self._edit_passage_note)
        edit.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.tags = TagLine()
        self.tags_label = QLabel(tr("Tags"))
        self.tags_label.setObjectName("muted")
        self.tags_label.setBuddy(self.tags)
        self.undo = QPushButton(tr("Undo"))
        self.redo = QPushButton(tr("Redo"))
        for button in (self.undo, self.redo):
            button.setEnabled(False)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_NOTE_AFTER_MS)
        self._timer.timeout.connect(self.flush)
        self._lay_out()
        self.undo.clicked.connect(self.undo_requested)
        self.redo.clicked.connect(self.redo_requested)
        self.note.textChanged.connect(self._edited)
        self.tags.editingFinished.connect(self._tags_written)
        self.passage_notes.itemActivated.connect(
            lambda item: self.passage_note_chosen.emit(self._passage_notes[self.passage_notes.row(item)])
        )
        self.marks.itemActivated.connect(lambda item: self.chosen.emit(item.data(Qt.ItemDataRole.UserRole)))

    def show_case(self, state: CaseState) -> None:
        """Show the categories and notes."""
        self.title.setText(state.case.name)
        self._show_classes(state.case)
        # What is written here while another window has the case could not be kept.
        for each in self._writing:
            each.setEnabled(not state.holder)
        self.note.setReadOnly(bool(state.holder))
        self.tags.setReadOnly(bool(state.holder))
        self.marks.clear()
        # A case may have hundreds of both: each mark looks through those of its document only.
        decided: defaultdict[PublicationNumber, list[Confirmation]] = defaultdict(list)
        for decision in state.confirmations:
            decided[decision.publication].append(decision)
        for mark in state.marks:
            if not mark.category and not mark.note:
                continue
            words = f"{mark.letters or '–'}   {format_publication(str(mark.publication))}"
            if mark.claim:
                words += tr("   claim {claim}", claim=mark.claim)
            given_for = passages_of(mark, decided[mark.publication])
            if cited := tell(cite_runs([each.label for each in given_for])):
                words += f": {cited}" if mark.category in CITED else ""
            if tags := state.tags.get(str(mark.publication)):
                words += f"   [{', '.join(tags)}]"
            if mark.note:
                words += f"   {' '.join(mark.note.split())}"
            item = QListWidgetItem(words)
            item.setData(Qt.ItemDataRole.UserRole, str(mark.publication))
            self.marks.addItem(item)
        self.undo.setEnabled(bool(state.undoable) and not state.holder)
        self.undo.setToolTip(
            tr("Undo: {change_words}", change_words=change_words(state.undoable))
            if state.undoable
            else tr("Nothing to undo")
        )
        self.redo.setEnabled(bool(state.redoable) and not state.holder)
        self.redo.setToolTip(
            tr("Redo: {change_words}", change_words=change_words(state.redoable))
            if state.redoable
            else tr("Nothing to redo")
        )

    def _show_classes(self, case: Case | None) -> None:
        """The classes accepted for the application; their titles are the tool tip."""
        classes = case.classes if case is not None else ()
        self.classes.setText(
            tr("Classes: {classes}", classes=", ".join(map(str, classes))) if classes else ""
        )
        lines = (f"{each}  {each.title}".rstrip() for each in classes)
        self.classes.setToolTip(wrap_tip("\n".join(lines)))
        self.classes.setVisible(bool(classes))

    def show_note(self, publication: str, note: str) -> None:
        """Show the note on another document; the one being edited is saved first."""
        if publication == self._publication and self.note.hasFocus():
            return
        self.flush()
        self._publication = publication
        self.note.blockSignals(True)
        self.note.setPlainText(note)
        self.note.blockSignals(False)
        self.note_label.setText(
            tr("Note on {publication}", publication=format_publication(publication))
            if publication
            else tr("Note")
        )
        self.note.setEnabled(bool(publication))

    def show_tags(self, patent: PatentSummary | None, tags: tuple[str, ...], known: tuple[str, ...]) -> None:
        """Show the tags of the open document, and the tags of the case as completions.

        Tags being edited for another document are saved first.
        """
        self.tags.offer(known)
        same = patent is not None and self._tagged is not None and patent.id == self._tagged.id
        if self.tags.isModified():
            if same:
                return
            self._tags_written()
        self._tagged = patent
        self._tags = tags
        self.tags.setText(", ".join(tags))
        self.tags.setEnabled(patent is not None)

    def show_passage_notes(self, notes: tuple[PlacedNote, ...]) -> None:
        """Show the notes on passages of the open document."""
        if notes == self._passage_notes:
            return
        self._passage_notes = notes
        self.passage_notes.clear()
        self.passage_notes.addItems([" ".join(note.line.split()) for note in notes])
        self.passage_notes.setVisible(bool(notes))

    def _edit_passage_note(self) -> None:
        row = self.passage_notes.currentRow()
        if 0 <= row < len(self._passage_notes):
            self.passage_note_edited.emit(self._passage_notes[row])

    def _tags_written(self) -> None:
        tags = tags_in(self.tags.text())
        self.tags.setModified(False)
        if self._tagged is not None and tags != self._tags:
            self._tags = tags
            self.tagged.emit(self._tagged, tags)

    def clear_out(self, left: Left) -> None:
        """Clear note and tags: no document is open. When a case is closed, its list is cleared too."""
        self.flush()
        self.note.clearFocus()
        self.show_note("", "")
        self.show_passage_notes(())
        self.show_tags(None, (), () if left is Left.CASE else self.tags.known)
        if left is Left.CASE:
            self.title.setText(tr("No case open"))
            self._show_classes(None)
            self.marks.clear()

    def flush(self) -> None:
        """Save a note that is being edited."""
        if self._timer.isActive():
            self._timer.stop()
        if self.tags.isModified():
            self._tags_written()
        if self.note.document().isModified() and self._publication:
            self.note.document().setModified(False)
            self.note_written.emit(self._publication, self.note.toPlainText())

    def _edited(self) -> None:
        self._timer.start()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        self._writing: list[QPushButton] = []
        for row in given_by_key():
            button = QPushButton(row.category.value)
            button.setMaximumWidth(design.letters(self, 8))
            button.setToolTip(row.tool_tip)
            button.setAccessibleName(row.spoken)
            button.clicked.connect(lambda _=False, each=row.category: self.category_given.emit(each.value))
            line.addWidget(button)
            self._writing.append(button)
        line.addWidget(self.undo)
        line.addWidget(self.redo)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(*design.PANEL)
        column.setSpacing(design.TIGHT)
        column.addWidget(self.title)
        column.addWidget(self.classes)
        column.addLayout(line)
        column.addWidget(self.marks, 1)
        below = QHBoxLayout()
        below.addWidget(self.tags_label)
        below.addWidget(self.tags, 1)
        column.addLayout(below)
        column.addWidget(self.note_label)
        column.addWidget(self.note)
        column.addWidget(self.passage_notes)
